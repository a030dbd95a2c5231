/**
 * Encryption of what the server stores but can't read. A sealed body opens only with the office's key and under the
 * identity that it was sealed with: one that was altered, or moved to another row, doesn't open. Keys are rotated
 * (decision 63), so "the office's key" here means all keys it has had, oldest first, 32 bytes each. The newest one
 * seals; each body names the key that opens it.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const KEY_ID_LENGTH = 4
const NONCE_LENGTH = 12
const TAG_LENGTH = 16
/** The maximum size of an opened body, in bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** The length of one key, in bytes. */
export const KEY_LENGTH = 32

/** Splits the office's key into the single keys. @throws Error if the length is wrong. */
export function keysIn(key: Uint8Array): Buffer[] {
  const bytes = Buffer.from(key)
  if (bytes.length === 0 || bytes.length % KEY_LENGTH !== 0) throw new Error('This is no office’s key.')
  return Array.from({ length: bytes.length / KEY_LENGTH }, (_, index) =>
    bytes.subarray(index * KEY_LENGTH, (index + 1) * KEY_LENGTH)
  )
}

export const newestOf = (key: Uint8Array) => Buffer.from(key).subarray(-KEY_LENGTH)

/** One of the office's keys, with its id. */
interface IdentifiedKey {
  readonly bytes: Buffer
  readonly id: Buffer
}

const keyCache = new WeakMap<Uint8Array, readonly IdentifiedKey[]>()

/** Cached, because a joining workstation opens a hundred thousand bodies with the same keys. */
function identifiedKeysOf(key: Uint8Array): readonly IdentifiedKey[] {
  const known = keyCache.get(key) ?? keysIn(key).map((one) => ({ bytes: one, id: keyId(one) }))
  keyCache.set(key, known)
  return known
}

/**
 * Makes a tag for something that the server must not read, the same at every workstation. It always uses the first key,
 * so that tags made before a rotation are still found.
 */
export function tagBy(key: Uint8Array, about: string): Buffer {
  return createHmac('sha256', Buffer.from(key).subarray(0, KEY_LENGTH)).update(about).digest()
}

/** Returns the first bytes of a tag as a UUID, as PostgreSQL writes it. */
export const uuidOf = (tag: Buffer) =>
  tag.toString('hex', 0, 16).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')

/** Returns the identity of a shared item, such as a draft or a preset. `accountId`: the office's id of its account. */
export const itemIdentityOf = (kind: string, accountId: string, id: string) => `${kind}:${accountId}:${id}`

/**
 * Compresses the content and encrypts it with AES-256-GCM.
 * @param key the office's key; the newest one is used.
 * @param identity of the row: its kind, its account, if it belongs to one, and its id.
 * @returns key id, nonce, authentication tag and ciphertext.
 */
export function seal(key: Uint8Array, identity: string, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE_LENGTH)
  const newest = identifiedKeysOf(key).at(-1)
  if (!newest) throw new Error('This is no office’s key.')
  const cipher = createCipheriv('aes-256-gcm', newest.bytes, nonce).setAAD(Buffer.from(identity))
  const body = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()])
  return Buffer.concat([newest.id, nonce, cipher.getAuthTag(), body])
}

/** Opens a sealed body. @throws Error if it was sealed with another key, under another identity, or was altered. */
export function unseal(key: Uint8Array, identity: string, sealed: Buffer): Buffer {
  const [nonceAt, tagAt, bodyAt] = [
    KEY_ID_LENGTH,
    KEY_ID_LENGTH + NONCE_LENGTH,
    KEY_ID_LENGTH + NONCE_LENGTH + TAG_LENGTH
  ]
  const its =
    sealed.length < bodyAt
      ? undefined
      : identifiedKeysOf(key).findLast(({ id }) => id.equals(sealed.subarray(0, nonceAt)))
  if (!its) throw new Error('This was sealed with another key.')
  const cipher = createDecipheriv('aes-256-gcm', its.bytes, sealed.subarray(nonceAt, tagAt), {
    authTagLength: TAG_LENGTH
  })
  cipher.setAAD(Buffer.from(identity)).setAuthTag(sealed.subarray(tagAt, bodyAt))
  return inflateRawSync(Buffer.concat([cipher.update(sealed.subarray(bodyAt)), cipher.final()]), {
    maxOutputLength: MAX_BODY_BYTES
  })
}

/** Opens a sealed body. Returns undefined if it was altered on the server, or swapped with another's. */
export function unsealIfIntact(key: Uint8Array, identity: string, sealed: Buffer): Buffer | undefined {
  try {
    return unseal(key, identity, sealed)
  } catch {
    return undefined
  }
}

/** Returns the key's id, which reveals nothing about the key. */
export function keyId(key: Buffer): Buffer {
  return deriveBytes(key, 'key id', KEY_ID_LENGTH)
}

/** Derives a value from a secret, which can't be recovered from it. @param bytes the length of the result. */
export function deriveBytes(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `countersign office ${purpose}`, bytes))
}
