import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDocumentIndex } from '../../../../src/main/core/documents/index/document-index.ts'
import { overviewOf } from '../../../../src/main/core/documents/index/overview.ts'
import { dueOn, listOf } from '../../../../src/main/core/documents/index/queries.ts'
import { documentRowOf, type IndexRow } from '../../../../src/main/core/documents/index/row.ts'
import { runToEnd } from '../../../../src/main/core/lib/slices.ts'
import { type DocumentQuery, STATUS_FAMILIES } from '../../../../src/shared/contract/index.ts'
import { anyRow, DAY, NOW, query, row, ZONE } from './rows.ts'

const moment = { now: NOW, zone: ZONE }
/** 16 November 2026, 00:00 in Auckland: a Monday. */
const MONDAY = Date.UTC(2026, 10, 15, 11)

function indexOfRows(rows: readonly IndexRow[]) {
  const index = openDocumentIndex()
  for (const one of rows) index.put(one)
  return index
}

const overview = (...rows: IndexRow[]) => runToEnd(overviewOf(indexOfRows(rows), moment, 7))

test('documents due are counted by day in this workstation’s time zone, from today, without those that have ended', () => {
  const { due } = overview(
    row({ Reference: 'D-1', DueDate: '2026-11-20T10:59:59Z' }),
    row({ Reference: 'D-2', DueDate: '2026-11-20T11:00:00Z' }),
    row({ Reference: 'D-3', DueDate: '2026-11-21T10:59:59Z' }),
    row({ Reference: 'D-4', DueDate: '2026-11-21T11:00:00Z' }),
    row({ Reference: 'D-5', DueDate: '2026-11-22T00:00:00Z', Status: 'Declined' }),
    row({ Reference: 'D-6', DueDate: '2026-12-04T10:59:59Z' }),
    row({ Reference: 'D-7', DueDate: '2026-12-04T11:00:00Z' }),
    row({ Reference: 'D-8', DueDate: '2026-12-05T11:00:00Z' })
  )
  expect(due).toHaveLength(15)
  expect(due.filter(({ count }) => count > 0)).toEqual([
    { day: '2026-11-21', count: 2 },
    { day: '2026-11-22', count: 1 },
    { day: '2026-12-04', count: 1 },
    { day: '2026-12-05', count: 1 }
  ])
})

test('a document without a status that everyone has signed is not due any more, in the count and in the list', () => {
  const rows = [
    row({ Reference: 'D-1', DueDate: '2026-11-25', Signers: [{ FirstName: 'Mere', HasSigned: true }] }),
    row({ Reference: 'D-2', DueDate: '2026-11-25', Signers: [{ FirstName: 'Mere', HasSigned: false }] })
  ]
  expect(overview(...rows).due.find(({ day }) => day === '2026-11-25')?.count).toBe(1)
  const bar = query({ dueOn: '2026-11-25', families: ['not-started', 'in-progress', 'other'] })
  expect(runToEnd(listOf([indexOfRows(rows)], bar, moment, { expanded: [], offset: 0, limit: 9 })).rows).toMatchObject([
    { reference: 'D-2' }
  ])
  expect(dueOn(indexOfRows(rows), '2026-11-25', ZONE).map(({ reference }) => reference)).toEqual(['D-2'])
})

test('a package counts once in its week: sent when its first document arrived, completed with its last', () => {
  const done = { Status: 'Complete' }
  const { weeks } = overview(
    row({ Reference: 'D-1', PackageReference: 'P', ...done }, { arrivedAt: MONDAY - 1, completedAt: MONDAY - 1 }),
    row({ Reference: 'D-2', PackageReference: 'P', ...done }, { arrivedAt: MONDAY, completedAt: MONDAY }),
    row({ Reference: 'D-3', PackageReference: 'Q', ...done }, { arrivedAt: MONDAY, completedAt: MONDAY }),
    row({ Reference: 'D-4', PackageReference: 'Q' }, { arrivedAt: MONDAY + DAY }),
    row({ Reference: 'D-5', ...done }, { arrivedAt: MONDAY, completedAt: MONDAY + DAY, goneAt: MONDAY + 2 * DAY })
  )
  expect(weeks).toHaveLength(12)
  expect(weeks.slice(-2)).toEqual([
    { monday: '2026-11-09', sent: 1, completed: 0 },
    { monday: '2026-11-16', sent: 2, completed: 2 }
  ])
  expect(weeks[0]?.monday).toBe('2026-08-31')
})

test('days and weeks in which the clocks change count what belongs to them', () => {
  // The clocks went back in Auckland on 5 April 2026, a day of 25 hours.
  const index = indexOfRows(
    ['2026-04-04T10:59:59Z', '2026-04-04T11:00:00Z', '2026-04-05T11:59:59Z', '2026-04-05T12:00:00Z'].map((due, index) =>
      row({ Reference: `D-${index}`, DueDate: due }, { arrivedAt: Date.parse(due) })
    )
  )
  const { due, weeks } = runToEnd(overviewOf(index, { now: Date.UTC(2026, 3, 4, 1), zone: ZONE }, 7))
  expect(due.slice(0, 3).map(({ count }) => count)).toEqual([1, 2, 1])
  expect(weeks.at(-1)).toEqual({ monday: '2026-03-30', sent: 3, completed: 0 })
})

test('documents without a day or a week are counted separately, unless they have ended or are gone', () => {
  const { withoutDue, withoutWeek, due } = overview(
    row({ Reference: 'D-1', DueDate: undefined }),
    row({ Reference: 'D-2', DueDate: '2026-11-25' }),
    row({ Reference: 'D-3', DueDate: '2026-11-25T12:00:00Z' }),
    row({ Reference: 'D-4', DueDate: undefined, Status: 'Complete' }, { completedAt: 0 }),
    row({ Reference: 'D-5', DueDate: undefined, Status: 'Complete' }, { completedAt: MONDAY }),
    row({ Reference: 'D-6', DueDate: undefined }, { arrivedAt: 0, goneAt: NOW }),
    row({ Reference: 'D-7', DueDate: '2026-11-25' }, { arrivedAt: 0 })
  )
  expect({ withoutDue, withoutWeek }).toEqual({ withoutDue: 1, withoutWeek: 2 })
  expect(due.reduce((sum, { count }) => sum + count, 0)).toBe(3)
})

test('what was declined counts until someone has seen it, and its row has the reason', () => {
  const Signers = [{ FirstName: 'Edwin', SignedStatus: 'Declined', DeclinedReason: ' My daughter reads it first. ' }]
  const declined = (unread: boolean) => row({ Status: 'Declined', Signers }, { unread })
  expect(overview(declined(true), row({ Reference: 'D-2', Status: 'Declined' }, { unread: false })).declined).toBe(1)
  expect(documentRowOf(declined(true)).signers[0]?.declinedReason).toBe('My daughter reads it first.')
})

test('an office without documents has every count at zero', () => {
  const empty = overview()
  expect(empty.states.map(({ count }) => count)).toEqual(STATUS_FAMILIES.map(() => 0))
  expect(empty).toMatchObject({ overdue: 0, stuck: { days: 7, count: 0 }, declined: 0, unread: 0 })
})

test('each number equals the length of the list behind it', () => {
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 40 }), (rows) => {
      const index = indexOfRows(rows)
      const count = (conditions: Partial<DocumentQuery>) =>
        runToEnd(listOf([index], query(conditions), moment, { expanded: [], offset: 0, limit: 1 })).documents
      const shown = runToEnd(overviewOf(index, moment, 2))
      expect(shown.overdue).toBe(count({ overdue: true }))
      expect(shown.stuck.count).toBe(count({ stuckForDays: 2 }))
      expect(shown.declined).toBe(count({ families: ['declined'], unread: true }))
      expect(shown.expired).toBe(count({ families: ['expired'], unread: true }))
      expect(shown.identityFailed).toBe(count({ identity: 'failed' }))
      expect(shown.waitingHere).toBe(count({ waitingHere: true }))
      expect(shown.unread).toBe(count({ unread: true }))
      for (const { family, count: states } of shown.states) expect(states).toBe(count({ families: [family] }))
      for (const { monday, ...bars } of shown.weeks) {
        for (const what of ['sent', 'completed'] as const) {
          const behind = runToEnd(
            listOf([index], query({ week: { monday, what } }), moment, { expanded: [], offset: 0, limit: 500 })
          ).rows.flatMap((one) =>
            one.kind === 'document' ? [one.packageReference ?? `of its own ${one.reference}`] : []
          )
          expect(new Set(behind).size).toBeGreaterThanOrEqual(bars[what])
        }
      }
      for (const { day, count: due } of shown.due) {
        expect(due).toBe(count({ dueOn: day, families: ['not-started', 'in-progress', 'other'] }))
      }
    })
  )
})
