/**
 * The queue at the counter: who can sign here, who of them has an appointment today, and what a session with one of
 * them could include.
 */
import type { CounterEntry, CounterOffer, OfferedEntry } from '../../../shared/contract/index.ts'
import { type DocumentResponse, fullName } from '../../../shared/model/index.ts'
import {
  canSignLater,
  canSignNow,
  isFaceToFace,
  mayNeedCamera,
  personOf,
  signersBefore
} from '../documents/progress.ts'
import { dayAt } from '../lib/calendar.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { Statements } from '../storage/statements.ts'
import type { CounterDeps, PinnedEntries } from './deps.ts'
import { disambiguateForStaff } from './disambiguation.ts'
import { refuseIfReserved } from './reservations.ts'

/** How many documents are offered for one sitting. */
const MAX_DOCUMENTS = 50

type QueueDeps = Pick<
  CounterDeps,
  | 'accountId'
  | 'waitingHere'
  | 'pinnedEntries'
  | 'refresh'
  | 'documentOf'
  | 'compositionOf'
  | 'settings'
  | 'staff'
  | 'pin'
  | 'reservations'
  | 'time'
>

export class SigningQueue {
  readonly #deps: QueueDeps

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  /** Today's appointments first, then next due first. */
  async entries(accountId = this.#deps.accountId()): Promise<CounterEntry[]> {
    const entries = await this.#deps.waitingHere(accountId)
    const marked = entries.map((entry) => {
      const elsewhere = this.#deps.reservations.otherCounterOf(accountId, entry)
      return { ...entry, isToday: this.#isToday(accountId, entry), ...(elsewhere && { elsewhere }) }
    })
    const sorted = marked.sort((one, other) => Number(other.isToday) - Number(one.isToday))
    return this.#disambiguated(accountId, sorted)
  }

  /** Pins an entry to today, or unpins it. */
  pin({ documentReference, signer, isToday }: Pick<CounterEntry, 'documentReference' | 'signer' | 'isToday'>): void {
    this.#deps.pinnedEntries.set(this.#deps.accountId(), documentReference, signer, isToday)
  }

  /**
   * Reads the documents from the service first.
   * @throws AppFailure `not-signable` if they can't sign here now, `busy` while they are at another counter, and the
   * service's failures.
   */
  async offer(documentReference: string, signer: number): Promise<CounterOffer> {
    const accountId = this.#deps.accountId()
    await this.#deps.refresh(accountId)
    const signable = (await this.entries(accountId)).filter(({ withoutLink }) => !withoutLink)
    const first =
      signable.find((entry) => entry.documentReference === documentReference && entry.signer === signer) ??
      fail('not-signable', 'This person can’t sign now. They’ve already signed, or it’s someone else’s turn.')
    refuseIfReserved(first.elsewhere, this.#deps.time)
    return {
      first,
      ...(this.#deps.reservations.isServerAway(accountId) && { isNotReserved: true }),
      ...(await this.#sittingOf(accountId, first, signable)),
      evidence: this.#deps.settings().evidence,
      identityKept: this.#deps.settings().identityKept,
      staff: this.#deps.staff(),
      hasPin: (await this.#deps.pin.state()).isSet
    }
  }

  /**
   * What those who came with the first person could sign in the same sitting: the first one's documents, and those of
   * their other signers.
   */
  async #sittingOf(
    accountId: string,
    first: CounterEntry,
    signable: readonly CounterEntry[]
  ): Promise<Pick<CounterOffer, 'entries' | 'further'>> {
    const documentsOf = (people: ReadonlySet<string>) =>
      signable.filter(({ person }) => people.has(person)).map(({ documentReference }) => documentReference)
    const dueOf = (reference: string) => signable.find(({ documentReference }) => documentReference === reference)?.due
    const theirs = new Set([first.documentReference, ...documentsOf(new Set([first.person]))])
    const offeredIn = async (references: Iterable<string>) =>
      (await Promise.all([...references].map((one) => this.#offeredOf(accountId, one, dueOf(one))))).flat()
    const ofTheirs = await offeredIn([...theirs].slice(0, MAX_DOCUMENTS))
    const people = new Set(ofTheirs.map(({ person }) => person))
    const others = [...new Set(documentsOf(people))].filter((reference) => !theirs.has(reference))
    const more = await offeredIn(others.slice(0, Math.max(0, MAX_DOCUMENTS - theirs.size)))
    // Only signers of the first person's documents come along; strangers who sign the others aren't here.
    const offered = [...ofTheirs, ...more.filter(({ person }) => people.has(person))]
    return {
      entries: await this.#disambiguated(accountId, offered, signable),
      further: Math.max(0, theirs.size + others.length - MAX_DOCUMENTS)
    }
  }

  /** Returns the signers who can sign a document here, now or after others. */
  async #offeredOf(accountId: string, reference: string, due: CounterEntry['due']): Promise<OfferedEntry[]> {
    const document = await this.#documentOf(accountId, reference)
    if (!document) return []
    return (document.Signers ?? []).flatMap((signer, index): OfferedEntry[] => {
      if (!canSignNow(document, index) && !canSignLater(document, index)) return []
      const entry: OfferedEntry = {
        accountId,
        documentReference: reference,
        documentName: document.Name?.trim() || reference,
        signer: index,
        signerName: fullName(signer),
        person: personOf(document, index),
        faceToFace: isFaceToFace(signer),
        mayNeedCamera: mayNeedCamera(document, index),
        isToday: false,
        after: signersBefore(document, index),
        ...(due && { due })
      }
      return [{ ...entry, isToday: this.#isToday(accountId, entry) }]
    })
  }

  #disambiguated<Entry extends CounterEntry>(
    accountId: string,
    entries: readonly Entry[],
    others: readonly CounterEntry[] = []
  ) {
    const documentOf = (reference: string) => this.#documentOf(accountId, reference)
    return disambiguateForStaff(
      entries,
      documentOf,
      (reference) => this.#deps.compositionOf(accountId, reference),
      others
    )
  }

  async #documentOf(accountId: string, reference: string): Promise<DocumentResponse | undefined> {
    const mirrored = await this.#deps.documentOf(accountId, reference)
    return mirrored?.goneAt === undefined ? mirrored?.document : undefined
  }

  #isToday(accountId: string, { documentReference, signer }: CounterEntry): boolean {
    return this.#deps.pinnedEntries.isToday(accountId, documentReference, signer)
  }
}

/** Opens the queue entries that staff pinned to today; they expire at midnight, office time. */
export function openPinnedEntries({ db, time }: { db: Db; time: Time }): PinnedEntries {
  const statements = new Statements(db)
  const find = statements.value<[accountId: string, reference: string, signer: number, day: string], 1>(
    `SELECT 1 FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ? AND day = ?`
  )
  const put = statements.run<[accountId: string, reference: string, signer: number, day: string]>(
    `INSERT INTO counter_appointments (account_id, document_reference, signer, day) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET day = excluded.day`
  )
  const remove = statements.run<[accountId: string, reference: string, signer: number]>(
    'DELETE FROM counter_appointments WHERE account_id = ? AND document_reference = ? AND signer = ?'
  )
  const removeOld = statements.run<[day: string]>('DELETE FROM counter_appointments WHERE day <> ?')
  const today = () => dayAt(time.now(), time.zone())

  const change = db.transaction((accountId: string, documentReference: string, signer: number, isToday: boolean) => {
    const day = today()
    removeOld(day)
    if (isToday) put(accountId, documentReference, signer, day)
    else remove(accountId, documentReference, signer)
  })

  return {
    isToday: (...entry) => find(...entry, today()) !== undefined,
    set: (...entry) => change.immediate(...entry)
  }
}
