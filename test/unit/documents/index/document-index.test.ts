import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DocumentIndex, openDocumentIndex } from '../../../../src/main/core/documents/index/document-index.ts'
import { overviewOf } from '../../../../src/main/core/documents/index/overview.ts'
import {
  countsOf,
  dueOn,
  listOf,
  matchingOf,
  referencesOf,
  targetsOf,
  waitingHere
} from '../../../../src/main/core/documents/index/queries.ts'
import type { RowList } from '../../../../src/main/core/documents/index/results.ts'
import type { IndexRow } from '../../../../src/main/core/documents/index/row.ts'
import { tableOf } from '../../../../src/main/core/documents/index/table.ts'
import { dayAtOffset } from '../../../../src/main/core/lib/calendar.ts'
import { inSlices, runToEnd } from '../../../../src/main/core/lib/slices.ts'
import { offsetIn } from '../../../../src/shared/composition/zone.ts'
import type { DocumentQuery, DocumentRow } from '../../../../src/shared/contract/index.ts'
import { naiveFinds, naiveList } from './naive-index.ts'
import { anyQuery, anyRow, DAY, NOW, query, row, ZONE } from './rows.ts'

const moment = { now: NOW, zone: ZONE }
const everything = { expanded: [], offset: 0, limit: 500 }

function indexOfRows(...rows: IndexRow[]): DocumentIndex {
  const index = openDocumentIndex()
  for (const one of rows) index.put(one)
  return index
}

function found(index: DocumentIndex, conditions: Partial<DocumentQuery>, at = moment): string[] {
  return runToEnd(referencesOf([index], query(conditions), at, 10_000)).references.map(({ reference }) => reference)
}

function keysOf(list: RowList): string[] {
  return list.slice(0, list.length).map(({ accountId, reference }) => `${accountId} ${reference}`)
}

function names(index: DocumentIndex, by: DocumentQuery['sort']['by'], descending = false): string[] {
  const { rows } = runToEnd(listOf([index], query({ sort: { by, descending } }), moment, everything))
  return rows.map(({ name }) => name)
}

describe('search', () => {
  const index = indexOfRows(
    row({
      Reference: 'DOC-77',
      Name: 'Whakaaetanga Māori.pdf',
      PackageReference: 'PKG-5',
      ClientReference: 'cs-abc',
      FormDirectReference: 'FD-9',
      MatterNumber: 'M/2026/14',
      Signers: [{ FirstName: 'Aroha', LastName: 'Ngata', Email: 'aroha@example.com' }]
    }),
    row({ Reference: 'DOC-78', Name: 'Deed\nof   gift', Signers: [{ FirstName: 'Zoë', Email: 'zoe@example.org' }] })
  )

  test.each([
    ['maori', ['DOC-77']],
    ['MĀORI', ['DOC-77']],
    ['zoe deed', ['DOC-78']],
    ['deed zoe', ['DOC-78']],
    ['ngata aroha@', ['DOC-77']],
    ['pkg-5', ['DOC-77']],
    ['cs-a', ['DOC-77']],
    ['fd-9', ['DOC-77']],
    ['m/2026/14', ['DOC-77']],
    ['  of gift ', ['DOC-78']],
    ['doc', ['DOC-78', 'DOC-77']],
    ['7', ['DOC-78', 'DOC-77']],
    ['/', ['DOC-77']],
    ['maori deed', []]
  ])('“%s” finds %j', (search, references) => {
    expect(found(index, { search })).toEqual(references)
  })

  test('a changed row is found by its new text, and a removed one no longer', () => {
    const changing = indexOfRows(row({ Name: 'Old lease' }), row({ Reference: 'D-2', Name: 'Other' }))
    expect(found(changing, { search: 'lease' })).toEqual(['D-1'])
    changing.put(row({ Name: 'New deed' }))
    expect(found(changing, { search: 'lease' })).toEqual([])
    expect(found(changing, { search: 'deed' })).toEqual(['D-1'])
    changing.remove('D-1')
    expect(found(changing, { search: 'deed' })).toEqual([])
    expect(changing.size()).toBe(1)
    changing.put(row({ Reference: 'D-3', Name: 'Third' }))
    expect(found(changing, {})).toEqual(['D-2', 'D-3'])
  })

  test.each([
    ['Straße', ['strasse', 'STRASSE', 'straße']],
    ['ŁÓDŹ', ['lodz', 'Łódź', 'ŁÓDŹ']],
    ['Łódź', ['lodz', 'LODZ']],
    ['Ærø', ['aero', 'ærø', 'AERO']],
    ['Œuvre', ['oeuvre', 'œ']],
    ['Đorđe', ['dorde', 'đ']],
    ['Kadıköy', ['kadikoy']]
  ])('“%s” is found by %j', (Name, searches) => {
    const one = indexOfRows(row({ Name }))
    for (const search of searches) expect(found(one, { search })).toEqual(['D-1'])
  })

  test('a text of millions of letters is found by its beginning, and only a little of it is kept or shown', () => {
    const long = `Deed ${'x'.repeat(3_000_000)}`
    const Signers = Array.from({ length: 3000 }, (_, index) => ({ FirstName: `F${index}`, Email: 'x'.repeat(10_000) }))
    const one = row({ Name: long, MatterNumber: long, ClientReference: long, Status: long, Signers })
    expect(one.search.length).toBeLessThan(50_000)
    expect(JSON.stringify({ ...one, signers: [], search: '' }).length).toBeLessThan(4000)
    const { rows } = runToEnd(listOf([indexOfRows(one)], query({ search: 'deed' }), moment, everything))
    expect(rows[0]?.name).toBe(`${long.slice(0, 499)}…`)
    expect(row({ Name: `${'x'.repeat(498)}👩 and more` }).name).toBe(`${'x'.repeat(498)}…`)
  })

  test('typing on narrows the earlier results, and typing another word finds others', () => {
    for (const search of ['d', 'de', 'dee', 'deed', 'deed z', 'deed zo', 'deed', 'ma', 'd']) {
      expect(found(index, { search })).toEqual(
        naiveList(index.rows(), query({ search }), moment).map(({ reference }) => reference)
      )
    }
  })

  test('the signer filter matches only part of a signer’s name or e-mail address', () => {
    expect(found(index, { signer: 'aroha NGA' })).toEqual(['DOC-77'])
    expect(found(index, { signer: 'zoe@' })).toEqual(['DOC-78'])
    expect(found(index, { signer: 'deed' })).toEqual([])
    expect(found(index, { signer: 'pkg' })).toEqual([])
  })
})

describe('filters', () => {
  test('“due within” ends with the day in this workstation’s time zone', () => {
    const index = indexOfRows(
      row({ Reference: 'passed', Status: 'Signing', DueDate: '2026-11-21T08:59:00Z' }),
      row({ Reference: 'tonight', DueDate: '2026-11-21T10:59:00Z' }),
      row({ Reference: 'tomorrow', DueDate: '2026-11-21T11:00:00Z' }),
      row({ Reference: 'signed', DueDate: '2026-11-21T10:00:00Z', Status: 'Complete' })
    )
    expect(found(index, { dueWithinDays: 0 })).toEqual(['tonight'])
    expect(found(index, { dueWithinDays: 1 })).toEqual(['tonight', 'tomorrow'])
    expect(found(index, { dueOn: '2026-11-22' })).toEqual(['tomorrow'])
    expect(found(index, { overdue: true })).toEqual(['passed'])
    expect(dueOn(index, '2026-11-21', ZONE).map(({ reference }) => reference)).toEqual(['passed', 'tonight'])
  })

  test('a day of 23 or 25 hours, when the clocks change, is covered exactly', () => {
    // In Auckland, 27 September 2026 has 23 hours and 4 April 2027 has 25.
    const index = indexOfRows(
      row({ Reference: 'spring', DueDate: '2026-09-27T10:59:59Z' }),
      row({ Reference: 'after spring', DueDate: '2026-09-27T11:00:00Z' }),
      row({ Reference: 'autumn', DueDate: '2027-04-04T11:59:59Z' }),
      row({ Reference: 'after autumn', DueDate: '2027-04-04T12:00:00Z' })
    )
    expect(found(index, { dueOn: '2026-09-27' })).toEqual(['spring'])
    expect(found(index, { dueOn: '2026-09-28' })).toEqual(['after spring'])
    expect(found(index, { dueOn: '2027-04-04' })).toEqual(['autumn'])
    expect(found(index, { dueOn: '2027-04-05' })).toEqual(['after autumn'])
  })

  test('a due day without a time is overdue once that day has ended', () => {
    const index = indexOfRows(row({ Status: 'Signing', DueDate: '2026-11-21', GMT: '780' }))
    const end = Date.UTC(2026, 10, 21, 11)
    expect(found(index, { overdue: true }, { now: end - 1, zone: ZONE })).toEqual([])
    expect(found(index, { overdue: true }, { now: end, zone: ZONE })).toEqual(['D-1'])
  })

  test('a document of unknown status is never overdue or stuck, but can be due soon', () => {
    const long = { changedAt: NOW - 30 * DAY }
    const index = indexOfRows(
      row({ Reference: 'passed', DueDate: '2026-11-20T00:00:00Z', Signers: [{ HasSigned: false }] }, long),
      row({ Reference: 'tonight', DueDate: '2026-11-21T10:59:00Z' }),
      row({ Reference: 'signed', DueDate: '2026-11-21T10:59:00Z', Signers: [{ HasSigned: true }] })
    )
    expect(found(index, { overdue: true })).toEqual([])
    expect(found(index, { stuckForDays: 7 })).toEqual([])
    expect(runToEnd(overviewOf(index, moment, 7))).toMatchObject({ overdue: 0, stuck: { count: 0 } })
    expect(found(index, { dueWithinDays: 0 })).toEqual(['tonight'])
  })

  test('what changes only as time passes is found immediately, although the rows are the same', () => {
    const index = indexOfRows(
      row({ Reference: 'soon', Status: 'Signing', DueDate: new Date(NOW + 5).toISOString() }),
      row(
        { Reference: 'idle', Status: 'Signing', LastSignedDate: new Date(NOW - 3 * DAY + 7).toISOString() },
        { changedAt: NOW - 9 * DAY }
      )
    )
    const at = (now: number) => ({ now, zone: ZONE })
    expect(found(index, { overdue: true }, at(NOW + 4))).toEqual([])
    expect(found(index, { overdue: true }, at(NOW + 5))).toEqual(['soon'])
    expect(found(index, { stuckForDays: 3 }, at(NOW + 6))).toEqual([])
    expect(found(index, { stuckForDays: 3 }, at(NOW + 7))).toEqual(['idle'])
    expect(found(index, { stuckForDays: 3 }, at(NOW + 6))).toEqual([])
  })

  test('documents that left all folders are shown only on request', () => {
    const index = indexOfRows(row({ Reference: 'here' }), row({ Reference: 'left' }, { goneAt: NOW }))
    expect(found(index, {})).toEqual(['here'])
    expect(found(index, { gone: true })).toEqual(['left'])
    expect(found(index, { search: 'e' })).toEqual(['here'])
    expect(found(index, { search: 'e', gone: true })).toEqual(['left'])
    expect(found(index, { gone: true, search: 'here' })).toEqual([])
  })

  test.each([
    ['a list', { query: query({ gone: true }) }],
    ['a grouped list', { query: query({ gone: true, grouped: true }) }],
    ['a choice of documents', { documents: [{ accountId: 'a', reference: 'erased' }] }]
  ])('%s shows no document in place of one that was erased meanwhile', (_, some) => {
    const index = indexOfRows(row({ Reference: 'erased' }, { goneAt: NOW }))
    const list = runToEnd(targetsOf([index], some, moment))
    index.remove('erased')
    expect(keysOf(list)).toEqual([])
    index.put(row({ Reference: 'arrived' }))
    expect(keysOf(list)).toEqual([])
  })

  test('a list of two accounts is shown without documents that were erased while it was being merged', () => {
    const gone = { goneAt: NOW }
    const read = (eraseAfter: number) => {
      const [one, other] = [openDocumentIndex(), openDocumentIndex()]
      for (let at = 0; at < 4500; at++) {
        one.put(row({ Reference: `A-${at}`, Name: `n ${at}` }, gone))
        other.put(row({ Reference: `B-${at}`, Name: `n ${at}` }, { accountId: 'b', ...gone }))
      }
      const merging = targetsOf([one, other], { query: query({ gone: true }) }, moment)
      let pauses = 0
      let step = merging.next()
      for (; !step.done; step = merging.next()) {
        if (++pauses === eraseAfter) for (let at = 4300; at < 4500; at++) one.remove(`A-${at}`)
      }
      return { pauses, documents: keysOf(step.value).length }
    }
    // The last pause is the merge's.
    expect(read(read(0).pauses).documents).toBe(8800)
  })

  test('what was sent or completed in a week is shown wherever it is now', () => {
    const index = indexOfRows(
      row({ Reference: 'here' }),
      row({ Reference: 'left', Status: 'Complete' }, { completedAt: NOW - DAY, goneAt: NOW }),
      row({ Reference: 'before' }, { arrivedAt: NOW - 9 * DAY })
    )
    const sent = { monday: '2026-11-16', what: 'sent' } as const
    expect(found(index, { week: sent })).toEqual(['here', 'left'])
    expect(found(index, { week: { ...sent, what: 'completed' } })).toEqual(['left'])
    expect(found(index, { week: sent, gone: true })).toEqual(['left'])
    expect(found(index, { week: sent, search: 'l' })).toEqual(['left'])
    expect(found(index, { search: 'l' })).toEqual([])
  })

  test('a due day without a time is that day in every time zone', () => {
    const index = indexOfRows(
      row({ Reference: 'theirs', Name: 'a', Status: 'Signing', DueDate: '2026-11-22' }),
      row({ Reference: 'east', Name: 'b', Status: 'Signing', DueDate: '2026-11-22', GMT: '780' }),
      row({ Reference: 'west', Name: 'c', Status: 'Signing', DueDate: '2026-11-22', GMT: '-480' })
    )
    for (const zone of ['America/New_York', 'Australia/Sydney', 'Pacific/Auckland', 'UTC']) {
      const begins = Date.parse('2026-11-22T00:00:00Z') - (offsetIn(zone, NOW) ?? 0) * 60_000
      const at = (now: number) => ({ now, zone })
      expect(dueOn(index, '2026-11-21', zone)).toEqual([])
      expect(dueOn(index, '2026-11-22', zone)).toHaveLength(3)
      expect(found(index, { dueOn: '2026-11-22' }, at(begins))).toHaveLength(3)
      expect(found(index, { dueWithinDays: 0 }, at(begins - 1))).toEqual([])
      expect(found(index, { dueWithinDays: 0 }, at(begins))).toHaveLength(3)
      expect(found(index, { overdue: true }, at(begins + DAY - 1))).toEqual([])
      expect(found(index, { overdue: true }, at(begins + DAY))).toHaveLength(3)
      const { due } = runToEnd(overviewOf(index, at(begins - 1), 7))
      expect(due.filter(({ count }) => count > 0)).toEqual([{ day: '2026-11-22', count: 3 }])
      const csv = Buffer.from(runToEnd(tableOf(index.rows(), ['due'], zone, 'csv'))).toString()
      expect(csv).toBe(`\ufeffDue\r\n${'2026-11-22\r\n'.repeat(3)}`)
    }
    const { rows } = runToEnd(listOf([index], query(), moment, everything))
    expect(rows.map((one) => one.due && dayAtOffset(one.due.at, one.due.offset ?? Number.NaN))).toEqual(
      Array(3).fill('2026-11-22')
    )
  })
})

describe('sorting', () => {
  test('numbers in names are sorted as numbers, and accented letters stand beside plain ones', () => {
    const index = indexOfRows(
      ...['Deed 10', 'deed 2', 'Éclair', 'eclipse', 'Deed 1'].map((Name, index) =>
        row({ Reference: `D-${index}`, Name })
      )
    )
    expect(names(index, 'name')).toEqual(['Deed 1', 'deed 2', 'Deed 10', 'Éclair', 'eclipse'])
    expect(names(index, 'name', true)).toEqual(['eclipse', 'Éclair', 'Deed 10', 'deed 2', 'Deed 1'])
  })

  test('documents without a value come last in either direction, and ties are sorted by name', () => {
    const index = indexOfRows(
      row({ Reference: 'D-1', Name: 'b', Status: 'Signing', DueDate: '2026-12-01' }),
      row({ Reference: 'D-2', Name: 'none' }),
      row({ Reference: 'D-3', Name: 'a', Status: 'Signing', DueDate: '2026-12-01' }),
      row({ Reference: 'D-4', Name: 'c', Status: 'Signing', DueDate: '2026-12-05' })
    )
    expect(names(index, 'due')).toEqual(['a', 'b', 'c', 'none'])
    expect(names(index, 'due', true)).toEqual(['c', 'a', 'b', 'none'])
  })

  test('changed rows are found again, and move to their places in every list requested before', () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 30 }),
        fc.array(fc.oneof(anyRow, fc.constantFrom('D-1', 'D-2', 'D-3')), { maxLength: 8 }),
        anyQuery,
        fc.nat(DAY),
        (rows, changes, documentQuery, later) => {
          const index = indexOfRows(...rows)
          const flat = { ...documentQuery, grouped: false }
          found(index, flat)
          for (const change of changes) {
            if (typeof change === 'string') index.remove(change)
            else index.put(change)
          }
          for (const at of [moment, { ...moment, now: NOW + later }]) {
            expect(found(index, flat, at)).toEqual(naiveList(index.rows(), flat, at).map(({ reference }) => reference))
          }
        }
      ),
      { numRuns: 300 }
    )
  })

  test('rows that change during sorting are in their places at the end', async () => {
    const rows = Array.from({ length: 6000 }, (_, index) =>
      row({ Reference: `D-${index}`, Name: `N ${(index * 7919) % 6007}` })
    )
    const index = indexOfRows(...rows)
    const documentQuery = query({ sort: { by: 'name', descending: true } })
    const asking = [1, 2].map(() => inSlices(referencesOf([index], documentQuery, moment, 10_000)))
    const work = referencesOf([index], documentQuery, moment, 10_000)
    for (let step = 0; step < 5; step++) work.next()
    for (let at = 0; at < 2000; at++) index.put(row({ Reference: `D-${at}`, Name: `M ${at}` }))
    index.remove('D-5')
    const expected = naiveList(index.rows(), documentQuery, moment).map(({ reference }) => reference)
    const referencesIn = (answer: { references: { reference: string }[] }) =>
      answer.references.map((one) => one.reference)
    expect(referencesIn(runToEnd(work))).toEqual(expected)
    for (const answer of await Promise.all(asking)) expect(referencesIn(answer)).toEqual(expected)
  })
})

describe('sorting while rows keep changing', () => {
  test('still gives a result with every row found, as it is now, and is correct once they stop changing', () => {
    const index = openDocumentIndex()
    const put = (from: number, until: number, name: string) => {
      for (let at = from; at < until; at++) {
        index.put(row({ Reference: `D-${at}`, Name: `${name} ${(at * 7919) % 6007}` }))
      }
    }
    put(0, 2400, 'N')
    for (const descending of [false, true]) {
      for (const by of ['name', 'folder'] as const) {
        const documentQuery = query({ sort: { by, descending } })
        const work = listOf([index], documentQuery, moment, { expanded: [], offset: 0, limit: 10_000 })
        let step = work.next()
        // At each pause another half of the rows changes, some rows leave and some are new.
        for (let pause = 0; !step.done; pause++) {
          expect(pause).toBeLessThan(2000)
          put((pause % 2) * 1200, (pause % 2) * 1200 + 1200, `M${pause}`)
          index.remove(`D-${pause % 2400}`)
          put(2400 + (pause % 50), 2401 + (pause % 50), 'New')
          step = work.next()
        }
        const shown = step.value.rows.flatMap((one) =>
          one.kind === 'document' ? [`${one.reference} ${one.name}`] : []
        )
        expect(shown.sort()).toEqual(
          index
            .rows()
            .map(({ reference, name }) => `${reference} ${name}`)
            .sort()
        )
        const expected = naiveList(index.rows(), documentQuery, moment).map(({ reference }) => reference)
        expect(found(index, documentQuery)).toEqual(expected)
      }
    }
  })
})

describe('packages', () => {
  const index = indexOfRows(
    row({ Reference: 'D-1', Name: 'Lease', PackageReference: 'P', DueDate: '2026-12-02', Status: 'Complete' }),
    row({ Reference: 'D-2', Name: 'Alone', PackageReference: 'Q', DueDate: '2026-12-03' }),
    row({ Reference: 'D-3', Name: 'Guarantee', PackageReference: 'P', DueDate: '2026-12-09' }, { unread: true }),
    row({ Reference: 'D-4', Name: 'No package' })
  )
  const grouped = (expanded: string[], offset = 0, limit = 50) =>
    runToEnd(listOf([index], query({ grouped: true }), moment, { expanded, offset, limit }))

  test('are grouped under a line of their own if several of their documents are found', () => {
    const { rows, total, documents } = grouped([])
    expect(rows.map(({ kind, name }) => [kind, name])).toEqual([
      ['package', 'Lease, Guarantee'],
      ['document', 'Alone'],
      ['document', 'No package']
    ])
    expect(rows[0]).toMatchObject({
      packageReference: 'P',
      documents: 2,
      complete: 1,
      unsaid: 1,
      unread: 1,
      isExpanded: false
    })
    expect({ total, documents }).toEqual({ total: 3, documents: 4 })
  })

  test('show their documents once expanded, even if a page begins among them', () => {
    const { rows, total } = grouped(['P', 'unknown'])
    expect(rows.map(({ name }) => name)).toEqual(['Lease, Guarantee', 'Lease', 'Guarantee', 'Alone', 'No package'])
    expect(rows.filter((one) => one.kind === 'document' && one.isInPackage)).toHaveLength(2)
    expect(total).toBe(5)
    expect(grouped(['P'], 2, 2).rows.map(({ name }) => name)).toEqual(['Guarantee', 'Alone'])
  })
})

test('the list gives the reason why a signer declined', () => {
  const Signers = [
    { FirstName: 'Mere', SignedStatus: 'Signed' },
    { FirstName: 'Edwin', SignedStatus: 'Declined', DeclinedReason: 'My daughter reads it first.\nĀpōpō.' }
  ]
  const index = indexOfRows(row({ Status: 'Declined', Signers }))
  const [first] = runToEnd(listOf([index], query({ families: ['declined'] }), moment, everything)).rows
  expect(first).toMatchObject({ signers: [{}, { declinedReason: 'My daughter reads it first.\nĀpōpō.' }] })
  expect((first as DocumentRow).signers[0]).not.toHaveProperty('declinedReason')
})

describe('several accounts', () => {
  const ours = indexOfRows(row({ Reference: 'D-1', Name: 'b' }), row({ Reference: 'D-2', Name: 'd' }))
  const theirs = indexOfRows(
    row({ Reference: 'D-1', Name: 'c' }, { accountId: 'b' }),
    row({ Reference: 'D-9', Name: 'a' }, { accountId: 'b' })
  )

  test('form one list in one order', () => {
    const documentQuery = query({ sort: { by: 'name', descending: false } })
    const list = () => runToEnd(listOf([ours, theirs, ours], documentQuery, moment, everything))
    expect(list().rows.map(({ name, accountId }) => `${accountId} ${name}`)).toEqual(['b a', 'a b', 'b c', 'a d'])
    theirs.put(row({ Reference: 'D-9', Name: 'e' }, { accountId: 'b' }))
    expect(list().rows.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'e'])
  })

  test('give the same list after any change as one built from scratch', () => {
    const accounts = ['a', 'b', 'c']
    const account = fc.nat(2)
    const change = fc.tuple(account, fc.oneof(anyRow, fc.constantFrom('D-1', 'D-2', 'D-3')))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(account, anyRow), { maxLength: 30 }),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 4 }),
        fc.array(anyQuery, { minLength: 1, maxLength: 2 }),
        fc.nat(DAY),
        (rows, rounds, queries, later) => {
          const indexes = accounts.map(() => openDocumentIndex())
          const apply = ([place, one]: [number, IndexRow | string]) => {
            const index = indexes[place] as DocumentIndex
            if (typeof one === 'string') index.remove(one)
            else index.put({ ...one, accountId: accounts[place] as string })
          }
          const listed = (some: readonly DocumentIndex[], documentQuery: DocumentQuery, at = moment) =>
            keysOf(runToEnd(targetsOf(some, { query: { ...documentQuery, grouped: false } }, at)))
          rows.forEach(apply)
          for (const [round, changes] of [[], ...rounds].entries()) {
            changes.forEach(apply)
            const at = { ...moment, now: NOW + round * later }
            for (const documentQuery of queries) {
              // With fewer accounts shown, the cache for all of them isn't used.
              const some = round === 3 ? indexes.slice(0, 2) : indexes
              const fresh = some.map((index) => indexOfRows(...index.rows()))
              expect(listed(some, documentQuery, at)).toEqual(listed(fresh, documentQuery, at))
            }
          }
        }
      ),
      { numRuns: 300 }
    )
  })

  test('include in their list what only time has made due', () => {
    const due = (accountId: string, Reference: string, hours: number) =>
      row({ Reference, Status: '0 of 2', DueDate: new Date(NOW + hours * 3_600_000).toISOString() }, { accountId })
    const indexes = [indexOfRows(due('a', 'A-1', -2), due('a', 'A-2', 2)), indexOfRows(due('b', 'B-1', 1))]
    const overdue = (now: number) =>
      keysOf(runToEnd(targetsOf(indexes, { query: query({ overdue: true }) }, { ...moment, now })))
    expect(overdue(NOW)).toEqual(['a A-1'])
    expect(overdue(NOW + 3 * 3_600_000)).toEqual(['a A-1', 'b B-1', 'a A-2'])
  })

  test('two documents with the same reference in two accounts stay separate', () => {
    const targets = runToEnd(targetsOf([ours, theirs], { query: query({ search: 'D-1' }) }, moment))
    expect(keysOf(targets)).toEqual(['a D-1', 'b D-1'])
    const keys = ['b D-1', 'a gone', 'b D-1', 'a D-9', 'a D-2'].map((key) => key.split(' ') as [string, string])
    const documents = keys.map(([accountId, reference]) => ({ accountId, reference }))
    const meant = runToEnd(targetsOf([ours, theirs], { documents }, moment))
    expect(keysOf(meant)).toEqual(['b D-1', 'a D-2'])
  })
})

describe('counts', () => {
  test('of folders and unread documents leave out what is gone; each query counts what it finds', () => {
    const index = indexOfRows(
      row({ Reference: 'D-1' }, { folder: '__proto__', unread: true }),
      row({ Reference: 'D-2' }, { folder: 'Signed' }),
      row({ Reference: 'D-3' }, { folder: 'Signed', goneAt: NOW, unread: true })
    )
    const queries = [
      { id: 'signed', query: query({ folder: 'Signed' }) },
      { id: 'gone', query: query({ gone: true }) }
    ]
    const counts = runToEnd(countsOf(index, queries, moment, () => [index]))
    expect(Object.entries(counts.folders)).toEqual([
      ['__proto__', 1],
      ['Signed', 1]
    ])
    expect(counts.queries).toEqual({ signed: 1, gone: 1 })
    expect(counts.unread).toBe(1)
  })
})

describe('signers waiting at the counter', () => {
  test('each person who can sign now is listed, the earliest due first, but nobody from a document that is gone', () => {
    const Signers = [
      { FirstName: 'Aroha', SigningKey: 'https://sign.example.com/1', IsFaceToFaceSigning: true },
      { FirstName: 'Tane', HasSigned: true, SigningKey: 'https://sign.example.com/2' },
      { FirstName: 'Mere', SigningKey: 'https://sign.example.com/3' }
    ]
    const index = indexOfRows(
      row({ Reference: 'later', DueDate: '2026-12-03', Signers: [Signers[2]] }),
      row({ Reference: 'whenever', Signers: [Signers[2]] }),
      row({ Reference: 'next', DueDate: '2026-12-01', Signers }),
      row({ Reference: 'left', Signers }, { goneAt: NOW })
    )
    expect(waitingHere(index).map((entry) => [entry.documentReference, entry.signer, entry.signerName])).toEqual([
      ['next', 0, 'Aroha'],
      ['next', 2, 'Mere'],
      ['later', 0, 'Mere'],
      ['whenever', 0, 'Mere']
    ])
    expect(waitingHere(index).map(({ faceToFace }) => faceToFace)).toEqual([true, false, false, false])
    expect(JSON.stringify(index.rows())).not.toContain('sign.example.com')
  })

  test('forms and template names with earlier attachments are named, whatever became of the document; unknown ones aren’t', () => {
    const Signers = [{ FirstName: 'Aroha', SigningKey: 'https://sign.example.com/1' }]
    const index = indexOfRows(
      row({ Reference: 'form', FormDirectReference: 'vetting', Signers }),
      row({ Reference: 'other', FormDirectReference: 'lease', Signers }),
      row({ Reference: 'none', Name: 'Letter', Signers }),
      row({ Reference: 'template', Name: 'Deed of gift', Signers }),
      row({ Reference: 'named alike', Name: 'Deed of gift', FormDirectReference: 'deed', Signers }),
      row({ Reference: 'before', FormDirectReference: 'vetting', HasFileUploaded: true }, { goneAt: NOW }),
      row({ Reference: 'without a form', Name: 'Deed of gift', HasFileUploaded: true })
    )
    const waiting = waitingHere(index).map(({ documentReference, hadFiles }) => [documentReference, hadFiles])
    expect(Object.fromEntries(waiting)).toEqual({
      form: true,
      other: undefined,
      none: undefined,
      template: true,
      'named alike': undefined
    })
  })

  test('signers without a link are listed only on request', () => {
    const index = indexOfRows(
      row({ Reference: 'plain', Signers: [{ FirstName: 'Aroha', Email: 'a@example.com', IsFaceToFaceSigning: true }] }),
      row({ Reference: 'embedded', Signers: [{ FirstName: 'Mere', SigningKey: 'https://sign.example.com/3' }] })
    )
    expect(waitingHere(index).map(({ documentReference }) => documentReference)).toEqual(['embedded'])
    const all = waitingHere(index, true).map(({ documentReference, withoutLink }) => [documentReference, withoutLink])
    expect(all).toEqual([
      ['embedded', undefined],
      ['plain', true]
    ])
  })
})

describe('arbitrary rows and queries', () => {
  const anyRows = fc.array(anyRow, { maxLength: 40 })

  test('rows are restored exactly, whatever text they contain', () => {
    const sign = fc.constantFrom('a', '\n', '\t', '\\', '\\n', '\0', '"', 'é', 'ā', '名', '\u{1f58b}', ' ')
    const odd = fc.array(sign, { maxLength: 6 }).map((signs) => signs.join(''))
    const members = fc.record({ Name: odd, MatterNumber: odd, ClientReference: odd, Status: odd, DueDate: odd })
    const people = fc.array(fc.record({ FirstName: odd, DeclinedReason: odd }), { maxLength: 3 })
    const oddRow = fc
      .tuple(members, people, fc.option(odd, { nil: undefined }))
      .map(([rest, Signers, PackageReference]) => row({ ...rest, Signers, PackageReference }))
    fc.assert(
      fc.property(fc.array(fc.oneof(anyRow, oddRow), { maxLength: 40 }), (rows) => {
        const index = indexOfRows(...rows)
        const last = new Map(rows.map((one) => [one.reference, one]))
        for (const [reference, one] of last) expect(index.get(reference)).toEqual(one)
        expect(index.rows()).toHaveLength(last.size)
      }),
      { numRuns: 300 }
    )
  })

  test('a query gives the same result as checking each row', () => {
    fc.assert(
      fc.property(anyRows, fc.array(anyQuery, { minLength: 1, maxLength: 4 }), (rows, queries) => {
        const index = indexOfRows(...rows)
        for (const documentQuery of queries) {
          const flat = { ...documentQuery, grouped: false }
          const expected = naiveList(index.rows(), flat, moment).map(({ reference }) => reference)
          expect(found(index, flat)).toEqual(expected)
          const list = runToEnd(listOf([index], flat, moment, { expanded: [], offset: 1, limit: 3 }))
          expect(list.rows.map((one) => (one as DocumentRow).reference)).toEqual(expected.slice(1, 4))
          expect(list.total).toBe(expected.length)
        }
      }),
      { numRuns: 300 }
    )
  })

  test('a row matches a query exactly when the query finds it', () => {
    fc.assert(
      fc.property(anyRows, anyQuery, (rows, documentQuery) => {
        const index = indexOfRows(...rows)
        const references = new Set(found(index, documentQuery))
        for (const one of index.rows()) {
          const matches = matchingOf(one, [{ id: 'q', query: documentQuery }], moment).length === 1
          expect(matches).toBe(references.has(one.reference))
          expect(matches).toBe(naiveFinds(one, documentQuery, moment))
        }
      })
    )
  })

  test('a grouped list holds the same documents, page by page, whichever packages are expanded', () => {
    fc.assert(
      fc.property(anyRows, anyQuery, fc.integer({ min: 1, max: 7 }), (rows, documentQuery, limit) => {
        const index = indexOfRows(...rows)
        const grouped = { ...documentQuery, grouped: true }
        const flat = found(index, { ...documentQuery, grouped: false })
        const expanded = ['P-1', 'P-2', 'P-10']
        const lines = []
        let total = 1
        for (let offset = 0; offset < total; offset += limit) {
          const page = runToEnd(listOf([index], grouped, moment, { expanded, offset, limit }))
          lines.push(...page.rows)
          total = page.total
          expect(page.documents).toBe(flat.length)
        }
        const documents = lines.flatMap((line) => (line.kind === 'document' ? [line.reference] : []))
        expect(documents).toEqual(found(index, grouped))
        expect([...documents].sort()).toEqual([...flat].sort())
        expect(new Set(documents).size).toBe(documents.length)
        for (const line of lines) if (line.kind === 'package') expect(line.documents).toBeGreaterThan(1)
      })
    )
  })
})
