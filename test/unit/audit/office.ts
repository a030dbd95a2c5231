/** A workstation with its own database and keychain, and runs of the application on it. */
import { createHash } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { Audit } from '../../../src/main/core/audit/audit.ts'
import { AuditSigner } from '../../../src/main/core/audit/signature.ts'
import { AuditExports } from '../../../src/main/core/audit/signed-exports.ts'
import { openIdentityNumbers } from '../../../src/main/core/counter/identity-numbers.ts'
import { Receipts } from '../../../src/main/core/receipts/receipts.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import type { SecretSlot } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import type { AuditEntry } from '../../../src/shared/contract/index.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { lastingKeychain } from '../storage/keychains.ts'

export const TEN = Date.UTC(2026, 10, 20, 21)
export const ZONE = 'Pacific/Auckland'

export function database() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  return db
}

const ACCOUNT = `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
  VALUES ('a', 'Office', 'service', 'https://example.com', 'none', '#000', '[]', 1, 1)`

/** Stored identity document numbers, and the audit entries that mention them. */
export function numbersOf(db = database()) {
  db.prepare(ACCOUNT).run()
  const numbers = openIdentityNumbers({ db, now: () => TEN, newSalt: () => 'salt' })
  const entry = (detail: Record<string, string>): AuditEntry => ({
    seq: 1,
    at: TEN,
    zone: ZONE,
    staff: '',
    what: 'handed-over',
    session: 's',
    detail
  })
  return { db, numbers, entry }
}

export function auditedWorkstation() {
  const db = database()
  const entries = new Map<string, string>()
  const troubles: unknown[] = []
  const notified = { changed: 0 }
  const now: { at: number; zone: string; staff: string; running?: string } = {
    at: TEN,
    zone: ZONE,
    staff: 'Grace Okafor'
  }
  const day = testTime(TEN)
  function run(anchor: SecretSlot = lastingKeychain(entries).auditAnchor, other = db) {
    return new Audit({
      db: other,
      anchor,
      time: day.run({ now: () => now.at, zone: () => now.zone }),
      staff: () => now.staff,
      changed: () => {
        notified.changed += 1
      },
      onError: (error) => void troubles.push(error)
    })
  }
  /** Writes and checks exports of a trail, with the workstation's key. */
  const exportsOf = (audit: Audit, slot = lastingKeychain(entries).auditKey) =>
    new AuditExports({
      audit,
      time: day.run({ now: () => now.at, zone: () => now.zone }),
      signer: new AuditSigner({ slot, note: audit.note })
    })
  /** Makes receipts from a trail; the printed PDF is only the page's text with a PDF's frame. */
  const receiptsOf = (audit: Audit, slot = lastingKeychain(entries).auditKey) => {
    const printed: string[] = []
    const receipts = new Receipts({
      audit,
      time: day.run({ now: () => now.at, zone: () => now.zone }),
      signer: new AuditSigner({ slot, note: audit.note }),
      paper: {
        pdf: async (page) => Buffer.from(`%PDF-1.7\n${page}\nstartxref\n1234\n%%EOF\n`),
        print: async (page) => void printed.push(page)
      },
      officeName: () => 'Harbour & Sons',
      logo: () => undefined,
      languageOf: (_session, { name }) => (name === 'Tama Parata' ? 'mi' : undefined),
      identityOf: openIdentityNumbers({ db, now: () => now.at, newSalt: String }).of,
      languages: () => ['to', 'ar'],
      running: () => now.running
    })
    return { receipts, printed }
  }
  /** Changes the trail as someone with the database key can. */
  function tamper(sql: string): void {
    const triggers = db
      .prepare<[], { name: string; sql: string }>(
        `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'`
      )
      .all()
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    db.exec(sql)
    for (const { sql: again } of triggers) db.exec(again)
  }
  return {
    db,
    entries,
    troubles,
    notified,
    now,
    pass: day.pass,
    run,
    exportsOf,
    receiptsOf,
    tamper,
    anchor: () => JSON.parse(entries.get('audit-anchor') ?? 'null')
  }
}

/** The hash rule as documented in the export, implemented independently. */
export function hashOf(previous: string, text: string): string {
  return createHash('sha256')
    .update(Buffer.concat([Buffer.from(previous), Buffer.from([0x0a]), Buffer.from(text)]))
    .digest('hex')
}
