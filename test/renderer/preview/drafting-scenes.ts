/** The made-up office with drafts and a sheet: a few, a great many, and none. */
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { madeUpBulk } from '../fakes/bulk.ts'
import { madeUpDrafts, madeUpPresets, madeUpTrash, madeUpVersions } from '../fakes/drafts.ts'

const now = () => Date.now()

function drafting(count: number, change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  const drafts = madeUpDrafts(count, now())
  const [first] = drafts
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    drafts: [...drafts, ...madeUpTrash(Math.min(8, count), now())],
    versions: first ? { [first.id]: madeUpVersions(first, now()) } : {},
    // One of them is the organisation's.
    presets:
      count > 0 ? madeUpPresets(now()).map((one, at) => (at === 1 ? { ...one, isOrganisations: true } : one)) : [],
    imported: {
      drafts: drafts.slice(0, 2),
      presets: madeUpPresets(now()).slice(0, 1),
      refused: [
        { file: 'old drafts.countersign', message: 'This file was cut short: its end is missing.' },
        {
          file: 'from head office.countersign',
          message: 'This file was made by a newer version of Countersign. Update it first.'
        }
      ]
    },
    bulk: count > 0 ? madeUpBulk(now()) : { ...madeUpBulk(now(), 0), sheet: null },
    ...change
  })
}

/** Returns drafts shared in an office, in every sharing state. */
function shared(): FakeApi {
  const api = drafting(12)
  const { state } = api.control
  const [held, two, mine] = state.drafts
  const its = { isMine: false, canBeMine: true, versions: 0, edition: 0 }
  for (const one of state.drafts) one.office = its
  if (held) held.office = { ...its, canBeMine: false, editingBy: 'Counter 2' }
  if (mine) mine.office = { ...its, isMine: true }
  if (two) {
    two.office = { ...its, versions: 1 }
    const [first, ...rest] = madeUpVersions(two, now())
    if (first)
      state.versions[two.id] = [{ ...first, reason: 'beside', workstation: 'Counter 2', isOpen: true }, ...rest]
  }
  const [unreported, others] = state.presets
  if (unreported) unreported.office = { isUntold: true }
  if (others) {
    delete others.isOrganisations
    others.office = { isUntold: false, by: 'Counter 2' }
  }
  return api
}

export const draftingScenes: Record<string, () => FakeApi> = {
  drafting: () => drafting(60),
  'drafting-shared': shared,
  'drafting-one': () => drafting(1),
  'drafting-empty': () => drafting(0),
  'drafting-many': () => drafting(10_000),
  'drafting-fine': () => {
    const bulk = madeUpBulk(now())
    const rows = bulk.rows.map(({ row, title, who }) => ({ row, title, who, problems: [] }))
    return drafting(60, {
      bulk: {
        ...bulk,
        rows,
        check: {
          rows: 200,
          withErrors: 0,
          withWarnings: 0,
          duplicates: 0,
          alike: 0,
          alikeDuplicates: 0,
          withoutCountry: 0,
          corrected: 0,
          ready: 200,
          unused: []
        }
      }
    })
  },
  'drafting-alike': () => {
    const bulk = madeUpBulk(now())
    const rows = bulk.rows.map((row, index) =>
      index > 0 && index < 30 ? { ...row, problems: [], alikeSentAt: now() - 2_400_000 } : row
    )
    const remembered = { mapping: [{ target: 'due', column: 4 }], dateOrders: [], at: now() - 30 * 86_400_000 }
    return drafting(60, { bulk: { ...bulk, rows, remembered, check: { ...bulk.check, alike: 29 } } })
  },
  'drafting-countries': () => {
    const bulk = madeUpBulk(now())
    return drafting(60, { bulk: { ...bulk, check: { ...bulk.check, withoutCountry: 40 } } })
  },
  'drafting-doubt': () => {
    const bulk = madeUpBulk(now())
    return drafting(60, {
      bulk: {
        ...bulk,
        sheet: bulk.sheet && { ...bulk.sheet, notes: [], dateDoubts: [{ column: 4, example: '03/04/2027' }] }
      }
    })
  },
  'drafting-offline': () =>
    drafting(60, {
      connection: { state: 'offline', since: now() - 1_800_000, error: { code: 'offline', message: 'No network.' } }
    }),
  'drafting-failing': () => {
    const api = drafting(60)
    const storage = { code: 'storage' as const, message: 'The database is locked.' }
    for (const name of ['drafts.list', 'drafts.history', 'presets.list', 'bulk.check', 'exchange.import'] as const)
      api.control.fail(name, storage)
    api.control.fail('bulk.open', {
      code: 'bad-file',
      message: 'A quotation mark is opened in row 12 and never closed, so the rest can’t be told apart.'
    })
    return api
  }
}
