/** An idle counter: a warning with a countdown, then the cover, then the end of the session. */
import { describe, expect, test } from 'vitest'
import { openOffice, PIN, signer } from './office.ts'

async function reading() {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
  const { id } = await office.start(['will', 0], ['will', 1])
  const page = await office.opens()
  return { office, counter: office.counter, id, page }
}

describe('an idle session', () => {
  test('warns, is covered, and ends automatically, still locked', async () => {
    const { office, page } = await reading()
    await office.time.pass(119_000)
    expect(office.state().warningUntil).toBeUndefined()
    await office.time.pass(1500)
    expect(office.state().warningUntil).toBeGreaterThan(office.time.now + 28_000)
    expect(page.state).toBe('shown')
    await office.time.pass(30_000)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'idle', isLocked: true })
    expect(office.state().warningUntil).toBeUndefined()
    expect(page.state).toBe('hidden')
    await office.time.pass(300_000)
    expect(await office.settled()).toMatchObject({ phase: 'return', isLocked: true })
    expect(page.state).toBe('destroyed')
    expect(office.state().turns.map(({ outcome }) => outcome?.signed)).toEqual(['not-yet', 'skipped'])
    expect(office.notesOf('idle').map(({ detail }) => detail)).toEqual([{ became: 'covered' }, { became: 'ended' }])
  })

  test('ends from any step: handover, cover, between two documents, failure', async () => {
    const steps = {
      handover: async () => undefined,
      camera: async (office) => {
        office.service.set('will', { ...office.service.get('will'), IDVerificationRequested: true })
        await office.opens()
        office.asks()
      },
      moment: async (office) => {
        await office.opens()
        await office.counter.cover(office.state().id, 'moment')
      },
      between: async (office) => {
        await office.opens()
        office.events().returned()
        await office.settled()
      },
      failed: async (office) => {
        await office.opens()
        office.events().failed({ code: 'timeout', message: 'Late.' })
      }
    } satisfies Record<string, (office: ReturnType<typeof openOffice>) => Promise<void>>
    for (const [step, go] of Object.entries(steps)) {
      const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example')] })
      await office.start(['will', 0], ['deed', 0])
      await go(office)
      await office.time.pass(151_000)
      expect([step, office.state().cover, office.state().isLocked]).toEqual([step, 'idle', true])
      await office.time.pass(301_000)
      expect([step, (await office.settled()).phase]).toEqual([step, 'return'])
      expect(office.pages.every(({ state }) => state === 'destroyed')).toBe(true)
    }
  })

  test('ends after the screen was left, too', async () => {
    const { office, counter } = await reading()
    counter.screenLeft('blur')
    await office.time.pass(449_000)
    expect(office.state().cover).toBe('away')
    await office.time.pass(2000)
    expect((await office.settled()).phase).toBe('return')
  })
})

describe('activity', () => {
  test('on our page or the service’s dismisses the warning', async () => {
    const { office, counter, id, page } = await reading()
    await office.time.pass(125_000)
    expect(office.state().warningUntil).toBeDefined()
    counter.touched(id)
    expect(office.state().warningUntil).toBeUndefined()
    for (let minute = 0; minute < 10; minute++) {
      await office.time.pass(60_000)
      page.turn.events.touched()
    }
    expect(office.state().phase).toBe('open')
  })

  test('such as a command dismisses the warning and restarts the idle time', async () => {
    const { office, counter, id } = await reading()
    await office.time.pass(125_000)
    await counter.cover(id, 'moment')
    expect(office.state().warningUntil).toBeUndefined()
    await office.time.pass(119_000)
    expect(office.state()).toMatchObject({ cover: 'moment' })
  })

  test('behind a lock neither unlocks the session nor prolongs it', async () => {
    const { office, counter, id } = await reading()
    await office.time.pass(151_000)
    for (let minute = 0; minute < 6; minute++) {
      counter.touched(id)
      await office.time.pass(60_000)
    }
    expect((await office.settled()).phase).toBe('return')
  })

  test('by staff pauses the idle time, and continuing restarts it', async () => {
    const { office, counter, id } = await reading()
    await office.time.pass(151_000)
    await counter.unlock(id, PIN)
    await office.time.pass(50_000)
    await counter.staff(id, 'continue', 'office')
    await office.time.pass(119_000)
    expect(office.state()).toMatchObject({ phase: 'open' })
    expect(office.state().warningUntil).toBeUndefined()
  })

  test('isn’t required while the service is being asked', async () => {
    const { office } = await reading()
    office.events().returned()
    await office.settled()
    await office.time.pass(119_000)
    expect(office.state()).toMatchObject({ phase: 'between' })
    expect(office.state().warningUntil).toBeUndefined()
  })
})
