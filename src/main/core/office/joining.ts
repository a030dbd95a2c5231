/**
 * How a workstation joins with the administrator's code, which works once, within ten minutes. The first credentials
 * and the key that seals the office's key are derived from the code; the server stores neither. The workstation then
 * generates its own password, of which the server stores only a verifier (SCRAM, RFC 5803).
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { escapeIdentifier, escapeLiteral } from 'pg'
import { ALPHABET, normalizeLetters } from '../../../shared/recovery-key.ts'
import { assertNotificationsArrive, inTransaction, type OfficePlace, withConnection } from './connection.ts'
import { deriveBytes, unseal } from './sealing.ts'

/** The length of a code: 32 letters of 5 bits each. */
const CODE_LENGTH = 32
const GROUP_LENGTH = 4
const ROUNDS = 4096

/** What a workstation keeps once it has joined; `key` and `password` only in the keychain. */
export interface Joined {
  readonly user: string
  readonly password: string
  readonly key: Buffer
  readonly station: string
  readonly incarnation: string
}

/**
 * Creates a code: eight groups of four letters. Its 160 random bits can't be guessed within ten minutes, nor from what
 * the server stores.
 */
export function newCode(): string {
  const letters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return (letters.match(new RegExp(`.{${GROUP_LENGTH}}`, 'g')) ?? []).join('-')
}

/**
 * Derives from a code the role, its first password, and the key that seals the office's key. Lower case, spaces and
 * commonly confused letters are accepted.
 * @throws Error if the code is malformed.
 */
export function credentialsOfCode(code: string, database: string): { role: string; password: string; key: Buffer } {
  const letters = normalizeLetters(code.replace(/[\s-]/g, ''))
  if (letters.length !== CODE_LENGTH || [...letters].some((letter) => !ALPHABET.includes(letter))) {
    throw new Error('This is not a whole join code.')
  }
  const secret = Buffer.from(letters)
  return {
    role: `${database}_s_${deriveBytes(secret, 'role', 8).toString('hex')}`,
    password: deriveBytes(secret, 'password', 32).toString('base64url'),
    key: deriveBytes(secret, 'key', 32)
  }
}

/** The identity under which the office's key is sealed for a role. */
export const keyIdentityOf = (role: string) => `office key:${role}`

/** The code is of another office than the one that a workstation wants to join again. */
class OtherOffice extends Error {
  override name = 'OtherOffice'
}

/**
 * Joins an office, all or nothing: if it fails, the code stays valid.
 * @param expected the only office to join, by its incarnation; undefined for any.
 * @throws OtherOffice; Pooled if notifications don't arrive; the database's error, such as 28P01 for a code that is used
 * up or not this office's, 42501 for one that is too old.
 */
export async function joinOffice(
  place: Omit<OfficePlace, 'user' | 'password'>,
  code: string,
  expected?: string
): Promise<Joined> {
  const { role, password: firstPassword, key: codeKey } = credentialsOfCode(code, place.database)
  const password = randomBytes(32).toString('base64url')
  const codeLogin = { ...place, user: role, password: firstPassword }
  return await withConnection(codeLogin, async (client) => {
    await withConnection(codeLogin, (other) => assertNotificationsArrive(client, other))
    return await inTransaction(client, async () => {
      const { rows } = await client.query<{ sealed_key: Buffer; station: string; incarnation: string }>(
        'SELECT * FROM office.join_office()'
      )
      const [joined] = rows
      if (!joined) throw new Error('The office answered nothing.')
      if (expected !== undefined && joined.incarnation !== expected) throw new OtherOffice()
      const key = unseal(codeKey, keyIdentityOf(role), joined.sealed_key)
      await client.query(`ALTER ROLE ${escapeIdentifier(role)} PASSWORD ${escapeLiteral(verifierOf(password))}`)
      return { user: role, password, key, station: joined.station, incarnation: joined.incarnation }
    })
  })
}

/**
 * Computes a password's verifier, from which the password can't be recovered. The passwords are random, so they need no
 * more rounds.
 */
export function verifierOf(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`
}
