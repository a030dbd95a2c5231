/** What all screens share: the client, the router, and the small states that follow the main process's events. */
import { getContext, setContext } from 'svelte'
import type { DocumentKey } from '../../../shared/contract/document-requests.ts'
import type { Result } from '../../../shared/contract/errors.ts'
import type { Input } from '../../../shared/contract/requests.ts'
import type { AccountView, PersonView, SettingsView, SystemStatus } from '../../../shared/contract/views.ts'
import { type Api, ofAccount, settled } from '../api.ts'
import { Connection, Counts, Drafts, Views } from './account-state.svelte.ts'
import { Accounts, type ShownAccounts } from './accounts.svelte.ts'
import type { BulkBase } from './bulk-base.ts'
import { type Clock, systemClock } from './clock.ts'
import { OfficeSession } from './counter-session.svelte.ts'
import { DraftSavers } from './draft-savers.svelte.ts'
import { Drops } from './drops.svelte.ts'
import { Employers } from './employers.svelte.ts'
import { Offers } from './offers.svelte.ts'
import { OfficeLock } from './office-lock.svelte.ts'
import { Outbox } from './outbox.svelte.ts'
import { Pending } from './pending.svelte.ts'
import { Resource } from './resource.svelte.ts'
import { type Route, Router } from './router.svelte.ts'
import { Toasts } from './toasts.svelte.ts'

/**
 * Milliseconds allowed for saving the last keystrokes when the window closes. The main process waits a second longer.
 */
const FLUSH_TIMEOUT = 2000

/** The choice that shows all accounts. No account can have this id. */
export const ALL_ACCOUNTS = ' all'

/** The zoom levels offered, in percent. */
export const ZOOMS = [80, 90, 100, 110, 125, 150, 175, 200]

/** The settings that a screen applies at once: theme, zoom, and the columns of the document list. */
class Settings extends Resource<SettingsView> {
  readonly #pendingChanges = new Pending<Partial<SettingsView>>()
  readonly #api: Api

  constructor(api: Api) {
    super(() => api.settings.get())
    this.#api = api
  }

  get view(): SettingsView {
    return { ...(this.value ?? { theme: 'system', zoom: 1 }), ...this.#pendingChanges.value }
  }

  /** Zooms in or out by one step, or resets the zoom. */
  async zoom(way: 'in' | 'out' | 'reset'): Promise<Result<SettingsView>> {
    // Each press continues from the previous one, even while that one is still being saved.
    const now = Math.round(this.view.zoom * 100)
    const next = way === 'in' ? ZOOMS.find((step) => step > now) : ZOOMS.findLast((step) => step < now)
    const requested = (way === 'reset' ? 100 : (next ?? now)) / 100
    if (requested === now / 100) return { ok: true, value: this.view }
    return this.set({ zoom: requested })
  }

  set(change: Input<'settings.set'>): Promise<Result<SettingsView>> {
    const { theme, zoom, startAtLogin, countryCode: code } = change
    const shown = {
      ...this.#pendingChanges.value,
      ...(theme && { theme }),
      ...(zoom !== undefined && { zoom }),
      ...(startAtLogin !== undefined && { startAtLogin }),
      ...(code && { countryCode: { code, isGuessed: false } })
    }
    return this.#pendingChanges.save(shown, async () => {
      const result = await settled(this.#api.settings.set(change))
      if (result.ok) this.put(result.value)
      return result
    })
  }
}

export class AppState {
  readonly api: Api
  readonly clock: Clock
  readonly router: Router
  readonly accounts: Accounts
  readonly connection: Connection
  readonly drafts: Drafts
  readonly settings: Settings
  readonly counts: Counts
  readonly outbox: Outbox
  readonly views: Views
  readonly toasts: Toasts
  /** What the current screen offers to the palette, the menus and the global shortcuts. */
  readonly offers = new Offers()
  /** Files dropped on the window, and the fields that take them. */
  readonly drops = new Drops()
  readonly employers: Employers
  readonly draftSavers: DraftSavers
  readonly counter: OfficeSession
  readonly lock: OfficeLock
  readonly system: Resource<SystemStatus>
  /**
   * The recipient of the next package, if it was started from a person. Kept only in memory, because screens' addresses
   * are stored.
   */
  recipient = $state.raw<PersonView>()
  /** The update that was dismissed for the rest of this run. */
  dismissedUpdate = $state<string>()
  /**
   * A bulk send that was left with a sheet loaded, to come back to: its corrections are only in memory. There is at
   * most one.
   */
  suspendedBulk: { bulk: { close: () => void }; accountId: string | undefined; startedFrom: string } | undefined
  /** The last batch that was sent, and what it was made of: rows that were left out of it can be sent, too. */
  lastBatch: { id: string; base: BulkBase } | undefined

  readonly #host: Window
  readonly #clients = new Map<string, Api>()
  /** The arrival at a new package at which its account was chosen: afterwards the user’s own choice counts. */
  #accountChosenAt: Route | undefined

  constructor(api: Api, host: Window, clock: Clock = systemClock) {
    this.api = api
    this.#host = host
    this.clock = clock
    this.router = new Router(host)
    this.accounts = new Accounts(api, (before) => this.#onShownChanged(before))
    this.connection = new Connection(api)
    this.drafts = new Drafts(api, clock)
    this.settings = new Settings(api)
    this.outbox = new Outbox(api, clock)
    this.counts = new Counts(api, this.outbox)
    this.views = new Views(api)
    this.toasts = new Toasts(clock, (request) => this.lock.refusal(request))
    this.employers = new Employers(api)
    this.draftSavers = new DraftSavers(this)
    this.counter = new OfficeSession(api, clock)
    this.lock = new OfficeLock(api, clock)
    this.system = new Resource(() => api.system.status())
  }

  /**
   * Loads everything the frame shows, then follows the events. If a person has this window, or it is locked, the
   * frame's data is loaded once staff have it again. Returns a function that stops following.
   */
  async open(): Promise<() => void> {
    const stops = [
      this.api.on('accounts.changed', () => void this.accounts.load()),
      this.api.on('connection.changed', () => void this.connection.load()),
      this.api.on('documents.looked', ({ accountId, at }) => {
        if (this.accounts.isShown(accountId)) this.connection.checkedAt = at
      }),
      this.api.on('drafts.changed', () => this.drafts.scheduleReload()),
      this.api.on('outbox.changed', () => this.outbox.scheduleReload()),
      this.api.on('documents.changed', () => void this.counts.loadDocuments()),
      this.api.on('views.changed', () => {
        void this.views.load()
        void this.counts.loadFolders()
      }),
      this.api.on('downloads.changed', () => void this.counts.loadDownloads()),
      this.api.on('counter.changed', () => void this.counts.loadDocuments()),
      this.api.on('settings.changed', () => void this.settings.load()),
      this.api.on('system.changed', this.system.scheduleReload),
      this.#refreshWhenOnline(),
      this.api.on('window.closing', async () => {
        const kept = await this.#flushInTime()
        void this.api.system.readyToClose({ kept })
      })
    ]
    // Loaded before anything is shown: if a person has the screen, nothing of the office may be seen.
    const reading = Promise.all([this.accounts.load(), this.system.load()])
    const [stopCounter, stopLock] = await Promise.all([this.counter.open(), this.lock.open(), this.settings.load()])
    if (!this.isOfficeHidden) await reading
    return () => {
      for (const stop of [...stops, stopCounter, stopLock]) stop()
    }
  }

  /** Returns a call's value. If it failed, says so with `failed` and why, and returns undefined. */
  async attempt<Value>(failed: string, call: Promise<Result<Value>>): Promise<Value | undefined> {
    const result = await settled(call)
    if (result.ok) return result.value
    this.toasts.showError(failed, result.error)
    return undefined
  }

  /** Copies text to the clipboard, and confirms it. Personal text is kept out of the clipboard's history. */
  async copy(text: string, confirmation: string, isPersonal = false): Promise<void> {
    const copying = this.api.system.copy({ text, ...(isPersonal && { isPersonal }) })
    if ((await this.attempt('The text couldn’t be copied.', copying)) !== undefined) this.toasts.say(confirmation)
  }

  /** Copies a document's link to the clipboard, and confirms it. */
  async copyLink({ accountId, reference }: DocumentKey): Promise<void> {
    const copying = this.apiOf(accountId).documents.copyLink({ reference })
    if ((await this.attempt('The link couldn’t be copied.', copying)) !== undefined) this.toasts.say('Link copied.')
  }

  /** Whether the office must not be visible, audible or reachable here: a person has this screen, or it is locked. */
  get isOfficeHidden(): boolean {
    return this.counter.isWith('here') || this.lock.isLocked
  }

  /** Shows only this account, or all of them, or reports that it couldn't. Returns whether it succeeded. */
  async choose(id: string): Promise<boolean> {
    return this.#reportSwitch(await (id === ALL_ACCOUNTS ? this.accounts.showAll() : this.accounts.choose(id)))
  }

  /**
   * Switches the account being worked in, for example when something of it is opened for editing. Returns whether it
   * succeeded.
   */
  async workIn(id: string): Promise<boolean> {
    return this.#reportSwitch(await this.accounts.workIn(id))
  }

  /**
   * While several accounts are shown, chooses the one used for the last package, never by itself the practice office.
   * A bulk send that was left stays in its account, as its corrections would be lost in another.
   */
  chooseAccountForNewPackage(): void {
    const { route } = this.router
    if (!this.accounts.showsSeveral || this.suspendedBulk || route === this.#accountChosenAt) return
    this.#accountChosenAt = route
    const usual = this.accounts.list.find(({ beginsPackages }) => beginsPackages)
    if (usual) void this.workIn(usual.id)
  }

  #reportSwitch({ ok }: Result<unknown>): boolean {
    if (!ok) this.toasts.warn('We couldn’t switch accounts.')
    return ok
  }

  /** Checks the service as soon as the computer is online again, which is sooner than the next scheduled check. */
  #refreshWhenOnline(): () => void {
    const refresh = () => void (this.connection.isDown && this.api.documents.refresh())
    this.#host.addEventListener('online', refresh)
    return () => this.#host.removeEventListener('online', refresh)
  }

  /** Whether all pending input is saved, within a time that someone closing the window can accept. */
  #flushInTime(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(FLUSH_TIMEOUT, () => resolve(false))
      void this.accounts
        .flush()
        .catch(() => false)
        .then((kept) => {
          cancel()
          resolve(kept)
        })
    })
  }

  /**
   * Returns the client for actions on one account: the same one each time, so that what is derived from it stays as it
   * is when the accounts are read again. With a single account that is the shared client.
   */
  apiOf(accountId: string): Api {
    if (this.accounts.list.length < 2) return this.api
    const client = this.#clients.get(accountId) ?? ofAccount(this.api, accountId)
    this.#clients.set(accountId, client)
    return client
  }

  /** The account's part of an address. Empty unless several accounts are shown. */
  accountPlace(accountId: string | undefined): { account?: string } {
    return this.accounts.showsSeveral && accountId !== undefined ? { account: accountId } : {}
  }

  /** A document's part of an address. */
  documentPlace({ accountId, reference }: DocumentKey): { document: string; account?: string } {
    return { document: reference, ...this.accountPlace(accountId) }
  }

  /** The account an address refers to: the one it names, otherwise the one being worked in. */
  get routeAccount(): AccountView | undefined {
    return this.accounts.find(this.router.route.query.get('account') ?? undefined) ?? this.accounts.chosen
  }

  /** Clears everything of the previous account: none of it may be seen with the one chosen now. */
  #onShownChanged(before: ShownAccounts | undefined): void {
    // If all accounts are shown, the previous one's are still among them.
    const areAllShown = before?.showsSeveral === true && this.accounts.showsSeveral
    if (before !== undefined && !areAllShown) this.#resetRoute()
    if (!areAllShown) this.router.clearSavedStates()
    this.recipient = undefined
    this.suspendedBulk?.bulk.close()
    this.suspendedBulk = undefined
    if (areAllShown) return
    this.lastBatch = undefined
    this.toasts.dismissActions()
    for (const part of [this.connection, this.drafts, this.outbox, this.counts, this.views]) {
      part.clear()
      // Not awaited: a slow service must not keep the window empty.
      if (this.accounts.chosen) void part.load()
    }
  }

  /** Keeps only the screen: the address may name a draft, send or document of the previous account. */
  #resetRoute(): void {
    const { screen, rest } = this.router.route
    // The next account may have a folder of the same name; a saved view belongs to one account only.
    const isFolder = screen === 'documents' && rest[0] !== 'view'
    if (screen !== 'settings') this.router.replace(screen, isFolder ? rest : [])
  }
}

const key = Symbol('app')

export function provideApp(app: AppState): AppState {
  return setContext(key, app)
}

export function useApp(): AppState {
  return getContext<AppState>(key)
}

/** For tests that render part of a screen: `render(Part, { context: appContext(app) })`. */
export function appContext(app: AppState): Map<unknown, unknown> {
  return new Map([[key, app]])
}
