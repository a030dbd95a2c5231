/**
 * Receipts of sessions at the counter. Each is made from the audit trail, where its number is recorded with the hash of
 * its content. While nothing new is known it's reproduced unchanged; after that it gets a new number and names the
 * receipt that it replaces.
 */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import type {
  AuditEntry,
  AuditFileCheck,
  PersonLanguage,
  ReceiptCode,
  ReceiptPeople
} from '../../../shared/contract/index.ts'
import type { Audit, SessionTrail } from '../audit/audit.ts'
import type { AuditSigner } from '../audit/signature.ts'
import type { IdentityNumber } from '../counter/identity-numbers.ts'
import { dayAt, isoFormatter } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { readChosen } from '../storage/chosen-file.ts'
import { KeychainError } from '../storage/keychain.ts'
import {
  type ContentResult,
  type Copy,
  contentOf,
  extraDataOf,
  type IssueDetails,
  type ReceiptContent
} from './content.ts'
import { keyPage, qrCodeOf, receiptPage } from './receipt-page.ts'
import { readerOf } from './receipt-words.ts'
import { judgeReceipt, MAX_RECEIPT_BYTES, sealPdf } from './sealed-pdf.ts'

export interface ReceiptsDeps {
  audit: Pick<Audit, 'sessionTrail' | 'newestOf' | 'newestReceipt' | 'hasPendingEntries' | 'hasEntry' | 'note'>
  signer: AuditSigner
  time: Pick<Time, 'now' | 'zone'>
  /** Renders our own page out of sight. */
  paper: { pdf: (page: string) => Promise<Uint8Array>; print: (page: string) => Promise<void> }
  /** The office's name for itself; '' if there is no account. */
  officeName: () => string
  /** The office's logo as a data URL. */
  logo: () => string | undefined
  /**
   * The language that someone had their screens in, for a session still in memory; undefined if it isn't, or if it was
   * English.
   */
  languageOf: (session: string, person: { name: string; contact?: string | undefined }) => PersonLanguage | undefined
  /** The languages that the office offers in addition to English. */
  languages: () => readonly PersonLanguage[]
  /** What is kept of the identity document that a handover entry mentions; undefined if nothing is, or no longer. */
  identityOf: (entry: AuditEntry) => IdentityNumber | undefined
  /** The running session, which has no receipt for the file yet. */
  running: () => string | undefined
}

interface Issued {
  content: ReceiptContent
  text: string
  sha256: string
  issuedAt: string
}

export class Receipts {
  readonly #deps: ReceiptsDeps

  constructor(deps: ReceiptsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the people in a session, in the order of the trail. @throws AppFailure if no receipt can be made from the
   * trail.
   */
  async people(session: string): Promise<ReceiptPeople> {
    const made = this.#buildContent(await this.#trail(session), 'file', { number: '', key: '' })
    return {
      people: made.people.map(({ name, contact }) => {
        const language = this.#deps.languageOf(session, { name, contact })
        return { name, ...defined({ contact, language }) }
      }),
      languages: [...this.#deps.languages()]
    }
  }

  /**
   * Makes the PDF of a receipt.
   * @param language of the words around the trail's content on a person's own copy; its number and hash stay the same.
   * @returns the bytes of the PDF. @throws AppFailure if no receipt can be made from the trail; KeychainError.
   */
  async pdf(session: string, copy: Copy, language?: PersonLanguage): Promise<{ number: string; bytes: Uint8Array }> {
    const issued = await this.#issue(session, copy)
    const { text, sha256, issuedAt, content } = issued
    const drawn = await this.#deps.paper.pdf(await this.#page(issued, session, language))
    const bytes = await sealPdf(drawn, { content: text, contentSha256: sha256, issuedAt }, this.#deps.signer)
    return { number: content.number, bytes }
  }

  /** Prints a receipt on the default printer. @throws as `pdf`, and if it can't be printed. */
  async print(session: string, copy: Copy, language?: PersonLanguage): Promise<{ number: string }> {
    const issued = await this.#issue(session, copy)
    await this.#deps.paper.print(await this.#page(issued, session, language))
    return { number: issued.content.number }
  }

  /**
   * Prints the fingerprint of the key that receipts and exports are signed with, on the default printer. @throws
   * KeychainError, and if it can't be printed.
   */
  async printKey(): Promise<void> {
    const { logo, officeName, paper, signer, time } = this.#deps
    const { fingerprint } = await signer.key()
    const printedAt = isoFormatter(time.zone())(time.now())
    await paper.print(keyPage({ fingerprint, office: officeName(), printedAt, zone: time.zone(), logo: logo() }))
  }

  /** Returns a code that a person can photograph: the number and the hash, nothing else. @throws as `pdf`. */
  async code(session: string, person: { name: string; contact?: string | undefined }): Promise<ReceiptCode> {
    const { people } = await this.people(session)
    const at = people.findIndex(({ name, contact }) => name === person.name && contact === person.contact)
    if (at < 0) fail('gone', 'The audit trail has nothing about this person yet.')
    const { content, sha256 } = await this.#issue(session, at + 1)
    return { number: content.number, sha256, ...qrCodeOf(content.number, sha256) }
  }

  /**
   * Builds the page. The office's own copy is always in English. It alone shows what is kept of identity documents, in
   * addition to the content that the hash covers, so the receipt stays valid when that is purged.
   */
  async #page(
    { content, sha256, issuedAt }: Issued,
    session: string,
    language: PersonLanguage = 'en'
  ): Promise<string> {
    const { number, copy, people } = content
    const kept = copy === 'file' ? extraDataOf((await this.#trail(session)).links, people, this.#deps.identityOf) : []
    const reader = readerOf(copy === 'file' ? 'en' : language)
    const extras = { sha256, issuedAt, logo: this.#deps.logo(), code: qrCodeOf(number, sha256), reader }
    return receiptPage(content, { ...extras, kept })
  }

  /**
   * Reproduces the last receipt if nothing new is known, or issues a new one. One at a time, so that no number is used
   * twice.
   */
  #issue(session: string, copy: Copy): Promise<Issued> {
    return inTurn(this, async () => {
      const { audit, signer, time, running } = this.#deps
      if (copy === 'file' && running() === session) fail('busy', 'This session hasn’t ended yet.')
      const { fingerprint: key } = await signer.key()
      const trail = await this.#trail(session)
      if (audit.hasPendingEntries)
        fail('internal', 'The newest entries of the audit trail aren’t saved yet, so no receipt was made.')
      const before = issuesOf(trail, copy).at(-1)
      const reproduced = before && this.#reproduce(trail, before)
      if (before && reproduced && reproduced.content.key === key) {
        const { number = '', replaces } = before.detail
        const rebuilt = this.#buildContent(trail, copy, { number, replaces, key })
        if (JSON.stringify(rebuilt) === reproduced.text) return reproduced
      }
      const thisYear = `R-${dayAt(time.now(), time.zone()).slice(0, 4)}-`
      // The newest of all is of another year if the clock was wrong when it was made.
      const newest = await audit.newestOf('receipt-made', { name: 'number', begins: thisYear })
      // A restored trail may be from before the newest.
      const number = numberAfter([newest?.detail.number, await audit.newestReceipt()], thisYear, key)
      const replaces = before?.detail.number
      const made = this.#buildContent(trail, copy, { number, replaces, key })
      const sha256 = hashOf(JSON.stringify(made))
      const name = typeof copy === 'number' ? made.people[0]?.name : undefined
      audit.note(
        {
          what: 'receipt-made',
          session,
          ...defined({ signerName: name }),
          detail: {
            number,
            copy: String(copy),
            last: String(made.trail.last.seq),
            sha256,
            key,
            ...(replaces && { replaces })
          }
        },
        'now-or-never'
      )
      // Read back from the trail, rather than using what was just made.
      const after = await this.#trail(session)
      const noted = issuesOf(after, copy).at(-1)
      const issued = noted && this.#reproduce(after, noted)
      return issued ?? fail('internal', 'The receipt couldn’t be made.')
    })
  }

  /** Reproduces a receipt as it was issued; undefined if the trail no longer says the same. */
  #reproduce(trail: SessionTrail, noted: AuditEntry): Issued | undefined {
    const { number = '', replaces, copy = '', last, sha256 = '', key = '' } = noted.detail
    const made = contentOf(trail.links, { copy: copyOf(copy), number, replaces, key, until: Number(last) })
    if (!made.ok) return undefined
    const text = JSON.stringify(made.content)
    if (hashOf(text) !== sha256) return undefined
    return { content: made.content, text, sha256, issuedAt: isoFormatter(noted.zone)(noted.at) }
  }

  async #trail(session: string): Promise<SessionTrail> {
    const trail = await this.#deps.audit.sessionTrail(session)
    if (trail.isWhole) return trail
    return fail(
      'not-allowed',
      'The audit trail has been changed since this session, so no receipt can be made for it.',
      {
        next: 'Verify the audit trail.'
      }
    )
  }

  #buildContent(trail: SessionTrail, copy: Copy, details: IssueDetails): ReceiptContent {
    const made = contentOf(trail.links, { copy, ...details })
    return made.ok ? made.content : fail('gone', REFUSED[made.why])
  }

  /** Checks a file that a person chose. @throws AppFailure `bad-file` if it can't be read; KeychainError. */
  async check(path: string): Promise<AuditFileCheck> {
    const label = basename(path)
    try {
      if ((await stat(path)).size > MAX_RECEIPT_BYTES) return { label, verdict: 'unsigned', receipt: {} }
      const found = judgeReceipt(await readChosen(path, MAX_RECEIPT_BYTES))
      if (!('statement' in found)) return { label, ...found, receipt: {} }
      const { statement, fingerprint, verdict, bytes } = found
      const { number, session } = ContentHeader.safeParse(parsedJson(statement.content)).data ?? {
        number: '',
        session: ''
      }
      const isOurs = fingerprint === (await this.#deps.signer.key()).fingerprint
      const isOwnGenuine = isOurs && verdict === 'genuine'
      const { isInTrail, replacedBy } = isOwnGenuine ? await this.#compareWithTrail(statement, session) : NOTHING_KNOWN
      return {
        label,
        verdict,
        exportedAt: statement.issuedAt,
        key: { fingerprint, isOurs },
        ...defined({ bytes, isInTrail }),
        receipt: { number, ...defined({ replacedBy }) }
      }
    } catch (error) {
      if (error instanceof KeychainError) throw error
      return fail('bad-file', 'The file couldn’t be read.', { next: 'Copy it to this computer and check it again.' })
    }
  }

  /** Returns whether the trail on this computer agrees with a receipt, and which receipt replaced it. */
  async #compareWithTrail(statement: { content: string; contentSha256: string }, session: string): Promise<TrailMatch> {
    const trail = await this.#deps.audit.sessionTrail(session)
    const noted = trail.links.find(
      ({ entry }) => entry.what === 'receipt-made' && entry.detail.sha256 === statement.contentSha256
    )?.entry
    const reproduced = noted && this.#reproduce(trail, noted)
    const isInTrail = trail.isWhole && reproduced?.text === statement.content
    const replacedBy = noted && issuesOf(trail, noted.detail.copy ?? '').findLast(({ seq }) => seq > noted.seq)
    return { isInTrail, replacedBy: replacedBy?.detail.number }
  }
}

interface TrailMatch {
  isInTrail: boolean | undefined
  replacedBy: string | undefined
}
const NOTHING_KNOWN: TrailMatch = { isInTrail: undefined, replacedBy: undefined }

const ContentHeader = z.object({ number: z.string().max(100), session: z.string().max(200) })

const REFUSED: Record<Extract<ContentResult, { ok: false }>['why'], string> = {
  missing: 'The beginning of this session is missing from the audit trail, so no receipt can be made for it.',
  older: 'This session was recorded by an earlier version, so no receipt can be made for it.',
  nobody: 'The audit trail has nothing about this person.'
}

function issuesOf({ links }: SessionTrail, copy: Copy | string): AuditEntry[] {
  return links
    .map(({ entry }) => entry)
    .filter(({ what, detail }) => what === 'receipt-made' && detail.copy === String(copy))
}

const copyOf = (text: string): Copy => (text === 'file' ? text : Number(text))

/**
 * `R-2026-000124-7F3A`: counted per year on this computer, which the last part identifies.
 * @param known numbers of receipts, among them the newest of the year, `R-2026-`.
 */
function numberAfter(known: readonly (string | undefined)[], year: string, key: string): string {
  const pattern = new RegExp(`^${year}(\\d{6,})-`)
  const counts = known.map((number = '') => Number(pattern.exec(number)?.[1] ?? 0))
  return `${year}${String(Math.max(...counts) + 1).padStart(6, '0')}-${key.slice(0, 4)}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
