/** How the application starts, reacts to sleep and screen lock, closes its window, and ends; also the smoke test. */
import { app, type BrowserWindow, dialog, powerMonitor } from 'electron'
import { blankComposition } from '../shared/composition/index.ts'
import { type App, followPolicy } from './app.ts'
import { asAppError } from './core/errors/app-error.ts'
import { within } from './core/lib/time.ts'
import { APP_START } from './core/policy/app-pages.ts'
import { type QuitQuestion, questionBeforeQuitting } from './core/policy/quit-question.ts'
import { delayQuitUntil } from './shell/delayed-quit.ts'
import { showNotScheduled } from './shell/dialogs.ts'
import { applyZoom } from './shell/own-page.ts'
import { loadFirstPage } from './shell/own-windows.ts'
import { bringForward, followVisibility, showWhenReopened } from './shell/windows.ts'

/** How long sends in progress, and disks, may take when the application ends, in milliseconds; after that, sends are uncertain. */
const QUIT_TIMEOUT = 5000
/** How long the page may take to answer before the window closes, in milliseconds; after that the user decides. */
const CLOSING_TIMEOUT = 3000
/**
 * How long a backup may take when the application ends, in milliseconds; after that the next start reports that it is
 * missing.
 */
const BACKUP_TIMEOUT = 120_000
/** How often Linux is polled for its screen lock, in milliseconds: it sends no event. */
const LOCK_POLL_INTERVAL = 2000

export class Lifecycle {
  readonly #app: App
  readonly #window: BrowserWindow
  #closing: 'not' | 'page asked' | 'deciding' | 'agreed' = 'not'
  #closeTimer: NodeJS.Timeout | undefined
  /** Whether the next start resumes the counter session, and starts locked because of it. */
  #keepsMarker = false
  /** Whether the application restarts after it has ended: as it is, or with the update that is ready. */
  #restartMode: 'not' | 'as it is' | 'updated' = 'not'
  /** Runs before a restart as it is, while the database is still open; replaces or removes what is stored. */
  #beforeRestart: (() => Promise<void>) | undefined
  #unfollowPolicy: (() => void) | undefined

  constructor(app: App) {
    this.#app = app
    this.#window = app.foundation.window
  }

  /** Resumes interrupted work, shows the window, and starts reading and sending. */
  start(): void {
    const { foundation, folders, notifications } = this.#app
    const { settings, log, devServer } = foundation
    const { presence } = notifications
    const window = this.#window
    this.#recover()
    // Must precede the window's page, which first shows an interrupted session.
    this.#app.counter.start((error) => this.#logUnsaved(error))
    // A reloaded page starts at its default zoom.
    window.webContents.on('dom-ready', () => applyZoom(window, settings.read().zoom))
    window.on('close', (event) => this.#close(event))
    followVisibility(window, folders.polling.setShown)
    window.on('focus', presence.arrived)
    window.on('blur', presence.departed)
    // If the start is locked, only the lock is shown, not the place where staff was.
    const place = this.#app.counter.isAway() ? '' : foundation.place.read()
    loadFirstPage(window, `${devServer?.href ?? APP_START}${place}`, log)
    if (window.isFocused()) presence.arrived()
    void this.#startWork(async () => {
      // Must precede reading the folders: what the first reading finds happened while the application was closed.
      await notifications.notifier.start()
      this.#app.updates.start()
    })
    this.#followComputer()
    // shell/outside.ts handles the second instance's arguments.
    showWhenReopened(window)
    app.on('window-all-closed', () => app.quit())
    delayQuitUntil(() => this.end())
  }

  /** As `start`, for an agent: shows nothing, since there is no user to notify or ask, or to hand the screen to. */
  startHeadless(): void {
    const { folders, foundation, notifications } = this.#app
    foundation.log.info('Countersign works as an agent.')
    notifications.desktop.remove()
    folders.polling.setShown(false)
    this.#recover()
    void this.#startWork()
    this.#followSleep()
    delayQuitUntil(() => this.end())
  }

  /** The page's answer before its window closes. @param kept whether everything typed is kept. */
  readonly readyToClose = (kept: boolean): void => {
    // Ignores a late answer: the user is already being asked.
    if (this.#closing === 'page asked') void this.#decide(kept)
  }

  /** Quits the application as a user would and starts it again, unless the user decides to stay. */
  readonly restart = (beforeRestart?: () => Promise<void>): void => {
    this.#beforeRestart = beforeRestart
    this.#restartMode = 'as it is'
    app.quit()
  }

  /** As `restart`, but installs the update that is ready. */
  readonly update = (): void => {
    this.#restartMode = 'updated'
    app.quit()
  }

  /** Recovers what the previous end of the application interrupted. */
  #recover(): void {
    const { composing, folders } = this.#app
    const { exchange, outbox } = composing
    for (const recover of [
      () => exchange.removeInterrupted(),
      () => outbox.recover(),
      () => folders.actions.recover()
    ]) {
      // A full disk mustn't prevent the start: existing data can still be read.
      try {
        recover()
      } catch (error) {
        this.#logUnsaved(error)
      }
    }
    this.#app.retention.start()
  }

  /** Starts reading and sending. @param first runs before. */
  async #startWork(first?: () => Promise<void>): Promise<void> {
    const { composing, folders, foundation, identity, notifications, pollingStarted } = this.#app
    const { accounts, movedAccounts, practice } = foundation
    const shown = accounts.shownIds()
    if (accounts.list().some(({ id, kind }) => kind === 'practice' && shown.includes(id)))
      await practice.start().catch(() => undefined)
    // If an account was removed as the application ended, its documents may still be there.
    const accountIds = accounts.list().map(({ id }) => id)
    await folders.ask('keepOnly', { accountIds }).catch((error: unknown) => this.#logUnsaved(error))
    await first?.()
    for (const id of movedAccounts) folders.polling.accountChanged(id, 'another service')
    folders.polling.start()
    pollingStarted.resolve()
    composing.outbox.start()
    composing.membership.start()
    folders.actions.startDispatching()
    identity.start()
    this.#app.support.startStatusFile()
    void folders.hints.start()
    this.#unfollowPolicy = followPolicy(this.#app)
    composing.dropFolders.start()
    this.#app.schedule.start()
    this.#app.copies.start()
    notifications.badgeCounts.changed()
    await this.#app.counter.audit.checkAtStart()
  }

  /** Reacts to sleep and wake, and to screen lock and unlock. */
  #followComputer(): void {
    const { counter, identity, notifications } = this.#app
    const { presence } = notifications
    const onAway = () => {
      presence.departed()
      identity.locked()
      counter.counter.screenLeft('locked')
    }
    powerMonitor.on('suspend', onAway)
    // Not every system reports that it goes to sleep.
    powerMonitor.on('resume', () => counter.counter.screenLeft('locked'))
    this.#followSleep()
    const locked = () => {
      onAway()
      counter.staff.screenLocked()
      counter.access.close()
    }
    const unlocked = () => {
      counter.staff.screenUnlocked()
      counter.lock.screenUnlocked()
      // The screen may be unlocked while the application ends, when its window is gone.
      if (!this.#window.isDestroyed() && this.#window.isFocused()) presence.arrived()
    }
    if (process.platform === 'linux') pollScreenLock(locked, unlocked)
    else {
      powerMonitor.on('lock-screen', locked)
      powerMonitor.on('unlock-screen', unlocked)
    }
    counter.lock.watch(() => powerMonitor.getSystemIdleTime())
  }

  /**
   * Aborts the office's sends and actions in flight when the computer goes to sleep; on waking, resumes at once
   * whatever waited for the network.
   */
  #followSleep(): void {
    const { composing, folders, identity } = this.#app
    powerMonitor.on('suspend', () => composing.outbox.shared.abortRequests())
    powerMonitor.on('resume', () => {
      folders.polling.soon()
      composing.outbox.resumed()
      void composing.membership.resumed()
      this.#app.schedule.check()
      folders.actions.connectionChanged()
      identity.connectionChanged()
    })
  }

  /**
   * Prevents the window from closing until the page confirms that the latest input is kept (a pending save would be
   * lost), and the user agrees if there is something they might not expect.
   */
  #close(event: { preventDefault(): void }): void {
    if (this.#closing === 'agreed') return
    event.preventDefault()
    if (this.#closing !== 'not' || !this.#mayClose()) return
    // A crashed page can't answer; whatever it saved before is kept.
    if (this.#window.webContents.isCrashed()) return void this.#decide(true)
    this.#closing = 'page asked'
    this.#closeTimer = setTimeout(() => void this.#decide(false), CLOSING_TIMEOUT)
    this.#app.foundation.send('window.closing', null)
  }

  /** While a signer has this window, only staff may close it. */
  #mayClose(): boolean {
    const { counter, isHandedOver } = this.#app.counter
    // A crashed page can't take a PIN, so the next start is locked instead.
    this.#keepsMarker = isHandedOver() && this.#window.webContents.isCrashed()
    if (!isHandedOver() || this.#keepsMarker || counter.canLeaveWithoutPin()) return true
    counter.screenLeft('closing')
    this.#restartMode = 'not'
    return false
  }

  async #decide(kept: boolean): Promise<void> {
    clearTimeout(this.#closeTimer)
    this.#closing = 'deciding'
    const agreed =
      (kept || (await userConfirms(this.#window, UNSAVED_QUESTION))) &&
      (await userConfirms(this.#window, this.#quitQuestion()))
    if (this.#window.isDestroyed()) return
    this.#closing = agreed ? 'agreed' : 'not'
    if (agreed) this.#window.close()
    else this.#restartMode = 'not'
  }

  /** What to ask the user once everything typed is kept; undefined if there's no need. */
  #quitQuestion(): QuitQuestion | undefined {
    const { composing, counter, folders, foundation } = this.#app
    const actions = folders.actions.pending().waiting
    const { preparing, ...unsent } = composing.outbox.pending()
    const pending = {
      ...unsent,
      preparing: composing.bulk.isSending() ? Math.max(1, preparing) : preparing,
      actions,
      isSigning: counter.counter.isRunning(),
      corrections: composing.bulk.filesWithCorrections(),
      isReplaced: this.#restartMode === 'as it is' && this.#beforeRestart !== undefined
    }
    return questionBeforeQuitting(pending, foundation.storage.state)
  }

  /** Ends work in progress, in the order of the parts' dependencies. Never rejects. */
  async end(): Promise<void> {
    const { composing, counter, folders, foundation, identity, notifications, pollingStarted } = this.#app
    const { bulk, membership, dropFolders, outbox } = composing
    pollingStarted.resolve()
    this.#app.updates.stop()
    this.#app.copies.close()
    this.#unfollowPolicy?.()
    folders.polling.stop()
    notifications.presence.departed()
    notifications.badgeCounts.stop()
    notifications.desktop.remove()
    const actionsClosed = folders.actions.close(QUIT_TIMEOUT)
    const counterEnded = counter.end({ keepsMarker: this.#keepsMarker })
    await Promise.allSettled([
      // After the counter has restored the staff's clipboard, which may itself hold copied identity data.
      counterEnded.finally(identity.end),
      bulk.closeAll(),
      folders.hints.stop(),
      actionsClosed,
      identity.close(QUIT_TIMEOUT),
      this.#app.retention.stop(QUIT_TIMEOUT),
      // Drop folders still add files to the outbox, and the office is told how its packages, actions and turns ended.
      Promise.allSettled([
        ...[actionsClosed, counterEnded],
        dropFolders.stop(QUIT_TIMEOUT).then(() => outbox.stop(QUIT_TIMEOUT))
      ]).then(() => within(QUIT_TIMEOUT, membership.close(), foundation.time)),
      notifications.notifier.stop()
    ])
    // After the above, so that the backup includes it, and before the backup thread ends.
    await within(BACKUP_TIMEOUT, this.#app.schedule.runOnQuit(), foundation.time)
    // The parts above may request documents until they end, and the practice service may still be answering them.
    await Promise.allSettled([
      folders.endThread(),
      foundation.practice.stop(),
      this.#app.backupWorker.end(),
      counter.audit.flush()
    ])
    if (this.#restartMode === 'as it is')
      await this.#beforeRestart?.().catch((error: unknown) => {
        this.#logUnsaved(error)
        showNotScheduled(asAppError(error))
      })
    // No update during a restart that has another purpose.
    const isUpdated =
      this.#restartMode !== 'as it is' &&
      (await this.#app.updates.installAtEnd(this.#restartMode === 'updated' ? 'restart' : 'quit'))
    await this.#app.support.end()
    foundation.db.close()
    if (this.#restartMode !== 'not' && !isUpdated) app.relaunch()
  }

  #logUnsaved(error: unknown): void {
    this.#app.foundation.log.error('What was interrupted could not be noted.', { code: asAppError(error).code })
  }
}

const UNSAVED_QUESTION: QuitQuestion = {
  message: 'What you typed last couldn’t be saved.',
  detail: 'If you close Countersign now, it will be lost. The screen says why it couldn’t be saved.',
  stay: 'Go back',
  leave: 'Close and lose it'
}

/**
 * Electron's `lock-screen` and `unlock-screen` events exist on Windows and macOS only. On Linux, the idle state
 * reflects the screen saver.
 */
function pollScreenLock(locked: () => void, unlocked: () => void): void {
  let wasLocked = false
  const poll = () => {
    const isLocked = powerMonitor.getSystemIdleState(1) === 'locked'
    if (isLocked !== wasLocked) (isLocked ? locked : unlocked)()
    wasLocked = isLocked
  }
  setInterval(poll, LOCK_POLL_INTERVAL).unref()
}

async function userConfirms(window: BrowserWindow, question: QuitQuestion | undefined): Promise<boolean> {
  if (!question) return true
  // Over a window that is hidden or minimised, as when quitting from the tray or the Dock, nobody would see it.
  bringForward(window)
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

/** How long the whole smoke test may take, in milliseconds; a thread or page that doesn't answer has failed. */
const SMOKE_TIMEOUT = 60_000

/** Resolves once the page has drawn its first screen, for which it needs answers from the main process. */
const LOADED = `new Promise((resolve) => {
  const look = () => document.documentElement.dataset.appState === 'loaded' ? resolve(true) : setTimeout(look, 20)
  look()
})`

/**
 * `--smoke`: checks that the installation is complete and can run on this computer. Opens what the application opens,
 * but reads and sends nothing for any account. Exits with 0 if everything opened, otherwise 1; the log gives details.
 */
export async function smoke({ foundation, folders, composing }: App): Promise<void> {
  const { accounts, devServer, keychainState, log, practice, storage, window } = foundation
  const timer = setTimeout(() => end('an answer in time'), SMOKE_TIMEOUT)

  function end(failed?: string): void {
    clearTimeout(timer)
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
