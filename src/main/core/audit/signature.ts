/**
 * The signature of an exported trail, a file of its own beside it: a statement that says how long the export is, its SHA-256 and
 * that of each of its blocks, and what it holds, signed with an Ed25519 key that never leaves the keychain. Anyone who noted the
 * key's fingerprint can check an export without this computer; docs/administration.md says how.
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
/** Bytes of a block: what was changed is named to within one. */
const BLOCK = 1024
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** What is signed: the text of this as JSON, byte for byte as it stands in the file. */
const Statement = z
  .object({
    format: z.literal(FORMAT),
    /** What the export was called; it may have another name since. */
    file: z.string().max(1000),
    bytes: z.int().min(0),
    sha256: Sha256,
    blockBytes: z.int().min(64).max(1_048_576),
    /** The SHA-256 of each block, one after the other. */
    blocks: z.string().regex(/^[0-9a-f]*$/),
    entries: z.int().min(0),
    /** The newest entry; 0 and 64 zeros where there is none. */
    last: z.object({ seq: z.int().min(0), hash: Sha256 }),
    exportedAt: z.string().max(40)
  })
  // Without this a short file could have us keep digests of a long one.
  .refine(({ bytes, blockBytes, blocks }) => blocks.length === Math.ceil(bytes / blockBytes) * 64)
type Statement = z.infer<typeof Statement>

const Signature = z.object({
  statement: z.string(),
  /** In PEM (SPKI). */
  publicKey: z.string().max(1000),
  /** In Base64, of the statement's bytes in UTF-8. */
  signature: z.string().max(200)
})

export type Signed = z.infer<typeof Signature>

const HOW_TO_VERIFY =
  '`signature` is the Ed25519 signature, in Base64, of the UTF-8 bytes of the text `statement`, by the key `publicKey`, whose ' +
  'fingerprint Countersign shows under Audit trail. The statement has the SHA-256 of the file beside this one, and that of each ' +
  'of its blocks of `blockBytes` bytes.'

export interface SignerDeps {
  /** `auditKey` of a keychain that keeps things as long as the trail is kept. */
  slot: SecretSlot
  note: NoteInAudit
}

export class Signer {
  readonly #deps: SignerDeps

  constructor(deps: SignerDeps) {
    this.#deps = deps
  }

  /** The public part, made with the first question. @throws KeychainError */
  async key(): Promise<AuditKey & { pem: string }> {
    return described(createPublicKey(await this.#private()))
  }

  /** @returns the bytes of the file that goes beside the export. @throws KeychainError */
  async sign(facts: Omit<Statement, 'format'>): Promise<Uint8Array> {
    const signed = await this.signed(JSON.stringify({ format: FORMAT, ...facts } satisfies Statement))
    return Buffer.from(`${JSON.stringify({ howToVerify: HOW_TO_VERIFY, ...signed }, null, 1)}\n`, 'utf8')
  }

  /** @param statement says by its `format` what it is of: each kind has one of its own. @throws KeychainError */
  async signed(statement: string): Promise<Signed> {
    const key = await this.#private()
    const signature = sign(null, Buffer.from(statement, 'utf8'), key).toString('base64')
    return { statement, publicKey: described(createPublicKey(key)).pem, signature }
  }

  /** One that can't be read is replaced, and the trail says so: exports of before are another key's from then on. */
  #private(): Promise<KeyObject> {
    return inTurn(this, async () => {
      const { slot, note } = this.#deps
      const text = await slot.get()
      const kept = text === null ? undefined : privateKeyOf(text)
      if (kept) return kept
      const made = generateKeyPairSync('ed25519').privateKey
      await slot.set(made.export({ format: 'der', type: 'pkcs8' }).toString('base64'))
      const { fingerprint } = described(createPublicKey(made))
      note({
        what: 'signing-key-made',
        detail: { key: fingerprint, ...(text !== null && { how: 'in place of another' }) }
      })
      return made
    })
  }
}

/** Sums up an export as it is written or read. */
export class Digest {
  readonly #whole = createHash('sha256')
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

  /** The same bytes, taken note of. */
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
      sha256: this.#whole.digest('hex'),
      blockBytes: this.#blockBytes,
      blocks: this.#blocks
    }
  }

  add(bytes: Uint8Array): void {
    this.#whole.update(bytes)
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
 * Judges an export by what lies beside it.
 * @param text of the signature: hostile.
 * @param content of the export: read once the signature holds, and no further than shows that it is another.
 */
export async function judged(text: string, content: () => AsyncIterable<Uint8Array>): Promise<Verdict> {
  const read = verified(text)
  const said = read && Statement.safeParse(parsedJson(read.statement)).data
  if (!said) return { verdict: 'signature' }
  const digest = new Digest(said.blockBytes)
  for await (const _ of digest.through(content())) if (digest.bytes > said.bytes) break
  const found = digest.end()
  const { entries, exportedAt, last } = said
  const signed = { entries, exportedAt, last, key: { fingerprint: read.fingerprint } }
  if (found.bytes === said.bytes && found.sha256 === said.sha256) return { verdict: 'genuine', ...signed }
  return { verdict: 'changed', ...signed, bytes: firstDifference(said, found) }
}

/** What was signed, and with which key, where the signature holds. @param text as `Signed` in JSON: hostile. */
export function verified(text: string): (Signed & { fingerprint: string }) | undefined {
  const read = Signature.safeParse(parsedJson(text)).data
  const key = read && publicKeyOf(read.publicKey)
  if (!key || !verify(null, Buffer.from(read.statement, 'utf8'), key, Buffer.from(read.signature, 'base64')))
    return undefined
  const { fingerprint, pem } = described(key)
  // As we write it: what can be written in several ways would hide a change.
  const signature = Buffer.from(read.signature, 'base64').toString('base64')
  return { statement: read.statement, publicKey: pem, signature, fingerprint }
}

export type Digested = ReturnType<Digest['end']>

/** The first block that differs, as far as there is one in both; the end, where one of them goes on. */
export function firstDifference(said: Digested, found: Digested): { from: number; to: number } {
  let at = 0
  while (at < found.blocks.length && found.blocks.startsWith(said.blocks.slice(at, at + 64) || '-', at)) at += 64
  const from = (at / 64) * said.blockBytes
  return { from, to: Math.max(Math.min(from + said.blockBytes, found.bytes) - 1, from) }
}

/** The entries that stand at these bytes of an export as JSON or CSV, as far as it can be told. @param text of the file up to the last of them. */
export function entriesIn(text: string, from: number): { from: number; to: number } | undefined {
  const numbers = [...text.matchAll(/^\{"seq":(\d{1,15}),|^"?(\d{1,15})"?,"?\d{4}-\d\d-\d\dT/gm)].map((found) => ({
    at: found.index,
    seq: Number(found[1] ?? found[2])
  }))
  const first = numbers.findLast(({ at }) => at <= from) ?? numbers[0]
  const last = numbers.at(-1)
  return first && last && { from: first.seq, to: last.seq }
}

function described(key: KeyObject): AuditKey & { pem: string } {
  const der = key.export({ format: 'der', type: 'spki' })
  const digest = createHash('sha256').update(der).digest('hex').toUpperCase()
  return {
    fingerprint: (digest.match(/.{4}/g) ?? []).join(' '),
    pem: key.export({ format: 'pem', type: 'spki' }).toString()
  }
}

function privateKeyOf(text: string): KeyObject | undefined {
  return ed25519(() => createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' }))
}

function publicKeyOf(pem: string): KeyObject | undefined {
  return ed25519(() => createPublicKey({ key: pem, format: 'pem', type: 'spki' }))
}

function ed25519(read: () => KeyObject): KeyObject | undefined {
  try {
    const key = read()
    return key.asymmetricKeyType === 'ed25519' ? key : undefined
  } catch {
    return undefined
  }
}
