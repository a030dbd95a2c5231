/** The made-up office in every state of a screen that must be looked at. */
import { blankComposition, type Composition } from '../../../src/shared/composition/composition.ts'
import type { BackupsView } from '../../../src/shared/contract/backups.ts'
import type { AppError } from '../../../src/shared/contract/errors.ts'
import { LOCKABLE } from '../../../src/shared/contract/policy.ts'
import type { CopyView, DraftView, SystemStatus } from '../../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { lockOf } from '../fakes/lock.ts'
import { MEMBERSHIP_STATES, membershipOf, pollingOf } from '../fakes/membership.ts'
import { requestsOf } from '../fakes/support.ts'
import { documents, officeAccount, practiceAccount, sendOf } from '../people.ts'
import { composingScenes } from './composing-scenes.ts'
import { counterClerkScenes, LONG_NAME, LONG_NAME_WITHOUT_SPACES } from './counter-clerk-scenes.ts'
import { counterScenes } from './counter-scenes.ts'
import { dataScenes } from './data-scenes.ts'
import { dayScenes } from './day-scenes.ts'
import { documentPageScenes } from './document-page-scenes.ts'
import { documentScenes } from './document-scenes.ts'
import { downloadScenes } from './download-scenes.ts'
import { draftingScenes } from './drafting-scenes.ts'
import { dropFolderScenes } from './drop-folder-scenes.ts'
import { identityPdfScenes } from './identity-pdf-scenes.ts'
import { identityScenes } from './identity-scenes.ts'
import { outboxScenes } from './outbox-scenes.ts'

const now = () => Date.now()

/** Returns a draft of two forms, filled in except for its own problems. */
function draft(change: (composition: Composition) => void = () => {}): DraftView {
  const composition = blankComposition('form-direct', 'a')
  const item = composition.items[0]
  const signer = item?.signers[0]
  if (item && signer) {
    Object.assign(item, { Name: 'Tax declaration', Reference: 'form-tfn-2025', FormType: '3' })
    Object.assign(signer, { FirstName: 'Mere', LastName: 'Parata', Email: 'mere.parata@example.com', faceToFace: true })
  }
  composition.embedded = true
  change(composition)
  return {
    id: 'draft-1',
    accountId: 'practice',
    kind: composition.kind,
    title: 'Tax declaration',
    who: 'Mere Parata',
    updatedAt: now() - 5 * 60_000,
    composition
  }
}

/** Returns a first start whose keychain can't be used. */
function firstWithout(
  reason: Extract<SystemStatus['keychain'], { reason: unknown }>['reason'],
  storage: SystemStatus['storage']
): FakeApi {
  const keychain = { state: 'unavailable', reason } as const
  const system: SystemStatus = { version: '0.1.0', platform: 'linux', keychain, storage, troubles: [] }
  return fakeApi({ now, accounts: [], documents: [], downloads: [], system })
}

function openedByRecoveryKey(): SystemStatus {
  const keychain = { state: 'unavailable', reason: 'locked' } as const
  const storage = { state: 'encrypted', isByRecoveryKey: true } as const
  return { version: '0.1.0', platform: 'linux', keychain, storage, troubles: [] }
}

/** Returns an office with retention periods set, something about to be removed, and a document on hold. */
function retention(change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  const [first, ...others] = documents(40, now())
  const hold = { reason: 'Dispute with the bank', staff: 'Grace Okafor', at: now() - 12 * 86_400_000 }
  const held = first && {
    ...first,
    hold: { ...hold, accountId: first.accountId, reference: first.reference, documentName: first.name }
  }
  return usual({
    documents: held ? [held, ...others] : others,
    retention: {
      documents: 90,
      trash: 30,
      sends: 365,
      downloads: 90,
      identityFiles: 180,
      identityNumbers: 365,
      verifications: null,
      people: 730
    },
    due: { documents: 12, sends: 3, downloads: 41, people: 2 },
    purged: { at: now() - 20 * 3_600_000, counts: { documents: 4 } },
    ...change
  })
}

/** Returns a database that exists but can't be opened, with copies to continue from. */
function notOpened(storage: SystemStatus['storage']): FakeApi {
  const system: SystemStatus = {
    version: '0.3.0',
    platform: 'linux',
    keychain: { state: 'available' },
    storage,
    troubles: []
  }
  const copies: CopyView[] = [
    {
      name: '3',
      at: Date.UTC(2026, 10, 23, 19, 10),
      isBeforeUpdate: false,
      missing: { sends: 3, drafts: 1, downloads: 0, audit: 14 }
    },
    { name: '2', at: Date.UTC(2026, 10, 22, 19, 5), isBeforeUpdate: true }
  ]
  return fakeApi({ now, accounts: [], documents: [], downloads: [], system, copies })
}

function usual(change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    drafts: [
      draft(),
      {
        ...draft(),
        id: 'draft-2',
        title: 'Residential tenancy agreement and 1 more',
        kind: 'form-filler',
        updatedAt: now() - 26 * 3_600_000
      }
    ],
    sends: [
      sendOf({ id: 'send-1', attemptedAt: now() - 3_600_000 }),
      sendOf({
        id: 'send-2',
        title: 'Deed of gift',
        state: 'uncertain',
        attemptedAt: now() - 600_000,
        documents: [],
        error: { code: 'timeout', message: 'No answer within 60 seconds.', mayHaveArrived: true }
      })
    ],
    nextSend: { due: { at: now() + 14 * 24 * 3_600_000, precision: 'time' } },
    knownForms: ['tpl-gift', 'tpl-tenancy'].map((Reference, index) => ({
      kind: 'form-filler' as const,
      Name: Reference,
      Reference,
      uses: 4 - index,
      usedAt: now() - (index + 1) * 3_600_000
    })),
    ...change
  })
}

function failingCheck(error: AppError): FakeApi {
  const api = usual()
  api.control.fail('storage.checkBackup', error)
  return api
}

const builtAt = Date.now() - 5 * 7 * 86_400_000
const updateScenes: Record<string, () => FakeApi> = {
  'updates-none': () => usual({ updates: { update: { state: 'none' }, builtAt, checkedAt: now() - 3_600_000 } }),
  'updates-waiting': () =>
    usual({ updates: { update: { state: 'waiting', for: 'sending', newer: '0.2.0' }, builtAt, checkedAt: now() } }),
  'updates-downloading': () =>
    usual({
      updates: { update: { state: 'downloading', newer: '0.2.0', done: 41_000_000, total: 98_000_000 }, builtAt }
    }),
  'updates-ready': () => usual({ updates: { update: { state: 'ready', newer: '0.2.0', atQuit: false }, builtAt } }),
  'updates-refused': () =>
    usual({
      updates: {
        update: { state: 'none' },
        builtAt,
        problem: {
          code: 'bad-file',
          message: 'The update isn’t signed by its publisher, so it wasn’t downloaded.',
          next: 'Tell your administrator.'
        }
      }
    })
}

const membershipScenes: Record<string, () => FakeApi> = Object.fromEntries(
  MEMBERSHIP_STATES.map((state) => [
    `membership-${state}`,
    () =>
      usual({
        membership: membershipOf(now(), { state, ...(state === 'connecting' && { who: [] }) })
      })
  ])
)

/** Returns the office's answer to leaving it too soon. */
function leavingTooSoon(message: string, next: string): FakeApi {
  const api = usual({ membership: membershipOf(now()) })
  const { leave } = api.office
  api.office.leave = (input) => {
    api.control.state.membership = membershipOf(now(), { isLeaving: true })
    return leave(input)
  }
  api.control.fail('office.leave', { code: 'busy', message, next })
  return api
}

const everyones: Record<string, () => FakeApi> = {
  ...composingScenes,
  ...counterClerkScenes,
  ...counterScenes,
  ...dataScenes,
  ...outboxScenes,
  ...draftingScenes,
  ...dayScenes,
  ...documentScenes,
  ...documentPageScenes,
  ...downloadScenes,
  ...dropFolderScenes,
  ...identityPdfScenes,
  ...identityScenes,
  usual,
  ...updateScenes,
  ...membershipScenes,
  requests: () => usual({ requests: requestsOf(240, now()) }),
  'bad-day': () => {
    const day = { dialects: ['v13', 'day-first'], refusal: '402', clockAhead: -600, documentsLeft: 3 } as const
    return usual({ accounts: [{ ...practiceAccount(), day: { ...day, dialects: [...day.dialects] } }] })
  },
  first: () => fakeApi({ now, accounts: [], documents: [], downloads: [] }),
  'membership-busy': () => leavingTooSoon('Some packages are being sent just now.', 'Try again in a minute.'),
  'membership-untold': () =>
    leavingTooSoon(
      'A package in the Outbox here hasn’t reached the office yet.',
      'Try again in a minute. If it needs your decision, decide in the Outbox first.'
    ),
  'membership-watching': () => usual({ membership: membershipOf(now(), { folders: pollingOf(now()) }) }),
  'all-accounts': () =>
    usual({
      accounts: [
        { ...practiceAccount(), chosen: false, shown: true },
        { ...officeAccount(), chosen: true, shown: true, beginsPackages: true }
      ],
      drafts: [{ ...draft(), accountId: 'harbour' }]
    }),
  'office-connected': () => usual({ accounts: [{ ...officeAccount(), chosen: true }] }),
  'office-refused': () => {
    const api = usual({ accounts: [{ ...officeAccount(), chosen: true }] })
    api.control.fail('accounts.try', {
      code: 'unauthorised',
      message: 'The signing service didn’t accept the API key, the secret or the access URL.',
      next: 'Check that all three are exactly as your provider gave them.'
    })
    return api
  },
  'office-clock': () => {
    const api = usual({ accounts: [{ ...officeAccount(), chosen: true }] })
    api.accounts.check = async () => ({
      ok: true,
      value: {
        folders: [
          { name: 'InBox', documents: 28 },
          { name: 'Progress', documents: 12 },
          { name: 'Signed', documents: null }
        ],
        may: {},
        clockAheadMinutes: 7
      }
    })
    return api
  },
  /** On a network with a proxy, a certificate authority and client certificates of the organisation's own. */
  'office-network': () => {
    const certificate = { subject: 'Grace Hopper', issuer: 'Harbour Law Root' }
    const api = usual({ accounts: [{ ...officeAccount(), chosen: true, certificate }] })
    const vouchedBy = { name: 'Harbour Law Root', validTo: Date.UTC(2031, 4, 3) }
    api.accounts.check = async () => ({
      ok: true,
      value: {
        folders: [
          { name: 'InBox', documents: 28 },
          { name: 'Progress', documents: 12 },
          { name: 'Signed', documents: 0 }
        ],
        may: { administrate: true, faceToFace: true, video: false, remind: true },
        vouchedBy
      }
    })
    api.accounts.certificates = async () => ({
      ok: true,
      value: [{ fingerprint: 'sha256/a', ...certificate, validTo: Date.UTC(2027, 4, 3) }]
    })
    api.system.proxy = async () => ({ ok: true, value: { proxy: 'proxy.harbour.example:8080', wasRefused: true } })
    return api
  },
  /** An opened link and an opened file are waiting for review. */
  outside: () =>
    usual({
      outside: [
        {
          id: 'o-1',
          what: 'draft',
          preset: 'Client engagement letter',
          clientReference: '26/0042',
          signers: [
            { name: 'Mere Tāmati', details: ['mere.tamati@example.com', '64 021 555 0101'] },
            { name: 'Wiremu Ngata', details: ['wiremu.ngata@example.com'] }
          ]
        },
        { id: 'o-2', what: 'file', file: 'Presets of the Wellington office.countersign', drafts: 3, presets: 12 }
      ]
    }),
  'settings-offered': () => {
    const api = usual({ crashReports: { isKept: true, reports: [{ at: now() - 3_600_000, bytes: 640_000 }] } })
    api.control.state.settings = { ...api.control.state.settings, startAtLogin: true }
    return api
  },
  'outside-refused': () =>
    usual({
      outside: [
        {
          id: 'o-1',
          what: 'refused',
          error: {
            code: 'invalid',
            message: 'This link has a part that links can’t set (“NotifyUrl”).',
            next: 'No draft was made.'
          }
        }
      ]
    }),
  'office-signed-out': () =>
    usual({ accounts: [{ ...officeAccount(), chosen: true, scheme: 'oauth', waitsForSignIn: true }] }),
  'office-signing-in': () => {
    const api = usual()
    api.accounts.signIn = () => new Promise(() => undefined)
    return api
  },
  'first-no-keychain': () => firstWithout('missing', { state: 'memory', reason: 'no-keychain', hasData: false }),
  'first-locked': () => firstWithout('locked', { state: 'memory', reason: 'keychain-locked', hasData: true }),
  'recovery-locked': () => firstWithout('locked', { state: 'memory', reason: 'no-keychain', hasData: true }),
  'recovery-open': () => usual({ system: openedByRecoveryKey() }),
  retention: () => retention(),
  'retention-locked': () => {
    const members = [
      { id: 'first', name: 'Grace Okafor', role: 'administrator', hasBadge: false, isCurrent: true } as const
    ]
    return retention({ staff: { members, settings: 'locked' } })
  },
  'first-damaged': () => notOpened({ state: 'memory', reason: 'damaged', hasData: true }),
  'first-newer': () => notOpened({ state: 'memory', reason: 'newer-version', hasData: true, usedBy: '0.4.0' }),
  empty: () => usual({ drafts: [], sends: [], documents: [], downloads: [], templates: [] }),
  many: () => usual({ documents: documents(5000, now()) }),
  offline: () => {
    const api = usual({
      accounts: [
        { ...practiceAccount(), chosen: false },
        { ...officeAccount(), chosen: true }
      ],
      connection: { state: 'offline', since: now() - 1_800_000, error: { code: 'offline', message: 'No network.' } }
    })
    for (const name of ['documents.refresh', 'documents.validate', 'accounts.check'] as const)
      api.control.fail(name, { code: 'offline', message: 'No network.' })
    return api
  },
  failing: () => {
    const api = usual()
    for (const name of [
      'templates.list',
      'drafts.list',
      'documents.list',
      'documents.get',
      'downloads.list',
      'counter.queue',
      'sends.list'
    ] as const)
      api.control.fail(name, {
        code: 'server',
        message: 'The service answered 500.',
        serviceMessage: 'Unhandled condition'
      })
    return api
  },
  slow: () => {
    const api = usual()
    for (const name of [
      'templates.list',
      'documents.list',
      'documents.get',
      'downloads.list',
      'counter.queue'
    ] as const)
      api.control.hold(name)
    return api
  },
  organisation: () =>
    usual({
      policy: {
        state: 'broken',
        place: '/etc/countersign/policy.json',
        locked: LOCKABLE,
        accountIds: ['harbour'],
        colouredIds: ['harbour'],
        problems: [
          { message: '“practiceOfice” isn’t a setting of this version of Countersign.', line: 14, column: 3 },
          { message: '“counter.idle.endAfter” must be at most 3600.', line: 21, column: 48 }
        ],
        since: Date.UTC(2026, 10, 3, 10),
        shared: { problem: 'This file is no longer there.', since: Date.UTC(2026, 10, 20, 10) }
      }
    }),
  managed: () =>
    usual({
      policy: {
        state: 'followed',
        isManaged: true,
        place: 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Countersign',
        accountIds: ['harbour'],
        colouredIds: ['harbour'],
        problems: [],
        locked: ['accounts', 'otherAccounts', 'practiceOffice', 'quietHours', 'removal', 'counter.lockAfter'],
        unusedFile: 'C:\\ProgramData\\Countersign\\policy.json'
      }
    }),
  unkept: () => {
    const api = usual({
      system: {
        version: '0.1.0',
        platform: 'linux',
        keychain: { state: 'unavailable', reason: 'missing' },
        storage: { state: 'memory', reason: 'no-keychain', hasData: false },
        troubles: [
          { kind: 'set-aside', store: 'database', name: 'set-aside-2025-11-26T09-30-00Z', reason: 'unreadable', at: 0 }
        ]
      }
    })
    api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    return api
  },
  refused: () =>
    usual({
      nextSend: {
        state: 'refused',
        documents: [],
        error: {
          code: 'invalid',
          message: 'The service refused the request.',
          serviceMessage: 'Validation failed',
          fields: [
            { field: 'Forms[0].Signers[0].Email', message: 'This address is on the list of addresses that bounce.' },
            { field: 'Forms[0].Colour', message: 'Unknown member.' }
          ]
        }
      }
    }),
  uncertain: () =>
    usual({
      nextSend: {
        state: 'uncertain',
        documents: [],
        error: { code: 'timeout', message: 'No answer within 60 seconds.', mayHaveArrived: true }
      }
    }),
  /** A backup is being made, or checked, without ever finishing. */
  'backup-running': () => {
    const api = usual()
    api.control.hold('storage.backUp')
    api.control.hold('storage.checkBackup')
    return api
  },
  'backup-wrong-passphrase': () =>
    failingCheck({
      code: 'bad-file',
      message: 'This isn’t the passphrase for this backup.',
      next: 'Check capital letters and spaces.',
      fields: [{ field: 'passphrase', message: 'This isn’t the passphrase for this backup.' }]
    }),
  'backup-damaged': () =>
    failingCheck({
      code: 'bad-file',
      message: 'This backup is damaged.',
      next: 'Nothing was changed here. Try another copy of it, or an earlier backup.'
    }),
  'backup-newer': () => {
    const api = usual()
    api.control.fail('storage.chooseBackup', {
      code: 'bad-file',
      message: 'This backup was made by a newer version of Countersign.',
      next: 'Update Countersign, then restore it.'
    })
    return api
  },
  /** After restarting with a restored backup: the Outbox opens paused. */
  'recovery-offer': () => usual({ recovery: { isOffered: true } }),
  removal: () => usual({ removal: { unsent: 3, backups: 7 } }),
  'backups-scheduled': () => usual({ backups: backupsOf() }),
  /** Its share has been unavailable since yesterday. */
  'backups-failing': () => {
    const error = {
      code: 'gone' as const,
      message: 'The folder for backups can’t be reached.',
      next: 'Connect the drive or network share, or choose another folder in Settings.'
    }
    const since = now() - 86_400_000
    const api = usual({ backups: backupsOf() })
    api.control.state.system.troubles = [{ kind: 'no-backup', store: 'backups', reason: error.code, since, error }]
    return api
  },
  restored: () =>
    usual({
      outbox: {
        settings: { concurrency: 2, perMinute: null, undoSeconds: 10 },
        pause: {
          by: 'person',
          since: now() - 60_000,
          error: {
            code: 'not-allowed',
            message: 'Restored from a backup. Countersign looks for each waiting package in your folders first.'
          }
        }
      }
    }),
  /** The account was refused before anything was ever loaded. */
  unread: () => {
    const error = { code: 'unauthorised' as const, message: 'The service answered 401.' }
    const api = usual({ documents: [], connection: { state: 'refused', since: now() - 60_000, error } })
    api.documents.list = async () => ({ ok: true, value: { rows: [], total: 0, documents: 0, problem: error } })
    return api
  }
}

/** Returns daily backups at six, made so far. */
function backupsOf(): BackupsView {
  const name = 'Countersign 2026-11-24 1800 5a1c.countersign-backup'
  return {
    plan: { when: 'daily', at: '18:00', weekday: 5, keep: 7, secrets: false },
    folder: 'Backups',
    hasPassphrase: true,
    isRunning: false,
    last: { at: now() - 15 * 3_600_000, name },
    next: now() + 9 * 3_600_000
  }
}

/** Some scenes for staff whose role is refused something. */
const ofRoles = (['counter', 'clerk'] as const).flatMap((role) =>
  ['usual', 'outbox-release', 'drafting-shared', 'clerk', 'clerk-settings-staff', 'drop-folders', 'document'].map(
    (name): [string, () => FakeApi] => [
      `as-${role}-${name}`,
      () => {
        const api = (everyones[name] ?? usual)()
        api.control.state.lock = lockOf(role)
        return api
      }
    ]
  )
)

/** Members of the made-up office that name a person, a document, an account or the like. */
const NAMES = new Set(
  ['name', 'title', 'who', 'signerName', 'documentName', 'fileName', 'viewName', 'staff', 'signers', 'subject'].concat([
    'Name',
    'FirstName',
    'LastName',
    'EmployerName',
    'label',
    'about',
    'maker',
    'workstation',
    'editingBy',
    'reason'
  ])
)

/** Returns a copy in which every name has 300 characters, every other one without a space. */
function withLongNames<Value>(value: Value, isName = false, count = { names: 0 }): Value {
  if (typeof value === 'string') {
    if (!isName || value === '') return value
    return (count.names++ % 2 === 0 ? LONG_NAME : LONG_NAME_WITHOUT_SPACES) as Value
  }
  if (Array.isArray(value)) return value.map((each) => withLongNames(each, isName, count)) as Value
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const members = Object.entries(value).map(([key, each]) => [key, withLongNames(each, NAMES.has(key), count)])
  return Object.fromEntries(members) as Value
}

/** The same scenes with names of 300 characters. */
const longNamed = Object.entries(everyones).map(([name, open]): [string, () => FakeApi] => [
  `long-names-${name}`,
  () => {
    const api = open()
    Object.assign(api.control.state, withLongNames(api.control.state))
    return api
  }
])

export const scenes: Record<string, () => FakeApi> = { ...everyones, ...Object.fromEntries([...ofRoles, ...longNamed]) }
