import { expect, test } from 'vitest'
import { translatorOf } from '../../src/renderer/src/screens/counter/person/translator.ts'
import { whatEndingLoses, whyCovered, whyLocked } from '../../src/renderer/src/screens/counter/person/words.ts'
import { sessionOf, turnOf } from './fakes/counter.ts'

const { say } = translatorOf('en')

const left = { phase: 'covered' as const, cover: 'staff' as const }
const three = [turnOf(), turnOf({ documentReference: 'doc-1' }), turnOf({ documentReference: 'doc-2' })]

test('staff see why the page was covered, and what became of it', () => {
  expect(whyCovered(sessionOf({ ...left, coveredBy: 'full-screen' }))).toBe(
    'Full screen was turned off. The page is as they left it.'
  )
  expect(whyCovered(sessionOf({ phase: 'handover', cover: 'staff', coveredBy: 'not-me' }))).toMatch(
    /No page is open\.$/
  )
  expect(whyCovered(sessionOf({ phase: 'failed', cover: 'staff', coveredBy: 'display' }))).toMatch(/The page is closed/)
  // The heading above already says what the page asks for.
  expect(whyCovered(sessionOf({ ...left, coveredBy: 'camera', asksFor: ['camera'] }))).toBe(
    'The page is as they left it.'
  )
})

test('a waiting signer is told that nothing is lost only if their page is still open', () => {
  const locked = { cover: 'away' as const, isLocked: true }
  expect(whyLocked(say, sessionOf({ ...locked, phase: 'covered' }))).toMatch(/hidden and stays as you left it\.$/)
  expect(whyLocked(say, sessionOf({ ...locked, phase: 'covered', cover: 'idle' }))).toMatch(
    /hidden\. Nothing is lost\.$/
  )
  const unplugged = whyLocked(say, sessionOf({ ...locked, phase: 'failed', coveredBy: 'display' }))
  expect(unplugged).toBe('The screen was unplugged, so the page was closed. Anything that wasn’t submitted is lost.')
  for (const phase of ['handover', 'asking', 'between', 'failed'] as const) {
    for (const cover of ['away', 'idle'] as const) {
      expect(whyLocked(say, sessionOf({ ...locked, phase, cover }))).not.toContain('Nothing is lost')
    }
  }
})

test('ending a session says what is lost, and how many signatures are skipped', () => {
  expect(whatEndingLoses(sessionOf(left))).toMatch(/not submitted is lost/)
  expect(whatEndingLoses(sessionOf(left))).not.toMatch(/another time/)
  expect(whatEndingLoses(sessionOf({ ...left, turns: three }))).toMatch(
    /lost\. 2 more signatures are left for another time\.$/
  )
  expect(whatEndingLoses(sessionOf({ phase: 'handover', turns: three }))).toBe(
    'If you end the session, 3 signatures are left for another time.'
  )
  expect(whatEndingLoses(sessionOf({ phase: 'asking', turns: three }))).toBe(
    'If you end the session, 2 signatures are left for another time.'
  )
  expect(whatEndingLoses(sessionOf({ phase: 'handover' }))).toBe(
    'If you end the session, 1 signature is left for another time.'
  )
  expect(whatEndingLoses(sessionOf({ phase: 'asking' }))).toBe('')
})
