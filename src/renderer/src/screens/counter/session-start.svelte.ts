/**
 * A session before it begins: which documents and signers it is made of, and what staff has seen of each of them. Main
 * decides in the end whether it may begin.
 */
import { SvelteSet } from 'svelte/reactivity'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { CounterEntry, CounterOffer, CounterSession, EvidenceItem } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'
import type { QueuePlace, SigningQueue } from './signing-queue.svelte.ts'

/** Someone who is to sign, with all that they sign in this session. */
export interface Signing {
  person: string
  signerName: string
  documents: string[]
}

export type OtherSigner = CounterOffer['others'][number]

const notHere: AppError = {
  code: 'not-signable',
  message: 'Nobody can sign this document here yet.'
}

export class SessionStart {
  readonly #offer = new Resource(() => this.#ask())
  allowsCamera = $state(false)
  readonly starting = new Action<CounterSession>()
  /** Documents and signers beside the first, as `reference signer`. */
  readonly #added = new SvelteSet<string>()
  /** What staff has seen, as `person evidence`. */
  readonly #seen = new SvelteSet<string>()
  readonly #api: Api
  readonly #queue: SigningQueue
  readonly #place: Partial<QueuePlace> & Pick<QueuePlace, 'documentReference'>
  readonly #also: readonly QueuePlace[]

  /**
   * @param place a signer of a document; without a signer the first who can sign it here.
   * @param also what else of theirs is ticked at first, where they can sign it now.
   */
  constructor(
    api: Api,
    queue: SigningQueue,
    place: Partial<QueuePlace> & Pick<QueuePlace, 'documentReference'>,
    also: readonly QueuePlace[] = []
  ) {
    this.#api = api
    this.#queue = queue
    this.#place = place
    this.#also = also
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
    await this.#offer.load()
    if (!this.offer || this.error) return
    const { alsoOfPerson, others } = this.offer
    const now = [...alsoOfPerson, ...others.filter(({ isTheirTurn }) => isTheirTurn)].map(nameOf)
    for (const name of this.#also.map(nameOf)) if (now.includes(name)) this.#added.add(name)
  }

  async #ask(): Promise<Result<CounterOffer>> {
    const { documentReference } = this.#place
    const signer = this.#place.signer ?? (await this.#queue.firstOf(documentReference))?.signer
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

  pinWasSet(): void {
    this.#learn({ hasPin: true })
    this.starting.clear()
  }

  /** What has changed since it was offered. */
  #learn(change: Partial<CounterOffer>): void {
    if (this.offer) this.#offer.put({ ...this.offer, ...change })
  }

  isAdded(entry: QueuePlace): boolean {
    return this.#added.has(nameOf(entry))
  }
  /** Adds a document or a signer, or takes them out; signers who come after one taken out go with them. */
  add(entry: QueuePlace, isAdded: boolean): void {
    if (isAdded) this.#added.add(nameOf(entry))
    else this.#added.delete(nameOf(entry))
    for (const other of this.offer?.others ?? []) if (this.waitsFor(other)) this.#added.delete(nameOf(other))
  }

  /** Who has to sign before this one, and isn't part of the session. */
  waitsFor(signer: OtherSigner): OtherSigner | undefined {
    if (signer.isTheirTurn) return undefined
    const others = this.offer?.others ?? []
    const before = others.slice(0, others.indexOf(signer)).filter((other) => !other.isTheirTurn)
    return before.find((other) => !this.isAdded(other))
  }

  /** The session's turns: all of the first person's documents, then the other signers in their order. */
  get turns(): CounterEntry[] {
    const offer = this.offer
    if (!offer) return []
    const also = [...offer.alsoOfPerson, ...offer.others].filter((entry) => this.isAdded(entry))
    const { person } = offer.first
    return [
      offer.first,
      ...also.filter((entry) => entry.person === person),
      ...also.filter((entry) => entry.person !== person)
    ]
  }

  get people(): Signing[] {
    const byPerson = Map.groupBy(this.turns, (turn) => turn.person)
    return [...byPerson].map(([person, turns]) => ({
      person,
      signerName: turns[0]?.signerName ?? '',
      documents: turns.map(({ documentName }) => documentName)
    }))
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

  /** The first evidence that must have been seen and was not. */
  get missing(): { person: string; item: EvidenceItem } | undefined {
    const required = this.offer?.evidence.filter((item) => item.isRequired) ?? []
    for (const { person } of this.people) {
      const item = required.find((one) => !this.hasSeen(person, one))
      if (item) return { person, item }
    }
    return undefined
  }

  /** Begins it. Answers the session; why not stands in `starting.error`. */
  async start(): Promise<CounterSession | undefined> {
    const evidence = this.offer?.evidence ?? []
    const turns = this.turns.map(({ documentReference, signer, person }) => ({
      documentReference,
      signer,
      evidence: evidence.filter((item) => this.hasSeen(person, item)).map(({ id }) => id)
    }))
    const allowsCamera = this.allowsCamera && this.mayNeedCamera
    const session = await this.starting.run(() => this.#api.counter.start({ turns, allowsCamera }))
    if (this.starting.error?.code === 'no-pin') this.#learn({ hasPin: false })
    return session
  }
}

function nameOf({ documentReference, signer }: QueuePlace): string {
  return `${documentReference} ${signer}`
}
