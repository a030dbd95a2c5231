/** Overlays and locks: which the person may dismiss, which only staff can, and what staff does then. */
import { describe, expect, test } from 'vitest'
import type { LeaveReason } from '../../../src/main/core/counter/deps.ts'
import { BOUNDS, gate, openOffice, PIN, SECRET, signer } from './office.ts'

const failure = (code: string) => ({ appError: { code } })

/** Returns an office whose first signer is reading their page. */
async function reading(place: 'here' | 'other-display' = 'here') {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
  office.place = place
  const { id } = await office.start(['will', 0], ['will', 1])
  const page = await office.opens()
  return { office, counter: office.counter, id, page }
}

describe('the person’s own cover', () => {
  test.each(['moment', 'help', 'finish', 'stop'] as const)(
    '“%s” hides the page and can be removed again',
    async (why) => {
      const { office, counter, id, page } = await reading()
      expect(await counter.cover(id, why)).toMatchObject({ phase: 'covered', cover: why, isLocked: false })
      expect(page.state).toBe('hidden')
      expect(await counter.resume(id)).toMatchObject({ phase: 'open' })
      expect(office.state().cover).toBeUndefined()
      expect(page).toMatchObject({ state: 'shown', bounds: BOUNDS })
    }
  )

  test('can be replaced by another, and by finishing', async () => {
    const { counter, id, office } = await reading()
    await counter.cover(id, 'moment')
    expect((await counter.cover(id, 'finish')).cover).toBe('finish')
    void counter.finish(id)
    expect((await office.handedOn()).phase).toBe('handover')
  })

  test('keeps the chosen zoom, and the next person starts with the usual one', async () => {
    const { counter, id, office, page } = await reading()
    expect((await counter.zoom(id, 1.5)).zoom).toBe(1.5)
    expect(page.zoom).toBe(1.5)
    void counter.finish(id)
    expect((await office.handedOn()).zoom).toBe(1)
  })
})

describe('a screen that was left', () => {
  const ways: LeaveReason[] = ['blur', 'full-screen', 'hidden', 'closing', 'display', 'locked', 'page']
  test.each(ways)('(%s) is locked, and no command of the person unlocks it', async (by) => {
    const { office, counter, id, page } = await reading()
    counter.screenLeft(by)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'away', isLocked: true })
    expect(page.state).toBe('hidden')
    await counter.resume(id)
    await counter.cover(id, 'moment')
    await counter.finish(id)
    await counter.next(id)
    counter.show(id, BOUNDS)
    counter.touched(id)
    expect(office.state()).toMatchObject({ phase: 'covered', cover: 'away', isLocked: true })
    expect(page.state).toBe('hidden')
    expect(office.notesOf('left')).toMatchObject([{ detail: { by } }])
  })

  test('hides the page before anything is recorded', async () => {
    for (const what of ['left', 'idle'] as const) {
      const { office, counter, page } = await reading()
      const noted: string[] = []
      office.notes.push = (note) => noted.push(`${note.what}: ${page.state}`)
      if (what === 'left') counter.screenLeft('blur')
      else await office.time.pass(150_000)
      expect(noted).toEqual([`${what}: hidden`])
    }
  })

  test('is recorded once, even if reported several times', async () => {
    const { counter, office } = await reading()
    for (const by of ['blur', 'hidden', 'locked'] as const) counter.screenLeft(by)
    expect(office.notesOf('left')).toHaveLength(1)
  })

  test('is locked at the handover, between two documents and after a failure, too', async () => {
    const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example')] })
    const { id } = await office.start(['will', 0], ['deed', 0])
    const { counter } = office
    counter.screenLeft('blur')
    await counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'handover', cover: 'away', isLocked: true })
    await counter.unlock(id, PIN)
    await counter.begin(id)
    expect(office.state()).toMatchObject({ phase: 'handover', cover: 'staff', isLocked: false })
    await counter.staff(id, 'continue', 'office')
    await office.opens()
    office.events().failed({ code: 'timeout', message: 'Late.' })
    counter.screenLeft('blur')
    await counter.retry(id)
    expect(office.state()).toMatchObject({ phase: 'failed', cover: 'away' })
    await counter.unlock(id, PIN)
    await counter.staff(id, 'continue', 'office')
    void counter.next(id)
    expect(await office.settled()).toMatchObject({ phase: 'between' })
    counter.screenLeft('blur')
    await counter.next(id)
    expect(office.state()).toMatchObject({ phase: 'between', cover: 'away', isLocked: true })
  })

  test('while the service is being asked stays locked afterwards', async () => {
    const { office, counter, id } = await reading()
    void counter.finish(id)
    counter.screenLeft('blur')
    expect(office.state()).toMatchObject({ phase: 'asking', cover: 'away', isLocked: true })
    expect(await office.settled()).toMatchObject({ phase: 'between', cover: 'away', isLocked: true })
    expect(await office.handedOn()).toMatchObject({ phase: 'between', current: 0 })
  })
})

describe('the PIN', () => {
  test('shows staff’s choices while the page stays covered, and continuing shows it again', async () => {
    const { office, counter, id, page } = await reading()
    counter.screenLeft('blur')
    expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'covered', cover: 'staff', isLocked: false })
    expect(page.state).toBe('hidden')
    await counter.resume(id)
    await counter.finish(id)
    expect(office.state().cover).toBe('staff')
    expect(await counter.staff(id, 'continue', 'office')).toMatchObject({ phase: 'open' })
    expect(page.state).toBe('shown')
    expect(office.notesOf('unlocked')).toHaveLength(1)
  })

  test('works at any point of a session', async () => {
    const { counter, id } = await reading()
    expect(await counter.unlock(id, PIN)).toMatchObject({ phase: 'covered', cover: 'staff' })
  })

  test('unlocks nothing if wrong, which is recorded, and shows when the next try is possible', async () => {
    const { office, counter, id } = await reading()
    counter.screenLeft('blur')
    office.pinWaitUntil = office.time.now - 1
    await expect(counter.unlock(id, '0000')).rejects.toMatchObject(failure('wrong-pin'))
    office.pinWaitUntil = office.time.now + 30_000
    await expect(counter.unlock(id, PIN)).rejects.toMatchObject({
      appError: { code: 'pin-wait', retryAfterMs: expect.any(Number) }
    })
    expect(office.state()).toMatchObject({ cover: 'away', isLocked: true, pinWaitUntil: office.pinWaitUntil })
    expect(office.notesOf('pin-wrong')).toHaveLength(1)
    await office.time.pass(31_000)
    await counter.unlock(id, PIN)
    expect(office.state().pinWaitUntil).toBeUndefined()
  })

  test('unlocks nothing if none is set any more', async () => {
    const { office, counter, id } = await reading()
    office.pin = undefined
    await expect(counter.unlock(id, PIN)).rejects.toMatchObject(failure('no-pin'))
    expect(office.state().phase).toBe('open')
  })

  test('applies to the session’s phase at the time it was checked', async () => {
    const { office, counter, id } = await reading()
    const checked = gate()
    office.checking = checked.passed
    const first = counter.unlock(id, PIN)
    const second = counter.unlock(id, PIN)
    office.events().returned()
    office.time.pass(0)
    checked.open()
    await Promise.all([first, second])
    expect(office.state()).toMatchObject({ phase: 'asking', cover: 'staff' })
    expect(await office.settled()).toMatchObject({ phase: 'between', cover: 'staff' })
  })

  test('has no effect if staff ended the session while it was checked', async () => {
    const office = openOffice()
    office.place = 'other-display'
    const { id } = await office.start(['will', 0])
    const checked = gate()
    office.checking = checked.passed
    const unlocking = ['0000', PIN].map((pin) => office.counter.unlock(id, pin))
    await office.counter.staff(id, 'end', 'office')
    checked.open()
    expect((await Promise.all(unlocking)).map(({ phase }) => phase)).toEqual(['ended', 'ended'])
    expect([...office.notesOf('pin-wrong'), ...office.notesOf('unlocked')]).toEqual([])
  })

  test('entered during the last outcome check gives staff the screen at the end', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.events().returned()
    await office.counter.unlock(id, PIN)
    expect((await office.settled()).phase).toBe('ended')
  })
})

describe('staff', () => {
  test('needs the PIN first, except at their own screen', async () => {
    const { counter, id } = await reading()
    for (const does of ['cover', 'continue', 'end', 'allow-camera', 'print'] as const) {
      await expect(counter.staff(id, does, 'office')).rejects.toMatchObject(failure('not-allowed'))
    }
    const other = await reading('other-display')
    await expect(other.counter.staff(other.id, 'end', 'person')).rejects.toMatchObject(failure('not-allowed'))
    expect(await other.counter.staff(other.id, 'cover', 'office')).toMatchObject({ cover: 'away', isLocked: true })
    expect(await other.counter.staff(other.id, 'continue', 'office')).toMatchObject({ phase: 'open' })
    expect(other.office.notesOf('left')).toMatchObject([{ detail: { by: 'staff' } }])
  })

  test('answers one call at a time, and only if there is one', async () => {
    const { office, counter, id } = await reading('other-display')
    await counter.staff(id, 'answer', 'office')
    expect(office.state().isAnswered).toBeUndefined()
    await counter.cover(id, 'help')
    await expect(counter.staff(id, 'answer', 'person')).rejects.toMatchObject(failure('not-allowed'))
    expect(await counter.staff(id, 'answer', 'office')).toMatchObject({ cover: 'help', isAnswered: true })
    await counter.zoom(id, 1.5)
    expect(office.state().isAnswered).toBe(true)
    await counter.resume(id)
    expect(office.state().isAnswered).toBeUndefined()
    await counter.cover(id, 'help')
    expect(office.state().isAnswered).toBeUndefined()
    // The person can continue alone, so staff isn't called.
    await counter.cover(id, 'moment')
    await counter.staff(id, 'answer', 'office')
    expect(office.state().isAnswered).toBeUndefined()
  })

  test('needs the PIN again after leaving the choices open', async () => {
    const { office, counter, id } = await reading()
    await counter.unlock(id, PIN)
    await office.time.pass(59_000)
    counter.touched(id)
    await office.time.pass(59_000)
    expect(office.state().cover).toBe('staff')
    await office.time.pass(2000)
    expect(office.state()).toMatchObject({ cover: 'away', isLocked: true })
    await expect(counter.staff(id, 'continue', 'office')).rejects.toMatchObject(failure('not-allowed'))
  })

  test('can end the session: the page is wiped, the service asked, and the rest skipped', async () => {
    const { office, counter, id, page } = await reading()
    await counter.unlock(id, PIN)
    office.signs('will', 0)
    const ended = counter.staff(id, 'end', 'office')
    await office.settled()
    expect(await ended).toMatchObject({ phase: 'ended', isLocked: false })
    expect(page.state).toBe('destroyed')
    expect(office.state().turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'skipped'])
    expect([office.isTaken, office.marker]).toEqual([false, null])
    expect(office.notesOf('session-ended')[0]?.detail).toMatchObject({ signed: '1', skipped: '1' })
  })

  test('can end the session from their own screen at any moment', async () => {
    for (const moment of ['handover', 'asking', 'return'] as const) {
      const office = openOffice()
      office.place = 'other-display'
      const { id } = await office.start(['will', 0])
      if (moment !== 'handover') {
        await office.opens()
        office.events().returned()
      }
      if (moment === 'return') await office.settled()
      expect(office.state().phase).toBe(moment)
      const ended = office.counter.staff(id, 'end', 'office')
      await office.settled()
      expect((await ended)?.phase).toBe('ended')
      expect([office.counter.isHandedOver(), office.isTaken]).toEqual([false, false])
    }
  })

  test('needs the PIN again after leaving the screen while the session ends', async () => {
    const { office, counter, id } = await reading()
    await counter.unlock(id, PIN)
    const ended = counter.staff(id, 'end', 'office')
    counter.screenLeft('blur')
    await office.settled()
    expect(await ended).toMatchObject({ phase: 'return', isLocked: true })
    expect([office.isTaken, counter.isHandedOver()]).toEqual([true, true])
    expect((await counter.unlock(id, PIN)).phase).toBe('ended')
  })

  test('can end a covered session on the other display from their own screen', async () => {
    const { office, counter, id } = await reading('other-display')
    await counter.staff(id, 'cover', 'office')
    const ended = counter.staff(id, 'end', 'office')
    await office.settled()
    expect(await ended).toMatchObject({ phase: 'ended' })
  })

  test('can print and save an open page only if the settings allow it', async () => {
    const { office, counter, id, page } = await reading()
    await counter.unlock(id, PIN)
    await expect(counter.staff(id, 'print', 'office')).rejects.toMatchObject(failure('not-allowed'))
    office.settings.mayKeepPages = true
    await counter.staff(id, 'print', 'office')
    await counter.staff(id, 'save', 'office')
    office.saves = false
    await counter.staff(id, 'save', 'office')
    expect([page.printed, office.saved]).toEqual([1, ['The will.pdf']])
    expect([office.notesOf('page-printed').length, office.notesOf('page-saved').length]).toEqual([1, 1])
    office.events().failed({ code: 'internal', message: 'The page ended.' })
    await expect(counter.staff(id, 'print', 'office')).rejects.toMatchObject(failure('gone'))
  })

  test('never sees the signing link in an error', async () => {
    const { office } = await reading()
    const message = `https://sign.example.com/s/${SECRET}-AnnExample?t=${SECRET} did not load`
    office.events().failed({ code: 'timeout', message, serviceMessage: `?t=${SECRET}`, path: message })
    expect(JSON.stringify(office.state())).not.toContain(SECRET)
    expect(office.state().error?.message).toContain('did not load')
  })

  test.each([
    ['No /s/7f3Kq here (7f3Kq, k=a1b2).', 'https://sign.example.com/s/7f3Kq?k=a1b2', 'No /s/… here (…, …).'],
    ['Signing pages of 2026 for aBcD.', 'https://sign.example.com/aBcD?mode=pages', 'Signing pages of 2026 for ….'],
    ['x7f3Kqy is another word.', 'https://sign.example.com/7f3Kq', 'x7f3Kqy is another word.'],
    ['[a.b1] and aXb1', 'https://sign.example.com/a.b1', '[…] and aXb1']
  ])('doesn’t see a short key of the link in an error: %s', async (message, link, shown) => {
    const office = openOffice({ will: [signer('Ann Example', { SigningKey: link })] })
    await office.start(['will', 0])
    await office.opens()
    office.events().failed({ code: 'timeout', message })
    expect(office.state().error?.message).toBe(shown)
  })
})

describe('the reason for a cover', () => {
  test('is shown, and still shown after staff entered the PIN', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.opens()
    office.counter.screenLeft('full-screen')
    expect(office.state()).toMatchObject({ cover: 'away', coveredBy: 'full-screen' })
    await office.counter.unlock(id, PIN)
    expect(office.state()).toMatchObject({ cover: 'staff', coveredBy: 'full-screen' })
    await office.counter.staff(id, 'continue', 'office')
    expect(office.state().coveredBy).toBeUndefined()
    await office.counter.cover(id, 'help')
    expect(office.state().coveredBy).toBe('help')
    void office.counter.finish(id)
    await office.settled()
    expect(office.state().coveredBy).toBeUndefined()
  })

  test.each(['moment', 'help', 'stop', 'finish'] as const)(
    'is in the audit trail if a person requested it (%s)',
    async (why) => {
      const office = openOffice()
      const { id } = await office.start(['will', 0])
      await office.opens()
      await office.counter.cover(id, why)
      await office.counter.cover(id, why)
      expect(office.notesOf('left')).toMatchObject([{ signerName: 'Ann Example', detail: { by: 'person', why } }])
    }
  )
})
