/** Events and commands at the wrong moment, such as events of destroyed pages, change nothing they shouldn't. */
import { describe, expect, test } from 'vitest'
import { BOUNDS, gate, openOffice, PIN, signer } from './office.ts'

describe('a page', () => {
  test('that is gone is ignored', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    const { id } = await office.start(['will', 0], ['will', 1])
    const { events, media } = (await office.opens()).turn
    void office.counter.finish(id)
    await office.settled()
    const before = office.state()
    events.open()
    events.loading()
    events.returned()
    events.failed({ code: 'internal', message: 'Late.' })
    events.refused('late')
    const answers: boolean[] = []
    events.asksFor(['camera'], (granted) => answers.push(granted))
    expect(office.state()).toEqual(before)
    expect([answers, media()]).toEqual([[false], 'never'])
  })

  test('that returns twice ends its turn once', async () => {
    const office = openOffice()
    await office.start(['will', 0])
    await office.opens()
    const { returned } = office.events()
    returned()
    returned()
    await office.settled()
    expect(office.notesOf('turn-ended')).toHaveLength(1)
  })

  test('that returns behind a cover ends its turn, and a lock stays', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.counter.screenLeft('blur')
    office.events().returned()
    expect(await office.settled()).toMatchObject({ phase: 'between', current: 0, cover: 'away', isLocked: true })
    await office.counter.next(office.state().id)
    expect(office.state().phase).toBe('between')
    expect(office.pages).toHaveLength(1)
  })

  test('that continues loading behind a cover stays hidden', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    await office.counter.cover(id, 'moment')
    office.events().loading()
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'moment' })
    office.counter.show(id, BOUNDS)
    expect(office.page()?.state).toBe('hidden')
    expect((await office.counter.resume(id)).phase).toBe('loading')
    expect(office.page()?.state).toBe('shown')
  })

  test('that fails behind a lock leaves the lock in place', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.counter.screenLeft('full-screen')
    office.events().failed({ code: 'internal', message: 'The page ended.' })
    expect(office.state()).toMatchObject({ phase: 'failed', cover: 'away', isLocked: true })
    await office.counter.retry(id)
    await office.counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'failed', cover: 'away' })
  })

  test('that can’t be created fails its turn', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    office.deps.openView = () => {
      throw new Error('no window')
    }
    await office.counter.begin(id)
    expect(office.state().phase).toBe('failed')
  })

  test('that fails while it is created is wiped', async () => {
    const office = openOffice()
    const { openView } = office.deps
    office.deps.openView = (turn) => {
      const view = openView(turn)
      turn.events.failed({ code: 'unsafe-address', message: 'It isn’t safe.' })
      return view
    }
    const { id } = await office.start(['will', 0])
    await office.counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'unsafe-address' } })
    await office.time.pass(1)
    expect(office.page()?.state).toBe('destroyed')
  })

  test('that can’t be wiped doesn’t block the session, but no other is opened until it is', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    const { id } = await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.wiping = new Promise(() => undefined)
    void office.counter.finish(id)
    expect((await office.handedOn()).phase).toBe('handover')
    expect(office.notesOf('turn-ended')[0]?.detail).toMatchObject({ wiped: 'no' })
    void office.counter.begin(id)
    await office.time.pass(1)
    await office.time.pass(11_000)
    const message = expect.stringContaining('couldn’t be closed')
    expect(office.state()).toMatchObject({ phase: 'failed', error: { code: 'internal', message } })
    expect(office.pages).toHaveLength(1)
    office.wiping = Promise.resolve()
    await office.counter.retry(id)
    expect([office.state().phase, office.pages.length, office.mostPages]).toEqual(['loading', 2, 1])
  })

  test('whose wiping failed is wiped again before the next', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    const { id } = await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.wiping = Promise.reject(new Error('It would not go.'))
    void office.counter.finish(id)
    expect((await office.handedOn()).phase).toBe('handover')
    office.wiping = Promise.resolve()
    await office.counter.begin(id)
    expect(office.pages.map(({ state }) => state)).toEqual(['destroyed', 'hidden'])
  })

  test('is opened only after the previous one was wiped', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    const wiped = gate()
    office.wiping = wiped.passed
    office.events().failed({ code: 'internal', message: 'The page ended.' })
    const retry = office.counter.retry(id)
    await office.time.pass(100)
    expect(office.pages).toHaveLength(1)
    wiped.open()
    await retry
    expect([office.pages.length, office.mostPages]).toEqual([2, 1])
  })
})

describe('a command', () => {
  test('given twice works once', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    const { id } = await office.start(['will', 0], ['will', 1])
    await Promise.all([office.counter.begin(id), office.counter.begin(id)])
    expect(office.pages).toHaveLength(1)
    const both = Promise.all([office.counter.finish(id), office.counter.finish(id)])
    await office.settled()
    await both
    expect(office.notesOf('turn-ended')).toHaveLength(1)
    expect(office.state()).toMatchObject({ phase: 'between', current: 0 })
  })

  test('that doesn’t fit the phase changes nothing', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const { counter } = office
    const before = office.state()
    for (const does of [counter.resume, counter.finish, counter.next, counter.retry]) await does(id)
    await counter.cover(id, 'moment')
    await counter.zoom(id, 2)
    counter.show(id, BOUNDS)
    expect(office.state()).toEqual(before)
    expect(office.pages).toEqual([])
  })

  test('to show a page that isn’t loaded yet applies once it is', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const line = gate()
    office.line = line.passed
    const beginning = office.counter.begin(id)
    office.counter.show(id, BOUNDS)
    line.open()
    await beginning
    expect(office.page()).toMatchObject({ state: 'shown', bounds: BOUNDS })
  })

  test('to stop while the link is being requested opens no page', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const line = gate()
    office.line = line.passed
    const beginning = office.counter.begin(id)
    await office.time.pass(1)
    await office.counter.finish(id)
    expect(office.state()).toMatchObject({ phase: 'return', turns: [{ outcome: { signed: 'skipped' } }] })
    line.open()
    await beginning
    expect([office.pages, office.state().phase]).toEqual([[], 'return'])
  })

  test('to show a page doesn’t show it after the screen was left during loading', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const line = gate()
    office.line = line.passed
    const beginning = office.counter.begin(id)
    office.counter.show(id, BOUNDS)
    office.counter.screenLeft('blur')
    line.open()
    await beginning
    office.events().open()
    office.counter.show(id, BOUNDS)
    expect(office.page()?.state).toBe('hidden')
    await office.counter.unlock(id, PIN)
    expect(office.page()?.state).toBe('hidden')
    await office.counter.staff(id, 'continue', 'office')
    expect(office.state().phase).toBe('open')
    expect(office.page()?.state).toBe('shown')
  })

  test('for a session that has ended is refused', async () => {
    const office = openOffice()
    await expect(office.counter.begin('another')).rejects.toMatchObject({ appError: { code: 'gone' } })
    await expect(office.counter.unlock('another', PIN)).rejects.toMatchObject({ appError: { code: 'gone' } })
    expect(() => office.counter.touched('another')).toThrow()
  })
})
