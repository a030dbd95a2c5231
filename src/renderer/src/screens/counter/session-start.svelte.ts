/**
 * A session before it starts: its documents and signers, and the evidence that staff have seen for each. Main makes the
 * final decision whether it may start.
 */
import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type {
  CounterOffer,
  CounterSession,
  CounterSettings,
  EvidenceItem,
  OfferedEntry,
  PrintedComparison,
  StaffMember,
  StaffView
} from '../../../../shared/contract/views.ts'
import { compareLines, type LineComparison } from '../../../../shared/identity-lines.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'
import type { QueuePlace, SigningQueue } from './signing-queue.svelte.ts'
import { fewestVisits, type Signing, signingsOf, visitsOf } from './signings.ts'

const notSignableError: AppError = {
  code: 'not-signable',
  message: 'Nobody can sign this document here yet.'
}

/** The details printed on a passport or identity card. */
export interface PrintedDocument {
  name: string
  number: string
  /** As typed; empty if the document has no expiry date. */
  expires: string
}

/**
 * The result of comparing them with a person's name in each document they sign, as documents may spell it differently.
 */
export interface PrintedOutcome {
  /** The comparison with the first document; unusable fields and expiry are the same for all. */
  comparison: PrintedComparison
  /** The signatures whose name differs from the one typed. */
  differing: readonly OfferedEntry[]
}

/**
 * Where a session starts; without `signer`, with the first who can sign the document here, and with all that they can
 * sign.
 */
export type StartPlace = Omit<QueuePlace, 'signer'> & Partial<Pick<QueuePlace, 'signer'>>

export class SessionStart {
  readonly #offer = new Resource(() => this.#loadOffer())
  allowsCamera = $state(false)
  readonly starting = new Action<CounterSession>()
  /** Staff members with names; empty if everyone shares one PIN. */
  members = $state.raw<StaffMember[]>([])
  /** The signatures added to the first one, as `reference signer`. */
  readonly #added = new SvelteSet<string>()
  /** The machine-readable lines of a person's document, as typed or scanned. */
  readonly #lines = new SvelteMap<string, string>()
  /**
   * Details typed for documents without machine-readable lines, by person, and the results of comparing exactly those,
   * by signature.
   */
  readonly #printed = new SvelteMap<string, PrintedDocument>()
  readonly #printedResults = new SvelteMap<string, { of: PrintedDocument; result: Result<PrintedComparison> }>()
  /** The order of people chosen by staff; undefined if unchanged. */
  #order = $state.raw<readonly string[]>()
  /** Evidence that staff have seen, as `person evidence`. */
  readonly #seen = new SvelteSet<string>()
  readonly #api: Api
  readonly #queue: SigningQueue
  readonly #place: StartPlace
  readonly #preselected: readonly QueuePlace[]
  readonly #now: () => number

  /**
   * @param place a signer of a document; without `signer`, the first who can sign it here.
   * @param preselected other signatures to tick at first, if they can be given now.
   * @param now returns milliseconds since 1970 UTC.
   */
  constructor(api: Api, queue: SigningQueue, place: StartPlace, preselected: readonly QueuePlace[], now: () => number) {
    this.#api = api
    this.#queue = queue
    this.#place = place
    this.#preselected = preselected
    this.#now = now
  }

  get offer() {
    return this.#offer.value
  }
  /** Why nothing can be offered; undefined while it is being reloaded. */
  get error() {
    return this.#offer.isLoading ? undefined : this.#offer.error
  }
  get reading() {
    return this.#offer.isLoading
  }
  /** The staff member that the audit trail will name. */
  get staff() {
    return this.offer?.staff ?? ''
  }
  /** Without a staff PIN the screen can't be handed over. */
  get hasPin() {
    return this.offer?.hasPin ?? false
  }

  /** Loads what the session could include, having main read the documents from the service. */
  async load(): Promise<void> {
    const [staff] = await Promise.all([settled(this.#api.counter.staffList()), this.#offer.load()])
    if (staff.ok) this.members = staff.value.members
    if (!this.offer || this.error) return
    const also = new Set(this.#preselected.map(nameOf))
    const { person } = this.offer.first
    // Of a package just sent, they sign all that is theirs.
    const isWanted = (entry: OfferedEntry) =>
      also.has(nameOf(entry)) || (this.#place.signer === undefined && entry.person === person)
    for (const entry of this.entries) if (isWanted(entry) && entry.after.length === 0) this.setAdded(entry, true)
  }

  async #loadOffer(): Promise<Result<CounterOffer>> {
    const { accountId, documentReference } = this.#place
    const signer =
      this.#place.signer ?? (await this.#queue.firstOf({ accountId, reference: documentReference }))?.signer
    if (signer === undefined) return { ok: false, error: this.#queue.refreshing.error ?? notSignableError }
    return this.#api.counter.offer({ documentReference, signer })
  }

  /** Sets who works here from now on. */
  async setStaff(staffName: string): Promise<Result<CounterSettings>> {
    const result = await settled(this.#api.counter.configure({ staffName }))
    if (result.ok) this.#updateOffer({ staff: result.value.staffName || staffName })
    return result
  }

  /** Sets who works here from now on, confirmed by their own PIN. */
  async chooseStaff(name: string, pin: string): Promise<Result<StaffView>> {
    const result = await settled(this.#api.counter.chooseStaff({ name, pin }))
    if (!result.ok) return result
    this.members = result.value.members
    this.#updateOffer({ staff: result.value.members.find(({ isCurrent }) => isCurrent)?.name ?? name })
    return result
  }

  markPinSet(): void {
    this.#updateOffer({ hasPin: true })
    this.starting.clear()
  }

  /** Applies changes made since the offer was loaded. */
  #updateOffer(change: Partial<CounterOffer>): void {
    if (this.offer) this.#offer.put({ ...this.offer, ...change })
  }

  /** All signatures that can be part of the session, document by document. */
  get entries(): readonly OfferedEntry[] {
    return this.offer?.entries ?? []
  }

  /** Returns whether this is the first signature, without which there is no session. */
  isFirst(entry: QueuePlace): boolean {
    return this.offer !== undefined && nameOf(entry) === nameOf(this.offer.first)
  }

  isAdded(entry: QueuePlace): boolean {
    return this.isFirst(entry) || this.#added.has(nameOf(entry))
  }

  /** Adds or removes a signature. Signatures that wait for a removed one are removed too. */
  setAdded(entry: OfferedEntry, isAdded: boolean): void {
    if (isAdded && this.waitsFor(entry) === undefined) this.#added.add(nameOf(entry))
    else this.#added.delete(nameOf(entry))
    for (const other of this.entries) if (this.waitsFor(other) !== undefined) this.#added.delete(nameOf(other))
  }

  /** Adds all of one person's signatures that are possible, or removes them. */
  setPersonAdded({ entries }: Signing, isAdded: boolean): void {
    for (const entry of entries) this.setAdded(entry, isAdded)
  }

  /** Adds every signature that is possible. */
  addAll(): void {
    for (let before = -1; before < this.#added.size; ) {
      before = this.#added.size
      for (const entry of this.entries) if (!this.isAdded(entry)) this.setAdded(entry, true)
    }
  }

  /**
   * Returns who has to sign first but isn't part of the session: a signer of the same document, or someone who can't
   * sign here.
   */
  waitsFor({ documentReference, after }: OfferedEntry): OfferedEntry | 'someone else' | undefined {
    for (const signer of after) {
      const before = this.entries.find((one) => one.documentReference === documentReference && one.signer === signer)
      if (!before) return 'someone else'
      if (!this.isAdded(before)) return before
    }
    return undefined
  }

  /** Everyone who can take part, each with all they could sign; the person who starts comes first. */
  get everyone(): Signing[] {
    const { first } = this.offer ?? {}
    const all = signingsOf(this.entries)
    return [
      ...all.filter(({ person }) => person === first?.person),
      ...all.filter(({ person }) => person !== first?.person)
    ]
  }

  /** What each person signs before the screen changes hands, in order. */
  readonly visits: OfferedEntry[][] = $derived.by(() => {
    const added = this.entries.filter((entry) => this.isAdded(entry))
    const first = added.filter((entry) => this.isFirst(entry))
    const signatures = [...first, ...added.filter((entry) => !this.isFirst(entry))]
    return this.#order ? visitsOf(signatures, this.#order) : fewestVisits(signatures)
  })

  /** The session's turns, in order. */
  get turns(): OfferedEntry[] {
    return this.visits.flat()
  }

  /** Who signs, in the order in which they first get the screen, with all they sign. */
  get people(): Signing[] {
    return signingsOf(this.turns)
  }

  /** Moves a person ahead of the one before them, as far as the signing order of their documents allows. */
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
  setSeen(person: string, item: EvidenceItem, isSeen: boolean): void {
    if (isSeen) this.#seen.add(`${person} ${item.id}`)
    else this.#seen.delete(`${person} ${item.id}`)
  }

  /** Whether nothing that the receipt could name was seen or compared for a person. */
  isUnchecked({ person, entries }: Signing): boolean {
    const hasSeen = this.offer?.evidence.some((item) => this.hasSeen(person, item))
    return !hasSeen && entries.every((entry) => !('compared' in this.#recordedComparison(entry)))
  }

  linesOf(person: string): string {
    return this.#lines.get(person) ?? ''
  }
  setLines(person: string, lines: string): void {
    this.#lines.set(person, lines)
  }
  /** Compares the lines with the person's name, as main will again; undefined if there are none. */
  lineComparisonOf(one: Pick<Signing, 'person' | 'signerName' | 'born'>): LineComparison | undefined {
    const lines = this.linesOf(one.person)
    return lines.trim() === '' ? undefined : compareLines(lines, one, this.#now())
  }

  /** Returns the printed details typed for a person; undefined if the machine-readable lines are used. */
  printedOf(person: string): PrintedDocument | undefined {
    return this.#printed.get(person)
  }
  /** Sets the printed details; undefined switches back to the machine-readable lines. */
  setPrinted(person: string, printed: PrintedDocument | undefined): void {
    if (printed) this.#printed.set(person, printed)
    else this.#printed.delete(person)
  }
  /** Returns the result for the details as they are now; undefined until they have been compared for each document. */
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
  /**
   * Has main compare the typed details with the person's name in every document they could sign, including ones that
   * aren't added yet.
   */
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
  /** The first person whose typed details haven't been compared in their current form. */
  get uncompared(): string | undefined {
    return this.people.find((one) => {
      const printed = this.#printed.get(one.person)
      if (!printed || Object.values(printed).every((text) => text.trim() === '')) return false
      const result = this.printedResultOf(one)
      return !result?.ok || result.value.comparison.kind === 'unusable'
    })?.person
  }

  /** The first required evidence that hasn't been seen. */
  get missingEvidence(): { person: string; item: EvidenceItem } | undefined {
    const required = this.offer?.evidence.filter((item) => item.isRequired) ?? []
    for (const { person } of this.people) {
      const item = required.find((one) => !this.hasSeen(person, one))
      if (item) return { person, item }
    }
    return undefined
  }

  /** Returns the result shown for one signature, and the lines or printed details for main to compare. */
  #recordedComparison(entry: OfferedEntry) {
    const printed = this.#printed.get(entry.person)
    if (printed) {
      const { of, result } = this.#printedResults.get(nameOf(entry)) ?? {}
      const kind = of === printed && result?.ok ? result.value.kind : 'unusable'
      return kind === 'unusable' ? {} : { compared: kind, printed: { ...printed } }
    }
    const kind = this.lineComparisonOf(entry)?.kind
    return kind === 'matches' || kind === 'differs' ? { compared: kind, lines: this.linesOf(entry.person) } : {}
  }

  /** Starts the session and returns it; on failure see `starting.error`. */
  async start(): Promise<CounterSession | undefined> {
    const evidence = this.offer?.evidence ?? []
    const turns = this.turns.map((entry) => {
      const { documentReference, signer, person } = entry
      return {
        documentReference,
        signer,
        evidence: evidence.filter((item) => this.hasSeen(person, item)).map(({ id }) => id),
        ...this.#recordedComparison(entry)
      }
    })
    const allowsCamera = this.allowsCamera && this.mayNeedCamera
    const session = await this.starting.run(() => this.#api.counter.start({ turns, allowsCamera }))
    if (this.starting.error?.code === 'no-pin') this.#updateOffer({ hasPin: false })
    // A name or the checklist may have changed: staff need to see it as main does.
    if (this.starting.error?.code === 'bad-input') await this.#offer.load()
    return session
  }
}

function nameOf({ documentReference, signer }: QueuePlace): string {
  return `${documentReference} ${signer}`
}
