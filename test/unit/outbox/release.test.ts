/**
 * Packages that another member of staff has to release: nothing else lets them be sent, and each is sent once.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PackageRow } from '../../../src/main/core/bulk/dry-run.ts'
import { form, forms, signer } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const BEN = { id: 'ben', name: 'Ben Tui' }
const ANA = { id: 'ana', name: 'Ana Reweti' }
const YEARS = 40 * 365 * 24 * 60 * 60_000

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
  work.staff.above = 0
  work.staff.who = BEN
})
afterEach(() => work.close())

const outbox = () => work.parts.outbox
const start = (at?: number) => outbox().enqueue(work.parts.drafts.save(work.accountId, forms()).id, { at })
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
/** Passes enough time for anything due to be sent. */
async function muchLater(): Promise<void> {
  await work.time.pass(YEARS)
  await new Promise((resume) => setTimeout(resume, 50))
}
function batch(count: number) {
  const rows: PackageRow[] = Array.from({ length: count }, (_, index) => ({
    row: index + 1,
    cells: [],
    composition: forms({ items: [form({ signers: [signer({ Email: `row${index}@example.com` })] })] })
  }))
  return outbox().addBatch({ accountId: work.accountId, name: 'Tax forms', columns: [], rows, leftOut: [] })
}
const refusal = (code: string) => expect.objectContaining({ appError: expect.objectContaining({ code }) })

describe('a package that someone else must release', () => {
  test('waits indefinitely, even after a restart, and can’t be sent earlier', async () => {
    const { id } = start()
    expect(outbox().get(id)).toMatchObject({ state: 'ready', hold: 'release', release: { by: 'Ben Tui' } })
    await muchLater()
    work.restart()
    await muchLater()
    await expect(outbox().sendNow(id)).rejects.toEqual(refusal('not-allowed'))
    await expect(outbox().reschedule(id, work.time.now + YEARS)).rejects.toThrow(refusal('busy'))
    expect(outbox().get(id)).toMatchObject({ state: 'ready', hold: 'release' })
    expect(posts()).toBe(0)
  })

  test('needs attention until it is released, and shows its content', async () => {
    const attention = { show: 'attention', offset: 0, limit: 10 } as const
    const { id } = start()
    expect(outbox().state(work.accountId).releases).toEqual({ undecided: 1, refused: 0 })
    expect(outbox().list([work.accountId], attention)).toMatchObject({ rows: [{ id }], total: 1 })
    expect(await outbox().search([work.accountId], start().title, attention)).toMatchObject({ total: 2 })
    expect(outbox().compositionOf(id).items).toMatchObject(forms().items)
    work.staff.who = ANA
    await outbox().release(id)
    expect(outbox().get(id)).toMatchObject({ release: { decidedAt: expect.any(Number) } })
    expect(outbox().list([work.accountId], attention).total).toBe(1)
  })

  test('is sent once after someone else releases it', async () => {
    const { id } = start()
    work.staff.who = ANA
    await outbox().release(id)
    expect(await work.whenEnded(id)).toMatchObject({
      state: 'sent',
      release: { by: 'Ben Tui', released: 'Ana Reweti' }
    })
    await expect(outbox().release(id)).rejects.toThrow(refusal('busy'))
    await work.time.pass(60_000)
    expect(work.receivedRequests('SendForms2')).toHaveLength(1)
  })

  test('can’t be released or refused by its sender', async () => {
    const { id } = start()
    await expect(outbox().release(id)).rejects.toThrow(refusal('not-allowed'))
    await expect(outbox().refuse(id, 'Mine.')).rejects.toThrow(refusal('not-allowed'))
    // Joining an office gives some staff another id.
    work.staff.who = { ...BEN, id: 'ben-at-the-office' }
    await expect(outbox().release(id)).rejects.toThrow(refusal('not-allowed'))
    expect(outbox().get(id)).toMatchObject({ hold: 'release' })
  })

  test('still needs its release when retried after the office server was restored', async () => {
    const { id } = start()
    work.parts.db.prepare("UPDATE sends SET state = 'not-sent', settled_at = 1 WHERE id = ?").run(id)
    work.restart()
    expect(outbox().retry(id)).toMatchObject({ state: 'ready', hold: 'release' })
    await muchLater()
    work.staff.who = ANA
    expect(posts()).toBe(0)
    await outbox().release(id)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent', attempt: 1 })
  })

  test('is sent at its scheduled time', async () => {
    const at = work.clock() + 3_600_000
    const { id } = start(at)
    work.staff.who = ANA
    expect(await outbox().release(id)).toMatchObject({ hold: 'time', goesAt: at })
    expect(posts()).toBe(0)
    await work.time.pass(3_600_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('stays with the reason when refused, and undoing it makes it a draft again', async () => {
    const { id } = start()
    work.staff.who = ANA
    await outbox().refuse(id, 'Wrong address.')
    expect(outbox().get(id)).toMatchObject({
      state: 'ready',
      hold: 'release',
      release: { by: 'Ben Tui', refused: { by: 'Ana Reweti', reason: 'Wrong address.' } }
    })
    expect(outbox().state(work.accountId).releases).toEqual({ undecided: 0, refused: 1 })
    await expect(outbox().release(id)).rejects.toThrow(refusal('busy'))
    await muchLater()
    expect(posts()).toBe(0)
    const draft = outbox().undo(id)
    expect(outbox().list([work.accountId], { show: 'all', offset: 0, limit: 10 }).total).toBe(0)
    // The new send needs a release of its own.
    expect(outbox().enqueue(draft.id)).toMatchObject({ hold: 'release', release: { by: 'Ana Reweti' } })
  })

  test('is one with more recipients than the rule allows', async () => {
    work.staff.above = 1
    const one = start()
    expect(one).toMatchObject({ hold: 'undo' })
    expect(one).not.toHaveProperty('release')
    // They are two people, even if a file gives them the same key.
    const two = [signer({ key: 'one' }), signer({ key: 'one', Email: 'two@example.com' })]
    const draft = work.parts.drafts.save(work.accountId, forms({ items: [form({ signers: two })] }))
    expect(outbox().enqueue(draft.id)).toMatchObject({ hold: 'release' })
  })
})

describe('a batch', () => {
  test('waits as a whole, and one release sends each row once', async () => {
    work.staff.above = 20
    const { id } = await batch(3)
    expect(outbox().batches.get(id)).toMatchObject({ release: { by: 'Ben Tui' }, counts: { ready: 3 } })
    expect(outbox().state(work.accountId).releases).toEqual({ undecided: 1, refused: 0 })
    await muchLater()
    expect(posts()).toBe(0)
    expect(() => outbox().batches.release(id)).toThrow(refusal('not-allowed'))
    work.staff.who = ANA
    expect(outbox().batches.release(id)).not.toHaveProperty('release')
    await expect
      .poll(async () => {
        await work.time.pass(10_000)
        return outbox().batches.get(id).counts.sent
      })
      .toBe(3)
    expect(() => outbox().batches.release(id)).toThrow(refusal('busy'))
    expect(posts()).toBe(3)
  })

  test('can be cancelled while it waits', async () => {
    const { id } = await batch(2)
    await outbox().batches.cancel(id)
    expect(outbox().batches.get(id)).toMatchObject({ state: 'done', counts: { cancelled: 2 } })
    work.staff.who = ANA
    expect(() => outbox().batches.release(id)).toThrow(refusal('busy'))
    expect(posts()).toBe(0)
  })
})
