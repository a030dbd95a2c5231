/**
 * A session before it begins: which documents and signers it is made of, and what staff has seen of each of them. Main
 * decides in the end whether it may begin.
 */
import { SvelteSet } from 'svelte/reactivity'
import type { AppError } from '../../../../shared/contract/errors.ts'
import type { CounterEntry, CounterOffer, CounterSession, EvidenceItem } from '../../../../shared/contract/views.ts'
import { type Api, settled } from '../../api.ts'
import { Action } from '../../state/action.svelte.ts'
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
  message: 'The service has the document, but nobody can sign it here yet.'
}

export class SessionStart {
  #offer = $state.raw<CounterOffer>()
  #error = $state.raw<AppError>()
  #reading = $state(false)
  #hasPin = $state(false)
  #staff = $state('')
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
    return this.#offer
  }
  /** Why nothing can be offered. */
  get error() {
    return this.#error
  }
  get reading() {
    return this.#reading
  }
  /** Who of staff the audit trail will name. */
  get staff() {
    return this.#staff
  }
  /** Without a PIN of staff nobody is handed the screen. */
  get hasPin() {
    return this.#hasPin
  }

  /** Has the documents read from the service, and asks what a session could be made of. */
  async load(): Promise<void> {
    this.#reading = true
    this.#error = undefined
    const place = await this.#where()
    const result = place && (await settled(this.#api.counter.offer(place)))
    this.#reading = false
    if (!result?.ok) {
      this.#error = result?.error ?? this.#queue.refreshing.error ?? notHere
      return
    }
    this.#offer = result.value
    this.#hasPin = result.value.hasPin
    this.#staff = result.value.staff
    const { alsoOfPerson, others } = result.value
    const now = [...alsoOfPerson, ...others.filter(({ isTheirTurn }) => isTheirTurn)].map(nameOf)
    for (const name of this.#also.map(nameOf)) if (now.includes(name)) this.#added.add(name)
  }

  async #where(): Promise<QueuePlace | undefined> {
    const { documentReference, signer } = this.#place
    if (signer !== undefined) return { documentReference, signer }
    const first = await this.#queue.firstOf(documentReference)
    return first && { documentReference, signer: first.signer }
  }

  /** Someone else of staff works here from now on. Answers why that was not kept. */
  async setStaff(staffName: string): Promise<AppError | undefined> {
    const result = await settled(this.#api.counter.configure({ staffName }))
    if (!result.ok) return result.error
    this.#staff = result.value.staffName || staffName
    return undefined
  }

  pinWasSet(): void {
    this.#hasPin = true
    this.starting.clear()
  }

  isAdded(entry: QueuePlace): boolean {
    return this.#added.has(nameOf(entry))
  }
  /** Adds a document or a signer, or takes them out; signers who come after one taken out go with them. */
  add(entry: QueuePlace, isAdded: boolean): void {
    if (isAdded) this.#added.add(nameOf(entry))
    else this.#added.delete(nameOf(entry))
    for (const other of this.#offer?.others ?? []) if (this.waitsFor(other)) this.#added.delete(nameOf(other))
  }

  /** Who has to sign before this one, and isn't part of the session. */
  waitsFor(signer: OtherSigner): OtherSigner | undefined {
    if (signer.isTheirTurn) return undefined
    const others = this.#offer?.others ?? []
    const before = others.slice(0, others.indexOf(signer)).filter((other) => !other.isTheirTurn)
    return before.find((other) => !this.isAdded(other))
  }

  /** The session's turns: all of the first person's documents, then the other signers in their order. */
  get turns(): CounterEntry[] {
    const offer = this.#offer
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
    const required = this.#offer?.evidence.filter((item) => item.isRequired) ?? []
    for (const { person } of this.people) {
      const item = required.find((one) => !this.hasSeen(person, one))
      if (item) return { person, item }
    }
    return undefined
  }

  /** Begins it. Answers the session; why not stands in `starting.error`. */
  async start(): Promise<CounterSession | undefined> {
    const evidence = this.#offer?.evidence ?? []
    const turns = this.turns.map(({ documentReference, signer, person }) => ({
      documentReference,
      signer,
      evidence: evidence.filter((item) => this.hasSeen(person, item)).map(({ id }) => id)
    }))
    const allowsCamera = this.allowsCamera && this.mayNeedCamera
    const session = await this.starting.run(() => this.#api.counter.start({ turns, allowsCamera }))
    if (this.starting.error?.code === 'no-pin') this.#hasPin = false
    return session
  }
}

function nameOf({ documentReference, signer }: QueuePlace): string {
  return `${documentReference} ${signer}`
}
