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
const kept = () => control().state.drafts.map((draft) => [draft.accountId, draft.title])
const said = () => opened.app.toasts.shown.map((toast) => toast.text)
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

/** Raises the window's closing event. Returns what the main process has been told after this long. */
async function close(after = 0): Promise<unknown> {
  control().emit('window.closing', null)
  await settle()
  await opened.clock.pass(after)
  return calls('system.readyToClose').at(-1)?.input
}

/** Another account is chosen elsewhere, without asking here. */
async function chosenElsewhere(id: string) {
  control().state.accounts = control().state.accounts.map((one) => ({ ...one, chosen: one.id === id }))
  control().emit('accounts.changed', null)
  await settle()
}

describe('a draft whose editor is closed before it is saved', () => {
  test('is found again with its text, newer than what is on the disk, and is one draft from then on', async () => {
    const id = await saved('old')
    await typeAndClose('newer', id)
    const found = opened.app.draftSavers.find(id)
    expect(found?.composition.items[0]?.Name).toBe('newer')
    const { saver } = edit(id, found)
    control().heal('drafts.save')
    saver.recordEdit(named('newest'))
    await saver.retry()
    await opened.clock.pass(120_000)
    expect(kept()).toEqual([['practice', 'newest']])
  })

  test('is found no longer once it is saved: the disk has it', async () => {
    const { key } = await typeAndClose('late')
    control().heal('drafts.save')
    await opened.clock.pass(60_000)
    expect(kept()).toEqual([['practice', 'late']])
    expect(opened.app.draftSavers.find(key)).toBeUndefined()
  })

  test('holds the account, with the way back to it', async () => {
    await typeAndClose('late')
    expect(await opened.app.accounts.choose('harbour')).toMatchObject({ code: 'storage' })
    expect(opened.app.accounts.chosen?.id).toBe('practice')
    expect(opened.app.toasts.shown.at(-1)?.action?.label).toBe('Open it')
  })

  test('is never saved for another account, says so, and is saved once its own is chosen again', async () => {
    await typeAndClose('ours')
    await chosenElsewhere('harbour')
    control().heal('drafts.save')
    await opened.clock.pass(120_000)
    expect(kept()).toEqual([])
    expect(await close()).toEqual({ kept: false })
    expect(said().at(-1)).toMatch(/“ours” is not saved\. It is saved once .* is chosen again\.$/)
    expect(await opened.app.accounts.choose('practice')).toBeUndefined()
    await settle()
    expect(kept()).toEqual([['practice', 'ours']])
  })

  test('of an account that was removed is not tried for ever', async () => {
    const saver = await typeAndClose('orphan')
    await opened.app.accounts.remove('practice')
    control().heal('drafts.save')
    await opened.clock.pass(60_000)
    expect(saver.error?.code).toBe('gone')
    expect(kept()).toEqual([])
  })

  test('that is with the outbox is shown as it was typed once it was taken back, and holds nobody in the account', async () => {
    const id = await saved('sent')
    control().state.sends = [sendOf({ id: 'send-1', draftId: id, state: 'ready' })]
    const { saver, close: closeEditor } = edit(id)
    saver.recordEdit(named('typed late'))
    closeEditor()
    await settle()
    expect(said().at(-1)).toContain('The package is in the Outbox')
    await opened.clock.pass(120_000)
    expect(calls('drafts.save')).toHaveLength(2)
    expect(await opened.app.accounts.choose('harbour')).toBeUndefined()
    expect(await opened.app.accounts.choose('practice')).toBeUndefined()
    control().state.sends = []
    edit(id, opened.app.draftSavers.find(id))
    await settle()
    expect(kept()).toEqual([['practice', 'typed late']])
  })
})

describe('closing the window', () => {
  test('is let go at once where all is kept', async () => {
    edit().saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: true })
    expect(kept()).toEqual([['practice', 'typed']])
  })

  test('asks at once where a save fails', async () => {
    control().fail('drafts.save', full)
    edit().saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: false })
  })

  test('asks after two seconds where a save is not answered', async () => {
    control().hold('drafts.save')
    edit().saver.recordEdit(named('typed'))
    expect(await close(1900)).toBeUndefined()
    await opened.clock.pass(100)
    expect(calls('system.readyToClose').map((call) => call.input)).toEqual([{ kept: false }])
  })

  test('asks where the draft is gone or with the outbox, too: what was typed would be lost', async () => {
    edit('removed').saver.recordEdit(named('typed'))
    expect(await close()).toEqual({ kept: false })
  })
})
