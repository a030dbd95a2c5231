/** Writes signed exports of the audit trail, and verifies exports, also from other computers. */
import { rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text as textIn } from 'node:stream/consumers'
import type { AuditFileCheck, AuditKey, SavedFile } from '../../../shared/contract/index.ts'
import type { TableFormat } from '../bulk/table-file.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { defined } from '../lib/objects.ts'
import type { Time } from '../lib/time.ts'
import { writeAtomically } from '../storage/atomic-file.ts'
import { openChosen, writeChosen } from '../storage/chosen-file.ts'
import { withFileErrors } from '../storage/file-error.ts'
import { KeychainError } from '../storage/keychain.ts'
import type { Audit } from './audit.ts'
import { type AuditSigner, Digest, entriesIn, verifyExport } from './signature.ts'

/** Appended to the full name of the signed file. */
const SIGNATURE_EXTENSION = '.signature'
/** Enough for an export of 250 MB: some hundred thousand entries. */
const MAX_SIGNATURE_BYTES = 20 * 1024 * 1024
/** Maximum distance from a changed byte back to the beginning of its entry, in characters. */
const MAX_ENTRY_LENGTH = 64 * 1024

export interface ExportsDeps {
  audit: Pick<Audit, 'export' | 'hasEntry' | 'note'>
  signer: AuditSigner
  time: Pick<Time, 'now' | 'zone'>
}

/** Writes and verifies signed exports. */
export class AuditExports {
  readonly #deps: ExportsDeps

  constructor(deps: ExportsDeps) {
    this.#deps = deps
  }

  /** Writes an export and its signature. @throws KeychainError before anything is written; FileError. */
  async write(path: string, format: TableFormat | 'json'): Promise<SavedFile> {
    const { audit, signer, time } = this.#deps
    const { fingerprint } = await signer.key()
    const { content, summary } = audit.export(format)
    const digest = new Digest()
    const replaces = path.toLowerCase().endsWith(`.${format}`)
    const signed = digest.through(content)
    const label = await writeChosen(path, format, replaces ? withoutSignature(path, signed) : signed)
    const signaturePath = join(dirname(path), `${label}${SIGNATURE_EXTENSION}`)
    // One may have been left of an export that was removed.
    await withFileErrors(() => rm(signaturePath, { force: true }))
    const exportedAt = isoFormatter(time.zone())(time.now())
    const signature = await signer.sign({ file: label, ...digest.end(), ...summary(), exportedAt })
    await writeAtomically(signaturePath, signature, { ifExists: 'replace' })
    audit.note({
      what: 'trail-exported',
      detail: { file: label, records: String(summary().entries), key: fingerprint }
    })
    return { label }
  }

  /** Returns the signing key, creating it on first use. @throws KeychainError */
  key(): Promise<AuditKey> {
    return this.#deps.signer.key()
  }

  /** Writes the public key as PEM. @throws KeychainError, FileError. */
  async writeKey(path: string): Promise<SavedFile> {
    const { pem } = await this.#deps.signer.key()
    return { label: await writeChosen(path, 'pem', pem) }
  }

  /**
   * Verifies a chosen export, or the one that a chosen signature belongs to.
   * @throws AppFailure `bad-file` if it can't be read; KeychainError.
   */
  async check(chosen: string): Promise<AuditFileCheck> {
    const path = chosen.endsWith(SIGNATURE_EXTENSION) ? chosen.slice(0, -SIGNATURE_EXTENSION.length) : chosen
    const label = basename(path)
    try {
      const signatureFile = await stat(`${path}${SIGNATURE_EXTENSION}`).catch(() => undefined)
      if (!signatureFile?.isFile()) return { label, verdict: 'unsigned' }
      if (signatureFile.size > MAX_SIGNATURE_BYTES) return { label, verdict: 'signature' }
      const signature = await textIn(contentOf(`${path}${SIGNATURE_EXTENSION}`))
      const { key, last, ...verdict } = await verifyExport(signature, () => contentOf(path))
      const near = verdict.bytes && (await this.#entriesNear(path, verdict.bytes))
      const isInTrail = last && this.#deps.audit.hasEntry(last)
      return { label, ...verdict, ...defined({ near, isInTrail, key: key && (await this.#withOwnership(key)) }) }
    } catch (error) {
      if (error instanceof KeychainError) throw error
      return fail('bad-file', 'The file couldn’t be read.', { next: 'Copy it to this computer and check it again.' })
    }
  }

  async #withOwnership(key: { fingerprint: string }) {
    const { fingerprint } = await this.#deps.signer.key()
    return { ...key, isOurs: key.fingerprint === fingerprint }
  }

  async #entriesNear(path: string, bytes: { from: number; to: number }): Promise<AuditFileCheck['near']> {
    const from = Math.max(bytes.from - MAX_ENTRY_LENGTH, 0)
    const file = await openChosen(path)
    const text = await textIn(file.createReadStream({ start: from, end: bytes.to, encoding: 'latin1' }))
    return entriesIn(text, bytes.from - from)
  }
}

/**
 * Passes on an export's content, and then removes the signature of the one that it replaces: that would call this one
 * changed if the new signature can't be made, or if the application ends before.
 */
async function* withoutSignature(path: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* content
  await withFileErrors(() => rm(`${path}${SIGNATURE_EXTENSION}`, { force: true }))
}

async function* contentOf(path: string): AsyncGenerator<Buffer> {
  yield* (await openChosen(path)).createReadStream()
}
