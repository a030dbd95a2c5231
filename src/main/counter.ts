/** The counter layer: its sessions and their windows, staff PINs, settings, and the audit trail. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Appointments } from './core/appointments/appointments.ts'
import { CounterBoard } from './core/appointments/board.ts'
import { Calls } from './core/appointments/calls.ts'
import { AppointmentImports } from './core/appointments/importing.ts'
import type { OfficeBoard } from './core/appointments/office-board.ts'
import { Audit } from './core/audit/audit.ts'
import { AuditSigner } from './core/audit/signature.ts'
import { AuditExports } from './core/audit/signed-exports.ts'
import { CameraTest } from './core/counter/camera-test.ts'
import { Counter } from './core/counter/counter.ts'
import { CounterSettingsKeeper } from './core/counter/counter-settings.ts'
import type { CounterDeps } from './core/counter/deps.ts'
import { openIdentityNumbers } from './core/counter/identity-numbers.ts'
import { openCrashMarker } from './core/counter/interrupted-session.ts'
import { OfficeLock } from './core/counter/office-lock.ts'
import { PHASES } from './core/counter/phases.ts'
import { Reservations } from './core/counter/reservations.ts'
import { SettingsAccess } from './core/counter/settings-access.ts'
import type { SharedStaff } from './core/counter/shared-staff.ts'
import { openPinnedEntries } from './core/counter/signing-queue.ts'
import { Staff } from './core/counter/staff.ts'
import type { Polling } from './core/documents/polling/polling.ts'
import type { AskDocuments } from './core/documents/questions.ts'
import { asAppError } from './core/errors/app-error.ts'
import type { ExclusiveTasks } from './core/office/exclusive-tasks.ts'
import type { Heads } from './core/office/heads.ts'
import type { SharedRecords } from './core/office/shared-records.ts'
import { counterSettingsOf } from './core/organisation/apply-policy.ts'
import { PERSON_START } from './core/policy/app-pages.ts'
import { Receipts } from './core/receipts/receipts.ts'
import { memoryKeychain } from './core/storage/keychain.ts'
import type { Foundation } from './foundation.ts'
import { saveAs } from './ipc/dialogs.ts'
import { namedAccount } from './ipc/registration.ts'
import { openAppointmentWorker } from './shell/appointments.ts'
import { ClipboardStash } from './shell/clipboard.ts'
import { CounterWindows } from './shell/counter-windows.ts'
import { IsolatedPages } from './shell/isolated-page.ts'
import { openPersonWindow } from './shell/own-windows.ts'
import { PagePrinter } from './shell/page-printer.ts'
import { permit } from './shell/session-policy.ts'
import { ElectronSigningView, systemAllows } from './shell/signing-view.ts'

/** How long a signing page may take to show something, in milliseconds. */
const SIGNING_TIMEOUT = 30_000
const ANY_FILE = [{ name: 'All files', extensions: ['*'] as [string] }]

export interface CounterParts {
  ask: AskDocuments
  heads: Heads
  officeBoard: OfficeBoard
  sharedStaff: SharedStaff
  exclusiveTasks: ExclusiveTasks
  records: Pick<SharedRecords, 'localChanged'>
  polling: Polling
  /** Resolves once folders can be read. An interrupted session may be found before that. */
  whenPolling: Promise<void>
  returnAddressesOf: (reference: string) => readonly string[]
  compositionOf: CounterDeps['compositionOf']
}

export function openCounter(
  foundation: Foundation,
  {
    ask,
    heads,
    officeBoard,
    exclusiveTasks,
    records,
    sharedStaff,
    polling,
    whenPolling,
    returnAddressesOf,
    compositionOf
  }: CounterParts
) {
  const { db, accounts, keychain, log, screens, send, signals, time } = foundation
  const zoom = () => foundation.settings.read().zoom
  const settingsChanged = () => {
    send('settings.changed', null)
    officeBoard.localChanged()
  }
  /** Logs failures that nobody can be told about, without personal data. */
  const onError = (error: unknown) =>
    log.warn('Something at the counter could not be kept.', { code: asAppError(error).code })

  /** The staff member on this computer. */
  const staffName = (): string => staff.current()?.name ?? settings.staff()
  // These parts refer to each other: audit entries name the staff member, and settings changes are audit entries; the
  // windows follow the settings, which name the second display; the counter is shown in the windows, and a session ends
  // if they are left.
  const trailKeychain = foundation.isPersistent ? keychain : memoryKeychain()
  const audit = new Audit({
    db,
    time,
    onError,
    anchor: trailKeychain.auditAnchor,
    staff: staffName,
    changed: () => send('audit.changed', null)
  })
  heads.setTrail(audit)
  const { note } = audit
  const signer = new AuditSigner({ note, slot: trailKeychain.auditKey })
  const auditExports = new AuditExports({ audit, time, signer })
  const identityNumbers = openIdentityNumbers({
    db,
    now: time.now,
    newSalt: () => randomBytes(16).toString('base64url')
  })
  const receipts = new Receipts({
    audit,
    signer,
    time,
    paper: new PagePrinter(),
    identityOf: identityNumbers.of,
    officeName: () => accounts.chosen()?.name ?? '',
    logo: () => settings.read().logo,
    languageOf: (session, person) => counter.languageOf(session, person),
    languages: () => settings.read().languages,
    running: () => (counter.isRunning() ? counter.state()?.id : undefined)
  })
  const settings: CounterSettingsKeeper = new CounterSettingsKeeper({
    db,
    note,
    organisation: () => counterSettingsOf(foundation.organisation.policy),
    userName: () => userInfo().username,
    otherDisplay: () => windows.otherDisplay(),
    changed() {
      settingsChanged()
      windows.updatePersonWindow()
    }
  })
  const staff: Staff = new Staff({
    db,
    time,
    note,
    randomBytes,
    newId: foundation.newId,
    firstName: () => settings.staff(),
    slot: keychain.staffPin,
    keeps: keychain.keeps,
    platform: process.platform,
    isInOffice: () => sharedStaff.isInOffice,
    changed() {
      sharedStaff.changedHere()
      settingsChanged()
      send('lock.changed', null)
      void counter.pinChanged()
    }
  })
  sharedStaff.follow(staff)
  const access = new SettingsAccess({ staff, time, note, changed: settingsChanged })
  const { devServer, preload } = foundation
  const start = devServer ? new URL('counter.html', devServer).href : PERSON_START
  const cameraTest = new CameraTest({
    time,
    devServer,
    platform: process.platform,
    systemAllows: () => systemAllows(['camera'])
  })
  permit(foundation.window.webContents.session, cameraTest)
  const clipboard = new ClipboardStash()
  let handBackWaiters: (() => void)[] = []
  const windows: CounterWindows = new CounterWindows({
    office: foundation.window,
    settings: () => settings.read(),
    zoom,
    openPersonWindow: (display) => openPersonWindow(display, { start, preload, zoom, log, devServer }),
    clipboard,
    screenLeft: (by) => counter.screenLeft(by),
    placeLost: () => counter.displayLost(),
    changed: settingsChanged,
    onError
  })
  screens.addPerson(() => windows.personWindow())
  const turnFilesFolder = join(foundation.dataFolder, 'turn-files')
  const pages = new IsolatedPages(
    () => windows.window(),
    () => settings.read().camera
  )

  /** The account that a request names, or else the chosen one. */
  const accountId = () => namedAccount.getStore() ?? accounts.chosen()?.id ?? ''
  const shownIds = () => {
    const named = namedAccount.getStore()
    return named === undefined ? accounts.shownIds() : [named]
  }
  const appointmentsChanged = () => {
    send('appointments.changed', null)
    records.localChanged()
    calls.appointmentsChanged()
  }
  const waitingHere = (account: string) => ask('waitingHere', { accountId: account, withoutLink: true })
  const documentOf = (account: string, reference: string) => ask('get', { accountId: account, reference })
  const hasDisplay = () => windows.personWindow() !== undefined
  const appointments = new Appointments({
    db,
    time,
    note,
    accountId,
    shownIds,
    waitingHere,
    documentOf,
    newId: foundation.newId,
    settings: () => settings.read().waitingRoom,
    hasDisplay,
    changed: appointmentsChanged
  })
  const calls: Calls = new Calls({ appointments, exclusiveTasks, time, accountId, newId: foundation.newId })
  const imports = new AppointmentImports({
    db,
    time,
    note,
    accountId,
    appointments,
    newId: foundation.newId,
    worker: openAppointmentWorker({ worker: new URL('./bulk-worker.js', import.meta.url), log }),
    changed: appointmentsChanged
  })
  const board = new CounterBoard({
    time,
    appointments,
    session: () => counter.state(),
    staff: staffName,
    counterName: () => settings.read().waitingRoom.counterName,
    connection: () => polling.connectionOf(accounts.chosen()?.id),
    hasOtherDisplay: hasDisplay,
    accountId: () => counter.sessionAccountId(),
    office: officeBoard
  })
  officeBoard.setOwnCounter(() => board.ownCounter())
  signals.on('connection', () => officeBoard.localChanged())
  const counter: Counter = new Counter({
    time,
    note,
    zoom,
    returnAddressesOf,
    compositionOf,
    pin: staff,
    newId: foundation.newId,
    accountId,
    waitingHere,
    documentOf,
    refresh: async (accountId) => {
      await whenPolling
      await polling.refresh(accountId)
    },
    account(accountId) {
      const account = accounts.list().find(({ id }) => id === accountId)
      return account && { kind: account.kind, baseUrl: account.baseUrl ?? '' }
    },
    officeName: (accountId) => accounts.list().find(({ id }) => id === accountId)?.name ?? '',
    allowedOrigins: () => settings.read().allowedOrigins,
    openView: (turn) => {
      const isolated = pages.take(turn.media() !== 'never')
      const whilePrinting = (print: () => Promise<void>) => windows.duringDialog(print)
      return new ElectronSigningView({ isolated, timeoutMs: SIGNING_TIMEOUT, whilePrinting }, turn)
    },
    settings: () => settings.read(),
    pinnedEntries: openPinnedEntries({ db, time }),
    reservations: new Reservations({
      exclusiveTasks,
      time,
      newId: foundation.newId,
      changed: () => counter.reservationsChanged()
    }),
    keepIdentity: identityNumbers.keep,
    staff: staffName,
    place: windows,
    crashMarker: openCrashMarker({ db, onError }),
    receiptOf: (session, person) => receipts.code(session, person),
    async savePage(bytes, suggested) {
      const options = {
        title: 'Save this page',
        suggested,
        kind: { name: 'PDF', extensions: ['pdf'] as [string] },
        bytes
      }
      return (await windows.duringDialog(() => saveAs(foundation.dialogs, options, () => true))) !== null
    },
    async chooseFiles(what) {
      const { dialogs } = foundation
      if (what === 'folder') {
        const folder = await windows.duringDialog(() =>
          dialogs.chooseFolder('Open a folder for this signer', () => true)
        )
        return folder === undefined ? undefined : { folder }
      }
      const choose = () => dialogs.chooseFiles('Choose files for this signer', ANY_FILE, () => true, 'many')
      const files = await windows.duringDialog(choose)
      return files.length === 0 ? undefined : { files }
    },
    turnFilesFolder,
    changed(id) {
      board.sessionChanged()
      officeBoard.localChanged()
      send('counter.changed', { id })
      void appointments.sessionChanged(counter.state())
      polling.follow(counter.sessionAccountId())
      prepareNextPage()
      if (counter.state()?.isLocked === false) windows.restoreFullScreen()
      handoverChanged()
    }
  })
  const lock = new OfficeLock({
    db,
    note,
    time,
    onError,
    pin: staff,
    minutes: () => settings.read().lockAfter,
    isHandedOver: () => counter.isHandedOver(),
    changed() {
      send('lock.changed', null)
      handoverChanged()
    }
  })
  const isAway = () => counter.isHandedOver() || lock.isLocked

  function handoverChanged(): void {
    signals.emit('handover')
    if (isAway()) {
      access.close()
      cameraTest.close()
      return
    }
    for (const resolve of handBackWaiters) resolve()
    handBackWaiters = []
  }

  /** Prepares the next signing page while the screen is handed over. */
  function prepareNextPage(): void {
    const page = PHASES[counter.state()?.phase ?? 'ended'].page
    if (page === 'next') pages.prepare()
    else if (page === 'none') pages.discardPrepared()
  }

  return {
    counter,
    audit,
    auditExports,
    receipts,
    settings,
    cameraTest,
    staff,
    staffName,
    access,
    lock,
    isAway,
    appointments,
    calls,
    imports,
    board,
    isHandedOver: () => counter.isHandedOver(),
    otherDisplay: () => windows.otherDisplay(),
    /** Resolves the next time the office's window is back with staff. */
    whenHandedBack: () => new Promise<void>((resolve) => handBackWaiters.push(resolve)),
    /** Whether people other than staff could read notifications: a session is running, or the window is locked. */
    isSigning: () => counter.isRunning() || lock.isLocked,

    /** Resumes an interrupted session, which the window shows first, and opens the second display. */
    start(onError: (error: unknown) => void): void {
      void counter.resumeInterrupted().catch(onError)
      // Someone who was signing when the application ended may have left something on the clipboard.
      if (counter.state()?.wasInterrupted) clipboard.empty()
      windows.updatePersonWindow()
      // Removes files of turns that were interrupted when the application ended.
      void rm(turnFilesFolder, { recursive: true, force: true }).catch(onError)
    },

    /** Ends the counter when the application ends. Once resolved, the staff's clipboard is restored. */
    async end(options: { keepsMarker: boolean }): Promise<void> {
      lock.stop()
      await counter.end(options)
      await clipboard.whenIdle()
    }
  }
}
