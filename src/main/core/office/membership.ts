/**
 * This workstation's membership in an office: it joins with a code, keeps in touch with the office's server, and takes
 * its own data along when it leaves. Its credentials are only in the keychain. As long as it belongs to no office, the
 * database driver isn't loaded.
 */
import { rootCertificates } from 'node:tls'
import { z } from 'zod'
import type {
  FolderPolling,
  OfficeMembershipState,
  OfficeMembershipView,
  OutboxView
} from '../../../shared/contract/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { fail } from '../lib/failure.ts'
import { folded } from '../lib/text-folding.ts'
import { backoff, type Time, within } from '../lib/time.ts'
import type { SecretSlot } from '../storage/keychain.ts'
import { OFFICE_UNKNOWN, type openJsonMeta } from '../storage/meta.ts'
import { failOfficeAway } from './ask-office.ts'
import type { OfficePlace } from './connection.ts'
import type { OfficeCounters } from './counters.ts'
import type { ExclusiveTasks } from './exclusive-tasks.ts'
import type { OfficeFeed } from './feed.ts'
import type { Heads } from './heads.ts'
import type { OfficeDrafts } from './office-drafts.ts'
import type { OfficeRecords } from './records.ts'
import type { OfficeStore } from './send-store.ts'
import { type OfficeNotification, openServerConnection, type ServerConnection } from './server-connection.ts'
import { ForeignCredentials, joiningFailure, stateAfter } from './server-failures.ts'
import type { SharedRecords } from './shared-records.ts'

/** The address of the office's server. `ca`: certificates of authorities to trust instead of the system's, as PEM. */
type OfficeServer = Omit<OfficePlace, 'user' | 'password' | 'ca'> & { readonly ca?: string | undefined }

/** The part of `SharedSends` used here. */
interface SharedOutbox {
  accounts: () => ReadonlyMap<string, string>
  share: (accountId: string, officeId: string) => void
  notified: (accountId: string) => void
  connect: (office: OfficeStore, life: number) => void
  restored: (office: OfficeStore, lostFrom: number) => Promise<void>
  disconnect: () => void
  holdBack: (accountIds: readonly string[]) => void
  reclaimOwn: (accountId: string) => Promise<void>
  leaveBehind: (accountId: string) => void
  isUnwritable: () => boolean
}

/** The part of `SharedPolling` used here. */
interface SharedFolders {
  expect: (workstations?: number) => void
  connect: (feed: OfficeFeed, key: Uint8Array, workstations: number) => void
  disconnect: (how?: { isPolite: boolean }) => Promise<void>
  restored: (key: Uint8Array) => Promise<void>
  leftOffice: () => Promise<void>
  notified: (channel: 'feed' | 'read', feedId: string) => void
  view: () => FolderPolling[]
}

/** The part of `openSharedDrafts` used here. */
interface SharedDrafts {
  connect: (drafts: OfficeDrafts, life: number) => void
  disconnect: () => void
  restored: () => Promise<void>
  syncSoon: (accountId: string) => void
}

/** The part of `SharedStaff` used here. */
interface OfficeStaff {
  connect: (
    connection: { store: Pick<OfficeStore, 'account'>; records: OfficeRecords },
    life: number,
    name: string
  ) => Promise<void>
  disconnect: () => void
  notified: (officeId: string | undefined) => void
  syncNow: () => Promise<void>
  leftOffice: () => Promise<void>
  close: () => Promise<void>
}

/** The part of `OfficeBoard` used here. */
interface Counters {
  connect: (connection: OfficeCounters) => void
  disconnect: () => void
  notified: () => void
  leftOffice: () => Promise<void>
  close: () => Promise<void>
}

interface OfficeMembershipDeps {
  shared: SharedOutbox
  drafts: SharedDrafts
  records: SharedRecords
  staff: OfficeStaff
  folders: SharedFolders
  exclusiveTasks: ExclusiveTasks
  counters: Counters
  heads: Heads
  /** The keychain entry with the credentials and the office's key. */
  slot: SecretSlot
  meta: ReturnType<typeof openJsonMeta>
  time: Time
  /** This workstation's service accounts, which the office may have too. */
  accounts: () => readonly { id: string; name: string; baseUrl: string }[]
  /** The local outbox of an account. Its limits and pause become the office's if that has none yet. */
  outboxOf: (accountId: string) => Pick<OutboxView, 'settings' | 'pause' | 'counts'>
  /** The organisation's own certificate authorities, trusted in addition to the usual ones, as PEM. */
  authorities?: () => readonly string[]
  /** Called with the reason why a query failed. It must not be shown to users. */
  onError?: (error: unknown) => void
  changed: () => void
}

const MEMBERSHIP_KEY = 'office'
const StoredMembership = z.object({
  host: z.string(),
  port: z.int(),
  database: z.string(),
  ca: z.string().optional(),
  /** The user that it signs in as; see `elsewhere` of `OfficeMembershipState`. */
  user: z.string(),
  incarnation: z.string(),
  /** The server's life in which this workstation last exchanged all it knows; see `SharedSends.restored`. */
  life: z.int().default(1),
  /** It has begun to leave: no further account is shared. */
  isLeaving: z.boolean().default(false),
  /** How many workstations the office had when last asked. */
  workstations: z.int().optional()
})
/**
 * `place`: where the office is, in case the database is restored from before the workstation joined. `replaces`: the
 * user that this workstation signed in as before it joined again, in case the database doesn't know that yet.
 */
const Secrets = z.object({
  user: z.string(),
  password: z.string(),
  key: z.string(),
  place: StoredMembership.optional(),
  replaces: z.string().optional()
})

/** The interval between greetings, and the first retry delay, in milliseconds. */
const GREETING_INTERVAL = 60_000
const FIRST_WAIT = 2_000
/** How long telling the audit trail's head may take on exit, in milliseconds. */
const REPORT_TIMEOUT = 1_000
type StoredMembership = z.output<typeof StoredMembership>
/** What the server said last, or that it hasn't said anything. */
type ServerStatus = Pick<OfficeMembershipView, 'name' | 'state' | 'who'>

export class OfficeMembership {
  readonly #deps: OfficeMembershipDeps
  readonly #greeting: SerialTask<void>
  #connection: ServerConnection | undefined
  #serverStatus: ServerStatus | undefined
  #failures = 0
  /** Its sign-in is being replaced in the keychain, or removed, so nothing may connect with it. */
  #isSignInChanging = false
  #isClosed = false

  constructor(deps: OfficeMembershipDeps) {
    this.#deps = deps
    this.#greeting = new SerialTask(
      deps.time,
      () => this.#greet(),
      () => this.#scheduleGreeting()
    )
  }

  /** Connects to the office's server if this workstation has joined an office. Call it at startup. Never rejects. */
  start(): void {
    const { meta, shared, accounts } = this.#deps
    const isUnknown = meta.read(OFFICE_UNKNOWN, z.boolean()) === true
    // What waits here may be the office's by now, so the office is asked before anything is sent.
    if (isUnknown) shared.holdBack(accounts().map(({ id }) => id))
    if (this.#membership()) this.#connectSoon()
    else if (isUnknown) void this.#findMembership()
  }

  /** Asks the keychain whether this workstation has joined an office, because its database may be from before that. */
  async #findMembership(): Promise<void> {
    const { slot, meta, time } = this.#deps
    try {
      const text = await slot.get()
      const { place } = (text !== null && Secrets.safeParse(JSON.parse(text)).data) || {}
      if (this.#isClosed || this.#membership()) return
      if (!place) return this.#releaseHeldBack()
      meta.write(MEMBERSHIP_KEY, place)
      this.#connectSoon()
      this.#deps.changed()
    } catch (error) {
      // Nothing is sent until the keychain can be read.
      this.#deps.onError?.(error)
      time.after(GREETING_INTERVAL, () => void (this.#isClosed || this.#findMembership()))
    }
  }

  /** Lets waiting sends go: the office was asked about them, or there is none. */
  #releaseHeldBack(): void {
    this.#deps.meta.erase(OFFICE_UNKNOWN)
    this.#deps.shared.holdBack([])
  }

  #connectSoon(): void {
    this.#serverStatus = { state: 'connecting', who: [] }
    this.#deps.folders.expect(this.#membership()?.workstations)
    this.#greeting.schedule(0)
  }

  /** Undefined if this workstation belongs to no office. */
  view(): OfficeMembershipView | undefined {
    const office = this.#membership()
    if (!office || !this.#serverStatus) return undefined
    const { folders, shared } = this.#deps
    // A server with a full disk may still be able to write the greeting.
    const cannotWrite = this.#serverStatus.state === 'connected' && shared.isUnwritable()
    return {
      server: `${office.host}:${office.port}`,
      isLeaving: office.isLeaving,
      folders: folders.view(),
      ...this.#serverStatus,
      ...(cannotWrite && { state: 'unwritable' })
    }
  }

  /** Asks the server now, for example because a user wants to know. */
  async checkNow(): Promise<void> {
    if (this.#serverStatus) await this.#greeting.run()
  }

  /** Called when accounts were added or removed here. */
  accountsChanged(): void {
    const { shared, accounts } = this.#deps
    const localIds = new Set(accounts().map(({ id }) => id))
    for (const accountId of [...shared.accounts().keys()]) if (!localIds.has(accountId)) shared.leaveBehind(accountId)
    if (this.#connection) this.#greeting.schedule(0)
  }

  /** Called after sleep: open connections may be dead. */
  async resumed(): Promise<void> {
    if (!this.#serverStatus) return
    void this.#closeConnection()
    this.#deps.folders.expect()
    await this.#greeting.runFresh()
  }

  /**
   * Joins an office with a code from its administrator. What waits in the outbox goes to the office. A workstation that
   * its office no longer lets in, because it was revoked or the server was restored to before it joined, joins again with
   * all it has: what it knows of the office's sends and drafts may be known nowhere else (decision 59).
   * @throws AppFailure `conflict` if this workstation already belongs to an office, or to another one than the code's;
   * `invalid` if the code is malformed, used up or too old; `offline` if the server can't be reached; `tls` if its
   * certificate isn't trusted; KeychainError.
   */
  async join(server: OfficeServer, code: string): Promise<OfficeMembershipView> {
    const { slot, meta, heads } = this.#deps
    const before = this.#membership()
    if (before && this.#serverStatus?.state !== 'refused')
      fail('conflict', 'This workstation belongs to an office already.', { next: 'Leave that one first.' })
    const { joinOffice, credentialsOfCode } = await import('./joining.ts')
    try {
      credentialsOfCode(code, server.database)
    } catch {
      fail('invalid', 'This isn’t a complete join code.', {
        next: 'It has eight groups of four letters and numbers.'
      })
    }
    // A code works only once, so a keychain that can't store anything must fail before the code is used.
    await slot.set((await slot.get()) ?? '{}')
    this.#isSignInChanging = true
    try {
      await this.#closeConnection()
      const joined = await joinOffice(this.#placeOf(server), code, before?.incarnation).catch((error: unknown) => {
        throw joiningFailure(error)
      })
      const { user, password, key, incarnation } = joined
      const place = {
        ...server,
        user,
        incarnation,
        life: before?.life ?? 1,
        isLeaving: false
      } satisfies StoredMembership
      const secrets = { user, password, key: key.toString('base64url'), place, replaces: before?.user }
      await slot.set(JSON.stringify(secrets))
      meta.write(MEMBERSHIP_KEY, place)
    } finally {
      this.#isSignInChanging = false
      // If it failed, but the keychain has the new sign-in, the next greeting continues with it.
      this.#scheduleGreeting()
    }
    // To the server, this is another workstation.
    if (before) heads.joinedAgain()
    this.start()
    await this.#greeting.run()
    return this.view() ?? failOfficeAway()
  }

  /**
   * Leaves the office with this workstation's own data. It can be interrupted at any point and called again.
   * @param without without the server: what the office has stays there and is sent from there.
   * @throws AppFailure `busy` while something is in progress; `offline` while the server is away.
   */
  async leave({ without = false } = {}): Promise<void> {
    const { shared, exclusiveTasks, counters, records, staff, slot, meta } = this.#deps
    const office = this.#membership()
    if (!office) return
    meta.write(MEMBERSHIP_KEY, { ...office, isLeaving: true })
    const accountIds = [...shared.accounts().keys()]
    for (const accountId of accountIds) {
      if (without) {
        shared.leaveBehind(accountId)
        continue
      }
      await exclusiveTasks.leave(accountId, async () => {
        // First, the office is sent what it doesn't have yet.
        await records.syncNow(accountId)
        await shared.reclaimOwn(accountId)
      })
    }
    if (!without) await staff.syncNow()
    await counters.leftOffice()
    this.#isSignInChanging = true
    try {
      await this.#closeConnection({ isPolite: true })
      await staff.leftOffice()
      await Promise.all(accountIds.map((accountId) => records.whenIdle(accountId)))
      await slot.delete()
      meta.erase(MEMBERSHIP_KEY)
    } finally {
      this.#isSignInChanging = false
      // It still belongs to the office if the keychain failed.
      if (this.#membership()) this.#connectSoon()
    }
    this.#releaseHeldBack()
    this.#deps.heads.leftOffice()
    await this.#deps.folders.leftOffice()
    this.#serverStatus = undefined
    this.#deps.changed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { counters, heads, onError } = this.#deps
    // A failure or timeout here doesn't matter: the leases are given up below in any case, so that others can take
    // over.
    const reporting =
      this.#connection && heads.report(this.#connection.heads).catch((error: unknown) => onError?.(error))
    await within(REPORT_TIMEOUT, Promise.all([reporting, counters.close()]), this.#deps.time)
    await this.#closeConnection({ isPolite: true })
    await Promise.all([this.#deps.records.close(), this.#deps.staff.close()])
  }

  #membership(): StoredMembership | undefined {
    return this.#deps.meta.read(MEMBERSHIP_KEY, StoredMembership)
  }

  /** @param isPolite gives up leases first, so that others can take over at once. */
  async #closeConnection({ isPolite = false } = {}): Promise<void> {
    this.#greeting.cancel()
    this.#disconnect()
    const connection = this.#connection
    this.#connection = undefined
    await this.#deps.folders.disconnect({ isPolite })
    await connection?.close()
  }

  /** Tells the server that this workstation is there, and finds out the state of the office. */
  async #greet(): Promise<void> {
    const office = this.#membership()
    if (!office || !this.#serverStatus || this.#isSignInChanging) return
    let connection: ServerConnection | undefined
    try {
      connection = this.#connection ?? (await this.#connect(office))
      if (!connection) return await this.#greet()
      if (!this.#isCurrent(office)) return await connection.close()
      this.#connection = connection
      const greeting = await connection.hello()
      const { name } = greeting
      const state = stateOf(office, greeting, connection.knownSteps)
      const answers =
        state === 'connected'
          ? await Promise.all([connection.who(this.#deps.time.now()), connection.life()])
          : undefined
      if (!this.#isConnected(office, connection)) return
      this.#failures = 0
      const [who = [], life] = answers ?? []
      if (!life) {
        this.#disconnect()
        void this.#deps.folders.disconnect()
      } else if (!(await this.#connectParts(office, connection, { life, name, workstations: who.length }))) return
      this.#setServerStatus({ name, state, who })
    } catch (error) {
      // Closing a connection makes its pending queries fail.
      if (!this.#isCurrent(office) || (connection && this.#connection !== connection)) return
      this.#failures++
      this.#deps.onError?.(error)
      // The next attempt reconnects: the keychain may be unlocked by then, or the server's address may resolve
      // differently.
      this.#connection = undefined
      this.#disconnect()
      void this.#deps.folders.disconnect()
      this.#setServerStatus({ ...this.#serverStatus, state: stateAfter(error) })
      await connection?.close()
    }
  }

  /**
   * Connects everything that the office shares, in the order in which one part needs another. Returns false if the
   * connection was given up meanwhile.
   */
  async #connectParts(
    office: StoredMembership,
    connection: ServerConnection,
    now: { life: Awaited<ReturnType<ServerConnection['life']>>; name: string; workstations: number }
  ): Promise<boolean> {
    const { counters, drafts, exclusiveTasks, folders, meta, onError, records, shared, staff } = this.#deps
    const { name, workstations } = now
    const life = await this.#syncLife(office, connection, now.life)
    if (!office.isLeaving) await this.#share(connection)
    if (!this.#isConnected(office, connection)) return false
    // Before anything is given to the office, because staff determine which packages wait for a second person.
    await staff.connect(connection, life, name).catch((error: unknown) => onError?.(error))
    if (!this.#isConnected(office, connection)) {
      staff.disconnect()
      return false
    }
    drafts.connect(connection.drafts, life)
    records.connect(connection.records, life, name)
    shared.connect(connection.store, life)
    if (meta.read(OFFICE_UNKNOWN, z.boolean())) this.#releaseHeldBack()
    this.#storeWorkstationCount(workstations)
    folders.connect(connection.feed, connection.key, workstations)
    exclusiveTasks.connect(connection.tasks)
    counters.connect(connection.counters)
    await this.#syncHeads(connection, life)
    return true
  }

  /** Stored for a start while the server is away. */
  #storeWorkstationCount(workstations: number): void {
    const { meta } = this.#deps
    const now = this.#membership()
    if (now && now.workstations !== workstations) meta.write(MEMBERSHIP_KEY, { ...now, workstations })
  }

  /** Problems with the heads don't affect anything else. */
  async #syncHeads({ heads, store }: ServerConnection, life: number): Promise<void> {
    try {
      const { isRolledBack } = await this.#deps.heads.sync(heads, life)
      // This is handled like a machine that was reset as a whole, which the server itself can't notice.
      if (isRolledBack) await store.startNewLife(life)
    } catch (error) {
      this.#deps.onError?.(error)
    }
  }

  #disconnect(): void {
    this.#deps.shared.disconnect()
    this.#deps.drafts.disconnect()
    this.#deps.records.disconnect()
    this.#deps.staff.disconnect()
    this.#deps.exclusiveTasks.disconnect()
    this.#deps.counters.disconnect()
  }

  /**
   * Returns the server's current life. If it is a new one, the server and this workstation first tell each other what
   * they know.
   */
  async #syncLife(
    office: StoredMembership,
    connection: ServerConnection,
    now: Awaited<ReturnType<ServerConnection['life']>>
  ): Promise<number> {
    const { shared, drafts, folders, exclusiveTasks, meta, time } = this.#deps
    let { life, lostMs } = now
    if (life < office.life) {
      // An earlier life than the one known here means that the server was reset as a whole.
      await connection.store.startNewLife(life)
      ;({ life, lostMs } = await connection.life())
    }
    if (life === office.life) return life
    this.#disconnect()
    await folders.disconnect()
    await this.#share(connection, true)
    // The drafts first: what was sent of one is read with the outbox, and mustn't take along what the server lost of it.
    await drafts.restored()
    await shared.restored(connection.store, Math.round(time.now() - lostMs))
    exclusiveTasks.restored()
    await folders.restored(connection.key)
    const known = this.#membership()
    if (known?.user === office.user) meta.write(MEMBERSHIP_KEY, { ...known, life })
    return life
  }

  /** Whether the workstation is still in this office and hasn't been closed. */
  #isCurrent({ user }: StoredMembership): boolean {
    return !this.#isClosed && !this.#isSignInChanging && this.#membership()?.user === user
  }

  /** Whether this connection is still the one to the workstation's office. */
  #isConnected(office: StoredMembership, connection: ServerConnection): boolean {
    return this.#isCurrent(office) && this.#connection === connection
  }

  /** @returns undefined if the database only now learned that this workstation has joined again. */
  async #connect(office: StoredMembership): Promise<ServerConnection | undefined> {
    const text = await this.#deps.slot.get()
    const secrets = text === null ? undefined : Secrets.safeParse(JSON.parse(text)).data
    if (secrets?.place && secrets.replaces === office.user && this.#isCurrent(office)) {
      this.#deps.meta.write(MEMBERSHIP_KEY, { ...secrets.place, life: office.life })
      this.#deps.heads.joinedAgain()
      return undefined
    }
    // The database may be a copy of another computer's. Nothing may be done in that one's name.
    if (secrets?.user !== office.user) throw new ForeignCredentials()
    const place = { ...this.#placeOf(office), user: office.user, password: secrets.password }
    const storeKey = async (key: Buffer) => {
      // The workstation may have left the office while we waited for the server.
      if (!this.#isCurrent(office)) throw new ForeignCredentials()
      await this.#deps.slot.set(JSON.stringify({ ...secrets, key: key.toString('base64url') }))
    }
    return await openServerConnection(
      place,
      { known: Buffer.from(secrets.key, 'base64url'), storeKey },
      this.#deps.time,
      (notification) => this.#notified(notification)
    )
  }

  /** Trusts only the chosen authority, if there is one; otherwise the usual ones and the organisation's. */
  #placeOf({ host, port, database, ca }: OfficeServer): Omit<OfficePlace, 'user' | 'password'> {
    const own = this.#deps.authorities?.() ?? []
    const trusted = ca ?? (own.length > 0 ? [...rootCertificates, ...own].join('\n') : undefined)
    return { host, port, database, ...(trusted !== undefined && { ca: trusted }) }
  }

  /** Passes on a notification, which says what it is about. It is undefined if the connection broke. */
  #notified(notification: OfficeNotification | undefined): void {
    const { shared, drafts, records, staff, folders, exclusiveTasks, counters } = this.#deps
    if (notification?.channel === 'life') return void this.#greeting.runFresh().catch(() => undefined)
    if (notification?.channel === 'tasks') return void exclusiveTasks.notified(notification.about)
    if (notification?.channel === 'counters') return void counters.notified()
    if (notification?.channel === 'feed' || notification?.channel === 'read')
      return void folders.notified(notification.channel, notification.about)
    if (!notification && !this.#isClosed) this.#greeting.schedule(FIRST_WAIT * (1 + this.#deps.time.random()))
    if (!notification || notification.channel === 'items') staff.notified(notification?.about)
    for (const [accountId, its] of shared.accounts()) {
      if (notification && its !== notification.about) continue
      if (notification?.channel !== 'items') shared.notified(accountId)
      if (notification?.channel !== 'sends') {
        drafts.syncSoon(accountId)
        records.syncSoon(accountId)
      }
    }
  }

  /** @param isAfterRestore handles the accounts that are already shared instead: a restored server may not know them. */
  async #share({ store }: ServerConnection, isAfterRestore = false): Promise<void> {
    const { shared, accounts, outboxOf } = this.#deps
    for (const { id, name, baseUrl } of accounts()) {
      const known = shared.accounts().get(id)
      if ((known !== undefined) !== isAfterRestore) continue
      const { settings, pause, counts } = outboxOf(id)
      const officeId = await store.account(`${new URL(baseUrl).href}\n${folded(name)}`, settings)
      if (officeId === known) continue
      // What a person has paused here must not be sent because the account is shared now.
      const isHeld = pause?.by === 'person' && counts.ready > 0
      if (isAfterRestore || isHeld) await store.pause(officeId)
      // It may have begun to leave, or have left.
      if (this.#membership()?.isLeaving !== false) return
      // The account may have been removed.
      if (!accounts().some((one) => one.id === id)) continue
      // Two accounts of this workstation that look the same aren't shared: they couldn't be told apart.
      if (![...shared.accounts().values()].includes(officeId)) shared.share(id, officeId)
    }
  }

  #scheduleGreeting(): void {
    if (this.#isClosed || this.#isSignInChanging || !this.#serverStatus) return
    const { random } = this.#deps.time
    this.#greeting.schedule(
      this.#failures > 0 ? backoff(FIRST_WAIT, this.#failures, random) : GREETING_INTERVAL * (1 - random() / 5)
    )
  }

  #setServerStatus(status: ServerStatus): void {
    this.#serverStatus = status
    this.#deps.changed()
  }
}

/** What a server that answers is for this workstation: another office's, or one of another version. */
function stateOf(
  office: StoredMembership,
  { incarnation, steps }: { incarnation: string; steps: number },
  knownSteps: number
): OfficeMembershipState {
  if (incarnation !== office.incarnation) return 'other'
  if (steps === knownSteps) return 'connected'
  return steps < knownSteps ? 'older' : 'newer'
}
