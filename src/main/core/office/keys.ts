/**
 * How a workstation is given the office's key when it turns (decision 63): sealed to a key of its own, which it makes of its password. So its
 * keychain keeps nothing more, the server and those who were revoked can't open it, and nobody types anything.
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

/** What stands before 32 bytes of a key for X25519 in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410). */
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

/** What a workstation is given a turned key by. @param password that it signs in with; the server doesn't have it. */
export const publicKeyOf = (password: string): Buffer => bytesOf(privateKeyOf(password))

/** That this is that workstation's: nobody who lacks the office's key can put another's in its place. */
export const vouchedFor = (key: Uint8Array, role: string, publicKey: Buffer): Buffer =>
  tagBy(newestOf(key), `own key:${role}:${publicKey.toString('hex')}`)

/** @param key the office's, all that it has had: it may have turned since. */
export function isVouchedFor(key: Uint8Array, role: string, publicKey: Buffer, vouched: Buffer): boolean {
  return keysIn(key).some((one) => timingSafeEqual(vouchedFor(one, role, publicKey), vouched))
}

const turnedFor = (role: string) => `turned key:${role}`
const sharedKey = (secret: Buffer, once: Buffer, publicKey: Buffer) =>
  derived(Buffer.concat([secret, once, publicKey]), 'turned key', LENGTH)

/** Seals the office's key to a workstation, of which this is the public key. */
export function sealFor(role: string, publicKey: Buffer, key: Buffer): Buffer {
  const once = generateKeyPairSync('x25519')
  const onceBytes = bytesOf(once.publicKey)
  const secret = diffieHellman({ privateKey: once.privateKey, publicKey: publicKeyFrom(publicKey) })
  return Buffer.concat([onceBytes, seal(sharedKey(secret, onceBytes, publicKey), turnedFor(role), key)])
}

/** @throws Error if it isn't sealed to that workstation. */
function openSealed({ user, password }: Self, sealed: Buffer): Buffer {
  const once = sealed.subarray(0, LENGTH)
  const secret = diffieHellman({ privateKey: privateKeyOf(password), publicKey: publicKeyFrom(once) })
  return unseal(sharedKey(secret, once, publicKeyOf(password)), turnedFor(user), sealed.subarray(LENGTH))
}

/** As what a workstation signs in, and with what. */
interface Self {
  readonly user: string
  readonly password: string
}

/** The server's key is none that this workstation has, nor is given: its administrator turns it again. */
export class WrongKey extends Error {}
/** It turned while the line was open: it is taken by another. */
export class KeyTurned extends Error {}
/** How the office's functions answer a workstation that hasn't taken the key that counts. */
export const KEY_TURNED = 'KEY01'
const NO_SUCH_FUNCTION = '42883'

interface Counting {
  number: number
  id: Buffer | null
  sealed: Buffer | null
}

/** Which key counts, and how this workstation is given it; undefined where the database is from before keys turned. */
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
 * The office's key as it counts on the server. What is new is kept before the server hears that this workstation has it.
 * @param key as it was known.
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
    // From here on the next one is given by who has this one.
    await asked(client, self, now)
  }
  await client.query('SELECT office.took_key($1)', [number])
  return now
}

/** @throws KeyTurned where another counts by now. */
export async function holdKey(client: Asking, self: Self, key: Buffer): Promise<void> {
  const office = await asked(client, self, key)
  if (office && !isNewest(key, office.id)) throw new KeyTurned()
}

/** Only who has every key that this workstation has can have made it; and what the first one found is found further on. */
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
