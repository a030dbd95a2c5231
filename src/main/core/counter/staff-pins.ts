/**
 * Where each staff member's PIN is kept: the first one in the keychain, as before staff had names, the others in the
 * database, whose key is in the keychain. Data about a name that isn't on the list looks like, and lasts as long as,
 * data about one that is.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import { getOrMake } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import { openJsonMeta } from '../storage/meta.ts'
import { type PinDeps, StaffPinKeeper } from './pin.ts'
import { Delays, Tries } from './pin-delays.ts'
import { FULL_COST, PinHash } from './pin-hash.ts'
import type { Member, StaffList } from './staff-list.ts'

/** The id of the person whose PIN is in the keychain, as before staff had names. */
export const FIRST_ID = 'first'
const STRANGERS = 'staff-strangers'
/** How many tried names that aren't on the list are remembered; beyond that, the oldest are forgotten. */
const MAX_STRANGERS = 500

const KeptHash = z.object({ hash: PinHash })

interface StaffPinsDeps extends PinDeps {
  db: Db
  newId: () => string
}

export class StaffPins {
  readonly #deps: StaffPinsDeps
  readonly #list: StaffList
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #keepers = new Map<string, StaffPinKeeper>()

  constructor(deps: StaffPinsDeps, list: StaffList) {
    this.#deps = deps
    this.#list = list
    this.#meta = openJsonMeta(deps.db)
  }

  get first(): StaffPinKeeper {
    return this.of(FIRST_ID)
  }

  all(): StaffPinKeeper[] {
    return [FIRST_ID, ...this.#list.members.map(({ id }) => id)]
      .filter((id, index, all) => all.indexOf(id) === index)
      .map((id) => this.of(id))
  }

  of(id: string): StaffPinKeeper {
    const note: PinDeps['note'] = ({ detail, ...what }, ...more) => {
      const name = this.#list.members.find((member) => member.id === id)?.name
      // For someone who is just being added, the entry about the addition says it.
      if (name !== undefined || !this.#list.hasNames)
        this.#deps.note({ ...what, detail: { ...detail, ...(name && { name }) } }, ...more)
    }
    return getOrMake(this.#keepers, id, () => new StaffPinKeeper({ ...this.#deps, note, slot: this.#slotOf(id) }))
  }

  /**
   * Returns a keeper for a name that isn't on the list: its data looks and lasts like a listed name's, and no PIN is
   * right.
   */
  ofStranger(name: string): StaffPinKeeper {
    const key = createHash('sha256').update(folded(name.trim())).digest('hex').slice(0, 32)
    const slot: SecretSlot = {
      get: async () => this.#strangers()[key] ?? this.#unmatchableSecret(),
      set: async (secret) => {
        const { [key]: _before, ...others } = this.#strangers()
        this.#meta.write(
          STRANGERS,
          Object.fromEntries([...Object.entries(others), [key, secret]].slice(-MAX_STRANGERS))
        )
      },
      delete: async () => undefined
    }
    return new StaffPinKeeper({ ...this.#deps, slot })
  }

  /** As `StaffPinKeeper.endWait`, for all names that aren't on the list. */
  endStrangerWaits(): void {
    const waived = Object.entries(this.#strangers()).map(([key, secret]) => [key, this.#waive(secret)])
    if (waived.length > 0) this.#meta.write(STRANGERS, Object.fromEntries(waived))
  }

  /** Lets the next try through, but keeps the count of wrong ones. */
  #waive(secret: string): string {
    const kept = Tries.loose().safeParse(parsedJson(secret)).data
    return kept && new Delays(this.#deps.time).remaining(kept) > 0
      ? JSON.stringify({ ...kept, isWaived: true })
      : secret
  }

  /** Undefined if the PIN is in the keychain. */
  hashOf(id: string): PinHash | undefined {
    return KeptHash.safeParse(parsedJson(this.#meta.read(pinKey(id), z.string()) ?? '')).data?.hash
  }

  /**
   * Stores the PIN that another workstation has for someone. Wrong tries stay counted unless the PIN is a different
   * one.
   */
  applyOfficePin(id: string, pin: PinHash | undefined): void {
    if (pin === undefined) this.#meta.erase(pinKey(id))
    else if (!isDeepStrictEqual(pin, this.hashOf(id)))
      this.#meta.write(pinKey(id), JSON.stringify({ hash: pin, wrong: 0, triedAt: 0 }))
  }

  /**
   * Stores the list and a PIN together. The keychain is written first, as it fails more easily than the database.
   * @param change as of the list.
   */
  async write(change: (now: Member[]) => Member[], id: string, secret: string): Promise<void> {
    if (id === FIRST_ID) await this.#deps.slot.set(secret)
    this.#list.write(change, () => id !== FIRST_ID && this.#meta.write(pinKey(id), secret))
  }

  /** Stores the list without someone, and deletes their PIN, together. */
  remove(id: string, others: Member[]): void {
    this.#list.write(
      () => others,
      () => void this.#meta.erase(pinKey(id))
    )
    this.#keepers.delete(id)
  }

  /** Whether the keychain has no entry, as after someone who can sign in to the computer has removed it. */
  async hasEmptyKeychain(): Promise<boolean> {
    return (await this.#deps.slot.get()) === null
  }

  /** Replaces the keychain's PIN with one that no code matches. Rejects with the keychain's error. */
  async blockKeychainPin(): Promise<void> {
    await this.#deps.slot.set(this.#unmatchableSecret())
  }

  /**
   * Moves the first person's PIN out of the keychain to the others', under an id that is unique across workstations.
   */
  async moveOutOfKeychain(): Promise<void> {
    if (!this.#list.members.some(({ id }) => id === FIRST_ID)) return
    const secret = await this.#deps.slot.get()
    const id = this.#deps.newId()
    this.#list.write(
      (now) => now.map((member) => (member.id === FIRST_ID ? { ...member, id } : member)),
      () => {
        if (secret !== null) this.#meta.write(pinKey(id), secret)
        if (this.#list.currentId === FIRST_ID) this.#list.setCurrent(id)
      }
    )
    this.#keepers.delete(FIRST_ID)
    await this.#deps.slot.delete()
  }

  #slotOf(id: string): SecretSlot {
    return id === FIRST_ID ? this.#deps.slot : this.#slotIn(pinKey(id))
  }

  #slotIn(key: string): SecretSlot {
    return {
      get: async () => this.#meta.read(key, z.string()) ?? null,
      set: async (secret) => this.#meta.write(key, secret),
      delete: async () => void this.#meta.erase(key)
    }
  }

  /** Makes a PIN entry that no code matches. */
  #unmatchableSecret(): string {
    const { n, r, p } = this.#deps.cost ?? FULL_COST
    const random = (bytes: number) => Buffer.from(this.#deps.randomBytes(bytes)).toString('hex')
    return JSON.stringify({ hash: { n, r, p, salt: random(16), key: random(32) }, wrong: 0, triedAt: 0 })
  }

  #strangers(): Record<string, string> {
    return this.#meta.read(STRANGERS, z.record(z.string(), z.string())) ?? {}
  }
}

function pinKey(id: string): string {
  return `staff-pin-${id}`
}
