/** The application ended in the middle, by a crash or in order: what is found afterwards is true and can be taken up again. */
import { describe, expect, test } from 'vitest'
import { openCounter } from '../../../src/main/core/counter/counter.ts'
import { gate, OFFLINE, openOffice, PIN, SECRET, signer } from './office.ts'

/** An office whose application crashed while the second of three turns was open. */
async function crashed() {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example'), signer('Cy Example')] })
  await office.start(['will', 0], ['will', 1], ['will', 2])
  await office.opens()
  office.signs('will', 0)
  office.events().returned()
  await office.settled()
  await office.opens()
  office.notes.length = 0
  const again = openCounter(office.effects)
  const state = () => again.state()
  return { office, again, state, outcomes: () => state()?.turns.map(({ outcome }) => outcome?.signed) }
}

describe('after a crash', () => {
  test('the session comes up locked, and the service says what became of the turn that ran', async () => {
    const { office, again, state, outcomes } = await crashed()
    office.signs('will', 1)
    const asked = gate()
    office.line = asked.passed
    const resumed = again.resumeInterrupted()
    expect(state()).toMatchObject({ phase: 'return', isLocked: true, wasInterrupted: true, place: 'here' })
    expect([again.isHandedOver(), outcomes()]).toEqual([true, ['signed', undefined, 'skipped']])
    asked.open()
    await resumed
    expect(outcomes()).toEqual(['signed', 'signed', 'skipped'])
    expect(office.notes.map(({ what }) => what)).toEqual(['session-interrupted', 'turn-ended'])
    expect(office.kept).not.toBeNull()
    await again.unlock(state()?.id ?? '', PIN)
    expect([state()?.phase, office.kept, again.isHandedOver()]).toEqual(['ended', null, false])
  })

  test('what couldn’t be asked is unknown, and becomes known later', async () => {
    const { office, again, outcomes } = await crashed()
    office.trouble = OFFLINE
    await again.resumeInterrupted()
    expect(outcomes()).toEqual(['signed', 'unknown', 'skipped'])
    office.trouble = undefined
    office.signs('will', 1)
    await office.effects.refresh('office')
    await again.documentsChanged('office')
    expect(outcomes()).toEqual(['signed', 'signed', 'skipped'])
  })

  test('a second crash on the last screen loses nothing', async () => {
    const { office, again } = await crashed()
    await again.resumeInterrupted()
    const third = openCounter(office.effects)
    await third.resumeInterrupted()
    expect(third.state()).toMatchObject({ phase: 'return', wasInterrupted: true })
    expect(third.state()?.turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'not-yet', 'skipped'])
  })

  test('nobody is locked out where the PIN is gone, and nobody let in where it can’t be read', async () => {
    const { office, again, state } = await crashed()
    office.pin = undefined
    await again.resumeInterrupted()
    expect([state()?.phase, office.kept]).toEqual(['ended', null])
    const other = await crashed()
    other.office.effects.pin.state = () => Promise.reject(new Error('locked'))
    await other.again.resumeInterrupted()
    expect(other.state()).toMatchObject({ phase: 'return', isLocked: true })
  })

  test('no other session begins before staff has seen this one', async () => {
    const { again } = await crashed()
    await again.resumeInterrupted()
    const turns = [{ documentReference: 'will', signer: 1, evidence: [] }]
    await expect(again.start({ turns, allowsCamera: false })).rejects.toMatchObject({ appError: { code: 'busy' } })
  })

  test('an account that is gone is said to be', async () => {
    const { office, again, state } = await crashed()
    office.accounts.clear()
    await again.resumeInterrupted()
    expect(state()?.turns[1]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'no-account' } })
  })

  test('what is kept meanwhile holds no link', async () => {
    const { office } = await crashed()
    expect(office.kept?.turns).toHaveLength(3)
    expect(JSON.stringify(office.kept)).not.toContain(SECRET)
  })

  test('where nothing ran nothing is shown', async () => {
    const office = openOffice()
    await office.counter.resumeInterrupted()
    expect(office.counter.state()).toBeNull()
  })
})

describe('an end in order', () => {
  test('wipes the page, writes it down, and leaves nothing to be found', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const page = await office.opens()
    await office.counter.end()
    expect([page.state, office.kept, office.isTaken]).toEqual(['destroyed', null, false])
    expect(office.told('session-ended')[0]?.detail).toMatchObject({ by: 'application closed' })
    expect(office.told('turn-ended')[0]?.detail).toMatchObject({ outcome: 'unknown' })
    await expect(office.start(['will', 0])).rejects.toMatchObject({ appError: { code: 'gone' } })
    await office.counter.begin(id)
    expect(office.pages).toHaveLength(1)
  })

  test('while the service is asked lets nothing follow', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.events().returned()
    await office.counter.end()
    await office.time.pass(60_000)
    expect(office.state()).toMatchObject({ phase: 'ended' })
  })

  test('where nobody signs is nothing', async () => {
    const office = openOffice()
    await office.counter.end()
    expect(office.notes).toEqual([])
  })
})
