/**
 * A file encrypted with a passphrase, written and read in constant memory. The key is derived by scrypt; the content is
 * encrypted in chunks with AES-256-GCM, each bound to the header, its position, and whether it is the last: no chunk
 * can be changed, dropped, moved, or taken from another file unnoticed.
 *
 * Layout, in bytes:
 * - magic (8)
 * - length of the header (4)
 * - header (JSON)
 * - SHA-256 of all that (32)
 * - check of the key (16)
 * - chunks (65,536 + 16 each)
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual
} from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { openChosen } from '../storage/chosen-file.ts'
import { withFileErrors } from '../storage/file-error.ts'

/** Magic number of backups. Other sealed files have their own, so that they can't be mixed up. */
const MAGIC = Buffer.from('CSGNBKUP')
/** Version of the format; later ones are refused with a message. The sizes below are in bytes. */
const VERSION = 1
const MAX_HEADER_BYTES = 4096
const HASH_BYTES = 32
const CHECK_BYTES = 16
const CHUNK_BYTES = 65_536
const TAG_BYTES = 16
/** scrypt's N: 128 MB and about half a second per guess. */
const FULL_COST = 2 ** 17
/** Files with a lower cost aren't ours: their passphrases would be easy to guess. */
const MIN_COST = 2 ** 10
/** Maximum memory that a file may demand, in bytes: twice what we use. */
const MAX_MEMORY_BYTES = 300 * 1024 * 1024

const Header = z.object({
  version: z.literal(VERSION),
  kdf: z.literal('scrypt'),
  N: z
    .int()
    .min(MIN_COST)
    .max(2 * FULL_COST)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.literal(8),
  p: z.int().min(1).max(4),
  salt: z.string().regex(/^[0-9a-f]{64}$/),
  /** Milliseconds since 1970 UTC. */
  madeAt: z.number(),
  madeBy: z.string().max(200)
})

/** What is readable without the passphrase; trusted only once that has opened the file. */
export type SealedFacts = Pick<z.infer<typeof Header>, 'madeAt' | 'madeBy'>

export interface Sealing extends SealedFacts {
  /**
   * scrypt's N, a power of two: the cost of guessing the passphrase. Lower than full only if nothing is kept, as in
   * tests.
   */
  cost?: number | undefined
}

export async function* seal(
  content: AsyncIterable<Uint8Array>,
  passphrase: string,
  { madeAt, madeBy, cost = FULL_COST }: Sealing,
  magic = MAGIC
): AsyncGenerator<Buffer> {
  const salt = randomBytes(32)
  const scryptParameters = { N: cost, r: 8, p: 1, salt: salt.toString('hex') } as const
  const header: z.infer<typeof Header> = { version: VERSION, kdf: 'scrypt', ...scryptParameters, madeAt, madeBy }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(text.byteLength)
  const start = Buffer.concat([magic, length, text])
  const { key, check } = await deriveKeys(passphrase, header)
  const aad = Buffer.concat([hashOf(start), check])
  yield Buffer.concat([start, aad])
  let index = 0
  for await (const { chunk, isLast } of chunksOf(content)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index++, isLast)).setAAD(aad)
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
}

export interface SealedFile {
  facts: SealedFacts
  /** Size of the content in bytes, as derived from the file's length. */
  bytes: number
  /**
   * Decrypts the content. Throws AppFailure `bad-file` if something was changed; chunks yielded before that are
   * authentic.
   */
  content: (passphrase: string) => AsyncGenerator<Buffer>
  close: () => Promise<void>
}

/**
 * Opens a file and reads its header.
 * @throws AppFailure `bad-file` if it isn't a backup, is from a newer version, or its beginning is damaged; FileError.
 */
export async function openSealed(path: string, magic = MAGIC): Promise<SealedFile> {
  const file = await withFileErrors(() => openChosen(path))
  try {
    const status = await withFileErrors(() => file.stat())
    const start = await readAt(file, 0, MAGIC.byteLength + 4)
    if (start.byteLength < MAGIC.byteLength + 4 || !start.subarray(0, MAGIC.byteLength).equals(magic)) refuseForeign()
    const length = start.readUInt32BE(MAGIC.byteLength)
    if (length > MAX_HEADER_BYTES) refuseDamaged()
    const text = await readAt(file, start.byteLength, length)
    const aad = await readAt(file, start.byteLength + length, HASH_BYTES + CHECK_BYTES)
    if (aad.byteLength < HASH_BYTES + CHECK_BYTES) refuseTruncated()
    if (!hashOf(Buffer.concat([start, text])).equals(aad.subarray(0, HASH_BYTES))) refuseDamaged()
    const header = headerOf(text.toString())
    const from = start.byteLength + length + aad.byteLength
    const chunks = Math.ceil((status.size - from) / (CHUNK_BYTES + TAG_BYTES))
    if (chunks < 1) refuseTruncated()
    return {
      facts: { madeAt: header.madeAt, madeBy: header.madeBy },
      bytes: status.size - from - chunks * TAG_BYTES,
      content: (passphrase) => decrypt(file, { header, aad, from, chunks }, passphrase),
      close: () => file.close()
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Layout {
  header: z.infer<typeof Header>
  aad: Buffer
  from: number
  chunks: number
}

async function* decrypt(
  file: FileHandle,
  { header, aad, from, chunks }: Layout,
  passphrase: string
): AsyncGenerator<Buffer> {
  const { key, check } = await deriveKeys(passphrase, header)
  if (!timingSafeEqual(check, aad.subarray(HASH_BYTES))) {
    fail('bad-file', 'This isn’t the passphrase for this backup.', {
      next: 'Check capital letters and spaces.',
      fields: [{ field: 'passphrase', message: 'This isn’t the passphrase for this backup.' }]
    })
  }
  for (let index = 0; index < chunks; index++) {
    const isLast = index === chunks - 1
    const chunk = await readAt(file, from + index * (CHUNK_BYTES + TAG_BYTES), CHUNK_BYTES + TAG_BYTES)
    const content = decryptChunk(chunk, key, aad, index, isLast)
    if (content) yield content
    // Intact, but not the last chunk written: the rest is missing.
    else if (isLast && decryptChunk(chunk, key, aad, index, false)) refuseTruncated()
    else refuseDamaged()
  }
}

/** Undefined if the chunk was changed, or belongs elsewhere. */
function decryptChunk(chunk: Buffer, key: Buffer, aad: Buffer, index: number, isLast: boolean): Buffer | undefined {
  if (chunk.byteLength < TAG_BYTES) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast)).setAAD(aad)
    decipher.setAuthTag(chunk.subarray(chunk.byteLength - TAG_BYTES))
    return Buffer.concat([decipher.update(chunk.subarray(0, chunk.byteLength - TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function headerOf(text: string): z.infer<typeof Header> {
  const found = parsedJson(text)
  const { version } = z.object({ version: z.int() }).safeParse(found).data ?? {}
  if (version !== undefined && version > VERSION) {
    fail('bad-file', 'This backup was made by a newer version of Countersign.', {
      next: 'Update Countersign, then restore it.'
    })
  }
  return Header.safeParse(found).data ?? refuseDamaged()
}

function deriveKeys(passphrase: string, { N, r, p, salt }: Pick<z.infer<typeof Header>, 'N' | 'r' | 'p' | 'salt'>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ key: Buffer; check: Buffer }>()
  // Depending on the keyboard, an accent may be a separate character.
  const typed = Buffer.from(passphrase.normalize('NFKC'))
  scrypt(typed, Buffer.from(salt, 'hex'), 64, { N, r, p, maxmem: MAX_MEMORY_BYTES }, (error, derived) => {
    typed.fill(0)
    if (error) return reject(error)
    const check = createHmac('sha256', derived.subarray(32))
      .update('Countersign backup')
      .digest()
      .subarray(0, CHECK_BYTES)
    resolve({ key: derived.subarray(0, 32), check })
  })
  return promise
}

/** Unique per chunk of a file, and each file has its own key. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

async function* chunksOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let buffered = Buffer.alloc(0)
  for await (const bytes of content) {
    buffered = buffered.byteLength === 0 ? Buffer.from(bytes) : Buffer.concat([buffered, bytes])
    // Only once nothing follows is a chunk known to be the last.
    while (buffered.byteLength > CHUNK_BYTES) {
      yield { chunk: buffered.subarray(0, CHUNK_BYTES), isLast: false }
      buffered = buffered.subarray(CHUNK_BYTES)
    }
  }
  yield { chunk: buffered, isLast: true }
}

/** Reads bytes; fewer at the end of the file. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await withFileErrors(() => file.read(buffer, read, length - read, position + read))
    if (bytesRead === 0) break
    read += bytesRead
  }
  return buffer.subarray(0, read)
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}

function refuseForeign(): never {
  fail('bad-file', 'This file isn’t a backup of Countersign.', {
    next: 'Choose a file that ends in .countersign-backup.'
  })
}

/** Fails because a backup isn't as it was written. */
export function refuseDamaged(): never {
  fail('bad-file', 'This backup is damaged.', {
    next: 'Nothing was changed here. Try another copy of it, or an earlier backup.'
  })
}

export function refuseTruncated(): never {
  fail('bad-file', 'Part of this backup is missing: it wasn’t copied completely.', {
    next: 'Nothing was changed here. Copy it again, or use an earlier backup.'
  })
}
