/**
 * Receipts of sessions at the counter. Each is made from the audit trail, has a number there with the hash of what it says, and is
 * made again as it was for as long as nothing new is known; then it gets another number, and says which one it takes the place of.
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
import type { Signer } from '../audit/signature.ts'
import type { IdentityReading } from '../counter/identity-numbers.ts'
import { dayAt, isoWriter } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Time } from '../lib/time.ts'
import { readChosen } from '../storage/chosen-file.ts'
import { besideTrail, type Copy, contentOf, type Given, type Made, type ReceiptContent } from './content.ts'
import { codeOf, keyPage, receiptPage } from './receipt-page.ts'
import { readerOf } from './receipt-words.ts'
import { judgedReceipt, LARGEST_RECEIPT, sealed } from './sealed-pdf.ts'

export interface ReceiptsDeps {
  audit: Pick<Audit, 'session' | 'newestOf' | 'isBehind' | 'hasEntry' | 'note'>
  signer: Signer
  time: Pick<Time, 'now' | 'zone'>
  /** Draws a page of ours out of sight. */
  paper: { pdf: (page: string) => Promise<Uint8Array>; print: (page: string) => Promise<void> }
  /** What the office calls itself; '' where there is no account. */
  officeName: () => string
  /** The office's picture as a data URL. */
  logo: () => string | undefined
  /** In which language someone had their screens in a session that is still known; undefined where it isn't, or it was English. */
  languageOf: (session: string, person: { name: string; contact?: string | undefined }) => PersonLanguage | undefined
  /** The languages that the office offers beside English. */
  languages: () => readonly PersonLanguage[]
  /** What is kept of the identity document that an entry of a handover tells of; undefined where nothing is, or no longer. */
  identityOf: (entry: AuditEntry) => IdentityReading | undefined
  /** The session that runs now, which has no receipt for the file yet. */
  running: () => string | undefined
}

/** A receipt that has its number. */
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

  /** Who has a part in a session, in the order of the trail. @throws AppFailure where the trail bears no receipt. */
  async people(session: string): Promise<ReceiptPeople> {
    const made = this.#made(await this.#trail(session), 'file', { number: '', key: '' })
    return {
      people: made.people.map(({ name, contact }) => {
        const language = this.#deps.languageOf(session, { name, contact })
        return { name, ...defined({ contact, language }) }
      }),
      languages: [...this.#deps.languages()]
    }
  }

  /**
   * @param language of the words around what the trail says, in a person's own: the same receipt, by its number and its hash.
   * @returns the bytes of the PDF. @throws AppFailure where the trail bears no receipt; KeychainError.
   */
  async pdf(session: string, copy: Copy, language?: PersonLanguage): Promise<{ number: string; bytes: Uint8Array }> {
    const issued = await this.#issue(session, copy)
    const { text, sha256, issuedAt, content } = issued
    const drawn = await this.#deps.paper.pdf(await this.#page(issued, session, language))
    const bytes = await sealed(drawn, { content: text, contentSha256: sha256, issuedAt }, this.#deps.signer)
    return { number: content.number, bytes }
  }

  /** On the default printer. @throws as `pdf`, and where it can't be printed. */
  async print(session: string, copy: Copy, language?: PersonLanguage): Promise<{ number: string }> {
    const issued = await this.#issue(session, copy)
    await this.#deps.paper.print(await this.#page(issued, session, language))
    return { number: issued.content.number }
  }

  /** The fingerprint of the key that receipts and exports are signed with, on the default printer. @throws KeychainError, and where it can't be printed. */
  async printKey(): Promise<void> {
    const { logo, officeName, paper, signer, time } = this.#deps
    const { fingerprint } = await signer.key()
    const printedAt = isoWriter(time.zone())(time.now())
    await paper.print(keyPage({ fingerprint, office: officeName(), printedAt, zone: time.zone(), logo: logo() }))
  }

  /** What a person can take a picture of: the number and the hash, and nothing else. @throws as `pdf`. */
  async code(session: string, person: { name: string; contact?: string | undefined }): Promise<ReceiptCode> {
    const { people } = await this.people(session)
    const at = people.findIndex(({ name, contact }) => name === person.name && contact === person.contact)
    if (at < 0) fail('gone', 'The audit trail has nothing of this person yet.')
    const { content, sha256 } = await this.#issue(session, at + 1)
    return { number: content.number, sha256, ...codeOf(content.number, sha256) }
  }

  /**
   * The office's own copy is in English, whatever is asked. It alone has what is kept of identity documents: beside what the receipt says by its
   * hash, which stays as it is when that is purged.
   */
  async #page(
    { content, sha256, issuedAt }: Issued,
    session: string,
    language: PersonLanguage = 'en'
  ): Promise<string> {
    const { number, copy, people } = content
    const kept = copy === 'file' ? besideTrail((await this.#trail(session)).links, people, this.#deps.identityOf) : []
    const reader = readerOf(copy === 'file' ? 'en' : language)
    const beside = { sha256, issuedAt, logo: this.#deps.logo(), code: codeOf(number, sha256), reader }
    return receiptPage(content, { ...beside, kept })
  }

  /** Says the same again while nothing new is known; one at a time, so that no number is given twice. */
  #issue(session: string, copy: Copy): Promise<Issued> {
    return inTurn(this, async () => {
      const { audit, signer, time, running } = this.#deps
      if (copy === 'file' && running() === session) fail('busy', 'This session hasn’t ended yet.')
      const { fingerprint: key } = await signer.key()
      const trail = await this.#trail(session)
      if (audit.isBehind)
        fail('internal', 'The newest entries of the audit trail aren’t saved yet, so no receipt was made.')
      const before = issuesOf(trail, copy).at(-1)
      const again = before && this.#again(trail, before)
      if (before && again && again.content.key === key) {
        const { number = '', replaces } = before.detail
        const fresh = this.#made(trail, copy, { number, replaces, key })
        if (JSON.stringify(fresh) === again.text) return again
      }
      const number = numberAfter(await audit.newestOf('receipt-made'), dayAt(time.now(), time.zone()), key)
      const replaces = before?.detail.number
      const made = this.#made(trail, copy, { number, replaces, key })
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
      // As it stands in the trail from now on, and not as we have it.
      const after = await this.#trail(session)
      const noted = issuesOf(after, copy).at(-1)
      const issued = noted && this.#again(after, noted)
      return issued ?? fail('internal', 'The receipt couldn’t be made.')
    })
  }

  /** As it was issued; undefined where the trail no longer says the same. */
  #again(trail: SessionTrail, noted: AuditEntry): Issued | undefined {
    const { number = '', replaces, copy = '', last, sha256 = '', key = '' } = noted.detail
    const made = contentOf(trail.links, { copy: copyOf(copy), number, replaces, key, until: Number(last) })
    if (!made.ok) return undefined
    const text = JSON.stringify(made.content)
    if (hashOf(text) !== sha256) return undefined
    return { content: made.content, text, sha256, issuedAt: isoWriter(noted.zone)(noted.at) }
  }

  async #trail(session: string): Promise<SessionTrail> {
    const trail = await this.#deps.audit.session(session)
    if (trail.isWhole) return trail
    return fail('not-allowed', 'The audit trail was changed since this session, so no receipt can be made of it.', {
      next: 'Verify the audit trail.'
    })
  }

  #made(trail: SessionTrail, copy: Copy, given: Given): ReceiptContent {
    const made = contentOf(trail.links, { copy, ...given })
    return made.ok ? made.content : fail('gone', REFUSED[made.why])
  }

  /**
   * Checks a file that a person chose.
   * @throws AppFailure `bad-file` where it can't be read.
   */
  async check(path: string): Promise<AuditFileCheck> {
    const label = basename(path)
    try {
      if ((await stat(path)).size > LARGEST_RECEIPT) return { label, verdict: 'unsigned', receipt: {} }
      const found = judgedReceipt(await readChosen(path, LARGEST_RECEIPT))
      if (!('statement' in found)) return { label, ...found, receipt: {} }
      const { statement, fingerprint, verdict, bytes } = found
      const { number, session } = Said.safeParse(parsedJson(statement.content)).data ?? { number: '', session: '' }
      const isOurs = fingerprint === (await this.#deps.signer.key()).fingerprint
      const isFitting = isOurs && verdict === 'genuine'
      const { isInTrail, replacedBy } = isFitting ? await this.#fits(statement, session) : NOTHING_KNOWN
      return {
        ...{ label, verdict, exportedAt: statement.issuedAt, key: { fingerprint, isOurs } },
        ...defined({ bytes, isInTrail }),
        receipt: { number, ...defined({ replacedBy }) }
      }
    } catch {
      return fail('bad-file', 'The file couldn’t be read.', { next: 'Copy it to this computer and check it again.' })
    }
  }

  /** Whether the trail here says what the receipt says, and which receipt took its place. */
  async #fits(statement: { content: string; contentSha256: string }, session: string): Promise<Fits> {
    const trail = await this.#deps.audit.session(session)
    const noted = trail.links.find(
      ({ entry }) => entry.what === 'receipt-made' && entry.detail.sha256 === statement.contentSha256
    )?.entry
    const again = noted && this.#again(trail, noted)
    const isInTrail = trail.isWhole && again?.text === statement.content
    const replacedBy = noted && issuesOf(trail, noted.detail.copy ?? '').findLast(({ seq }) => seq > noted.seq)
    return { isInTrail, replacedBy: replacedBy?.detail.number }
  }
}

interface Fits {
  isInTrail: boolean | undefined
  replacedBy: string | undefined
}
const NOTHING_KNOWN: Fits = { isInTrail: undefined, replacedBy: undefined }

const Said = z.object({ number: z.string().max(100), session: z.string().max(200) })

const REFUSED: Record<Extract<Made, { ok: false }>['why'], string> = {
  missing: 'The audit trail doesn’t have the beginning of this session, so no receipt can be made of it.',
  older: 'This session was recorded by an earlier version, so no receipt can be made of it.',
  nobody: 'The audit trail has nothing of this person.'
}

function issuesOf({ links }: SessionTrail, copy: Copy | string): AuditEntry[] {
  return links
    .map(({ entry }) => entry)
    .filter(({ what, detail }) => what === 'receipt-made' && detail.copy === String(copy))
}

const copyOf = (text: string): Copy => (text === 'file' ? text : Number(text))

/** `R-2026-000124-7F3A`: counted through the year on this computer, which the last part tells from others. */
function numberAfter(newest: AuditEntry | undefined, today: string, key: string): string {
  const year = today.slice(0, 4)
  const [, before, count] = /^R-(\d{4})-(\d{6,})-/.exec(newest?.detail.number ?? '') ?? []
  const next = before === year ? Number(count) + 1 : 1
  return `R-${year}-${String(next).padStart(6, '0')}-${key.slice(0, 4)}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
