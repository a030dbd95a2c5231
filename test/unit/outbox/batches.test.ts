/** Batches from one sheet: all packages or none, in the sheet's order, and failures are returned as rows. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PackageRow } from '../../../src/main/core/bulk/dry-run.ts'
import { PROBLEM_COLUMN } from '../../../src/main/core/bulk/table-file.ts'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import type { NewBatch } from '../../../src/main/core/outbox/batches.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const isSend = (method: string) => method === 'POST'
const composed = (row: number) =>
  forms({ items: [form({ Name: `Row ${row}`, signers: [signer({ Email: `row${row}@example.com` })] })] })

function* rowsOf(count: number): Generator<PackageRow> {
  for (let row = 1; row <= count; row++)
    yield { row, cells: [`Row ${row}`, `row${row}@example.com`], composition: composed(row) }
}
function batch(count: number, changes: Partial<NewBatch> = {}): NewBatch {
  const { accountId } = work
  return { accountId, name: 'Tax forms', columns: ['Form', 'E-mail'], rows: rowsOf(count), leftOut: [], ...changes }
}
const add = (count: number, changes: Partial<NewBatch> = {}) => work.parts.outbox.addBatch(batch(count, changes))
const batches = () => work.parts.outbox.batches
const counts = (id: string) => batches().get(id).counts
const rowsShown = (batchId: string, show: 'all' | 'attention' = 'all') =>
  work.parts.outbox.list([work.accountId], { show, batchId, offset: 0, limit: 500 }).rows
const namesTaken = () =>
  work.receivedRequests('SendForms2').map(({ body }) => (body as { Forms: { Name: string }[] }).Forms[0]?.Name)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
const aMoment = () => new Promise((resume) => setTimeout(resume, 50))

describe('a batch', () => {
  test('is sent in row order after the undo period, and is then done', async () => {
    work.outbox.configure(work.accountId, { concurrency: 1 })
    const { id, state, total } = await add(12)
    expect({ state, total }).toEqual({ state: 'going', total: 12 })
    expect(rowsShown(id)[0]).toMatchObject({ row: 1, title: 'Row 1', state: 'ready', hold: 'undo' })
    expect(rowsShown(id)[0]?.draftId).toBeUndefined()
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(10_100)
    await expect.poll(() => batches().get(id).state).toBe('done')
    expect(counts(id)).toMatchObject({ sent: 12, ready: 0 })
    expect(namesTaken()).toEqual(Array.from({ length: 12 }, (_, index) => `Row ${index + 1}`))
  })

  test('is compared and added after others of its account, also after one that failed', async () => {
    const { outbox } = work.parts
    const steps: string[] = []
    const first = outbox.inTurn(work.accountId, async () => {
      await aMoment()
      steps.push('first')
      throw new Error('The sheet is gone.')
    })
    const second = outbox.inTurn(work.accountId, async () => steps.push('second'))
    const other = outbox.inTurn('another account', async () => steps.push('other'))
    await expect(first).rejects.toThrow('The sheet is gone.')
    await Promise.all([second, other])
    expect(steps).toEqual(['other', 'first', 'second'])
  })

  test('stores the corrections of a row with that row only', async () => {
    const corrected = [{ column: 1, name: 'E-mail', was: 'row1@', now: 'row1@example.com' }]
    const [first, second] = rowsOf(2)
    const { id } = await add(0, { rows: [{ ...first, corrected } as PackageRow, second as PackageRow] })
    const [one, two] = rowsShown(id)
    expect(work.parts.outbox.get(one?.id ?? '').corrected).toEqual(corrected)
    expect(work.parts.outbox.get(two?.id ?? '')).not.toHaveProperty('corrected')
  })

  test('starts its rows in order even when sending several at once', async () => {
    work.outbox.configure(work.accountId, { concurrency: 4, undoSeconds: 0 })
    const { id } = await add(40)
    await expect.poll(() => counts(id).sent).toBe(40)
    const tried = work.db.prepare<[], number>('SELECT sheet_row FROM sends ORDER BY attempted_at, number').pluck().all()
    expect(tried).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  test('lets single packages go first', async () => {
    work.outbox.configure(work.accountId, { concurrency: 1, undoSeconds: 0, perMinute: 60 })
    await add(5)
    await expect.poll(posts).toBe(1)
    const { id } = work.outbox.enqueue(
      work.drafts.save(work.accountId, forms({ items: [form({ Name: 'Urgent' })] })).id
    )
    await work.time.pass(1_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    expect(namesTaken()).toEqual(['Row 1', 'Urgent'])
  })

  test('of 2,000 rows is stored without blocking the application, and sent only afterwards', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0 })
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const before = process.cpuUsage()
    const adding = add(2000)
    await aMoment()
    expect(batches().list(work.accountId)).toMatchObject([{ state: 'preparing' }])
    expect(posts()).toBe(0)
    await adding.then(({ id, total }) => {
      expect(total).toBe(2000)
      batches().pause(id)
    })
    isOver = true
    // Measured in CPU time, which other programs don't stretch: one slice may hold the thread for a few milliseconds.
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000 / turns).toBeLessThan(20)
    expect(turns).toBeGreaterThan(10)
  })

  test('that was only partly stored is removed at the next start, with nothing sent', async () => {
    const adding = add(2000).catch((error: unknown) => error)
    await expect.poll(() => work.outbox.state(work.accountId).counts.ready).toBeGreaterThan(20)
    const next = work.restart()
    expect(await adding).toBeInstanceOf(Error)
    expect(next.outbox.batches.list(work.accountId)).toEqual([])
    expect(next.outbox.state(work.accountId).counts.ready).toBe(0)
    await work.time.pass(60_000)
    expect(posts()).toBe(0)
  })

  test('that can’t be stored leaves nothing behind, and reports the reason', async () => {
    function* broken(): Generator<PackageRow> {
      yield* rowsOf(120)
      throw new Error('the sheet is gone')
    }
    await expect(add(0, { rows: broken() })).rejects.toThrow('the sheet is gone')
    expect(batches().list(work.accountId)).toEqual([])
    expect(work.outbox.state(work.accountId).counts.ready).toBe(0)
  })

  test('waits for its scheduled time', async () => {
    const { id } = await add(3, { at: work.time.now + 3_600_000 })
    expect(rowsShown(id)[0]).toMatchObject({ hold: 'time' })
    await work.time.pass(3_500_000)
    await aMoment()
    expect(posts()).toBe(0)
    work.outbox.sendNow(rowsShown(id)[1]?.id ?? '')
    await expect.poll(() => counts(id).sent).toBe(1)
    expect(namesTaken()).toEqual(['Row 2'])
    await work.time.pass(200_000)
    await expect.poll(() => counts(id).sent).toBe(3)
  })
})

describe('pausing and cancelling a batch', () => {
  test('a paused batch stays paused across a restart, and resumes where it stopped', async () => {
    const { id } = await add(6)
    batches().pause(id)
    await work.time.pass(20_000)
    work.restart()
    await work.time.pass(60_000)
    expect(posts()).toBe(0)
    expect(batches().get(id).state).toBe('paused')
    expect(rowsShown(id)[0]).toMatchObject({ hold: 'paused' })
    batches().resume(id)
    await expect.poll(() => counts(id).sent).toBe(6)
  })

  test('the unsent rows of a cancelled batch are never sent', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0, perMinute: 60 })
    const { id } = await add(300)
    await expect.poll(() => counts(id).sent).toBe(1)
    expect(await batches().cancel(id)).toMatchObject({ state: 'done', counts: { sent: 1, cancelled: 299, ready: 0 } })
    await work.time.pass(60_000)
    work.restart()
    await work.time.pass(60_000)
    expect(posts()).toBe(1)
  })

  test('a row in flight when its batch was cancelled isn’t retried if it didn’t arrive', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0, concurrency: 1 })
    work.line.setFault('hang', isSend)
    const { id } = await add(3)
    await expect.poll(posts).toBe(1)
    await batches().cancel(id)
    expect(counts(id)).toMatchObject({ sending: 1, cancelled: 2 })
    work.restart()
    work.line.setFault('pass')
    await expect
      .poll(() => work.line.requests.filter((request) => request.includes('GetActiveDocuments')).length)
      .toBe(3)
    await aMoment()
    await work.time.pass(SECOND_CHECK_AFTER + 10)
    await expect.poll(() => counts(id).cancelled).toBe(3)
    expect(posts()).toBe(1)
  })
})

describe('rows that fail', () => {
  const refuseEven = (method: string) => method === 'POST' && posts() % 2 === 0

  test('are listed with their reasons in sheet order, together with the rows left out', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0, concurrency: 1 })
    work.line.setFault({ status: 400 }, refuseEven)
    const leftOut = [{ row: 3, cells: ['', 'nobody'], problems: ['Enter a name.', 'This isn’t an e-mail address.'] }]
    const rows = [...rowsOf(6)].filter(({ row }) => row !== 3)
    const { id, leftOut: howMany } = await add(0, { rows, leftOut })
    expect(howMany).toBe(1)
    await expect.poll(() => batches().get(id).state).toBe('done')
    const failed = batches().failedRows(id)
    expect(failed.columns).toEqual(['Form', 'E-mail', PROBLEM_COLUMN])
    expect(failed.rows.map(([name]) => name)).toEqual(['Row 2', '', 'Row 5'])
    expect(failed.rows[0]?.[2]).toContain('didn’t accept')
    expect(failed.rows[1]).toEqual(['', 'nobody', 'Enter a name. This isn’t an e-mail address.'])
  })

  test('have one column of problems, even after the sheet was fixed and sent again', async () => {
    const leftOut = [{ row: 1, cells: ['A', 'b', 'Enter a name.'], problems: ['Enter an address.'] }]
    const { id } = await add(1, { columns: ['Form', 'E-mail', PROBLEM_COLUMN], leftOut, rows: [] })
    expect(batches().failedRows(id)).toEqual({
      columns: ['Form', 'E-mail', PROBLEM_COLUMN],
      rows: [['A', 'b', 'Enter an address.']]
    })
  })

  test('are retried together, and none is sent twice', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0, concurrency: 1 })
    work.line.setFault({ status: 409 }, refuseEven)
    const { id } = await add(8)
    await expect.poll(() => batches().get(id).state).toBe('done')
    expect(counts(id)).toMatchObject({ sent: 4, refused: 4 })
    work.line.setFault('pass')
    await batches().retry(id)
    await expect.poll(() => counts(id).sent).toBe(8)
    expect(new Set(namesTaken()).size).toBe(8)
    expect(namesTaken()).toHaveLength(8)
    expect(batches().failedRows(id).rows).toEqual([])
  })

  test('are not retried once made into a draft', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 0 })
    work.line.setFault({ status: 400 }, isSend)
    const { id } = await add(2)
    await expect.poll(() => batches().get(id).state).toBe('done')
    const [row] = rowsShown(id, 'attention')
    const draft = work.outbox.toDraft(row?.id ?? '')
    expect(work.drafts.get(draft.id).composition).toEqual(composed(row?.row ?? 0))
    work.line.setFault('pass')
    await batches().retry(id)
    await expect.poll(() => counts(id)).toMatchObject({ sent: 1, cancelled: 1 })
    expect(batches().failedRows(id).rows).toEqual([])
  })

  test('because their due date has passed are refused, not lost', async () => {
    const rows = [{ row: 1, cells: ['late'], composition: forms({ due: '2020-01-01T12:00', gmt: '0' }) }]
    const { id } = await add(1, { rows })
    expect(counts(id)).toMatchObject({ refused: 1, ready: 0 })
    expect(batches().failedRows(id).rows[0]?.[0]).toBe('late')
  })
})

test('a package is recognised as already sent for 31 days', async () => {
  work.outbox.configure(work.accountId, { undoSeconds: 0 })
  const { id } = await add(3)
  await expect.poll(() => counts(id).sent).toBe(3)
  expect(work.outbox.sentRecently(work.accountId).size).toBe(3)
  work.time.now += 31 * 86_400_000
  expect(work.outbox.sentRecently(work.accountId).size).toBe(0)
})
