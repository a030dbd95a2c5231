/**
 * The second display is unplugged while someone signs on it: nothing of the office is shown, and nothing continues
 * without staff.
 */
import { expect, test } from 'vitest'
import { BOUNDS, gate, openOffice, PIN, signer } from './office.ts'

const failure = (code: string) => ({ appError: { code } })

/**
 * Returns an office with a second display, where one person is to sign the first of two documents, with a camera if
 * they are asked for it.
 */
async function openAtOtherDisplay() {
  const ann = signer('Ann Example', { VideoConfirmationEnabled: true })
  const office = openOffice({ will: [ann], deed: [ann] })
  office.place = 'other-display'
  const { id } = await office.start(['will', 0], ['deed', 0])
  return { office, counter: office.counter, id }
}

test('the page is wiped, and only staff can continue, in this window and with the PIN', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  const page = await office.opens()
  counter.displayLost()
  expect(office.state()).toMatchObject({ phase: 'failed', cover: 'away', isLocked: true, place: 'here' })
  expect(office.state().error?.message).toMatch(/^The second display was unplugged, so the page was closed\. /)
  expect(counter.isHandedOver()).toBe(true)
  expect(office.notesOf('left')).toMatchObject([{ signerName: 'Ann Example', detail: { by: 'display' } }])
  for (const does of ['end', 'continue'] as const) {
    await expect(counter.staff(id, does, 'office')).rejects.toMatchObject(failure('not-allowed'))
  }
  await counter.retry(id)
  await counter.next(id)
  counter.show(id, BOUNDS)
  expect([office.state().cover, page.state]).toEqual(['away', 'destroyed'])
  await counter.unlock(id, PIN)
  expect(await counter.staff(id, 'continue', 'office')).toMatchObject({ phase: 'failed', place: 'here' })
  await counter.retry(id)
  counter.show(id, BOUNDS)
  expect([office.pages.length, office.page()?.state, office.state().phase]).toEqual([2, 'shown', 'loading'])
})

test('staff can end the session, and the service is asked about the closed page', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  await office.opens()
  office.signs('will', 0)
  counter.displayLost()
  await counter.unlock(id, PIN)
  const ended = counter.staff(id, 'end', 'office')
  await office.settled()
  expect(await ended).toMatchObject({ phase: 'ended' })
  expect(office.state().turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'skipped'])
})

test('a PIN that was entered on that display just before it was lost opens nothing', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  await office.opens()
  const { passed, open } = gate()
  office.checking = passed
  const unlocked = counter.unlock(id, PIN)
  counter.displayLost()
  open()
  expect(await unlocked).toMatchObject({ phase: 'failed', cover: 'away', isLocked: true, place: 'here' })
})

test('staff’s choices on that display are locked', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  await office.opens()
  await counter.unlock(id, PIN)
  counter.displayLost()
  expect(office.state()).toMatchObject({ cover: 'away', isLocked: true })
  await expect(counter.staff(id, 'continue', 'person')).rejects.toMatchObject(failure('not-allowed'))
})

test('a page that was about to load is never opened', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  const line = gate()
  office.line = line.passed
  const beginning = counter.begin(id)
  await Promise.resolve()
  counter.displayLost()
  line.open()
  await beginning
  expect(office.state()).toMatchObject({ phase: 'failed', cover: 'away', isLocked: true })
  expect(office.pages).toEqual([])
})

test.each(['handover', 'between', 'asking'] as const)(
  'without a page (%s) the session is locked in this window',
  async (phase) => {
    const { office, counter, id } = await openAtOtherDisplay()
    if (phase !== 'handover') {
      await office.opens()
      office.signs('will', 0)
      office.events().returned()
    }
    if (phase === 'between') await office.settled()
    expect(office.state().phase).toBe(phase)
    counter.displayLost()
    expect(office.state()).toMatchObject({ phase, place: 'here', isLocked: true })
    expect(office.state().error).toBeUndefined()
    expect(counter.isHandedOver()).toBe(true)
    await expect(counter.staff(id, 'end', 'office')).rejects.toMatchObject(failure('not-allowed'))
    await counter.unlock(id, PIN)
    expect(office.state()).toMatchObject({ cover: 'staff', isLocked: false })
  }
)

test('after everyone has finished the session ends, and staff keeps their own screen', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  for (const document of ['will', 'deed']) {
    await office.opens()
    office.signs(document, 0)
    office.events().returned()
    if ((await office.settled()).phase === 'between') await counter.next(id)
  }
  expect(office.state().phase).toBe('return')
  counter.displayLost()
  expect(office.state()).toMatchObject({ phase: 'ended', isLocked: false })
  expect([counter.isHandedOver(), office.isTaken, office.marker]).toEqual([false, false, null])
  expect(office.notesOf('left')).toMatchObject([{ detail: { by: 'display' } }])
  expect(office.notesOf('session-ended')).toHaveLength(1)
})

test('an end that staff requested on their own screen needs the PIN', async () => {
  const { office, counter, id } = await openAtOtherDisplay()
  await office.opens()
  const ended = counter.staff(id, 'end', 'office')
  counter.displayLost()
  await office.settled()
  expect(await ended).toMatchObject({ phase: 'return', isLocked: true })
  await counter.unlock(id, PIN)
  expect(office.state().phase).toBe('ended')
})

test('nothing changes if the person uses this window or nobody signs', async () => {
  const office = openOffice()
  office.counter.displayLost()
  expect(office.counter.state()).toBeNull()
  await office.start(['will', 0])
  const page = await office.opens()
  office.counter.displayLost()
  expect([office.state().phase, page.state]).toEqual(['open', 'shown'])
})

type Beside = Awaited<ReturnType<typeof openAtOtherDisplay>>
/** Brings about a cover over an open page. */
const covered = (by: (session: Beside) => unknown) => async (all: Beside) => {
  await all.office.opens()
  await by(all)
}
const MOMENTS: readonly [moment: string, come: (session: Beside) => unknown][] = [
  ['handover', () => {}],
  ['loading', ({ counter, id }) => counter.begin(id)],
  ['open', covered(() => {})],
  ['covered: moment', covered(({ counter, id }) => counter.cover(id, 'moment'))],
  ['covered: help', covered(({ counter, id }) => counter.cover(id, 'help'))],
  ['covered: finish', covered(({ counter, id }) => counter.cover(id, 'finish'))],
  ['covered: stop', covered(({ counter, id }) => counter.cover(id, 'stop'))],
  ['covered: camera', covered(({ office }) => office.asks())],
  [
    'covered: consent',
    covered(async ({ office, counter, id }) => {
      office.asks()
      await counter.staff(id, 'allow-camera', 'office')
    })
  ],
  [
    'covered: file',
    covered(({ office }) => {
      office.settings.mayGiveFiles = true
      office.events().asksForFile([])
    })
  ],
  ['covered: away', covered(({ counter }) => counter.screenLeft('hidden'))],
  ['covered: idle', covered(({ office }) => office.time.pass(150_000))],
  ['covered: staff', covered(({ counter, id }) => counter.unlock(id, PIN))],
  ['not me', ({ counter, id }) => counter.cover(id, 'not-me')],
  ['asking', covered(({ office }) => office.events().returned())],
  [
    'between',
    covered(async ({ office }) => {
      office.signs('will', 0)
      office.events().returned()
      await office.settled()
    })
  ],
  ['failed', covered(({ office }) => office.events().failed({ code: 'server', message: 'It broke.' }))]
]

test.each(MOMENTS)(
  'unplugging at any moment (%s) locks this window, and the PIN lets staff end the session',
  async (moment, come) => {
    const all = await openAtOtherDisplay()
    const { office, counter, id } = all
    await come(all)
    const [, cover] = moment.split(': ')
    if (cover) expect(office.state()).toMatchObject({ phase: 'covered', cover })
    counter.displayLost()
    expect(office.state()).toMatchObject({ place: 'here', isLocked: true, cover: 'away' })
    counter.show(id, BOUNDS)
    expect(office.pages.map(({ state }) => state)).not.toContain('shown')
    expect([office.state().asksFile, office.state().asksFor]).toEqual([undefined, []])
    await office.settled()
    // Repeated, as unplugging a display may be reported twice.
    counter.displayLost()
    expect(office.state()).toMatchObject({ isLocked: true })
    await counter.unlock(id, PIN)
    const ended = counter.staff(id, 'end', 'office')
    await office.settled()
    expect(await ended).toMatchObject({ phase: 'ended', isLocked: false })
    expect([office.isTaken, office.notesOf('session-ended').length]).toEqual([false, 1])
    expect(office.state().turns.every(({ outcome }) => outcome !== undefined)).toBe(true)
  }
)
