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
/** Version of the format; later ones are refused with a message. */
const VERSION = 1
const MOST_HEADER = 4096
const HASH = 32
const CHECK = 16
const CHUNK = 65_536
const TAG = 16
/** scrypt's N: 128 MB and about half a second per guess. */
const FULL_COST = 2 ** 17
/** Files with a lower cost aren't ours: their passphrases would be easy to guess. */
const LEAST_COST = 2 ** 10
/** Maximum memory that a file may demand, in bytes: twice what we use. */
const MOST_MEMORY = 300 * 1024 * 1024

const Header = z.object({
  version: z.literal(VERSION),
  kdf: z.literal('scrypt'),
  N: z
    .int()
    .min(LEAST_COST)
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

/** How a file is encrypted. */
export interface Sealing extends SealedFacts {
  /**
   * scrypt's N, a power of two: the cost of guessing the passphrase. Lower than full only if nothing is kept, as in
   * tests.
   */
  cost?: number | undefined
}

/** Encrypts content. */
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
  const { key, check } = await keysOf(passphrase, header)
  const bound = Buffer.concat([hashOf(start), check])
  yield Buffer.concat([start, bound])
  let index = 0
  for await (const { chunk, isLast } of chunksOf(content)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(index++, isLast)).setAAD(bound)
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
    if (length > MOST_HEADER) refuseDamaged()
    const text = await readAt(file, start.byteLength, length)
    const bound = await readAt(file, start.byteLength + length, HASH + CHECK)
    if (bound.byteLength < HASH + CHECK) refuseTruncated()
    if (!hashOf(Buffer.concat([start, text])).equals(bound.subarray(0, HASH))) refuseDamaged()
    const header = headerOf(text.toString())
    const from = start.byteLength + length + bound.byteLength
    const chunks = Math.ceil((status.size - from) / (CHUNK + TAG))
    if (chunks < 1) refuseTruncated()
    return {
      facts: { madeAt: header.madeAt, madeBy: header.madeBy },
      bytes: status.size - from - chunks * TAG,
      content: (passphrase) => decrypt(file, { header, bound, from, chunks }, passphrase),
      close: () => file.close()
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

interface Layout {
  header: z.infer<typeof Header>
  bound: Buffer
  from: number
  chunks: number
}

async function* decrypt(
  file: FileHandle,
  { header, bound, from, chunks }: Layout,
  passphrase: string
): AsyncGenerator<Buffer> {
  const { key, check } = await keysOf(passphrase, header)
  if (!timingSafeEqual(check, bound.subarray(HASH))) {
    fail('bad-file', 'This isn’t the passphrase of this backup.', {
      next: 'Check capital letters and spaces.',
      fields: [{ field: 'passphrase', message: 'This isn’t the passphrase of this backup.' }]
    })
  }
  for (let index = 0; index < chunks; index++) {
    const isLast = index === chunks - 1
    const chunk = await readAt(file, from + index * (CHUNK + TAG), CHUNK + TAG)
    const content = decryptChunk(chunk, key, bound, index, isLast)
    if (content) yield content
    // Intact, but not the last chunk written: the rest is missing.
    else if (isLast && decryptChunk(chunk, key, bound, index, false)) refuseTruncated()
    else refuseDamaged()
  }
}

/** Undefined if the chunk was changed, or belongs elsewhere. */
function decryptChunk(chunk: Buffer, key: Buffer, bound: Buffer, index: number, isLast: boolean): Buffer | undefined {
  if (chunk.byteLength < TAG) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(index, isLast)).setAAD(bound)
    decipher.setAuthTag(chunk.subarray(chunk.byteLength - TAG))
    return Buffer.concat([decipher.update(chunk.subarray(0, chunk.byteLength - TAG)), decipher.final()])
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

function keysOf(passphrase: string, { N, r, p, salt }: Pick<z.infer<typeof Header>, 'N' | 'r' | 'p' | 'salt'>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ key: Buffer; check: Buffer }>()
  // Depending on the keyboard, an accent may be a separate character.
  const typed = Buffer.from(passphrase.normalize('NFKC'))
  scrypt(typed, Buffer.from(salt, 'hex'), 64, { N, r, p, maxmem: MOST_MEMORY }, (error, derived) => {
    typed.fill(0)
    if (error) return reject(error)
    const check = createHmac('sha256', derived.subarray(32)).update('Countersign backup').digest().subarray(0, CHECK)
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
    while (buffered.byteLength > CHUNK) {
      yield { chunk: buffered.subarray(0, CHUNK), isLast: false }
      buffered = buffered.subarray(CHUNK)
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

/** Fails because a backup's end is missing. */
export function refuseTruncated(): never {
  fail('bad-file', 'Part of this backup is missing: it wasn’t copied completely.', {
    next: 'Nothing was changed here. Copy it again, or use an earlier backup.'
  })
}
