/**
 * Staff of an office: its workstations have one list of them, with roles and PINs, as they have presets in common. It is of no account.
 * A workstation that can't reach the office's server goes on with what it last knew; where two changed the list at the same time, both changes
 * hold, and of one person's the one that the office had first.
 */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { defined } from '../lib/objects.ts'
import { folded } from '../lib/text-folding.ts'
import type { Time } from '../lib/time.ts'
import type { OfficeRecords } from '../office/records.ts'
import { type SharedKind, SharedRecords } from '../office/shared-records.ts'
import type { ReleaseRule } from '../outbox/releases.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { Staff } from './staff.ts'
import { allResets, inOrder, type PinReset, StaffInCommon } from './staff-in-common.ts'

/** What the database calls that which is of no account, and its list of staff; its triggers know both, and the key. */
const OFFICES = 'office'
const LIST = 'staff'
const KEY = 'office-staff'
const NO_LIMITS = { concurrency: 1, perMinute: null }

type Shared = Pick<Staff, 'inCommon' | 'proved' | 'release'>

interface SharedStaffDeps {
  db: Db
  time: Time
  newId: () => string
  /** Called with why the office's server could not be asked. */
  trouble: (error: unknown) => void
}

/** As much of the line to the office as it takes. */
interface Line {
  store: { account: (name: string, limits: typeof NO_LIMITS) => Promise<string> }
  records: OfficeRecords
}

export class SharedStaff {
  readonly #meta: ReturnType<typeof keptIn>
  readonly #records: SharedRecords
  readonly #kinds: SharedKind[] = []
  #staff: Shared | undefined
  #isThere = false
  /** Whether what the server has was read since it is there. */
  #isRead = false
  /** Of which life of the office the id is known; 0 for none. */
  #life = 0

  constructor(deps: SharedStaffDeps) {
    this.#meta = keptIn(deps.db)
    this.#records = new SharedRecords({
      ...deps,
      kinds: this.#kinds,
      accounts: () => {
        const id = this.#officeId()
        return new Map(id === undefined ? [] : [[OFFICES, id]])
      },
      changed: () => this.#staff?.inCommon.cameFromOffice()
    })
  }

  /** Which packages wait for another of staff, and who is asking; nobody's, before staff are known. */
  readonly releaseRule: ReleaseRule = {
    isNeeded: (people) => {
      const release = this.#staff?.release()
      return release !== undefined && people > release.above
    },
    who: () => {
      const { id = '', name = '' } = this.#staff?.proved() ?? {}
      return { id, name }
    }
  }

  /** Whether staff are an office's. */
  get isOffices(): boolean {
    return this.#officeId() !== undefined
  }

  /** Whose list it is; before the workstation connects. */
  follow(staff: Shared): void {
    this.#staff = staff
    this.#kinds.splice(0, Number.POSITIVE_INFINITY, kindOf(staff.inCommon))
  }

  /**
   * The office's server is there; resolves once what it has was read, where that wasn't done since it is there. Rejects where it, or the
   * keychain, doesn't do what is asked; the list stays as it is then, and is read when this is called again.
   */
  async connect({ store, records }: Line, life: number, name: string): Promise<void> {
    if (!this.#staff) return
    if (!this.#isThere || life !== this.#life) this.#isRead = false
    // A server that was put back may have it under another id.
    if (life !== this.#life) {
      const id = await store.account(LIST, NO_LIMITS)
      if (id !== this.#officeId()) this.#meta.write(KEY, id)
      this.#life = life
    }
    // Only now: a keychain without an entry would else be taken for one whose entry someone has removed.
    await this.#staff.inCommon.joins()
    this.#records.connect(records, life, name)
    this.#isThere = true
    if (this.#isRead) return
    await this.settled()
    // Meanwhile it may have gone.
    this.#isRead = this.#isThere
  }

  disconnect(): void {
    this.#isThere = false
    this.#records.disconnect()
  }

  /** Something was done to them here. */
  changedHere(): void {
    this.#records.changedHere()
  }

  /** Something is new of what the office has under this id; undefined where that may be anything. */
  rung(officeId: string | undefined): void {
    if (officeId === undefined || officeId === this.#officeId()) this.#records.soon(OFFICES)
  }

  /** Reads and gives all that there is, where the server is there. Rejects where it can't be reached any more. */
  async settled(): Promise<void> {
    if (this.#isThere) await this.#records.settled(OFFICES)
  }

  /** The workstation leaves: the list is its own from now on. */
  async left(): Promise<void> {
    await this.#staff?.inCommon.leaves()
    this.#meta.erase(KEY)
    this.#life = 0
    await this.#records.ended(OFFICES)
  }

  close(): Promise<void> {
    return this.#records.close()
  }

  #officeId(): string | undefined {
    return this.#meta.read(KEY, z.string())
  }
}

function kindOf(staff: Shared['inCommon']): SharedKind<StaffInCommon> {
  const content = () => staff.content()
  // With what this workstation knew of them when it left that office, or another with the same people.
  const further = (theirs: StaffInCommon) => {
    const left = staff.asLeft(theirs)
    return left && kept(left, theirs)
  }
  return {
    kind: 'staff',
    page: 1,
    locals: () => (content() ? [LIST] : []),
    ownerOf: (local) => (local === LIST && content() ? OFFICES : undefined),
    content,
    read: (kept) => StaffInCommon.safeParse(kept).data,
    write(_account, kept) {
      staff.take(kept)
      return LIST
    },
    // Nobody ends it, so who says that it is over doesn't take names and PINs from this workstation.
    erase: () => undefined,
    identity: () => LIST,
    together: (mine, theirs, base) => together(mine, further(theirs) ?? theirs, base),
    kept(mine, theirs) {
      const more = further(theirs)
      return kept(mine, more ?? theirs) ?? more
    }
  }
}

/**
 * Of two lists that both go on from `base` the one that counts: who was removed from one is on none, and what only one changed is as
 * that has it. Of two people of one name, as in an office where both workstations had named them before, the office's stays. A reset of a PIN
 * holds, and so does the PIN that was chosen since, whatever the two go on from.
 */
export function together(mine: StaffInCommon, theirs: StaffInCommon, base: StaffInCommon | undefined): StaffInCommon {
  const of = (list: StaffInCommon | undefined, id: string) => list?.members.find((member) => member.id === id)
  const ids = new Set([...theirs.members, ...mine.members].map(({ id }) => id))
  const members = [...ids].flatMap((id) => {
    const [here, there, before] = [of(mine, id), of(theirs, id), of(base, id)]
    if (!here || !there) return before ? [] : (here ?? there ?? [])
    return isDeepStrictEqual(there, before) ? here : there
  })
  const named = members.filter(
    (member, index) => members.findIndex(({ name }) => folded(name) === folded(member.name)) === index
  )
  if (!named.some(({ role }) => role === 'administrator')) return withResets(mine, theirs)
  const { release } = isDeepStrictEqual(theirs.release, base?.release) ? mine : theirs
  return withResets(mine, theirs, { members: named, ...(release && { release }) })
}

/** `theirs` with the resets that it lacks, where nothing else was changed in `mine`; undefined where it lacks none. */
export function kept(mine: StaffInCommon, theirs: StaffInCommon): StaffInCommon | undefined {
  return mine.resets?.some(({ member }) => isFurther(mine, theirs, member)) ? withResets(mine, theirs) : undefined
}

/**
 * Whether `one` knows more of what became of someone's PIN than `other`: a later reset, or that it is over. Otherwise `other` may be a list of
 * before, which who has the server alone put in its place or which was restored with it, or one that goes on from such a list.
 */
function isFurther(one: StaffInCommon, other: StaffInCommon, member: string): boolean {
  const [its, others] = [lastReset(one, member), lastReset(other, member)]
  if (!its || !others) return its !== undefined
  return its.id === others.id ? its.isOver === true && !others.isOver : inOrder(its, others) > 0
}

function lastReset({ resets }: StaffInCommon, whose: string): PinReset | undefined {
  return allResets(resets).findLast(({ member }) => member === whose)
}

/** `list`, in which everyone has the PIN of the one of both that is further: what a reset took away stays gone, and so does its one-time PIN. */
function withResets(mine: StaffInCommon, theirs: StaffInCommon, list: StaffInCommon = theirs): StaffInCommon {
  const members = list.members.map((member) => {
    const { id } = member
    const further = isFurther(mine, theirs, id) ? mine : isFurther(theirs, mine, id) ? theirs : undefined
    const its = further?.members.find((one) => one.id === id)
    if (!its) return member
    const { pin: _pin, isPinOnce: _isPinOnce, ...without } = member
    const { pin, isPinOnce } = its
    return { ...without, ...defined({ pin, isPinOnce }) }
  })
  const resets = allResets(theirs.resets, mine.resets)
  return { ...list, members, ...(resets.length > 0 && { resets }) }
}
