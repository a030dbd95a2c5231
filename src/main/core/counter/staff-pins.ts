/**
 * Where the PIN of each of staff is kept: the first one in the keychain, as it was before there were names, the others in the database,
 * whose key is there. What is kept of a name that isn't there looks and lasts as what is kept of one that is.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { parsedJson } from '../lib/json-scanning.ts'
import { getOrMake } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import { keptIn } from '../storage/meta.ts'
import { Delays, type PinDeps, StaffPinKeeper, Tries } from './pin.ts'
import { FULL_COST, PinHash } from './pin-hash.ts'
import type { Member, StaffList } from './staff-list.ts'

/** Whose PIN is the keychain's, as it was before there were names. */
export const FIRST = 'first'
const STRANGERS = 'staff-strangers'
/** Names that aren't there and were tried; of more the oldest are forgotten. */
const MOST_STRANGERS = 500

const KeptHash = z.object({ hash: PinHash })

interface StaffPinsDeps extends PinDeps {
  db: Db
  newId: () => string
}

export class StaffPins {
  readonly #deps: StaffPinsDeps
  readonly #list: StaffList
  readonly #meta: ReturnType<typeof keptIn>
  readonly #keepers = new Map<string, StaffPinKeeper>()

  constructor(deps: StaffPinsDeps, list: StaffList) {
    this.#deps = deps
    this.#list = list
    this.#meta = keptIn(deps.db)
  }

  get first(): StaffPinKeeper {
    return this.of(FIRST)
  }

  all(): StaffPinKeeper[] {
    return [FIRST, ...this.#list.members.map(({ id }) => id)]
      .filter((id, index, all) => all.indexOf(id) === index)
      .map((id) => this.of(id))
  }

  of(id: string): StaffPinKeeper {
    const note: PinDeps['note'] = ({ detail, ...what }, ...more) => {
      const name = this.#list.members.find((member) => member.id === id)?.name
      // Of one who is being added, the entry of the addition says it.
      if (name !== undefined || !this.#list.hasNames)
        this.#deps.note({ ...what, detail: { ...detail, ...(name && { name }) } }, ...more)
    }
    return getOrMake(this.#keepers, id, () => new StaffPinKeeper({ ...this.#deps, note, slot: this.#slotOf(id) }))
  }

  /** A name that isn't there: what is kept of it looks and lasts as what is kept of one that is, and nothing is right. */
  ofStranger(name: string): StaffPinKeeper {
    const key = createHash('sha256').update(folded(name.trim())).digest('hex').slice(0, 32)
    const slot: SecretSlot = {
      get: async () => this.#strangers()[key] ?? this.#nobodys(),
      set: async (secret) => {
        const { [key]: _before, ...others } = this.#strangers()
        this.#meta.write(
          STRANGERS,
          Object.fromEntries([...Object.entries(others), [key, secret]].slice(-MOST_STRANGERS))
        )
      },
      delete: async () => undefined
    }
    return new StaffPinKeeper({ ...this.#deps, slot })
  }

  /** As `StaffPinKeeper.endWait`, of all names that aren't there. */
  endStrangersWaits(): void {
    const waived = Object.entries(this.#strangers()).map(([key, secret]) => [key, this.#waived(secret)])
    if (waived.length > 0) this.#meta.write(STRANGERS, Object.fromEntries(waived))
  }

  /** The next try is taken, and what was wrong before is remembered. */
  #waived(secret: string): string {
    const kept = Tries.loose().safeParse(parsedJson(secret)).data
    return kept && new Delays(this.#deps.time).left(kept) > 0 ? JSON.stringify({ ...kept, isWaived: true }) : secret
  }

  /** Undefined where it is in the keychain. */
  hashOf(id: string): PinHash | undefined {
    return KeptHash.safeParse(parsedJson(this.#meta.read(pinKey(id), z.string()) ?? '')).data?.hash
  }

  /** Keeps what another workstation has as the PIN of someone. Tries that were wrong go on being counted, but at a PIN that is another. */
  follow(id: string, pin: PinHash | undefined): void {
    if (pin === undefined) this.#meta.erase(pinKey(id))
    else if (!isDeepStrictEqual(pin, this.hashOf(id)))
      this.#meta.write(pinKey(id), JSON.stringify({ hash: pin, wrong: 0, triedAt: 0 }))
  }

  /** The list and a PIN, together. The keychain's goes first: that fails more easily than the database. @param change as of the list. */
  async write(change: (now: Member[]) => Member[], id: string, secret: string): Promise<void> {
    if (id === FIRST) await this.#deps.slot.set(secret)
    this.#list.write(change, () => id !== FIRST && this.#meta.write(pinKey(id), secret))
  }

  /** The list without someone, and their PIN, together. */
  remove(id: string, others: Member[]): void {
    this.#list.write(
      () => others,
      () => void this.#meta.erase(pinKey(id))
    )
    this.#keepers.delete(id)
  }

  /** Whether the keychain has none, as where someone who can sign in to the computer has removed it. */
  async hasEmptyKeychain(): Promise<boolean> {
    return (await this.#deps.slot.get()) === null
  }

  /** The keychain's PIN is nobody's from now on. Rejects with the keychain's error. */
  async closeKeychain(): Promise<void> {
    await this.#deps.slot.set(this.#nobodys())
  }

  /** The first one's PIN goes to the others', under an id that is nobody else's elsewhere. */
  async leaveKeychain(): Promise<void> {
    if (!this.#list.members.some(({ id }) => id === FIRST)) return
    const secret = await this.#deps.slot.get()
    const id = this.#deps.newId()
    this.#list.write(
      (now) => now.map((member) => (member.id === FIRST ? { ...member, id } : member)),
      () => {
        if (secret !== null) this.#meta.write(pinKey(id), secret)
        if (this.#list.currentId === FIRST) this.#list.setCurrent(id)
      }
    )
    this.#keepers.delete(FIRST)
    await this.#deps.slot.delete()
  }

  #slotOf(id: string): SecretSlot {
    return id === FIRST ? this.#deps.slot : this.#slotIn(pinKey(id))
  }

  #slotIn(key: string): SecretSlot {
    return {
      get: async () => this.#meta.read(key, z.string()) ?? null,
      set: async (secret) => this.#meta.write(key, secret),
      delete: async () => void this.#meta.erase(key)
    }
  }

  /** What is kept of a PIN that nothing is right for. */
  #nobodys(): string {
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
