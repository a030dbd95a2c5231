/** The part of the composition root that concerns the counter: its sessions, the staff's PIN, the place, the audit trail. */
import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import type { AppError } from '../shared/contract/index.ts'
import type { Accounts } from './core/accounts/accounts.ts'
import { openAudit } from './core/audit/audit.ts'
import { Counter } from './core/counter/counter.ts'
import { CounterSettingsKeeper } from './core/counter/counter-settings.ts'
import { openCrashMarker } from './core/counter/interrupted.ts'
import { PHASES } from './core/counter/phases.ts'
import { StaffPinKeeper } from './core/counter/pin.ts'
import { openAppointments } from './core/counter/signing-queue.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import type { Time } from './core/lib/time.ts'
import type { Db } from './core/storage/connection.ts'
import { type Keychain, memoryKeychain } from './core/storage/keychain.ts'
import { type Dialogs, saveAs } from './ipc/dialogs.ts'
import { ClipboardAside } from './shell/clipboard.ts'
import { type CounterPlaceDeps, CounterWindows } from './shell/counter-windows.ts'
import type { SendEvent } from './shell/events.ts'
import { IsolatedPages } from './shell/isolated-page.ts'
import { openPersonWindow, type PersonWindowParts } from './shell/person-window.ts'
import { ShownSigningView } from './shell/signing-view.ts'

/** How long a signing page may take until there is something to see, in milliseconds. */
const SIGNING_PATIENCE = 30_000

export interface CounterParts {
  db: Db
  /** Whether what is kept in `db` outlives the application. */
  isKept: boolean
  keychain: Keychain
  accounts: Accounts
  ask: AskDocuments
  watch: Polling
  /** Resolves when folders can be read: at the start, one that was interrupted may be found before. */
  isWatching: Promise<void>
  returnAddressOf: (reference: string) => string | undefined
  send: SendEvent
  describe: (error: unknown) => AppError
  /** Told of what goes wrong where nobody can be told: without personal data. */
  trouble: (error: unknown) => void
  time: Time
  newId: () => string
  zoom: () => number
  /** Whether this window is in a person's hands has changed, or may have. */
  handedOver: () => void
}

/** What needs no window: it is there before the window's page can ask for anything. */
export function openCounterDesk(parts: CounterParts) {
  const { db, keychain, send, time, trouble } = parts
  let place: CounterWindows | undefined
  function windows(): CounterWindows {
    if (!place) throw new Error('There is no window to show a page in yet.')
    return place
  }
  let savePage: (bytes: Uint8Array, name: string) => Promise<boolean> = async () => false
  const audit = openAudit({
    ...{ db, clock: time.now, zone: time.zone },
    anchor: (parts.isKept ? keychain : memoryKeychain()).auditAnchor,
    staff: () => settings.staff(),
    changed: () => send('audit.changed', null),
    trouble
  })
  const { note } = audit
  const pages = new IsolatedPages(() => windows().window())
  const settings = new CounterSettingsKeeper({
    ...{ db, note },
    userName: () => userInfo().username,
    otherDisplay: () => place?.otherDisplay(),
    changed() {
      send('settings.changed', null)
      place?.follow()
    }
  })
  const pin = new StaffPinKeeper({
    ...{ time, note, randomBytes },
    slot: keychain.staffPin,
    keeps: keychain.keeps,
    platform: process.platform,
    changed: () => send('settings.changed', null)
  })
  const counter = new Counter({
    ...{ time, note, pin, describe: parts.describe, newId: parts.newId, zoom: parts.zoom },
    accountId: () => parts.accounts.chosen()?.id ?? '',
    waitingHere: (accountId) => parts.ask('waitingHere', { accountId, withoutLink: true }),
    documentOf: (accountId, reference) => parts.ask('get', { accountId, reference }),
    refresh: async (accountId) => {
      await parts.isWatching
      await parts.watch.refresh(accountId)
    },
    account(accountId) {
      const account = parts.accounts.list().find(({ id }) => id === accountId)
      return account && { kind: account.kind, baseUrl: account.baseUrl ?? '' }
    },
    allowedOrigins: () => settings.read().allowedOrigins,
    returnAddressOf: parts.returnAddressOf,
    openView: (turn) => {
      const shownIn = windows()
      const isolated = pages.take(turn.media() !== 'never')
      const whilePrinting = (print: () => Promise<void>) => shownIn.whileAsking(print)
      return new ShownSigningView({ isolated, patienceMs: SIGNING_PATIENCE, whilePrinting }, turn)
    },
    settings: () => settings.read(),
    appointments: openAppointments({ db, time }),
    staff: () => settings.staff(),
    place: {
      take: async () => (place ? place.take() : 'here'),
      giveBack: () => place?.giveBack()
    },
    crashMarker: openCrashMarker({ db, trouble }),
    savePage: (bytes, name) => savePage(bytes, name),
    changed(id) {
      send('counter.changed', { id })
      followTurns()
      if (counter.state()?.isLocked === false) place?.keepFilled()
      parts.handedOver()
    }
  })

  /** While the screen changes hands there is time to make ready what the next page is shown in. */
  function followTurns(): void {
    const page = PHASES[counter.state()?.phase ?? 'ended'].page
    if (place && page === 'next') pages.prepare()
    else if (page === 'none') pages.drop()
  }

  let aside: ClipboardAside | undefined

  return {
    counter,
    audit,
    settings,
    pin,

    /** The window is there: from now on a person can have it, or a second display. */
    shownIn(
      office: CounterPlaceDeps['office'],
      { person, chooseSaveFile }: { person: PersonWindowParts; chooseSaveFile: Dialogs['chooseSaveFile'] }
    ): void {
      const clipboard = new ClipboardAside()
      aside = clipboard
      const opened = new CounterWindows({
        office,
        settings: () => settings.read(),
        openPersonWindow: (display) => openPersonWindow(display, person),
        clipboard,
        left: (by) => counter.left(by),
        placeLost: () => counter.placeLost(),
        changed: () => send('settings.changed', null),
        failed: trouble
      })
      place = opened
      savePage = async (bytes, suggested) => {
        const kind = { name: 'PDF', extensions: ['pdf'] as [string] }
        const asked = { title: 'Save this page', suggested, kind, bytes }
        return (await opened.whileAsking(() => saveAs({ chooseSaveFile }, asked, () => true))) !== null
      }
      // Anyone who was signing as it ended may have left something behind.
      if (counter.state()?.wasInterrupted) clipboard.empty()
      opened.follow()
    },

    personWindow: () => place?.personWindow(),

    /** At the application's end. What staff had on the clipboard is there again, once this has resolved. */
    async end(options: { keepsMarker: boolean }): Promise<void> {
      await counter.end(options)
      await aside?.settled()
    }
  }
}
