/**
 * Enrolment files (decision 53): carry an account and its secret from the computer where an administrator connected it
 * to the office's others, encrypted with a code known only to them and to the person who types it. The secret goes from
 * keychain to keychain and is never shown.
 */
import { z } from 'zod'
import type { ChosenEnrolment } from '../../../shared/contract/index.ts'
import { DATA_TYPE_SPELLINGS } from '../../../shared/contract/views.ts'
import { ENROLMENT_CODE_BYTES, readRecoveryKey, recoveryKeyText } from '../../../shared/recovery-key.ts'
import { openSealed, type SealedFile, type Sealing, seal } from '../backup/sealed-file.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { Account } from './account.ts'
import { AccountCredentials } from './credentials.ts'

export const ENROLMENT_EXTENSION = 'countersign-enrolment'
const MAGIC = Buffer.from('CSGNENRL')
const VERSION = 1
/** Maximum content size; more than the longest headers and keys need. */
const MAX_FILE_BYTES = 1024 * 1024

const Enrolment = z.strictObject({
  version: z.literal(VERSION),
  /** Milliseconds since 1970 UTC; the file is refused from then on. */
  validUntil: z.number(),
  account: z.strictObject({
    name: z.string().min(1).max(100),
    baseUrl: z.string().min(1).max(2000),
    colour: z.string().regex(/^#[0-9A-Fa-f]{6}$/),
    jsonByQuery: z.boolean(),
    dataTypeSpelling: z.enum(DATA_TYPE_SPELLINGS),
    folders: z.array(z.string().min(1).max(200)).min(1).max(20)
  }),
  credentials: AccountCredentials
})
export type Enrolment = z.output<typeof Enrolment>

/** Creates an account's enrolment file. @throws AppFailure `invalid` if the code is malformed. */
export function enrolmentFile(
  { name, baseUrl, colour, jsonByQuery, dataTypeSpelling, folders }: Account,
  credentials: AccountCredentials,
  { code, validUntil, ...sealing }: Sealing & { code: string; validUntil: number }
): AsyncGenerator<Buffer> {
  const account = { name, baseUrl: baseUrl ?? '', colour, jsonByQuery, dataTypeSpelling, folders: [...folders] }
  const enrolment: Enrolment = { version: VERSION, validUntil, account, credentials }
  async function* content() {
    yield Buffer.from(JSON.stringify(enrolment))
  }
  return seal(content(), readCode(code), sealing, MAGIC)
}

/** The file that was chosen last. Its content is unknown until the code is entered. */
export class OpenEnrolment {
  #open: { id: string; file: SealedFile } | undefined

  /** Opens a file. @throws AppFailure `bad-file`; FileError. */
  async open(path: string, id: string, name: string): Promise<ChosenEnrolment> {
    await this.close()
    const file = await withEnrolmentErrors(() => openSealed(path, MAGIC))
    this.#open = { id, file }
    return { id, name, ...file.facts }
  }

  /**
   * Decrypts the open file.
   * @param now milliseconds since 1970 UTC.
   * @throws AppFailure `gone`; `invalid` with the field `code` if it is mistyped or another file's; `bad-file` if
   * damaged, from a newer version, or expired.
   */
  async read(id: string, typed: string, now: number): Promise<Enrolment> {
    const file = this.requireOpen(id)
    const code = readCode(typed)
    if (file.bytes > MAX_FILE_BYTES) refuseUnusable()
    const parts: Buffer[] = []
    await withEnrolmentErrors(async () => {
      for await (const part of file.content(code)) parts.push(part)
    })
    const bytes = Buffer.concat(parts)
    const found = parsedJson(bytes.toString())
    bytes.fill(0)
    const { version = 0 } = z.object({ version: z.number() }).safeParse(found).data ?? {}
    if (version > VERSION)
      fail('bad-file', 'This enrolment file was made by a newer version of Countersign.', {
        next: 'Update Countersign, then try again.'
      })
    const enrolment = Enrolment.safeParse(found).data ?? refuseUnusable()
    if (now >= enrolment.validUntil)
      fail('bad-file', 'This enrolment file is no longer valid.', { next: 'Ask your administrator for a new one.' })
    return enrolment
  }

  /** @throws AppFailure `gone` if it was closed, or another file was opened. */
  requireOpen(id: string): SealedFile {
    return this.#open?.id === id ? this.#open.file : fail('gone', 'This file is no longer open.', CHOOSE_AGAIN)
  }

  /** Closes the open file. @param id to close only this one. */
  async close(id = this.#open?.id): Promise<void> {
    if (this.#open?.id !== id) return
    const file = this.#open?.file
    this.#open = undefined
    await file?.close()
  }
}

function readCode(typed: string): string {
  const read = readRecoveryKey(typed, ENROLMENT_CODE_BYTES)
  if ('bytes' in read) return recoveryKeyText(read.bytes)
  return fail('invalid', MISTYPED, { fields: [{ field: 'code', message: MISTYPED }] })
}

/** Replaces the file format's errors about backups by ones about enrolment files. */
async function withEnrolmentErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppFailure) || error.appError.code !== 'bad-file') throw error
    if (error.appError.fields?.length)
      fail('invalid', NOT_ITS_CODE, { fields: [{ field: 'code', message: NOT_ITS_CODE }] })
    return refuseUnusable()
  }
}

const CHOOSE_AGAIN = { next: 'Choose it again.' }
const MISTYPED = 'This code has a mistake in it. Compare it letter by letter.'
const NOT_ITS_CODE = 'This isn’t the code of this file.'

function refuseUnusable(): never {
  fail('bad-file', 'This isn’t a complete enrolment file.', { next: 'Ask your administrator for it again.' })
}
