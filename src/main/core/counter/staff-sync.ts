/**
 * The staff that an office's workstations share: which parts of the list, and of its PINs, are sent to the office and
 * taken from it.
 */
import { z } from 'zod'
import { defined } from '../lib/objects.ts'
import { inTurn } from '../lib/slices.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { PinDeps } from './pin.ts'
import { PinHash } from './pin-hash.ts'
import { Member, ReleaseNeeded, type StaffList } from './staff-list.ts'
import { FIRST_ID, type StaffPins } from './staff-pins.ts'

/**
 * A reset of an administrator's PIN by the person who runs the office's server: whose PIN, by which user of the server, and
 * when, in ms since 1970 UTC by the server's clock.
 */
export const PinReset = z.object({
  id: z.string().max(64),
  member: z.string().max(64),
  name: z.string().max(100),
  by: z.string().max(200),
  at: z.number().min(0).max(8.64e15),
  /** Another PIN was chosen since: it counts, even against an older list. */
  isOver: z.literal(true).optional()
})
export type PinReset = z.infer<typeof PinReset>
/** Beyond this, the oldest are forgotten. */
const MAX_RESETS = 100
/** Compares two resets: negative if `one` came first. The same at all workstations, even for two at the same moment. */
export const compareResets = (one: PinReset, other: PinReset): number =>
  one.at - other.at || (one.id < other.id ? -1 : 1)
/** Merges the resets of these lists, in order. A reset that is over in one list is over. */
export function mergeResets(...lists: (readonly PinReset[] | undefined)[]): PinReset[] {
  const byId = Map.groupBy(
    lists.flatMap((list) => list ?? []),
    ({ id }) => id
  )
  return [...byId.values()]
    .flatMap((same) => same.find(({ isOver }) => isOver) ?? same.slice(0, 1))
    .sort(compareResets)
    .slice(-MAX_RESETS)
}

/** The staff of a whole office. The hash of a PIN is as secret as the PIN: it is only ever sent sealed. */
export const StaffContent = z.object({
  members: z
    .array(Member.extend({ pin: PinHash.optional() }))
    .min(1)
    .max(1000),
  release: ReleaseNeeded.optional(),
  resets: z.array(PinReset).max(MAX_RESETS).optional()
})
export type StaffContent = z.infer<typeof StaffContent>

const RESETS = 'staff-resets'
/** The ids of the resets that are in the audit trail. */
const RESETS_NOTED = 'staff-resets-noted'
/** The resets that were known when the workstation left an office, with the PINs concerned. */
const RESETS_AT_LEAVING = 'staff-resets-left'

interface StaffSyncDeps extends Pick<PinDeps, 'note' | 'changed'> {
  db: Db
}

export class StaffSync {
  readonly #deps: StaffSyncDeps
  readonly #list: StaffList
  readonly #pins: StaffPins
  readonly #meta: ReturnType<typeof openJsonMeta>

  constructor(deps: StaffSyncDeps, list: StaffList, pins: StaffPins) {
    this.#deps = deps
    this.#list = list
    this.#pins = pins
    this.#meta = openJsonMeta(deps.db)
  }

  /**
   * Everyone with the hash of their PIN. Undefined if nobody has a name, if an entry can't be understood, or while the
   * first person's PIN is still in the keychain.
   */
  content(): StaffContent | undefined {
    const list = this.#list
    const isComplete = list.unreadable.length === 0 && !list.members.some(({ id }) => id === FIRST_ID)
    if (!list.hasNames || !isComplete) return undefined
    const members = list.members.map((member) => ({ ...member, ...defined({ pin: this.#pins.hashOf(member.id) }) }))
    const withOneTimePin = new Set(list.members.filter(({ isPinOnce }) => isPinOnce).map(({ id }) => id))
    const resets = this.#resets().map((reset) =>
      withOneTimePin.has(reset.member) ? reset : { ...reset, isOver: true as const }
    )
    return { members, ...defined({ release: list.releaseNeeded() }), ...(resets.length > 0 && { resets }) }
  }

  applyFromOffice({ members, release, resets = [] }: StaffContent): void {
    const list = this.#list
    this.#deps.db.transaction(() => {
      const known = new Set(this.#resets().map(({ id }) => id))
      const current = list.currentId
      // Someone who proved themselves with the old PIN no longer works here, even if the reset is over.
      if (resets.some(({ id, member }) => member === current && !known.has(id))) list.setCurrent('')
      if (resets.length > 0) this.#meta.write(RESETS, mergeResets(resets))
      const gone = list.members.filter(({ id }) => !members.some((member) => member.id === id))
      for (const { id } of gone) this.#pins.applyOfficePin(id, undefined)
      for (const { id, pin } of members) this.#pins.applyOfficePin(id, pin)
      list.setReleaseNeeded(release)
      list.replace(members.map(({ pin: _pin, ...member }) => member))
    })()
  }

  changedByOffice(): void {
    this.#noteResets()
    this.#deps.changed()
  }

  /**
   * Called when the workstation joins an office: moves the keychain's PIN to where it can be shared. Rejects with the
   * keychain's error.
   */
  joinOffice(): Promise<void> {
    // Resets that came but weren't recorded before the application ended.
    this.#noteResets()
    return inTurn(this.#list, () => this.#pins.moveOutOfKeychain())
  }

  /**
   * Called when the workstation leaves. Fills an empty keychain, so that a missing entry means again that someone has
   * removed it.
   */
  leaveOffice(): Promise<void> {
    return inTurn(this.#list, async () => {
      // The resets are that office's. If the workstation joins again, an older list must not bring back a PIN that they
      // took away.
      const { members = [], resets = [] } = this.content() ?? {}
      const theirs = members.filter(({ id }) => resets.some(({ member }) => member === id))
      if (theirs.length > 0) this.#meta.write(RESETS_AT_LEAVING, { members: theirs, resets })
      this.#meta.erase(RESETS)
      if (this.#list.hasNames && (await this.#pins.hasEmptyKeychain())) await this.#pins.blockKeychainPin()
      // In the office, too, nobody was the first administrator by default.
      if (this.#list.hasNames && this.#list.currentId === undefined) this.#list.setCurrent('')
    })
  }

  /**
   * Returns the resets that were known when the workstation left an office, for people on this list, with their PINs at
   * that time.
   */
  rememberedResets({ members }: StaffContent): StaffContent | undefined {
    const remembered = this.#meta.read(RESETS_AT_LEAVING, StaffContent)
    const isListed = (whose: string) => members.some(({ id }) => id === whose)
    const theirs = remembered?.members.filter(({ id }) => isListed(id)) ?? []
    if (!remembered || theirs.length === 0) return undefined
    return { members: theirs, resets: remembered.resets?.filter(({ member }) => isListed(member)) }
  }

  /** Records each reset once, even if this workstation was off until the person had chosen their own PIN again. */
  #noteResets(): void {
    const noted = this.#meta.read(RESETS_NOTED, z.array(z.string())) ?? []
    const unnoted = this.#resets().filter(({ id }) => !noted.includes(id))
    for (const [index, { name, by, at }] of unnoted.entries()) {
      const ids = [...noted, ...unnoted.slice(0, index + 1).map(({ id }) => id)].slice(-2 * MAX_RESETS)
      const detail = { how: 'by the administrator’s command', name, user: by, from: new Date(at).toISOString() }
      this.#deps.note({ what: 'pin-reset', detail }, undefined, () => this.#meta.write(RESETS_NOTED, ids))
    }
  }

  #resets(): PinReset[] {
    return this.#meta.read(RESETS, z.array(PinReset)) ?? []
  }
}
