/**
 * The signature of an exported trail, in a separate file: a statement with the export's length, its SHA-256 and that of
 * each block, and what it contains, signed with an Ed25519 key that never leaves the keychain. With the key's
 * fingerprint, anyone can verify an export without this computer; docs/administration.md explains how.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify
} from 'node:crypto'
import { z } from 'zod'
import type { AuditFileCheck, AuditKey } from '../../../shared/contract/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { inTurn } from '../lib/slices.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import type { NoteInAudit } from './audit.ts'

const FORMAT = 'countersign-audit-trail'
/** Block size in bytes: changes are located to one block. */
const BLOCK = 1024
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The signed data: this as JSON text, byte for byte as in the file. */
const Statement = z
  .object({
    format: z.literal(FORMAT),
    /** The export's original file name; it may have been renamed since. */
    file: z.string().max(1000),
    bytes: z.int().min(0),
    sha256: Sha256,
    blockBytes: z.int().min(64).max(1_048_576),
    /** Concatenated SHA-256 of each block. */
    blocks: z.string().regex(/^[0-9a-f]*$/),
    entries: z.int().min(0),
    /** The newest entry; 0 and 64 zeros if there are none. */
    last: z.object({ seq: z.int().min(0), hash: Sha256 }),
    exportedAt: z.string().max(40)
  })
  // Otherwise, a short file could make us compute the digests of a huge one.
  .refine(({ bytes, blockBytes, blocks }) => blocks.length === Math.ceil(bytes / blockBytes) * 64)
type Statement = z.infer<typeof Statement>

const Signature = z.object({
  statement: z.string(),
  /** PEM (SPKI). */
  publicKey: z.string().max(1000),
  /** Base64 signature of the statement's UTF-8 bytes. */
  signature: z.string().max(200)
})

export type SignedStatement = z.infer<typeof Signature>

const HOW_TO_VERIFY =
  '`signature` is the Ed25519 signature, in Base64, of the UTF-8 bytes of the text `statement`, by the key `publicKey`, whose ' +
  'fingerprint Countersign shows under Audit trail. The statement has the SHA-256 of the file beside this one, and that of each ' +
  'of its blocks of `blockBytes` bytes.'

export interface AuditSignerDeps {
  /** `auditKey` of a keychain that lasts as long as the trail. */
  slot: SecretSlot
  note: NoteInAudit
}

export class AuditSigner {
  readonly #deps: AuditSignerDeps

  constructor(deps: AuditSignerDeps) {
    this.#deps = deps
  }

  /** Returns the public key, creating the key pair on first use. @throws KeychainError */
  async key(): Promise<AuditKey & { pem: string }> {
    return describeKey(createPublicKey(await this.#privateKey()))
  }

  /** Signs an export. @returns the content of the signature file. @throws KeychainError */
  async sign(facts: Omit<Statement, 'format'>): Promise<Uint8Array> {
    const signed = await this.signStatement(JSON.stringify({ format: FORMAT, ...facts } satisfies Statement))
    return Buffer.from(`${JSON.stringify({ howToVerify: HOW_TO_VERIFY, ...signed }, null, 1)}\n`, 'utf8')
  }

  /** Signs a statement. @param statement its `format` must be unique to its kind. @throws KeychainError */
  async signStatement(statement: string): Promise<SignedStatement> {
    const key = await this.#privateKey()
    const signature = sign(null, Buffer.from(statement, 'utf8'), key).toString('base64')
    return { statement, publicKey: describeKey(createPublicKey(key)).pem, signature }
  }

  /**
   * Returns the private key. An unreadable one is replaced, and the trail records it: earlier exports then have a
   * different key.
   */
  #privateKey(): Promise<KeyObject> {
    return inTurn(this, async () => {
      const { slot, note } = this.#deps
      const text = await slot.get()
      const kept = text === null ? undefined : privateKeyOf(text)
      if (kept) return kept
      const made = generateKeyPairSync('ed25519').privateKey
      await slot.set(made.export({ format: 'der', type: 'pkcs8' }).toString('base64'))
      const { fingerprint } = describeKey(createPublicKey(made))
      note({
        what: 'signing-key-made',
        detail: { key: fingerprint, ...(text !== null && { how: 'in place of another' }) }
      })
      return made
    })
  }
}

/** Computes an export's digests while it is written or read. */
export class Digest {
  readonly #total = createHash('sha256')
  #blocks = ''
  #block = createHash('sha256')
  #inBlock = 0
  #bytes = 0
  readonly #blockBytes: number

  constructor(blockBytes = BLOCK) {
    this.#blockBytes = blockBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Passes the content through while digesting it. */
  async *through(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of content) {
      this.add(bytes)
      yield bytes
    }
  }

  end(): Pick<Statement, 'bytes' | 'sha256' | 'blockBytes' | 'blocks'> {
    if (this.#inBlock > 0) this.#endBlock()
    return {
      bytes: this.#bytes,
      sha256: this.#total.digest('hex'),
      blockBytes: this.#blockBytes,
      blocks: this.#blocks
    }
  }

  add(bytes: Uint8Array): void {
    this.#total.update(bytes)
    this.#bytes += bytes.length
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.#blockBytes - this.#inBlock)
      this.#block.update(piece)
      this.#inBlock += piece.length
      at += piece.length
      if (this.#inBlock === this.#blockBytes) this.#endBlock()
    }
  }

  #endBlock(): void {
    this.#blocks += this.#block.digest('hex')
    this.#block = createHash('sha256')
    this.#inBlock = 0
  }
}

export type Verdict = Pick<AuditFileCheck, 'verdict' | 'entries' | 'exportedAt' | 'bytes'> & {
  key?: AuditKey
  last?: Statement['last']
}

/**
 * Verifies an export against its signature file.
 * @param text of the signature; untrusted.
 * @param content of the export: read only if the signature is valid, and no further than the signed length.
 */
export async function verifyExport(text: string, content: () => AsyncIterable<Uint8Array>): Promise<Verdict> {
  const read = verifySigned(text)
  const statement = read && Statement.safeParse(parsedJson(read.statement)).data
  if (!statement) return { verdict: 'signature' }
  const digest = new Digest(statement.blockBytes)
  for await (const _ of digest.through(content())) if (digest.bytes > statement.bytes) break
  const found = digest.end()
  const { entries, exportedAt, last } = statement
  const signed = { entries, exportedAt, last, key: { fingerprint: read.fingerprint } }
  if (found.bytes === statement.bytes && found.sha256 === statement.sha256) return { verdict: 'genuine', ...signed }
  return { verdict: 'changed', ...signed, bytes: firstDifference(statement, found) }
}

/** Returns the signed statement and its key if the signature is valid. @param text `SignedStatement` as JSON; untrusted. */
export function verifySigned(text: string): (SignedStatement & { fingerprint: string }) | undefined {
  const read = Signature.safeParse(parsedJson(text)).data
  const key = read && publicKeyOf(read.publicKey)
  if (!key || !verify(null, Buffer.from(read.statement, 'utf8'), key, Buffer.from(read.signature, 'base64')))
    return undefined
  const { fingerprint, pem } = describeKey(key)
  // Re-encoded canonically: several spellings of the same signature could hide a change.
  const signature = Buffer.from(read.signature, 'base64').toString('base64')
  return { statement: read.statement, publicKey: pem, signature, fingerprint }
}

export type Digested = ReturnType<Digest['end']>

/** Returns the range of the first differing block; the end, if one file is longer. */
export function firstDifference(signed: Digested, found: Digested): { from: number; to: number } {
  let at = 0
  while (at < found.blocks.length && found.blocks.startsWith(signed.blocks.slice(at, at + 64) || '-', at)) at += 64
  const from = (at / 64) * signed.blockBytes
  return { from, to: Math.max(Math.min(from + signed.blockBytes, found.bytes) - 1, from) }
}

/**
 * Returns the entries at these bytes of a JSON or CSV export, if recognisable. @param text of the file up to the last
 * byte.
 */
export function entriesIn(text: string, from: number): { from: number; to: number } | undefined {
  const numbers = [...text.matchAll(/^\{"seq":(\d{1,15}),|^"?(\d{1,15})"?,"?\d{4}-\d\d-\d\dT/gm)].map((found) => ({
    at: found.index,
    seq: Number(found[1] ?? found[2])
  }))
  const first = numbers.findLast(({ at }) => at <= from) ?? numbers[0]
  const last = numbers.at(-1)
  return first && last && { from: first.seq, to: last.seq }
}

function describeKey(key: KeyObject): AuditKey & { pem: string } {
  const der = key.export({ format: 'der', type: 'spki' })
  const digest = createHash('sha256').update(der).digest('hex').toUpperCase()
  return {
    fingerprint: (digest.match(/.{4}/g) ?? []).join(' '),
    pem: key.export({ format: 'pem', type: 'spki' }).toString()
  }
}

function privateKeyOf(text: string): KeyObject | undefined {
  return readEd25519(() => createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' }))
}

function publicKeyOf(pem: string): KeyObject | undefined {
  return readEd25519(() => createPublicKey({ key: pem, format: 'pem', type: 'spki' }))
}

function readEd25519(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read()
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}
