import { expect, test } from 'vitest'
import type { CounterSession } from '../../../src/shared/contract/index.ts'
import { callsStaff, wantsStaff } from '../../../src/shared/wants-staff.ts'

type Moment = Parameters<typeof wantsStaff>[0]
const atOtherDisplay = (phase: CounterSession['phase'], more: object = {}): Moment => ({
  phase,
  place: 'other-display',
  ...more
})

test('staff is wanted when the person at the second display can’t continue alone', () => {
  for (const cover of ['help', 'camera', 'not-me', 'away', 'idle'])
    expect(wantsStaff(atOtherDisplay('covered', { cover }))).toBe(true)
  for (const phase of ['failed', 'return'] as const) expect(wantsStaff(atOtherDisplay(phase))).toBe(true)
})

test('staff isn’t wanted when they can continue, staff is there, or they use staff’s window', () => {
  for (const cover of ['moment', 'finish', 'stop', 'staff'])
    expect(wantsStaff(atOtherDisplay('covered', { cover }))).toBe(false)
  for (const phase of ['handover', 'loading', 'open', 'asking', 'between', 'ended'] as const)
    expect(wantsStaff(atOtherDisplay(phase))).toBe(false)
  expect(wantsStaff(atOtherDisplay('covered', { cover: 'away', coveredBy: 'office' }))).toBe(false)
  expect(wantsStaff(atOtherDisplay('covered', { cover: 'help', place: 'here' }))).toBe(false)
  expect(wantsStaff(null)).toBe(false)
})

test('staff is called until they have said that they are coming', () => {
  expect(callsStaff(atOtherDisplay('covered', { cover: 'help' }))).toBe(true)
  expect(callsStaff(atOtherDisplay('covered', { cover: 'help', isAnswered: true }))).toBe(false)
  expect(wantsStaff(atOtherDisplay('covered', { cover: 'help', isAnswered: true }))).toBe(true)
  expect(callsStaff(atOtherDisplay('open'))).toBe(false)
  expect(callsStaff(null)).toBe(false)
})
