/**
 * The staff of an office: its workstations share one list, with roles and PINs, as they share presets; it belongs to no
 * account. A workstation that can't reach the office's server goes on with the last list it knows. Concurrent changes
 * are merged; if both changed the same person, the one that the office had first holds.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { OfficeRecords } from '../office/records.ts'
import type { SharedKind } from '../office/shared-kind.ts'
import { SharedRecords } from '../office/shared-records.ts'
import type { ReleaseRule } from '../outbox/releases.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'
import type { Staff } from './staff.ts'
import { compareResets, mergeResets, type PinReset, StaffContent } from './staff-sync.ts'

/**
 * The names in the database for what belongs to no account and for the list of staff. Its triggers know both, and the
 * key.
 */
const OFFICE = 'office'
const LIST = 'staff'
const KEY = 'office-staff'
const NO_LIMITS = { concurrency: 1, perMinute: null }

type Shared = Pick<Staff, 'sync' | 'authenticated' | 'releaseNeeded'>

interface SharedStaffDeps {
  db: Db
  time: Time
  newId: () => string
  /** Called with the reason why the office's server couldn't be asked. */
  onError: (error: unknown) => void
}

/** The parts of the office connection that are needed here. */
interface StaffConnection {
  store: { account: (name: string, limits: typeof NO_LIMITS) => Promise<string> }
  records: OfficeRecords
}

export class SharedStaff {
  readonly #meta: ReturnType<typeof openJsonMeta>
  readonly #records: SharedRecords
  readonly #kinds: SharedKind[] = []
  #staff: Shared | undefined
  #isConnected = false
  /** Whether everything on the server was read since it was last connected. */
  #isSynced = false
  /** The life of the office's server for which the id is known; 0 for none. */
  #life = 0

  constructor(deps: SharedStaffDeps) {
    this.#meta = openJsonMeta(deps.db)
    this.#records = new SharedRecords({
      ...deps,
      kinds: this.#kinds,
      accounts: () => {
        const id = this.#officeId()
        return new Map(id === undefined ? [] : [[OFFICE, id]])
      },
      changed: () => this.#staff?.sync.changedByOffice()
    })
  }

  /**
   * Which packages wait for someone else of the staff, and who is asking; none and nobody until the staff are known.
   */
  readonly releaseRule: ReleaseRule = {
    isNeeded: (people) => {
      const release = this.#staff?.releaseNeeded()
      return release !== undefined && people > release.above
    },
    who: () => {
      const { id = '', name = '' } = this.#staff?.authenticated() ?? {}
      return { id, name }
    }
  }

  get isInOffice(): boolean {
    return this.#officeId() !== undefined
  }

  /** Sets the staff to share; called before the workstation connects. */
  follow(staff: Shared): void {
    this.#staff = staff
    this.#kinds.splice(0, Number.POSITIVE_INFINITY, kindOf(staff.sync))
  }

  /**
   * Connects to the office's server. Resolves once its list was read, if that hasn't happened since it connected.
   * Rejects if the server or the keychain fails; the list then stays as it is, and the next call reads it.
   */
  async connect({ store, records }: StaffConnection, life: number, name: string): Promise<void> {
    if (!this.#staff) return
    if (!this.#isConnected || life !== this.#life) this.#isSynced = false
    // A server that was restored from a backup may have it under another id.
    if (life !== this.#life) {
      const id = await store.account(LIST, NO_LIMITS)
      if (id !== this.#officeId()) this.#meta.write(KEY, id)
      this.#life = life
    }
    // Not before: otherwise a keychain without an entry would look as if someone had removed its entry.
    await this.#staff.sync.joinOffice()
    this.#records.connect(records, life, name)
    this.#isConnected = true
    if (this.#isSynced) return
    await this.syncNow()
    // It may have disconnected meanwhile.
    this.#isSynced = this.#isConnected
  }

  disconnect(): void {
    this.#isConnected = false
    this.#records.disconnect()
  }

  changedHere(): void {
    this.#records.localChanged()
  }

  /** Called when something under this office id changed; undefined means anything may have. */
  notified(officeId: string | undefined): void {
    if (officeId === undefined || officeId === this.#officeId()) this.#records.syncSoon(OFFICE)
  }

  /** Reads and sends all changes, if the server is connected. Rejects if it can't be reached any more. */
  async syncNow(): Promise<void> {
    if (this.#isConnected) await this.#records.syncNow(OFFICE)
  }

  /** Called when the workstation leaves the office: the list is its own from now on. */
  async leftOffice(): Promise<void> {
    await this.#staff?.sync.leaveOffice()
    this.#meta.erase(KEY)
    this.#life = 0
    await this.#records.whenIdle(OFFICE)
  }

  close(): Promise<void> {
    return this.#records.close()
  }

  #officeId(): string | undefined {
    return this.#meta.read(KEY, z.string())
  }
}

function kindOf(staff: Shared['sync']): SharedKind<StaffContent> {
  const content = () => staff.content()
  // Adds the resets that this workstation knew when it left that office, or another one with the same people.
  const withRememberedResets = (theirs: StaffContent) => {
    const remembered = staff.rememberedResets(theirs)
    return remembered && withLackingResets(remembered, theirs)
  }
  return {
    kind: 'staff',
    page: 1,
    localIds: () => (content() ? [LIST] : []),
    ownerOf: (local) => (local === LIST && content() ? OFFICE : undefined),
    content,
    read: (kept) => StaffContent.safeParse(kept).data,
    write(_account, kept) {
      staff.applyFromOffice(kept)
      return LIST
    },
    // No workstation deletes the list, so a deletion on the server must not take names and PINs from this one.
    erase: () => undefined,
    identity: () => LIST,
    merge: (mine, theirs, base) => mergeStaff(mine, withRememberedResets(theirs) ?? theirs, base),
    overrideTheirs(mine, theirs) {
      const more = withRememberedResets(theirs)
      return withLackingResets(mine, more ?? theirs) ?? more
    }
  }
}

/**
 * Merges two lists that both derive from `base`. Someone removed from one is removed, and a change made in only one is
 * kept. If two people have the same name, as when both workstations had added them before joining, the office's stays.
 * A PIN reset holds, and so does a PIN chosen since, whatever the two derive from.
 */
export function mergeStaff(mine: StaffContent, theirs: StaffContent, base: StaffContent | undefined): StaffContent {
  const of = (list: StaffContent | undefined, id: string) => list?.members.find((member) => member.id === id)
  const ids = new Set([...theirs.members, ...mine.members].map(({ id }) => id))
  const members = [...ids].flatMap((id) => {
    const [local, remote, before] = [of(mine, id), of(theirs, id), of(base, id)]
    if (!local || !remote) return before ? [] : (local ?? remote ?? [])
    return isDeepStrictEqual(remote, before) ? local : remote
  })
  const named = members.filter(
    (member, index) => members.findIndex(({ name }) => folded(name) === folded(member.name)) === index
  )
  if (!named.some(({ role }) => role === 'administrator')) return withResets(mine, theirs)
  const { release } = isDeepStrictEqual(theirs.release, base?.release) ? mine : theirs
  return withResets(mine, theirs, { members: named, ...(release && { release }) })
}

/** Returns `theirs` with the resets that it lacks, if `mine` has no other changes; undefined if it lacks none. */
export function withLackingResets(mine: StaffContent, theirs: StaffContent): StaffContent | undefined {
  return mine.resets?.some(({ member }) => hasNewerReset(mine, theirs, member)) ? withResets(mine, theirs) : undefined
}

/**
 * Whether `one` knows more about someone's PIN than `other`: a later reset, or that the reset is over. If so, `other`
 * may be an old list, restored with the server or put there by someone who controls only the server, or it may derive
 * from such a list.
 */
function hasNewerReset(one: StaffContent, other: StaffContent, member: string): boolean {
  const [its, others] = [lastReset(one, member), lastReset(other, member)]
  if (!its || !others) return its !== undefined
  return its.id === others.id ? its.isOver === true && !others.isOver : compareResets(its, others) > 0
}

function lastReset({ resets }: StaffContent, whose: string): PinReset | undefined {
  return mergeResets(resets).findLast(({ member }) => member === whose)
}

/**
 * Returns `list` with each member's PIN taken from the side that knows more about it: a PIN that was reset stays gone,
 * and so does a one-time PIN that was replaced.
 */
function withResets(mine: StaffContent, theirs: StaffContent, list: StaffContent = theirs): StaffContent {
  const members = list.members.map((member) => {
    const { id } = member
    const newer = hasNewerReset(mine, theirs, id) ? mine : hasNewerReset(theirs, mine, id) ? theirs : undefined
    const newerMember = newer?.members.find((one) => one.id === id)
    if (!newerMember) return member
    const { pin: _pin, isPinOnce: _isPinOnce, ...without } = member
    const { pin, isPinOnce } = newerMember
    return { ...without, ...defined({ pin, isPinOnce }) }
  })
  const resets = mergeResets(theirs.resets, mine.resets)
  return { ...list, members, ...(resets.length > 0 && { resets }) }
}
