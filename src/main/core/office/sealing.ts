/**
 * Encryption of what the server stores but can't read. A sealed body opens only with the office's key and under the
 * identity that it was sealed with: one that was altered, or moved to another row, doesn't open. Keys are rotated
 * (decision 63), so "the office's key" here means all keys it has had, oldest first, 32 bytes each. The newest one
 * seals; each body names the key that opens it.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const KEY_ID = 4
const NONCE = 12
const TAG = 16
/** The maximum size of an opened body, in bytes. */
const MOST = 64 * 1024 * 1024

/** The length of one key, in bytes. */
export const KEY = 32

/**
 * Splits the office's key into the single keys.
 * @throws Error if the length is wrong.
 */
export function keysIn(key: Uint8Array): Buffer[] {
  const bytes = Buffer.from(key)
  if (bytes.length === 0 || bytes.length % KEY !== 0) throw new Error('This is no office’s key.')
  return Array.from({ length: bytes.length / KEY }, (_, index) => bytes.subarray(index * KEY, (index + 1) * KEY))
}

export const newestOf = (key: Uint8Array) => Buffer.from(key).subarray(-KEY)

/** One of the office's keys, with its id. */
interface Numbered {
  readonly one: Buffer
  readonly id: Buffer
}

const numbered = new WeakMap<Uint8Array, readonly Numbered[]>()

/** Cached, because a joining workstation opens a hundred thousand bodies with the same keys. */
function numberedOf(key: Uint8Array): readonly Numbered[] {
  const known = numbered.get(key) ?? keysIn(key).map((one) => ({ one, id: keyId(one) }))
  numbered.set(key, known)
  return known
}

/**
 * Makes a tag for something that the server must not read, the same at every workstation. It always uses the first key,
 * so that tags made before a rotation are still found.
 */
export function tagBy(key: Uint8Array, about: string): Buffer {
  return createHmac('sha256', Buffer.from(key).subarray(0, KEY)).update(about).digest()
}

/**
 * Compresses the content and encrypts it with AES-256-GCM.
 * @param key the office's key; the newest one is used.
 * @param identity of the row, such as `send:` and its id.
 * @returns key id, nonce, authentication tag and ciphertext.
 */
export function seal(key: Uint8Array, identity: string, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const newest = numberedOf(key).at(-1)
  if (!newest) throw new Error('This is no office’s key.')
  const cipher = createCipheriv('aes-256-gcm', newest.one, nonce).setAAD(Buffer.from(identity))
  const body = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()])
  return Buffer.concat([newest.id, nonce, cipher.getAuthTag(), body])
}

/**
 * Opens a sealed body.
 * @throws Error if it was sealed with another key, under another identity, or was altered.
 */
export function unseal(key: Uint8Array, identity: string, sealed: Buffer): Buffer {
  const [nonceAt, tagAt, bodyAt] = [KEY_ID, KEY_ID + NONCE, KEY_ID + NONCE + TAG]
  const its =
    sealed.length < bodyAt ? undefined : numberedOf(key).findLast(({ id }) => id.equals(sealed.subarray(0, nonceAt)))
  if (!its) throw new Error('This was sealed with another key.')
  const cipher = createDecipheriv('aes-256-gcm', its.one, sealed.subarray(nonceAt, tagAt), { authTagLength: TAG })
  cipher.setAAD(Buffer.from(identity)).setAuthTag(sealed.subarray(tagAt, bodyAt))
  return inflateRawSync(Buffer.concat([cipher.update(sealed.subarray(bodyAt)), cipher.final()]), {
    maxOutputLength: MOST
  })
}

/** Opens a sealed body. Returns undefined if it was altered on the server, or swapped with another's. */
export function unsealIfWhole(key: Uint8Array, identity: string, sealed: Buffer): Buffer | undefined {
  try {
    return unseal(key, identity, sealed)
  } catch {
    return undefined
  }
}

/** Returns the key's id, which reveals nothing about the key. */
export function keyId(key: Buffer): Buffer {
  return derived(key, 'key id', KEY_ID)
}

/**
 * Derives a value from a secret, which can't be recovered from it.
 * @param bytes the length of the result.
 */
export function derived(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `countersign office ${purpose}`, bytes))
}
