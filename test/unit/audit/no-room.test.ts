/**
 * An audit trail on a full disk: what waits, what is refused because it can't be recorded, and what is counted as lost.
 */
import { describe, expect, test } from 'vitest'
import { lastingKeychain, troubledKeychain } from '../storage/keychains.ts'
import { auditedWorkstation, TEN } from './office.ts'

/** Larger than a database page, so that it needs another page. */
const LARGE = 'x'.repeat(20_000)
const MINUTE = 60_000

function workstation() {
  const made = auditedWorkstation()
  const pages = (limit: number) => made.db.pragma(`max_page_count = ${limit}`)
  const full = () => void pages(Number(made.db.pragma('page_count', { simple: true })))
  const roomAgain = () => void pages(1_000_000)
  const all = made.db.prepare('SELECT what, at, detail FROM audit ORDER BY seq')
  const rows = () => all.all() as { what: string; at: number; detail: string }[]
  return { ...made, full, roomAgain, rows, whats: () => rows().map(({ what }) => what) }
}

const large = (what: 'pin-set' | 'left' | 'unlocked') => ({ what, detail: { why: LARGE } })

describe('when the disk is full', () => {
  test('events wait, are counted by the check, and are written in order with their times once there is room', async () => {
    const { full, roomAgain, run, now, pass, rows, troubles, notified } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    for (const what of ['left', 'unlocked'] as const) {
      now.at += MINUTE
      audit.note(large(what))
    }
    expect(troubles).toMatchObject([{ code: 'SQLITE_FULL' }, { code: 'SQLITE_FULL' }])
    expect(await audit.check()).toEqual({ isWhole: true, entries: 1, isCutOff: false, unwritten: 2 })
    roomAgain()
    const before = notified.changed
    now.at += MINUTE
    await pass(10_000)
    expect(rows().map(({ what, at }) => [what, at])).toEqual([
      ['pin-set', TEN],
      ['left', TEN + MINUTE],
      ['unlocked', TEN + 2 * MINUTE]
    ])
    expect(notified.changed).toBeGreaterThan(before)
    await audit.flush()
    expect(await run().check()).toEqual({ isWhole: true, entries: 3, isCutOff: false })
  })

  test('a later, smaller entry doesn’t overtake those waiting', () => {
    const { full, roomAgain, run, whats } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    audit.note(large('left'))
    audit.note({ what: 'idle' })
    expect(whats()).toEqual(['pin-set'])
    roomAgain()
    audit.note({ what: 'pin-wrong' })
    expect(whats()).toEqual(['pin-set', 'left', 'idle', 'pin-wrong'])
  })

  test('an entry required immediately is refused, and not written later', async () => {
    const { full, roomAgain, run, pass, whats } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    expect(() => audit.note(large('left'), 'now-or-never')).toThrow(/full/)
    audit.note(large('unlocked'))
    expect(() => audit.note({ what: 'handed-over' }, 'now-or-never')).toThrow(/full/)
    roomAgain()
    await pass(10_000)
    expect(whats()).toEqual(['pin-set', 'unlocked'])
    audit.note({ what: 'handed-over' }, 'now-or-never')
    expect(whats()).toEqual(['pin-set', 'unlocked', 'handed-over'])
  })

  test('entries still waiting at the end are counted into the chain by the next run', async () => {
    const { full, roomAgain, run, now, rows, whats } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    await audit.flush()
    full()
    for (let time = 0; time < 3; time++) {
      now.at += MINUTE
      audit.note(large('left'))
    }
    await audit.flush()
    roomAgain()
    const next = run()
    await next.flush()
    expect(whats()).toEqual(['pin-set', 'entries-lost'])
    expect(JSON.parse(rows()[1]?.detail ?? '')).toEqual({
      entries: '3',
      from: '2026-11-21T10:01:00+13:00',
      until: '2026-11-21T10:03:00+13:00'
    })
    const after = run()
    await after.flush()
    expect(await after.check()).toEqual({ isWhole: true, entries: 2, isCutOff: false })
  })

  test('entries lost in an earlier run are recorded once, even if the next was killed before the keychain knew', async () => {
    const { full, roomAgain, run, now, rows, entries } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    now.at += MINUTE
    audit.note(large('left'))
    await audit.flush()
    roomAgain()
    const { auditAnchor } = lastingKeychain(entries)
    const killed = run({ ...auditAnchor, set: () => Promise.reject(new Error('It was killed.')) })
    killed.note({ what: 'idle' })
    await killed.flush()
    await run().flush()
    const lost = rows().filter(({ what }) => what === 'entries-lost')
    expect(lost.map(({ detail }) => JSON.parse(detail).entries)).toEqual(['1'])
  })

  test('lost entries that can’t be recorded yet are still counted, together with later losses', async () => {
    const { full, roomAgain, run, rows } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    audit.note(large('left'))
    await audit.flush()
    const second = run()
    await second.flush()
    second.note(large('left'))
    await second.flush()
    roomAgain()
    await run().flush()
    const lost = rows().filter(({ what }) => what === 'entries-lost')
    expect(lost.reduce((sum, { detail }) => sum + Number(JSON.parse(detail).entries), 0)).toBe(2)
  })

  test('beyond a thousand only the number is kept, and recorded after those waiting', async () => {
    const { full, roomAgain, run, pass, rows } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    audit.note(large('left'))
    for (let time = 0; time < 1004; time++) audit.note({ what: 'idle' })
    expect((await audit.check()).unwritten).toBe(1005)
    roomAgain()
    await pass(10_000)
    expect(rows()).toHaveLength(1 + 1000 + 1)
    expect(JSON.parse(rows().at(-1)?.detail ?? '')).toMatchObject({ entries: '5' })
    expect((await audit.check()).unwritten).toBeUndefined()
  })

  test('waiting entries survive a rolled-back transaction, and are counted until written', async () => {
    const { db, full, roomAgain, run, pass, whats } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    audit.note(large('left'))
    roomAgain()
    const record = (isCommitted: boolean) => () =>
      db.transaction(() => {
        audit.note({ what: 'unlocked' })
        if (!isCommitted) throw new Error('The disk is full at the commit.')
      })()
    expect(record(false)).toThrow('at the commit')
    expect(whats()).toEqual(['pin-set'])
    expect((await audit.check()).unwritten).toBe(1)
    record(true)()
    await pass(10_000)
    expect(whats()).toEqual(['pin-set', 'unlocked', 'left'])
    expect((await audit.check()).unwritten).toBeUndefined()
  })

  test('an entry without room in such a transaction waits like any other', async () => {
    const { db, full, roomAgain, run, pass, whats } = workstation()
    const audit = run()
    audit.note({ what: 'pin-set' })
    full()
    db.transaction(() => audit.note(large('left')))()
    expect((await audit.check()).unwritten).toBe(1)
    roomAgain()
    await pass(10_000)
    expect(whats()).toEqual(['pin-set', 'left'])
  })

  test('a keychain that can’t store the number either doesn’t harm the waiting entries', async () => {
    const { full, roomAgain, run, pass, whats } = workstation()
    const audit = run(troubledKeychain('locked').auditAnchor)
    audit.note({ what: 'pin-set' })
    full()
    audit.note(large('left'))
    roomAgain()
    await pass(10_000)
    expect(whats()).toEqual(['pin-set', 'left'])
  })
})
