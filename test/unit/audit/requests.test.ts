import { createHash, createPublicKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { openWorkbook } from '../../../src/main/core/bulk/read-xlsx.ts'
import { rightsOf } from '../../../src/main/core/counter/rights.ts'
import { auditHandlers } from '../../../src/main/ipc/audit.ts'
import type { OfficeTrailFinding, StaffMember } from '../../../src/shared/contract/index.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { auditedWorkstation, hashOf, TEN, ZONE } from './office.ts'

const context = { from: 'office' as const, stillAsking: () => true }
const FIRST = '0'.repeat(64)

function office() {
  const workstation = auditedWorkstation()
  const audit = workstation.run()
  const place = join(temporaryFolder(), 'trail')
  const saveDialogs: { suggested: string }[] = []
  let answer: string | undefined
  const found: OfficeTrailFinding[] = []
  const handlers = auditHandlers({
    audit,
    heads: { findings: () => found },
    auditExports: workstation.exportsOf(audit),
    receipts: workstation.receiptsOf(audit).receipts,
    time: { now: () => TEN, zone: () => ZONE },
    chooseSaveFile: async (_title, suggested) => {
      saveDialogs.push({ suggested })
      return answer
    },
    chooseFiles: async () => (answer === undefined ? [] : [answer])
  })
  async function exported(format: 'csv' | 'json'): Promise<string> {
    answer = `${place}.${format}`
    expect(await handlers['audit.export']({ format }, context)).toEqual({ label: `trail.${format}` })
    return readFile(answer, 'utf8')
  }
  const answers = (path: string) => (answer = path)
  return { ...workstation, audit, handlers, saveDialogs, exported, found, place, answers }
}

function withEntries(howMany = 3) {
  const made = office()
  for (let time = 1; time <= howMany; time++) {
    made.audit.note({
      what: 'turn-ended',
      signerName: time === 2 ? '=HYPERLINK("https://evil.example")' : 'Mere Pārata',
      documentName: 'Lease, “large”\nand more',
      documentReference: `doc-${time}`,
      session: 'session-1',
      detail: { outcome: 'signed', tried: '0' }
    })
  }
  return made
}

describe('requests about the audit trail', () => {
  test('list the trail and check it', async () => {
    const { handlers, found } = withEntries()
    const list = await handlers['audit.list']({ search: 'doc-2', offset: 0, limit: 10 }, context)
    expect(list).toMatchObject({ total: 1, entries: [{ seq: 2 }] })
    expect(await handlers['audit.check'](undefined, context)).toEqual({ isWhole: true, entries: 3, isCutOff: false })
    found.push({ name: 'Front desk', isMe: false, why: 'cut', at: TEN })
    expect(await handlers['audit.check'](undefined, context)).toMatchObject({ isWhole: true, office: found })
  })

  test('write nothing if the dialog is cancelled, and suggest a name with the date', async () => {
    const { handlers, saveDialogs } = withEntries()
    expect(await handlers['audit.export']({ format: 'csv' }, context)).toBeNull()
    expect(saveDialogs).toEqual([{ suggested: 'Audit trail 2026-11-21.csv' }])
  })

  test('export a workbook without active content', async () => {
    const { handlers, place, answers } = withEntries()
    answers(`${place}.xlsx`)
    expect(await handlers['audit.export']({ format: 'xlsx' }, context)).toEqual({ label: 'trail.xlsx' })
    const { rows } = openWorkbook(await readFile(`${place}.xlsx`)).read('Rows')
    // The signing key was created for this export, which is its newest entry.
    expect(rows).toHaveLength(5)
    expect(rows[2]?.cells).toContain('=HYPERLINK("https://evil.example")')
  })
})

describe('requests about exports', () => {
  test('check a chosen file, and none if the dialog is cancelled', async () => {
    const { handlers, exported, answers, place } = withEntries()
    await exported('json')
    expect(await handlers['audit.checkFile'](undefined, context)).toMatchObject({
      label: 'trail.json',
      verdict: 'genuine'
    })
    answers(`${place}.json.signature`)
    expect(await handlers['audit.checkFile'](undefined, context)).toMatchObject({
      label: 'trail.json',
      verdict: 'genuine'
    })
    expect(await office().handlers['audit.checkFile'](undefined, context)).toBeNull()
  })

  test('are available to every role, and locate a changed byte', async () => {
    const { handlers, exported, answers, place } = withEntries()
    const bytes = Buffer.from(await exported('json'))
    const at = bytes.indexOf('Lease')
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(`${place}.json`, bytes)
    answers(`${place}.json`)
    const may = rightsOf({ hasNames: true, authenticated: () => ({ role: 'counter' }) as StaffMember })
    expect(() => may('audit.list', {})).toThrow('not-allowed')
    expect(() => may('audit.checkFile', undefined)).not.toThrow()
    const found = await handlers['audit.checkFile'](undefined, context)
    expect(found).toMatchObject({ verdict: 'changed', near: { from: 1 } })
    const { from = -1, to = -1 } = found?.bytes ?? {}
    expect(at >= from && at <= to).toBe(true)
  })

  test('return the key’s fingerprint and save its public part, but nothing private', async () => {
    const { handlers, place, answers, entries } = withEntries()
    const key = await handlers['audit.key'](undefined, context)
    expect(Object.keys(key)).toEqual(['fingerprint'])
    expect(key.fingerprint).toMatch(/^([0-9A-F]{4} ){15}[0-9A-F]{4}$/)
    expect(await handlers['audit.saveKey'](undefined, context)).toBeNull()
    answers(`${place}.pem`)
    expect(await handlers['audit.saveKey'](undefined, context)).toEqual({ label: 'trail.pem' })
    const pem = await readFile(`${place}.pem`, 'utf8')
    expect(pem).toMatch(/^-----BEGIN PUBLIC KEY-----/)
    const der = createPublicKey(pem).export({ format: 'der', type: 'spki' })
    expect(createHash('sha256').update(der).digest('hex').toUpperCase()).toBe(key.fingerprint.replaceAll(' ', ''))
    expect(pem).not.toContain(entries.get('audit-key')?.slice(20, 40))
  })
})

describe('the exported trail', () => {
  test('as JSON explains how to verify the chain, and can be verified that way', async () => {
    const { exported } = withEntries(700)
    const { howToVerify, entries } = JSON.parse(await exported('json'))
    expect(howToVerify).toMatch(/SHA-256/)
    expect(howToVerify).toContain(FIRST)
    expect(entries).toHaveLength(701)
    let previous = FIRST
    for (const { text, hash } of entries) {
      expect(hash).toBe(hashOf(previous, text))
      previous = hash
    }
    expect(entries[1]).toMatchObject({ seq: 2, at: TEN, zone: ZONE, time: '2026-11-21T10:00:00+13:00' })
    expect(entries[1]).toMatchObject({
      staff: 'Grace Okafor',
      what: 'turn-ended',
      detail: { outcome: 'signed', tried: '0' }
    })
    expect(JSON.parse(entries[1].text)).toEqual([
      ...[2, TEN, ZONE, 'Grace Okafor', 'turn-ended', 'session-1', 'doc-2', 'Lease, “large”\nand more'],
      ...['=HYPERLINK("https://evil.example")', { outcome: 'signed', tried: '0' }]
    ])
  })

  test('as JSON is valid even if nothing has happened yet', async () => {
    expect(JSON.parse(await office().exported('json'))).toMatchObject({ entries: [{ what: 'signing-key-made' }] })
  })

  test('as CSV has a row for each entry, oldest first, no active cells, and the same chain', async () => {
    const { exported } = withEntries(3)
    const text = await exported('csv')
    expect(text.startsWith('\ufeffNumber,Time,')).toBe(true)
    expect(text).not.toMatch(/(?<!\r)\n(?=\d+,)/)
    const [headings = [], ...rows] = Papa.parse<string[]>(text.slice(1), { skipEmptyLines: true }).data
    expect(headings.at(-1)).toMatch(
      /SHA-256 of the hash above \(64 zeros before the first\), a line feed, and the text/
    )
    expect(rows.map(([number]) => number)).toEqual(['1', '2', '3', '4'])
    const [, time, zone, staff, what, signer, document, reference, session, details] = rows[1] ?? []
    expect([time, zone, staff, what]).toEqual(['2026-11-21T10:00:00+13:00', ZONE, 'Grace Okafor', 'turn ended'])
    expect(signer).toBe(`'=HYPERLINK("https://evil.example")`)
    expect([document, reference, session]).toEqual(['Lease, “large”\nand more', 'doc-2', 'session-1'])
    expect(details).toBe('outcome: signed; tried: 0')
    let previous = FIRST
    for (const row of rows) {
      const [chained = '', hash = ''] = row.slice(-2)
      expect(hash).toBe(hashOf(previous, chained))
      previous = hash
    }
  })

  test('can be written even if it contains an impossible time', async () => {
    const { exported, tamper } = withEntries(2)
    tamper('UPDATE audit SET at = 9000000000000000 WHERE seq = 1')
    expect(JSON.parse(await exported('json')).entries).toHaveLength(3)
    expect(await exported('csv')).toContain('9000000000000000')
  })
})
