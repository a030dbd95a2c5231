/**
 * A session before it begins: which documents and signers it is made of, and what staff has seen of each of them. Main
 * decides in the end whether it may begin.
 */
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type {
  CounterOffer,
  CounterSession,
  EvidenceItem,
  OfferedEntry,
  PrintedComparison,
  StaffMember
} from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'
import { type Compared, compared, type ReadDocument } from './identity-lines.ts'
import type { QueuePlace, SigningQueue } from './signing-queue.svelte.ts'
import { fewestVisits, type Signing, signingsOf, visitsOf } from './sitting.ts'

const notHere: AppError = {
  code: 'not-signable',
  message: 'Nobody can sign this document here yet.'
}

/** What is printed on a passport or an identity card. */
export interface PrintedDocument {
  name: string
  number: string
  /** As it was typed; empty where it has none. */
  expires: string
}

/** What came of comparing it with a person's name in each document that they sign: the documents may spell it differently. */
export interface PrintedOutcome {
  /** As with the first of them; what can't be on a document, and whether it has expired, are the same with all. */
  comparison: PrintedComparison
  /** The signatures with another name than what was typed. */
  differing: readonly OfferedEntry[]
}

/** Whom a session begins with; without a signer the first who can sign the document here. */
export type StartPlace = Omit<QueuePlace, 'signer'> & Partial<Pick<QueuePlace, 'signer'>>

export class SessionStart {
  readonly #offer = new Resource(() => this.#ask())
  allowsCamera = $state(false)
  readonly starting = new Action<CounterSession>()
  /** Staff who have names; none where one PIN is everyone's. */
  members = $state.raw<StaffMember[]>([])
  /** What is signed beside the first one's document, as `reference signer`. */
  readonly #added = new SvelteSet<string>()
  /** The machine-readable lines of a person's document, as typed or scanned: they never leave this window. */
  readonly #lines = new SvelteMap<string, string>()
  /** What staff typed of a document that has no such lines, by person; and what came of comparing exactly that, by signature. */
  readonly #printed = new SvelteMap<string, PrintedDocument>()
  readonly #printedResults = new SvelteMap<string, { of: PrintedDocument; result: Result<PrintedComparison> }>()
  /** The people in staff's own order; undefined where nobody has changed it. */
  #order = $state.raw<readonly string[]>()
  /** What staff has seen, as `person evidence`. */
  readonly #seen = new SvelteSet<string>()
  readonly #api: Api
  readonly #queue: SigningQueue
  readonly #place: StartPlace
  readonly #also: readonly QueuePlace[]
  readonly #now: () => number

  /**
   * @param place a signer of a document; without a signer the first who can sign it here.
   * @param also what else of theirs is ticked at first, where they can sign it now.
   * @param now in milliseconds since 1970 UTC.
   */
  constructor(api: Api, queue: SigningQueue, place: StartPlace, also: readonly QueuePlace[], now: () => number) {
    this.#api = api
    this.#queue = queue
    this.#place = place
    this.#also = also
    this.#now = now
  }

  get offer() {
    return this.#offer.value
  }
  /** Why nothing can be offered; unsaid while it is asked again. */
  get error() {
    return this.#offer.reading ? undefined : this.#offer.error
  }
  get reading() {
    return this.#offer.reading
  }
  /** Who of staff the audit trail will name. */
  get staff() {
    return this.offer?.staff ?? ''
  }
  /** Without a staff PIN nobody is handed the screen. */
  get hasPin() {
    return this.offer?.hasPin ?? false
  }

  /** Has the documents read from the service, and asks what a session could be made of. */
  async load(): Promise<void> {
    const [staff] = await Promise.all([settled(this.#api.counter.staffList()), this.#offer.load()])
    if (staff.ok) this.members = staff.value.members
    if (!this.offer || this.error) return
    const also = new Set(this.#also.map(nameOf))
    for (const entry of this.entries) if (also.has(nameOf(entry)) && entry.after.length === 0) this.add(entry, true)
  }

  async #ask(): Promise<Result<CounterOffer>> {
    const { accountId, documentReference } = this.#place
    const signer =
      this.#place.signer ?? (await this.#queue.firstOf({ accountId, reference: documentReference }))?.signer
    if (signer === undefined) return { ok: false, error: this.#queue.refreshing.error ?? notHere }
    return this.#api.counter.offer({ documentReference, signer })
  }

  /** Someone else of staff works here from now on. Answers why that was not kept. */
  async setStaff(staffName: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.counter.configure({ staffName }))
    if (!result.ok) return result.error
    this.#learn({ staff: result.value.staffName || staffName })
    return undefined
  }

  /** Someone else of staff works here from now on, as they prove with their own PIN. Answers why they don't. */
  async chooseStaff(name: string, pin: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.counter.chooseStaff({ name, pin }))
    if (!result.ok) return result.error
    this.members = result.value.members
    this.#learn({ staff: result.value.members.find(({ isCurrent }) => isCurrent)?.name ?? name })
    return undefined
  }

  pinWasSet(): void {
    this.#learn({ hasPin: true })
    this.starting.clear()
  }

  /** What has changed since it was offered. */
  #learn(change: Partial<CounterOffer>): void {
    if (this.offer) this.#offer.put({ ...this.offer, ...change })
  }

  /** All that can be part of it, document by document. */
  get entries(): readonly OfferedEntry[] {
    return this.offer?.entries ?? []
  }

  /** The first one's own document: without it there is no session. */
  isFirst(entry: QueuePlace): boolean {
    return this.offer !== undefined && nameOf(entry) === nameOf(this.offer.first)
  }

  isAdded(entry: QueuePlace): boolean {
    return this.isFirst(entry) || this.#added.has(nameOf(entry))
  }

  /** Adds a signature, or takes it out; those that wait for one taken out go with it. */
  add(entry: OfferedEntry, isAdded: boolean): void {
    if (isAdded && this.waitsFor(entry) === undefined) this.#added.add(nameOf(entry))
    else this.#added.delete(nameOf(entry))
    for (const other of this.entries) if (this.waitsFor(other) !== undefined) this.#added.delete(nameOf(other))
  }

  /** Adds all of one person's signatures that can come, or takes them out. */
  addPerson({ entries }: Signing, isAdded: boolean): void {
    for (const entry of entries) this.add(entry, isAdded)
  }

  /** Adds all that can come: everyone is here, and signs everything. */
  addAll(): void {
    for (let before = -1; before < this.#added.size; ) {
      before = this.#added.size
      for (const entry of this.entries) if (!this.isAdded(entry)) this.add(entry, true)
    }
  }

  /** Who has to sign before, and isn't part of the session: a signer of the same document, or one who can't sign here. */
  waitsFor({ documentReference, after }: OfferedEntry): OfferedEntry | 'someone else' | undefined {
    for (const signer of after) {
      const before = this.entries.find((one) => one.documentReference === documentReference && one.signer === signer)
      if (!before) return 'someone else'
      if (!this.isAdded(before)) return before
    }
    return undefined
  }

  /** Who can be part of it, each with all that they could sign; the one who begins first. */
  get everyone(): Signing[] {
    const { first } = this.offer ?? {}
    const all = signingsOf(this.entries)
    return [
      ...all.filter(({ person }) => person === first?.person),
      ...all.filter(({ person }) => person !== first?.person)
    ]
  }

  /** What each signs before the screen changes hands, one after the other. */
  readonly visits: OfferedEntry[][] = $derived.by(() => {
    const added = this.entries.filter((entry) => this.isAdded(entry))
    const first = added.filter((entry) => this.isFirst(entry))
    const signatures = [...first, ...added.filter((entry) => !this.isFirst(entry))]
    return this.#order ? visitsOf(signatures, this.#order) : fewestVisits(signatures)
  })

  /** The session's turns, in their order. */
  get turns(): OfferedEntry[] {
    return this.visits.flat()
  }

  /** Who signs, in the order in which they first get the screen, with all that they sign. */
  get people(): Signing[] {
    return signingsOf(this.turns)
  }

  /** Has one person get the screen before the one who comes before them, as far as their documents let it. */
  moveUp(person: string): void {
    const order = this.people.map((one) => one.person)
    const at = order.indexOf(person)
    if (at < 1) return
    this.#order = order.with(at - 1, person).with(at, order[at - 1] as string)
  }

  get mayNeedCamera(): boolean {
    return this.turns.some((turn) => turn.mayNeedCamera)
  }

  hasSeen(person: string, item: EvidenceItem): boolean {
    return this.#seen.has(`${person} ${item.id}`)
  }
  see(person: string, item: EvidenceItem, isSeen: boolean): void {
    if (isSeen) this.#seen.add(`${person} ${item.id}`)
    else this.#seen.delete(`${person} ${item.id}`)
  }

  linesOf(person: string): string {
    return this.#lines.get(person) ?? ''
  }
  setLines(person: string, lines: string): void {
    this.#lines.set(person, lines)
  }
  /** What the lines say, beside the person's name; undefined where there are none. */
  comparedOf(one: Pick<Signing, 'person' | 'signerName' | 'born'>): Compared | undefined {
    const lines = this.linesOf(one.person)
    return lines.trim() === '' ? undefined : compared(lines, one, this.#now())
  }

  /** What staff typed of a person's document; undefined where they go by its machine-readable lines. */
  printedOf(person: string): PrintedDocument | undefined {
    return this.#printed.get(person)
  }
  /** Undefined goes back to the machine-readable lines. */
  setPrinted(person: string, printed: PrintedDocument | undefined): void {
    if (printed) this.#printed.set(person, printed)
    else this.#printed.delete(person)
  }
  /** What came of comparing what stands there now; undefined until it was compared with the name in each document. */
  printedResultOf({ person, entries }: Pick<Signing, 'person' | 'entries'>): Result<PrintedOutcome> | undefined {
    const printed = this.#printed.get(person)
    const differing: OfferedEntry[] = []
    let first: PrintedComparison | undefined
    for (const entry of entries) {
      const compared = this.#printedResults.get(nameOf(entry))
      if (!compared || compared.of !== printed) return undefined
      if (!compared.result.ok) return compared.result
      first ??= compared.result.value
      if (compared.result.value.kind === 'differs') differing.push(entry)
    }
    return first && { ok: true, value: { comparison: first, differing } }
  }
  /** Has main compare what was typed of a person's document with their name in each that they could sign, also one that is added afterwards. */
  async comparePrinted(person: string): Promise<void> {
    const printed = this.#printed.get(person)
    if (!printed) return
    const results = await Promise.all(
      this.entries
        .filter((entry) => entry.person === person)
        .map(async (entry) => {
          const { documentReference, signer } = entry
          const result = await settled(this.#api.counter.compareDocument({ documentReference, signer, printed }))
          return [nameOf(entry), { of: printed, result }] as const
        })
    )
    for (const [name, compared] of results) this.#printedResults.set(name, compared)
  }
  /** The first whose document was typed, and not compared as it stands there. */
  get uncompared(): string | undefined {
    return this.people.find((one) => {
      const printed = this.#printed.get(one.person)
      if (!printed || Object.values(printed).every((text) => text.trim() === '')) return false
      const result = this.printedResultOf(one)
      return !result?.ok || result.value.comparison.kind === 'unusable'
    })?.person
  }

  /** The first evidence that must have been seen and was not. */
  get missing(): { person: string; item: EvidenceItem } | undefined {
    const required = this.offer?.evidence.filter((item) => item.isRequired) ?? []
    for (const { person } of this.people) {
      const item = required.find((one) => !this.hasSeen(person, one))
      if (item) return { person, item }
    }
    return undefined
  }

  /** What goes on of a document that was read: no more than is kept. */
  #keptOf(compared: Compared | undefined): { document?: ReadDocument } {
    const kept = this.offer?.identityKept ?? 'compared'
    if (kept === 'compared' || !compared || !('document' in compared) || compared.document.number === '') return {}
    const { number } = compared.document
    // Of a short one four would be nearly all of it.
    const end = Math.min(4, Math.ceil(number.length / 2))
    return { document: kept === 'number-end' ? { number: number.slice(-end) } : compared.document }
  }

  /** What goes on of comparing a person's document with their name in one that they sign, in either way. */
  #comparisonOf(entry: OfferedEntry) {
    const printed = this.#printed.get(entry.person)
    if (printed) {
      const { of, result } = this.#printedResults.get(nameOf(entry)) ?? {}
      const kind = of === printed && result?.ok ? result.value.kind : 'unusable'
      return kind === 'unusable' ? {} : { compared: kind, printed: { ...printed } }
    }
    const compared = this.comparedOf(entry)
    const kind = compared?.kind
    return kind === 'matches' || kind === 'differs' ? { compared: kind, ...this.#keptOf(compared) } : {}
  }

  /** Begins it. Answers the session; why not stands in `starting.error`. */
  async start(): Promise<CounterSession | undefined> {
    const evidence = this.offer?.evidence ?? []
    const turns = this.turns.map((entry) => {
      const { documentReference, signer, person } = entry
      return {
        ...{ documentReference, signer },
        evidence: evidence.filter((item) => this.hasSeen(person, item)).map(({ id }) => id),
        ...this.#comparisonOf(entry)
      }
    })
    const allowsCamera = this.allowsCamera && this.mayNeedCamera
    const session = await this.starting.run(() => this.#api.counter.start({ turns, allowsCamera }))
    if (this.starting.error?.code === 'no-pin') this.#learn({ hasPin: false })
    return session
  }
}

function nameOf({ documentReference, signer }: QueuePlace): string {
  return `${documentReference} ${signer}`
}
