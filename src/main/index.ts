/** The composition root: makes the parts and joins them, in the order things happen. No logic of its own. */
import { randomBytes, randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'
import { app, type BrowserWindow, type IpcMainInvokeEvent, ipcMain, powerMonitor } from 'electron'
import { openComposing } from './composing.ts'
import { secretsBeside } from './core/accounts/account-secrets.ts'
import { openAccounts } from './core/accounts/accounts.ts'
import { openClients } from './core/accounts/clients.ts'
import { openFetchedLists } from './core/accounts/fetched-lists.ts'
import { openKeptOffice } from './core/accounts/kept-office.ts'
import { openCounter } from './core/counter/counter.ts'
import { openMirror } from './core/documents/mirror.ts'
import { openWatch } from './core/documents/watch.ts'
import { openDownloads } from './core/downloads/downloads.ts'
import { APP_START, devServerOf } from './core/policy/app-pages.ts'
import { questionOnLeaving } from './core/policy/leaving.ts'
import { removeUnfinished } from './core/storage/atomic-file.ts'
import { openDatabase } from './core/storage/database.ts'
import { accountHandlers } from './ipc/accounts.ts'
import { bulkHandlers } from './ipc/bulk.ts'
import { counterHandlers } from './ipc/counter.ts'
import type { Dialogs } from './ipc/dialogs.ts'
import { documentHandlers } from './ipc/documents.ts'
import { downloadHandlers } from './ipc/downloads.ts'
import { draftHandlers } from './ipc/drafts.ts'
import { asAppError } from './ipc/errors.ts'
import { outboxHandlers } from './ipc/outbox.ts'
import { registerHandlers } from './ipc/registration.ts'
import { systemHandlers } from './ipc/system.ts'
import { declareAppScheme, guardDevServer, serveAppPages } from './shell/app-protocol.ts'
import { bulkDeskOf } from './shell/bulk.ts'
import { keepBeforeClosing } from './shell/closing.ts'
import { chooseFiles, chooseFolder, chooseSaveFile, sayCannotStart } from './shell/dialogs.ts'
import { eventsTo } from './shell/events.ts'
import { openKeychain } from './shell/keychain.ts'
import { lockDown } from './shell/lock-down.ts'
import { logUncaught, openLog } from './shell/log.ts'
import { isFromWindow, openMainWindow } from './shell/main-window.ts'
import { installMenu } from './shell/menu.ts'
import { practiceOf } from './shell/practice.ts'
import { copy, openOutside, showInFolder } from './shell/reveal.ts'
import { openServiceNetwork } from './shell/service-network.ts'
import { openSettingsStore } from './shell/settings-store.ts'
import { signingViewsOf } from './shell/signing-view.ts'
import { holdSingleInstance } from './shell/single-instance.ts'
import { systemStatus } from './shell/status.ts'
import { applyTheme } from './shell/theme.ts'
import { applyZoom } from './shell/zoom.ts'

/** How long sends that are under way may take when the application ends, in milliseconds; then they are in doubt. */
const LEAVING_PATIENCE = 5000
const DAY = 86_400_000
/** How long a signing page may take until there is something to see, in milliseconds. */
const SIGNING_PATIENCE = 30_000

let window: BrowserWindow | undefined
const log = openLog()
logUncaught(log)
declareAppScheme()
lockDown(log)
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
  const send = eventsTo(() => window, devServer)
  const clock = Date.now
  const newId = randomUUID

  const { settings } = await openSettingsStore()
  const { keychain, status: keychainState } = await openKeychain()
  const opened = await openDatabase({ folder: app.getPath('userData'), keychain, random: randomBytes, clock })
  const { db } = opened

  const accounts = openAccounts({ db, secrets: secretsBeside(opened, keychain), newId, clock })
  const clients = openClients({ accounts, fetch: openServiceNetwork(), clock, random: Math.random })
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
  const mirror = openMirror(db, clock)
  let version = 0
  const documentsChanged = (folders: string[]) => send('documents.changed', { folders, version: ++version })
  const schedule = (task: () => void, delay: number) => {
    const timer = setTimeout(task, delay)
    return () => clearTimeout(timer)
  }
  let connectionChanged = () => {}
  const watch = openWatch({
    mirror,
    chosen: () => accounts.chosen()?.id,
    clientOf: clients.of,
    describe: asAppError,
    clock,
    changed: documentsChanged,
    connectionChanged: () => connectionChanged(),
    schedule
  })
  const { drafts, presets, exchange, people, remembered, outbox, bulk } = openComposing({
    db,
    clients,
    lists,
    watch,
    bulkDesk: bulkDeskOf({ worker: new URL('./bulk-worker.js', import.meta.url), log }),
    madeBy: `${app.getName()} ${app.getVersion()}`,
    send,
    clock,
    newId,
    schedule
  })
  connectionChanged = () => {
    send('connection.changed', null)
    if (watch.connectionOf(accounts.chosen()?.id).state === 'online') outbox.lineChanged()
  }
  keptWherePossible(() => exchange.takeUpInterrupted())
  keptWherePossible(() => outbox.takeUpInterrupted())
  const purge = () => void drafts.purge().catch(notKept)
  purge()
  setInterval(purge, DAY).unref()
  const downloadFolder = () => settings.read().downloadFolder ?? app.getPath('downloads')
  const downloads = openDownloads({
    db,
    clientOf: clients.of,
    folder: downloadFolder,
    describe: asAppError,
    clock,
    newId,
    changed: (id) => send('downloads.changed', { id })
  })
  keptWherePossible(() => downloads.takeUpInterrupted())
  void removeUnfinished(downloadFolder())

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
  // A page that is loaded anew begins at its natural size.
  shown.webContents.on('dom-ready', () => applyZoom(shown, settings.read().zoom))
  const chosenId = () => accounts.chosen()?.id ?? ''
  const counter = openCounter({
    documents: () => mirror.withSigningKeys(chosenId()),
    documentOf: (reference) => mirror.get(chosenId(), reference),
    refresh: () => watch.refresh(chosenId()),
    account: () => ({ kind: accounts.chosen()?.kind ?? 'service', baseUrl: accounts.chosen()?.baseUrl ?? '' }),
    returnAddressOf: outbox.returnAddressOf,
    openView: signingViewsOf({ window: shown, patienceMs: SIGNING_PATIENCE }),
    zoom: () => settings.read().zoom,
    describe: asAppError,
    clock,
    newId,
    changed: (id) => send('counter.changed', { id })
  })

  const readyToClose = keepBeforeClosing(shown, {
    tellPage: () => send('window.closing', null),
    question: () => questionOnLeaving(outbox.pending(), opened.state)
  })
  const dialogs: Dialogs = {
    chooseFiles: (...asked) => chooseFiles(shown, ...asked),
    chooseSaveFile: (...asked) => chooseSaveFile(shown, ...asked)
  }
  registerHandlers({
    handle: (channel, listener) => ipcMain.handle(channel, listener),
    isOurs: (event: IpcMainInvokeEvent) => isFromWindow(shown, event, devServer),
    log,
    handlers: {
      ...accountHandlers({
        accounts,
        clients,
        lists,
        watch,
        startPractice: practice.start,
        endDownloads: downloads.endAll,
        leaveAccount: async () => {
          await Promise.all([counter.close(), bulk.closeAll()])
        },
        changed: () => {
          send('accounts.changed', null)
          // Another address or key may be what its packages wait for.
          outbox.lineChanged()
        }
      }),
      ...draftHandlers({ accounts, drafts, presets, exchange, people, remembered, ...dialogs }),
      ...outboxHandlers({ accounts, drafts, outbox, ...dialogs }),
      ...bulkHandlers({ accounts, bulk, ...dialogs }),
      ...documentHandlers({
        accounts,
        clients,
        mirror,
        watch,
        openInBrowser: (url) => openOutside(url, accounts.chosen()),
        clock,
        changed: documentsChanged
      }),
      ...downloadHandlers({
        accounts,
        mirror,
        downloads,
        reveal: showInFolder,
        folderLabel: () => basename(downloadFolder()) || 'Disk',
        chooseFolder: async (stillAsking) => {
          const chosen = await chooseFolder(shown, 'Where downloads go', stillAsking)
          if (chosen) settings.change({ downloadFolder: chosen })
          return chosen && basename(chosen)
        }
      }),
      ...counterHandlers(counter),
      ...systemHandlers({
        settings,
        applySettings: ({ theme, zoom }) => {
          applyTheme(theme)
          applyZoom(shown, zoom)
        },
        changed: () => send('settings.changed', null),
        status: () => systemStatus(opened, keychainState),
        copy,
        readyToClose
      })
    }
  })
  installMenu({
    platform: process.platform,
    isPackaged: app.isPackaged,
    // While a person signs, the office's own screens stay out of sight.
    choose: (command) => counter.state() ?? send('menu.chosen', { command })
  })

  shown.on('show', () => watch.setShown(true))
  shown.on('hide', () => watch.setShown(false))
  shown.on('minimize', () => watch.setShown(false))
  shown.on('restore', () => watch.setShown(true))
  const isPractice = accounts.chosen()?.kind === 'practice'
  const ready = isPractice ? practice.start().catch(() => undefined) : Promise.resolve()
  void ready.then(() => {
    watch.start()
    outbox.open()
  })
  // What waited for the line while the computer slept goes at once.
  powerMonitor.on('resume', () => {
    watch.soon()
    outbox.resumed()
  })

  app.on('window-all-closed', () => app.quit())
  let leaving: Promise<unknown> | undefined
  let hasLeft = false
  app.on('will-quit', (event) => {
    if (hasLeft) return
    // The practice office saves before it ends, and the signing page is wiped; however often quitting is asked for.
    event.preventDefault()
    if (leaving) return
    watch.stop()
    const ended = outbox.stop(LEAVING_PATIENCE).then(() => practice.stop())
    leaving = Promise.allSettled([counter.close(), bulk.closeAll(), ended]).then(() => {
      db.close()
      hasLeft = true
      app.quit()
    })
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
