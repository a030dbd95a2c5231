import { beforeEach, describe, expect, test } from 'vitest'
import { DraftSaver } from '../../src/renderer/src/state/draft-saver.svelte.ts'
import { blankComposition, type Composition } from '../../src/shared/composition/composition.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'

let api: FakeApi
let clock: FakeClock
let composition: Composition
let saver: DraftSaver

beforeEach(() => {
  api = fakeApi()
  clock = new FakeClock(0)
  composition = blankComposition('form-direct', 'a')
  saver = new DraftSaver(api, clock, { composition, accountId: 'practice' })
})

function type(text: string) {
  const [item] = composition.items
  if (item) item.Name = text
  saver.recordEdit(structuredClone(composition))
}

const saves = () => api.control.calls.filter((call) => call.name === 'drafts.save')
const savedNames = () => api.control.state.drafts.map((draft) => draft.composition.items[0]?.Name)

describe('typed text', () => {
  test('is saved within 300 ms, into one draft', async () => {
    type('T')
    await clock.pass(300)
    type('Ta')
    await clock.pass(300)
    expect(savedNames()).toEqual(['Ta'])
    expect(saver.state).toBe('saved')
    expect(saves()).toHaveLength(2)
  })

  test('is saved during continuous typing, not only after a pause', async () => {
    for (let index = 1; index <= 20; index++) {
      type('x'.repeat(index))
      await clock.pass(100)
    }
    expect(saves().length).toBeGreaterThan(5)
    await clock.pass(300)
    expect(savedNames()).toEqual(['x'.repeat(20)])
  })

  test('is not saved with every key', async () => {
    for (let index = 1; index <= 10; index++) type('x'.repeat(index))
    await clock.pass(300)
    expect(saves()).toHaveLength(1)
  })

  test('during a save is saved afterwards, never concurrently', async () => {
    let finish = () => {}
    const save = api.drafts.save
    let running = 0
    let most = 0
    api.drafts.save = async (input) => {
      running++
      most = Math.max(most, running)
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      running--
      return save(input)
    }
    type('first')
    await clock.pass(300)
    type('second')
    await clock.pass(300)
    finish()
    await settle()
    await clock.pass(300)
    finish()
    await settle()
    expect(most).toBe(1)
    expect(savedNames()).toEqual(['second'])
  })

  test('during a save is saved 250 ms after it was typed, even if the save takes long', async () => {
    let finish = () => {}
    const save = api.drafts.save
    api.drafts.save = async (input) => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      return save(input)
    }
    type('first')
    await clock.pass(250)
    await clock.pass(10)
    type('second')
    await clock.pass(240)
    finish()
    await settle()
    await clock.pass(10)
    finish()
    await settle()
    expect(savedNames()).toEqual(['second'])
  })

  test('is saved once as the page closes, into the same draft as a first save in progress', async () => {
    const answer = api.control.hold('drafts.save')
    type('first')
    await clock.pass(250)
    type('second')
    saver.flushOnExit()
    saver.flushOnExit()
    answer()
    await expect.poll(savedNames).toEqual(['second'])
    await clock.pass(60_000)
    expect(savedNames()).toEqual(['second'])
    expect(saves()).toHaveLength(2)
    expect(saver.state).toBe('saved')
    expect(saver.id).toBe(api.control.state.drafts[0]?.id)
  })

  test('goes into one draft even if the answer to its first save was lost', async () => {
    const { save } = api.drafts
    api.drafts.save = async (input) => {
      await save(input)
      api.drafts.save = save
      throw new Error('lost')
    }
    type('first')
    await clock.pass(300)
    type('second')
    await clock.pass(5000)
    expect(savedNames()).toEqual(['second'])
  })

  test('is saved as it was when typed, even if its save fails at first', async () => {
    api.control.fail('drafts.save', { code: 'storage', message: 'Not now.' })
    type('typed')
    await clock.pass(300)
    composition.items = []
    api.control.heal('drafts.save')
    await clock.pass(5000)
    expect(savedNames()).toEqual(['typed'])
  })

  test.each(['gone', 'busy'] as const)(
    'is not retried automatically after a final answer (%s), only on request',
    async (code) => {
      api.control.fail('drafts.save', { code, message: 'For good.' })
      type('late')
      await clock.pass(120_000)
      type('later')
      await clock.pass(120_000)
      expect(await saver.flush()).toBe(false)
      expect(saves()).toHaveLength(1)
      expect(saver.error?.code).toBe(code)
      api.control.heal('drafts.save')
      expect(await saver.retry()).toBe(true)
      expect(savedNames()).toEqual(['later'])
    }
  )

  test('in a deleted draft can be saved as a new draft', async () => {
    saver = new DraftSaver(api, clock, { composition, accountId: 'practice', id: 'removed' })
    type('precious')
    await clock.pass(300)
    expect(saver.error?.code).toBe('gone')
    expect(await saver.saveAsNew()).toBe(true)
    expect(savedNames()).toEqual(['precious'])
    expect(saver.id).not.toBe('removed')
  })

  test('in another draft does not continue from the previous draft’s edition', async () => {
    const office = { isMine: false, canBeMine: true, versions: 0, edition: 3 }
    const begin = () => {
      saver = new DraftSaver(api, clock, { composition, accountId: 'practice', id: 'its', office })
    }
    const editions = () => saves().map(({ input }) => (input as { edition?: number }).edition)
    begin()
    type('precious')
    await clock.pass(300)
    expect([saver.error?.code, editions()]).toEqual(['gone', [3]])
    await saver.saveAsNew()
    expect(editions()).toEqual([3, undefined])
    begin()
    saver.close()
    const [draft] = api.control.state.drafts
    if (draft) api.control.state.drafts = [{ ...draft, id: 'another', office: { ...office, edition: 0 } }]
    saver.reopen('another')
    type('corrected')
    await clock.pass(300)
    type('corrected again')
    await clock.pass(300)
    expect(editions()).toEqual([3, undefined, undefined, 0])
    expect(saver.isOutdated).toBe(false)
    saver.close()
    saver.reopen('another')
    type('and once more')
    await clock.pass(300)
    expect(editions().at(-1)).toBe(0)
  })

  test('after undoing a send is saved in the draft it returned to', async () => {
    type('sent')
    await saver.flush()
    saver.close()
    const [draft] = api.control.state.drafts
    if (draft) api.control.state.drafts = [{ ...draft, id: 'another' }]
    saver.reopen('another')
    type('corrected')
    await clock.pass(300)
    expect(api.control.state.drafts.map((one) => [one.id, one.title])).toEqual([['another', 'corrected']])
  })

  test('that couldn’t be saved is reported, and saved once possible', async () => {
    api.control.fail('drafts.save', { code: 'no-space', message: 'The disk is full.' })
    type('precious')
    await clock.pass(300)
    expect(saver.state).toBe('failed')
    expect(saver.error?.code).toBe('no-space')
    await clock.pass(10_000)
    api.control.heal('drafts.save')
    await clock.pass(30_000)
    expect(saver.state).toBe('saved')
    expect(saver.error).toBeUndefined()
    expect(savedNames()).toEqual(['precious'])
  })

  test('is retried at growing intervals', async () => {
    api.control.fail('drafts.save', { code: 'storage', message: 'Not now.' })
    type('precious')
    await clock.pass(60_000)
    expect(saves().length).toBeGreaterThan(3)
    expect(saves().length).toBeLessThan(10)
  })

  test('is saved immediately when leaving', async () => {
    type('leaving')
    expect(await saver.flush()).toBe(true)
    expect(savedNames()).toEqual(['leaving'])
  })

  test('is not reported as saved if it wasn’t', async () => {
    api.control.fail('drafts.save', { code: 'storage', message: 'Not now.' })
    type('leaving')
    expect(await saver.flush()).toBe(false)
  })

  test('is not saved over a package that was sent', async () => {
    type('sent')
    await saver.flush()
    saver.close()
    type('later')
    await clock.pass(60_000)
    expect(savedNames()).toEqual(['sent'])
  })
})
