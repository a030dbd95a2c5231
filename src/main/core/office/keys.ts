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
import type { Asking } from './at-once.ts'
import { derived, keyId, keysIn, newestOf, seal, tagBy, unseal } from './sealing.ts'

/** The prefixes of a 32-byte X25519 key in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b656e032100', 'hex')
const LENGTH = 32

const privateKeyOf = (password: string) =>
  createPrivateKey({
    key: Buffer.concat([PRIVATE, derived(Buffer.from(password), 'own key', LENGTH)]),
    format: 'der',
    type: 'pkcs8'
  })
const publicKeyFrom = (bytes: Buffer) =>
  createPublicKey({ key: Buffer.concat([PUBLIC, bytes]), format: 'der', type: 'spki' })
const bytesOf = (key: KeyObject) =>
  (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC.length)

/**
 * Returns the public key to which new keys are sealed for a workstation.
 * @param password the one it signs in with, which the server doesn't have.
 */
export const publicKeyOf = (password: string): Buffer => bytesOf(privateKeyOf(password))

/** Authenticates a workstation's public key: without the office's key it can't be replaced by another. */
export const vouchedFor = (key: Uint8Array, role: string, publicKey: Buffer): Buffer =>
  tagBy(newestOf(key), `own key:${role}:${publicKey.toString('hex')}`)

/**
 * Verifies a workstation's public key.
 * @param key all keys that the office has had, because it may have been rotated since.
 */
export function isVouchedFor(key: Uint8Array, role: string, publicKey: Buffer, vouched: Buffer): boolean {
  return keysIn(key).some((one) => timingSafeEqual(vouchedFor(one, role, publicKey), vouched))
}

const turnedFor = (role: string) => `turned key:${role}`
const sharedKey = (secret: Buffer, once: Buffer, publicKey: Buffer) =>
  derived(Buffer.concat([secret, once, publicKey]), 'turned key', LENGTH)

/** Seals the office's key to a workstation's public key. */
export function sealFor(role: string, publicKey: Buffer, key: Buffer): Buffer {
  const once = generateKeyPairSync('x25519')
  const onceBytes = bytesOf(once.publicKey)
  const secret = diffieHellman({ privateKey: once.privateKey, publicKey: publicKeyFrom(publicKey) })
  return Buffer.concat([onceBytes, seal(sharedKey(secret, onceBytes, publicKey), turnedFor(role), key)])
}

/** @throws Error if it isn't sealed to this workstation. */
function openSealed({ user, password }: Self, sealed: Buffer): Buffer {
  const once = sealed.subarray(0, LENGTH)
  const secret = diffieHellman({ privateKey: privateKeyOf(password), publicKey: publicKeyFrom(once) })
  return unseal(sharedKey(secret, once, publicKeyOf(password)), turnedFor(user), sealed.subarray(LENGTH))
}

/** A workstation's credentials. */
interface Self {
  readonly user: string
  readonly password: string
}

/** The server uses a key that this workstation neither has nor was given. The administrator has to rotate it again. */
export class WrongKey extends Error {}
/** The key was rotated while the connection was open. The next connection takes it. */
export class KeyTurned extends Error {}
/** The error code of the office's functions for a workstation that hasn't taken the current key. */
export const KEY_TURNED = 'KEY01'
const NO_SUCH_FUNCTION = '42883'

interface Counting {
  number: number
  id: Buffer | null
  sealed: Buffer | null
}

/**
 * Asks which key is current, and for this workstation's copy of it; undefined if the schema has no key rotation yet.
 */
async function asked(client: Asking, { user, password }: Self, key: Buffer): Promise<Counting | undefined> {
  const publicKey = publicKeyOf(password)
  try {
    const { rows } = await client.query<Counting>('SELECT * FROM office.office_key($1, $2)', [
      publicKey,
      vouchedFor(key, user, publicKey)
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
export async function keyNow(
  client: Asking,
  self: Self,
  key: Buffer,
  keep: (key: Buffer) => Promise<void>
): Promise<Buffer> {
  const office = await asked(client, self, key)
  if (!office) return key
  const { number, id, sealed } = office
  const now = isNewest(key, id) ? key : sealed && turned(self, key, sealed)
  if (!now || !isNewest(now, id)) throw new WrongKey()
  if (now !== key) {
    await keep(now)
    // Registers the public key again, now vouched for with the new key, for the next rotation.
    await asked(client, self, now)
  }
  await client.query('SELECT office.took_key($1)', [number])
  return now
}

/**
 * Checks that the key is still current.
 * @throws KeyTurned if it was rotated.
 */
export async function holdKey(client: Asking, self: Self, key: Buffer): Promise<void> {
  const office = await asked(client, self, key)
  if (office && !isNewest(key, office.id)) throw new KeyTurned()
}

/**
 * Opens a rotated key. It must contain every key that this workstation has, which proves its origin, and start with the
 * same one, which makes the tags.
 */
function turned(self: Self, key: Buffer, sealed: Buffer): Buffer | undefined {
  try {
    const now = openSealed(self, sealed)
    const has = keysIn(now)
    const isWhole = keysIn(key).every((one, index) => has.some((its, at) => its.equals(one) && (index > 0 || at === 0)))
    return isWhole ? now : undefined
  } catch {
    return undefined
  }
}
