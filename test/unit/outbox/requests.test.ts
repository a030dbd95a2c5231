/** What the screens may request of the outbox: only for the account they show. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { outboxHandlers } from '../../../src/main/ipc/outbox.ts'
import { namedAccount } from '../../../src/main/ipc/registration.ts'
import { forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'
import { temporaryFolder } from '../storage/folders.ts'

let work: Workplace
let suggested: string
let folder: string
const asking = { from: 'office' as const, stillAsking: () => true }
const page = { show: 'all', search: '', offset: 0, limit: 50 } as const
beforeEach(async () => {
  work = await openWorkplace()
  suggested = ''
  folder = temporaryFolder()
})
afterEach(() => work.close())

const handlers = () =>
  outboxHandlers({
    accounts: work.accounts,
    note: () => undefined,
    drafts: work.drafts,
    outbox: work.outbox,
    sharedDrafts: work.sharedDrafts,
    chooseSaveFile: async (_title, name) => {
      suggested = name
      return join(folder, 'saved.csv')
    }
  })
async function chooseAnother() {
  const { id } = await work.accounts.add({ kind: 'practice', name: 'Practice' })
  work.accounts.choose(id)
}

describe('if another account is shown while the office’s server answers', () => {
  /** Shows another account before the office has answered. Returns its id. */
  function chooseAnotherDuring(name: 'pause' | 'configure') {
    const { shared } = work.outbox
    const ask = shared[name].bind(shared) as (...given: unknown[]) => Promise<void>
    let id = ''
    Object.assign(shared, {
      [name]: async (...given: unknown[]) => {
        await ask(...given)
        await chooseAnother()
        id = work.accounts.chosen()?.id ?? ''
      }
    })
    return () => id
  }

  test('the outbox that was shown is paused, and only that one', async () => {
    const another = chooseAnotherDuring('pause')
    await handlers()['outbox.pause'](undefined, asking)
    expect(work.outbox.state(work.accountId).pause).toMatchObject({ by: 'person' })
    expect(work.outbox.state(another()).pause).toBeUndefined()
  })

  test('the speed of the outbox that was shown is set, and only that one’s', async () => {
    const { settings } = work.outbox.state(work.accountId)
    const another = chooseAnotherDuring('configure')
    await handlers()['outbox.configure']({ perMinute: 7 }, asking)
    expect(work.outbox.state(work.accountId).settings).toEqual({ ...settings, perMinute: 7 })
    expect(work.outbox.state(another()).settings).toEqual(settings)
  })
})

test('a draft is sent only from the account shown', async () => {
  const draftId = work.drafts.save(work.accountId, forms()).id
  await chooseAnother()
  await expect(handlers()['sends.start']({ draftId }, asking)).rejects.toMatchObject({ appError: { code: 'gone' } })
  work.accounts.choose(work.accountId)
  expect(await handlers()['sends.start']({ draftId }, asking)).toMatchObject({ state: 'ready' })
})

test('the rows left out of a batch are listed in pages, with the reasons but without their cells', async () => {
  const rows = [{ row: 1, cells: ['one'], composition: forms() }]
  const leftOut = [2, 3].map((row) => ({ row, cells: ['Mere'], problems: [`Row ${row} is wrong.`] }))
  const { id } = await work.outbox.addBatch({
    accountId: work.accountId,
    name: 'Batch',
    columns: ['Form'],
    rows,
    leftOut
  })
  const asked = (offset: number) => handlers()['batches.leftOut']({ id, offset, limit: 1 }, asking)
  expect(await asked(0)).toEqual({ rows: [{ row: 2, problems: ['Row 2 is wrong.'] }], total: 2 })
  expect(await asked(1)).toEqual({ rows: [{ row: 3, problems: ['Row 3 is wrong.'] }], total: 2 })
  await chooseAnother()
  await expect(asked(0)).rejects.toMatchObject({ appError: { code: 'gone' } })
})

describe('a send or batch of another account', () => {
  test.each(['sends.get', 'sends.now', 'sends.undo', 'sends.reconcile', 'sends.retry', 'sends.toDraft'] as const)(
    '%s doesn’t find the send',
    async (name) => {
      const { id } = work.outbox.enqueue(work.drafts.save(work.accountId, forms()).id)
      await chooseAnother()
      await expect(handlers()[name]({ id }, asking)).rejects.toMatchObject({ appError: { code: 'gone' } })
      expect(work.outbox.get(id).state).toBe('ready')
      expect(await handlers()['sends.list'](page, asking)).toEqual({ rows: [], total: 0 })
    }
  )

  test('can’t get another time', async () => {
    const at = work.time.now + 3_600_000
    const { id } = work.outbox.enqueue(work.drafts.save(work.accountId, forms()).id, { at })
    await chooseAnother()
    const changed = handlers()['sends.reschedule']({ id, at: at + 60_000 }, asking)
    await expect(changed).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(work.outbox.get(id).goesAt).toBe(at)
  })

  test('can’t be duplicated, and doesn’t count as already sent', async () => {
    const { id } = work.outbox.enqueue(work.drafts.save(work.accountId, forms()).id)
    await chooseAnother()
    const another = handlers()['sends.duplicate']({ id, keeps: 'people and data' }, asking)
    await expect(another).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(await handlers()['sends.sameSent']({ composition: forms() }, asking)).toBeNull()
    work.accounts.choose(work.accountId)
    expect(await handlers()['sends.sameSent']({ composition: forms() }, asking)).toEqual({
      at: expect.any(Number),
      state: 'ready'
    })
  })

  test.each(['batches.pause', 'batches.cancel', 'batches.retry', 'batches.exportFailed'] as const)(
    '%s doesn’t find the batch',
    async (name) => {
      const rows = [{ row: 1, cells: ['one'], composition: forms() }]
      const { accountId } = work
      const { id } = await work.outbox.addBatch({ accountId, name: 'Batch', columns: ['Form'], rows, leftOut: [] })
      await chooseAnother()
      await expect(handlers()[name]({ id }, asking)).rejects.toMatchObject({ appError: { code: 'gone' } })
      expect(work.outbox.batches.get(id)).toMatchObject({ state: 'going', counts: { ready: 1 } })
    }
  )
})

test('failed rows are saved under a name that every file system accepts', async () => {
  const leftOut = [{ row: 1, cells: ['x'], problems: ['Enter a name.'] }]
  const { accountId } = work
  const { id } = await work.outbox.addBatch({ accountId, name: 'Jan/Feb: tax', columns: ['Form'], rows: [], leftOut })
  expect(await handlers()['batches.exportFailed']({ id }, asking)).toEqual({ label: 'saved.csv' })
  expect(readFileSync(join(folder, 'saved.csv'), 'utf8')).toBe(
    '\ufeffForm,Problem (Countersign)\r\nx,Enter a name.\r\n'
  )
  expect(suggested).toMatch(/^[^/:]+\.xlsx$/)
})

test('sends can be searched, and the shown account’s outbox can be configured', async () => {
  work.outbox.enqueue(work.drafts.save(work.accountId, forms()).id)
  expect(await handlers()['sends.list']({ ...page, search: 'tax mere' }, asking)).toMatchObject({ total: 1 })
  expect(await handlers()['sends.list']({ ...page, search: 'nothing' }, asking)).toMatchObject({ total: 0 })
  await handlers()['outbox.configure']({ concurrency: 4, perMinute: 30, undoSeconds: 5 }, asking)
  expect(await handlers()['outbox.configure']({ perMinute: null }, asking)).toMatchObject({
    settings: { concurrency: 4, perMinute: null, undoSeconds: 5 },
    counts: { ready: 1 }
  })
})

test('with several accounts shown, one can be paused separately, and each shows its own pause', async () => {
  const { id: second } = await work.accounts.add({ kind: 'practice', name: 'Practice' })
  work.accounts.showAll(true)
  const pause = { by: 'person', since: expect.any(Number) }
  const alone = await namedAccount.run(second, () => handlers()['outbox.pause'](undefined, asking))
  expect(alone).toMatchObject({ pause })
  expect(alone).not.toHaveProperty('paused')
  const both = await handlers()['outbox.state'](undefined, asking)
  expect(both).toMatchObject({ paused: [{ accountId: second, pause }] })
  expect(both).not.toHaveProperty('pause')
  expect(work.outbox.state(work.accountId)).not.toHaveProperty('pause')
  await handlers()['outbox.pause'](undefined, asking)
  expect(await handlers()['outbox.state'](undefined, asking)).toMatchObject({
    pause,
    paused: [{ accountId: work.accountId }, { accountId: second }]
  })
  await namedAccount.run(work.accountId, () => handlers()['outbox.resume'](undefined, asking))
  expect(await handlers()['outbox.state'](undefined, asking)).toMatchObject({ paused: [{ accountId: second }] })
})
