/**
 * Nothing is offered that the one who works here may not do. Walked from main's own table of rights: each request that takes a role has a
 * place in the screens, and there it is offered to those who may and to nobody else.
 */
import { fireEvent, render, screen } from '@testing-library/svelte'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { closedTo, refusedTo, rights } from '../../src/main/core/counter/rights.ts'
import { mayAs } from '../../src/main/core/counter/staff.ts'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import type { RequestName } from '../../src/shared/contract/requests.ts'
import type { StaffRole } from '../../src/shared/contract/views.ts'
import type { FakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { openOffice } from './office.ts'
import { scenes } from './preview/scenes.ts'

const ROLES: StaffRole[] = ['counter', 'clerk', 'manager', 'administrator']

beforeAll(loadScreens)

/** What main tells of someone of this role. */
function lockOf(role: StaffRole | undefined) {
  const staff = { hasNames: true, proved: () => role && { id: 'someone', name: 'Someone', role } }
  const [closed, refused] = [closedTo(staff), refusedTo(staff)]
  return { isLocked: false, opensBySignIn: false, ...(closed && { closed }), ...(refused && { refused }) }
}

/** Someone of this role has unlocked Countersign. */
async function works(api: FakeApi, role: StaffRole | undefined) {
  api.control.state.lock = lockOf(role)
  api.control.emit('lock.changed', null)
  await settle()
}

interface Visit {
  scene: string
  at: string
  /** What an administrator opens there, one after the other: buttons and menu entries by what they are called. */
  open?: (string | RegExp)[]
  /** Keys that are pressed in its list first, as to select a row. */
  keys?: string[]
  prepare?: (api: FakeApi) => void
}

/** As one goes through the application: the screens, their menus and their dialogs. */
const VISITS: Visit[] = [
  { scene: 'documents-views', at: '#/documents/all' },
  { scene: 'documents-views', at: '#/documents/view/v1' },
  { scene: 'documents-views', at: '#/documents/all', keys: ['ArrowDown', 'x', 'ArrowDown', 'x'] },
  { scene: 'document', at: '#/documents/Progress?document=doc-6', open: ['Extend due date…'] },
  { scene: 'document-declined', at: '#/documents/Progress?document=doc-6' },
  { scene: 'document-waiting', at: '#/documents/Progress?document=doc-6' },
  { scene: 'document-uncertain', at: '#/documents/Progress?document=doc-6', open: ['Do it again…'] },
  { scene: 'document-refused', at: '#/documents/Progress?document=doc-6' },
  { scene: 'document', at: '#/documents/Progress?document=doc-6', prepare: onHold },
  { scene: 'outbox', at: '#/outbox' },
  { scene: 'outbox', at: '#/outbox/soon' },
  { scene: 'outbox', at: '#/outbox/refused' },
  { scene: 'outbox', at: '#/outbox/missed' },
  { scene: 'outbox', at: '#/outbox/doubt', open: ['It didn’t arrive'] },
  { scene: 'outbox', at: '#/outbox/sent' },
  { scene: 'outbox', at: '#/outbox', open: ['Outbox settings'] },
  { scene: 'outbox-release', at: '#/outbox/held', open: ['Don’t release…'] },
  { scene: 'outbox-release', at: '#/outbox?show=batches' },
  { scene: 'outbox-batches', at: '#/outbox?show=batches', open: ['Cancel the rest…'] },
  { scene: 'outbox-by-you', at: '#/outbox' },
  { scene: 'drafting-shared', at: '#/drafts' },
  { scene: 'drafting-shared', at: '#/drafts', keys: ['ArrowDown', ' '] },
  { scene: 'drafting', at: '#/drafts/trash', keys: ['ArrowDown', ' '] },
  { scene: 'drafting-shared', at: '#/drafts?history=made-2' },
  { scene: 'drafting', at: '#/drafts/presets' },
  { scene: 'drafting', at: '#/drafts/trash' },
  { scene: 'drafting', at: '#/drafts/trash', open: ['Empty trash…'] },
  { scene: 'drafting-shared', at: '#/compose/made-1' },
  { scene: 'drafting-shared', at: '#/compose/made-2' },
  { scene: 'drafting-shared', at: '#/compose/made-3', open: ['Save as preset…'] },
  { scene: 'usual', at: '#/compose/draft-1' },
  { scene: 'day', at: '#/directory' },
  { scene: 'day', at: '#/directory/templates' },
  { scene: 'day', at: '#/directory/employers' },
  { scene: 'day', at: '#/today' },
  { scene: 'clerk', at: '#/counter' },
  { scene: 'clerk-empty', at: '#/counter' },
  { scene: 'record', at: '#/audit' },
  { scene: 'usual', at: '#/settings', open: [/^Edit…/] },
  { scene: 'usual', at: '#/settings', open: ['Connect with an enrolment file…'] },
  { scene: 'drop-folders', at: '#/settings/drop-folders' },
  { scene: 'backups-scheduled', at: '#/settings/safety', open: ['Change schedule…'] },
  { scene: 'backups-scheduled', at: '#/settings/safety', open: ['Change encryption key…'] },
  { scene: 'backups-scheduled', at: '#/settings/safety', open: ['Restore a backup…'] },
  { scene: 'backups-scheduled', at: '#/settings/safety', open: ['Import settings…'] },
  { scene: 'recovery-offer', at: '#/today' },
  { scene: 'first', at: '#/today' },
  // It comes by itself.
  { scene: 'outside', at: '#/today', open: [] },
  { scene: 'document-complete', at: '#/settings' },
  { scene: 'drafting-fine', at: '#/bulk?preset=office-1', open: ['Choose a file…', 'Continue', /^Check 200 rows/] }
]

/** Its document is kept for someone who asked for it. */
function onHold(api: FakeApi) {
  const page = api.control.state.documents.find(({ reference }) => reference === 'doc-6')
  if (!page) throw new Error('The scene has no such document.')
  const { accountId, reference, name } = page
  page.hold = {
    accountId,
    reference,
    documentName: name,
    reason: 'Asked for by a court',
    staff: 'Mere',
    at: Date.now()
  }
}

async function visit({ scene, at, open = [], keys = [], prepare }: Visit) {
  const make = scenes[scene]
  if (!make) throw new Error(`There is no scene “${scene}”.`)
  // A scene goes on by itself; here it stands still.
  const interval = vi.spyOn(globalThis, 'setInterval').mockReturnValue(0 as never)
  const api = make()
  interval.mockRestore()
  prepare?.(api)
  api.control.state.lock = lockOf('administrator')
  const { app, close } = await openOffice(api)
  onTestFinished(close)
  window.location.hash = at
  window.dispatchEvent(new HashChangeEvent('hashchange'))
  render(App, { props: { app } })
  await rest()
  for (const key of keys) {
    await fireEvent.keyDown(screen.getByRole('grid'), { key })
    await rest()
  }
  if (keys.length > 0) expect(screen.getByRole('group', { name: /^Selected/ })).toBeTruthy()
  for (const name of open) {
    await fireEvent.click((await screen.findAllByRole('button', { name }))[0] as HTMLElement)
    await rest()
  }
  return { app, api }
}

/** What is shown comes in several steps, some of it from files that are read only then. */
async function rest() {
  for (let step = 0; step < 4; step++) {
    await vi.dynamicImportSettled()
    await settle()
  }
}

const isOff = (element: Element) => element.matches('[aria-disabled="true"], [data-disabled], :disabled')
const requestOf = (element: Element) => element.getAttribute('data-takes') as RequestName
const SENTENCES = new Set(Object.values(refusedTo({ hasNames: true, proved: () => undefined }) ?? {}))
for (const role of ROLES) for (const why of Object.values(lockOf(role).refused ?? {})) SENTENCES.add(why)
/** Why it can't be done, where that is the role: as its tooltip, or under it. */
const saidAt = (element: Element) =>
  [...SENTENCES].find((why) => element.getAttribute('title') === why || element.textContent?.includes(why))

/** What was seen to be offered to an administrator. */
const offered = new Set<RequestName>()

/** Each control that is shown is offered to who may, and says why to who may not. */
async function holds(api: FakeApi) {
  // What a role closes is gone with all that was open in it, so who may do all comes first.
  for (const role of [...ROLES.toReversed(), undefined]) {
    await works(api, role)
    const { refused = {} } = lockOf(role)
    for (const element of document.querySelectorAll('[data-takes]')) {
      const name = requestOf(element)
      const where = `${name} for ${role}: ${element.textContent?.trim() || element.getAttribute('aria-label')}`
      expect(rights.has(name), `${name} takes a role`).toBe(true)
      const may = role !== undefined && mayAs(role, rights.get(name) ?? 'administrator')
      expect(saidAt(element), where).toBe(may ? undefined : refused[name])
      if (!may) expect(isOff(element), where).toBe(true)
      else if (role === 'administrator' && !isOff(element)) offered.add(name)
    }
  }
}

/** Who began to fill in a dialog has left, and the one who came presses its button, as Enter in a field does. */
async function submits(api: FakeApi) {
  await works(api, 'counter')
  const before = api.control.calls.length
  for (const button of document.querySelectorAll('[role=dialog] [data-takes]')) await fireEvent.click(button)
  await rest()
  const { refused = {} } = lockOf('counter')
  expect(api.control.calls.slice(before).filter(({ name }) => name in refused)).toEqual([])
}

const dismiss = async () => {
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
  await rest()
}

/** Menus that hang at what is shown now, one of each kind. */
function triggers(): HTMLElement[] {
  const all = [...document.querySelectorAll<HTMLElement>('#main [aria-haspopup=menu]')]
  const byKind = Map.groupBy(all, (one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').split(' ')[0])
  // Rows of one list differ in what can be done with them.
  return [...byKind.values()].flatMap((same) => same.slice(0, 4))
}

const KEYS = ['a', 'c', 'd', 'e', 'h', 'i', 'l', 'm', 'n', 'r', 'Delete', 'F2', 'Enter']

describe('nothing is offered that the one who works here may not do', () => {
  test.each(VISITS)('$scene at $at, $open', async (one) => {
    const { api } = await visit(one)
    await holds(api)
    if (one.open) return submits(api)
    for (const trigger of triggers()) {
      await works(api, 'administrator')
      await fireEvent.keyDown(trigger, { key: 'Enter' })
      await rest()
      await holds(api)
      await dismiss()
    }
    await works(api, 'administrator')
    const cells = [...document.querySelectorAll('#main [role=row]')]
      .slice(1, 16)
      .map((row) => row.querySelector('[role=gridcell]'))
    for (const cell of cells) {
      if (!cell?.isConnected) continue
      await works(api, 'administrator')
      await fireEvent.contextMenu(cell, { button: 2, clientX: 40, clientY: 60 })
      await rest()
      await holds(api)
      await dismiss()
    }
  })

  test('and each right has a place, or is of a screen that is closed as a whole', () => {
    const closed = Object.values(
      closedTo({ hasNames: true, proved: () => ({ id: 'a', name: 'A', role: 'counter' }) }) ?? {}
    )
    expect(closed.length).toBeGreaterThan(0)
    const missing = [...rights.keys()].filter((name) => !offered.has(name))
    // The first two are all that their screens show; a row is looked at in the screen of bulk sending alone.
    expect(missing.sort(), missing.join()).toEqual(['activity.list', 'audit.list', 'bulk.package'])
  })
})

describe('one who may do least comes upon no refusal', () => {
  test.each(VISITS.filter(({ open, keys }) => !open && !keys))('$scene at $at', async (one) => {
    const { app, api } = await visit(one)
    await works(api, 'counter')
    const { refused = {} } = lockOf('counter')
    const before = api.control.calls.length
    const asked = () =>
      api.control.calls
        .slice(before)
        .filter(
          ({ name, input }) =>
            name in refused && !(name === 'activity.list' && (input as { reference?: string }).reference)
        )
        .map(({ name }) => name)
    const here = window.location.hash
    const back = async () => {
      if (document.querySelector('[role=dialog], [role=menu]')) await dismiss()
      if (window.location.hash === here) return
      window.location.hash = here
      window.dispatchEvent(new HashChangeEvent('hashchange'))
      await rest()
    }
    const count = document.querySelectorAll('#main button').length
    for (let at = 0; at < count; at++) {
      const button = document.querySelectorAll<HTMLElement>('#main button')[at]
      // jsdom lets a button of a fieldset be pressed that is disabled.
      if (!button || button.closest('fieldset:disabled')) continue
      const said = button.matches('[aria-disabled="true"]:not(:disabled)') ? saidAt(button) : undefined
      await fireEvent.click(button)
      await rest()
      if (said !== undefined) expect(app.toasts.shown.at(-1)?.text).toBe(said)
      expect(asked(), button.textContent ?? '').toEqual([])
      await back()
    }
    // Each entry of the rows' menus once, by what it is called.
    const pressed = new Set<string>()
    const nextEntry = () =>
      [...document.querySelectorAll<HTMLElement>('[role=menuitem]')].find(
        (item) => !isOff(item) && !pressed.has(item.textContent ?? '')
      )
    // What can be done with documents has keys, which are pressed below; a list of them beside an open page takes minutes.
    for (let row = 1; row < 16 && !one.at.startsWith('#/documents'); row++) {
      for (let entry = 0; entry < 12; entry++) {
        const cell = document.querySelectorAll('#main [role=row]')[row]?.querySelector('[role=gridcell]')
        if (!cell) break
        await fireEvent.contextMenu(cell, { button: 2, clientX: 40, clientY: 60 })
        await rest()
        const item = nextEntry()
        if (!item) break
        pressed.add(item.textContent ?? '')
        await fireEvent.click(item)
        await rest()
        expect(asked(), item.textContent ?? '').toEqual([])
        await back()
      }
      await back()
    }
    const [grid] = document.querySelectorAll<HTMLElement>('#main [role=grid]')
    if (!grid) return
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    await rest()
    for (const key of KEYS) {
      await fireEvent.keyDown(document.querySelector('#main [role=grid]') ?? document.body, { key })
      await rest()
      expect(asked(), key).toEqual([])
      if (document.querySelector('[role=dialog], [role=menu]')) await dismiss()
    }
  })
})

describe('a screen or a command that a role refuses', () => {
  const WHY = 'Only clerks, managers and administrators can do this.'
  const MANAGERS = 'Only managers and administrators can do this.'
  const DOCUMENT = { scene: 'document', at: '#/documents/Progress?document=doc-6' }

  test('says why where an address leads to it, and asks main for nothing', async () => {
    const { api } = await visit({ scene: 'record', at: '#/counter' })
    await works(api, 'clerk')
    for (const [at, title] of [
      ['#/audit', 'Audit trail'],
      ['#/activity', 'Activity']
    ] as const) {
      window.location.hash = at
      window.dispatchEvent(new HashChangeEvent('hashchange'))
      expect(await screen.findByRole('heading', { name: title, level: 1 })).toBeTruthy()
      expect(await screen.findByText(MANAGERS)).toBeTruthy()
    }
    const names = api.control.calls.map(({ name }) => name)
    expect(names.filter((name) => name === 'audit.list' || name === 'activity.list')).toEqual([])
    await works(api, 'manager')
    await rest()
    expect(screen.queryByText(MANAGERS)).toBeNull()
    expect(api.control.calls.some(({ name }) => name === 'activity.list')).toBe(true)
  })

  test('is opened by no key and no menu of the application, which say why', async () => {
    const { app, api } = await visit(DOCUMENT)
    await works(api, 'counter')
    const here = window.location.hash
    const warn = vi.spyOn(app.toasts, 'warn')
    await fireEvent.keyDown(window, { key: 'n', ctrlKey: true })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    for (const [command, why] of [
      ['compose', WHY],
      ['document.extend', WHY],
      ['document.remind', WHY]
    ] as const) {
      warn.mockClear()
      api.control.emit('menu.chosen', { command })
      await rest()
      expect(warn.mock.calls, command).toEqual([[why]])
    }
    // The page that is open has the letters of the list, too.
    warn.mockClear()
    await fireEvent.keyDown(document.querySelector('article') as Element, { key: 'd' })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    expect([window.location.hash, document.querySelector('[role=dialog]')]).toEqual([here, null])
    await works(api, 'clerk')
    api.control.emit('menu.chosen', { command: 'document.extend' })
    expect(await screen.findByRole('dialog', { name: 'Extend the due date' })).toBeTruthy()
  })

  test('is a draft that can be looked at, not changed and not sent', async () => {
    const { app, api } = await visit({ scene: 'usual', at: '#/compose/draft-1' })
    await works(api, 'counter')
    const before = api.control.calls.length
    const warn = vi.spyOn(app.toasts, 'warn')
    expect(screen.getByText('You can look at this draft, but not change it.')).toBeTruthy()
    expect(screen.getAllByLabelText('E-mail').every((field) => field.matches(':disabled'))).toBe(true)
    await fireEvent.keyDown(window, { key: 'Enter', ctrlKey: true })
    await rest()
    expect(warn.mock.calls).toEqual([[WHY]])
    expect(
      api.control.calls.slice(before).filter(({ name }) => name === 'sends.start' || name === 'drafts.save')
    ).toEqual([])
    await works(api, 'clerk')
    expect(screen.queryByText('You can look at this draft, but not change it.')).toBeNull()
    expect(screen.getAllByLabelText('E-mail').some((field) => field.matches(':disabled'))).toBe(false)
  })

  test('is in the palette with why, or not at all', async () => {
    const { app, api } = await visit(DOCUMENT)
    const find = async (typed: string) => {
      await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
      const field = await screen.findByRole('combobox')
      await fireEvent.input(field, { target: { value: typed } })
      await rest()
      return { field, found: screen.getAllByRole('option').map(({ textContent }) => textContent.trim()) }
    }
    await works(api, 'counter')
    const packages = await find('new package')
    expect(packages.found.filter((one) => one.startsWith('New package'))).toEqual([])
    await fireEvent.keyDown(packages.field, { key: 'Escape' })
    await rest()
    const extend = await find('extend')
    expect(extend.found[0]).toContain(WHY)
    await fireEvent.keyDown(extend.field, { key: 'Enter' })
    await rest()
    expect([app.toasts.shown.at(-1)?.text, document.querySelector('[role=dialog]')]).toEqual([WHY, null])
    await works(api, 'clerk')
    const again = await find('extend')
    expect(again.found[0]).not.toContain(WHY)
    await fireEvent.keyDown(again.field, { key: 'Enter' })
    expect(await screen.findByRole('dialog', { name: 'Extend the due date' })).toBeTruthy()
  })
})
