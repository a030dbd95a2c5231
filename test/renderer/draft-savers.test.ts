import { beforeEach, describe, expect, test } from 'vitest'
import type { DraftSaver } from '../../src/renderer/src/state/draft-saver.svelte.ts'
import { blankComposition, type Composition } from '../../src/shared/composition/composition.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice } from './office.ts'
import { sendOf } from './people.ts'

let opened: Opened

beforeEach(async () => {
  opened = await openOffice()
})

const control = () => opened.api.control
const calls = (name: string) => control().calls.filter((call) => call.name === name)
const savedDrafts = () => control().state.drafts.map((draft) => [draft.accountId, draft.title])
const toasts = () => opened.app.toasts.shown.map((toast) => toast.text)
const full = { code: 'no-space', message: 'The disk is full.' } as const

function named(Name: string): Composition {
  const composition = blankComposition('form-direct', 'a')
  composition.items = composition.items.map((item) => ({ ...item, Name }))
  return composition
}

/** Returns a package's saver, and a function that closes its editor. */
function edit(id?: string, saver: DraftSaver = opened.app.draftSavers.create(named(''), id)) {
  return { saver, close: opened.app.draftSavers.attach(saver) }
}

/** Stores a draft. */
async function saved(text: string): Promise<string> {
  const { saver, close } = edit()
  saver.recordEdit(named(text))
  await saver.flush()
  close()
  await settle()
  return saver.key
}

/** Types while saving fails, and closes the editor. */
async function typeAndClose(text: string, id?: string): Promise<DraftSaver> {
  control().fail('drafts.save', full)
  const { saver, close } = edit(id)
  saver.recordEdit(named(text))
  close()
  await settle()
  return saver
}

/** Raises the window's closing event. Returns the latest answer to the main process after this long. */
async function close(after = 0): Promise<unknown> {
  control().emit('window.closing', null)
  await settle()
  await opened.clock.pass(after)
  return calls('system.readyToClose').at(-1)?.input
}

/** Chooses another account from elsewhere, without going through this screen. */
async function chooseElsewhere(id: string) {
  control().state.accounts = control().state.accounts.map((one) => ({ ...one, chosen: one.id === id }))
  control().emit('accounts.changed', null)
  await settle()
}

describe('a draft whose editor was closed before it was saved', () => {
  test('reopens with its unsaved text, and stays one draft', async () => {
    const id = await saved('old')
    await typeAndClose('newer', id)
    const found = opened.app.draftSavers.find(id)
    expect(found?.composition.items[0]?.Name).toBe('newer')
    const { saver } = edit(id, found)
    control().heal('drafts.save')
    saver.recordEdit(named('newest'))
    await saver.retry()
    await opened.clock.pass(120_000)
    expect(savedDrafts()).toEqual([['practice', 'newest']])
  })

  test('is no longer held once it is saved', async () => {
    const { key } = await typeAndClose('late')
    control().heal('drafts.save')
    await opened.clock.pass(60_000)
    expect(savedDrafts()).toEqual([['practice', 'late']])
    expect(opened.app.draftSavers.find(key)).toBeUndefined()
  })

  test('blocks changing the account, and offers the way back', async () => {
    await typeAndClose('late')
    expect(await opened.app.accounts.choose('harbour')).toMatchObject({ ok: false, error: { code: 'storage' } })
    expect(opened.app.accounts.chosen?.id).toBe('practice')
    expect(opened.app.toasts.shown.at(-1)?.action?.label).toBe('Open it')
  })

  test('is never saved into another account, and is saved once its own is selected again', async () => {
    await typeAndClose('ours')
    await chooseElsewhere('harbour')
    control().heal('drafts.save')
    await opened.clock.pass(120_000)
    expect(savedDrafts()).toEqual([])
    expect(await close()).toEqual({ kept: false })
    expect(toasts().at(-1)).toMatch(/“ours” isn’t saved\. It will be saved once you choose .* again\.$/)
    expect(await opened.app.accounts.choose('practice')).toMatchObject({ ok: true })
    await settle()
    expect(savedDrafts()).toEqual([['practice', 'ours']])
  })

  test('isn’t saved into another account while it isn’t known yet that that one is selected', async () => {
    const { saver, close: closeEditor } = edit()
    const chosen = control().hold('accounts.choose')
    const choosing = opened.app.accounts.choose('harbour')
    await settle()
    saver.recordEdit(named('ours'))
    closeEditor()
    const firstRead = control().hold('accounts.list')
    chosen()
    await settle()
    const secondRead = control().hold('accounts.list')
    control().emit('accounts.changed', null)
    firstRead()
    await settle()
    secondRead()
    await choosing
    await opened.app.accounts.choose('practice')
    await settle()
    expect(savedDrafts()).toEqual([['practice', 'ours']])
  })

  test('is no longer retried once its account is removed', async () => {
    const saver = await typeAndClose('orphan')
    await opened.app.accounts.remove('practice')
    control().heal('drafts.save')
    await opened.clock.pass(60_000)
    expect(saver.error?.code).toBe('gone')
    expect(savedDrafts()).toEqual([])
  })

  test('doesn’t block the account while queued in the outbox, and keeps its text for an undo', async () => {
    const id = await saved('sent')
    control().state.sends = [sendOf({ id: 'send-1', draftId: id, state: 'ready' })]
    const { saver, close: closeEditor } = edit(id)
    saver.recordEdit(named('typed late'))
    closeEditor()
    await settle()
    expect(toasts().at(-1)).toContain('The package is in the Outbox')
    await opened.clock.pass(120_000)
    expect(calls('drafts.save')).toHaveLength(2)
    expect(await opened.app.accounts.choose('harbour')).toMatchObject({ ok: true })
    expect(await opened.app.accounts.choose('practice')).toMatchObject({ ok: true })
    control().state.sends = []
    edit(id, opened.app.draftSavers.find(id))
    await settle()
    expect(savedDrafts()).toEqual([['practice', 'typed late']])
  })
})

describe('closing the window', () => {
  test('is allowed immediately once everything is saved', async () => {
    edit().saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: true })
    expect(savedDrafts()).toEqual([['practice', 'typed']])
  })

  test('requires confirmation immediately if a save fails', async () => {
    control().fail('drafts.save', full)
    edit().saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: false })
  })

  test('requires confirmation after two seconds without an answer to a save', async () => {
    control().hold('drafts.save')
    edit().saver.recordEdit(named('typed'))
    expect(await close(1900)).toBeUndefined()
    await opened.clock.pass(100)
    expect(calls('system.readyToClose').map((call) => call.input)).toEqual([{ kept: false }])
  })

  test('requires confirmation if the draft no longer exists', async () => {
    edit('removed').saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: false })
  })
})
