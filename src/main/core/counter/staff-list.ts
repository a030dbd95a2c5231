/** The list of staff as this workstation's database has it, and who of them works here. */
import { z } from 'zod'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn, openMeta } from '../storage/meta.ts'
import { PinHash } from './pin-hash.ts'
import { mayAs, ROLES } from './roles.ts'

/** As a list from before says it of those who are managers now. */
const SUPERVISOR = 'supervisor'
export const Member = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(100),
  role: z.preprocess((role) => (role === SUPERVISOR ? 'manager' : role), z.enum(ROLES)),
  badge: PinHash.optional(),
  /** The PIN lets them choose their own, and nothing else. */
  isPinOnce: z.literal(true).optional()
})
export type Member = z.infer<typeof Member>

export const ReleaseNeeded = z.object({ above: z.int().min(0) })
export type ReleaseNeeded = z.infer<typeof ReleaseNeeded>

/** Where the list is kept; the database's triggers know it and the keys of PINs, too. */
const LIST = 'staff'
const CURRENT = 'staff-current'
const RELEASE = 'staff-release'

interface ListDeps {
  db: Db
  /** Whether this workstation belongs to an office, whose staff they are then. */
  isOffices?: () => boolean
}

/** What reads it and then writes something else of staff, or the other way round, does so `inTurn` of this list. */
export class StaffList {
  readonly #deps: ListDeps
  readonly #meta: ReturnType<typeof keptIn>
  readonly #readText: (key: string) => string | undefined
  #read: { text: string | undefined; members: Member[]; unread: readonly unknown[] } | undefined

  constructor(deps: ListDeps) {
    this.#deps = deps
    this.#meta = keptIn(deps.db)
    this.#readText = openMeta(deps.db).read
  }

  /** As the database has it: an office's list changes without our doing, and a change of it may be undone. */
  get #kept() {
    const text = this.#readText(LIST)
    if (this.#read && this.#read.text === text) return this.#read
    const kept = listIn(text)
    const members = kept.flatMap((one) => Member.safeParse(one).data ?? [])
    this.#read = { text, members, unread: kept.filter((one) => !Member.safeParse(one).success) }
    return this.#read
  }

  get members(): Member[] {
    return this.#kept.members
  }

  /** What the list has that can't be understood: kept as it is, and locked rather than taken for nobody. */
  get unread(): readonly unknown[] {
    return this.#kept.unread
  }

  get isOffices(): boolean {
    return this.#deps.isOffices?.() ?? false
  }

  /** Whether staff have names, so that each PIN belongs to one of them. */
  get hasNames(): boolean {
    return this.members.length + this.unread.length > 0
  }

  get isOnlyOne(): boolean {
    return this.members.length === 1 && this.unread.length === 0
  }

  /** By their id, also where they are on the list no more. */
  get currentId(): string | undefined {
    return this.#meta.read(CURRENT, z.string())
  }

  setCurrent(id: string): void {
    this.#meta.write(CURRENT, id)
  }

  /** Who works here now: as they proved last. Undefined where nobody has a name, and in an office until someone has proved theirs. */
  current(): Member | undefined {
    return this.proved() ?? (this.isOffices ? undefined : this.members.find(isAdministrator))
  }

  /** The same for what takes a role: nobody has the place of someone who is on the list no more. */
  proved(): Member | undefined {
    const id = this.currentId
    if (id === undefined && !this.isOffices) return this.members.find(isAdministrator)
    return this.members.find((member) => member.id === id)
  }

  /** By the whole name: the wrong PINs at a part of it would be counted apart, and say so whether it is one. */
  named(name: string | undefined): Member | undefined {
    if (name === undefined) return this.current()
    const typed = folded(name.trim())
    return this.members.find((member) => folded(member.name) === typed)
  }

  /**
   * @param change of the list as it is at that moment: another workstation's may have come meanwhile.
   * @param along written with it, or not at all.
   */
  write(change: (now: Member[]) => Member[], along: () => void = () => undefined): void {
    this.#deps.db.transaction(() => {
      along()
      this.#meta.write(LIST, [...change(this.members), ...this.unread])
    })()
  }

  /** Also in place of what can't be understood. */
  replace(members: readonly Member[]): void {
    this.#meta.write(LIST, members)
  }

  /** Which packages wait until another of staff releases them; undefined for none. */
  release(): ReleaseNeeded | undefined {
    return this.hasNames ? this.#meta.read(RELEASE, ReleaseNeeded) : undefined
  }

  keepRelease(release: ReleaseNeeded | undefined): void {
    if (release) this.#meta.write(RELEASE, release)
    else this.#meta.erase(RELEASE)
  }

  /** Where packages wait for another of staff, two can release. Two changes at once may have left fewer: what makes it no worse is none of it. */
  mustBeReleasable(members: readonly Member[]): void {
    const [before, after] = [releasing(this.members), releasing(members)]
    if (!this.release() || after.length >= 2 || after.length >= before.length) return
    fail('bad-input', 'Nobody else could release what a manager sends.', {
      next: 'Add another manager or administrator first, or set “Packages that someone else releases” to “None”.'
    })
  }
}

/** The members that were kept, not yet understood; a list that can't be read counts as one, so that it isn't taken for nobody. */
function listIn(text: string | undefined): unknown[] {
  if (text === undefined) return []
  const list = parsedJson(text)
  return Array.isArray(list) ? list : [text]
}

export function isAdministrator({ role }: Member): boolean {
  return role === 'administrator'
}

/** Who of them may release what another sends. */
export function releasing(members: readonly Member[]): readonly Member[] {
  return members.filter(({ role }) => mayAs(role, 'manager'))
}
