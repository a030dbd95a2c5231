import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  filterInWords,
  hasFilter,
  isFiltered,
  without,
  withoutAll
} from '../../src/renderer/src/screens/documents/filters.ts'
import {
  defaultColumns,
  withColumnMoved,
  withColumnToggled,
  withWidth
} from '../../src/renderer/src/state/document-columns.ts'
import {
  changedViewParameters,
  defaultSort,
  documentsHref,
  isSameQuery,
  queryFromRoute,
  sortAfterClick
} from '../../src/renderer/src/state/document-query.ts'
import { hrefOf, readRoute } from '../../src/renderer/src/state/router.svelte.ts'
import { DOCUMENT_COLUMNS, DocumentQuery, STATUS_FAMILIES } from '../../src/shared/contract/document-query.ts'

const at = (hash: string) => queryFromRoute(readRoute(hash))
const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed())
const yes = fc.constant(true as const)
const days = fc.integer({ min: 0, max: 3650 })
const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const query: fc.Arbitrary<DocumentQuery> = fc
  .record(
    {
      folder: name,
      accounts: fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 4 }),
      families: fc.subarray([...STATUS_FAMILIES], { minLength: 1 }),
      progress: fc.record({ signed: fc.integer({ min: 0, max: 99 }), of: fc.integer({ min: 1, max: 99 }) }),
      dueWithinDays: days,
      dueOn: day,
      overdue: yes,
      stuckForDays: days,
      signer: name,
      waitingHere: yes,
      identity: fc.constantFrom('asked' as const, 'failed' as const),
      hasFileUploaded: yes,
      unread: yes,
      week: fc.record({ monday: day, what: fc.constantFrom('sent' as const, 'completed' as const) }),
      gone: yes
    },
    { requiredKeys: [] }
  )
  .chain((some) =>
    fc
      .record({
        search: fc.oneof(fc.constant(''), name),
        sort: fc.record({ by: fc.constantFrom(...DOCUMENT_COLUMNS), descending: fc.boolean() }),
        grouped: fc.boolean()
      })
      .map((always) => ({ ...some, ...always }))
  )

describe('the address of a list', () => {
  test('says every query, and is read as the same one', () => {
    fc.assert(
      fc.property(query, (asked) => {
        const read = at(documentsHref(asked, { document: 'a/b?c' }))
        expect(read.query).toEqual(asked)
        expect(read.document).toBe('a/b?c')
        expect(read.place).toEqual(
          asked.folder === undefined ? { kind: 'all' } : { kind: 'folder', folder: asked.folder }
        )
      })
    )
  })

  test('of a view that is being changed says the whole query', () => {
    fc.assert(
      fc.property(query, (asked) => {
        const read = at(hrefOf('documents', ['view', 'v1'], changedViewParameters(asked)))
        expect(read.place).toEqual({ kind: 'view', id: 'v1', isChanged: true })
        expect(isSameQuery(read.query, asked)).toBe(true)
      })
    )
  })

  test('whatever it says, what is asked for is a query of the contract', () => {
    const words = [
      'overdue=2',
      'families=a,declined',
      'sort=-nothing',
      'week=2026-02-31,sent',
      'dueOn=x',
      'progress=1of0'
    ]
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...words), name)), name, (parameters, folder) => {
        const { query: asked } = at(`#/documents/${encodeURIComponent(folder)}?${parameters.join('&')}`)
        expect(DocumentQuery.safeParse(asked).success).toBe(true)
      })
    )
  })

  test('leaves out what it does not understand', () => {
    const { query: asked } = at('#/documents/all?families=purple,declined&dueWithinDays=-1&overdue=yes&sort=colour')
    expect(asked).toEqual({ search: '', families: ['declined'], sort: defaultSort(undefined), grouped: false })
  })

  test('tells a folder that is called “all” or “view” from those words', () => {
    for (const folder of ['all', 'view', 'folder', '..', 'a/b']) {
      expect(at(documentsHref({ folder })).place).toEqual({ kind: 'folder', folder })
    }
  })

  test('without a place is all documents, what happened last first; what is due is in the order of that', () => {
    expect(at('#/documents').place).toEqual({ kind: 'all' })
    expect(at('#/documents').query.sort).toEqual({ by: 'changed', descending: true })
    expect(at(documentsHref({ overdue: true })).query.sort).toEqual({ by: 'due', descending: false })
    expect(at(documentsHref({ folder: 'Signed' })).query.sort).toEqual({ by: 'lastSigned', descending: true })
  })

  test('a heading sorts by it, and the other way round the second time', () => {
    expect(sortAfterClick({ by: 'due', descending: false }, 'name')).toEqual({ by: 'name', descending: false })
    expect(sortAfterClick({ by: 'name', descending: false }, 'name')).toEqual({ by: 'name', descending: true })
    expect(sortAfterClick({ by: 'name', descending: false }, 'changed').descending).toBe(true)
  })
})

describe('the filters of a query', () => {
  const nameOf = (id: string) => `Account ${id}`

  test('taken away one by one leave none', () => {
    fc.assert(
      fc.property(query, (asked) => {
        expect(isFiltered(withoutAll(asked))).toBe(false)
        expect(withoutAll(asked)).toMatchObject({ sort: asked.sort, grouped: asked.grouped })
        expect(hasFilter(without(asked, 'due'), 'due')).toBe(false)
      })
    )
  })

  test.each([
    [{ families: ['declined', 'expired'] }, 'families', 'Declined or Expired'],
    [{ overdue: true }, 'due', 'Overdue'],
    [{ dueWithinDays: 0 }, 'due', 'Due today'],
    [{ dueWithinDays: 7 }, 'due', 'Due within 7 days'],
    [{ dueOn: '2026-11-21' }, 'due', 'Due on 21 November 2026'],
    [{ stuckForDays: 7 }, 'stuck', 'No progress for 7 days'],
    [{ progress: { signed: 2, of: 3 } }, 'progress', '2 of 3 signed'],
    [{ identity: 'any' }, 'identity', 'Identity check: requested'],
    [{ identity: 'asked' }, 'identity', 'Identity check: no result yet'],
    [{ identity: 'failed' }, 'identity', 'Identity check: failed'],
    [{ accounts: ['b'] }, 'accounts', 'Also Account b'],
    [{ week: { monday: '2026-11-16', what: 'completed' } }, 'week', 'Completed in the week of 16 November 2026']
  ] as const)('%j is said in words', (change, filter, words) => {
    const asked = { search: '', sort: defaultSort(undefined), grouped: false, ...change } as DocumentQuery
    expect(filterInWords(asked, filter, nameOf)).toBe(words)
  })
})

describe('the columns of the list', () => {
  test('fill it at first, with the one that it is in order of', () => {
    for (const room of [860, 1000, 1158, 1400, 1800, 2400]) {
      const columns = defaultColumns(room, 'changed')
      expect(columns.map(({ column }) => column)).toContain('changed')
      const sum = columns.reduce((all, { width }) => all + width + 12, 48 + 18)
      expect(sum).toBeLessThanOrEqual(room)
      expect(sum).toBeGreaterThan(room - 24)
    }
  })

  test('are never narrower than can be read, and one stays', () => {
    const [name] = withWidth(defaultColumns(1200), 'name', 3)
    expect(name?.width).toBe(140)
    expect(withColumnToggled([{ column: 'due', width: 100 }], 'due')).toHaveLength(1)
  })

  test('are moved, not copied', () => {
    const columns = defaultColumns(1200)
    const after = withColumnMoved(columns, 'status', -2)
    expect(after[0]?.column).toBe('status')
    expect(after).toHaveLength(columns.length)
    expect(withColumnMoved(columns, 'name', -1)).toEqual(columns)
  })
})
