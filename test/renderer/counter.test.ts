import { fireEvent, screen } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test } from 'vitest'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import { outcomeWords } from '../../src/renderer/src/screens/counter/outcome-words.ts'
import { CounterDesk } from '../../src/renderer/src/state/counter-desk.svelte.ts'
import type { CounterOutcome, CounterState } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents } from './people.ts'

const bounds = { x: 0, y: 76, width: 1366, height: 692 }
let api: FakeApi
let opened: Opened
let unmount = () => {}

beforeEach(() => {
  api = fakeApi({ documents: documents(8) })
})
afterEach(() => opened?.close())

async function open(query: Record<string, string> = {}) {
  opened = await openOffice(api)
  opened.office.router.go('counter', [], query)
  unmount = show(opened, Counter).unmount
  await settle()
}

const calls = (name: string) => api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function pageSays(change: Partial<CounterState>) {
  if (api.control.state.counter) api.control.state.counter = { ...api.control.state.counter, ...change }
  api.control.emit('counter.changed', { id: api.control.state.counter?.id ?? '' })
  await settle()
}
async function sign() {
  await press(/^Start: Mere Parata, Tenancy/)
  await press(/I am Mere Parata/)
}

test('the queue is found by name or document', async () => {
  await open()
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'marchetti statement' } })
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'zebra' } })
  expect(screen.getByText('Nobody in the queue fits “zebra”.')).toBeTruthy()
})

test('a link to a document shows its signers, with the button to begin ready', async () => {
  await open({ document: 'doc-6' })
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  expect(document.activeElement).toBe(button(/^Start: Lena Marchetti/))
  await press('Show the whole queue')
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(1)
})

test('nothing is shown to the person before they have said who they are', async () => {
  await open()
  await press(/^Start: Mere Parata, Tenancy/)
  expect(screen.getByRole('heading', { level: 1, name: /Please hand the screen to\s+Mere Parata/ })).toBeTruthy()
  expect(calls('counter.show')).toHaveLength(0)
  await press(/I am Mere Parata/)
  expect(calls('counter.show')).toHaveLength(1)
  expect(screen.getByText('Practice office')).toBeTruthy()
})

test('the screen is taken back without anything having been shown', async () => {
  await open()
  await press(/^Start: Mere Parata, Tenancy/)
  await press('Back')
  expect(calls('counter.end')).toHaveLength(1)
  expect(calls('counter.show')).toHaveLength(0)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the host of the signing page is shown where it is not the practice office', async () => {
  api.control.state.accounts = api.control.state.accounts.map((one) => ({ ...one, chosen: one.kind === 'service' }))
  await open()
  await sign()
  expect(screen.getByText('signing.example.com')).toBeTruthy()
})

test('a moment covers the page, and Continue brings it back', async () => {
  await open()
  await sign()
  await press('I need a moment')
  expect(calls('counter.cover')).toHaveLength(1)
  expect(api.control.state.counter?.phase).toBe('covered')
  await press('Continue')
  expect(calls('counter.show')).toHaveLength(2)
  expect(api.control.state.counter?.phase).toBe('open')
})

test('stopping is asked about before what was filled in is lost', async () => {
  await open()
  await sign()
  await press('Stop')
  expect(calls('counter.end')).toHaveLength(0)
  await press('Go on signing')
  expect(api.control.state.counter?.phase).toBe('open')
  await press('Stop')
  await press('Stop, and close the page')
  expect(calls('counter.end')).toHaveLength(1)
})

test('before stopping, going on comes first, and Escape means it too', async () => {
  await open()
  await sign()
  await press('Stop')
  const answers = screen.getAllByRole('button', { name: /Go on signing|Stop, and close/ })
  expect(answers.map((one) => one.textContent?.trim())).toEqual(['Go on signing', 'Stop, and close the page'])
  await fireEvent.keyDown(screen.getByRole('heading', { name: 'Stop here?' }), { key: 'Escape' })
  await settle()
  expect(api.control.state.counter?.phase).toBe('open')
  expect(calls('counter.end')).toHaveLength(0)
})

test('a page that is covered for a rest stays covered at Escape', async () => {
  await open()
  await sign()
  await press('I need a moment')
  await fireEvent.keyDown(screen.getByRole('heading', { name: 'Take your time' }), { key: 'Escape' })
  await settle()
  expect(api.control.state.counter?.phase).toBe('covered')
})

test('while somebody signs no button of ours is filled', async () => {
  await open()
  await sign()
  for (const name of ['Stop', 'I have finished']) expect(button(name).className).not.toMatch(/primary/)
})

test('nobody is said to wait only where the documents are known', async () => {
  api.control.state.documents = []
  await open()
  expect(screen.getByText('Nobody is waiting to sign here.')).toBeTruthy()
})

test('an account that is not accepted leaves it unknown who waits, and leads to the settings', async () => {
  api.control.state.documents = []
  api.control.state.connection = { state: 'refused', since: 0 }
  await open()
  expect(screen.getByText('Not known: the account was not accepted.')).toBeTruthy()
  expect(screen.queryByText('Nobody is waiting to sign here.')).toBeNull()
  await press('Open Settings')
  expect(opened.office.router.route.screen).toBe('settings')
})

test('folders that were never read leave it unknown who waits, until they are read', async () => {
  api.control.state.documents = []
  const { list } = api.documents
  let isRead = false
  api.documents.list = async (input) => {
    const answer = await list(input)
    if (!answer.ok || isRead) return answer
    const { lookedAt: _lookedAt, ...never } = answer.value
    return { ok: true, value: never }
  }
  await open()
  expect(screen.getByText('Not known: the documents were never read.')).toBeTruthy()
  isRead = true
  await press('Read the documents now')
  expect(screen.getByText('Nobody is waiting to sign here.')).toBeTruthy()
})

test('who has not signed is not promised that the link still opens', () => {
  const { title, meaning, todo } = outcomeWords({ signed: 'not-yet' }, 'Mere Parata', 'Deed of gift', false)
  expect(title).toBe('Mere Parata has not signed yet')
  expect(`${meaning} ${todo}`).not.toMatch(/at any time/)
  expect(todo).toBe(
    'Mere Parata has not signed. If the page said that the link is locked, the office has to send a reminder or correct the e-mail address before it opens again.'
  )
})

test('a page that came back is ended once, however often that is told', async () => {
  await open()
  await sign()
  await Promise.all([pageSays({ phase: 'returned' }), pageSays({}), pageSays({})])
  expect(calls('counter.end')).toHaveLength(1)
  expect(screen.getByRole('heading', { name: 'Mere Parata has signed' })).toBeTruthy()
})

test('while the service is asked, the screen says so and claims nothing', async () => {
  await open()
  await sign()
  api.control.delay('counter.end', Number.POSITIVE_INFINITY)
  await pageSays({ phase: 'returned' })
  expect(screen.getByRole('heading', { name: 'Asking the service…' })).toBeTruthy()
  expect(screen.queryByText(/has signed/)).toBeNull()
})

test('a page that can not be shown is explained, and opened anew when asked', async () => {
  api.control.state.outcome = { signed: 'not-yet' }
  await open()
  await sign()
  await pageSays({ phase: 'failed', error: { code: 'timeout', message: 'Too slow.' } })
  expect(screen.getByText('The service took too long to answer.')).toBeTruthy()
  await press('Try again')
  expect(calls('counter.end')).toHaveLength(1)
  expect(calls('counter.start')).toHaveLength(2)
  expect(api.control.state.counter?.phase).toBe('open')
})

test('trying again after a failure does not sign twice: what is signed already is told', async () => {
  api.control.state.outcome = { signed: 'signed' }
  await open()
  await sign()
  await pageSays({ phase: 'failed', error: { code: 'timeout', message: 'Too slow.' } })
  await press('Try again')
  expect(calls('counter.start')).toHaveLength(1)
  expect(screen.getByRole('heading', { name: 'Mere Parata has signed' })).toBeTruthy()
})

test('the next signer of the same document is offered', async () => {
  await open()
  await press(/^Start: Wiremu Tane, Superannuation/)
  await press(/I am Wiremu Tane/)
  api.control.state.documents = api.control.state.documents.map((one) =>
    one.reference === 'doc-2'
      ? {
          ...one,
          signers: [
            { name: 'Anahera Singh', state: 'waiting', canSignHere: true },
            { name: 'Wiremu Tane', state: 'signed', canSignHere: false }
          ]
        }
      : one
  )
  await pageSays({ phase: 'returned' })
  await press('Next: Anahera Singh')
  expect(screen.getByRole('heading', { name: /Please hand the screen to\s+Anahera Singh/ })).toBeTruthy()
})

test('the clerk takes the screen back by leaving what became of the turn, and by nothing before', async () => {
  await open()
  await sign()
  const before = calls('counter.leave').length
  await pageSays({ phase: 'returned' })
  expect(screen.getByRole('heading', { name: 'Mere Parata has signed' })).toBeTruthy()
  expect(calls('counter.leave')).toHaveLength(before)
  await press('Back to the queue')
  expect(calls('counter.leave')).toHaveLength(before + 1)
})

test('a screen that is made anew while nobody signs is in the clerk’s hands', async () => {
  await open()
  expect(calls('counter.leave')).toHaveLength(1)
  unmount()
})

test('a screen that is made anew while somebody signs is not', async () => {
  await open()
  await sign()
  unmount()
  const before = calls('counter.leave').length
  show(opened, Counter)
  await settle()
  expect(calls('counter.leave')).toHaveLength(before)
})

test('what the page tried is listed for the clerk', async () => {
  await open()
  await sign()
  await pageSays({ refused: [{ what: 'It asked for the camera or the microphone.', at: 0 }] })
  await pageSays({ phase: 'returned' })
  expect(screen.getByText('The page tried one thing that was not allowed')).toBeTruthy()
  expect(screen.getByText('It asked for the camera or the microphone.')).toBeTruthy()
})

test('leaving the screen covers the page, and coming back finds the turn', async () => {
  await open()
  await sign()
  unmount()
  await settle()
  expect(api.control.state.counter?.phase).toBe('covered')
  show(opened, Counter)
  await settle()
  expect(calls('counter.show')).toHaveLength(1)
  await press('Continue')
  expect(api.control.state.counter?.phase).toBe('open')
})

test('a turn that can not begin says why, and the queue stays', async () => {
  api.control.fail('counter.start', { code: 'not-signable', message: 'Somebody else first.' })
  await open()
  await press(/^Start: Mere Parata, Tenancy/)
  expect(screen.getByText('The signing could not begin.')).toBeTruthy()
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(1)
})

test('keys of the office do nothing while somebody signs', async () => {
  await open()
  await sign()
  let heard = 0
  const listen = () => heard++
  window.addEventListener('keydown', listen)
  await fireEvent.keyDown(button('I have finished'), { key: 'k', ctrlKey: true })
  await fireEvent.keyDown(button('I have finished'), { key: 'Escape' })
  window.removeEventListener('keydown', listen)
  expect(heard).toBe(0)
  expect(button('I have finished')).toBeTruthy()
})

test('the place of the page is told as it moves, the newest only while a telling is under way', async () => {
  const desk = new CounterDesk(api)
  await desk.load()
  const [entry] = desk.queue.value ?? []
  if (!entry) throw new Error('The made-up office has nobody to sign.')
  await desk.start(entry)
  desk.begin()
  const heights = [500, 510, 520, 530]
  await Promise.all(heights.map((height) => desk.place({ ...bounds, height })))
  expect(calls('counter.show').map((call) => (call.input as { bounds: typeof bounds }).bounds.height)).toEqual([
    500, 530
  ])
})

test('a page is never shown again by a move of its place while it is covered', async () => {
  const desk = new CounterDesk(api)
  await desk.load()
  const [entry] = desk.queue.value ?? []
  if (!entry) throw new Error('The made-up office has nobody to sign.')
  await desk.start(entry)
  desk.begin()
  const showing = desk.place(bounds)
  const covering = desk.hide('moment')
  await Promise.all([showing, covering, desk.place({ ...bounds, width: 900 })])
  expect(api.control.state.counter?.phase).toBe('covered')
})

test('signed and declined are said only where the service says them', () => {
  const outcomes: CounterOutcome[] = [
    { signed: 'not-yet' },
    { signed: 'unknown' },
    { signed: 'unknown', error: { code: 'offline', message: 'No network.' } }
  ]
  for (const outcome of outcomes) {
    const { title, tone } = outcomeWords(outcome, 'Mere Parata', 'Deed of gift', false)
    expect(title).not.toMatch(/has (signed|declined)$/)
    expect(tone).not.toBe('ok')
  }
  expect(outcomeWords({ signed: 'signed' }, 'Mere Parata', 'Deed', false).title).toBe('Mere Parata has signed')
  expect(outcomeWords({ signed: 'declined' }, 'Mere Parata', 'Deed', false).title).toBe('Mere Parata has declined')
})
