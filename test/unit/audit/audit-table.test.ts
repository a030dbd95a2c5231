import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AuditNote } from '../../../src/main/core/audit/audit.ts'
import { openAuditTable } from '../../../src/main/core/audit/audit-table.ts'
import { auditedWorkstation, database, TEN, ZONE } from './office.ts'

afterEach(() => vi.restoreAllMocks())

const everything: AuditNote = {
  what: 'turn-ended',
  session: 'session-1',
  documentReference: 'doc-17',
  documentName: 'Tenancy agreement',
  signerName: 'Mere Pārata',
  detail: { tried: '2', outcome: 'signed' }
}

describe('an entry', () => {
  test('is written immediately, with its number, time, zone and member of staff', async () => {
    const { run, notified, now, db } = auditedWorkstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    expect(db.prepare('SELECT count(*) FROM audit').pluck().get()).toBe(1)
    Object.assign(now, { at: TEN + 5000, zone: 'Australia/Sydney', staff: 'Ben' })
    audit.note(everything)
    expect(await run().list('', 0, 10)).toEqual({
      entries: [
        { ...everything, seq: 2, at: TEN + 5000, zone: 'Australia/Sydney', staff: 'Ben' },
        { seq: 1, at: TEN, zone: ZONE, staff: 'Grace Okafor', what: 'pin-set', detail: {} }
      ],
      total: 2
    })
    expect(notified.changed).toBe(2)
  })

  test('is kept when accounts are removed', async () => {
    const { run, db } = auditedWorkstation()
    db.exec(
      `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
    )
    const audit = run()
    audit.note(everything)
    db.exec(`DELETE FROM accounts`)
    expect((await audit.list('', 0, 10)).total).toBe(1)
    expect(await audit.check()).toMatchObject({ isWhole: true, entries: 1 })
  })

  test('that can’t be written is reported, never thrown, and written before the next once possible', async () => {
    const { run, db, troubles, notified } = auditedWorkstation()
    const audit = run()
    audit.note({ what: 'session-started' })
    db.pragma('query_only = ON')
    audit.note({ what: 'handed-over' })
    await audit.flush()
    expect(new Set(troubles.map((error) => (error as { code: string }).code))).toEqual(new Set(['SQLITE_READONLY']))
    expect(notified.changed).toBe(1)
    db.pragma('query_only = OFF')
    audit.note({ what: 'session-ended' })
    const whats = (await audit.list('', 0, 10)).entries.map(({ what }) => what)
    expect(whats).toEqual(['session-ended', 'handed-over', 'session-started'])
    expect(await audit.check()).toMatchObject({ isWhole: true, entries: 3 })
  })

  test('that the disk has no room for is reported, and no part of it is written', async () => {
    const { run, db, troubles } = auditedWorkstation()
    const audit = run()
    await audit.flush()
    db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true }))}`)
    for (let time = 0; time < 40 && troubles.length === 0; time++) {
      audit.note({ ...everything, documentName: 'x'.repeat(1000) })
    }
    expect(troubles[0]).toMatchObject({ code: 'SQLITE_FULL' })
    db.pragma('max_page_count = 1000000')
    audit.note({ what: 'session-ended' })
    expect(await audit.check()).toMatchObject({ isWhole: true })
  })

  test('with any text follows from the one before it when read again', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 })
    const anyRecord = fc.record(
      {
        session: text,
        documentReference: text,
        documentName: fc.oneof(text, fc.constant('\ud800 half a character'), fc.constant('nothing \0 after')),
        signerName: text,
        detail: fc.dictionary(fc.oneof(text, fc.constant('__proto__'), fc.constant('10'), fc.constant('9')), text)
      },
      { requiredKeys: [] }
    )
    const { run } = auditedWorkstation()
    const audit = run()
    let made = 0
    fc.assert(
      fc.property(anyRecord, (record) => {
        audit.note({ what: 'page-opened', ...record })
        made += 1
      }),
      { numRuns: 100 }
    )
    expect(await audit.check()).toEqual({ isWhole: true, entries: made, isCutOff: false })
    expect(await run().check()).toMatchObject({ isWhole: true })
  })
})

describe('the list', () => {
  function filled() {
    const { run, now } = auditedWorkstation()
    const audit = run()
    audit.note({ what: 'session-started', signerName: 'Mere Pārata', documentName: 'Tenancy agreement' })
    audit.note({ what: 'page-opened', signerName: 'Mere Pārata', detail: { origin: 'https://sign.example.com' } })
    now.staff = 'Łukasz Nowak'
    audit.note({ what: 'pin-wrong', session: 'session-1' })
    audit.note({
      what: 'turn-ended',
      documentName: 'Lease 100%',
      documentReference: 'DOC_17',
      detail: { outcome: 'declined' }
    })
    return audit
  }

  test.each([
    ['parata', [2, 1]],
    ['PĀRATA tenancy', [1]],
    ['agreement mere', [1]],
    ['lukasz', [4, 3]],
    ['grace', [2, 1]],
    ['pin wrong', [3]],
    ['pin-wrong', [3]],
    ['declined', [4]],
    ['sign.example.com', [2]],
    ['doc_17', [4]],
    ['100%', [4]],
    ['%', [4]],
    ['_', [4]],
    ["'; DROP TABLE audit; --", []],
    ['nobody', []],
    ['   ', [4, 3, 2, 1]]
  ])('searched for “%s” finds entries with every word, newest first', async (search, found) => {
    const { entries, total } = await filled().list(search, 0, 10)
    expect(entries.map(({ seq }) => seq)).toEqual(found)
    expect(total).toBe(found.length)
  })

  test('is returned page by page, with the total number', async () => {
    const { run } = auditedWorkstation()
    const audit = run()
    for (let time = 1; time <= 700; time++) {
      audit.note({ what: 'handed-over', documentName: time % 2 ? 'Lease' : 'Deed' })
    }
    const page = async (search: string, offset: number) => {
      const { entries, total } = await audit.list(search, offset, 3)
      return [entries.map(({ seq }) => seq), total]
    }
    expect(await page('', 0)).toEqual([[700, 699, 698], 700])
    expect(await page('', 698)).toEqual([[2, 1], 700])
    expect(await page('', 700)).toEqual([[], 700])
    expect(await page('lease', 0)).toEqual([[699, 697, 695], 350])
    expect(await page('lease', 348)).toEqual([[3, 1], 350])
  })

  test('of a hundred thousand entries is searched and checked without blocking other work', {
    tags: ['full']
  }, async () => {
    const { run, db } = auditedWorkstation()
    const trail = openAuditTable(db)
    db.transaction(() => {
      for (let at = 1; at <= 100_000; at++) {
        trail.append({ at, zone: ZONE, staff: 'Grace', what: 'page-opened', signerName: `Person ${at}`, detail: {} })
      }
    })()
    const audit = run()
    await audit.flush()
    // On a clock by which each step takes longer than a slice may, others get a turn after each step.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000))
    const held = async <Answer>(work: () => Promise<Answer>) => {
      let turns = 0
      let counting = setImmediate(function count() {
        turns += 1
        counting = setImmediate(count)
      })
      const answer = await work()
      clearImmediate(counting)
      return { answer, turns }
    }
    const found = await held(() => audit.list('person 99999', 0, 50))
    expect(found.answer).toMatchObject({ total: 1, entries: [{ seq: 99_999 }] })
    const checked = await held(() => audit.check())
    expect(checked.answer).toEqual({ isWhole: true, entries: 100_000, isCutOff: false })
    // One step is a hundred entries.
    expect(found.turns).toBeGreaterThan(100)
    expect(checked.turns).toBeGreaterThanOrEqual(1000)
  })

  test('without a search is counted and paged using only a small index', () => {
    const db = database()
    const plans = ['SELECT count(*) FROM audit', 'SELECT seq FROM audit ORDER BY seq DESC LIMIT 50 OFFSET 90000'].map(
      (sql) => JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
    )
    for (const plan of plans) expect(plan).toMatch(/COVERING INDEX audit_by_seq/)
  })
})
