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
const kept = () => api.control.state.drafts.map((draft) => draft.composition.items[0]?.Name)

describe('what is typed', () => {
  test('is saved within 300 ms, as one draft however many times it is saved', async () => {
    type('T')
    await clock.pass(300)
    type('Ta')
    await clock.pass(300)
    expect(kept()).toEqual(['Ta'])
    expect(saver.state).toBe('saved')
    expect(saves()).toHaveLength(2)
  })

  test('is saved during steady typing too, not only after a pause', async () => {
    for (let index = 1; index <= 20; index++) {
      type('x'.repeat(index))
      await clock.pass(100)
    }
    expect(saves().length).toBeGreaterThan(5)
    await clock.pass(300)
    expect(kept()).toEqual(['x'.repeat(20)])
  })

  test('is not saved once for each key', async () => {
    for (let index = 1; index <= 10; index++) type('x'.repeat(index))
    await clock.pass(300)
    expect(saves()).toHaveLength(1)
  })

  test('while a save is on its way is saved after it, never beside it', async () => {
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
    expect(kept()).toEqual(['second'])
  })

  test('while a save is on its way is saved 250 ms after it was typed, however long the save takes', async () => {
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
    expect(kept()).toEqual(['second'])
  })

  test('is kept as the page goes away, also beside the very first save that is on its way: one draft, sent off once', async () => {
    const answer = api.control.hold('drafts.save')
    type('first')
    await clock.pass(250)
    type('second')
    saver.flushOnExit()
    saver.flushOnExit()
    answer()
    await expect.poll(kept).toEqual(['second'])
    await clock.pass(60_000)
    expect(kept()).toEqual(['second'])
    expect(saves()).toHaveLength(2)
    expect(saver.state).toBe('saved')
    expect(saver.id).toBe(api.control.state.drafts[0]?.id)
  })

  test('whose first save was taken although its answer was lost is one draft all the same', async () => {
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
    expect(kept()).toEqual(['second'])
  })

  test('is kept as it was when it was typed, whatever becomes of it while its save fails', async () => {
    api.control.fail('drafts.save', { code: 'storage', message: 'Not now.' })
    type('typed')
    await clock.pass(300)
    composition.items = []
    api.control.heal('drafts.save')
    await clock.pass(5000)
    expect(kept()).toEqual(['typed'])
  })

  test.each(['gone', 'busy'] as const)(
    'is not tried again and again where the answer is final (%s), but is when that is asked for',
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
      expect(kept()).toEqual(['later'])
    }
  )

  test('in a draft that was removed is kept as a new draft where the person says so', async () => {
    saver = new DraftSaver(api, clock, { composition, accountId: 'practice', id: 'removed' })
    type('precious')
    await clock.pass(300)
    expect(saver.error?.code).toBe('gone')
    expect(await saver.saveAsNew()).toBe(true)
    expect(kept()).toEqual(['precious'])
    expect(saver.id).not.toBe('removed')
  })

  test('into another draft goes on from no edition of the one before', async () => {
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

  test('after a package was taken back is saved in the draft that it is then', async () => {
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

  test('that could not be saved is said, and saved as soon as it can be', async () => {
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
    expect(kept()).toEqual(['precious'])
  })

  test('is tried again at longer and longer intervals, not in a storm', async () => {
    api.control.fail('drafts.save', { code: 'storage', message: 'Not now.' })
    type('precious')
    await clock.pass(60_000)
    expect(saves().length).toBeGreaterThan(3)
    expect(saves().length).toBeLessThan(10)
  })

  test('is kept at once when the page is left', async () => {
    type('leaving')
    expect(await saver.flush()).toBe(true)
    expect(kept()).toEqual(['leaving'])
  })

  test('is not reported as kept where it was not', async () => {
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
    expect(kept()).toEqual(['sent'])
  })
})
