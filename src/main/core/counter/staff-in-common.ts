/** Staff as the workstations of an office have them in common: what of the list, and of its PINs, goes to the office and comes from there. */
import { z } from 'zod'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { PinDeps } from './pin.ts'
import { PinHash } from './pin-hash.ts'
import { Member, ReleaseNeeded, type StaffList } from './staff-list.ts'
import { FIRST, type StaffPins } from './staff-pins.ts'

/** An administrator's PIN that the one who runs the office's server has set again: whose, by which user of the server, in ms since 1970 UTC by its clock. */
export const PinReset = z.object({
  id: z.string().max(64),
  member: z.string().max(64),
  name: z.string().max(100),
  by: z.string().max(200),
  at: z.number().min(0).max(8.64e15),
  /** Another PIN was chosen since: that one counts, also against a list of before. */
  isOver: z.literal(true).optional()
})
export type PinReset = z.infer<typeof PinReset>
/** Of more the oldest are forgotten. */
const MOST_RESETS = 100
/** Negative where one was before the other; the same for all workstations, also of two at one moment. */
export const inOrder = (one: PinReset, other: PinReset): number => one.at - other.at || (one.id < other.id ? -1 : 1)
/** The resets of these lists, in their order; over for all where it is for one. */
export function allResets(...lists: (readonly PinReset[] | undefined)[]): PinReset[] {
  const byId = Map.groupBy(
    lists.flatMap((list) => list ?? []),
    ({ id }) => id
  )
  return [...byId.values()]
    .flatMap((same) => same.find(({ isOver }) => isOver) ?? same.slice(0, 1))
    .sort(inOrder)
    .slice(-MOST_RESETS)
}

/** Staff of a whole office. The hash of a PIN is as secret as the PIN: it goes nowhere but sealed. */
export const StaffInCommon = z.object({
  members: z
    .array(Member.extend({ pin: PinHash.optional() }))
    .min(1)
    .max(1000),
  release: ReleaseNeeded.optional(),
  resets: z.array(PinReset).max(MOST_RESETS).optional()
})
export type StaffInCommon = z.infer<typeof StaffInCommon>

const RESETS = 'staff-resets'
/** Of which resets the audit trail says it, by their ids. */
const RESETS_NOTED = 'staff-resets-noted'
/** The resets that were known as it left an office, with the PINs of those who had them. */
const RESETS_LEFT = 'staff-resets-left'

interface CommonDeps extends Pick<PinDeps, 'note' | 'changed'> {
  db: Db
}

export class CommonStaff {
  readonly #deps: CommonDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #meta: ReturnType<typeof keptIn>

  constructor(deps: CommonDeps, list: StaffList, pins: StaffPins) {
    this.#deps = deps
    this.#list = list
    this.#pins = pins
    this.#meta = keptIn(deps.db)
  }

  /**
   * Everyone with the hash of their PIN. Undefined where nobody has a name, one can't be understood, or the first one's PIN is still in the
   * keychain.
   */
  content(): StaffInCommon | undefined {
    const list = this.#list
    const isWhole = list.unread.length === 0 && !list.members.some(({ id }) => id === FIRST)
    if (!list.hasNames || !isWhole) return undefined
    const members = list.members.map((member) => ({ ...member, ...defined({ pin: this.#pins.hashOf(member.id) }) }))
    const once = new Set(list.members.filter(({ isPinOnce }) => isPinOnce).map(({ id }) => id))
    const resets = this.#resets().map((reset) => (once.has(reset.member) ? reset : { ...reset, isOver: true as const }))
    return { members, ...defined({ release: list.release() }), ...(resets.length > 0 && { resets }) }
  }

  /** Takes the office's list for this workstation's. */
  take({ members, release, resets = [] }: StaffInCommon): void {
    const list = this.#list
    this.#deps.db.transaction(() => {
      const known = new Set(this.#resets().map(({ id }) => id))
      const current = list.currentId
      // Who works here by the old PIN does so no more, also where it is all over already.
      if (resets.some(({ id, member }) => member === current && !known.has(id))) list.setCurrent('')
      if (resets.length > 0) this.#meta.write(RESETS, allResets(resets))
      const gone = list.members.filter(({ id }) => !members.some((member) => member.id === id))
      for (const { id } of gone) this.#pins.follow(id, undefined)
      for (const { id, pin } of members) this.#pins.follow(id, pin)
      list.keepRelease(release)
      list.replace(members.map(({ pin: _pin, ...member }) => member))
    })()
  }

  /** Something of them came from the office. */
  cameFromOffice(): void {
    this.#noteResets()
    this.#deps.changed()
  }

  /** As the workstation joins an office: each PIN is one that others can have. Rejects with the keychain's error. */
  joins(): Promise<void> {
    // Of what came, and was not written down before an end.
    this.#noteResets()
    return inTurn(this.#list, () => this.#pins.leaveKeychain())
  }

  /** As it leaves: what was removed from the keychain is taken for that again, and not for what never was there. */
  leaves(): Promise<void> {
    return inTurn(this.#list, async () => {
      // They are that office's. Should it come back, no list from before them brings a PIN back that they took away.
      const { members = [], resets = [] } = this.content() ?? {}
      const theirs = members.filter(({ id }) => resets.some(({ member }) => member === id))
      if (theirs.length > 0) this.#meta.write(RESETS_LEFT, { members: theirs, resets })
      this.#meta.erase(RESETS)
      if (this.#list.hasNames && (await this.#pins.hasEmptyKeychain())) await this.#pins.closeKeychain()
      // Nobody was the first administrator in the office either.
      if (this.#list.hasNames && this.#list.currentId === undefined) this.#list.setCurrent('')
    })
  }

  /** Of those on this list whose PINs had been reset as this workstation left an office: the resets, and their PINs as they were then. */
  asLeft({ members }: StaffInCommon): StaffInCommon | undefined {
    const left = this.#meta.read(RESETS_LEFT, StaffInCommon)
    const isHere = (whose: string) => members.some(({ id }) => id === whose)
    const theirs = left?.members.filter(({ id }) => isHere(id)) ?? []
    if (!left || theirs.length === 0) return undefined
    return { members: theirs, resets: left.resets?.filter(({ member }) => isHere(member)) }
  }

  /** Each once, also where this workstation was off until someone had chosen their own PIN again. */
  #noteResets(): void {
    const noted = this.#meta.read(RESETS_NOTED, z.array(z.string())) ?? []
    const untold = this.#resets().filter(({ id }) => !noted.includes(id))
    for (const [index, { name, by, at }] of untold.entries()) {
      const ids = [...noted, ...untold.slice(0, index + 1).map(({ id }) => id)].slice(-2 * MOST_RESETS)
      const detail = { how: 'by the administrator’s command', name, user: by, from: new Date(at).toISOString() }
      this.#deps.note({ what: 'pin-reset', detail }, undefined, () => this.#meta.write(RESETS_NOTED, ids))
    }
  }

  #resets(): PinReset[] {
    return this.#meta.read(RESETS, z.array(PinReset)) ?? []
  }
}
