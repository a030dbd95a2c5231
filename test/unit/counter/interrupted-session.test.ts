/**
 * The application ends mid-session, by a crash or by quitting: the recovered state is correct, and the session can be
 * resumed.
 */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Audit } from '../../../src/main/core/audit/audit.ts'
import { Counter } from '../../../src/main/core/counter/counter.ts'
import type { CrashMarker, RunningSession } from '../../../src/main/core/counter/deps.ts'
import { openCrashMarker } from '../../../src/main/core/counter/interrupted-session.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { openMeta } from '../../../src/main/core/storage/meta.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { BOUNDS, gate, OFFLINE, openOffice, PIN, SECRET, signer } from './office.ts'

/** Returns an office whose application crashed while the second of three turns was open. */
async function crashed() {
  const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example'), signer('Cy Example')] })
  await office.start(['will', 0], ['will', 1], ['will', 2])
  await office.opens()
  office.signs('will', 0)
  office.events().returned()
  await office.handedOn()
  await office.opens()
  office.notes.length = 0
  const restarted = new Counter(office.deps)
  const state = () => restarted.state()
  return { office, restarted, state, outcomes: () => state()?.turns.map(({ outcome }) => outcome?.signed) }
}

describe('after a crash', () => {
  test('the session is shown locked, and the service is asked about the turn that was open', async () => {
    const { office, restarted, state, outcomes } = await crashed()
    office.signs('will', 1)
    const line = gate()
    office.line = line.passed
    const resumed = restarted.resumeInterrupted()
    expect(state()).toMatchObject({ phase: 'return', isLocked: true, wasInterrupted: true, place: 'here' })
    expect([restarted.isHandedOver(), outcomes()]).toEqual([true, ['signed', undefined, 'skipped']])
    line.open()
    await resumed
    expect(outcomes()).toEqual(['signed', 'signed', 'skipped'])
    expect(office.notes.map(({ what, signerName, detail }) => [what, signerName, detail?.outcome])).toEqual([
      ['session-interrupted', undefined, undefined],
      ['turn-ended', 'Cy Example', 'skipped'],
      ['turn-ended', 'Ben Example', 'signed']
    ])
    expect(office.marker).not.toBeNull()
    await restarted.unlock(state()?.id ?? '', PIN)
    expect([state()?.phase, office.marker, restarted.isHandedOver()]).toEqual(['ended', null, false])
  })

  test('a PIN pad still waiting after wrong PINs shows until when', async () => {
    const { office, restarted, state } = await crashed()
    office.pinWaitUntil = office.time.now + 240_000
    await restarted.resumeInterrupted()
    expect(state()).toMatchObject({ phase: 'return', isLocked: true, pinWaitUntil: office.pinWaitUntil })
  })

  test('an outcome is unknown while the service is unreachable, and updated later', async () => {
    const { office, restarted, outcomes } = await crashed()
    office.trouble = OFFLINE
    await restarted.resumeInterrupted()
    expect(outcomes()).toEqual(['signed', 'unknown', 'skipped'])
    office.trouble = undefined
    office.signs('will', 1)
    await office.deps.refresh('office')
    await restarted.documentsChanged('office')
    expect(outcomes()).toEqual(['signed', 'signed', 'skipped'])
  })

  test('a second crash on the last screen loses nothing', async () => {
    const { office, restarted } = await crashed()
    await restarted.resumeInterrupted()
    const third = new Counter(office.deps)
    await third.resumeInterrupted()
    expect(office.notesOf('turn-ended').filter(({ detail }) => detail?.outcome === 'skipped')).toHaveLength(1)
    expect(third.state()).toMatchObject({ phase: 'return', wasInterrupted: true })
    expect(third.state()?.turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'not-yet', 'skipped'])
  })

  test('turns that hadn’t begun are recorded as skipped once, despite several interruptions', async () => {
    const office = openOffice()
    await office.start(['will', 0])
    for (let crash = 0; crash < 3; crash++) await new Counter(office.deps).resumeInterrupted()
    expect(office.notesOf('turn-ended')).toMatchObject([{ signerName: 'Ann Example', detail: { outcome: 'skipped' } }])
    expect(office.notesOf('session-interrupted')).toHaveLength(3)
  })

  test('an outcome known but not yet recorded in the trail is recorded once', async () => {
    const { office, restarted } = await crashed()
    const [ann] = office.marker?.turns ?? []
    expect(ann).toMatchObject({ outcome: { signed: 'signed' }, isTold: true })
    delete ann?.isTold
    await restarted.resumeInterrupted()
    await new Counter(office.deps).resumeInterrupted()
    const ofAnn = office.notesOf('turn-ended').filter(({ signerName }) => signerName === 'Ann Example')
    expect(ofAnn).toMatchObject([{ detail: { outcome: 'signed' } }])
  })

  test('a signature noticed later but not yet recorded in the trail is recorded once', async () => {
    const { office, restarted, outcomes } = await crashed()
    await restarted.resumeInterrupted()
    expect(outcomes()).toEqual(['signed', 'not-yet', 'skipped'])
    const { save } = office.deps.crashMarker
    /** What is on disk when Ben's signature is first stored. The application ends at that point. */
    let onDisk: RunningSession | undefined
    office.deps.crashMarker.save = (session) => {
      save(session)
      if (session?.turns[1]?.outcome?.signed === 'signed') onDisk ??= structuredClone(session)
    }
    office.signs('will', 1)
    await office.deps.refresh('office')
    await restarted.documentsChanged('office')
    const written = office.notes.findIndex(({ detail }) => detail?.outcome === 'signed')
    expect(office.notes[written]?.signerName).toBe('Ben Example')
    office.notes.length = written
    office.marker = onDisk ?? null
    await new Counter(office.deps).resumeInterrupted()
    await new Counter(office.deps).resumeInterrupted()
    const ofBen = office.notesOf('turn-ended').filter(({ signerName }) => signerName === 'Ben Example')
    expect(ofBen).toMatchObject([{ detail: { outcome: 'not-yet' } }, { detail: { outcome: 'signed' } }])
  })

  test('an outcome that the folders show while the service is asked is recorded once', async () => {
    const { office, restarted, outcomes } = await crashed()
    await restarted.resumeInterrupted()
    const third = new Counter(office.deps)
    const { documentOf } = office.deps
    const answer = gate()
    let asked = 0
    office.deps.documentOf = async (...one) => {
      const found = await documentOf(...one)
      if (++asked === 1) await answer.passed
      return found
    }
    office.signs('will', 1)
    const resumed = third.resumeInterrupted()
    await office.time.pass(0)
    expect([outcomes(), asked]).toEqual([['signed', 'not-yet', 'skipped'], 1])
    await third.documentsChanged('office')
    answer.open()
    await resumed
    expect(third.state()?.turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'signed', 'skipped'])
    const ofBen = office.notesOf('turn-ended').filter(({ signerName }) => signerName === 'Ben Example')
    expect(ofBen.map(({ detail }) => detail?.outcome)).toEqual(['not-yet', 'signed'])
  })

  test('the session still belongs to its account, whichever is chosen by then', async () => {
    const { office, restarted, state } = await crashed()
    office.chosen = 'branch'
    await restarted.resumeInterrupted()
    expect(state()).toMatchObject({ wasInterrupted: true, accountId: 'office' })
  })

  test('an unchanged outcome isn’t recorded again after a second crash', async () => {
    const { office, restarted } = await crashed()
    await restarted.resumeInterrupted()
    await new Counter(office.deps).resumeInterrupted()
    const ofBen = office.notesOf('turn-ended').filter(({ signerName }) => signerName === 'Ben Example')
    expect(ofBen).toMatchObject([{ detail: { outcome: 'not-yet' } }])
  })

  test.each<[what: string, isFatal: (marker: RunningSession | null) => boolean]>([
    ['the outcome of a turn', (marker) => marker?.turns[0]?.isTold === true],
    ['the end of a session', (marker) => marker === null]
  ])('%s and the crash marker are written together or not at all', async (_what, isFatal) => {
    const office = openOffice()
    const db = connectInMemory()
    onTestFinished(() => void db.close())
    migrate(db)
    const onError = (error: unknown) => void office.errors.push(error)
    const marker = openCrashMarker({ db, onError })
    const open = (crashMarker: CrashMarker) => {
      const { auditAnchor: anchor } = memoryKeychain()
      const audit = new Audit({
        db,
        anchor,
        onError,
        time: office.time.run(),
        staff: () => 'Ana',
        changed: () => undefined
      })
      return { audit, counter: new Counter({ ...office.deps, note: audit.note, crashMarker }) }
    }
    // Database writes after the fatal one are rolled back, as if the process had ended there.
    let isOver = false
    const { counter } = open({
      ...marker,
      save(session) {
        if (!isOver) marker.save(session)
        isOver ||= isFatal(session)
        if (isOver) throw new Error('The application ends.')
      }
    })
    const { id } = await counter.start({
      turns: [{ documentReference: 'will', signer: 0, evidence: [] }],
      allowsCamera: false
    })
    await counter.begin(id)
    counter.finish(id).catch(() => undefined)
    await office.time.pass(60_000)
    await counter.unlock(id, PIN).catch(() => undefined)
    expect([isOver, marker.read()]).toMatchObject([true, { id }])

    const after = open(marker)
    await after.counter.resumeInterrupted()
    await after.counter.unlock(id, PIN)
    expect(marker.read()).toBeNull()
    const { entries } = await after.audit.list('', 0, 100)
    const events = entries.map(({ what }) => what)
    for (const what of ['session-started', 'turn-ended', 'session-ended'] as const) {
      expect(events.filter((one) => one === what)).toHaveLength(1)
    }
  })

  test('a session doesn’t start if its crash marker can’t be stored', async () => {
    const office = openOffice()
    office.deps.crashMarker.save = () => {
      throw new Error('The application ends.')
    }
    await expect(office.start(['will', 0])).rejects.toThrow('The application ends.')
    expect([office.counter.state(), office.isTaken]).toEqual([null, false])
  })

  test('the session ends if the PIN is gone, and stays locked if the PIN can’t be read', async () => {
    const { office, restarted, state } = await crashed()
    office.pin = undefined
    await restarted.resumeInterrupted()
    expect([state()?.phase, office.marker]).toEqual(['ended', null])
    const other = await crashed()
    other.office.deps.pin.state = () => Promise.reject(new Error('locked'))
    await other.restarted.resumeInterrupted()
    expect(other.state()).toMatchObject({ phase: 'return', isLocked: true })
  })

  test('no other session starts before staff has seen this one', async () => {
    const { restarted } = await crashed()
    await restarted.resumeInterrupted()
    const turns = [{ documentReference: 'will', signer: 1, evidence: [] }]
    await expect(restarted.start({ turns, allowsCamera: false })).rejects.toMatchObject({ appError: { code: 'busy' } })
  })

  test('a removed account is reported in the outcome', async () => {
    const { office, restarted, state } = await crashed()
    office.accounts.clear()
    await restarted.resumeInterrupted()
    expect(state()?.turns[1]?.outcome).toMatchObject({ signed: 'unknown', error: { code: 'no-account' } })
  })

  test('the crash marker contains no signing link', async () => {
    const { office } = await crashed()
    expect(office.marker?.turns).toHaveLength(3)
    expect(JSON.stringify(office.marker)).not.toContain(SECRET)
  })

  test('nothing is shown if no session was running', async () => {
    const office = openOffice()
    await office.counter.resumeInterrupted()
    expect(office.counter.state()).toBeNull()
  })
})

/** Stores `text` as the crash marker, as if another version or someone by hand had written it. */
async function found(text: string) {
  const office = openOffice()
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  const meta = openMeta(db)
  meta.write('counter-running', text)
  const onError = (error: unknown) => void office.errors.push(error)
  const running = openCrashMarker({ db, onError })
  const counter = new Counter({ ...office.deps, crashMarker: running })
  await counter.resumeInterrupted()
  return { office, counter, running, storedMarker: () => meta.read('counter-running'), id: counter.state()?.id ?? '' }
}

describe('an unreadable crash marker', () => {
  const noTurns = JSON.stringify({ id: 'x', accountId: 'office', startedAt: 1, staff: '', current: 3, turns: [] })
  test.each([
    ['no JSON', '{"id":', 'unreadable'],
    ['another shape', '{"id":"x","turns":"all"}', 'unreadable'],
    ['no turns', noTurns, undefined]
  ])('(%s) locks the screen until the PIN is entered', async (_which, text, reason) => {
    const { office, counter, storedMarker, id } = await found(text)
    expect(counter.state()).toMatchObject({ phase: 'return', isLocked: true, turns: [], current: 0 })
    expect([counter.isHandedOver(), storedMarker()]).toEqual([true, text])
    expect(office.notes).toMatchObject([{ what: 'session-interrupted', session: id }])
    expect(office.notes[0]?.detail?.found).toBe(reason)
    counter.screenLeft('blur')
    counter.displayLost()
    counter.show(id, BOUNDS)
    for (const act of [counter.begin, counter.resume, counter.finish, counter.next, counter.retry]) await act(id)
    await expect(counter.staff(id, 'end', 'office')).rejects.toMatchObject({ appError: { code: 'not-allowed' } })
    await counter.documentsChanged('office')
    office.accounts.clear()
    await counter.accountsChanged()
    expect(counter.state()).toMatchObject({ phase: 'return', isLocked: true })
    await counter.unlock(id, PIN)
    expect([counter.state()?.phase, storedMarker()]).toEqual(['ended', undefined])
  })

  test('is discarded when the application ends normally', async () => {
    const { counter, storedMarker } = await found('{')
    await counter.end()
    expect([counter.state()?.phase, storedMarker()]).toEqual(['ended', undefined])
  })

  test('is distinguished from a missing one, but not from a failing read', async () => {
    const { running, office } = await found('{')
    running.save(null)
    expect(running.read()).toBeNull()
    const db = connectInMemory()
    migrate(db)
    const other = openCrashMarker({ db, onError: (error) => void office.errors.push(error) })
    db.close()
    expect([other.read(), office.errors.length]).toEqual(['unreadable', 1])
  })
})

describe('ending the application with the crash marker kept', () => {
  test('wipes the page, and the next start is locked and asks the service for the outcome', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    await office.start(['will', 0], ['will', 1])
    const page = await office.opens()
    await office.counter.end({ keepsMarker: true })
    expect([page.state, office.isTaken, office.counter.isHandedOver()]).toEqual(['destroyed', false, true])
    expect(office.notesOf('session-ended')).toEqual([])
    expect(office.notesOf('left')).toMatchObject([{ detail: { by: 'closing' } }])
    office.signs('will', 0)
    const next = new Counter(office.deps)
    await next.resumeInterrupted()
    expect(next.state()).toMatchObject({ phase: 'return', isLocked: true, wasInterrupted: true })
    expect(next.state()?.turns.map(({ outcome }) => outcome?.signed)).toEqual(['signed', 'skipped'])
  })

  test('has no effect on a session that has ended', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    await office.counter.unlock(id, PIN)
    await office.counter.staff(id, 'end', 'office')
    await office.counter.end({ keepsMarker: true })
    expect([office.state().phase, office.marker]).toEqual(['ended', null])
  })

  test('isn’t possible without the PIN unless none is set, as last known', async () => {
    const office = openOffice()
    const { counter } = office
    expect(counter.canLeaveWithoutPin()).toBe(false)
    const { id } = await office.start(['will', 0])
    await counter.unlock(id, '0000').catch(() => undefined)
    expect(counter.canLeaveWithoutPin()).toBe(false)
    office.pin = undefined
    await counter.unlock(id, PIN).catch(() => undefined)
    expect(counter.canLeaveWithoutPin()).toBe(true)
    office.pin = PIN
    await counter.unlock(id, '0000').catch(() => undefined)
    expect(counter.canLeaveWithoutPin()).toBe(false)
  })
})

describe('ending the application normally', () => {
  test('wipes the page, records the end, and leaves no crash marker', async () => {
    const office = openOffice()
    const { id } = await office.start(['will', 0])
    const page = await office.opens()
    await office.counter.end()
    expect([page.state, office.marker, office.isTaken]).toEqual(['destroyed', null, false])
    expect(office.notesOf('session-ended')[0]?.detail).toMatchObject({ by: 'application closed' })
    expect(office.notesOf('turn-ended')[0]?.detail).toMatchObject({ outcome: 'unknown' })
    await expect(office.start(['will', 0])).rejects.toMatchObject({ appError: { code: 'gone' } })
    await office.counter.begin(id)
    expect(office.pages).toHaveLength(1)
  })

  test('while the service is being asked starts no further turn', async () => {
    const office = openOffice({ will: [signer('Ann Example'), signer('Ben Example')] })
    await office.start(['will', 0], ['will', 1])
    await office.opens()
    office.events().returned()
    await office.counter.end()
    await office.time.pass(60_000)
    expect(office.state()).toMatchObject({ phase: 'ended' })
  })

  test('without a session records nothing', async () => {
    const office = openOffice()
    await office.counter.end()
    expect(office.notes).toEqual([])
  })
})
