/**
 * How a workstation receives the office's new key after a rotation (decision 63): sealed to a key pair derived from its
 * password. This way its keychain stores nothing more, neither the server nor revoked workstations can open it, and
 * nobody has to type anything.
 */
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  timingSafeEqual
} from 'node:crypto'
import { codeOf } from '../lib/failure.ts'
import type { Queryable } from './query-batching.ts'
import { deriveBytes, keyId, keysIn, newestOf, seal, tagBy, unseal } from './sealing.ts'

/** The prefixes of a 32-byte X25519 key in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b656e032100', 'hex')
const LENGTH = 32

const privateKeyOf = (password: string) =>
  createPrivateKey({
    key: Buffer.concat([PRIVATE, deriveBytes(Buffer.from(password), 'own key', LENGTH)]),
    format: 'der',
    type: 'pkcs8'
  })
const publicKeyFrom = (bytes: Buffer) =>
  createPublicKey({ key: Buffer.concat([PUBLIC, bytes]), format: 'der', type: 'spki' })
const rawPublicKey = (key: KeyObject) =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC.length)

/**
 * Returns the public key to which new keys are sealed for a workstation.
 * @param password the one it signs in with, which the server doesn't have.
 */
export const publicKeyOf = (password: string): Buffer => rawPublicKey(privateKeyOf(password))

/** Authenticates a workstation's public key: without the office's key it can't be replaced by another. */
export const voucherFor = (key: Uint8Array, role: string, publicKey: Buffer): Buffer =>
  tagBy(newestOf(key), `own key:${role}:${publicKey.toString('hex')}`)

/**
 * Verifies a workstation's public key.
 * @param key all keys that the office has had, because it may have been rotated since.
 */
export function isVouchedFor(key: Uint8Array, role: string, publicKey: Buffer, voucher: Buffer): boolean {
  return keysIn(key).some((one) => timingSafeEqual(voucherFor(one, role, publicKey), voucher))
}

const rotatedKeyIdentity = (role: string) => `rotated key:${role}`
const sharedKey = (secret: Buffer, ephemeralBytes: Buffer, publicKey: Buffer) =>
  deriveBytes(Buffer.concat([secret, ephemeralBytes, publicKey]), 'rotated key', LENGTH)

/** Seals the office's key to a workstation's public key. */
export function sealFor(role: string, publicKey: Buffer, key: Buffer): Buffer {
  const ephemeral = generateKeyPairSync('x25519')
  const ephemeralBytes = rawPublicKey(ephemeral.publicKey)
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: publicKeyFrom(publicKey) })
  return Buffer.concat([
    ephemeralBytes,
    seal(sharedKey(secret, ephemeralBytes, publicKey), rotatedKeyIdentity(role), key)
  ])
}

/** @throws Error if it isn't sealed to this workstation. */
function openSealed({ user, password }: Credentials, sealed: Buffer): Buffer {
  const ephemeralBytes = sealed.subarray(0, LENGTH)
  const secret = diffieHellman({ privateKey: privateKeyOf(password), publicKey: publicKeyFrom(ephemeralBytes) })
  return unseal(
    sharedKey(secret, ephemeralBytes, publicKeyOf(password)),
    rotatedKeyIdentity(user),
    sealed.subarray(LENGTH)
  )
}

interface Credentials {
  readonly user: string
  readonly password: string
}

/** The server uses a key that this workstation neither has nor was given. The administrator has to rotate it again. */
export class WrongKey extends Error {}
/** The key was rotated while the connection was open. The next connection takes it. */
export class KeyRotated extends Error {}
/** The error code of the office's functions for a workstation that hasn't taken the current key. */
export const KEY_ROTATED = 'KEY01'
const NO_SUCH_FUNCTION = '42883'

interface CurrentKey {
  number: number
  id: Buffer | null
  sealed: Buffer | null
}

/**
 * Asks which key is current, and for this workstation's copy of it; undefined if the schema has no key rotation yet.
 */
async function fetchCurrentKey(
  client: Queryable,
  { user, password }: Credentials,
  key: Buffer
): Promise<CurrentKey | undefined> {
  const publicKey = publicKeyOf(password)
  try {
    const { rows } = await client.query<CurrentKey>('SELECT * FROM office.office_key($1, $2)', [
      publicKey,
      voucherFor(key, user, publicKey)
    ])
    return rows[0]
  } catch (error) {
    if (codeOf(error) === NO_SUCH_FUNCTION) return undefined
    throw error
  }
}
const isNewest = (key: Buffer, id: Buffer | null) => id === null || keyId(newestOf(key)).equals(id)

/**
 * Returns the office's current key. A new one is stored before the server is told that this workstation has it.
 * @param key the key known so far.
 * @throws WrongKey
 */
export async function takeCurrentKey(
  client: Queryable,
  self: Credentials,
  key: Buffer,
  storeKey: (key: Buffer) => Promise<void>
): Promise<Buffer> {
  const office = await fetchCurrentKey(client, self, key)
  if (!office) return key
  const { number, id, sealed } = office
  const current = isNewest(key, id) ? key : sealed && openRotatedKey(self, key, sealed)
  if (!current || !isNewest(current, id)) throw new WrongKey()
  if (current !== key) {
    await storeKey(current)
    // Registers the public key again, now vouched for with the new key, for the next rotation.
    await fetchCurrentKey(client, self, current)
  }
  await client.query('SELECT office.confirm_key($1)', [number])
  return current
}

/** Checks that the key is still current. @throws KeyRotated if it was rotated. */
export async function assertKeyCurrent(client: Queryable, self: Credentials, key: Buffer): Promise<void> {
  const office = await fetchCurrentKey(client, self, key)
  if (office && !isNewest(key, office.id)) throw new KeyRotated()
}

/**
 * Opens a rotated key. It must contain every key that this workstation has, which proves its origin, and start with the
 * same one, which makes the tags.
 */
function openRotatedKey(self: Credentials, key: Buffer, sealed: Buffer): Buffer | undefined {
  try {
    const rotated = openSealed(self, sealed)
    const has = keysIn(rotated)
    const isComplete = keysIn(key).every((one, index) =>
      has.some((its, at) => its.equals(one) && (index > 0 || at === 0))
    )
    return isComplete ? rotated : undefined
  } catch {
    return undefined
  }
}
