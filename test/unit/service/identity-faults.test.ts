/** The table of faults: a real server misbehaves in each way, and each fault is reported distinctly. */
import { describe, expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import type { ServiceClient } from '../../../src/main/core/service/index.ts'
import { presentError } from '../../../src/renderer/src/words/errors.ts'
import { errorText } from '../../../src/shared/contract/errors.ts'
import { clientOf, onlyOneAttempt } from '../../contract/client-factory.ts'
import { brokenPdfs, otherThanPdfs } from './identity/pdf-faults.ts'
import { recordFaults } from './identity/record-faults.ts'
import { lineFaults, refusals } from './identity/refusal-faults.ts'
import type { Row } from './identity/row.ts'

const table: Row[] = [...lineFaults, ...refusals, ...brokenPdfs, ...otherThanPdfs, ...recordFaults]

async function fetched(client: ServiceClient, { asked, maxBytes }: Row): Promise<unknown> {
  if (asked === 'json') return client.getIDVerification('d-1', { maxBytes })
  const download = await client.downloadIDVerificationPdf('d-1', { maxBytes })
  const pieces: Uint8Array[] = []
  for await (const piece of download.bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

describe.each([
  ['the connection', lineFaults],
  ['refusals', refusals],
  ['broken PDFs', brokenPdfs],
  ['something other than a PDF', otherThanPdfs],
  ['something other than records', recordFaults]
])('%s', (_kind, rows) => {
  test.each(rows.map((row) => [row.does, row] as const))('a server that %s', async (_does, row) => {
    const client = clientOf(await row.at(), { limits: row.limits ?? onlyOneAttempt })
    const reported = asAppError(
      await fetched(client, row).then(
        () => undefined,
        (thrown: unknown) => thrown
      )
    )
    expect({ code: reported.code, sentence: errorText(reported) }).toEqual({ code: row.code, sentence: row.sentence })
    expect(reported.serviceMessage).toBe(row.serviceMessage)
    // A read changes nothing, so there's no warning that something may have gone out.
    expect(reported.mayHaveArrived).not.toBe(true)
    const { happened, meaning, todo } = presentError(reported)
    expect(`${happened} ${meaning} ${todo}`).not.toMatch(/may have arrived|undefined|\b[45]\d\d\b|JSON|HTTP/)
  })
})

const reportOf = ({ code, sentence, serviceMessage }: Row) => [code, sentence, serviceMessage].join('|')

describe('the table', () => {
  test('has at least 40 faults and 40 distinct reports', () => {
    expect(new Set(table.map(({ does }) => does)).size).toBe(table.length)
    expect(table.length).toBeGreaterThanOrEqual(40)
    expect(new Set(table.map(({ code, sentence }) => `${code}|${sentence}`)).size).toBeGreaterThanOrEqual(40)
  })

  test('reports faults of different meaning differently', () => {
    const meanings = new Map<string, string>()
    for (const row of table) {
      const meaning = row.means ?? row.does
      const before = meanings.get(reportOf(row))
      expect(before ?? meaning, `“${row.sentence}” is said of two things`).toBe(meaning)
      meanings.set(reportOf(row), meaning)
    }
  })

  test('reports each fault in one or two plain sentences', () => {
    for (const { sentence } of table) {
      expect(sentence).toMatch(/^[A-Z][^\n]{15,160}\.$/)
      expect(sentence.replace(/https?:\/\/\S+/, '')).not.toMatch(/oops|JSON|HTTP|base64|\bnull\b|\b[45]\d\d\b/i)
    }
  })
})
