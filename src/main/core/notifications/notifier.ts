/**
 * Shows desktop notifications about documents and the Outbox as the person has set them. A change is notified at most once, whatever
 * happens: the cursor is written before a notification is shown. What can't be shown now, because of quiet hours or
 * someone signing at the counter, stays after the cursor and is notified later.
 */

import { type DocumentChange, NEWS_KINDS, type NotificationPreferences } from '../../../shared/contract/index.ts'
import type { Refusals, UnnotifiedRefusals } from '../drop-folders/refusals.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { isQuiet, localTimeOf } from '../lib/calendar.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { Verifications } from '../verifications/verifications.ts'
import type { UnnotifiedVerification } from '../verifications/verifications-table.ts'
import { type Cursor, type DueDocument, openCursor, openDueTomorrow } from './cursor.ts'
import {
  type News,
  type NotificationText,
  notificationOfRefused,
  notificationsOf,
  notificationsOfOutbox,
  notificationsOfVerified,
  type Occasion
} from './notification-text.ts'
import type { OutboxNewsSource } from './outbox-news.ts'
import { openNewsGroups, openWantedCheck, type PreferenceDeps, type WantedCheck } from './preferences.ts'

export interface NotifierDeps extends PreferenceDeps {
  db: Db
  settings: () => NotificationPreferences
  /** Whether any folder of the account was read in this run; its other folders may fail indefinitely. */
  isRead: (accountId: string) => boolean
  /**
   * Whether anyone is signing at the counter, on any display: the system decides where notifications appear, and the
   * signer would read them. Also true if no staff are there to read them.
   */
  isSigning: () => boolean
  show: (notice: NotificationText) => void
  /** Removes the notifications still on the screen. */
  withdraw: () => void
  /** Files refused by drop folders that haven't been notified. */
  refusals: Pick<Refusals, 'unnotified' | 'markNotified'>
  /** Signatures that rules found invalid and that haven't been notified. */
  verifications: Pick<Verifications, 'unnotified' | 'markNotified'>
  /** What in the Outbox needs someone. */
  outbox: OutboxNewsSource
  time: Time
  /** Called with the error; the attempt is repeated later. */
  onError: (error: unknown) => void
}

const PAGE = 500
/** The results of one round over the folders are grouped, in milliseconds. */
const DEBOUNCE = 2000
/** Used after many notifications in a short time, so that more are grouped. */
const DEBOUNCE_MANY = 30_000
const MANY_IN_A_MINUTE = 6
const MINUTE = 60_000
/** How long the first round over all folders may take before what was found so far is notified. */
const FIRST_ROUND = MINUTE
const FIRST_ROUND_CHECK = 2000
/** How often documents due tomorrow are looked for. */
const DUE_CHECK_INTERVAL = 10 * MINUTE

export function openNotifier(deps: NotifierDeps) {
  const { db, ask, time } = deps
  const cursor = openCursor(deps)
  const startupDigest = openStartupDigest(deps)
  const dueTomorrow = openDueTomorrow({ db, ask })
  const pending = new Set<() => void>()
  let isStarted = false
  let isStopped = false
  let isCaughtUp = false
  let isWakeScheduled = false
  let isWaitingForRound = false
  let wasQuiet = false
  let recentCount = 0
  let lastDueSlot: number | undefined
  const checking = new SerialTask(time, () =>
    notifyNews().catch((error: unknown) => {
      if (!isStopped) deps.onError(error)
    })
  )

  function schedule(task: () => void, delay: number): void {
    if (isStopped) return
    const cancel = time.after(delay, () => {
      pending.delete(cancel)
      if (!isStopped) task()
    })
    pending.add(cancel)
  }

  /** Whether nothing may be shown at the moment. */
  function isHeld(): boolean {
    if (deps.isSigning()) return true
    const held = isQuiet(deps.settings().quiet, localTimeOf(time.now(), time.zone()).minute)
    wasQuiet ||= held
    return held
  }

  async function notifyNews(): Promise<void> {
    if (!isStarted || isStopped || isHeld()) return
    const from = await cursor.read()
    if (!startupDigest.isDone() && !isCaughtUp) return waitForFirstRound()

    const settings = deps.settings()
    const catchingUp = startupDigest.catchingUp()
    const isWanted = openWantedCheck(settings, deps)
    const away = openNewsGroups()
    const now = openNewsGroups()
    let last = from.change
    for (let isMore = true; isMore; ) {
      const changes = await ask('changesAfter', { after: last, limit: PAGE })
      isMore = changes.length === PAGE
      for (const change of changes) {
        last = Math.max(last, change.id)
        const news = newsOf(change)
        if (!news || !(await isWanted(change, news.kind))) continue
        const group = catchingUp.has(change.accountId) ? away : now
        group.add({ ...change, name: change.documentName }, news)
      }
    }
    const slot = Math.floor(time.now() / DUE_CHECK_INTERVAL)
    const due = slot === lastDueSlot ? [] : await dueNow(isWanted)
    for (const document of due) now.add(document, { kind: 'due-tomorrow' })

    const verified = deps.verifications.unnotified()
    const notValid: UnnotifiedVerification[] = []
    for (const one of verified) if (await isWanted(one, 'not-valid')) notValid.push(one)

    // If the mirror was replaced meanwhile, these ids mean nothing.
    if ((await cursor.read()).mirror !== from.mirror) return wake()
    // Much may have happened while the worker was asked. From here to the end everything is synchronous.
    if (isStopped || isHeld()) return
    const occasion: Occasion | undefined = wasQuiet ? 'quiet' : undefined
    const isSilent = !settings.sound
    const accountIds = new Set(deps.accounts().map(({ id }) => id))
    const isHere = ({ accountId }: { accountId: string }) => accountIds.has(accountId)
    const refused = deps.refusals.unnotified()
    const outbox = deps.outbox.unnotified()
    const notices = [
      ...notificationsOfOutbox(settings.kinds.outbox === 'never' ? [] : outbox.news, isSilent),
      ...notificationsOfVerified(notValid.filter(isHere), isSilent),
      ...refused.map((one) => notificationOfRefused(one, isSilent)),
      ...notificationsOf(away.all().filter(isHere), 'away', isSilent),
      ...notificationsOf(now.all().filter(isHere), occasion, isSilent)
    ]
    recordNotified(from, { ...from, change: last }, due.filter(isHere), refused, verified, outbox.current)
    lastDueSlot = slot
    isCaughtUp = true
    wasQuiet = false
    startupDigest.markNotified()
    for (const notice of notices) show(notice)
  }

  function waitForFirstRound(): void {
    if (isWaitingForRound) return
    isWaitingForRound = true
    schedule(() => {
      isWaitingForRound = false
      void checking.run()
    }, FIRST_ROUND_CHECK)
  }

  function recordNotified(
    from: Cursor,
    to: Cursor,
    due: DueDocument[],
    refused: UnnotifiedRefusals[],
    verified: UnnotifiedVerification[],
    outbox: readonly string[]
  ): void {
    db.transaction(() => {
      deps.outbox.markNotified(outbox)
      deps.refusals.markNotified(refused)
      deps.verifications.markNotified(verified)
      if (from.change !== to.change) cursor.write(to)
      dueTomorrow.markNotified(due)
    })()
    cursor.advance(to)
  }

  function show(notice: NotificationText): void {
    recentCount++
    schedule(() => recentCount--, MINUTE)
    try {
      deps.show(notice)
    } catch (error) {
      // Counts as notified: showing it twice would be worse.
      deps.onError(error)
    }
  }

  function newsOf(change: DocumentChange): News | undefined {
    const kind = NEWS_KINDS.find((known) => known === change.kind)
    if (!kind || change.isOwn) return undefined
    return { kind, change: change.id, ...(change.signer !== undefined && { signer: change.signer }) }
  }

  async function dueNow(isWanted: WantedCheck): Promise<DueDocument[]> {
    if (deps.settings().kinds['due-tomorrow'] === 'never') return []
    const ids = deps.accounts().map(({ id }) => id)
    const found = await dueTomorrow.find(ids, time.now(), time.zone())
    const wanted: DueDocument[] = []
    for (const document of found) if (await isWanted(document, 'due-tomorrow')) wanted.push(document)
    return wanted
  }

  function tick(): void {
    schedule(tick, MINUTE)
    void checking.run()
  }

  /** Checks for news soon; calls in between are combined. */
  function wake(): void {
    if (!isStarted || isWakeScheduled) return
    isWakeScheduled = true
    schedule(
      () => {
        isWakeScheduled = false
        // News that arrived during a check is found by the next one.
        void checking.runFresh()
      },
      recentCount >= MANY_IN_A_MINUTE ? DEBOUNCE_MANY : DEBOUNCE
    )
  }

  return {
    /**
     * Starts notifying. Await this before the folders are read: what was found earlier doesn't count as "while away".
     */
    async start(): Promise<void> {
      try {
        startupDigest.begin()
        await cursor.read()
      } catch (error) {
        deps.onError(error)
      }
      isStarted = true
      schedule(() => {
        isCaughtUp = true
        void checking.run()
      }, FIRST_ROUND)
      tick()
    },

    documentsChanged: wake,
    /** Call when a drop folder may have refused a file. */
    dropFoldersChanged: wake,
    outboxChanged: wake,
    /** Call when a rule may have found invalid signatures. */
    verificationsChanged: wake,

    /** Call when someone begins or ends signing at the counter. */
    counterChanged(): void {
      if (deps.isSigning()) deps.withdraw()
      else wake()
    },

    /** Stops notifying; resolves once no questions to the worker are pending. */
    async stop(): Promise<void> {
      isStopped = true
      for (const prevent of pending) prevent()
      pending.clear()
      await checking.whenIdle()
    }
  }
}

/**
 * The digest after start-up: until any folder of an account has been read in this run, its changes happened while the
 * application was closed.
 */

function openStartupDigest({ accounts, isRead }: Pick<NotifierDeps, 'accounts' | 'isRead'>) {
  /** Accounts not read yet in this run. */
  let unreadAccounts = new Set<string>()
  let catchingUp = new Set<string>()

  return {
    /** Call before the first folder is read. */
    begin(): void {
      unreadAccounts = new Set(accounts().map(({ id }) => id))
      catchingUp = new Set(unreadAccounts)
    },

    /** Whether every account was read in this run. */
    isDone(): boolean {
      const polled = new Set(accounts().map(({ id }) => id))
      for (const id of [...unreadAccounts]) if (!polled.has(id) || isRead(id)) unreadAccounts.delete(id)
      return unreadAccounts.size === 0
    },

    /** Accounts whose next changes happened while the application was closed. */
    catchingUp: (): ReadonlySet<string> => catchingUp,

    /** Call when everything found so far has been notified. */
    markNotified(): void {
      catchingUp = new Set(unreadAccounts)
    }
  }
}
