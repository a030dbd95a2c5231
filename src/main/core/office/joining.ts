/**
 * A workstation joins by a code that the administrator gives it: it holds once, for ten minutes. The code is the way to sign in, and
 * the key that the office's key comes sealed to; the server has neither. The workstation makes a password of its own, of which the
 * server has only what it checks it by (SCRAM, RFC 5803).
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { LETTERS, lettersMeant } from '../../../shared/recovery-key.ts'
import { connected, inTransaction, mustHear, type OfficePlace } from './connection.ts'
import { derived, unseal } from './sealing.ts'

/** A code has 32 letters of 5 bits. */
const CODE = 32
const GROUP = 4
const ROUNDS = 4096

/** What a workstation keeps once it has joined; `key` and `password` in the keychain alone. */
export interface Joined {
  readonly user: string
  readonly password: string
  readonly key: Buffer
  readonly station: string
  readonly incarnation: string
}

/** Eight groups of four letters: 160 random bits, which nobody guesses in ten minutes, nor from what the server keeps. */
export function newCode(): string {
  const letters = [...randomBytes(CODE)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
  return (letters.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-')
}

/**
 * What a code stands for in a database: the role and its first password, and the key that the office's key is sealed by. Small letters, spaces
 * and letters that are read for others are taken as they are meant.
 * @throws Error if it is none.
 */
export function meaningOf(code: string, database: string): { role: string; password: string; key: Buffer } {
  const letters = lettersMeant(code.replace(/[\s-]/g, ''))
  if (letters.length !== CODE || [...letters].some((letter) => !LETTERS.includes(letter))) {
    throw new Error('This is not a whole join code.')
  }
  const secret = Buffer.from(letters)
  return {
    role: `${database}_s_${derived(secret, 'role', 8).toString('hex')}`,
    password: derived(secret, 'password', 32).toString('base64url'),
    key: derived(secret, 'key', 32)
  }
}

/** What the office's key is sealed as, for one role. */
export const keyFor = (role: string) => `office key:${role}`

/**
 * All or nothing: where it fails the code still holds.
 * @throws Pooled where workstations wouldn't hear of each other; the database's error, among them 28P01 for a code that is used up or none of this office's, 42501 for one that is too old.
 */
export async function joinOffice(place: Omit<OfficePlace, 'user' | 'password'>, code: string): Promise<Joined> {
  const { role, password: first, key: codeKey } = meaningOf(code, place.database)
  const password = randomBytes(32).toString('base64url')
  const byCode = { ...place, user: role, password: first }
  return await connected(byCode, async (client) => {
    await connected(byCode, (other) => mustHear(client, other))
    return await inTransaction(client, async () => {
      const { rows } = await client.query<{ sealed_key: Buffer; station: string; incarnation: string }>(
        'SELECT * FROM office.join_office()'
      )
      const [joined] = rows
      if (!joined) throw new Error('The office answered nothing.')
      const key = unseal(codeKey, keyFor(role), joined.sealed_key)
      await client.query(`ALTER ROLE ${escapeIdentifier(role)} PASSWORD ${escapeLiteral(verifierOf(password))}`)
      return { user: role, password, key, station: joined.station, incarnation: joined.incarnation }
    })
  })
}

/** What a server checks a password by, from which it can't be had back. The passwords here are random, so no more rounds are needed. */
export function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`
}
