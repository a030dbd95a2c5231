/** The list of staff in this workstation's database, and which of them works here. */
import { z } from 'zod'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { folded } from '../lib/text-folding.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta, openMeta } from '../storage/meta.ts'
import { PinHash } from './pin-hash.ts'
import { isAtLeast, ROLES } from './roles.ts'

/** The name that older lists have for the manager's role. */
const SUPERVISOR = 'supervisor'
export const Member = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(100),
  role: z.preprocess((role) => (role === SUPERVISOR ? 'manager' : role), z.enum(ROLES)),
  badge: PinHash.optional(),
  /** A one-time PIN: it only lets them choose their own. */
  isPinOnce: z.literal(true).optional()
})
export type Member = z.infer<typeof Member>

export const ReleaseNeeded = z.object({ above: z.int().min(0) })
export type ReleaseNeeded = z.infer<typeof ReleaseNeeded>

/** The key of the list. The database's triggers know it, and the keys of PINs. */
const LIST = 'staff'
const CURRENT = 'staff-current'
const RELEASE = 'staff-release'

interface ListDeps {
  db: Db
  /** Whether this workstation belongs to an office, which then has the list. */
  isInOffice?: () => boolean
}

/** Anyone who reads the list and then writes other data about staff, or the reverse, does so `inTurn` of this list. */
export class StaffList {
  readonly #deps: ListDeps
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #readText: (key: string) => string | undefined
  #read: { text: string | undefined; members: Member[]; unread: readonly unknown[] } | undefined

  constructor(deps: ListDeps) {
    this.#deps = deps
    this.#meta = openJsonMeta(deps.db)
    this.#readText = openMeta(deps.db).read
  }

  /** Read each time, as an office's list changes without us, and a change may be rolled back. */
  get #kept() {
    const text = this.#readText(LIST)
    if (this.#read && this.#read.text === text) return this.#read
    const kept = parseList(text)
    const members = kept.flatMap((one) => Member.safeParse(one).data ?? [])
    this.#read = { text, members, unread: kept.filter((one) => !Member.safeParse(one).success) }
    return this.#read
  }

  get members(): Member[] {
    return this.#kept.members
  }

  /** Entries that can't be understood: kept as they are. They count as people, so that the list stays locked. */
  get unreadable(): readonly unknown[] {
    return this.#kept.unread
  }

  get isInOffice(): boolean {
    return this.#deps.isInOffice?.() ?? false
  }

  /** Whether staff have names, so that each PIN belongs to one of them. */
  get hasNames(): boolean {
    return this.members.length + this.unreadable.length > 0
  }

  get hasOneMember(): boolean {
    return this.members.length === 1 && this.unreadable.length === 0
  }

  /** The id of who works here, even if they are no longer on the list. */
  get currentId(): string | undefined {
    return this.#meta.read(CURRENT, z.string())
  }

  setCurrent(id: string): void {
    this.#meta.write(CURRENT, id)
  }

  /**
   * Returns who works here now: the last person to prove it. Undefined if nobody has a name, and in an office until
   * someone has proved theirs.
   */
  current(): Member | undefined {
    return this.authenticated() ?? (this.isInOffice ? undefined : this.members.find(isAdministrator))
  }

  /** The same, for what requires a role: nobody takes the place of someone who is no longer on the list. */
  authenticated(): Member | undefined {
    const id = this.currentId
    if (id === undefined && !this.isInOffice) return this.members.find(isAdministrator)
    return this.members.find((member) => member.id === id)
  }

  /** By the whole name: wrong PINs for part of one would be counted separately, and would reveal whether it exists. */
  memberNamed(name: string | undefined): Member | undefined {
    if (name === undefined) return this.current()
    const typed = folded(name.trim())
    return this.members.find((member) => folded(member.name) === typed)
  }

  /**
   * Stores a changed list.
   * @param change gets the list as it is at that moment: another workstation's may have come meanwhile.
   * @param inTransaction runs in the same transaction.
   */
  write(change: (now: Member[]) => Member[], inTransaction: () => void = () => undefined): void {
    this.#deps.db.transaction(() => {
      inTransaction()
      this.#meta.write(LIST, [...change(this.members), ...this.unreadable])
    })()
  }

  /** Replaces the list, including entries that can't be understood. */
  replace(members: readonly Member[]): void {
    this.#meta.write(LIST, members)
  }

  /** Which packages wait until someone else releases them; undefined for none. */
  releaseNeeded(): ReleaseNeeded | undefined {
    return this.hasNames ? this.#meta.read(RELEASE, ReleaseNeeded) : undefined
  }

  setReleaseNeeded(release: ReleaseNeeded | undefined): void {
    if (release) this.#meta.write(RELEASE, release)
    else this.#meta.erase(RELEASE)
  }

  /**
   * If packages need a release, two people must be able to. Concurrent changes may have left fewer; a change that
   * doesn't reduce their number is allowed.
   */
  mustKeepReleasers(members: readonly Member[]): void {
    const [before, after] = [releasersOf(this.members), releasersOf(members)]
    if (!this.releaseNeeded() || after.length >= 2 || after.length >= before.length) return
    fail('bad-input', 'Nobody else could release what a manager sends.', {
      next: 'Add another manager or administrator first, or set “Packages someone else must release” to “None”.'
    })
  }
}

/**
 * The stored members, not yet parsed. A list that can't be read counts as one member, so that it isn't taken for an
 * empty one.
 */
function parseList(text: string | undefined): unknown[] {
  if (text === undefined) return []
  const list = parsedJson(text)
  return Array.isArray(list) ? list : [text]
}

export function isAdministrator({ role }: Member): boolean {
  return role === 'administrator'
}

/** Returns those who may release what someone else sends. */
export function releasersOf(members: readonly Member[]): readonly Member[] {
  return members.filter(({ role }) => isAtLeast(role, 'manager'))
}
