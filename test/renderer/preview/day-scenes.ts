/** The office's day: overview, activity and directory on an ordinary morning, and empty. */
import type {
  DocumentChange,
  DocumentPage,
  EmployerRecord,
  OverviewView,
  RefusedFiles
} from '../../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { addressBook } from '../fakes/remembered.ts'
import { documents, officeAccount, practiceAccount, verificationOf } from '../people.ts'

const DAY = 86_400_000

/** Returns an ordinary morning's overview: documents due on each day, packages of each week. */
export function overviewOf(now: number, change: Partial<OverviewView> = {}): OverviewView {
  const iso = (at: number) => new Date(at).toISOString().slice(0, 10)
  const monday = now - ((new Date(now).getUTCDay() + 6) % 7) * DAY
  return {
    states: [
      { family: 'not-started', count: 38 },
      { family: 'in-progress', count: 121 },
      { family: 'complete', count: 604 },
      { family: 'declined', count: 7 },
      { family: 'expired', count: 16 },
      { family: 'other', count: 3 }
    ],
    due: [4, 1, 0, 9, 12, 6, 5, 3, 0, 1, 14, 8, 2, 2].map((count, index) => ({ day: iso(now + index * DAY), count })),
    withoutDue: 0,
    overdue: 5,
    expired: 2,
    stuck: { days: 7, count: 11 },
    declined: 7,
    identityFailed: 2,
    waitingHere: 3,
    unread: 24,
    weeks: [31, 28, 35, 22, 40, 38, 27, 33, 45, 41, 36, 18].map((sent, index) => ({
      monday: iso(monday - (11 - index) * 7 * DAY),
      sent,
      completed: Math.round(sent * (index === 11 ? 0.4 : 0.85))
    })),
    withoutWeek: 0,
    lookedAt: now - 8000,
    ...change
  }
}

/** Returns the changes of two days, newest first. */
export function changesOf(now: number, count: number): DocumentChange[] {
  const kinds = [
    'signed',
    'completed',
    'declined',
    'arrived',
    'due-changed',
    'expired',
    'identity-failed',
    'moved'
  ] as const
  const signers = ['Mere Parata', 'Tama Whaanga', 'Aroha Lindqvist']
  return documents(count, now).map((document, index) => ({
    id: count - index,
    accountId: 'practice',
    reference: document.reference,
    documentName: document.name,
    kind: kinds[index % kinds.length] ?? 'changed',
    at: now - index * 47 * 60_000,
    signer: signers[index % signers.length] ?? '',
    isOwn: index % 9 === 4,
    ...(kinds[index % kinds.length] === 'due-changed' && { from: '2026-12-01', to: '2026-12-15' }),
    ...(kinds[index % kinds.length] === 'moved' && { from: 'InBox', to: 'Progress' })
  }))
}

/** Returns some records of each kind. */
export function employersOf(): EmployerRecord[] {
  const record = (kind: EmployerRecord['kind'], Reference: string, Name: string, fields: Record<string, string>) => ({
    kind,
    Reference,
    Name,
    IsDefault: Reference.endsWith('1'),
    fields
  })
  return [
    record('SuperFund', 'super-1', 'Harbour & Co. staff fund', {
      ABN: '51 824 753 556',
      BusinessName: 'Harbour & Co.',
      SuperFundName: 'Southern Super',
      USI: 'SOU0001AU'
    }),
    record('SuperFund', 'super-2', 'Harbour casuals', { BusinessName: 'Harbour & Co.' }),
    record('TFN', 'tfn-1', 'Harbour head office', {
      ABN: '51 824 753 556',
      BusinessName: 'Harbour & Co.',
      BusinessEmail: 'pay@example.com'
    }),
    record('AccClaimsHistory', 'acc-1', 'Claims desk', { OrganisationName: 'Harbour & Co.' }),
    record('MOJ', 'moj-1', 'Screening', { ThirdPartyName: 'Harbour & Co.', ReportType: 'Full' })
  ]
}

/** Returns forty documents, of which two failed their identity check and a few have made no progress for days. */
export function documentsOf(now: number): DocumentPage[] {
  return documents(40, now).map((one, index) => ({
    ...one,
    ...(one.status.family === 'declined' && {
      unread: true,
      signers: one.signers.map((signer) =>
        signer.state === 'declined' ? { ...signer, declinedReason: 'I want my daughter to read it first.' } : signer
      )
    }),
    ...(index % 17 === 6 && { identity: 'failed' as const }),
    ...(index % 5 === 2 && { changedAt: now - (8 + index) * DAY })
  }))
}

/** Returns two refused files of one folder. */
function refusedOf(now: number): RefusedFiles {
  const file = {
    id: 'file-1',
    folderId: 'folder-1',
    name: 'clients-november.csv',
    at: now,
    folder: 'Claims',
    isDismissed: false
  }
  const error = { code: 'invalid' as const, message: 'Row 4 has no e-mail address.' }
  return {
    files: [{ ...file, error }],
    total: 2,
    open: [{ folderId: 'folder-1', label: 'Claims', count: 2, newest: 'file-1' }]
  }
}

function day(change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  const now = Date.now()
  const sent = changesOf(now - 90 * 60_000, 33).map((change, index) => ({
    ...change,
    id: 1000 - index,
    kind: 'arrived' as const,
    isOwn: true,
    batch: 'clients',
    at: now - 90 * 60_000 - index * 1000
  }))
  const changes = [...sent, ...changesOf(now, 160)].sort((one, other) => other.at - one.at)
  return fakeApi({
    now: Date.now,
    connection: { state: 'online', since: now - 3_600_000 },
    overview: overviewOf(now),
    refused: refusedOf(now),
    documents: documentsOf(now),
    changes,
    away: {
      since: now - 15 * 3_600_000,
      until: now - 60_000,
      total: 19,
      byKind: { signed: 8, completed: 4, declined: 1, arrived: 6 },
      changes: changes.slice(0, 19)
    },
    people: addressBook(14),
    employers: { records: employersOf(), from: 'service', at: now - 26 * 3_600_000 },
    knownForms: [
      { kind: 'form-filler', Name: 'Privacy consent', Reference: 'tpl-privacy', usedAt: now - 3_600_000, uses: 41 },
      { kind: 'form-filler', Name: 'Power of attorney', Reference: 'tpl-poa', uses: 0 },
      {
        kind: 'form-direct',
        Name: 'Tax declaration',
        Reference: 'form-tfn',
        FormType: '3',
        usedAt: now - DAY,
        uses: 12
      }
    ],
    ...change
  })
}

export const dayScenes: Record<string, () => FakeApi> = {
  day: () => day(),
  'day-news': () => day({ settings: { theme: 'system', zoom: 1, news: '0.2.0' } }),
  'day-update': () => day({ updates: { update: { state: 'ready', newer: '0.2.0', atQuit: true } } }),
  'day-old': () =>
    day({ updates: { update: { state: 'off', why: 'not-set' }, builtAt: Date.now() - 12 * 7 * 86_400_000 } }),
  'day-quiet': () => day({ away: { total: 0, byKind: {}, changes: [] } }),
  'day-not-accepted': () => {
    const since = Date.now() - 40 * 60_000
    const error = {
      code: 'unauthorised' as const,
      message: 'The signing service didn’t accept this account’s key or token.'
    }
    return day({
      accounts: [
        { ...officeAccount(), chosen: true, shown: true },
        { ...practiceAccount(), chosen: false }
      ],
      connection: { state: 'refused', since, error, notAccepted: [{ accountId: 'harbour', error }] }
    })
  },
  'day-signatures': () =>
    day({
      verifications: [
        verificationOf(
          { at: Date.now() - 20 * 60_000, documentName: 'Guarantee, 14 Harbour View Terrace', by: 'rule' },
          1
        ),
        verificationOf({ reference: 'doc-9', at: Date.now() - 26 * 3_600_000, documentName: 'Deed of gift' }, 3)
      ]
    }),
  'day-bare': () =>
    day({
      overview: overviewOf(Date.now(), {
        states: [],
        due: overviewOf(Date.now()).due.map(({ day: on }) => ({ day: on, count: 0 })),
        overdue: 0,
        expired: 0,
        stuck: { days: 7, count: 0 },
        declined: 0,
        identityFailed: 0,
        waitingHere: 0,
        unread: 0,
        weeks: overviewOf(Date.now()).weeks.map(({ monday }) => ({ monday, sent: 0, completed: 0 }))
      }),
      changes: [],
      away: { total: 0, byKind: {}, changes: [] },
      employers: { records: [], from: 'nowhere' },
      people: [],
      knownForms: []
    })
}
