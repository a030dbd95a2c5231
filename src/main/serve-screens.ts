/** Serves the screens: who answers each of their requests, and the menus of the window. */
import { join } from 'node:path'
import { app, ipcMain } from 'electron'
import { repeatedPackage } from '../shared/composition/index.ts'
import type { Events, SettingsView } from '../shared/contract/index.ts'
import type { DocumentResponse } from '../shared/model/index.ts'
import type { App } from './app.ts'
import { recoverKey } from './core/backup/recovery-keys.ts'
import { scheduleRemoval } from './core/backup/removal.ts'
import { rightsOf } from './core/counter/rights.ts'
import { copyOfDocument } from './core/drafts/copy-of-document.ts'
import { dayAt } from './core/lib/calendar.ts'
import { DATABASE_FILE, setDatabaseAside } from './core/storage/database.ts'
import { storeKey } from './core/storage/rekey.ts'
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
import { plainClipboard } from './shell/clipboard.ts'
import { printWithDialog } from './shell/dialogs.ts'
import { installMenu } from './shell/menu.ts'
import { applyTheme, applyZoom } from './shell/own-page.ts'
import { followSideButtons } from './shell/own-windows.ts'
import { openOutside, showInFolder } from './shell/reveal.ts'
import { openKeychain } from './shell/stores.ts'
import { offerTextMenu } from './shell/text-menu.ts'

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
  const { accounts, clients, log, screens, send, settings, signals, time, window } = foundation
  const { polling } = folders
  const { bulk, drafts, outbox } = composing
  const { downloads } = identity
  const { isAway, whenHandedBack, audit } = counter

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
  /** What handlers use under the same name. */
  const common = {
    ...foundation.dialogs,
    ...folders,
    ...composing,
    accounts,
    audit,
    auditExports: counter.auditExports,
    clients,
    downloads,
    facts: foundation.facts,
    lists: foundation.lists,
    madeBy,
    newId: foundation.newId,
    note: audit.note,
    organisation: foundation.organisation,
    previews: identity.pdfPreviews,
    readings: identity.readings,
    receipts: counter.receipts,
    reveal: showInFolder,
    time,
    verifications: identity.verifications
  }
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
        ...common,
        practice: foundation.practice,
        browserSignIn: foundation.browserSignIn,
        openInBrowser,
        withDownloadsStopped: downloads.whileStopped,
        leaveAccount: bulk.closeAll,
        rights: foundation.rights,
        authorities: foundation.authorities,
        certificates: foundation.certificates,
        requestOnce: foundation.requestOnce,
        signedPreviews: identity.pdfPreviews,
        changed: () => signals.emit('accounts')
      }),
      ...enrolmentHandlers({
        ...common,
        mayAdd: (account) => mayEnrol(account, common),
        mayComplete: (account) => mayComplete(account, foundation),
        credentialsChanged: accountChanged,
        changed: () => signals.emit('accounts')
      }),
      ...settingsFileHandlers({
        ...common,
        settings,
        lock: checkPolicy,
        notifications: notifications.preferences,
        counter: counter.settings,
        isCounterOpen: () => counter.access.isOpen(),
        accountChanged,
        changed() {
          applySettings(settings.read())
          send('settings.changed', null)
          notifications.notifier.documentsChanged()
          signals.emit('accounts')
        }
      }),
      ...draftHandlers(common),
      ...outboxHandlers(common),
      ...bulkHandlers({ ...common, readClipboard: plainClipboard.read }),
      ...documentHandlers({
        ...common,
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
        ...common,
        holds: parts.holds,
        retention: parts.retention,
        mustBeOpen: () => counter.access.mustBeOpen(),
        changed: folders.documentsChanged
      }),
      ...viewHandlers(common),
      ...actionHandlers(common),
      ...verificationHandlers(common),
      ...activityHandlers({
        ...common,
        presence: notifications.presence,
        settings: notifications.preferences,
        batchOf: (reference) => outbox.batchNameOf(reference),
        settingsChanged: notifications.notifier.documentsChanged
      }),
      ...directoryHandlers(common),
      ...hintHandlers(folders.hints),
      ...dropFolderHandlers(common),
      ...downloadHandlers({
        ...common,
        chooseFolder: (stillAsking) => common.chooseFolder('Where downloads go', stillAsking)
      }),
      ...pdfHandlers({ ...common, print: () => printWithDialog(window) }),
      ...identityHandlers(common),
      ...withKeychain(
        counterHandlers(counter.counter, () => (accounts.chosen() ? shownIds(accounts) : [])),
        'counter.unlock'
      ),
      ...appointmentHandlers({ ...counter, ...common }),
      ...withKeychain(
        counterSettingsHandlers({
          ...common,
          officeName: () => accounts.chosen()?.name,
          calling: () => counter.appointments.currentCall(),
          lock: counter.lock,
          staff: counter.staff,
          access: counter.access,
          settings: counter.settings,
          cameraTest: counter.cameraTest,
          isRunning: () => counter.counter.isRunning()
        }),
        'counter.unlockOffice'
      ),
      ...auditHandlers(common),
      ...storageHandlers({
        storage: foundation.storage,
        troubles: foundation.troubles,
        ...common,
        restart: lifecycle.restart,
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
          folders.actions.connectionChanged()
        },
        status: parts.support.status,
        showData: () => showInFolder(join(foundation.dataFolder, DATABASE_FILE)),
        copy: (text, isPersonal) => plainClipboard[isPersonal ? 'writePrivately' : 'write'](text),
        copyBriefly: identity.briefCopy.copy,
        readyToClose: lifecycle.readyToClose
      }),
      ...officeHandlers({ ...common, mustBeOpen: () => counter.access.mustBeOpen() }),
      ...policyHandlers(foundation.organisation, () => parts.sharedFile.view()),
      ...updateHandlers({ updates: parts.updates, install: lifecycle.update }),
      ...supportHandlers({ ...common, requestLog: foundation.requestLog, ...parts.support })
    }
  })
  offerTextMenu(window.webContents, window, { isOffered: () => !isAway() })
  // The office's screens stay hidden while a person signs or the window is locked.
  const choose = (command: Events['menu.chosen']['command']) => void (isAway() || send('menu.chosen', { command }))
  installMenu({ platform: process.platform, isPackaged: app.isPackaged, choose })
  followSideButtons(window, choose)
}
