/**
 * Kills the process that verifies signatures for a rule at random moments, against a service that is slow at times and
 * breaks off at others. Each document is queued or verified, never both; in the end each is verified once, as the audit
 * trail says.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openAuditTable } from '../../src/main/core/audit/audit-table.ts'
import { connectEncrypted } from '../../src/main/core/storage/connection.ts'
import { openVerificationsTable } from '../../src/main/core/verifications/verifications-table.ts'
import { DATABASE_KEY } from '../fixtures/download-office.ts'
import { openPdfServer, type PdfServer } from '../fixtures/pdf-server.ts'
import { type Chance, chanceOf } from './chance.ts'
import { begin, killed } from './killed-process.ts'
import type { Fault } from './ledger.ts'
import { type ChaosOptions, emptyTally, notingIn, type Tally } from './tally.ts'

const PROGRAM = new URL('./verifying-until-killed.ts', import.meta.url)
const IN_LINE = 30

/** Each round is one life of the process, which begins with thirty documents queued. */
export async function verificationsChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const root = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const chance = chanceOf(seed)
  const server = await openPdfServer()
  badLine(server, chance)
  const confirmed: string[] = []
  const tally = emptyTally()
  const note = notingIn(tally, say)
  let done = 0
  try {
    for (let round = 1; round <= rounds; round++) {
      const missing = Math.max(0, IN_LINE - (confirmed.length - done))
      const added = Array.from({ length: missing }, (_, index) => `D${confirmed.length + index + 1}`)
      const { child, printed } = begin(PROGRAM, [root, server.url, JSON.stringify(added)])
      try {
        await printed('added')
        confirmed.push(...added)
        await pause(chance.below(900))
      } finally {
        await killed(child)
      }
      const found = faultsIn(root, confirmed, false)
      done = found.done
      note(found.faults, `after round ${round}`)
      tally.rounds++
    }
    const { child, printed } = begin(PROGRAM, [root, server.url, '[]'])
    try {
      await printed('rested')
    } finally {
      await killed(child)
    }
    const found = faultsIn(root, confirmed, true)
    note(found.faults, 'in the end')
    say(`killed ${rounds} times, ${found.done} documents verified by ${server.validated.length} questions`)
  } finally {
    await server.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** Some answers are slow, a few never come, and one in thirty is a 503. */
function badLine(server: PdfServer, chance: Chance): void {
  server.validate = async (_reference, response, answer) => {
    const fate = chance.below(30)
    if (fate === 0) return void response.writeHead(503).end()
    if (fate < 3) return void response.destroy()
    if (fate < 10) await pause(chance.below(40))
    answer({ Signatures: [{ isValid: fate % 2 === 0, User: 'Mere Tamati' }] })
  }
}

function faultsIn(root: string, confirmed: readonly string[], isEnd: boolean): { faults: Fault[]; done: number } {
  const db = connectEncrypted(join(root, 'office.db'), DATABASE_KEY)
  try {
    const table = openVerificationsTable(db)
    const accountId = db.prepare<[], string>('SELECT id FROM accounts').pluck().get() ?? ''
    const inLine = new Set(
      db.prepare<[], string>(`SELECT document_reference FROM verification_jobs WHERE state = 'waiting'`).pluck().all()
    )
    const faults: Fault[] = []
    let done = 0
    for (const reference of confirmed) {
      const records = table.ofDocument(accountId, reference, 10).flatMap((number) => table.byNumber(number) ?? [])
      done += records.length
      const places = records.length + (inLine.has(reference) ? 1 : 0)
      if (places === 0) faults.push({ kind: 'lost', words: `${reference} is neither verified nor in line` })
      if (places > 1) faults.push({ kind: 'doubled', words: `${reference} is verified or in line ${places} times` })
      if (isEnd && records.length === 0) faults.push({ kind: 'lost', words: `${reference} was never verified` })
      if (records.some((one) => !table.isAsRecorded(one)) || table.missing(accountId, reference) > 0) {
        faults.push({ kind: 'wrong', words: `${reference} isn’t what the audit trail says` })
      }
    }
    const entries = openAuditTable(db).count()
    if (entries !== done) faults.push({ kind: 'wrong', words: `${entries} entries tell of ${done} verifications` })
    return { faults, done }
  } finally {
    db.close()
  }
}
