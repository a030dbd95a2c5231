/**
 * The numbers of passports and identity cards that staff compared, if the organisation's policy has them kept. They are
 * stored next to the audit trail, which is never purged, so that they can be (decision 49). The trail has a salted hash
 * of each, and says what is kept.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { AuditEntry, IdentityKept } from '../../../shared/contract/index.ts'
import type { ReadDocument } from '../../../shared/identity-lines.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'

/** The most characters that are kept of a number if only its end is. */
const END_LENGTH = 4

const Reading = z.strictObject({
  number: z.string(),
  isEnd: z.literal(true).optional(),
  expires: z.string().optional()
})
/** What is kept of one document: its number, or the end of it, and the last day it is valid, `2030-04-15`. */
export type IdentityNumber = z.output<typeof Reading>

/** Reduces what staff read to what may be kept; undefined if nothing may. */
export function retainedReading(read: ReadDocument | undefined, policy: IdentityKept): IdentityNumber | undefined {
  if (!read?.number || policy === 'compared') return undefined
  const { number, expires } = read
  if (policy === 'number-end') return { number: endOf(number), isEnd: true }
  return { number, ...(expires !== undefined && { expires }) }
}

/** The end of a number, at most half of it: of a short one, four characters would be nearly all. */
function endOf(number: string): string {
  const characters = [...number]
  return characters.slice(-Math.min(END_LENGTH, Math.ceil(characters.length / 2))).join('')
}

/** Reduces what was to be kept to what still may be, as the policy may have changed since. It is never extended. */
export function stillRetained(reading: IdentityNumber, policy: IdentityKept): IdentityNumber | undefined {
  return reading.isEnd && policy !== 'compared' ? reading : retainedReading(reading, policy)
}

/** Returns what the audit trail says is kept. */
export const keptInWords = ({ isEnd }: IdentityNumber): string =>
  isEnd ? 'The last characters of its number are kept' : 'Its number and expiry date are kept'

/** Prepares to store a reading together with its entry in the audit trail. */
export type KeepIdentity = (
  of: { accountId: string; session: string; turn: number; documentReference: string },
  reading: IdentityNumber
) => {
  /** Added to the entry. */
  detail: Record<string, string>
  /** Called in the same transaction as the entry. @throws SQLite's error. */
  write(): void
}

export function openIdentityNumbers({ db, now, newSalt }: { db: Db; now: () => number; newSalt: () => string }) {
  const statements = new Statements(db)
  const put = statements.run<[kept: object]>(
    `INSERT INTO identity_numbers (account_id, session, turn, document_reference, kept_at, salt, kept)
     VALUES (@accountId, @session, @turn, @documentReference, @at, @salt, @kept)
     ON CONFLICT (session, turn) DO UPDATE SET kept_at = excluded.kept_at, salt = excluded.salt, kept = excluded.kept`
  )
  const find = db.prepare<[session: string, turn: number], { salt: string; kept: string }>(
    'SELECT salt, kept FROM identity_numbers WHERE session = ? AND turn = ?'
  )

  const keep: KeepIdentity = (of, reading) => {
    const [salt, kept] = [newSalt(), JSON.stringify(reading)]
    return {
      detail: { identitySha256: hashOf(salt, kept) },
      write: () => void put({ ...of, at: now(), salt, kept })
    }
  }

  return {
    keep,
    /**
     * Returns what was kept with an entry of the trail; undefined if nothing was, if it was purged since, or if it
     * doesn't match the hash in the trail.
     */
    of({ session = '', detail }: AuditEntry): IdentityNumber | undefined {
      const found = detail.identitySha256 === undefined ? undefined : find.get(session, Number(detail.turn))
      if (!found || hashOf(found.salt, found.kept) !== detail.identitySha256) return undefined
      return Reading.safeParse(parsedJson(found.kept)).data
    }
  }
}

const hashOf = (salt: string, kept: string) => createHash('sha256').update(`${salt} ${kept}`, 'utf8').digest('hex')
