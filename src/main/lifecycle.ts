/** How the application starts, notices that the computer sleeps or is locked, closes its window, and ends; and the start that only shows that all is there. */
import { app, type BrowserWindow, dialog, powerMonitor } from 'electron'
import { blankComposition } from '../shared/composition/index.ts'
import { type App, followPolicy } from './app.ts'
import { within } from './core/lib/time.ts'
import { APP_START } from './core/policy/app-pages.ts'
import { type LeavingQuestion, questionOnLeaving } from './core/policy/leaving.ts'
import { asAppError } from './ipc/errors.ts'
import { endAfter } from './shell/ending.ts'
import { applyZoom } from './shell/own-page.ts'
import { loadFirstPage } from './shell/own-windows.ts'
import { bringForward } from './shell/windows.ts'

/** How long sends that are under way may take when the application ends, in milliseconds; then they are in doubt. */
const LEAVING_TIMEOUT = 5000
/** How long the page may take to answer before the window closes, in milliseconds; then the person decides. */
const CLOSING_TIMEOUT = 3000
/** How long a backup may take that is made as the application ends, in milliseconds; then the next start tells that there is none. */
const BACKUP_TIMEOUT = 120_000
/** How often a Linux is asked whether its screen is locked, in milliseconds: it tells nobody by itself. */
const LOCK_LOOK = 2000

export class Lifecycle {
  readonly #app: App
  readonly #window: BrowserWindow
  #closing: 'not' | 'page asked' | 'deciding' | 'agreed' = 'not'
  #late: NodeJS.Timeout | undefined
  /** Whether a session at the counter is found again by the next start, which is locked by it. */
  #keepsMarker = false
  /** Whether it starts again once it has ended: as it is, or as the update that is ready. */
  #restarts: 'not' | 'as it is' | 'updated' = 'not'
  /** Done as it ends to start again as it is, while the database is still open. */
  #last: (() => Promise<void>) | undefined
  #unfollowPolicy: (() => void) | undefined

  constructor(app: App) {
    this.#app = app
    this.#window = app.foundation.window
  }

  /** Takes up what was interrupted, shows the window, and begins to read and send; until the application ends. */
  start(): void {
    const { foundation, folders, notifications } = this.#app
    const { settings, log, devServer } = foundation
    const { presence } = notifications
    const window = this.#window
    this.#takeUp()
    // Before the window has a page: what was interrupted is what it shows first.
    this.#app.counter.start((error) => this.#notKept(error))
    // A page that is loaded again begins at its natural size.
    window.webContents.on('dom-ready', () => applyZoom(window, settings.read().zoom))
    window.on('close', (event) => this.#close(event))
    window.on('show', () => folders.watch.setShown(true))
    window.on('hide', () => folders.watch.setShown(false))
    window.on('minimize', () => folders.watch.setShown(false))
    window.on('restore', () => folders.watch.setShown(true))
    window.on('focus', presence.came)
    window.on('blur', presence.left)
    // A start that is locked shows its lock first, and nothing of where staff was.
    const place = this.#app.counter.isAway() ? '' : foundation.place.read()
    loadFirstPage(window, `${devServer?.href ?? APP_START}${place}`, log)
    if (window.isFocused()) presence.came()
    void this.#begin(async () => {
      // Before the folders are read: what the first reading finds happened while the application was closed.
      await notifications.notifier.start()
      this.#app.updates.start()
    })
    this.#followComputer()
    // What the second instance was started with is looked at in shell/outside.ts.
    app.on('second-instance', () => void bringForward(window))
    app.on('window-all-closed', () => app.quit())
    endAfter(() => this.end())
  }

  /** As `start`, for an agent: nothing is shown, and nobody is there who could be told, asked or handed the screen. */
  startUnseen(): void {
    const { folders, foundation, notifications } = this.#app
    foundation.log.info('Countersign works as an agent.')
    notifications.desktop.remove()
    folders.watch.setShown(false)
    this.#takeUp()
    void this.#begin()
    this.#followSleep()
    endAfter(() => this.end())
  }

  /** The page has answered that its window may close: whether all that was typed is kept. */
  readonly readyToClose = (kept: boolean): void => {
    // One that comes late finds the person being asked already.
    if (this.#closing === 'page asked') void this.#decide(kept)
  }

  /** Ends the application as a person would, and starts it again once it has ended; unless they stay. */
  readonly restart = (last?: () => Promise<void>): void => {
    this.#last = last
    this.#restarts = 'as it is'
    app.quit()
  }

  /** As `restart`, with the update that is ready. */
  readonly update = (): void => {
    this.#restarts = 'updated'
    app.quit()
  }

  /** What the end of the application before this one interrupted. */
  #takeUp(): void {
    const { composing, folders } = this.#app
    const { exchange, outbox } = composing
    for (const recover of [
      () => exchange.takeUpInterrupted(),
      () => outbox.recover(),
      () => folders.actions.recover()
    ]) {
      // A full disk must not keep the application from starting: what is there can still be read.
      try {
        recover()
      } catch (error) {
        this.#notKept(error)
      }
    }
    this.#app.retention.start()
  }

  /** Begins to read and to send. @param first done before. */
  async #begin(first?: () => Promise<void>): Promise<void> {
    const { composing, folders, foundation, identity, notifications, watching } = this.#app
    const { accounts, practice } = foundation
    const shown = accounts.shownIds()
    if (accounts.list().some(({ id, kind }) => kind === 'practice' && shown.includes(id)))
      await practice.start().catch(() => undefined)
    // An account that was removed as the application ended may have left its documents behind.
    const accountIds = accounts.list().map(({ id }) => id)
    await folders.ask('keepOnly', { accountIds }).catch((error: unknown) => this.#notKept(error))
    await first?.()
    folders.watch.start()
    watching.resolve()
    composing.outbox.open()
    composing.desk.open()
    folders.actions.open()
    identity.open()
    this.#app.support.follow()
    void folders.hints.start()
    this.#unfollowPolicy = followPolicy(this.#app)
    composing.dropFolders.start()
    this.#app.schedule.open()
    this.#app.copies.open()
    notifications.badgeCounts.changed()
    await this.#app.counter.audit.checkAtStart()
  }

  /** The computer sleeps and wakes; its screen is locked and unlocked. */
  #followComputer(): void {
    const { counter, identity, notifications } = this.#app
    const { presence } = notifications
    const left = () => {
      presence.left()
      identity.locked()
      counter.counter.left('locked')
    }
    powerMonitor.on('suspend', left)
    // Not every system tells that it goes to sleep.
    powerMonitor.on('resume', () => counter.counter.left('locked'))
    this.#followSleep()
    const locked = () => {
      left()
      counter.staff.lockScreen()
      counter.access.close()
    }
    const unlocked = () => {
      counter.staff.unlockScreen()
      counter.lock.signedIn()
      if (this.#window.isFocused()) presence.came()
    }
    if (process.platform === 'linux') followLock(locked, unlocked)
    else {
      powerMonitor.on('lock-screen', locked)
      powerMonitor.on('unlock-screen', unlocked)
    }
    counter.lock.watch(() => powerMonitor.getSystemIdleTime())
  }

  /** Nothing of the office's is on its way while the computer sleeps; what waited for the network meanwhile goes at once. */
  #followSleep(): void {
    const { composing, folders, identity } = this.#app
    powerMonitor.on('suspend', () => composing.outbox.shared.breakOff())
    powerMonitor.on('resume', () => {
      folders.watch.soon()
      composing.outbox.resumed()
      void composing.desk.resumed()
      this.#app.schedule.look()
      folders.actions.connectionChanged()
      identity.connectionChanged()
    })
  }

  /**
   * Holds the closing of the window back until the page has said that what was typed last is kept, which a save that is
   * still waiting would lose, and the person agrees if something would not be as they expect.
   */
  #close(event: { preventDefault(): void }): void {
    if (this.#closing === 'agreed') return
    event.preventDefault()
    if (this.#closing !== 'not' || !this.#mayClose()) return
    // A page that has crashed has nothing more to say, and what it had is kept as far as it was.
    if (this.#window.webContents.isCrashed()) return void this.#decide(true)
    this.#closing = 'page asked'
    this.#late = setTimeout(() => void this.#decide(false), CLOSING_TIMEOUT)
    this.#app.foundation.send('window.closing', null)
  }

  /** While a person has this window, only staff ends it. */
  #mayClose(): boolean {
    const { counter, isHandedOver } = this.#app.counter
    // A page that is gone takes nobody's PIN: the next start is locked instead.
    this.#keepsMarker = isHandedOver() && this.#window.webContents.isCrashed()
    if (!isHandedOver() || this.#keepsMarker || counter.canBeLeft()) return true
    counter.left('closing')
    this.#restarts = 'not'
    return false
  }

  async #decide(kept: boolean): Promise<void> {
    clearTimeout(this.#late)
    this.#closing = 'deciding'
    const agreed = (kept || (await agrees(this.#window, NOT_KEPT))) && (await agrees(this.#window, this.#question()))
    if (this.#window.isDestroyed()) return
    this.#closing = agreed ? 'agreed' : 'not'
    if (agreed) this.#window.close()
    else this.#restarts = 'not'
  }

  /** What is asked once everything typed is kept; undefined for nothing. */
  #question(): LeavingQuestion | undefined {
    const { composing, counter, folders, foundation } = this.#app
    const actions = folders.actions.pending().waiting
    const pending = {
      ...composing.outbox.pending(),
      actions,
      isSigning: counter.counter.isRunning(),
      corrections: composing.bulk.corrections()
    }
    return questionOnLeaving(pending, foundation.storage.state)
  }

  /** Ends what is under way, in the order in which parts need each other. Never rejects. */
  async end(): Promise<void> {
    const { composing, counter, folders, foundation, identity, notifications, watching } = this.#app
    const { bulk, desk, dropFolders, outbox } = composing
    watching.resolve()
    this.#app.updates.stop()
    this.#app.copies.close()
    this.#unfollowPolicy?.()
    folders.watch.stop()
    notifications.presence.left()
    notifications.badgeCounts.stop()
    notifications.desktop.remove()
    const acted = folders.actions.close(LEAVING_TIMEOUT)
    const signed = counter.end({ keepsMarker: this.#keepsMarker })
    await Promise.allSettled([
      // What was copied of an identity check may be what is given back.
      signed.finally(identity.end),
      bulk.closeAll(),
      folders.hints.stop(),
      acted,
      identity.close(LEAVING_TIMEOUT),
      this.#app.retention.stop(),
      // What is being taken over goes into the outbox, and the office hears how its packages, actions and turns ended.
      Promise.allSettled([
        ...[acted, signed],
        dropFolders.stop(LEAVING_TIMEOUT).then(() => outbox.stop(LEAVING_TIMEOUT))
      ]).then(() => within(LEAVING_TIMEOUT, desk.close(), foundation.time)),
      notifications.notifier.stop()
    ])
    // With all of that in it, and before its thread ends.
    await within(BACKUP_TIMEOUT, this.#app.schedule.quitting(), foundation.time)
    // Those before may ask for documents to their end, and the practice office may still be answering them.
    await Promise.allSettled([
      folders.endThread(),
      foundation.practice.stop(),
      this.#app.backupWorker.end(),
      counter.audit.settled()
    ])
    if (this.#restarts === 'as it is') await this.#last?.().catch((error: unknown) => this.#notKept(error))
    // A restart that is for something else is no time for an update.
    const isUpdated =
      this.#restarts !== 'as it is' &&
      (await this.#app.updates.installAtEnd(this.#restarts === 'updated' ? 'restart' : 'quit'))
    await this.#app.support.end()
    foundation.db.close()
    if (this.#restarts !== 'not' && !isUpdated) app.relaunch()
  }

  #notKept(error: unknown): void {
    this.#app.foundation.log.error('What was interrupted could not be noted.', { code: asAppError(error).code })
  }
}

const NOT_KEPT: LeavingQuestion = {
  message: 'What you typed last could not be saved.',
  detail: 'If you close Countersign now, it is lost. The screen says why it could not be saved.',
  stay: 'Go back',
  leave: 'Close and lose it'
}

/** `lock-screen` and `unlock-screen` are for Windows and macOS alone. What a Linux answers is its screen saver's word. */
function followLock(locked: () => void, unlocked: () => void): void {
  let wasLocked = false
  const look = () => {
    const isLocked = powerMonitor.getSystemIdleState(1) === 'locked'
    if (isLocked !== wasLocked) (isLocked ? locked : unlocked)()
    wasLocked = isLocked
  }
  setInterval(look, LOCK_LOOK).unref()
}

async function agrees(window: BrowserWindow, question: LeavingQuestion | undefined): Promise<boolean> {
  if (!question) return true
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: question.message,
    detail: question.detail,
    buttons: [question.stay, question.leave],
    defaultId: 0,
    cancelId: 0
  })
  return response === 1
}

/** How long everything together may take, in milliseconds; a thread or a page that says nothing has failed. */
const SMOKE_TIMEOUT = 60_000

/** Says so once the page has drawn its first screen, which it can't without its answers from the main process. */
const LOADED = `new Promise((resolve) => {
  const look = () => document.documentElement.dataset.appState === 'loaded' ? resolve(true) : setTimeout(look, 20)
  look()
})`

/**
 * `--smoke`: shows that what was installed holds all it needs, and that this computer lets it. Opens what the application opens,
 * but reads and sends nothing of any account, and ends: with 0 where everything opened, and 1 otherwise. The log says which.
 */
export async function smoke({ foundation, folders, composing }: App): Promise<void> {
  const { accounts, devServer, keychainState, log, practice, storage, window } = foundation
  const late = setTimeout(() => end('an answer in time'), SMOKE_TIMEOUT)

  function end(failed?: string): void {
    clearTimeout(late)
    if (failed) log.error(`Smoke: ${failed} is missing.`)
    else log.info('Smoke: everything opened.')
    app.exit(failed ? 1 : 0)
  }

  const steps: Record<string, () => unknown> = {
    'the keychain': () => keychainState().state === 'available',
    'the encrypted database': () => storage.state === 'encrypted',
    'the thread of documents': () => folders.ask('keepOnly', { accountIds: accounts.list().map(({ id }) => id) }),
    'the thread of bulk sending': () => composing.bulk.sample(blankComposition('form-direct', 'form'), 'xlsx'),
    'the thread of the practice office': () => practice.start(),
    'the window’s page': async () => {
      await window.loadURL(devServer?.href ?? APP_START)
      return window.webContents.executeJavaScript(LOADED)
    }
  }
  for (const [name, step] of Object.entries(steps)) {
    try {
      if ((await step()) === false) return end(name)
    } catch {
      return end(name)
    }
  }
  await Promise.all([folders.endThread(), practice.stop()])
  foundation.db.close()
  end()
}
