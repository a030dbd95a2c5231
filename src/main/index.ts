/** The composition root: makes the parts and joins them, in the order things happen. No logic of its own. */
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { app, type BrowserWindow, type IpcMainInvokeEvent, ipcMain, powerMonitor } from 'electron'
import { openComposing } from './composing.ts'
import { openAccounts } from './core/accounts/accounts.ts'
import { openClients } from './core/accounts/clients.ts'
import { secretsBeside } from './core/accounts/credentials.ts'
import { openFetchedLists } from './core/accounts/fetched-lists.ts'
import { openKeptOffice } from './core/accounts/kept-office.ts'
import { documentsKey } from './core/documents/mirror/database.ts'
import { systemTime } from './core/lib/time.ts'
import { APP_START, devServerOf, PERSON_START } from './core/policy/app-pages.ts'
import { questionOnLeaving } from './core/policy/leaving.ts'
import { openDatabase } from './core/storage/database.ts'
import { openCounterDesk } from './counter.ts'
import { openIdentityDownloads } from './downloads.ts'
import { openFolders } from './folders.ts'
import { openIdentityReading } from './identity.ts'
import { accountHandlers } from './ipc/accounts.ts'
import { actionHandlers } from './ipc/actions.ts'
import { activityHandlers } from './ipc/activity.ts'
import { auditHandlers } from './ipc/audit.ts'
import { bulkHandlers } from './ipc/bulk.ts'
import { counterHandlers } from './ipc/counter.ts'
import { counterSettingsHandlers } from './ipc/counter-settings.ts'
import type { Dialogs } from './ipc/dialogs.ts'
import { directoryHandlers } from './ipc/directory.ts'
import { documentHandlers } from './ipc/documents.ts'
import { downloadHandlers } from './ipc/downloads.ts'
import { draftHandlers } from './ipc/drafts.ts'
import { dropFolderHandlers } from './ipc/drop-folders.ts'
import { asAppError } from './ipc/errors.ts'
import { hintHandlers } from './ipc/hints.ts'
import { identityHandlers } from './ipc/identity.ts'
import { identityPdfHandlers } from './ipc/identity-pdf.ts'
import { outboxHandlers } from './ipc/outbox.ts'
import { registerHandlers } from './ipc/registration.ts'
import { systemHandlers } from './ipc/system.ts'
import { viewHandlers } from './ipc/views.ts'
import { declareAppScheme, guardDevServer, serveAppPages } from './shell/app-protocol.ts'
import { endAfter, holdSingleInstance, systemStatus } from './shell/application.ts'
import { bulkWorkerOf } from './shell/bulk.ts'
import { plainClipboard } from './shell/clipboard.ts'
import { keepBeforeClosing } from './shell/closing.ts'
import { openDesktop } from './shell/desktop.ts'
import { chooseFiles, chooseFolder, chooseSaveFile, printWithDialog, sayCannotStart } from './shell/dialogs.ts'
import { openDocumentsThread } from './shell/documents.ts'
import { eventsTo } from './shell/events.ts'
import { logUncaught, openLog } from './shell/log.ts'
import { openMainWindow } from './shell/main-window.ts'
import { installMenu } from './shell/menu.ts'
import { nameToDesktop } from './shell/notifications.ts'
import { applyTheme, applyZoom, isFromWindow } from './shell/own-page.ts'
import { practiceOf } from './shell/practice.ts'
import { openOutside, showInFolder } from './shell/reveal.ts'
import { openServiceNetwork } from './shell/service-network.ts'
import { lockSessions } from './shell/session-policy.ts'
import { openKeychain, openSettingsStore } from './shell/stores.ts'

/** How long sends that are under way may take when the application ends, in milliseconds; then they are in doubt. */
const LEAVING_PATIENCE = 5000
const DAY = 86_400_000
/** Node takes a longer wait for none at all. Anyone who is woken too soon plans again. */
const LONGEST_TIMER = 2 ** 31 - 1

let window: BrowserWindow | undefined
const log = openLog()
logUncaught(log)
declareAppScheme()
lockSessions(log)
nameToDesktop(process.platform)
const devServer = devServerOf(app, process.env.ELECTRON_RENDERER_URL)
const isFirst = holdSingleInstance(() => window)

// No await at the top: Electron is ready only once this module has been evaluated.
if (isFirst) {
  run().catch((error: unknown) => {
    log.error('The application could not start.', { kind: error instanceof Error ? error.name : typeof error })
    sayCannotStart()
    app.exit(1)
  })
} else {
  app.quit()
}

async function run(): Promise<void> {
  await app.whenReady()
  const send = eventsTo({ desk: () => window, person: () => counterDesk.personWindow() }, devServer)
  const clock = Date.now
  const newId = randomUUID

  const { settings } = await openSettingsStore()
  const { keychain, status: keychainState } = await openKeychain()
  const opened = await openDatabase({ folder: app.getPath('userData'), keychain, random: randomBytes, clock })
  const { db } = opened

  const accounts = openAccounts({ db, secrets: secretsBeside(opened, keychain), newId, clock })
  const clients = openClients({
    ...{ accounts, fetch: openServiceNetwork(), clock, random: Math.random },
    unreached: (accountId) => watch.unreached(accountId)
  })
  const practice = practiceOf({
    worker: new URL('./practice-worker.js', import.meta.url),
    kept: openKeptOffice(db, clock),
    runs: (run) => {
      accounts.practiceRunsAt(run && { baseUrl: run.url, credentials: { scheme: 'bearer', token: run.token } })
      // Each run has a token of its own.
      for (const { id, kind } of accounts.list()) if (kind === 'practice') clients.forget(id)
      send('accounts.changed', null)
    },
    log
  })
  const lists = openFetchedLists({ db, clientOf: clients.of, describe: asAppError, clock })
  const schedule = (task: () => void, delay: number) => {
    const timer = setTimeout(task, Math.min(delay, LONGEST_TIMER))
    return () => clearTimeout(timer)
  }
  const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
  const isHandedOver = () => counterDesk.counter.isHandedOver()
  const desktop = openDesktop({ windowNow: () => window, isHandedOver, send, log })
  const documentDesk = openDocumentsThread({
    worker: new URL('./documents-worker.js', import.meta.url),
    folder: app.getPath('userData'),
    key: opened.state === 'encrypted' ? documentsKey(db, randomBytes) : undefined,
    log
  })
  const { ask } = documentDesk
  let connectionChanged = () => {}
  const folders = openFolders({
    ...{ db, ask, accounts, clients, lists, send, newId, isHandedOver, time: systemTime },
    ...desktop.notifications,
    showBadgeCounts: desktop.show,
    connectionChanged: () => connectionChanged(),
    documentsChanged(accountId) {
      void counter.documentsChanged(accountId)
      downloads.rules.documentsChanged()
    },
    viewsChanged: () => downloads.rules.viewsChanged(),
    failed: (error) => log.warn('What happened could not be told.', { code: asAppError(error).code })
  })
  const { watch, actions } = folders
  const bulkWorkerFile = new URL('./bulk-worker.js', import.meta.url)
  const { drafts, presets, exchange, people, remembered, outbox, bulk, dropFolders } = openComposing({
    db,
    clients,
    lists,
    watch,
    bulkWorker: bulkWorkerOf({ worker: bulkWorkerFile, log }),
    dropFolderWorker: bulkWorkerOf({ worker: bulkWorkerFile, log }),
    dropFolderTrouble: (error) => log.warn('A file could not be taken over.', { code: asAppError(error).code }),
    ownFolder: app.getPath('userData'),
    zone,
    madeBy: `${app.getName()} ${app.getVersion()}`,
    send,
    clock,
    newId,
    schedule
  })
  connectionChanged = () => {
    send('connection.changed', null)
    if (watch.connectionOf(accounts.chosen()?.id).state !== 'online') return
    outbox.connectionChanged()
    actions.connectionChanged()
    downloads.connectionChanged()
  }
  keptWherePossible(() => exchange.takeUpInterrupted())
  keptWherePossible(() => outbox.recover())
  keptWherePossible(() => actions.recover())
  const purge = () => void drafts.purge().catch(notKept)
  purge()
  setInterval(purge, DAY).unref()

  const watching = Promise.withResolvers<void>()
  const counterDesk = openCounterDesk({
    ...{ db, keychain, accounts, ask, watch, send, time: systemTime, newId },
    isKept: opened.state === 'encrypted',
    isWatching: watching.promise,
    returnAddressOf: (reference) => outbox.returnAddressOf(reference),
    describe: asAppError,
    trouble: (error) => log.warn('Something at the counter could not be kept.', { code: asAppError(error).code }),
    zoom: () => settings.read().zoom,
    handedOver: () => {
      folders.telling.counterChanged()
      identityReading.counterChanged()
    }
  })
  const { counter } = counterDesk
  const { note } = counterDesk.audit
  const { downloads, ...identityDownloads } = openIdentityDownloads({
    ...{ db, ask, accounts, clients, watch, settings, note, send, newId, time: systemTime },
    views: folders.views,
    usualFolder: app.getPath('downloads'),
    failed: (error) => log.warn('What rules fetch could not be found out.', { code: asAppError(error).code })
  })
  const identityReading = openIdentityReading({
    ...{ accounts, clients, ask, note, send, clock, newId, schedule, isHandedOver }
  })
  // Before there is a window: what was interrupted is what it shows first.
  void counter.resumeInterrupted().catch((error) => notKept(error))

  applyTheme(settings.read().theme)
  serveAppPages(join(import.meta.dirname, '../renderer'))
  if (devServer) guardDevServer(devServer)
  const shown = openMainWindow({
    start: devServer?.href ?? APP_START,
    preload: join(import.meta.dirname, '../preload/index.cjs'),
    settings,
    log,
    ...(devServer && { devServer })
  })
  window = shown
  // A page that is loaded again begins at its natural size.
  shown.webContents.on('dom-ready', () => applyZoom(shown, settings.read().zoom))
  const chosenId = () => accounts.chosen()?.id ?? ''
  let keepsMarker = false
  const readyToClose = keepBeforeClosing(shown, {
    mayClose() {
      // A page that is gone takes nobody's PIN: the next start is locked instead.
      keepsMarker = counter.isHandedOver() && shown.webContents.isCrashed()
      if (!counter.isHandedOver() || keepsMarker || counter.canBeLeft()) return true
      // While a person has this window, only staff ends it.
      counter.left('closing')
      return false
    },
    tellPage: () => send('window.closing', null),
    question: () =>
      questionOnLeaving(
        { ...outbox.pending(), actions: actions.pending().waiting, isSigning: counter.isRunning() },
        opened.state
      )
  })
  const dialogs: Dialogs = {
    chooseFiles: (...asked) => chooseFiles(shown, ...asked),
    chooseSaveFile: (...asked) => chooseSaveFile(shown, ...asked)
  }
  registerHandlers({
    handle: (channel, listener) => ipcMain.handle(channel, listener),
    roleOf(event: IpcMainInvokeEvent) {
      if (isFromWindow(shown, event, devServer)) return 'desk'
      return isFromWindow(counterDesk.personWindow(), event, devServer) ? 'person' : undefined
    },
    log,
    handlers: {
      ...accountHandlers({
        accounts,
        clients,
        lists,
        watch,
        startPractice: practice.start,
        whileDownloadsRest: downloads.whileEnded,
        leaveAccount: bulk.closeAll,
        rights: async () => folders.rights.of(chosenId()),
        changed() {
          send('accounts.changed', null)
          identityReading.accountsChanged()
          folders.badgeCounts.changed()
          dropFolders.accountsChanged()
          void counter.accountsChanged()
          // Another address or key may be what its packages wait for.
          outbox.connectionChanged()
          actions.connectionChanged()
          identityDownloads.accountsChanged()
        }
      }),
      ...draftHandlers({ accounts, drafts, presets, exchange, people, remembered, ...dialogs }),
      ...outboxHandlers({ accounts, drafts, outbox, ...dialogs }),
      ...bulkHandlers({ accounts, bulk, ...dialogs }),
      ...documentHandlers({
        ...{ accounts, ask, watch, clock, zone, views: folders.views },
        ...dialogs,
        openInBrowser: (url, accountId) => openOutside(url, accounts.get(accountId)),
        changed: folders.documentsChanged
      }),
      ...viewHandlers({ accounts, views: folders.views }),
      ...actionHandlers({ accounts, actions, validations: folders.validations, ...dialogs }),
      ...activityHandlers({
        ...{ accounts, ask, presence: folders.presence, settings: folders.settings },
        settingsChanged: folders.telling.documentsChanged
      }),
      ...directoryHandlers({ accounts, employers: folders.employers, forms: folders.forms }),
      ...hintHandlers(folders.hints),
      ...dropFolderHandlers({
        ...{ accounts, dropFolders, reveal: showInFolder },
        chooseFolder: (title, stillAsking) => chooseFolder(shown, title, stillAsking)
      }),
      ...downloadHandlers({
        accounts,
        ask,
        downloads,
        reveal: showInFolder,
        chooseFolder: (stillAsking) => chooseFolder(shown, 'Where downloads go', stillAsking)
      }),
      ...identityPdfHandlers({
        ...{ accounts, ask, previews: identityReading.pdfPreviews, isHandedOver },
        print: () => printWithDialog(shown)
      }),
      ...identityHandlers({ accounts, readings: identityReading.readings, note, isHandedOver, ...dialogs }),
      ...counterHandlers(counter),
      ...counterSettingsHandlers({
        officeName: () => accounts.chosen()?.name,
        pin: counterDesk.pin,
        settings: counterDesk.settings,
        isRunning: () => counter.isRunning(),
        ...dialogs
      }),
      ...auditHandlers({ audit: counterDesk.audit, clock, zone, ...dialogs }),
      ...systemHandlers({
        settings,
        applySettings: ({ theme, zoom }) => {
          applyTheme(theme)
          applyZoom(shown, zoom)
        },
        changed: () => send('settings.changed', null),
        status: () => systemStatus(opened, keychainState),
        copy: plainClipboard.write,
        copyBriefly: identityReading.briefCopy.copy,
        readyToClose
      })
    }
  })
  installMenu({
    platform: process.platform,
    isPackaged: app.isPackaged,
    // While a person signs, the office's own screens stay out of sight.
    choose: (command) => isHandedOver() || send('menu.chosen', { command })
  })

  counterDesk.shownIn(shown, {
    person: {
      start: devServer ? new URL('counter.html', devServer).href : PERSON_START,
      preload: join(import.meta.dirname, '../preload/index.cjs'),
      zoom: () => settings.read().zoom,
      log,
      ...(devServer && { devServer })
    },
    ...dialogs
  })

  shown.on('show', () => watch.setShown(true))
  shown.on('hide', () => watch.setShown(false))
  shown.on('minimize', () => watch.setShown(false))
  shown.on('restore', () => watch.setShown(true))
  shown.on('focus', folders.presence.came)
  shown.on('blur', folders.presence.left)
  if (shown.isFocused()) folders.presence.came()
  const isPractice = accounts.chosen()?.kind === 'practice'
  const ready = isPractice ? practice.start().catch(() => undefined) : Promise.resolve()
  void ready.then(async () => {
    // An account that was removed as the application ended may have left its documents behind.
    await ask('keepOnly', { accountIds: accounts.list().map(({ id }) => id) }).catch(notKept)
    // First: what the first reading finds happened while the application was closed.
    await folders.telling.start()
    watch.start()
    watching.resolve()
    outbox.open()
    actions.open()
    downloads.open()
    void folders.hints.start()
    dropFolders.start()
    folders.badgeCounts.changed()
  })
  // What waited for the line while the computer slept goes at once.
  powerMonitor.on('resume', () => {
    // Not every system tells that it goes to sleep.
    counter.left('locked')
    watch.soon()
    outbox.resumed()
    actions.connectionChanged()
    downloads.connectionChanged()
  })
  powerMonitor.on('lock-screen', () => {
    folders.presence.left()
    identityReading.locked()
    counter.left('locked')
    counterDesk.pin.lockScreen()
  })
  powerMonitor.on('unlock-screen', () => counterDesk.pin.unlockScreen())
  powerMonitor.on('suspend', () => {
    folders.presence.left()
    identityReading.locked()
    counter.left('locked')
  })
  powerMonitor.on('unlock-screen', () => shown.isFocused() && folders.presence.came())

  app.on('window-all-closed', () => app.quit())
  endAfter(async () => {
    watching.resolve()
    watch.stop()
    folders.presence.left()
    folders.badgeCounts.stop()
    desktop.remove()
    await Promise.allSettled([
      // What was copied of an identity check may be what is given back.
      counterDesk.end({ keepsMarker }).finally(identityReading.end),
      bulk.closeAll(),
      folders.hints.stop(),
      actions.close(LEAVING_PATIENCE),
      downloads.close(LEAVING_PATIENCE),
      // What is being taken over goes into the outbox.
      dropFolders.stop(LEAVING_PATIENCE).then(() => outbox.stop(LEAVING_PATIENCE)),
      folders.telling.stop()
    ])
    // Those before may ask the desk to their end, and the practice office may still be answering them.
    await Promise.allSettled([documentDesk.end(), practice.stop(), counterDesk.audit.settled()])
    db.close()
  })
}

/** A full disk must not keep the application from starting: what is there can still be read. */
function keptWherePossible(write: () => void): void {
  try {
    write()
  } catch (error) {
    notKept(error)
  }
}

function notKept(error: unknown): void {
  log.error('What was interrupted could not be noted.', { code: asAppError(error).code })
}
