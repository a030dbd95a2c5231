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
  prepare?: (api: FakeApi) => void
}

/** As one goes through the application: the screens, their menus and their dialogs. */
const VISITS: Visit[] = [
  { scene: 'documents-views', at: '#/documents/all' },
  { scene: 'documents-views', at: '#/documents/view/v1' },
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

async function visit({ scene, at, open = [], prepare }: Visit) {
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
  for (const name of open) {
    await fireEvent.click((await screen.findAllByRole('button', { name }))[0] as HTMLElement)
    await rest()
  }
  return { app, api }
}

/** What is shown comes in several steps. */
async function rest() {
  for (let step = 0; step < 4; step++) await settle()
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
    if (one.open) return
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

describe('whoever may do least comes upon no refusal', () => {
  test.each(VISITS.filter(({ open }) => !open))('$scene at $at', async (one) => {
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
    const count = document.querySelectorAll('#main button').length
    for (let at = 0; at < count; at++) {
      const button = document.querySelectorAll<HTMLElement>('#main button')[at]
      // jsdom lets a button of a fieldset be pressed that is disabled.
      if (!button || button.closest('fieldset:disabled')) continue
      const said = button.matches('.refused') ? saidAt(button) : undefined
      await fireEvent.click(button)
      await rest()
      if (said !== undefined) expect(app.toasts.shown.at(-1)?.text).toBe(said)
      expect(asked(), button.textContent ?? '').toEqual([])
      if (document.querySelector('[role=dialog], [role=menu]')) await dismiss()
      if (window.location.hash !== here) {
        window.location.hash = here
        window.dispatchEvent(new HashChangeEvent('hashchange'))
        await rest()
      }
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
