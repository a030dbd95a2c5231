// Merging two versions of an office's staff list: a PIN removed by a reset stays removed, and so does its one-time PIN
// once another was chosen, in whatever order the versions in circulation are merged.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeStaff, withLackingResets } from '../../../src/main/core/counter/shared-staff.ts'
import type { PinReset, StaffContent } from '../../../src/main/core/counter/staff-sync.ts'

const pinOf = (key: string) => ({ n: 2, r: 1, p: 1, salt: '00', key })
const reset = (id: string, at: number): PinReset => ({ id, member: 'grace', name: 'Grace Okafor', by: 'postgres', at })
const over = (one: PinReset): PinReset => ({ ...one, isOver: true })

function listWith(pin: string, resets: PinReset[], others: { isPinOnce?: true; ben?: string } = {}): StaffContent {
  const { isPinOnce, ben = 'ben' } = others
  return {
    members: [
      { id: 'grace', name: 'Grace Okafor', role: 'administrator', pin: pinOf(pin), ...(isPinOnce && { isPinOnce }) },
      { id: 'ben', name: 'Ben Tui', role: 'clerk', pin: pinOf(ben) }
    ],
    ...(resets.length > 0 && { resets })
  }
}

const [first, second] = [reset('b', 1_000), reset('a', 1_000)].sort((one, other) => (one.id < other.id ? -1 : 1)) as [
  PinReset,
  PinReset
]
/** The versions of one administrator's PIN, in order. */
const lists = [
  listWith('of before', []),
  listWith('once', [first], { isPinOnce: true }),
  listWith('own', [over(first)]),
  // At the same time as the first, as can happen if the server's clock is set back.
  listWith('once more', [over(first), second], { isPinOnce: true }),
  listWith('own again', [over(first), over(second)])
] as const
const graceIn = ({ members }: StaffContent) => {
  const { pin, isPinOnce } = members.find(({ id }) => id === 'grace') ?? expect.fail('She is not on the list.')
  return { pin: pin?.key, isPinOnce }
}

const someList = fc.integer({ min: 0, max: lists.length - 1 })
/** Merges two lists, with or without unsynced changes here. */
const merge = (mine: StaffContent, theirs: StaffContent, base: StaffContent | undefined, isUntold: boolean) =>
  isUntold ? mergeStaff(mine, theirs, base) : (withLackingResets(mine, theirs) ?? theirs)

describe('merging staff lists', () => {
  test('keeps the newest PIN given or chosen, in any order of merging', () => {
    const step = fc.record({ list: someList, base: fc.option(someList), isUntold: fc.boolean(), isOurs: fc.boolean() })
    fc.assert(
      fc.property(someList, fc.array(step, { minLength: 1, maxLength: 8 }), (begin, steps) => {
        let [list, newest] = [lists[begin] as StaffContent, begin]
        for (const { list: next, base, isUntold, isOurs } of steps) {
          const other = lists[next] as StaffContent
          const [mine, theirs] = isOurs ? [other, list] : [list, other]
          list = merge(mine, theirs, base === null ? undefined : lists[base], isUntold)
          newest = Math.max(newest, next)
          expect(graceIn(list)).toEqual(graceIn(lists[newest] as StaffContent))
          expect(list.resets ?? []).toEqual(lists[newest]?.resets ?? [])
        }
      })
    )
  })

  test('changes nothing if their list is as recent', () => {
    lists.forEach((mine, index) => {
      for (const theirs of lists.slice(index)) expect(withLackingResets(mine, theirs)).toBeUndefined()
      for (const theirs of lists.slice(0, index)) expect(withLackingResets(mine, theirs)).toEqual(mine)
    })
  })

  test('takes only the PIN from a more recent list', () => {
    const theirs = { ...lists[1], members: lists[1].members.map((one) => ({ ...one, role: 'manager' as const })) }
    const mine = lists[2]
    // Takes nobody else's PIN, and no role.
    const later = {
      ...theirs,
      members: [...theirs.members, { id: 'ana', name: 'Ana', role: 'administrator' as const }]
    }
    expect(withLackingResets(mine, later)?.members).toEqual(
      later.members.map((one) => (one.id === 'grace' ? { ...mine.members[0], role: 'manager' } : one))
    )
  })

  test('proceeds normally if both lists know that a reset is over', () => {
    const [mine, theirs] = [listWith('own', [over(first)]), listWith('another', [over(first)], { ben: 'new' })]
    expect(mergeStaff(mine, theirs, listWith('own', [over(first)]))).toEqual(theirs)
    expect(mergeStaff(theirs, mine, mine)).toEqual(theirs)
  })
})
