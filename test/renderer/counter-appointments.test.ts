import { fireEvent, render, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import Counter from '../../src/renderer/src/screens/counter/Counter.svelte'
import PersonPage from '../../src/renderer/src/screens/counter/person/PersonPage.svelte'
import { PersonDisplay } from '../../src/renderer/src/screens/counter/person/person-display.svelte.ts'
import { hrefOf } from '../../src/renderer/src/state/router.svelte.ts'
import { clockTime } from '../../src/renderer/src/words/dates.ts'
import type {
  Appointment,
  AppointmentsInFile,
  Board,
  BoardCounter,
  CounterEntry
} from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { appointmentOf } from './fakes/appointments.ts'
import { sessionOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

beforeAll(loadScreens)
const MINUTE = 60_000
let opened: Opened
afterEach(() => opened?.close())

function entry(signerName: string, change: Partial<CounterEntry> = {}): CounterEntry {
  return {
    accountId: 'practice',
    documentReference: `doc-${signerName}`,
    documentName: 'Deed of gift',
    signer: 0,
    signerName,
    person: signerName,
    faceToFace: false,
    mayNeedCamera: false,
    isToday: false,
    ...change
  }
}

async function open(change: Partial<FakeState> = {}, rest: string[] = []) {
  opened = await openOffice(fakeApi(change))
  opened.app.router.go('counter', rest)
  show(opened, Counter)
  await settle()
}
const one = (name: string, minutes: number, change: Partial<Appointment> = {}) =>
  appointmentOf({ id: name, name, at: NOW + minutes * MINUTE, ...change })

const state = () => opened.api.control.state
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
const rows = () => within(screen.getByRole('region', { name: 'Today' })).getAllByRole('listitem')

describe('today’s appointments', () => {
  test('are sorted by time above everyone else, and replace the people’s queue entries', async () => {
    await open({
      queue: [entry('Tama Brooks'), entry('Mere Parata')],
      appointments: [one('Mere Parata', 30, { place: 'Room 2', person: 'Mere Parata' }), one('Aroha Ngata', 5)]
    })
    expect(rows().map((row) => row.textContent?.includes('Mere'))).toEqual([false, true])
    expect(rows()[1]?.textContent).toContain('Room 2')
    expect(rows()[1]?.textContent).toContain('Deed of gift')
    expect(rows()[0]?.textContent).toContain('Nothing to sign here yet')
    const others = screen.getByRole('region', { name: 'Everyone else' })
    expect(others.textContent).toContain('Tama Brooks')
    expect(others.textContent).not.toContain('Mere Parata')
  })

  test('say what to prepare, as everyone else’s rows do', async () => {
    await open({
      queue: [entry('Mere Parata', { mayNeedCamera: true }), entry('Tama Brooks', { faceToFace: true })],
      appointments: ['Mere Parata', 'Tama Brooks'].map((name) => one(name, 5, { person: name }))
    })
    expect(rows()[0]?.textContent).toContain('May need camera')
    expect(rows()[1]?.textContent).toContain('Face to face')
  })

  test('lead from arrived to called to the start sheet, one click each', async () => {
    await open({ queue: [entry('Mere Parata')], appointments: [one('Mere Parata', 0, { person: 'Mere Parata' })] })
    await press(/^Arrived: Mere Parata/)
    expect(rows()[0]?.textContent).toContain('Number 14')
    expect(rows()[0]?.textContent).toContain('Just arrived')
    await press(/^Call: /)
    expect(state().calling).toBe('Mere Parata')
    expect(rows()[0]?.textContent).toContain('Called just now')
    expect(opened.app.toasts.undo()).toBe(false)
    await press(/^Call again: /)
    expect(calls('appointments.call')).toHaveLength(2)
    await press(/^Start: Mere Parata/)
    expect(screen.getByRole('dialog')).toBeTruthy()
  })

  test('suggest calling the earliest appointment next, and among equals the first to arrive', async () => {
    const waiting = (name: string, at: number, ago: number) =>
      one(name, at, { state: 'arrived', arrivedAt: NOW - ago * MINUTE })
    await open({
      queue: [],
      appointments: [waiting('Aroha Ngata', 0, 1), waiting('Tama Brooks', 0, 9), waiting('Zoe Pohe', 5, 20)]
    })
    const isNext = (name: string) => button(new RegExp(`^Call: ${name}`)).classList.contains('primary')
    expect(['Aroha Ngata', 'Tama Brooks', 'Zoe Pohe'].map(isNext)).toEqual([false, true, false])
  })

  test('highlight “Arrived” only for the next person expected', async () => {
    const names = ['Tama Brooks', 'Mere Parata', 'Zoe Pohe']
    await open({ queue: [], appointments: names.map((name, index) => one(name, [-20, 5, 30][index] ?? 0)) })
    const isFirst = (name: string) => button(new RegExp(`^Arrived: ${name}`)).classList.contains('primary')
    expect(names.map(isFirst)).toEqual([false, true, false])
  })

  test('show “at the counter” only during a session, and “came to the counter” afterwards', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0, { state: 'here' })] })
    expect(rows()[0]?.textContent).toContain('Came to the counter')
    state().counter = sessionOf({ place: 'other-display', phase: 'open' })
    opened.api.control.emit('counter.changed', { id: 'any' })
    await settle()
    expect(rows()[0]?.textContent).toContain('At the counter')
  })

  test('show that a called number isn’t visible while no second display is connected', async () => {
    const called = { state: 'called', number: 13, calledAt: NOW } as const
    await open({
      queue: [],
      hasDisplay: false,
      appointments: [
        one('Mere Parata', 0, { state: 'arrived', number: 14 }),
        one('Aroha Ngata', 5, { ...called, workstation: 'Front desk' })
      ]
    })
    const byName = 'No second display: call them by name'
    expect(screen.queryByText(byName)).toBeNull()
    await press(/^Call: Mere Parata/)
    expect(rows()[0]?.textContent).toContain(byName)
    // Calls by another counter are shown there.
    expect(screen.getAllByText(byName)).toHaveLength(1)
    const plug = async (isIn: boolean) => {
      state().hasDisplay = isIn
      opened.api.control.emit('settings.changed', null)
      await opened.clock.pass(600)
    }
    await plug(true)
    expect(screen.queryByText(byName)).toBeNull()
    await plug(false)
    expect(screen.getByText(byName)).toBeTruthy()
  })

  test('show that the called number appears later while the second display is in use', async () => {
    await open({
      queue: [],
      appointments: [
        one('Mere Parata', 0, { state: 'called', number: 14, calledAt: NOW }),
        one('Aroha Ngata', 5, { state: 'called', number: 15, calledAt: NOW })
      ],
      calling: 'Mere Parata'
    })
    const later = 'Second display in use: their number shows once it’s free'
    const signs = async (change: Parameters<typeof sessionOf>[0] | undefined) => {
      state().counter = change ? sessionOf(change) : null
      opened.api.control.emit('counter.changed', { id: 'any' })
      await settle()
    }
    expect(screen.queryByText(later)).toBeNull()
    await signs({ place: 'other-display', phase: 'open' })
    expect(rows().map((row) => row.textContent?.includes(later))).toEqual([true, false])
    await signs(undefined)
    expect(screen.queryByText(later)).toBeNull()
    await signs({ place: 'other-display', phase: 'open' })
    delete state().calling
    opened.api.control.emit('appointments.changed', null)
    await settle()
    expect(screen.queryByText(later)).toBeNull()
  })

  test('show which workstation called, and can be called again here only after some minutes', async () => {
    const called = (name: string, ago: number) =>
      one(name, 0, {
        state: 'called',
        workstation: 'Front desk',
        number: 3,
        calledAt: NOW - ago * MINUTE,
        person: name
      })
    await open({
      queue: [entry('Aroha Ngata'), entry('Mere Parata'), entry('Hana Ruru')],
      appointments: [
        called('Aroha Ngata', 2),
        called('Mere Parata', 6),
        // That computer's clock is ahead.
        called('Hana Ruru', -3),
        one('Tama Brooks', 5, { state: 'here', workstation: 'Front desk' })
      ]
    })
    expect(
      rows().map((row) => /Called by Front desk(?: \d.*ago| just now)?|Went to.*desk/.exec(row.textContent ?? '')?.[0])
    ).toEqual([
      'Called by Front desk 2 min ago',
      'Called by Front desk 6 min ago',
      'Called by Front desk',
      'Went to Front desk'
    ])
    const isOff = (name: RegExp) =>
      button(name).getAttribute('aria-disabled') === 'true' || (button(name) as HTMLButtonElement).disabled
    const buttons = ['Aroha', 'Mere', 'Hana'].flatMap((name) => [`Call again: ${name}`, `Start: ${name}`])
    expect(buttons.map((name) => isOff(new RegExp(`^${name}`)))).toEqual([true, true, false, false, false, false])
  })

  test('highlight *Start* for people at this counter, not for those who went to another', async () => {
    await open({
      queue: [entry('Aroha Ngata'), entry('Mere Parata'), entry('Hana Ruru')],
      appointments: [
        one('Aroha Ngata', 0, { state: 'here', person: 'Aroha Ngata' }),
        one('Mere Parata', 5, { state: 'here', workstation: 'Front desk', person: 'Mere Parata' }),
        one('Hana Ruru', 10, {
          state: 'called',
          workstation: 'Front desk',
          calledAt: NOW - 6 * MINUTE,
          person: 'Hana Ruru'
        })
      ]
    })
    const starts = ['Aroha', 'Mere', 'Hana'].map((name) => button(new RegExp(`^Start: ${name}`)))
    expect(starts.map((start) => start.classList.contains('primary'))).toEqual([true, false, false])
    // Someone who returns can still start.
    expect(starts.every((start) => !(start as HTMLButtonElement).disabled)).toBe(true)
  })

  test('can’t be reset to “expected” once the screen was handed over', async () => {
    await open({ queue: [entry('Mere Parata')], appointments: [one('Mere Parata', 0, { person: 'Mere Parata' })] })
    await press(/^Arrived: Mere Parata/)
    await press(/^Start: Mere Parata/)
    await press('Hand over screen')
    expect(opened.app.counter.session?.phase).toBe('handover')
    expect(opened.app.toasts.shown).toEqual([])
  })

  test('marked in succession leave only the latest undo message', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0), one('Tama Brooks', 5), one('Zoe Pohe', 9)] })
    for (const name of ['Mere Parata', 'Tama Brooks', 'Zoe Pohe']) await press(new RegExp(`^Arrived: ${name}`))
    expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Zoe Pohe has arrived.'])
  })

  test('show who is late, and suggest “Didn’t come” after a while, which can be undone', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', -5), one('Tama Brooks', -20)] })
    expect(rows().map((row) => row.textContent)).toEqual([
      expect.stringContaining('20 min late'),
      expect.stringContaining('5 min late')
    ])
    expect(screen.getAllByRole('button', { name: /^Didn’t come/ })).toHaveLength(1)
    await press(/^Didn’t come: Tama Brooks/)
    expect(rows()).toHaveLength(1)
    expect(opened.app.toasts.undo()).toBe(true)
    await settle()
    expect(rows()).toHaveLength(2)
    await press(/^Didn’t come: Tama Brooks/)
    await press(/^Undo: Tama Brooks, Didn’t come/)
    expect(rows()).toHaveLength(2)
  })

  test('take back one step, however often “Undo” is pressed, and offer no second way to', async () => {
    await open({ queue: [], appointments: [one('Tama Brooks', -5, { state: 'here' }), one('Mere Parata', 5)] })
    await press(/^Done: Tama Brooks/)
    const answer = opened.api.control.hold('appointments.mark')
    await press(/^Undo: Tama Brooks/)
    await press(/^Undo: Tama Brooks/)
    answer()
    await settle()
    expect(calls('appointments.mark').map(({ input }) => input)).toEqual([
      { id: 'Tama Brooks', as: 'done' },
      { id: 'Tama Brooks', as: 'undo' }
    ])
    // It would take back the step before as well.
    expect(opened.app.toasts.undo()).toBe(false)
  })

  test('are taken back for a second person while the first still has no answer', async () => {
    await open({
      queue: [],
      appointments: [one('Tama Brooks', -5, { state: 'done' }), one('Mere Parata', -3, { state: 'done' })]
    })
    const answer = opened.api.control.hold('appointments.mark')
    await press(/^Undo: Tama Brooks/)
    await press(/^Undo: Mere Parata/)
    answer()
    await settle()
    expect(calls('appointments.mark').map(({ input }) => input)).toEqual([
      { id: 'Tama Brooks', as: 'undo' },
      { id: 'Mere Parata', as: 'undo' }
    ])
  })

  test('are put back with their number if they were removed by mistake', async () => {
    await open({
      queue: [],
      appointments: [one('Tama Brooks', -5, { state: 'arrived', number: 7 }), one('Mere Parata', 5)]
    })
    await fireEvent.keyDown(button(/^More for Tama Brooks/), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    await settle()
    expect(rows()).toHaveLength(1)
    expect(opened.app.toasts.undo()).toBe(true)
    await settle()
    expect(rows()[0]?.textContent).toContain('Number 7')
  })

  test('suggest “Didn’t come” for a late person only after their call has expired', async () => {
    await open({ queue: [], appointments: [one('Tama Brooks', -40, { state: 'arrived', arrivedAt: NOW })] })
    await press(/^Call: Tama Brooks/)
    state().appointments = [one('Tama Brooks', -40, { state: 'called', calledAt: NOW })]
    await opened.clock.pass(4 * MINUTE)
    expect(rows()[0]?.textContent).toContain('Called 4 min ago')
    expect(screen.queryByRole('button', { name: /^Didn’t come/ })).toBeNull()
    await opened.clock.pass(MINUTE)
    expect(button(/^Didn’t come: Tama Brooks/)).toBeTruthy()
  })

  test('keep the focus on the row’s next step, or move it to the next row', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', -20), one('Tama Brooks', 5), one('Zoe Pohe', 9)] })
    const at = () => document.activeElement?.getAttribute('aria-label')
    async function pressHere(name: RegExp) {
      button(name).focus()
      await press(name)
    }
    await pressHere(/^Arrived: Tama Brooks/)
    expect(at()).toMatch(/^Call: Tama Brooks/)
    await pressHere(/^Didn’t come: Mere Parata/)
    expect(at()).toMatch(/^Call: Tama Brooks/)
    await pressHere(/^Undo: Mere Parata/)
    expect(document.activeElement).not.toBe(document.body)
  })

  test('are found by name, time, place and number, and arrow keys move between them', async () => {
    await open({
      queue: [entry('Wiremu Pohe')],
      appointments: [
        one('Mere Parata', 30, { place: 'Room 2' }),
        one('Tama Brooks', 40, { state: 'arrived', number: 21 })
      ]
    })
    const field = screen.getByRole('searchbox')
    const findRows = async (typed: string) => {
      await fireEvent.input(field, { target: { value: typed } })
      return screen.queryAllByRole('listitem').map((row) => /Mere|Tama|Wiremu/.exec(row.textContent ?? '')?.[0])
    }
    expect(await findRows('room 2')).toEqual(['Mere'])
    expect(await findRows('21')).toEqual(['Tama'])
    expect(await findRows('parata')).toEqual(['Mere'])
    await findRows('')
    await fireEvent.keyDown(field, { key: 'ArrowDown' })
    expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Arrived: Mere/)
    await fireEvent.keyDown(document.activeElement as Element, { key: 'ArrowDown' })
    expect(document.activeElement?.getAttribute('aria-label')).toMatch(/^Call: Tama/)
  })

  test('with an unclear person ask staff to choose', async () => {
    const choices = ['a@example.com', 'b@example.com'].map((contact, at) => ({
      person: `p${at}`,
      name: 'Mere Parata',
      contact
    }))
    await open({ queue: [], appointments: [one('Mere Parata', 30, { choices })] })
    expect(
      within(screen.getByRole('group', { name: 'Who in the queue is Mere Parata?' })).getAllByRole('button')
    ).toHaveLength(3)
    await press('Mere Parata b@example.com')
    expect(calls('appointments.choosePerson')[0]?.input).toEqual({ id: 'Mere Parata', person: 'p1' })
    expect(screen.queryByText(/Several people here/)).toBeNull()
  })

  test('can be added for a person in the queue', async () => {
    await open({ queue: [entry('Mere Parata')] })
    await press('Add appointment: Mere Parata, Deed of gift')
    const dialog = within(await screen.findByRole('dialog'))
    expect((dialog.getByLabelText('Name') as HTMLInputElement).value).toBe('Mere Parata')
    await fireEvent.input(dialog.getByLabelText('Time'), { target: { value: 'soon' } })
    await fireEvent.click(dialog.getByRole('button', { name: 'Add appointment' }))
    expect(dialog.getByText('Enter a time, such as 10:30.')).toBeTruthy()
    await fireEvent.input(dialog.getByLabelText('Time'), { target: { value: '2.30 pm' } })
    await fireEvent.click(dialog.getByLabelText(/They’re here now/))
    await fireEvent.click(dialog.getByRole('button', { name: 'Add appointment' }))
    await settle()
    expect(calls('appointments.add')[0]?.input).toMatchObject({
      name: 'Mere Parata',
      person: 'Mere Parata',
      minutes: 30,
      hasArrived: true
    })
    expect(state().appointments).toMatchObject([{ state: 'arrived', number: 14 }])
  })

  test('appear despite a search when added, and a toast names the date if it isn’t today', async () => {
    await open({ queue: [entry('Mere Parata')] })
    const field = screen.getByRole<HTMLInputElement>('searchbox')
    async function add(name: string, day?: string) {
      await fireEvent.keyDown(button('Appointments'), { key: 'Enter' })
      await fireEvent.click(await screen.findByRole('menuitem', { name: 'Add appointment…' }))
      const dialog = within(await screen.findByRole('dialog'))
      await fireEvent.input(dialog.getByLabelText('Name'), { target: { value: name } })
      if (day) {
        await fireEvent.input(dialog.getByLabelText('Date'), { target: { value: day } })
        await fireEvent.blur(dialog.getByLabelText('Date'))
      }
      await fireEvent.click(dialog.getByRole('button', { name: 'Add appointment' }))
      await settle()
    }
    await fireEvent.input(field, { target: { value: 'parata' } })
    await add('Tama Brooks')
    expect(field.value).toBe('')
    expect(rows()[0]?.textContent).toContain('Tama Brooks')
    expect(opened.app.toasts.shown).toEqual([])
    const tomorrow = new Date(NOW + 24 * 60 * MINUTE)
    await add('Zoe Pohe', `${tomorrow.getDate()}/${tomorrow.getMonth() + 1}/${tomorrow.getFullYear()}`)
    expect(opened.app.toasts.shown[0]?.text).toMatch(
      /^Zoe Pohe is expected on \w{3} \d+ \w+\. They’re in the list on that day\.$/
    )
  })

  test('aren’t called twice while a call and another step haven’t been answered', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0, { state: 'arrived', number: 14 })] })
    const answers = (['appointments.call', 'appointments.mark'] as const).map((name) => opened.api.control.hold(name))
    await press(/^Call: /)
    await fireEvent.keyDown(button(/^More for Mere Parata/), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'At the counter' }))
    await press(/^Call: /)
    for (const answer of answers) answer()
    await settle()
    expect(calls('appointments.call')).toHaveLength(1)
  })

  test('saved after the form was closed don’t close the next one', async () => {
    await open({ queue: [entry('Mere Parata'), entry('Tama Brooks')] })
    const answer = opened.api.control.hold('appointments.add')
    await press('Add appointment: Mere Parata, Deed of gift')
    await press('Add appointment')
    await press('Cancel')
    await press('Add appointment: Tama Brooks, Deed of gift')
    answer()
    await settle()
    expect(state().appointments).toMatchObject([{ name: 'Mere Parata' }])
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Tama Brooks')
  })

  test('are changed only where someone typed, as another counter may have changed the rest', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0, { mobile: '021 555 0101' })] })
    await fireEvent.keyDown(button(/^More for Mere Parata/), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Change…' }))
    const dialog = within(await screen.findByRole('dialog'))
    await fireEvent.input(dialog.getByLabelText(/^What for/), { target: { value: 'Deed of gift' } })
    const [before] = state().appointments
    if (before) state().appointments = [{ ...before, mobile: '021 555 0202', place: 'Room 2' }]
    await fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await settle()
    expect(calls('appointments.change')[0]?.input).toEqual({ id: before?.id, about: 'Deed of gift' })
    expect(state().appointments).toMatchObject([{ about: 'Deed of gift', mobile: '021 555 0202', place: 'Room 2' }])
  })

  test('are replaced by the new day’s when the screen stays open overnight', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0)] })
    state().appointments = [one('Tama Brooks', 24 * 60)]
    await opened.clock.pass(24 * 60 * MINUTE)
    expect(rows().map((row) => row.textContent)).toEqual([expect.stringContaining('Tama Brooks')])
  })

  test('show why marking failed', async () => {
    await open({ queue: [], appointments: [one('Mere Parata', 0)] })
    opened.api.control.fail('appointments.mark', { code: 'gone', message: 'This appointment is no longer there.' })
    await press(/^Arrived/)
    expect(opened.app.toasts.shown[0]?.text).toBe('That wasn’t saved. This appointment is no longer there.')
  })
})

describe('importing appointments from a file', () => {
  const file: AppointmentsInFile = {
    id: 'f',
    fileName: 'day.ics',
    rows: [{ kind: 'new', name: 'Mere Parata', at: NOW, minutes: 30, place: 'Room 2', notes: ['Also invited: Tama.'] }],
    counts: { new: 1, changed: 0, same: 0, gone: 0 },
    refused: [{ name: 'Holiday', why: 'It’s all day, without a time.' }],
    refusedCount: 1,
    notes: ['1 date before today left out.']
  }
  async function importing(change: Partial<FakeState>) {
    await open({ queue: [], ...change })
    await choose()
  }
  async function choose() {
    await fireEvent.keyDown(button('Appointments'), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Import from a file…' }))
    await settle()
  }

  test('previews the changes and the rows that can’t be read before importing', async () => {
    await importing({ appointmentFile: file })
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText('1 new · 1 can’t be read')).toBeTruthy()
    expect(dialog.getByText('1 date before today left out.')).toBeTruthy()
    expect(dialog.getByText(/It’s all day, without a time/)).toBeTruthy()
    expect(state().appointments).toEqual([])
    await fireEvent.click(dialog.getByRole('button', { name: 'Add 1 appointment' }))
    await settle()
    expect(state().appointments).toMatchObject([{ name: 'Mere Parata' }])
    expect(opened.app.toasts.shown[0]?.text).toBe('1 appointment added.')
  })

  test('reports an import that is answered after its dialog was closed, and leaves the next one open', async () => {
    await importing({ appointmentFile: file })
    const answer = opened.api.control.hold('appointments.import')
    await press('Add 1 appointment')
    await press('Cancel')
    await choose()
    answer()
    await settle()
    expect(opened.app.toasts.shown[0]?.text).toBe('1 appointment added.')
    expect(screen.getByRole('dialog', { name: 'Import appointments' })).toBeTruthy()
  })

  test.each([
    [{ new: 4, changed: 0, same: 0, gone: 0 }, 'Add 4 appointments'],
    [{ new: 0, changed: 1, same: 3, gone: 0 }, 'Change 1 appointment'],
    [{ new: 0, changed: 0, same: 0, gone: 2 }, 'Apply 2 cancellations'],
    [{ new: 0, changed: 2, same: 0, gone: 1 }, 'Change 2, cancel 1'],
    [{ new: 4, changed: 2, same: 0, gone: 1 }, 'Add 4, change 2, cancel 1']
  ])('labels the button with what will happen: %o', async (counts, name) => {
    await importing({ appointmentFile: { ...file, counts } })
    expect(within(await screen.findByRole('dialog')).getByRole('button', { name })).toBeTruthy()
  })

  test('shows why a file can’t be used', async () => {
    await importing({})
    expect(screen.queryByRole('dialog')).toBeNull()
    opened.api.control.fail('appointments.openFile', { code: 'bad-file', message: 'This file is larger than 5 MB.' })
    await choose()
    expect(screen.getAllByText(/larger than 5 MB/).length).toBeGreaterThan(0)
  })
})

describe('the board', () => {
  test('shows who is signing, who is waiting and who needs help', async () => {
    await open(
      {
        queue: [],
        appointments: [
          one('Tama Brooks', 0, { state: 'called', number: 21, arrivedAt: NOW - 12 * MINUTE }),
          one('Aroha Ngata', 30),
          one('Hemi Fraser', 0, { state: 'here' })
        ],
        counter: sessionOf({ place: 'other-display', phase: 'covered', cover: 'help' }),
        connection: { state: 'offline', since: NOW - 30 * MINUTE }
      },
      ['board']
    )
    await settle()
    const card = await screen.findByRole('article', { name: 'This counter' })
    expect(card.textContent).toMatch(/Help wanted.*Page hidden.*Mere Parata.*Offline since/s)
    const waiting = screen.getByRole('region', { name: /^Waiting/ })
    expect(waiting.textContent).toMatch(/Number 21.*Tama Brooks.*Called/s)
    expect(waiting.textContent).toMatch(/Expected\s*1\s*Not finished\s*1\s*Done\s*0/)
    state().counter = null
    opened.api.control.emit('counter.changed', { id: '' })
    await settle()
    expect(card.textContent).toContain('Free')
    expect(card.textContent).not.toContain('Help wanted')
    expect(
      (await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } }))
        .violations
    ).toEqual([])
    await fireEvent.keyDown(window, { key: 'Escape' })
    expect(opened.app.router.route.rest).toEqual([])
  })

  test('focuses its heading, and leaving it returns the focus to the button', async () => {
    await open({ queue: [] })
    button('Board').focus()
    await press('Board')
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Board' }))
    button('Back to Counter').focus()
    await press('Back to Counter')
    expect(document.activeElement).toBe(button('Board'))
  })

  describe('in an office', () => {
    const there = (id: string, change: Partial<BoardCounter> = {}): BoardCounter => ({
      id,
      name: id,
      staff: '',
      state: 'free',
      wantsStaff: false,
      hasOtherDisplay: true,
      office: { workstation: id, heardAt: NOW - 24_000 },
      ...change
    })
    const HERE = there('here', { name: 'Counter 1', staff: 'Grace Okafor' })
    async function board(office: Board['office'], ...others: BoardCounter[]) {
      const { office: _, ...here } = HERE
      await open({ queue: [], board: { counters: [here, ...others], ...(office && { office }) } }, ['board'])
      await settle()
    }
    const textOf = (name: string) => screen.getByRole('article', { name }).textContent ?? ''
    const CONNECTED = { state: 'connected', readAt: NOW } as const

    test('shows each other counter’s state, workstation and how recent the information is', async () => {
      const since = NOW - 17 * MINUTE
      await board(
        CONNECTED,
        there('Counter 2', {
          state: 'covered',
          wantsStaff: true,
          signer: 'Mere Parata',
          document: 'Will',
          since,
          coveredSince: NOW - 4 * MINUTE,
          office: { workstation: 'Front desk', heardAt: NOW - 24_000 }
        }),
        there('Counter 3', { state: 'closed', office: { workstation: 'Counter 3', heardAt: NOW - 40 * MINUTE } })
      )
      expect(textOf('Counter 1')).toMatch(/Grace Okafor.*Free.*This workstation/s)
      expect(textOf('Counter 2, Front desk')).toMatch(
        /Help wanted.*Page hidden for 4\u00a0min.*Mere Parata.*Will.*Front desk.*Updated 20\u00a0s ago/s
      )
      expect(textOf('Counter 3')).toContain(`Closed since ${clockTime(NOW - 40 * MINUTE)}`)
      expect(textOf('Counter 3')).not.toContain('Updated')
      // In reading order, this workstation's first; anything that needs someone is announced as it appears.
      expect(screen.getAllByRole('article').map((article) => article.getAttribute('aria-label'))).toEqual([
        ...['Counter 1', 'Counter 2, Front desk', 'Counter 3']
      ])
      const called = screen.getByRole('article', { name: 'Counter 2, Front desk' })
      expect(within(called).getByRole('status').textContent).toBe('Help wanted')
      expect(
        (await axe.run(document.body, { rules: { 'color-contrast': { enabled: false }, region: { enabled: false } } }))
          .violations
      ).toEqual([])
      await opened.clock.pass(30_000)
      await settle()
      expect(textOf('Counter 2, Front desk')).toContain('Updated 50\u00a0s ago')
    })

    test('shows since when a silent counter hasn’t been heard from, and its last known state', async () => {
      const office = { workstation: 'Counter 2', heardAt: NOW - 15 * MINUTE, isSilent: true } as const
      await board(
        CONNECTED,
        there('Counter 2', {
          state: 'signing',
          since: NOW - 20 * MINUTE,
          signer: 'Mere Parata',
          wantsStaff: true,
          office
        })
      )
      expect(textOf('Counter 2')).toMatch(
        new RegExp(
          `Not heard from since ${clockTime(office.heardAt)}.*Last known: signing.*Help was wanted.*Mere Parata`,
          's'
        )
      )
      expect(textOf('Counter 2')).not.toMatch(/Signing|Help wanted|min|ago|Offline/)
    })

    test('shows “Unknown” for a counter whose state can’t be read', async () => {
      await board(
        CONNECTED,
        there('x', { name: '', state: 'unknown', office: { workstation: 'Back room', heardAt: NOW } })
      )
      expect(textOf('Back room')).toMatch(/Unknown.*Its status can’t be read here\..*Updated just now/s)
    })

    test.each([
      [{ state: 'away', readAt: NOW }, `Other counters are shown as they were at ${clockTime(NOW)}.`],
      [{ state: 'away' }, 'Other counters can’t be shown.'],
      [{ state: 'apart', readAt: NOW }, `Other counters are shown as they were at ${clockTime(NOW)}.`],
      [{ state: 'apart' }, 'Other counters can’t be shown.'],
      [{ state: 'connecting' }, 'Reading other counters…']
    ] as const)('describes what is known about other counters when %o', async (office, words) => {
      await board(office)
      const counters = screen.getByRole('region', { name: 'Counters' })
      expect(counters.textContent).toContain(words)
      // Only in that state does it say that the server doesn't answer; any other reason is shown in Settings.
      expect(counters.textContent?.includes('isn’t answering')).toBe(office.state === 'away')
      expect(counters.textContent?.includes('isn’t connected to the office')).toBe(office.state === 'apart')
      const link = within(counters).queryByRole('link', { name: 'Open Settings' })
      expect(link?.getAttribute('href')).toBe(office.state === 'apart' ? hrefOf('settings', ['office']) : undefined)
    })

    test('lists counters that need help first, then this workstation', async () => {
      const names = ['2', '3', '4', '5', '6', '7'].map((number) => `Counter ${number}`)
      const change = (name: string): Partial<BoardCounter> => {
        const silent = { workstation: name, heardAt: NOW - 15 * MINUTE, isSilent: true } as const
        if (name === 'Counter 3') return { wantsStaff: true, office: silent }
        return { wantsStaff: name === 'Counter 6' }
      }
      await board(CONNECTED, ...names.map((name) => there(name, change(name))))
      const shown = () => screen.getAllByRole('article').map((article) => article.getAttribute('aria-label'))
      // A request for help from a counter that isn't heard from is out of date.
      expect(shown()).toEqual(['Counter 6', 'Counter 1', ...names.filter((name) => name !== 'Counter 6')])
    })

    test('updates when another counter reports', async () => {
      await board(CONNECTED, there('Counter 2'))
      expect(textOf('Counter 2')).toContain('Free')
      state().board = { counters: [HERE, there('Counter 2', { state: 'signing' })], office: CONNECTED }
      opened.api.control.emit('board.changed', null)
      await settle()
      expect(textOf('Counter 2')).toContain('Signing')
    })
  })
})

describe('the second display', () => {
  async function display(change: Partial<FakeState>) {
    const api = fakeApi(change)
    const clock = new FakeClock(NOW)
    const shown = new PersonDisplay(api, clock)
    const stop = await shown.open()
    const { unmount } = render(PersonPage, { props: { display: shown } })
    await settle()
    return {
      api,
      clock,
      close: () => {
        unmount()
        stop()
      }
    }
  }

  test('calls a number to its place without personal data', async () => {
    const called = appointmentOf({
      id: 'a',
      name: 'Mere Parata',
      email: 'mere@example.com',
      about: 'Will',
      state: 'called',
      number: 14
    })
    const { api, close } = await display({ appointments: [called] })
    expect(screen.getByRole('heading', { name: 'Welcome' })).toBeTruthy()
    api.control.state.calling = 'a'
    api.control.state.appointments = [{ ...called, place: 'Counter 2' }]
    api.control.emit('appointments.changed', null)
    await settle()
    expect(screen.getByRole('heading', { name: 'Number 14 Please come to Counter 2' })).toBeTruthy()
    // The number once, and where to come in each language that the office offers.
    expect(document.body.textContent?.match(/14/g)).toHaveLength(1)
    expect(screen.getByText(/Haere mai ki/).lang).toBe('mi')
    const arabic = screen.getByText(/يرجى التوجه إلى/)
    expect([arabic.lang, arabic.dir, arabic.textContent]).toEqual(['ar', 'rtl', expect.stringContaining('Counter 2')])
    api.control.state.counterSettings = { ...api.control.state.counterSettings, languages: ['to'] }
    api.control.emit('settings.changed', null)
    await settle()
    expect([screen.queryByText(/Haere mai ki/), screen.getByText(/Kātaki ʻo haʻu/).lang]).toEqual([null, 'to'])
    expect(document.body.textContent).not.toMatch(/Mere|mere@|Will/)
    delete api.control.state.calling
    api.control.emit('appointments.changed', null)
    await settle()
    expect(screen.getByRole('heading', { name: 'Welcome' })).toBeTruthy()
    close()
  })

  test('rotates the office’s pictures', async () => {
    const settings = fakeApi().control.state.counterSettings
    const { clock, close } = await display({
      counterSettings: { ...settings, waitingRoom: { ...settings.waitingRoom, pictures: ['one', 'two'] } },
      pictures: { one: 'data:image/png;base64,AAAA', two: 'data:image/png;base64,BBBB' }
    })
    const picture = () => document.querySelector('img.picture')?.getAttribute('src')
    expect(picture()).toContain('AAAA')
    await clock.pass(20_000)
    expect(picture()).toContain('BBBB')
    await clock.pass(20_000)
    expect(picture()).toContain('AAAA')
    close()
  })
})
