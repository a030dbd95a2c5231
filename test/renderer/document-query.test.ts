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
  test('encodes every query, and decodes to the same one', () => {
    fc.assert(
      fc.property(query, (value) => {
        const read = at(documentsHref(value, { document: 'a/b?c' }))
        expect(read.query).toEqual(value)
        expect(read.document).toBe('a/b?c')
        expect(read.place).toEqual(
          value.folder === undefined ? { kind: 'all' } : { kind: 'folder', folder: value.folder }
        )
      })
    )
  })

  test('of a changed view contains the whole query', () => {
    fc.assert(
      fc.property(query, (value) => {
        const read = at(hrefOf('documents', ['view', 'v1'], changedViewParameters(value)))
        expect(read.place).toEqual({ kind: 'view', id: 'v1', isChanged: true })
        expect(isSameQuery(read.query, value)).toBe(true)
      })
    )
  })

  test('always decodes to a valid query of the contract', () => {
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
        const { query: value } = at(`#/documents/${encodeURIComponent(folder)}?${parameters.join('&')}`)
        expect(DocumentQuery.safeParse(value).success).toBe(true)
      })
    )
  })

  test('ignores what it doesn’t understand', () => {
    const { query: value } = at('#/documents/all?families=purple,declined&dueWithinDays=-1&overdue=yes&sort=colour')
    expect(value).toEqual({ search: '', families: ['declined'], sort: defaultSort(undefined), grouped: false })
  })

  test('distinguishes folders named “all” or “view” from those words', () => {
    for (const folder of ['all', 'view', 'folder', '..', 'a/b']) {
      expect(at(documentsHref({ folder })).place).toEqual({ kind: 'folder', folder })
    }
  })

  test('defaults to all documents by latest change, or by due date for a due filter', () => {
    expect(at('#/documents').place).toEqual({ kind: 'all' })
    expect(at('#/documents').query.sort).toEqual({ by: 'changed', descending: true })
    expect(at(documentsHref({ overdue: true })).query.sort).toEqual({ by: 'due', descending: false })
    expect(at(documentsHref({ folder: 'Signed' })).query.sort).toEqual({ by: 'lastSigned', descending: true })
  })

  test('sorts by a heading, and reverses on the second click', () => {
    expect(sortAfterClick({ by: 'due', descending: false }, 'name')).toEqual({ by: 'name', descending: false })
    expect(sortAfterClick({ by: 'name', descending: false }, 'name')).toEqual({ by: 'name', descending: true })
    expect(sortAfterClick({ by: 'name', descending: false }, 'changed').descending).toBe(true)
  })
})

describe('the filters of a query', () => {
  const nameOf = (id: string) => `Account ${id}`

  test('can be removed one by one or all at once', () => {
    fc.assert(
      fc.property(query, (value) => {
        expect(isFiltered(withoutAll(value))).toBe(false)
        expect(withoutAll(value)).toMatchObject({ sort: value.sort, grouped: value.grouped })
        expect(hasFilter(without(value, 'due'), 'due')).toBe(false)
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
  ] as const)('%j is described in words', (change, filter, words) => {
    const value = { search: '', sort: defaultSort(undefined), grouped: false, ...change } as DocumentQuery
    expect(filterInWords(value, filter, nameOf)).toBe(words)
  })
})

describe('the columns of the list', () => {
  test('initially fill the width, and include the sort column', () => {
    for (const room of [860, 1000, 1158, 1400, 1800, 2400]) {
      const columns = defaultColumns(room, 'changed')
      expect(columns.map(({ column }) => column)).toContain('changed')
      const sum = columns.reduce((all, { width }) => all + width + 12, 48 + 18)
      expect(sum).toBeLessThanOrEqual(room)
      expect(sum).toBeGreaterThan(room - 24)
    }
  })

  test('have a minimum width, and the last one can’t be removed', () => {
    const [name] = withWidth(defaultColumns(1200), 'name', 3)
    expect(name?.width).toBe(140)
    expect(withColumnToggled([{ column: 'due', width: 100 }], 'due')).toHaveLength(1)
  })

  test('are moved rather than copied', () => {
    const columns = defaultColumns(1200)
    const after = withColumnMoved(columns, 'status', -2)
    expect(after[0]?.column).toBe('status')
    expect(after).toHaveLength(columns.length)
    expect(withColumnMoved(columns, 'name', -1)).toEqual(columns)
  })
})
