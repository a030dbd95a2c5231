/**
 * What the server keeps and can't read. A sealed body opens only with the office's key and only as what it was sealed as: one
 * that was altered, or put in another row, does not open. The key turns (decision 63): what is called the office's key here is all that it has
 * had, the oldest first, of 32 bytes each. The newest seals; each body says which one opens it.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const KEY_ID = 4
const NONCE = 12
const TAG = 16
/** No body opens to more, in bytes. */
const MOST = 64 * 1024 * 1024

/** How long one key is, in bytes. */
export const KEY = 32

/** @throws Error if these are no keys. */
export function keysIn(key: Uint8Array): Buffer[] {
  const bytes = Buffer.from(key)
  if (bytes.length === 0 || bytes.length % KEY !== 0) throw new Error('This is no office’s key.')
  return Array.from({ length: bytes.length / KEY }, (_, index) => bytes.subarray(index * KEY, (index + 1) * KEY))
}

export const newestOf = (key: Uint8Array) => Buffer.from(key).subarray(-KEY)

/** One of the office's keys, and which one it is. */
interface Numbered {
  readonly one: Buffer
  readonly id: Buffer
}

const numbered = new WeakMap<Uint8Array, readonly Numbered[]>()

/** Worked out once: who joins opens a hundred thousand bodies with the same keys. */
function numberedOf(key: Uint8Array): readonly Numbered[] {
  const known = numbered.get(key) ?? keysIn(key).map((one) => ({ one, id: keyId(one) }))
  numbered.set(key, known)
  return known
}

/**
 * Stands for something that the server is not to read, and is the same at every workstation: always by the first key, so that what was kept
 * before the key turned is found after it.
 */
export function tagBy(key: Uint8Array, about: string): Buffer {
  return createHmac('sha256', Buffer.from(key).subarray(0, KEY)).update(about).digest()
}

/**
 * @param key the office's; the newest is taken.
 * @param identity of the row, such as `send:` and its id.
 * @returns key id, nonce, tag, and the content: packed, then enciphered by AES-256-GCM.
 */
export function seal(key: Uint8Array, identity: string, content: Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const newest = numberedOf(key).at(-1)
  if (!newest) throw new Error('This is no office’s key.')
  const cipher = createCipheriv('aes-256-gcm', newest.one, nonce).setAAD(Buffer.from(identity))
  const body = Buffer.concat([cipher.update(deflateRawSync(content)), cipher.final()])
  return Buffer.concat([newest.id, nonce, cipher.getAuthTag(), body])
}

/** @throws Error if it was sealed by another key, as something else, or is not as it was sealed. */
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

/** Undefined if it is not as it was sealed here: altered on the server, or put in another’s place. */
export function unsealIfWhole(key: Uint8Array, identity: string, sealed: Buffer): Buffer | undefined {
  try {
    return unseal(key, identity, sealed)
  } catch {
    return undefined
  }
}

/** Which key it is, which tells nothing of the key. */
export function keyId(key: Buffer): Buffer {
  return derived(key, 'key id', KEY_ID)
}

/** Something of its own made of a secret: nobody who has it has the secret. @param bytes how many. */
export function derived(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `countersign office ${purpose}`, bytes))
}
