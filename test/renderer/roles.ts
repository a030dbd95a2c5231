/** The application as staff of each role see it, scene by scene. */
import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, onTestFinished, vi } from 'vitest'
import { refusedRequests } from '../../src/main/core/counter/rights.ts'
import { ROLES } from '../../src/main/core/counter/roles.ts'
import App from '../../src/renderer/src/App.svelte'
import type { StaffRole } from '../../src/shared/contract/views.ts'
import type { FakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { lockOf } from './fakes/lock.ts'
import { openOffice } from './office.ts'
import { scenes } from './preview/scenes.ts'

/** Unlocks Countersign as someone of this role. */
export async function works(api: FakeApi, role: StaffRole | undefined) {
  api.control.state.lock = lockOf(role)
  api.control.emit('lock.changed', null)
  await settle()
}

interface Visit {
  scene: string
  at: string
  /** What an administrator opens there, in order: names of buttons and menu entries. */
  open?: (string | RegExp)[]
  /** Keys pressed in its list first, for example to select a row. */
  keys?: string[]
  /** Whether its controls are all offered by another visit, too, so that the short round of tests leaves it out. */
  isRepeat?: boolean
  prepare?: (api: FakeApi) => void
}

/** A tour of the application: its screens, their menus and their dialogs. */
export const VISITS: Visit[] = [
  { scene: 'documents-views', at: '#/documents/all' },
  { scene: 'documents-views', at: '#/documents/view/v1' },
  { scene: 'documents-views', at: '#/documents/all', keys: ['ArrowDown', 'x', 'ArrowDown', 'x'], isRepeat: true },
  { scene: 'document', at: '#/documents/Progress?document=doc-6', open: ['Extend due date…'] },
  { scene: 'document-declined', at: '#/documents/Progress?document=doc-6', isRepeat: true },
  { scene: 'document-waiting', at: '#/documents/Progress?document=doc-6' },
  { scene: 'document-uncertain', at: '#/documents/Progress?document=doc-6', open: ['Do it again…'] },
  { scene: 'document-refused', at: '#/documents/Progress?document=doc-6', isRepeat: true },
  { scene: 'document', at: '#/documents/Progress?document=doc-6', prepare: onHold },
  { scene: 'outbox', at: '#/outbox' },
  { scene: 'outbox', at: '#/outbox/soon', isRepeat: true },
  { scene: 'outbox', at: '#/outbox/refused', isRepeat: true },
  { scene: 'outbox', at: '#/outbox/missed', isRepeat: true },
  { scene: 'outbox', at: '#/outbox/doubt', open: ['It didn’t arrive'] },
  { scene: 'outbox', at: '#/outbox/sent', isRepeat: true },
  { scene: 'outbox', at: '#/outbox', open: ['Outbox settings'] },
  { scene: 'outbox-release', at: '#/outbox/held', open: ['Don’t release…'] },
  { scene: 'outbox-release', at: '#/outbox?show=batches' },
  { scene: 'outbox-batches', at: '#/outbox?show=batches', open: ['Cancel the rest…'] },
  { scene: 'outbox-by-you', at: '#/outbox' },
  { scene: 'drafting-shared', at: '#/drafts' },
  { scene: 'drafting-shared', at: '#/drafts', keys: ['ArrowDown', ' '], isRepeat: true },
  { scene: 'drafting', at: '#/drafts/trash', keys: ['ArrowDown', ' '] },
  { scene: 'drafting-shared', at: '#/drafts?history=made-2' },
  { scene: 'drafting', at: '#/drafts/presets' },
  { scene: 'drafting', at: '#/drafts/trash', isRepeat: true },
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
  // It opens by itself.
  { scene: 'outside', at: '#/today', open: [] },
  { scene: 'document-complete', at: '#/settings' },
  { scene: 'drafting-fine', at: '#/bulk?preset=office-1', open: ['Choose a file…', 'Continue', /^Check 200 rows/] }
]

/** Puts its document on hold for someone who asked for it. */
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

export async function visit({ scene, at, open = [], keys = [], prepare }: Visit) {
  const make = scenes[scene]
  if (!make) throw new Error(`There is no scene “${scene}”.`)
  // Scenes move on by themselves; here they stand still.
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

/** Waits for what appears in several steps, partly from files loaded only then. */
export async function rest() {
  for (let step = 0; step < 4; step++) {
    await vi.dynamicImportSettled()
    await settle()
  }
}

export const isOff = (element: Element) => element.matches('[aria-disabled="true"], [data-disabled], :disabled')
const SENTENCES = new Set(Object.values(refusedRequests({ hasNames: true, authenticated: () => undefined }) ?? {}))
for (const role of ROLES) for (const why of Object.values(lockOf(role).refused ?? {})) SENTENCES.add(why)
/** Returns the role's reason why an element is unavailable, from its tooltip or the text below it. */
export const saidAt = (element: Element) =>
  [...SENTENCES].find((why) => element.getAttribute('title') === why || element.textContent?.includes(why))

export const dismiss = async () => {
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
  await rest()
}
