/**
 * Tells the person by the desktop what they want told of documents. A change is told at most once, whatever happens: the
 * place up to which everything was told is written before a notice is shown. What can't be told now, because of quiet
 * hours or someone signing at the counter, stays behind that place and is told later.
 */

import { type DocumentChange, NEWS_KINDS, type NotificationPreferences } from '../../../shared/contract/index.ts'
import type { Refusals, UntoldRefusals } from '../drop-folders/refusals.ts'
import { OneAtATime } from '../jobs/lanes.ts'
import { isQuiet, localTimeOf } from '../lib/calendar.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import type { Verifications } from '../verifications/verifications.ts'
import type { UntoldVerification } from '../verifications/verifications-table.ts'
import { type Cursor, type DueDocument, openCursor, openDueTomorrow } from './cursor.ts'
import {
  type News,
  type NotificationText,
  notificationOfRefused,
  notificationsOf,
  notificationsOfVerified,
  type Occasion
} from './notification-text.ts'
import { gathering, type PreferenceDeps, type Wanted, wantedBy } from './preferences.ts'

export interface NotifierDeps extends PreferenceDeps {
  db: Db
  settings: () => NotificationPreferences
  /** Whether any folder of the account was read in this run; others may fail for as long as they are listed. */
  isRead: (accountId: string) => boolean
  /**
   * Whether anyone signs at the counter, on whichever display: the system decides where a notice shows, and they would read
   * it. Or nobody of staff is there to read it.
   */
  isSigning: () => boolean
  show: (notice: NotificationText) => void
  /** Takes the notices off the screen that are still there. */
  withdraw: () => void
  /** Files that drop folders refused and that were not told of. */
  refusals: Pick<Refusals, 'untold' | 'told'>
  /** What rules found not valid, and was not told of. */
  verifications: Pick<Verifications, 'untold' | 'told'>
  time: Time
  /** Is told what went wrong; it is tried again. */
  failed: (error: unknown) => void
}

const PAGE = 500
/** What one round over the folders brings is told together. */
const GATHERING = 2000
/** Where notices have come thick: longer, so that they fold. */
const GATHERING_MANY = 30_000
const MANY_IN_A_MINUTE = 6
const MINUTE = 60_000
/** How long the first round over all folders may take before what was found so far is told. */
const FIRST_ROUND = MINUTE
const FIRST_ROUND_LOOK = 2000
/** How often it is looked for what is due tomorrow. */
const DUE_EVERY = 10 * MINUTE

export function openNotifier(deps: NotifierDeps) {
  const { db, ask, time } = deps
  const cursor = openCursor(deps)
  const startupDigest = openStartupDigest(deps)
  const dueTomorrow = openDueTomorrow({ db, ask })
  const pending = new Set<() => void>()
  let isStarted = false
  let isStopped = false
  let isCaughtUp = false
  let isWoken = false
  let isWaiting = false
  let wasQuiet = false
  let lately = 0
  let lastDueSlot: number | undefined
  const looking = new OneAtATime(time, () =>
    tellWhatIsNew().catch((error: unknown) => {
      if (!isStopped) deps.failed(error)
    })
  )

  function later(task: () => void, delay: number): void {
    if (isStopped) return
    const prevent = time.after(delay, () => {
      pending.delete(prevent)
      if (!isStopped) task()
    })
    pending.add(prevent)
  }

  /** Whether nothing may be told just now. */
  function isHeld(): boolean {
    if (deps.isSigning()) return true
    const held = isQuiet(deps.settings().quiet, localTimeOf(time.now(), time.zone()).minute)
    wasQuiet ||= held
    return held
  }

  async function tellWhatIsNew(): Promise<void> {
    if (!isStarted || isStopped || isHeld()) return
    const from = await cursor.read()
    if (!startupDigest.isDone() && !isCaughtUp) return waitForFirstRound()

    const settings = deps.settings()
    const back = startupDigest.comingBack()
    const wantedIn = wantedBy(settings, deps)
    const away = gathering()
    const now = gathering()
    let last = from.change
    for (let isMore = true; isMore; ) {
      const changes = await ask('changesAfter', { after: last, limit: PAGE })
      isMore = changes.length === PAGE
      for (const change of changes) {
        last = Math.max(last, change.id)
        const news = newsOf(change)
        if (!news || !(await wantedIn(change, news.kind))) continue
        const group = back.has(change.accountId) ? away : now
        group.add({ ...change, name: change.documentName }, news)
      }
    }
    const slot = Math.floor(time.now() / DUE_EVERY)
    const due = slot === lastDueSlot ? [] : await dueNow(wantedIn)
    for (const document of due) now.add(document, { kind: 'due-tomorrow' })

    const verified = deps.verifications.untold()
    const notValid: UntoldVerification[] = []
    for (const one of verified) if (await wantedIn(one, 'not-valid')) notValid.push(one)

    // Ids of another mirror, begun meanwhile, say nothing of this one.
    if ((await cursor.read()).mirror !== from.mirror) return wake()
    // Much may have happened while the worker was asked. From here to the end nothing waits.
    if (isStopped || isHeld()) return
    const occasion: Occasion | undefined = wasQuiet ? 'quiet' : undefined
    const isSilent = !settings.sound
    const refused = deps.refusals.untold()
    const notices = [
      ...notificationsOfVerified(notValid, isSilent),
      ...refused.map((one) => notificationOfRefused(one, isSilent)),
      ...notificationsOf(away.all(), 'away', isSilent),
      ...notificationsOf(now.all(), occasion, isSilent)
    ]
    note(from, { ...from, change: last }, due, refused, verified)
    lastDueSlot = slot
    isCaughtUp = true
    wasQuiet = false
    startupDigest.told()
    for (const notice of notices) show(notice)
  }

  function waitForFirstRound(): void {
    if (isWaiting) return
    isWaiting = true
    later(() => {
      isWaiting = false
      void looking.now()
    }, FIRST_ROUND_LOOK)
  }

  function note(
    from: Cursor,
    to: Cursor,
    due: DueDocument[],
    refused: UntoldRefusals[],
    verified: UntoldVerification[]
  ): void {
    if (from.change === to.change && due.length + refused.length + verified.length === 0) return
    db.transaction(() => {
      deps.refusals.told(refused)
      deps.verifications.told(verified)
      if (from.change !== to.change) cursor.write(to)
      dueTomorrow.remember(due)
    })()
    cursor.moved(to)
  }

  function show(notice: NotificationText): void {
    lately++
    later(() => lately--, MINUTE)
    try {
      deps.show(notice)
    } catch (error) {
      // It counts as told: twice would be worse.
      deps.failed(error)
    }
  }

  function newsOf(change: DocumentChange): News | undefined {
    const kind = NEWS_KINDS.find((known) => known === change.kind)
    if (!kind || change.isOwn) return undefined
    return { kind, change: change.id, ...(change.signer !== undefined && { signer: change.signer }) }
  }

  async function dueNow(wantedIn: Wanted): Promise<DueDocument[]> {
    if (deps.settings().kinds['due-tomorrow'] === 'never') return []
    const ids = deps.accounts().map(({ id }) => id)
    const found = await dueTomorrow.find(ids, time.now(), time.zone())
    const wanted: DueDocument[] = []
    for (const document of found) if (await wantedIn(document, 'due-tomorrow')) wanted.push(document)
    return wanted
  }

  function tick(): void {
    later(tick, MINUTE)
    void looking.now()
  }

  /** Looks soon; often asked is once. */
  function wake(): void {
    if (!isStarted || isWoken) return
    isWoken = true
    later(
      () => {
        isWoken = false
        // What came while it was looked is looked for afterwards.
        void looking.fresh()
      },
      lately >= MANY_IN_A_MINUTE ? GATHERING_MANY : GATHERING
    )
  }

  return {
    /** Begins to tell. To be waited for before the folders are read: what was found before is not "while away". */
    async start(): Promise<void> {
      try {
        startupDigest.begin()
        await cursor.read()
      } catch (error) {
        deps.failed(error)
      }
      isStarted = true
      later(() => {
        isCaughtUp = true
        void looking.now()
      }, FIRST_ROUND)
      tick()
    },

    /** Documents changed, or what is wanted told did. */
    documentsChanged: wake,
    /** A drop folder may have refused a file. */
    dropFoldersChanged: wake,
    /** A rule may have found signatures that aren't valid. */
    verificationsChanged: wake,

    /** Someone began or ended to sign at the counter. */
    counterChanged(): void {
      if (deps.isSigning()) deps.withdraw()
      else wake()
    },

    /** Nothing is told any more; resolves once nothing is asked any more either. */
    async stop(): Promise<void> {
      isStopped = true
      for (const prevent of pending) prevent()
      pending.clear()
      await looking.ended()
    }
  }
}

/**
 * The folders right after the start: until any of an account's was read in this run, what is found in them happened while
 * the application was closed.
 */

function openStartupDigest({ accounts, isRead }: Pick<NotifierDeps, 'accounts' | 'isRead'>) {
  /** Accounts that were not read yet. */
  let behind = new Set<string>()
  let comingBack = new Set<string>()

  return {
    /** To be called before the first folder is read. */
    begin(): void {
      behind = new Set(accounts().map(({ id }) => id))
      comingBack = new Set(behind)
    },

    /** Whether every account was read in this run. */
    isDone(): boolean {
      const watched = new Set(accounts().map(({ id }) => id))
      for (const id of [...behind]) if (!watched.has(id) || isRead(id)) behind.delete(id)
      return behind.size === 0
    },

    /** Accounts whose next changes happened while the application was closed. */
    comingBack: (): ReadonlySet<string> => comingBack,

    /** What was found so far has been told. */
    told(): void {
      comingBack = new Set(behind)
    }
  }
}
