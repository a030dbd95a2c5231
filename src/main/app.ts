/**
 * The application: its parts in layers, each given only parts that already exist, and how events in one part affect the
 * others.
 */
import { randomBytes } from 'node:crypto'
import { app, powerMonitor } from 'electron'
import type { RetentionKind } from '../shared/contract/index.ts'
import { callsStaff, wantsStaff } from '../shared/wants-staff.ts'
import { openComposing } from './composing.ts'
import type { NoteInAudit } from './core/audit/audit.ts'
import { openBackups } from './core/backup/backups.ts'
import { openRecoveryKeys } from './core/backup/recovery-keys.ts'
import { RollingCopies } from './core/backup/rolling-copies.ts'
import { BackupSchedule } from './core/backup/schedule.ts'
import { asAppError } from './core/errors/app-error.ts'
import { isoFormatter } from './core/lib/calendar.ts'
import { applyAccounts, backupPlanOf, expandHome, openDropFolderPolicy } from './core/organisation/apply-policy.ts'
import { currentPerson } from './core/outbox/releases.ts'
import { openHolds } from './core/retention/holds.ts'
import { Retention } from './core/retention/retention.ts'
import { SharedFile } from './core/settings-file/shared-file.ts'
import { openJsonMeta } from './core/storage/meta.ts'
import { applyLoginStart } from './core/support/login-start.ts'
import { hindranceOf, Updates } from './core/updates/updates.ts'
import { openCounter } from './counter.ts'
import { openFolders } from './folders.ts'
import { type AppStart, openFoundation } from './foundation.ts'
import { openIdentity } from './identity.ts'
import { openNotifications } from './notifications.ts'
import { openBackupWorker } from './shell/backups.ts'
import { openLoginStart } from './shell/login-start.ts'
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
  folders,
  composing,
  counter,
  identity,
  loginStart,
  notifications,
  recoveryKeys,
  schedule,
  sharedFile,
  support,
  updates
}: App): () => void {
  const { organisation, accounts, clients, facts, home, lists, log, rights, send, signals, time } = foundation
  const { note } = counter.audit
  organisation.auditChanges(note)
  const { dropFolders } = composing
  const folderPolicy = openDropFolderPolicy({ organisation, accounts, home, log, time, dropFolders })
  void folderPolicy.apply()
  const applyStart = () => applyLoginStart(loginStart, organisation.policy.startAtLogin, log)
  applyStart()
  const applyCrashReports = () => void support.crashReports.applyPolicy(organisation.policy.crashReports, log)
  applyCrashReports()
  void sharedFile.check()
  const moved = (id: string) => {
    facts.forget(id)
    lists.forget(id)
    rights.forget(id)
    identity.pdfPreviews.forgetSigned(id)
    folders.polling.accountChanged(id, 'another service')
  }
  const stop = organisation.follow(() => {
    const counterBefore = counter.settings.read()
    return async () => {
      counter.settings.organisationChanged(counterBefore)
      organisation.auditChanges(note)
      const movedAccounts = await applyAccounts({ organisation, accounts, log })
      // The allowed ways to sign in may have changed.
      for (const { id } of accounts.list()) clients.forget(id)
      for (const id of movedAccounts) moved(id)
      send('settings.changed', null)
      signals.emit('accounts')
      notifications.notifier.documentsChanged()
      applyStart()
      applyCrashReports()
      schedule.check()
      updates.policyChanged()
      void recoveryKeys.applyPolicy(log)
      void sharedFile.check()
      await folderPolicy.apply()
    }
  })
  return () => {
    stop()
    folderPolicy.stop()
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
