/** While a page is open the folders are polled, so the person's answer is noticed without anyone reporting it. */
import { describe, expect, test } from 'vitest'
import { BOUNDS, gate, later, OFFLINE, openOffice, PIN, signer } from './office.ts'

/**
 * Returns an office with an open signing page. The page is the service's, so nothing in it leads back to the
 * application.
 */
async function reading(office = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })) {
  const { id } = await office.start(['will', 0], ['will', 1])
  await office.opens()
  return { office, counter: office.counter, id }
}

describe('a page that never returns to the application', () => {
  test.each([
    ['signed', 'signs', 'signed'],
    ['declined', 'declines', 'declined']
  ] as const)('is closed automatically once they have %s, and they are thanked', async (_what, does, outcome) => {
    const { office } = await reading()
    office[does]('will', 0)
    await office.looked()
    expect(office.state().phase).toBe('open')
    await office.time.pass(4000)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: outcome })
    expect(office.page()?.state).toBe('destroyed')
    expect(office.state().phase).toBe(outcome === 'signed' ? 'between' : 'return')
    expect(office.notesOf('turn-ended')[0]?.detail).toMatchObject({ outcome })
  })

  test('stays a few seconds, and if it does return, the turn ends once', async () => {
    const { office } = await reading()
    office.signs('will', 0)
    await office.looked()
    await office.time.pass(3900)
    expect(office.state().phase).toBe('open')
    office.events().returned()
    await office.settled()
    await office.time.pass(4000)
    expect([office.state().phase, office.notesOf('turn-ended').length]).toEqual(['between', 1])
  })

  test('stays open until the service has the person’s answer, whatever else changes', async () => {
    const { office } = await reading()
    office.change('will', 1, { FirstName: 'Benjamin' })
    await office.looked()
    office.service.delete('will')
    await office.looked()
    await office.time.pass(60_000)
    expect([office.state().phase, office.page()?.state]).toEqual(['open', 'shown'])
  })

  test('stays while they have asked for help, and is closed once they continue', async () => {
    const { office, counter, id } = await reading()
    await counter.cover(id, 'help')
    office.signs('will', 0)
    await office.looked()
    await office.time.pass(60_000)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'help' })
    await counter.resume(id)
    await office.time.pass(0)
    await office.time.pass(4000)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })

  test('is closed behind a lock, too, and stays locked: staff at another screen read that they have signed', async () => {
    for (const place of ['here', 'other-display'] as const) {
      for (const by of ['idle', 'away'] as const) {
        const there = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })
        there.place = place
        const { office, counter } = await reading(there)
        if (by === 'idle') await office.time.pass(150_000)
        else counter.screenLeft('blur')
        expect(office.state()).toMatchObject({ phase: 'covered', cover: by, isLocked: true })
        office.signs('will', 0)
        await office.looked()
        await office.time.pass(4000)
        expect(await office.settled()).toMatchObject({
          phase: 'between',
          cover: by,
          isLocked: true,
          turns: [{ outcome: { signed: 'signed' } }, {}]
        })
        expect(office.page()?.state).toBe('destroyed')
      }
    }
  })

  test('is closed at the second display while they take a moment, without staff', async () => {
    const there = openOffice({ will: [signer('Ann Example'), later('Ben Example')] })
    there.place = 'other-display'
    const { office, counter, id } = await reading(there)
    await counter.cover(id, 'moment')
    office.signs('will', 0)
    await office.looked()
    await office.time.pass(4000)
    expect(await office.settled()).toMatchObject({ phase: 'between', turns: [{ outcome: { signed: 'signed' } }, {}] })
    expect([office.state().cover, office.page()?.state]).toEqual([undefined, 'destroyed'])
  })

  test('isn’t closed by the previous signer’s answer', async () => {
    const { office, counter, id } = await reading()
    office.signs('will', 0)
    await office.looked()
    office.events().returned()
    await office.settled()
    await counter.next(id)
    await office.opens()
    await office.time.pass(10_000)
    expect(office.state()).toMatchObject({ phase: 'open', current: 1 })
  })

  test('counts as signed even if it failed after they had signed', async () => {
    const { office } = await reading()
    office.events().failed({ code: 'timeout', message: 'Late.' })
    office.signs('will', 0)
    await office.looked()
    await office.time.pass(4000)
    expect((await office.settled()).turns[0]?.outcome).toEqual({ signed: 'signed' })
  })
})

describe('when staff arrives', () => {
  test('at a locked screen after the person signed, the session moves on to the next turn', async () => {
    const { office, counter, id } = await reading()
    await office.time.pass(150_000)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'idle', isLocked: true })
    office.signs('will', 0)
    expect(await counter.unlock(id, PIN)).toMatchObject({
      phase: 'between',
      cover: 'staff',
      coveredBy: 'idle',
      turns: [{ outcome: { signed: 'signed' } }, {}]
    })
    expect(office.page()?.state).toBe('destroyed')
  })

  test('after the last person signed, the session ends immediately', async () => {
    const { office, counter, id } = await reading(openOffice({ will: [signer('Ann Example'), signer('Ben Example')] }))
    office.signs('will', 0)
    office.events().returned()
    await office.settled()
    await counter.next(id)
    await office.opens()
    counter.screenLeft('blur')
    office.signs('will', 1)
    expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'ended' })
    expect(office.isTaken).toBe(false)
  })

  test('and the service has no answer or is unreachable, the page is as it was left', async () => {
    const { office, counter, id } = await reading()
    counter.screenLeft('blur')
    office.trouble = OFFLINE
    expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'covered', cover: 'staff' })
    await counter.staff(id, 'continue', 'person')
    counter.show(id, BOUNDS)
    expect([office.state().phase, office.page()?.state]).toEqual(['open', 'shown'])
  })

  test('the service is waited for only briefly', async () => {
    const { office, counter, id } = await reading()
    counter.screenLeft('blur')
    office.line = new Promise(() => {})
    const unlocked = counter.unlock(id, PIN)
    await office.time.pass(0)
    await office.time.pass(1500)
    expect(await unlocked).toMatchObject({ phase: 'covered', cover: 'staff' })
  })

  test.each(['the PIN is checked', 'the service is asked'])(
    'and leaves again while %s, the screen stays locked',
    async (moment) => {
      const { office, counter, id } = await reading()
      counter.screenLeft('blur')
      const { passed, open } = gate()
      if (moment === 'the PIN is checked') office.checking = passed
      else office.line = passed
      const unlocked = counter.unlock(id, PIN)
      await office.time.pass(0)
      counter.screenLeft('locked')
      open()
      expect(await unlocked).toMatchObject({ phase: 'covered', cover: 'away', isLocked: true })
      await expect(counter.staff(id, 'end', 'person')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
      expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'covered', cover: 'staff' })
    }
  )

  test('and leaves again while the PIN that ends the session is checked, the screen stays locked', async () => {
    const { office, counter, id } = await reading()
    office.declines('will', 0)
    office.events().returned()
    expect(await office.settled()).toMatchObject({ phase: 'return', isLocked: true })
    const { passed, open } = gate()
    office.checking = passed
    const unlocked = counter.unlock(id, PIN)
    counter.screenLeft('locked')
    open()
    expect(await unlocked).toMatchObject({ phase: 'return', isLocked: true })
    expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'ended' })
  })
})

test('the session has an account to poll until staff has the screen back', async () => {
  const { office, counter, id } = await reading()
  expect(counter.sessionAccountId()).toBe('office')
  counter.screenLeft('blur')
  await counter.unlock(id, PIN)
  void counter.staff(id, 'end', 'person')
  await office.time.pass(0)
  expect([(await office.settled()).phase, counter.sessionAccountId()]).toEqual(['ended', undefined])
})

describe('an answer from the service', () => {
  test('that arrives while staff ends the session is recorded once', async () => {
    const { office, counter, id } = await reading()
    counter.screenLeft('blur')
    await counter.unlock(id, PIN)
    const ended = counter.staff(id, 'end', 'person')
    await office.time.pass(0)
    expect(office.state().phase).toBe('asking')
    office.signs('will', 0)
    await office.looked()
    await office.time.pass(10_000)
    await office.settled()
    expect(await ended).toMatchObject({ phase: 'ended', turns: [{ outcome: { signed: 'signed' } }, {}] })
    expect(office.notesOf('turn-ended').filter(({ signerName }) => signerName === 'Ann Example')).toHaveLength(1)
    expect([office.notesOf('session-ended').length, office.page()?.state]).toEqual([1, 'destroyed'])
  })

  test('that the next one contradicts isn’t reported as signed, and the page can be opened again', async () => {
    const { office, counter, id } = await reading()
    office.signs('will', 0)
    await office.looked()
    office.change('will', 0, { ...signer('Ann Example'), HasSigned: false })
    await office.looked()
    await office.time.pass(4000)
    const { turns, phase } = await office.settled()
    expect([turns[0]?.outcome, phase]).toEqual([{ signed: 'not-yet' }, 'between'])
    expect(office.notesOf('turn-ended').map(({ detail }) => detail?.outcome)).not.toContain('signed')
    await counter.retry(id)
    expect(office.state().phase).toBe('loading')
  })
})
