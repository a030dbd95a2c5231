/**
 * The application: its parts in layers, each given only parts that already exist, and how events in one part affect the
 * others.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { app, ipcMain, powerMonitor } from 'electron'
import { repeatedPackage } from '../shared/composition/index.ts'
import type { Events, RetentionKind, SettingsView } from '../shared/contract/index.ts'
import type { DocumentResponse } from '../shared/model/index.ts'
import { callsStaff, wantsStaff } from '../shared/wants-staff.ts'
import { openComposing } from './composing.ts'
import type { NoteInAudit } from './core/audit/audit.ts'
import { openBackups } from './core/backup/backups.ts'
import { openRecoveryKeys, recoverKey } from './core/backup/recovery-keys.ts'
import { scheduleRemoval } from './core/backup/removal.ts'
import { RollingCopies } from './core/backup/rolling-copies.ts'
import { BackupSchedule } from './core/backup/schedule.ts'
import { rightsOf } from './core/counter/rights.ts'
import { copyOfDocument } from './core/drafts/copy-of-document.ts'
import { asAppError } from './core/errors/app-error.ts'
import { dayAt, isoFormatter } from './core/lib/calendar.ts'
import { applyAccounts, applyDropFolders, backupPlanOf, expandHome } from './core/organisation/apply-policy.ts'
import { currentPerson } from './core/outbox/releases.ts'
import { openHolds } from './core/retention/holds.ts'
import { Retention } from './core/retention/retention.ts'
import { SharedFile } from './core/settings-file/shared-file.ts'
import { DATABASE_FILE, setDatabaseAside } from './core/storage/database.ts'
import { openJsonMeta } from './core/storage/meta.ts'
import { storeKey } from './core/storage/rekey.ts'
import { applyLoginStart } from './core/support/login-start.ts'
import { hindranceOf, Updates } from './core/updates/updates.ts'
import { openCounter } from './counter.ts'
import { openFolders } from './folders.ts'
import { type AppStart, openFoundation } from './foundation.ts'
import { openIdentity } from './identity.ts'
import { accountHandlers, directoryHandlers } from './ipc/accounts.ts'
import { actionHandlers } from './ipc/actions.ts'
import { activityHandlers } from './ipc/activity.ts'
import { appointmentHandlers } from './ipc/appointments.ts'
import { auditHandlers } from './ipc/audit.ts'
import { bulkHandlers } from './ipc/bulk.ts'
import { counterHandlers, counterSettingsHandlers, withKeychainRetry } from './ipc/counter.ts'
import { shownIds } from './ipc/covered-accounts.ts'
import { documentHandlers, viewHandlers } from './ipc/documents.ts'
import { downloadHandlers, pdfHandlers } from './ipc/downloads.ts'
import { draftHandlers } from './ipc/drafts.ts'
import { dropFolderHandlers, hintHandlers } from './ipc/drop-folders.ts'
import { enrolmentHandlers } from './ipc/enrolment.ts'
import { identityHandlers } from './ipc/identity.ts'
import { officeHandlers } from './ipc/office.ts'
import { mayComplete, mayEnrol, policyCheckOf, policyHandlers } from './ipc/organisation.ts'
import { outboxHandlers } from './ipc/outbox.ts'
import { registerHandlers } from './ipc/registration.ts'
import { retentionHandlers } from './ipc/retention.ts'
import { settingsFileHandlers } from './ipc/settings-file.ts'
import { storageHandlers } from './ipc/storage.ts'
import { supportHandlers } from './ipc/support.ts'
import { systemHandlers } from './ipc/system.ts'
import { updateHandlers } from './ipc/updates.ts'
import { verificationHandlers } from './ipc/verifications.ts'
import { openNotifications } from './notifications.ts'
import { openBackupWorker } from './shell/backups.ts'
import { plainClipboard } from './shell/clipboard.ts'
import { printWithDialog } from './shell/dialogs.ts'
import { openLoginStart } from './shell/login-start.ts'
import { installMenu } from './shell/menu.ts'
import { applyTheme, applyZoom } from './shell/own-page.ts'
import { followSideButtons } from './shell/own-windows.ts'
import { openOutside, showInFolder } from './shell/reveal.ts'
import { openKeychain } from './shell/stores.ts'
import { offerTextMenu } from './shell/text-menu.ts'
import { BUILT_AT, openUpdater } from './shell/updater.ts'
import { openSupport } from './support.ts'

/** How long the computer must have been idle before the database is copied, in seconds. */
const IDLE_SECONDS = 60

export type App = Awaited<ReturnType<typeof openApp>>

/** Creates all parts and connects them. Doesn't send, read or show anything yet: see lifecycle.ts. */
export async function openApp(start: AppStart) {
  const foundation = await openFoundation(start)
  const pollingStarted = Promise.withResolvers<void>()
  const folders = openFolders(foundation)
  const { ask, views, polling } = folders
  const madeBy = `${app.getName()} ${app.getVersion()}`
  const composing = openComposing(foundation, folders, madeBy)
  const counter = openCounter(foundation, {
    ask,
    heads: composing.heads,
    officeBoard: composing.officeBoard,
    sharedStaff: composing.sharedStaff,
    exclusiveTasks: folders.exclusiveTasks,
    records: composing.records,
    polling,
    whenPolling: pollingStarted.promise,
    returnAddressesOf: (reference) => composing.outbox.returnAddressesOf(reference),
    compositionOf: (accountId, reference) => composing.outbox.compositionOfDocument(accountId, reference)
  })
  const { isAway, isHandedOver, isSigning } = counter
  const { note } = counter.audit
  const { nameOf, exclusiveTasks } = folders
  const identity = openIdentity(foundation, {
    ask,
    nameOf,
    exclusiveTasks,
    views,
    polling,
    note,
    isHandedOver,
    viewSavedBy: (accountId, id) => composing.records.savedBy('view', accountId, id)
  })
  const notifications = openNotifications(foundation, {
    ask,
    views,
    polling,
    isAway,
    isSigning,
    refusals: composing.dropFolders.refusals,
    verifications: identity.verifications,
    outbox: {
      state: composing.outbox.state,
      attention: (accountId, limit) => composing.outbox.list([accountId], { show: 'attention', offset: 0, limit }).rows,
      find: (id) => composing.outbox.find(id),
      who: () => currentPerson(composing.sharedStaff.releaseRule).name
    }
  })
  const backupWorker = openBackupWorker({
    worker: new URL('./backup-worker.js', import.meta.url),
    log: foundation.log
  })
  const { accounts, dataFolder: folder, db, keychain, newId, organisation, send, settings, storage, time } = foundation
  const accountIds = () => accounts.list().map(({ id }) => id)
  const backupParts = {
    ask: backupWorker.ask,
    folder,
    storage,
    keychain,
    newId,
    time,
    random: randomBytes,
    meta: openJsonMeta(db),
    changed: () => send('system.changed', null)
  }
  const backups = openBackups({
    ...backupParts,
    madeBy,
    note,
    secrets: accounts.secretsForBackup,
    settings() {
      // Window positions belong to this computer.
      const { windowBounds: _, ...others } = settings.read()
      return others
    }
  })
  const holds = openHolds({
    db,
    time,
    note,
    staff: counter.staffName,
    keep: (documents) => ask('hold', { documents })
  })
  const copies = new RollingCopies({
    ask: backupWorker.ask,
    folder,
    storage,
    keychain,
    time,
    isBusy: () => counter.counter.isRunning() || composing.outbox.pending().sending > 0,
    isIdle: () => powerMonitor.getSystemIdleTime() >= IDLE_SECONDS,
    onError: (error) => foundation.log.warn('No copy of the database could be made.', { code: asAppError(error).code })
  })
  const retention = new Retention({
    accountIds,
    ask,
    db,
    holds,
    note,
    organisation,
    time,
    files: { folders: identity.downloads.folders, erased: identity.downloads.filesErased },
    purgeCopies: (order) => copies.purge(order),
    purgeTrash: composing.drafts.purge,
    purged: (kinds) => notifyPurged(foundation, folders, kinds),
    onError: (error) => foundation.log.warn('Old data could not be purged.', { code: asAppError(error).code })
  })
  const sharedFile = new SharedFile({
    accounts,
    newId,
    time,
    views,
    presets: composing.presets,
    meta: openJsonMeta(db),
    log: foundation.log,
    path: () => organisation.policy.sharedFile && expandHome(organisation.policy.sharedFile, foundation.home),
    changed: () => send('settings.changed', null)
  })
  const schedule = new BackupSchedule({
    ...backupParts,
    backups,
    organisation: () => backupPlanOf(organisation.policy, foundation.home),
    isBusy: () => counter.counter.isRunning()
  })
  const recoveryKeys = openRecoveryKeys({
    ...backupParts,
    note,
    publicKey: () => organisation.policy.recovery?.publicKey
  })
  const support = openSupport(foundation, {
    version: app.getVersion(),
    counter,
    polling,
    schedule,
    outbox: composing.outbox,
    lastBackup: () => backups.last()?.at
  })
  const updates = new Updates({
    db,
    time,
    log: foundation.log,
    builtAt: BUILT_AT,
    policy: () => organisation.policy.updates,
    updater: openUpdater({ fetch: foundation.network.fetch, time }),
    hindrance: () =>
      hindranceOf({
        counter: counter.counter,
        outbox: composing.outbox,
        actions: folders.actions,
        downloads: identity.downloads
      }),
    changed: () => send('updates.changed', null)
  })
  const loginStart = openLoginStart()
  const parts = {
    foundation,
    folders,
    composing,
    counter,
    identity,
    notifications,
    support,
    pollingStarted,
    backups,
    backupWorker,
    copies,
    holds,
    loginStart,
    recoveryKeys,
    retention,
    schedule,
    sharedFile,
    updates
  }
  followSignals(parts)
  noteRestored(foundation, note)
  noteNewKey(foundation, note)
  void recoveryKeys.applyPolicy(foundation.log)
  return parts
}

/** Watches the organisation's folders and applies later changes to its policy; returns a function that stops both. */
export function followPolicy({
  foundation,
  composing,
  counter,
  loginStart,
  notifications,
  recoveryKeys,
  schedule,
  sharedFile,
  support,
  updates
}: App): () => void {
  const { organisation, accounts, clients, home, log, send, signals } = foundation
  const { note } = counter.audit
  organisation.auditChanges(note)
  const applyFolders = () => applyDropFolders({ organisation, accounts, home, log, dropFolders: composing.dropFolders })
  void applyFolders()
  const applyStart = () => applyLoginStart(loginStart, organisation.policy.startAtLogin, log)
  applyStart()
  const applyCrashReports = () => void support.crashReports.applyPolicy(organisation.policy.crashReports)
  applyCrashReports()
  void sharedFile.check()
  const stop = organisation.follow(() => {
    const counterBefore = counter.settings.read()
    return async () => {
      counter.settings.organisationChanged(counterBefore)
      organisation.auditChanges(note)
      await applyAccounts({ organisation, accounts, log })
      // The allowed ways to sign in may have changed.
      for (const { id } of accounts.list()) clients.forget(id)
      send('settings.changed', null)
      signals.emit('accounts')
      notifications.notifier.documentsChanged()
      applyStart()
      applyCrashReports()
      schedule.check()
      updates.policyChanged()
      void recoveryKeys.applyPolicy(log)
      void sharedFile.check()
      await applyFolders()
    }
  })
  return () => {
    stop()
    sharedFile.stop()
  }
}

/** Makes the screens reload the kinds of data that were purged. */
function notifyPurged(
  { accounts, send }: App['foundation'],
  { documentsChanged }: App['folders'],
  kinds: readonly RetentionKind[]
): void {
  if (kinds.includes('sends')) send('outbox.changed', null)
  if (kinds.includes('downloads') || kinds.includes('identityFiles')) send('downloads.changed', { id: null })
  if (kinds.includes('documents') || kinds.includes('verifications'))
    for (const { id } of accounts.list()) documentsChanged(id)
}

/** Records a restore in the audit trail; it happened before the trail was opened. */
function noteRestored({ restored, time }: App['foundation'], note: NoteInAudit): void {
  if (!restored) return
  const { entriesBefore, isCopy, madeAt } = restored
  const made = isoFormatter(time.zone())(madeAt)
  const before = entriesBefore === undefined ? {} : { before: String(entriesBefore) }
  const from = isCopy ? { source: 'copy' } : {}
  note({ what: 'data-restored', detail: { made, ...before, ...from } }, undefined, restored.clear)
}

/** Records a new database key in the audit trail. If changing the key failed, reports that for this run. */
function noteNewKey({ storage, troubles }: App['foundation'], note: NoteInAudit): void {
  const rekeyed = storage.state === 'encrypted' ? storage.rekeyed : undefined
  if (rekeyed?.state === 'done') note({ what: 'database-key-changed' }, undefined, () => void rekeyed.cleanUp())
  if (rekeyed?.state === 'given-up')
    troubles.reportForThisRun({ kind: 'no-new-key', store: 'database', reason: rekeyed.reason })
}

/** Connects each part's events to what they cause in other parts. */
function followSignals({
  foundation,
  folders,
  composing,
  counter,
  notifications,
  identity,
  schedule,
  sharedFile
}: App): void {
  const { accounts, log, send, signals } = foundation
  const { actions, polling } = folders
  const { membership, dropFolders, outbox, people } = composing
  const { downloads } = identity

  signals.on('unreached', (accountId) => polling.serviceUnreachable(accountId))
  signals.on('connection', () => {
    send('connection.changed', null)
    if (!accounts.shownIds().some((id) => polling.connectionOf(id).state === 'online')) return
    outbox.connectionChanged()
    actions.connectionChanged()
    identity.connectionChanged()
  })
  signals.on('documents', (accountId) => {
    notifications.notifier.documentsChanged()
    notifications.badgeCounts.changed()
    void counter.counter.documentsChanged(accountId)
    downloads.rules.documentsChanged()
  })
  signals.on('corrected', (accountId, signers) => {
    try {
      for (const { was, ...now } of signers) people.correct(accountId, was, now)
    } catch (error) {
      log.warn('The address book could not be corrected.', { code: asAppError(error).code })
    }
  })
  signals.on('views', () => downloads.rules.viewsChanged())
  signals.on('verifications', () => notifications.notifier.verificationsChanged())
  signals.on('outbox', () => notifications.notifier.outboxChanged())
  signals.on('dropFolders', () => notifications.notifier.dropFoldersChanged())
  signals.on('handover', () => {
    notifications.notifier.counterChanged()
    const session = counter.counter.state()
    notifications.desktop.call(wantsStaff(session), callsStaff(session))
    identity.counterChanged()
    schedule.check()
    if (counter.lock.isLocked) identity.locked()
  })
  signals.on('accounts', () => {
    send('accounts.changed', null)
    sharedFile.accountsChanged()
    identity.accountsChanged()
    notifications.badgeCounts.changed()
    dropFolders.accountsChanged()
    void counter.counter.accountsChanged()
    membership.accountsChanged()
    // The account's packages may have been waiting for another address or key.
    outbox.connectionChanged()
    actions.connectionChanged()
  })
  signals.on('keychain', () => {
    send('system.changed', null)
    for (const { id } of accounts.list()) polling.soon(id)
    signals.emit('accounts')
    identity.connectionChanged()
    schedule.check()
    void membership.checkNow()
    void counter.audit.checkAtStart()
  })
}

interface LifecycleControls {
  /** The page's answer to `window.closing`: whether everything typed is kept. */
  readyToClose: (kept: boolean) => void
  /** Ends the application and starts it again; `beforeRestart` runs while it ends. */
  restart: (beforeRestart?: () => Promise<void>) => void
  /** As `restart`, but installs the update that is ready. */
  update: () => void
}

/**
 * Registers the handlers for the screens, and installs the menu. Must be called before the first page is loaded.
 * @param lifecycle how to close and restart the application.
 */
export function serveScreens(parts: App, lifecycle: LifecycleControls): void {
  const { foundation, folders, composing, counter, notifications, identity } = parts
  const { accounts, clients, facts, lists, dialogs, log, screens, send, settings, signals, time, window } = foundation
  const { actions, ask, views, polling } = folders
  const { bulk, drafts, dropFolders, exchange, outbox, outside, people, presets, records, remembered, sharedDrafts } =
    composing
  const { downloads } = identity
  const { isAway, whenHandedBack, audit, auditExports, receipts } = counter

  /** What a document was composed from, if known; otherwise what the service says about it. */
  const copyOf = (accountId: string, document: DocumentResponse) =>
    copyOfDocument(document, outbox.compositionOfDocument(accountId, document.Reference))
  const openInBrowser = (url: string, accountId: string) => openOutside(url, accounts.get(accountId))
  const madeBy = `${app.getName()} ${app.getVersion()}`
  function applySettings({ theme, zoom }: Pick<SettingsView, 'theme' | 'zoom'>): void {
    applyTheme(theme)
    applyZoom(window, zoom)
  }
  /** The account still uses the same service, but with other credentials or folders. */
  function accountChanged(id: string): void {
    clients.forget(id)
    polling.accountChanged(id, 'the same service')
  }

  const checkPolicy = policyCheckOf({
    organisation: foundation.organisation,
    accounts,
    downloads: downloads.settings,
    quiet: () => notifications.preferences.read().quiet
  })
  const recheckKeychain = async () => {
    if (!foundation.recheckKeychain) return foundation.keychainState()
    const state = await foundation.recheckKeychain()
    if (state.state === 'available') signals.emit('keychain')
    return state
  }
  // Without the keychain, the staff PIN couldn't be checked and nothing could be unlocked.
  const withKeychain = withKeychainRetry(
    async () => foundation.keychainState().state !== 'available' && (await recheckKeychain()).state === 'available'
  )
  const checkRights = rightsOf(counter.staff)
  registerHandlers({
    handle: (channel, listener) => ipcMain.handle(channel, listener),
    roleOf: screens.roleOf,
    isAway,
    whenHandedBack,
    log,
    authorise(name, input) {
      checkRights(name, input)
      checkPolicy(name, input)
    },
    handlers: {
      ...accountHandlers({
        accounts,
        clients,
        facts,
        lists,
        presets,
        polling,
        practice: foundation.practice,
        browserSignIn: foundation.browserSignIn,
        openInBrowser,
        withDownloadsStopped: downloads.whileStopped,
        leaveAccount: bulk.closeAll,
        rights: foundation.rights,
        authorities: foundation.authorities,
        certificates: foundation.certificates,
        requestOnce: foundation.requestOnce,
        note: audit.note,
        signedPreviews: identity.pdfPreviews,
        changed: () => signals.emit('accounts')
      }),
      ...enrolmentHandlers({
        accounts,
        clients,
        time,
        ...dialogs,
        newId: foundation.newId,
        madeBy,
        note: audit.note,
        mayAdd: (account) => mayEnrol(account, { organisation: foundation.organisation, accounts }),
        mayComplete: (account) => mayComplete(account, foundation),
        credentialsChanged: accountChanged,
        changed: () => signals.emit('accounts')
      }),
      ...settingsFileHandlers({
        accounts,
        views,
        presets,
        settings,
        lock: checkPolicy,
        madeBy,
        ...dialogs,
        newId: foundation.newId,
        notifications: notifications.preferences,
        counter: counter.settings,
        downloads,
        isCounterOpen: () => counter.access.isOpen(),
        note: audit.note,
        accountChanged,
        changed() {
          applySettings(settings.read())
          send('settings.changed', null)
          notifications.notifier.documentsChanged()
          signals.emit('accounts')
        }
      }),
      ...draftHandlers({
        accounts,
        drafts,
        sharedDrafts,
        records,
        presets,
        exchange,
        outside,
        people,
        remembered,
        ...dialogs
      }),
      ...outboxHandlers({ accounts, drafts, note: audit.note, outbox, sharedDrafts, ...dialogs }),
      ...bulkHandlers({ accounts, bulk, outbox, readClipboard: plainClipboard.read, ...dialogs }),
      ...documentHandlers({
        accounts,
        ask,
        polling,
        time,
        views,
        ...dialogs,
        openInBrowser,
        copyPrivately: plainClipboard.writePrivately,
        correctedCopy: (accountId, document) => drafts.save(accountId, copyOf(accountId, document)),
        another: (accountId, document, keeps) =>
          drafts.save(accountId, repeatedPackage(copyOf(accountId, document), keeps, time.now())),
        holdOf: parts.holds.of,
        erasedFrom: (...document) => parts.retention.erasedFrom(...document),
        changed: folders.documentsChanged
      }),
      ...retentionHandlers({
        accounts,
        ask,
        time,
        holds: parts.holds,
        retention: parts.retention,
        mustBeOpen: () => counter.access.mustBeOpen(),
        changed: folders.documentsChanged
      }),
      ...viewHandlers({ accounts, views }),
      ...actionHandlers({ accounts, actions }),
      ...verificationHandlers({ accounts, verifications: identity.verifications, ...dialogs }),
      ...activityHandlers({
        accounts,
        ask,
        presence: notifications.presence,
        settings: notifications.preferences,
        batchOf: (reference) => outbox.batchNameOf(reference),
        settingsChanged: notifications.notifier.documentsChanged
      }),
      ...directoryHandlers({ accounts, employers: folders.employers, forms: folders.forms }),
      ...hintHandlers(folders.hints),
      ...dropFolderHandlers({ accounts, dropFolders, reveal: showInFolder, ...dialogs }),
      ...downloadHandlers({
        accounts,
        ask,
        downloads,
        reveal: showInFolder,
        chooseFolder: (stillAsking) => dialogs.chooseFolder('Where downloads go', stillAsking)
      }),
      ...pdfHandlers({ accounts, ask, previews: identity.pdfPreviews, print: () => printWithDialog(window) }),
      ...identityHandlers({ accounts, readings: identity.readings, note: audit.note, ...dialogs }),
      ...withKeychain(
        counterHandlers(counter.counter, () => (accounts.chosen() ? shownIds(accounts) : [])),
        'counter.unlock'
      ),
      ...appointmentHandlers({ ...counter, ...dialogs }),
      ...withKeychain(
        counterSettingsHandlers({
          officeName: () => accounts.chosen()?.name,
          calling: () => counter.appointments.currentCall(),
          lock: counter.lock,
          staff: counter.staff,
          access: counter.access,
          note: audit.note,
          time,
          settings: counter.settings,
          cameraTest: counter.cameraTest,
          isRunning: () => counter.counter.isRunning(),
          ...dialogs
        }),
        'counter.unlockOffice'
      ),
      ...auditHandlers({ audit, heads: composing.heads, auditExports, receipts, time, ...dialogs }),
      ...storageHandlers({
        storage: foundation.storage,
        troubles: foundation.troubles,
        restart: lifecycle.restart,
        ...dialogs,
        backups: parts.backups,
        copies: parts.copies,
        schedule: parts.schedule,
        recoveryKeys: parts.recoveryKeys,
        unsent() {
          const { ready, uncertain, preparing } = outbox.pending()
          return ready + uncertain + preparing
        },
        scheduleRemoval: (withBackups) =>
          scheduleRemoval(foundation.dataFolder, {
            accountIds: accounts.list().map(({ id }) => id),
            knowsAccounts: foundation.storage.state === 'encrypted',
            backups: withBackups ? parts.schedule.existingBackups() : []
          }),
        isSigning: () => counter.counter.isRunning(),
        recoverKey: (typed, keychain) =>
          recoverKey(
            { keep: (key) => storeKey(keychain.databaseKey, key), folder: foundation.dataFolder, now: time.now() },
            typed
          ),
        today: () => dayAt(time.now(), time.zone()),
        openKeychain,
        recheckKeychain,
        startEmpty: () => setDatabaseAside(foundation.dataFolder, time.now())
      }),
      ...systemHandlers({
        settings,
        version: app.getVersion(),
        systemCountry: () => app.getLocaleCountryCode(),
        applySettings,
        changed: () => send('settings.changed', null),
        loginStart: parts.loginStart,
        keepPlace: foundation.place.save,
        proxies: foundation.proxies,
        retryThroughProxy() {
          for (const { id } of accounts.list()) polling.soon(id)
          outbox.connectionChanged()
          actions.connectionChanged()
        },
        status: parts.support.status,
        showData: () => showInFolder(join(foundation.dataFolder, DATABASE_FILE)),
        copy: (text, isPersonal) => plainClipboard[isPersonal ? 'writePrivately' : 'write'](text),
        copyBriefly: identity.briefCopy.copy,
        readyToClose: lifecycle.readyToClose
      }),
      ...officeHandlers({
        membership: parts.composing.membership,
        newId: foundation.newId,
        note: audit.note,
        ...dialogs,
        mustBeOpen: () => counter.access.mustBeOpen()
      }),
      ...policyHandlers(foundation.organisation, () => parts.sharedFile.view()),
      ...updateHandlers({ updates: parts.updates, install: lifecycle.update }),
      ...supportHandlers({ requestLog: foundation.requestLog, ...parts.support, time, ...dialogs })
    }
  })
  offerTextMenu(window.webContents, window, () => !isAway())
  // The office's screens stay hidden while a person signs or the window is locked.
  const choose = (command: Events['menu.chosen']['command']) => void (isAway() || send('menu.chosen', { command }))
  installMenu({ platform: process.platform, isPackaged: app.isPackaged, choose })
  followSideButtons(window, choose)
}
