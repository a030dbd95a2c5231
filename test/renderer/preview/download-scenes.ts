/** The downloads in every state that must be looked at. */
import type { DownloadRule, DownloadView, SavedView } from '../../../src/shared/contract/views.ts'
import { type FakeApi, type FakeState, fakeApi } from '../fake-api.ts'
import { checkedOf } from '../fakes/downloads.ts'
import { documents, downloadOf, people } from '../people.ts'

const now = () => Date.now()
const subjects = ['Tenancy agreement', 'Deed of gift', 'Superannuation choice', 'Power of attorney', 'Loan variation']

function nameOf(index: number): string {
  return `${subjects[index % subjects.length]} ${people[index % people.length]?.[1]}`
}

function one(index: number, change: Partial<DownloadView> = {}): DownloadView {
  const [first, last] = people[index % people.length] ?? ['', '']
  return downloadOf({
    id: `dl-${index}`,
    documentReference: `doc-${index}`,
    documentName: nameOf(index),
    folder: 'Identity evidence',
    bytes: 1_200_000 + ((index * 37_411) % 1_900_000),
    queuedAt: now() - 150_000 - index * 20_000,
    finishedAt: now() - 60_000 - index * 20_000,
    fileName: `2025/M-${2040 + (index % 30)}/${nameOf(index)} – ${first} ${last} – 2025-11-${String(1 + (index % 26)).padStart(2, '0')}.identity.pdf`,
    ...change
  })
}

const running = (index: number, share: number) => {
  const total = 1_800_000 + index * 90_000
  const { finishedAt: _at, ...rest } = one(index, { state: 'running', total, bytes: Math.round(total * share) })
  return rest
}
const waiting = (from: number, count: number) =>
  Array.from({ length: count }, (_, offset) => {
    const { fileName: _name, finishedAt: _at, ...rest } = one(from + offset, { state: 'waiting', bytes: 0 })
    return rest
  })
const failed = (index: number, change: Partial<DownloadView>) => {
  const { fileName: _name, ...rest } = one(index, { state: 'failed', bytes: 0, ...change })
  return rest
}
const failures = () => [
  failed(900, { error: { code: 'not-found', message: 'The service does not have it.' } }),
  failed(901, {
    error: { code: 'not-a-pdf', message: 'The service answered with a web page in place of a PDF.' }
  }),
  failed(902, { type: 'json', error: { code: 'not-writable', message: 'The folder can not be written to.' } })
]
const saved = (count: number) =>
  Array.from({ length: count }, (_, index) => one(1000 + index, index % 17 === 3 ? { wasThere: true } : {}))

function viewsOf(): SavedView[] {
  const query = { search: '', sort: { by: 'lastSigned' as const, descending: true }, grouped: false }
  return [
    { id: 'v1', name: 'Tenancies', query: { ...query, search: 'tenancy' }, tell: true },
    { id: 'v2', name: 'Deeds and powers of attorney', query: { ...query, search: 'deed' }, tell: false }
  ]
}

function rules(): DownloadRule[] {
  const rule: DownloadRule = {
    id: 'rule-1',
    viewId: 'v1',
    viewName: 'Tenancies',
    folder: { id: 'folder-1', label: 'Identity evidence' },
    types: ['pdf'],
    pattern: '{yyyy}/{matter}/{document} – {signer} – {date}',
    writesIndex: true,
    isOn: true,
    fetched: 1204
  }
  return [
    rule,
    {
      ...rule,
      id: 'rule-2',
      viewId: 'v2',
      viewName: 'Deeds and powers of attorney',
      folder: { id: 'folder-2', label: 'Estate drive' },
      types: ['pdf', 'json'],
      fetched: 31,
      problem: { code: 'not-writable', message: 'The folder can not be written to.' }
    },
    { ...rule, id: 'rule-3', viewId: 'v2', viewName: 'Deeds and powers of attorney', isOn: false, fetched: 0 },
    (({ viewName: _name, ...rest }) => ({ ...rest, id: 'rule-4', viewId: 'v9', fetched: 88 }))(rule)
  ]
}

/** Returns rules that verify signatures: together with files, alone, one on hold and one that failed. */
function verifyingRules(): DownloadRule[] {
  const [rule] = rules() as [DownloadRule]
  const alone: DownloadRule = { ...rule, viewName: 'Deeds and powers of attorney', types: ['verification'], fetched: 0 }
  const refused = {
    code: 'unauthorised' as const,
    message: 'The signing service didn’t accept this account’s key or token.'
  }
  const gone = { code: 'not-found' as const, message: 'The signing service couldn’t find this.' }
  return [
    { ...rule, types: ['pdf', 'signed', 'verification'], verifications: { done: 1204, waiting: 0, failed: 0 } },
    { ...alone, id: 'rule-2', verifications: { done: 31, waiting: 12, failed: 0, problem: refused } },
    { ...alone, id: 'rule-3', verifications: { done: 88, waiting: 0, failed: 2, problem: gone } }
  ]
}

const folder = { id: 'folder-1', label: 'Identity evidence' }

function withDownloads(downloads: DownloadView[], change: Partial<FakeState> = {}): FakeApi {
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    documents: documents(120, now()),
    views: viewsOf(),
    downloads,
    downloadFolders: [folder, { id: 'folder-2', label: 'Estate drive' }],
    downloadSettings: {
      types: ['pdf'],
      pattern: '{yyyy}/{matter}/{document} – {signer} – {date}',
      writesIndex: true,
      folder,
      isFolderChosen: true,
      concurrency: 4
    },
    ...change
  })
}
/** Returns a finished check. @param away how many files can't be read. */
function checked(away: number): FakeApi {
  const all = saved(1200)
  return withDownloads(all, {
    downloadCheck: {
      intact: 1196 - away,
      missing: all.slice(0, 3).map(checkedOf),
      altered: all.slice(10, 11).map(checkedOf),
      unreadable: all.slice(20, 20 + away).map((file) => ({ ...checkedOf(file), folder: 'Estate drive' }))
    }
  })
}
const moving = () => [running(1, 0.82), running(2, 0.41), running(3, 0.2), running(4, 0.05), ...waiting(5, 84)]
const pace = { bytesPerSecond: 3_140_000, secondsLeft: 118 }

export const downloadScenes: Record<string, () => FakeApi> = {
  downloads: () =>
    withDownloads([...moving(), ...failures(), ...saved(212)], { downloadSummary: pace, downloadRules: rules() }),
  'downloads-first': () => {
    const api = withDownloads([], { views: [] })
    api.control.state.downloadSettings = { ...api.control.state.downloadSettings, isFolderChosen: false }
    return api
  },
  'downloads-empty': () => withDownloads([], { views: [] }),
  'downloads-paused': () =>
    withDownloads([...waiting(1, 88), ...failures(), ...saved(212)], { downloadSummary: { isPaused: true } }),
  'downloads-offline': () =>
    withDownloads([...waiting(1, 88), ...saved(212)], {
      connection: { state: 'offline', since: now() - 600_000, error: { code: 'offline', message: 'No network.' } },
      downloadSummary: { problem: { code: 'offline', message: 'No network.' }, retryAt: now() + 45_000 }
    }),
  'downloads-full': () =>
    withDownloads([...waiting(1, 88), ...saved(212)], {
      downloadSummary: {
        problem: { code: 'no-space', message: 'The disk is full.' },
        folder: { id: 'evidence', label: 'Identity evidence' }
      }
    }),
  /** In a shared office: another workstation has saved one file and is saving another. */
  'downloads-together': () => {
    const error = { code: 'busy' as const, message: 'Counter 2 is saving this file.' }
    const [next] = waiting(1, 1)
    return withDownloads([
      ...(next ? [{ ...next, error, retryAt: now() + 50_000 }] : []),
      one(5, { workstation: 'Counter 2' }),
      ...saved(12)
    ])
  },
  'downloads-failed': () => withDownloads([...failures(), ...saved(212)]),
  /** As many as an office has after some years. */
  'downloads-ten-thousand': () =>
    withDownloads([...moving(), ...failures(), ...saved(9909)], { downloadSummary: pace, downloadRules: rules() }),
  'downloads-verifying': () => withDownloads(saved(212), { downloadRules: verifyingRules() }),
  'downloads-saved': () => withDownloads(saved(6000), { downloadRules: rules() }),
  'downloads-checked': () => checked(1),
  /** Files downloaded again arrive at once. */
  'downloads-fetched-again': () => {
    const api = checked(0)
    const { state, emit } = api.control
    api.downloads.retry = async ({ ids }) => {
      state.downloads = state.downloads.map((one) =>
        ids.includes(one.id) ? { ...one, finishedAt: now() + 1000 } : one
      )
      emit('downloads.changed', { id: null })
      return { ok: true, value: null as never }
    }
    return api
  },
  'downloads-checking': () => {
    const api = withDownloads(saved(1200))
    api.control.hold('downloads.check')
    return api
  },
  'downloads-failing': () => {
    const api = withDownloads([...moving(), ...saved(3)])
    for (const name of ['downloads.list', 'downloads.summary', 'downloads.rules', 'downloads.settings'] as const)
      api.control.fail(name, { code: 'storage', message: 'The storage can not be read.' })
    return api
  },
  'downloads-slow': () => {
    const api = withDownloads([...moving(), ...saved(3)])
    for (const name of ['downloads.list', 'downloads.summary', 'downloads.rules', 'downloads.settings'] as const)
      api.control.hold(name)
    return api
  }
}
