/** Each person's screen preferences: language, size, contrast, and more time before the screen counts as idle. */
import { describe, expect, test } from 'vitest'
import { openOffice, PIN, signer } from './office.ts'

const FIRST = { language: 'en', textSize: 1, highContrast: false, moreTime: false }

/** Starts a session in which Ann signs two documents and Ben one. */
async function sitting() {
  const office = openOffice({
    will: [signer('Ann Example')],
    deed: [signer('Ann Example')],
    lease: [signer('Ben Example')]
  })
  const { id } = await office.start(['will', 0], ['deed', 0], ['lease', 0])
  const adjust = (changes: Parameters<typeof office.counter.adjust>[1]) => office.counter.adjust(id, changes)
  /** The person signs and goes on to the next turn. */
  async function signed(reference: string) {
    office.signs(reference, 0)
    office.events().returned()
    await office.settled()
    await office.counter.next(id)
    await office.settled()
  }
  return { office, id, adjust, signed }
}

describe('a person’s preferences', () => {
  test('apply to all their documents, and not to the next person or staff', async () => {
    const { office, id, adjust, signed } = await sitting()
    expect(office.state().preferences).toEqual(FIRST)
    await adjust({ language: 'mi' })
    await adjust({ textSize: 2, highContrast: true })
    const theirs = { ...FIRST, language: 'mi', textSize: 2, highContrast: true }
    expect([office.state().preferences, office.enlarged]).toEqual([theirs, 2])
    const page = await office.opens()
    await office.counter.zoom(id, 2.5)
    expect([office.state().zoom, page.zoom]).toEqual([2.5, 2.5])
    await signed('will')
    expect([office.state().current, office.state().preferences]).toEqual([1, theirs])
    expect(office.page()?.languages).toEqual(['mi,en'])
    await signed('deed')
    const { phase, preferences, zoom } = office.state()
    expect([phase, preferences, zoom, office.enlarged]).toEqual(['handover', FIRST, 1, 1])
    expect((await office.opens()).zoom).toBe(1)
    expect(office.page()?.languages).toEqual(['en-NZ,en'])
    await signed('lease')
    await office.counter.unlock(office.state().id, PIN)
    expect(office.enlarged).toBe(1)
  })

  test('are restored when the same person gets the screen back, but not in another session', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')], deed: [signer('Ann Example')] })
    const { id } = await office.start(['will', 0], ['will', 1], ['deed', 0])
    await office.counter.adjust(id, { language: 'ar' })
    await office.opens()
    for (const [reference, index] of [
      ['will', 0],
      ['will', 1]
    ] as const) {
      if (office.state().phase === 'handover') await office.opens()
      office.signs(reference, index)
      office.events().returned()
      await office.settled()
      await office.counter.next(id)
      await office.settled()
    }
    expect([office.state().current, office.state().preferences.language]).toEqual([2, 'ar'])
    // The language of their receipt, available while the session is shown.
    const languageOf = (name: string, session = id) => office.counter.languageOf(session, { name })
    expect([languageOf('Ann Example'), languageOf('Ben Example'), languageOf('Nobody')]).toEqual([
      'ar',
      undefined,
      undefined
    ])
    expect(languageOf('Ann Example', 'another')).toBeUndefined()
    await office.opens()
    expect(office.page()?.languages).toEqual(['ar,en'])
  })

  test('change the open page, which is requested in the new language from then on', async () => {
    const { office, adjust } = await sitting()
    await office.opens()
    await adjust({ language: 'mi' })
    await adjust({ textSize: 1.5 })
    expect(office.page()).toMatchObject({ languages: ['en-NZ,en', 'mi,en'], zoom: 1.5 })
    expect(office.state().phase).toBe('open')
  })

  test('can be changed behind a lock, which stays', async () => {
    const { office, adjust } = await sitting()
    await office.opens()
    office.counter.screenLeft('blur')
    await adjust({ language: 'mi' })
    expect(office.state()).toMatchObject({ cover: 'away', isLocked: true, preferences: { language: 'mi' } })
    expect(office.page()?.state).toBe('hidden')
  })

  test('are limited to what the office offers', async () => {
    const { office, adjust } = await sitting()
    await expect(adjust({ language: 'hi' })).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
    expect(office.state().offers).toEqual({ languages: ['mi', 'ar'], moreTime: true })
    const strict = openOffice()
    strict.settings.moreTime = 1
    const { id } = await strict.start(['will', 0])
    expect(strict.state().offers.moreTime).toBe(false)
    await expect(strict.counter.adjust(id, { moreTime: true })).rejects.toMatchObject({
      appError: { code: 'not-allowed' }
    })
    // English is always available, whatever the office offers.
    expect((await strict.counter.adjust(id, { language: 'en' })).preferences).toEqual(FIRST)
  })

  test('are recorded nowhere', async () => {
    const { office, adjust } = await sitting()
    await adjust({ language: 'ar', textSize: 2, highContrast: true, moreTime: true })
    await office.opens()
    const written = JSON.stringify([office.notes, office.marker])
    expect(written).not.toMatch(/"ar"|language|preferences|textSize|moreTime/i)
  })
})

describe('more time', () => {
  test('delays and prolongs the warning, for that person only', async () => {
    const { office, adjust } = await sitting()
    await adjust({ moreTime: true })
    await office.time.pass(359_000)
    expect(office.state().warningUntil).toBeUndefined()
    await office.time.pass(1500)
    expect(office.state().warningUntil).toBeGreaterThan(office.time.now + 88_000)
    await office.time.pass(60_000)
    expect(office.state().cover).toBeUndefined()
    await office.time.pass(30_000)
    expect(office.state()).toMatchObject({ cover: 'idle', isLocked: true })
  })

  test('requested during the warning dismisses it', async () => {
    const { office, adjust } = await sitting()
    await office.time.pass(121_000)
    expect(office.state().warningUntil).toBeDefined()
    await adjust({ moreTime: true })
    expect(office.state().warningUntil).toBeUndefined()
    await office.time.pass(200_000)
    expect(office.state().warningUntil).toBeUndefined()
  })

  test('doesn’t apply to staff or to a screen that was left', async () => {
    const { office, id, adjust } = await sitting()
    await adjust({ moreTime: true })
    await office.opens()
    await office.counter.cover(id, 'help')
    await office.counter.unlock(id, PIN)
    await office.time.pass(61_000)
    expect(office.state()).toMatchObject({ cover: 'away', isLocked: true })
    await office.time.pass(451_000)
    expect((await office.settled()).phase).toBe('return')
  })
})
