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
const posts = () => work.line.seen.filter((request) => request.startsWith('POST')).length
/** Enough real time for something to leave that shouldn't. */
const aMoment = () => new Promise((resume) => setTimeout(resume, 50))
const inUtc = (at: number) => ({ due: new Date(at).toISOString().slice(0, 16), gmt: '0' })

describe('the time to take back', () => {
  test('is ten seconds, after which the package goes', async () => {
    const { id, hold, goesAt = 0 } = start()
    expect(hold).toBe('undo')
    expect(goesAt - work.time.now).toBeGreaterThan(9_900)
    await work.time.pass(9_900)
    await aMoment()
    expect(posts()).toBe(0)
    await work.time.pass(200)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('gives the draft back as it was, and nothing was sent', async () => {
    const { id, draftId } = start()
    expect(work.outbox.undo(id)).toMatchObject({ id: draftId, title: 'Tax file declaration' })
    expect(work.drafts.list([work.accountId]).rows).toHaveLength(1)
    expect(() => get(id)).toThrow()
    await work.time.pass(60_000)
    expect(posts()).toBe(0)
    expect(work.outbox.enqueue(draftId ?? '').state).toBe('ready')
  })

  test('is over once the package is on its way', async () => {
    work.line.setFault('hang')
    const { id } = start()
    work.outbox.sendNow(id)
    await expect.poll(posts).toBe(1)
    expect(() => work.outbox.undo(id)).toThrow()
    expect(() => work.outbox.sendNow(id)).toThrow()
    expect(get(id).state).toBe('sending')
  })

  test('can be set, and cut short', async () => {
    work.outbox.configure(work.accountId, { undoSeconds: 60 })
    const { id, goesAt = 0 } = start()
    expect(goesAt - work.time.now).toBeGreaterThan(59_000)
    expect(work.outbox.sendNow(id)).toMatchObject({ hold: 'turn' })
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('can be taken back as long as it waits, whatever it waits for', async () => {
    work.line.setFault({ status: 429 })
    const { id, draftId } = start()
    work.outbox.sendNow(id)
    await expect.poll(() => get(id).hold).toBe('rate-limited')
    expect(work.outbox.undo(id).id).toBe(draftId)
  })
})

describe('a clock that jumps', () => {
  test.each([
    ['back by a day', -24 * HOUR],
    ['back by a second', -1000],
    ['ahead by a year', 365 * 24 * HOUR]
  ])('%s makes the time to take back neither longer nor shorter', async (_, jump) => {
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

  test('while the application is closed, back by a day: the undo window begins again, and no more', async () => {
    const { id } = start()
    work.time.now -= 24 * HOUR
    work.restart()
    expect((get(id).goesAt ?? 0) - work.time.now).toBeLessThanOrEqual(10_001)
    await work.time.pass(10_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })
})

describe('sending at a given time', () => {
  test('waits for it, also over a restart', async () => {
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

  test('is done soon after the computer wakes, where its time came in the meantime', async () => {
    const { id } = start(work.time.now + 10 * HOUR)
    work.time.now += 11 * HOUR
    work.outbox.resumed()
    await work.time.pass(61_000)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('is not done early because the clock jumps ahead while the application runs', async () => {
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

  test('is measured from when the time was given, also after a jump', async () => {
    work.time.now += 11 * HOUR
    const { id } = start(work.time.now + HOUR)
    await work.time.pass(1.1 * HOUR)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('can be cut short or taken back', async () => {
    const { id } = start(work.time.now + HOUR)
    work.outbox.sendNow(id)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
    const other = start(work.time.now + HOUR)
    expect(work.outbox.undo(other.id).id).toBe(other.draftId)
  })

  test('keeps nothing else from going', async () => {
    start(work.time.now + HOUR)
    const { id } = start()
    await work.time.pass(10_100)
    expect(await work.whenEnded(id)).toMatchObject({ state: 'sent' })
  })

  test('a due date that would pass before then is refused at once', () => {
    const id = draft(inUtc(work.time.now + HOUR))
    expect(() => work.outbox.enqueue(id, { at: work.time.now + 2 * HOUR })).toThrow()
  })

  test('a due date that has passed when it is to leave is refused with plain words, and not sent', async () => {
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
