/** Undoing a send, sending at a given time, and clocks that jump. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forms } from '../../fixtures/compositions.ts'
import { openWorkplace, type Workplace } from '../../fixtures/workplace.ts'

const HOUR = 3_600_000

let work: Workplace
beforeEach(async () => {
  work = await openWorkplace()
})
afterEach(() => work.close())

const draft = (changes = {}) => work.parts.drafts.save(work.accountId, forms(changes)).id
const start = (at?: number) => work.parts.outbox.enqueue(draft(), { at })
const get = (id: string) => work.parts.outbox.get(id)
const posts = () => work.line.requests.filter((request) => request.startsWith('POST')).length
/** Enough real time for something to be sent that shouldn't be. */
const aMoment = () => new Promise((resume) => setTimeout(resume, 50))
const refusal = (code: string) => expect.objectContaining({ appError: expect.objectContaining({ code }) })
const inUtc = (at: number) => ({ due: new Date(at).toISOString().slice(0, 16), gmt: '0' })

describe('the undo period', () => {
  test('is ten seconds, after which the package is sent', async () => {
    const { id, hold, goesAt = 0 } = start()
    expect(hold).toBe('undo')
    expect(goesAt - work.time.now).toBeGreaterThan(9_900)
    await work.time.pass(9_900)
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(200)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('lets a send be undone, which restores its draft and sends nothing', async () => {
    const { id, draftId } = start()
    expect(work.outbox.undo(id)).toMatchObject({ id: draftId, title: 'Tax file declaration' })
    expect(work.drafts.list([work.accountId]).rows).toHaveLength(1)
    expect(() => get(id)).toThrow()
    await work.time.pass(60_000)
    expect(posts()).toBe(0)
    expect(work.outbox.enqueue(draftId ?? '').state).toBe('ready')
  })

  test('is over once sending has begun', async () => {
    work.line.setFault('hang')
    const { id } = start()
    work.outbox.sendNow(id)
    await expect.poll(posts).toBe(1)
    expect(() => work.outbox.undo(id)).toThrow()
    await expect(work.outbox.sendNow(id)).rejects.toThrow()
    expect(get(id).state).toBe('sending')
  })

  test('can be configured, and skipped', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 60 })
    const { id, goesAt = 0 } = start()
    expect(goesAt - work.time.now).toBeGreaterThan(59_000)
    expect(await work.outbox.sendNow(id)).toMatchObject({ hold: 'turn' })
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('doesn’t limit undo: a send can be undone while it waits for something else', async () => {
    work.line.setFault({ status: 429 })
    const { id, draftId } = start()
    work.outbox.sendNow(id)
    await expect.poll(() => get(id).hold).toBe('rate-limited')
    expect(work.outbox.undo(id).id).toBe(draftId)
  })
})

describe('when the clock jumps', () => {
  test.each([
    ['back by a day', -24 * HOUR],
    ['back by a second', -1000],
    ['ahead by a year', 365 * 24 * HOUR]
  ])('%s, the undo period gets neither longer nor shorter', async (_, jump) => {
    const { id } = start()
    await work.time.pass(5_000)
    work.time.now += jump
    expect((get(id).goesAt ?? 0) - work.time.now).toBeGreaterThan(4_900)
    expect((get(id).goesAt ?? 0) - work.time.now).toBeLessThan(5_100)
    await work.time.pass(4_800)
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(300)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('back by a day while the application is closed, the undo period starts once more', async () => {
    const { id } = start()
    work.time.now -= 24 * HOUR
    work.restart()
    expect((get(id).goesAt ?? 0) - work.time.now).toBeLessThanOrEqual(10_001)
    await work.time.pass(10_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })
})

describe('sending at a scheduled time', () => {
  test('waits for that time, even across a restart', async () => {
    const at = work.time.now + 3 * HOUR
    const { id, hold, goesAt } = start(at)
    expect({ hold, goesAt }).toEqual({ hold: 'time', goesAt: at })
    await work.time.pass(HOUR)
    work.restart()
    await work.time.pass(1.9 * HOUR)
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(0.2 * HOUR)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('happens soon after the computer wakes, if the time has come', async () => {
    const { id } = start(work.time.now + 10 * HOUR)
    work.time.now += 11 * HOUR
    work.outbox.resumed()
    await work.time.pass(61_000)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('isn’t early if the clock jumps ahead while the application runs', async () => {
    const { id } = start(work.time.now + 10 * HOUR)
    work.time.now += 11 * HOUR
    await work.time.pass(HOUR)
    await aMoment()
    expect(get(id)).toMatchObject({ state: 'ready', hold: 'time' })
    expect((get(id).goesAt ?? 0) - work.time.now).toBeGreaterThan(8.9 * HOUR)
    expect(posts()).toBe(0)
    await work.time.pass(9.1 * HOUR)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('counts from when it was scheduled, even after the clock has jumped', async () => {
    work.time.now += 11 * HOUR
    const { id } = start(work.time.now + HOUR)
    await work.time.pass(1.1 * HOUR)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('can be changed, earlier and later, and the package is sent once', async () => {
    const at = work.time.now + 3 * HOUR
    const { id } = start(at)
    const later = at + 2 * HOUR
    expect(await work.outbox.reschedule(id, later)).toMatchObject({ hold: 'time', goesAt: later })
    work.restart()
    await work.time.pass(4 * HOUR)
    await aMoment()
    expect(posts()).toBe(0)
    const sooner = work.time.now + 60_000
    expect(await work.parts.outbox.reschedule(id, sooner)).toMatchObject({ hold: 'time', goesAt: sooner })
    await work.time.pass(62_000)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    await work.time.pass(3 * HOUR)
    expect(posts()).toBe(1)
  })

  test('can’t be changed to a time that has passed, nor to one when it is due', async () => {
    const due = Math.ceil(work.time.now / 60_000) * 60_000 + 5 * HOUR
    const scheduled = work.time.now + HOUR
    const { id } = work.outbox.enqueue(draft(inUtc(due)), { at: scheduled })
    await expect(work.outbox.reschedule(id, work.time.now)).rejects.toThrow(refusal('invalid'))
    await expect(work.outbox.reschedule(id, due)).rejects.toThrow(refusal('invalid'))
    expect(get(id)).toMatchObject({ hold: 'time', goesAt: scheduled })
    await work.outbox.reschedule(id, due - HOUR)
  })

  test('can’t be changed once the package leaves', async () => {
    work.line.setFault('hang')
    const at = work.time.now + HOUR
    const { id } = start(at)
    await work.time.pass(HOUR)
    await expect(work.outbox.reschedule(id, at + HOUR)).rejects.toThrow(refusal('busy'))
    await expect.poll(posts).toBe(1)
    expect(get(id).state).toBe('sending')
    await expect(work.outbox.reschedule(id, at + HOUR)).rejects.toThrow(refusal('busy'))
    expect(posts()).toBe(1)
  })

  test('can be changed in the last moment: it is then sent at the new time only', async () => {
    const at = work.time.now + HOUR
    const { id } = start(at)
    await work.time.pass(HOUR - 5_000)
    const changed = work.outbox.reschedule(id, at + HOUR)
    await work.time.pass(10_000)
    expect(await changed).toMatchObject({ hold: 'time', goesAt: at + HOUR })
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(HOUR)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    expect(posts()).toBe(1)
  })

  test('can’t be changed of a package that isn’t scheduled, or may have arrived', async () => {
    const { id } = start()
    await expect(work.outbox.reschedule(id, work.time.now + HOUR)).rejects.toThrow(refusal('busy'))
    work.line.setFault('lose-answer')
    work.outbox.sendNow(id)
    await expect.poll(() => get(id).state).toBe('uncertain')
    await expect(work.outbox.reschedule(id, work.time.now + HOUR)).rejects.toThrow(refusal('busy'))
  })

  test('can be skipped or undone', async () => {
    const { id } = start(work.time.now + HOUR)
    work.outbox.sendNow(id)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    const other = start(work.time.now + HOUR)
    expect(work.outbox.undo(other.id).id).toBe(other.draftId)
  })

  test('doesn’t delay other packages', async () => {
    start(work.time.now + HOUR)
    const { id } = start()
    await work.time.pass(10_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('is refused immediately if the due date would pass before it', () => {
    const id = draft(inUtc(work.time.now + HOUR))
    expect(() => work.outbox.enqueue(id, { at: work.time.now + 2 * HOUR })).toThrow()
  })

  test('is refused with a clear message if the due date has passed by then', async () => {
    const id = draft(inUtc(work.time.now + 2 * HOUR))
    const send = work.outbox.enqueue(id, { at: work.time.now + HOUR })
    work.time.now += 3 * HOUR
    work.outbox.resumed()
    await work.time.pass(61_000)
    expect(await work.whenEnded(send.id)).toMatchObject({
      state: 'refused',
      attempt: 0,
      error: { message: expect.stringContaining('due date passed'), mayHaveArrived: false }
    })
    expect(posts()).toBe(0)
    expect(work.drafts.list([work.accountId]).rows).toMatchObject([{ id }])
    expect(() => work.outbox.retry(send.id)).toThrow()
  })
})
