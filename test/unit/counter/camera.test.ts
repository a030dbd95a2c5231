/** Camera and microphone: only if the page asked, only after staff allows it, and only for this session. */
import { expect, test } from 'vitest'
import type { SigningViewEvents } from '../../../src/main/core/counter/deps.ts'
import { openOffice, PIN, signer } from './office.ts'

async function reading(more = {}, place: 'here' | 'other-display' = 'here') {
  const office = openOffice({ will: [signer('Ann Example', more), signer('Ben Example', more)] })
  office.place = place
  const { id } = await office.start(['will', 0], ['will', 1])
  const page = await office.opens()
  return { office, counter: office.counter, id, page }
}

const VIDEO = { VideoConfirmationEnabled: true }

test.each([
  ['“never” if nothing needs a camera', {}, 'never'],
  ['“ask” if video confirmation was requested', VIDEO, 'ask'],
  ['“ask” if an identity check was requested', { IDCheckStatus: 'Requested' }, 'ask']
])('a page’s camera permission is %s', async (_why, more, right) => {
  const { page } = await reading(more)
  expect(page.turn.media()).toBe(right)
})

test('a page that never needs a camera is refused immediately, without disturbing anyone', async () => {
  const { office } = await reading()
  expect(office.asks()).toEqual([false])
  expect(office.state().phase).toBe('open')
})

test.each(['allowCamera', 'resume'] as const)(
  'with “%s”, the question is never shown without the requested devices',
  async (answer) => {
    const { office, counter, id } = await reading(VIDEO)
    const wrong: unknown[] = []
    office.deps.changed = () => {
      const { cover, asksFor, allowsCamera } = office.state()
      if (cover === 'consent' && (asksFor.length === 0 || !allowsCamera)) wrong.push(asksFor)
    }
    office.asks()
    await counter.unlock(id, PIN)
    await counter.staff(id, 'allow-camera', 'office')
    expect(office.state().cover).toBe('consent')
    await counter[answer](id)
    expect(office.state()).toMatchObject({ phase: 'open', asksFor: [], allowsCamera: true })
    expect(wrong).toEqual([])
  }
)

test('the camera needs staff’s consent once per session, and each person’s own', async () => {
  const { office, counter, id, page } = await reading(VIDEO)
  const answers = office.asks(['camera', 'microphone'])
  expect(office.state()).toMatchObject({ phase: 'covered', cover: 'camera', isLocked: true })
  expect(office.state().asksFor).toEqual(['camera', 'microphone'])
  expect([page.state, answers]).toEqual(['hidden', []])
  await expect(counter.staff(id, 'allow-camera', 'office')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  // The person can't allow it before staff has.
  await counter.allowCamera(id)
  expect([answers, page.turn.media()]).toEqual([[], 'ask'])
  await counter.unlock(id, PIN)
  expect(await counter.staff(id, 'allow-camera', 'office')).toMatchObject({
    phase: 'covered',
    cover: 'consent',
    isLocked: false,
    allowsCamera: true
  })
  expect([page.state, answers, page.turn.media()]).toEqual(['hidden', [], 'ask'])
  expect(await counter.allowCamera(id)).toMatchObject({ phase: 'open', asksFor: [] })
  expect([page.state, answers, page.turn.media()]).toEqual(['shown', [true], 'yes'])
  expect(office.notesOf('camera-allowed').map(({ signerName, detail }) => [signerName, detail?.by])).toEqual([
    ['Ann Example', 'staff'],
    ['Ann Example', 'person']
  ])
  void counter.finish(id)
  await office.handedOn()
  // For the next person staff needn't be asked again, but the person is.
  expect((await office.opens()).turn.media()).toBe('ask')
  office.asks()
  expect(office.state()).toMatchObject({ cover: 'consent', isLocked: false })
})

test('the person can refuse what staff allowed, and is asked again without staff', async () => {
  const { office, counter, id } = await reading(VIDEO)
  const answers = office.asks()
  await counter.unlock(id, PIN)
  await counter.staff(id, 'allow-camera', 'office')
  expect(await counter.resume(id)).toMatchObject({ phase: 'open', allowsCamera: true })
  expect([answers, office.notesOf('camera-refused')]).toMatchObject([[false], [{ detail: { by: 'person' } }]])
  office.asks()
  expect(office.state().cover).toBe('consent')
})

test('a refusal applies only to that request', async () => {
  const { office, counter, id } = await reading(VIDEO)
  const answers = office.asks()
  await counter.unlock(id, PIN)
  expect(await counter.staff(id, 'refuse-camera', 'office')).toMatchObject({ phase: 'open', allowsCamera: false })
  expect([answers, office.notesOf('camera-refused').length]).toEqual([[false], 1])
  expect(office.asks()).toEqual([])
  expect(office.state().cover).toBe('camera')
})

test('the person can continue without a camera, and needs no PIN', async () => {
  const { office, counter, id, page } = await reading(VIDEO)
  const answers = office.asks()
  expect(await counter.resume(id)).toMatchObject({ phase: 'open', asksFor: [], isLocked: false })
  expect([answers, page.state]).toEqual([[false], 'shown'])
  expect(office.notesOf('camera-refused')).toMatchObject([{ detail: { by: 'person' } }])
})

test('continuing without an answer refuses the request', async () => {
  const { office, counter, id } = await reading(VIDEO)
  const answers = office.asks()
  await counter.unlock(id, PIN)
  await counter.staff(id, 'continue', 'office')
  expect(answers).toEqual([false])
})

test('a pending request is refused when the turn ends', async () => {
  const { office, counter, id } = await reading(VIDEO)
  const answers = office.asks()
  counter.screenLeft('blur')
  expect(office.state()).toMatchObject({ cover: 'away', asksFor: ['camera'] })
  await counter.unlock(id, PIN)
  const ended = counter.staff(id, 'end', 'office')
  await office.settled()
  await ended
  expect(answers).toEqual([false])
  expect(office.state()).toMatchObject({ asksFor: [], allowsCamera: false })
})

test('a request behind a lock waits there, and the person can’t answer it', async () => {
  const { office, counter, id } = await reading(VIDEO)
  counter.screenLeft('blur')
  const answers = office.asks()
  await counter.resume(id)
  expect([office.state().cover, office.state().asksFor, answers]).toEqual(['away', ['camera'], []])
})

test('staff answers on their own screen while the person uses the second display', async () => {
  const { office, counter, id, page } = await reading(VIDEO, 'other-display')
  const answers = office.asks()
  await expect(counter.staff(id, 'allow-camera', 'person')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
  await counter.staff(id, 'allow-camera', 'office')
  expect([answers, page.state]).toEqual([[], 'hidden'])
  await counter.allowCamera(id)
  expect([answers, page.state]).toEqual([[true], 'shown'])
})

test('permission given at the start is recorded, and applies only if a camera may be needed', async () => {
  const office = openOffice({ will: [signer('Ann Example')], deed: [signer('Ann Example', VIDEO)] })
  const turns = ['will', 'deed'].map((documentReference) => ({ documentReference, signer: 0, evidence: [] }))
  const { id } = await office.counter.start({ turns, allowsCamera: true })
  expect((await office.opens()).turn.media()).toBe('never')
  void office.counter.finish(id)
  await office.settled()
  await office.counter.next(id)
  // The person is still asked.
  expect(office.page()?.turn.media()).toBe('ask')
  expect(office.notesOf('camera-allowed')).toHaveLength(1)
})

test('the devices a page received are recorded with its origin', async () => {
  const { office, page } = await reading(VIDEO)
  page.turn.events.granted(['camera', 'microphone'])
  expect(office.notesOf('camera-allowed')).toMatchObject([
    {
      documentReference: 'will',
      signerName: 'Ann Example',
      detail: { devices: 'camera, microphone', origin: 'https://sign.example.com', by: 'page got it' }
    }
  ])
  page.turn.events.failed({ code: 'internal', message: 'The page ended.' })
  page.turn.events.granted(['camera'])
  expect(office.notesOf('camera-allowed')).toHaveLength(1)
})

test('a page that uses another camera than the chosen one is reported to staff once and recorded', async () => {
  const { office, page } = await reading(VIDEO)
  expect(office.state().otherCamera).toBeUndefined()
  page.turn.events.otherCamera()
  page.turn.events.otherCamera()
  expect(office.state().otherCamera).toBe(true)
  expect(office.notesOf('camera-allowed')).toMatchObject([
    { documentReference: 'will', detail: { devices: 'camera', by: 'page got another than the chosen one' } }
  ])
  page.turn.events.failed({ code: 'internal', message: 'The page ended.' })
  expect(office.state().otherCamera).toBe(true)
})

test.each([
  ['finished', (events: SigningViewEvents) => events.returned()],
  ['failed', (events: SigningViewEvents) => events.failed({ code: 'internal', message: 'The page ended.' })]
])('a pending request of a page that %s is refused, and the refusal recorded', async (_how, ends) => {
  const { office, page } = await reading(VIDEO)
  const answers = office.asks(['microphone'])
  ends(page.turn.events)
  expect(answers).toEqual([false])
  expect(office.notesOf('camera-refused')).toMatchObject([
    { signerName: 'Ann Example', detail: { devices: 'microphone', by: 'the page was closed' } }
  ])
  await office.settled()
  expect(office.notesOf('camera-refused')).toHaveLength(1)
})

test('a request that staff answered isn’t recorded again when the page is closed', async () => {
  const { office, counter, id } = await reading(VIDEO)
  office.asks()
  await counter.unlock(id, PIN)
  await counter.staff(id, 'refuse-camera', 'office')
  void counter.finish(id)
  await office.settled()
  expect(office.notesOf('camera-refused')).toMatchObject([{ detail: { by: 'staff' } }])
})
