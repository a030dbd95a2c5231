/**
 * An in-memory main process, for developing and testing the screens: keeps accounts, drafts and sends, answers with
 * made-up documents, and fails on demand. Tests drive it through `control`.
 */

import type { Composition } from '../../src/shared/composition/composition.ts'
import type { Api, EventName, Events } from '../../src/shared/contract/api.ts'
import {
  BackupPlan,
  type BackupsView,
  type RecoveryKeysView,
  type RemovalView
} from '../../src/shared/contract/backups.ts'
import { PERSON_LANGUAGES } from '../../src/shared/contract/counter-views.ts'
import type { NotificationPreferences } from '../../src/shared/contract/document-requests.ts'
import type { AppError, ErrorCode, Result } from '../../src/shared/contract/errors.ts'
import type { OfficeMembershipView } from '../../src/shared/contract/office.ts'
import type { PolicyView } from '../../src/shared/contract/policy.ts'
import { isUsual } from '../../src/shared/contract/practice-day.ts'
import {
  handedOverRequestNames,
  type Input,
  type Reply,
  type RequestName,
  requestNames,
  requests
} from '../../src/shared/contract/requests.ts'
import type { RetentionDays, RetentionDue, RetentionKind, RetentionView } from '../../src/shared/contract/retention.ts'
import type { ChosenSettings } from '../../src/shared/contract/settings-file.ts'
import type { CrashReportsView, RequestLogEntry } from '../../src/shared/contract/support.ts'
import type { UpdatesView } from '../../src/shared/contract/updates.ts'
import type {
  AccountRights,
  AccountView,
  ActionView,
  ActivityEntry,
  Appointment,
  AppointmentsInFile,
  AuditCheck,
  AuditEntry,
  AuditFileCheck,
  AwayView,
  BatchView,
  Board,
  BulkCheck,
  BulkRow,
  BulkSheet,
  ChosenEnrolment,
  ConnectionView,
  CopyView,
  CounterEntry,
  CounterOffer,
  CounterOutcome,
  CounterSession,
  CounterSettings,
  DocumentPage,
  DownloadCheck,
  DownloadFolder,
  DownloadRule,
  DownloadSettings,
  DownloadSummary,
  DownloadView,
  DraftVersion,
  DraftView,
  DropFolder,
  DroppedFile,
  EmployersView,
  HintView,
  IdentityRecordView,
  ImportResult,
  KnownForm,
  OfficeLockState,
  OutboxView,
  OutsideView,
  OverviewView,
  PersonView,
  PinState,
  PresetView,
  PrintedComparison,
  RefusedFiles,
  RememberedForm,
  RememberedMapping,
  SavedView,
  SendView,
  SettingsView,
  StaffView,
  SystemStatus,
  TemplateView,
  VerificationView
} from '../../src/shared/contract/views.ts'
import { fakeActions } from './fakes/actions.ts'
import { fakeAppointments } from './fakes/appointments.ts'
import { fakeAudit } from './fakes/audit.ts'
import { fakeBulk } from './fakes/bulk.ts'
import { fakeCounter, fakePin } from './fakes/counter.ts'
import { fakeDay } from './fakes/day.ts'
import { fakeDocuments } from './fakes/documents.ts'
import { fakeDownloads, usualDownloads } from './fakes/downloads.ts'
import { fakeDrafts } from './fakes/drafts.ts'
import { fakeIdentity, identityRecordOf } from './fakes/identity.ts'
import { fakeIdentityPdf, pdf } from './fakes/identity-pdf.ts'
import { fakeMembership } from './fakes/membership.ts'
import { byId, Failure, type FakeOffice, type Handlers } from './fakes/office.ts'
import { fakeOutbox } from './fakes/outbox.ts'
import { fakeRemembered } from './fakes/remembered.ts'
import { fakeSupport } from './fakes/support.ts'
import { fakeVerifications } from './fakes/verifications.ts'
import { documents, downloads, NOW, officeAccount, practiceAccount, templates } from './people.ts'

export interface FakeState {
  accounts: AccountView[]
  connection: ConnectionView
  /** The organisation's policy. */
  policy: PolicyView
  /** Retention periods, and the last purge. */
  retention: RetentionDays
  due: RetentionDue['counts']
  purged?: RetentionView['last']
  templates: TemplateView[]
  drafts: DraftView[]
  /** Earlier versions by draft. */
  versions: Record<string, (Omit<DraftVersion, 'title' | 'who'> & { composition: Composition })[]>
  presets: PresetView[]
  /** The result of importing files; undefined makes it fail. */
  imported: ImportResult | undefined
  outside: OutsideView[]
  crashReports: CrashReportsView
  people: PersonView[]
  /** Values by field. */
  remembered: Record<string, string[]>
  forms: RememberedForm[]
  sends: SendView[]
  /** The compositions of sends, by send id. */
  sent: Record<string, Composition>
  outbox: Omit<OutboxView, 'counts'>
  batches: BatchView[]
  bulk: { sheet: BulkSheet | null; check: BulkCheck; rows: BulkRow[]; remembered?: RememberedMapping }
  documents: DocumentPage[]
  views: SavedView[]
  actions: ActionView[]
  /** What the next action becomes, instead of done. */
  nextAction: Partial<ActionView>
  rights: AccountRights
  overview: OverviewView
  changes: ActivityEntry[]
  /** Newest first. */
  verifications: VerificationView[]
  dismissedVerifications: string[]
  /** How many verifications of each document the audit trail names that aren't stored. */
  missingVerifications: number
  away: AwayView
  notifications: NotificationPreferences
  employers: EmployersView
  knownForms: KnownForm[]
  dropFolders: DropFolder[]
  /** Files that drop folders refused. */
  refused: RefusedFiles
  droppedFiles: DroppedFile[]
  hints: HintView
  downloads: DownloadView[]
  /** The rest of the summary besides its counts: paused, speed. */
  downloadSummary: Partial<DownloadSummary>
  downloadSettings: DownloadSettings
  /** The chosen folders, by id. */
  downloadFolders: DownloadFolder[]
  downloadRules: DownloadRule[]
  /** What the check finds, instead of everything being intact. */
  downloadCheck: Partial<DownloadCheck>
  /** The result of any document's identity check. */
  identity: IdentityRecordView[]
  identityLeftOut: number
  /** The report of any document's identity check. */
  pdf: Uint8Array
  /** Where a signed document comes from, if not from the service itself. */
  pdfFrom?: string
  /** Whether the person prints what the dialog asks about. */
  printerTakes: boolean
  settings: SettingsView
  system: SystemStatus
  /** The settings file the user chooses; null if they cancel. */
  settingsFile: ChosenSettings | null
  /** The enrolment file the user chooses; null if they cancel. */
  enrolment: ChosenEnrolment | null
  backups: BackupsView
  recovery: RecoveryKeysView
  removal: RemovalView
  copies: CopyView[]
  counter: CounterSession | null
  /** Who can sign here, instead of what the documents imply. */
  queue?: CounterEntry[]
  /** Today's appointments, as `reference signer`. */
  today: string[]
  /** Overrides of the offer derived from the queue. */
  offer: Partial<CounterOffer>
  /** The result of comparing a typed document. */
  printed: PrintedComparison
  /** The result for the signer's name in one document, by its reference. */
  printedIn: Record<string, PrintedComparison>
  /** The outcome of each finished turn by index; `outcome` for the others. */
  outcomes: CounterOutcome[]
  outcome: CounterOutcome
  /** Whether a page opens as soon as it has a place; otherwise it stays loading. */
  pageOpens: boolean
  /** Whether the service answers at once with a turn's outcome; otherwise the session stays in `asking`. */
  asksService: boolean
  signingOrigin: string
  pin: PinState
  pinDigits: string
  /** Whether it is a one-time PIN. */
  isPinOnce?: boolean
  lock: OfficeLockState
  counterSettings: CounterSettings
  staff: StaffView
  /** Today's appointments. */
  appointments: Appointment[]
  /** The content of a chosen file; null if none is chosen. */
  appointmentFile: AppointmentsInFile | null
  /** Pictures of the second display by id; any other is one transparent pixel. */
  pictures: Record<string, string>
  /** Who is being called. */
  calling?: string
  hasDisplay: boolean
  /** Overrides of the board derived from the session and the appointments. */
  board: Partial<Board>
  audit: AuditEntry[]
  requests: RequestLogEntry[]
  updates: UpdatesView
  /** This workstation's place in a shared office. */
  membership: OfficeMembershipView | null
  auditCheck: Partial<AuditCheck>
  auditAtStart: AuditCheck | null
  auditFile: AuditFileCheck | null
  /** Why no receipt can be made. */
  receiptError: AppError | null
  /** What the next send becomes once it leaves. */
  nextSend: Partial<SendView>
  now: () => number
}

export interface FakeControl {
  state: FakeState
  calls: { name: RequestName; input: unknown }[]
  /** Makes every call of this name fail until `heal`. */
  fail(name: RequestName, error: AppError): void
  heal(name: RequestName): void
  /** Blocks calls of this name until the returned function is called. Calls after `free` aren't blocked. */
  hold(name: RequestName): () => void
  free(name: RequestName): void
  emit<Name extends EventName>(name: Name, payload: Events[Name]): void
}

export type FakeApi = Api & { control: FakeControl }

const handedOver: ReadonlySet<string> = new Set(handedOverRequestNames)

const error = (code: ErrorCode) => new Failure(code)

/** Returns a fake with a practice office and forty documents, with `change` applied. */
export function fakeApi(change: Partial<FakeState> = {}): FakeApi {
  const state: FakeState = {
    accounts: [practiceAccount(), officeAccount()],
    connection: { state: 'online', since: NOW - 3_600_000 },
    policy: {
      state: 'none',
      place: '/etc/countersign/policy.json',
      locked: [],
      accountIds: [],
      colouredIds: [],
      problems: []
    },
    due: {},
    retention: {
      documents: null,
      trash: 30,
      sends: null,
      downloads: null,
      identityFiles: null,
      identityNumbers: null,
      verifications: null,
      people: null
    },
    templates: templates(),
    drafts: [],
    versions: {},
    presets: [],
    imported: { drafts: [], presets: [], refused: [] },
    outside: [],
    crashReports: { isKept: false, reports: [] },
    people: [],
    remembered: {},
    forms: [],
    membership: null,
    sends: [],
    sent: {},
    outbox: { settings: { concurrency: 2, perMinute: null, undoSeconds: 10 } },
    batches: [],
    bulk: {
      sheet: null,
      check: {
        rows: 0,
        withErrors: 0,
        withWarnings: 0,
        duplicates: 0,
        alike: 0,
        alikeDuplicates: 0,
        withoutCountry: 0,
        corrected: 0,
        ready: 0,
        unused: []
      },
      rows: []
    },
    documents: documents(40, change.now?.() ?? NOW),
    views: [],
    actions: [],
    nextAction: {},
    rights: { reminders: 'yes', readsEmployers: 'yes', signedDocuments: 'unknown', signedFrom: [] },
    overview: {
      states: [],
      due: [],
      withoutDue: 0,
      overdue: 0,
      expired: 0,
      stuck: { days: 7, count: 0 },
      declined: 0,
      identityFailed: 0,
      waitingHere: 0,
      unread: 0,
      weeks: [],
      withoutWeek: 0
    },
    changes: [],
    verifications: [],
    dismissedVerifications: [],
    missingVerifications: 0,
    away: { total: 0, byKind: {}, changes: [] },
    notifications: {
      kinds: {
        signed: 'never',
        completed: 'always',
        declined: 'always',
        expired: 'always',
        'due-tomorrow': 'always',
        'identity-failed': 'always',
        'waits-here': 'views',
        'not-valid': 'always',
        outbox: 'always'
      },
      quiet: null,
      sound: false
    },
    employers: { records: [], from: 'nowhere' },
    knownForms: [],
    dropFolders: [],
    refused: { files: [], total: 0, open: [] },
    droppedFiles: [],
    hints: {},
    downloads: downloads(change.now?.() ?? NOW),
    downloadSummary: {},
    downloadSettings: usualDownloads,
    downloadFolders: [usualDownloads.folder],
    downloadRules: [],
    downloadCheck: {},
    identity: [identityRecordOf()],
    identityLeftOut: 0,
    pdf: pdf(),
    printerTakes: true,
    settings: { theme: 'system', zoom: 1 },
    recovery: { isOffered: false },
    enrolment: {
      id: 'enrolment-1',
      name: 'Harbour & Co.countersign-enrolment',
      madeAt: NOW - 3_600_000,
      madeBy: 'Countersign 0.1.0'
    },
    settingsFile: {
      id: 'settings-1',
      name: 'Countersign.countersign-settings',
      madeBy: 'Countersign 0.1.0',
      changes: [
        { what: 'Account “Wharf Street”', to: 'https://sign.wharf.example' },
        { what: 'Folders of “Harbour & Co.”', from: 'InBox, Progress', to: 'InBox, Progress, Signed' },
        { what: 'View “Due this week” of “Harbour & Co.”' },
        { what: 'Preset “Tenancy agreement” of “Wharf Street”' },
        { what: 'Zoom', from: '100%', to: '120%' },
        { what: 'Counter: idle times', from: '120 s, 30 s, 300 s', to: '60 s, 30 s, 300 s' }
      ],
      left: [
        {
          what: 'Account “Quay Law”',
          why: 'The account with this name here has a different address or sign-in method.'
        },
        { what: 'Preset “Lease renewal” of “Harbour & Co.”', why: 'There’s already one with this name here.' },
        { what: 'Quiet hours', why: 'Set by your organisation.' }
      ],
      withoutSecret: ['Wharf Street']
    },
    removal: { unsent: 0, backups: 0 },
    copies: [],
    backups: { plan: null, hasPassphrase: false, isRunning: false },
    system: {
      version: '0.1.0',
      platform: 'linux',
      keychain: { state: 'available' },
      storage: { state: 'encrypted' },
      troubles: []
    },
    counter: null,
    today: [],
    offer: {},
    printed: { kind: 'matches', isExpired: false },
    printedIn: {},
    outcomes: [],
    outcome: { signed: 'signed' },
    pageOpens: true,
    asksService: true,
    signingOrigin: 'https://signing.example.com',
    pin: { isSet: true, keptIn: 'keychain', reset: 'none', canReset: true },
    lock: { isLocked: false, opensBySignIn: true },
    pinDigits: fakePin,
    counterSettings: {
      staffName: '',
      camera: '',
      identityKept: 'compared',
      evidence: [
        { id: 'photo', text: 'Photo ID seen', isRequired: false },
        { id: 'name', text: 'Name matches the document', isRequired: false }
      ],
      idleText: 'Welcome',
      fullScreen: true,
      useOtherDisplay: false,
      idle: { warnAfter: 120, coverAfter: 30, endAfter: 300 },
      lockAfter: 0,
      allowedOrigins: [],
      mayKeepPages: false,
      languages: [...PERSON_LANGUAGES],
      moreTime: 3,
      mayGiveFiles: false,
      receipt: 'on-request',
      waitingRoom: { counterName: '', noShowAfter: 15, callSound: false, pictures: [] }
    },
    appointments: [],
    appointmentFile: null,
    hasDisplay: true,
    pictures: {},
    board: {},
    audit: [],
    requests: [],
    updates: { update: { state: 'off', why: 'not-set' }, builtAt: (change.now?.() ?? NOW) - 3 * 7 * 86_400_000 },
    auditCheck: {},
    staff: { members: [], settings: 'unguarded' },
    auditAtStart: null,
    auditFile: null,
    receiptError: null,
    nextSend: {},
    now: () => NOW,
    ...change
  }
  const listeners = new Map<EventName, Set<(payload: never) => void>>()
  const failures = new Map<RequestName, AppError>()
  const gates = new Map<RequestName, PromiseWithResolvers<void>>()
  const calls: FakeControl['calls'] = []
  const waiting: (() => void)[] = []
  let nextId = 1

  function emit<Name extends EventName>(name: Name, payload: Events[Name]) {
    if (!isHandedOver()) for (const handedBack of waiting.splice(0)) handedBack()
    for (const listener of listeners.get(name) ?? []) (listener as (payload: Events[Name]) => void)(payload)
  }

  /** Returns whether a person has the office window, or it is locked. */
  const isHandedOver = () => (state.counter?.place === 'here' && state.counter.phase !== 'ended') || state.lock.isLocked

  /** The account named by the current call. */
  let named: string | undefined

  function chosen(): AccountView {
    const account = state.accounts.find((one) => (named === undefined ? one.chosen : one.id === named))
    if (!account) throw error('no-account')
    return account
  }

  const isShown = (accountId: string) =>
    named === undefined ? state.accounts.some((one) => one.shown && one.id === accountId) : named === accountId

  function choose(id: string, showsAll = false): AccountView {
    byId(state.accounts, id)
    state.accounts = state.accounts.map((one) => ({ ...one, chosen: one.id === id, shown: showsAll || one.id === id }))
    emit('accounts.changed', null)
    return byId(state.accounts, id)
  }

  const office: FakeOffice = { state, emit, chosen, isShown, newId: (prefix) => `${prefix}-${nextId++}` }
  const documentHandlers = fakeDocuments(office)
  const handlers: Handlers = {
    'accounts.list': () => state.accounts,
    'accounts.add': (input) => {
      const id = `account-${nextId++}`
      const practice = input.kind === 'practice'
      const account: AccountView = {
        ...(practice ? practiceAccount() : officeAccount()),
        id,
        name: input.name,
        ...(input.kind === 'service' && {
          baseUrl: input.baseUrl,
          scheme: input.authentication.scheme,
          ...(input.dataTypeSpelling && { dataTypeSpelling: input.dataTypeSpelling })
        })
      }
      state.accounts = [...state.accounts, account]
      return choose(id)
    },
    'accounts.update': ({ id, name, baseUrl, authentication, folders, dataTypeSpelling }) => {
      const before = byId(state.accounts, id)
      if (before.kind !== 'service') throw error('bad-input')
      const account: AccountView = {
        ...before,
        name,
        baseUrl,
        ...(folders && { folders }),
        ...(dataTypeSpelling && { dataTypeSpelling }),
        ...(authentication && { scheme: authentication.scheme, hasSecret: true })
      }
      state.accounts = state.accounts.map((one) => (one.id === id ? account : one))
      emit('accounts.changed', null)
      return account
    },
    'accounts.mark': ({ id, mark, colour }) => {
      if (mark && state.accounts.some((one) => one.id !== id && one.hasOwnMark && one.mark === mark)) {
        const message = 'Another account has this mark. Choose different letters.'
        throw new Failure('invalid', { message, fields: [{ field: 'mark', message }] })
      }
      const { hasOwnMark: _, ...before } = byId(state.accounts, id)
      const account: AccountView = {
        ...before,
        ...(mark && { mark, hasOwnMark: true }),
        ...(colour && { colour })
      }
      state.accounts = state.accounts.map((one) => (one.id === id ? account : one))
      emit('accounts.changed', null)
      return account
    },
    'accounts.order': ({ ids }) => {
      state.accounts = state.accounts.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
      emit('accounts.changed', null)
      return null as never
    },
    'accounts.choose': ({ id }) => choose(id),
    'accounts.workIn': ({ id }) =>
      choose(
        id,
        state.accounts.every((one) => one.shown)
      ),
    'accounts.showAll': () => void choose(chosen().id, true) as never,
    'accounts.remove': ({ id }) => {
      byId(state.accounts, id)
      state.accounts = state.accounts.filter((one) => one.id !== id)
      const next = state.accounts[0]
      if (next && !state.accounts.some((one) => one.chosen)) choose(next.id)
      emit('accounts.changed', null)
      return { signIn: 'ended' }
    },
    'accounts.signIn': () => ({ signIn: 'sign-in-1' }),
    'accounts.signInAgain': ({ id }) => {
      const { waitsForSignIn: _, ...account } = byId(state.accounts, id)
      state.accounts = state.accounts.map((one) => (one.id === id ? account : one))
      emit('accounts.changed', null)
      return account
    },
    'accounts.cancelSignIn': () => null as never,
    'accounts.check': ({ id }) => {
      byId(state.accounts, id)
      const folders = ['InBox', 'Progress', 'Signed'].map((name) => ({
        name,
        documents: state.documents.filter(({ folder }) => folder === name).length
      }))
      return { folders, may: {} }
    },
    'accounts.certificates': () => [],
    'system.proxy': () => null,
    'system.signInToProxy': () => null as never,
    'accounts.try': () => ({ documents: state.documents.length, missing: [] }),
    'accounts.refreshLimits': () => null as never,
    'accounts.openMailbox': ({ id }) => {
      byId(state.accounts, id)
      return null as never
    },
    'accounts.setPracticeDay': ({ id, day }) => {
      const { day: _, ...account } = byId(state.accounts, id)
      const changed = { ...account, ...(!isUsual(day) && { day }) }
      state.accounts = state.accounts.map((one) => (one.id === id ? changed : one))
      emit('accounts.changed', null)
      return changed
    },
    'accounts.allowSigned': ({ id, allow }) => {
      const account = byId(state.accounts, id)
      account.savesSigned = allow ? 'yes' : 'no'
      account.signedFrom = allow && state.pdfFrom ? [...account.signedFrom, state.pdfFrom] : []
      emit('accounts.changed', null)
      return account
    },
    'accounts.connection': () => state.connection,
    'enrolment.prepare': ({ id }) => {
      const { name } = byId(state.accounts, id)
      return { label: `${name}.countersign-enrolment`, validUntil: state.now() + 14 * 86_400_000 }
    },
    'enrolment.choose': () => state.enrolment,
    'enrolment.enrol': ({ id, code }) => {
      if (state.enrolment?.id !== id) throw error('gone')
      if (code !== 'ABCDE-FGHJK-MNPQR-STVWX') {
        const message = 'This isn’t the code of this file.'
        throw new Failure('invalid', { message, fields: [{ field: 'code', message }] })
      }
      const account: AccountView = { ...officeAccount(), id: `account-${nextId++}`, name: 'Enrolled', isEnrolled: true }
      state.accounts = [...state.accounts, account]
      emit('accounts.changed', null)
      return { id: account.id, name: account.name }
    },
    'enrolment.close': () => null as never,
    'settingsFile.save': () => ({ label: 'Countersign.countersign-settings' }),
    'settingsFile.choose': () => state.settingsFile,
    'settingsFile.apply': ({ id }) => {
      if (state.settingsFile?.id !== id) throw error('gone')
      emit('settings.changed', null)
      return null as never
    },
    'settingsFile.close': () => null as never,
    'templates.list': () => ({ items: state.templates, fetchedAt: state.now() - 60_000 }),
    'recipients.list': () => ({ items: [] }),
    ...fakeRemembered(office),
    ...fakeDrafts(office),
    ...fakeOutbox(office),
    ...fakeBulk(office),
    ...documentHandlers,
    ...fakeActions(office),
    ...fakeVerifications(office),
    ...fakeDay(office),
    ...fakeDownloads(office, (query) => documentHandlers['documents.references']({ query }).references),
    ...fakeIdentity(office),
    ...fakeIdentityPdf(office),
    ...fakeAppointments(office),
    ...fakeCounter(office),
    ...fakeAudit(office),
    ...fakeSupport(office),
    ...fakeMembership(office),
    'updates.get': () => state.updates,
    'updates.check': () => {
      state.updates = { ...state.updates, checkedAt: state.now() }
      return state.updates
    },
    'updates.install': () => undefined,
    'policy.get': () => state.policy,
    'retention.get': () => retention(),
    'retention.due': ({ kinds }) => ({
      counts: Object.fromEntries(Object.entries(state.due).filter(([kind]) => kinds.includes(kind as RetentionKind)))
    }),
    'retention.set': (change) => {
      state.retention = { ...state.retention, ...(change as Partial<RetentionDays>) }
      emit('settings.changed', null)
      return retention()
    },
    'retention.holds': ({ offset, limit }) => ({
      holds: held().slice(offset, offset + limit),
      total: held().length
    }),
    'retention.hold': ({ some, reason }) => {
      const chosen = heldBy(some).filter((document) => !document.hold)
      for (const { accountId, reference, name } of chosen) {
        const hold = { accountId, reference, documentName: name, reason, staff: 'Mere', at: state.now() }
        byReference(accountId, reference).hold = hold
        emit('documents.changed', { accountId, version: 1 })
      }
      return { held: chosen.length }
    },
    'retention.release': ({ some }) => {
      const chosen = heldBy(some).filter((document) => document.hold)
      for (const document of chosen) {
        delete document.hold
        emit('documents.changed', { accountId: document.accountId, version: 1 })
      }
      return { released: chosen.length }
    },
    'settings.get': () => state.settings,
    'settings.set': (change) => {
      const { documentColumns: before, ...others } = state.settings
      const columns = change.documentColumns === undefined ? before : change.documentColumns
      state.settings = {
        theme: change.theme ?? others.theme,
        zoom: change.zoom ?? others.zoom,
        ...(columns && { documentColumns: columns }),
        ...(change.countryCode !== undefined
          ? { countryCode: { code: change.countryCode, isGuessed: false } }
          : others.countryCode && { countryCode: others.countryCode }),
        ...(others.startAtLogin !== undefined && { startAtLogin: change.startAtLogin ?? others.startAtLogin }),
        ...(others.news && change.news === undefined && { news: others.news })
      }
      emit('settings.changed', null)
      return state.settings
    },
    'storage.tryAgain': () => null as never,
    'storage.startEmpty': () => null as never,
    'storage.copies': () => state.copies,
    'storage.useCopy': () => null as never,
    'storage.backUp': () => ({ name: 'Countersign 2026-11-24.countersign-backup' }),
    'storage.chooseBackup': () => ({
      id: 'backup-1',
      name: 'Countersign 2026-11-20.countersign-backup',
      madeAt: Date.UTC(2026, 10, 20, 5, 30),
      madeBy: 'Countersign 0.1.0'
    }),
    'storage.checkBackup': () => ({
      madeAt: Date.UTC(2026, 10, 20, 5, 30),
      madeBy: 'Countersign 0.1.0',
      accounts: 2,
      drafts: 14,
      waiting: 3,
      hasSecrets: true
    }),
    'storage.restore': () => null as never,
    'storage.closeBackup': () => null as never,
    'storage.recovery': () => state.recovery,
    'storage.dismissRecoveryOffer': () => {
      state.recovery = { ...state.recovery, isOffered: false }
      return null as never
    },
    'storage.keepRecoveryKey': () => {
      state.recovery = { ...state.recovery, paperAt: state.now(), isOffered: false }
      return null as never
    },
    'storage.removal': () => state.removal,
    'storage.remove': () => null as never,
    'storage.changeKey': () => null as never,
    'storage.recover': () => null as never,
    'storage.continueWithout': () => null as never,
    'storage.lookForKeychain': () => null as never,
    'storage.backups': () => state.backups,
    'storage.chooseBackupFolder': () => ({ id: 'folder-backups', label: 'Backups' }),
    'storage.scheduleBackups': ({ plan, folderId, passphrase }) => {
      state.backups = {
        ...state.backups,
        ...(plan !== undefined && { plan: plan && BackupPlan.parse(plan) }),
        ...(folderId !== undefined && { folder: 'Backups' }),
        ...(passphrase !== undefined && { hasPassphrase: true })
      }
      return state.backups
    },
    'storage.backUpNow': () => {
      const name = 'Countersign 2026-11-24 1800 5a1c.countersign-backup'
      state.backups = { ...state.backups, last: { at: state.now(), name } }
      return state.backups
    },
    'storage.dismiss': ({ name }) => {
      const { troubles } = state.system
      state.system = {
        ...state.system,
        troubles: troubles.filter((trouble) => !('name' in trouble) || trouble.name !== name)
      }
      emit('system.changed', null)
      return null as never
    },
    'system.status': () => state.system,
    'system.keepPlace': () => null as never,
    'system.showData': () => null as never,
    'system.copy': () => null as never,
    'system.copyBriefly': () => ({ clearsAfter: 30_000 }),
    'system.readyToClose': () => null as never
  }

  const held = () => state.documents.flatMap(({ hold }) => hold ?? [])
  const retention = () => ({ days: state.retention, holds: held().length, ...(state.purged && { last: state.purged }) })
  function byReference(accountId: string, reference: string): DocumentPage {
    const found = state.documents.find((one) => one.accountId === accountId && one.reference === reference)
    if (!found) throw error('gone')
    return found
  }
  function heldBy(some: Input<'retention.release'>['some']): DocumentPage[] {
    if ('query' in some) return state.documents
    return some.documents.map(({ accountId, reference }) => byReference(accountId, reference))
  }

  async function answer<Name extends RequestName>(
    name: Name,
    input: Input<Name>,
    accountId?: string
  ): Promise<Result<Reply<Name>>> {
    // As in the main process: requests not meant for the person wait until staff have the window again.
    while (isHandedOver() && !handedOver.has(name)) await new Promise<void>((handedBack) => waiting.push(handedBack))
    calls.push({ name, input: structuredClone(input) })
    const gate = gates.get(name)
    if (gate) await gate.promise
    const failure = failures.get(name)
    if (failure) return { ok: false, error: failure }
    // The contract applies here too: the fake refuses what the main process would.
    if (!requests[name].input.safeParse(input).success) {
      return { ok: false, error: { code: 'bad-input', message: 'The input is not of the shape agreed on.' } }
    }
    try {
      named = accountId
      return { ok: true, value: structuredClone(handlers[name](input)) }
    } catch (caught) {
      if (!(caught instanceof Failure)) throw caught
      return { ok: false, error: { code: caught.code, message: 'The made-up office says so.', ...caught.more } }
    } finally {
      named = undefined
    }
  }

  const api: Record<string, unknown> = {
    on(name: EventName, listener: (payload: never) => void) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
      return () => set.delete(listener)
    },
    control: {
      state,
      calls,
      fail: (name: RequestName, failure: AppError) => failures.set(name, failure),
      heal: (name: RequestName) => failures.delete(name),
      hold(name: RequestName) {
        const gate = Promise.withResolvers<void>()
        gates.set(name, gate)
        return () => {
          if (gates.get(name) === gate) gates.delete(name)
          gate.resolve()
        }
      },
      free: (name: RequestName) => gates.delete(name),
      emit
    }
  }
  for (const name of requestNames) {
    const [domain, action] = name.split('.') as [string, string]
    const group = (api[domain] ?? {}) as Record<string, unknown>
    group[action] = (input: never, accountId?: string) => answer(name, input, accountId)
    api[domain] = group
  }
  return api as unknown as FakeApi
}
