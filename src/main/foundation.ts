/**
 * The application's first layer, shared by all others: data stored on this computer, the office's window, the accounts
 * with their clients, and the signals by which a part tells later layers that something happened.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import type { SignerCorrection } from '../shared/contract/index.ts'
import { openAccounts } from './core/accounts/accounts.ts'
import { openBrowserSignIn } from './core/accounts/browser-sign-in.ts'
import { openClientCertificates } from './core/accounts/client-certificates.ts'
import { openClients } from './core/accounts/clients.ts'
import { accountSecretsFor } from './core/accounts/credentials.ts'
import { openFetchedLists } from './core/accounts/fetched-lists.ts'
import { openLastPlaceStore } from './core/accounts/last-place.ts'
import { openPracticeOfficeStore } from './core/accounts/practice-office-store.ts'
import { openRights } from './core/accounts/rights.ts'
import { openServiceFacts } from './core/accounts/service-facts.ts'
import { completeRestore, finishRestore } from './core/backup/restore.ts'
import { openData } from './core/backup/unlocking.ts'
import { asAppError } from './core/errors/app-error.ts'
import { systemTime as time } from './core/lib/time.ts'
import { applyAccounts, chooseDefaultAccount } from './core/organisation/apply-policy.ts'
import type { ManagedSource } from './core/organisation/managed.ts'
import { Organisation } from './core/organisation/organisation.ts'
import type { PolicyLocation } from './core/organisation/policy-file.ts'
import { openOwnAuthorities } from './core/service/own-authorities.ts'
import { openProxySignIns } from './core/service/proxy-sign-in.ts'
import { openDatabase } from './core/storage/database.ts'
import { memoryReasonOf } from './core/storage/database-fault.ts'
import { openMeta } from './core/storage/meta.ts'
import { openStoreTroubles } from './core/storage/store-troubles.ts'
import { RequestLog } from './core/support/request-log.ts'
import { guardDevServer, serveAppPages } from './shell/app-protocol.ts'
import { dialogsOf } from './shell/dialogs.ts'
import { showLockedPage } from './shell/locked-page.ts'
import { enableCrashReports, type Log } from './shell/log.ts'
import { isStartedAtLogin } from './shell/login-start.ts'
import {
  trustOwnAuthorities,
  useClientCertificates,
  useOrganisationProxy,
  useProxySignIns
} from './shell/office-network.ts'
import { applyTheme } from './shell/own-page.ts'
import { openMainWindow } from './shell/own-windows.ts'
import { practiceOf } from './shell/practice.ts'
import { openOutside } from './shell/reveal.ts'
import { Screens } from './shell/screens.ts'
import { openServiceNetwork } from './shell/service-network.ts'
import { openKeychain, openSettingsStore } from './shell/stores.ts'

/** Events that concern other parts of the application; app.ts connects their effects. */
export interface Signals {
  /** A request of this account didn't reach its service. */
  unreached: [accountId: string]
  /** Whether services can be reached may have changed. */
  connection: []
  /** Documents of this account, or the problems with reading them, have changed. */
  documents: [accountId: string]
  /** The service accepted corrections of signers. */
  corrected: [accountId: string, signers: readonly SignerCorrection[]]
  /** A saved view was created, changed or removed. */
  views: []
  /** A document's signatures were verified, or a finding was dismissed. */
  verifications: []
  /** A package in the Outbox changed, or the Outbox was paused or resumed. */
  outbox: []
  /** A drop folder's state changed, or it took a file. */
  dropFolders: []
  /** Accounts were added, changed or removed, or another one was chosen. */
  accounts: []
  /** The office's window may have been handed to a signer, handed back, locked or unlocked. */
  handover: []
  /** The keychain, unavailable at the start, now works. */
  keychain: []
}

export type Foundation = Awaited<ReturnType<typeof openFoundation>>

export interface AppStart {
  log: Log
  devServer: URL | undefined
  /** Where the organisation's policy file is. */
  policy: PolicyLocation
  /** Where system management provides settings that replace it. */
  managed: ManagedSource | undefined
  /** Whether there is a user who can be asked. */
  isAttended: boolean
}

/** Opens everything but the first page; for that see `loadFirstPage`. */
export async function openFoundation({ log, devServer, policy, managed, isAttended }: AppStart) {
  const newId = randomUUID
  const dataFolder = app.getPath('userData')
  const preload = join(import.meta.dirname, '../preload/index.cjs')
  const signals = new EventEmitter<Signals>()

  // Must run before any data is opened.
  await finishRestore(dataFolder)
  const { settings, trouble: settingsTrouble } = await openSettingsStore()
  applyTheme(settings.read().theme)
  // Must run before the first window has a process.
  if (settings.read().keepsCrashReports) enableCrashReports(log)
  serveAppPages(join(import.meta.dirname, '../renderer'))
  if (devServer) guardDevServer(devServer)
  const window = openMainWindow({ preload, settings, log, devServer, isAtLogin: isStartedAtLogin() })
  const screens = new Screens(window, devServer)
  const { send } = screens
  const { storage, keychain, keychainState, recheckKeychain, isWithoutData } = await openData({
    folder: dataFolder,
    now: time.now,
    openKeychain,
    openDatabase: (keychain, key) =>
      openDatabase({
        folder: dataFolder,
        keychain,
        random: randomBytes,
        clock: time.now,
        version: app.getVersion(),
        ...(key && { key })
      }),
    ...(isAttended && { ask: (ways) => showLockedPage({ window, screens, settings, devServer, log }, ways) })
  })
  const { db } = storage
  const restored =
    storage.state === 'encrypted'
      ? await completeRestore(db, keychain, (error) =>
          log.warn('A restored secret isn’t in the keychain.', { code: asAppError(error).code })
        ).catch((error: unknown) => {
          log.warn('What was restored isn’t in the keychain yet.', { code: asAppError(error).code })
          return undefined
        })
      : undefined

  const troubles = openStoreTroubles({ db, time, changed: () => send('system.changed', null) })
  if (storage.setAside) troubles.setAside('database', storage.setAside)
  if (settingsTrouble?.code === 'set-aside')
    troubles.setAside('settings', { name: settingsTrouble.name, reason: 'damaged' })
  if (settingsTrouble?.code === 'in-memory')
    troubles.reportForThisRun({ kind: 'in-memory', store: 'settings', reason: memoryReasonOf(settingsTrouble.reason) })

  const organisation = await Organisation.open({ db, place: policy, managed, time, log })
  const accounts = openAccounts({
    db,
    secrets: accountSecretsFor(storage, keychain),
    newId,
    time,
    composedElsewhere: () => send('accounts.changed', null),
    organisation
  })
  const movedAccounts = await applyAccounts({ organisation, accounts, log })
  chooseDefaultAccount(organisation, accounts)
  const authorityCertificates = () => organisation.policy.certificateAuthorities ?? []
  const authorities = openOwnAuthorities(authorityCertificates, time.now)
  if (authorityCertificates().length > 0) trustOwnAuthorities(authorities)
  const facts = openServiceFacts({ db, time, changed: () => send('accounts.changed', null) })
  const proxies = openProxySignIns({ slot: keychain.proxies, changed: () => send('proxy.changed', null) })
  const whenProxied = useOrganisationProxy(organisation.policy.proxy)
  useProxySignIns(proxies)
  const { renewConnections, requestOnce, proxyFor, ...network } = openServiceNetwork({ proxies, whenProxied })
  const certificates = openClientCertificates({ db, accounts, time, renewConnections })
  useClientCertificates(certificates)
  const requestLog = new RequestLog({ time, changed: () => send('requests.changed', null) })
  const clients = openClients({
    accounts,
    facts,
    time,
    observe: (fetch, accountId) => requestLog.wrapFetch(fetch, accountId),
    ...network,
    unreached: (accountId) => signals.emit('unreached', accountId),
    signedOut: () => send('accounts.changed', null)
  })
  const browserSignIn = openBrowserSignIn({
    fetch: network.fetch,
    newId,
    time,
    // The office itself gives the address of its sign-in service, which may be in its own network.
    openInBrowser: (address) => openOutside(address, { baseUrl: address })
  })
  const lists = openFetchedLists({ db, clientOf: clients.of, time })
  const practice = practiceOf({
    worker: new URL('./practice-worker.js', import.meta.url),
    kept: openPracticeOfficeStore(db, time),
    runChanged: (run) => {
      accounts.setPracticeService(run && { baseUrl: run.url, credentials: { scheme: 'bearer', token: run.token } })
      // Each run has its own token.
      for (const { id, kind } of accounts.list()) if (kind === 'practice') clients.forget(id)
      send('accounts.changed', null)
    },
    log
  })

  return {
    log,
    devServer,
    time,
    newId,
    signals,
    dataFolder,
    preload,
    defaultDownloadFolder: app.getPath('downloads'),
    settings,
    keychain,
    keychainState,
    recheckKeychain,
    isWithoutData,
    storage,
    restored,
    troubles,
    db,
    isPersistent: storage.state === 'encrypted',
    window,
    screens,
    send,
    dialogs: dialogsOf(window, openMeta(db)),
    accounts,
    /** Accounts that the policy gave another service since the last run. */
    movedAccounts,
    browserSignIn,
    clients,
    facts,
    lists,
    rights: openRights(db),
    practice,
    organisation,
    requestLog,
    authorities,
    certificates,
    requestOnce,
    proxyFor,
    proxies,
    network,
    /** The user's home folder according to the system, whatever the environment variables say. */
    home: userInfo().homedir,
    place: openLastPlaceStore(db, () => accounts.chosen()?.id)
  }
}
