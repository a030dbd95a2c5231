import { expect, test } from 'vitest'
import { asOf, dateInFull, dueWords, packageStatus } from '../../src/renderer/src/screens/documents/document-words.ts'
import { signatureWords, videoInWords } from '../../src/renderer/src/screens/documents/evidence-words.ts'
import {
  identityFinding,
  identityStatus,
  isIdentityOutstanding
} from '../../src/renderer/src/screens/documents/identity-words.ts'
import { progressInWords, sizeInWords } from '../../src/renderer/src/screens/downloads/download-words.ts'
import { actionStateInWords } from '../../src/renderer/src/words/actions.ts'
import { changeInWords, changeStatuses } from '../../src/renderer/src/words/changes.ts'
import { momentInWords } from '../../src/renderer/src/words/dates.ts'
import {
  actionStatuses,
  documentStatus,
  signedStatusInWords,
  signerStatuses
} from '../../src/renderer/src/words/statuses.ts'
import { signaturesInWords, verifiedInWords } from '../../src/renderer/src/words/verifications.ts'
import type { ActionRequest } from '../../src/shared/contract/document-actions.ts'
import type {
  ActionState,
  ChangeKind,
  DocumentChange,
  PackageRow,
  VideoDetailView
} from '../../src/shared/contract/views.ts'
import { SIGNED_STATUSES } from '../../src/shared/model/document.ts'
import { DOCUMENT_STATUSES, readDocumentStatus, type StatusFamily } from '../../src/shared/model/document-status.ts'
import { actionOf, changesOf, pageOf, signerOf } from './document-pages.ts'

const noon = new Date(2025, 10, 26, 12, 0).getTime()
const DAY = 86_400_000

const mere = { FirstName: 'Mere', LastName: 'Parata', Email: 'mere.parata@example.com' }
const requests: ActionRequest[] = [
  { kind: 'extend', dueDate: '2025-12-18T17:00:00+13:00', gmt: 780 },
  {
    kind: 'correct',
    signers: [{ index: 0, was: mere, ...mere }]
  },
  { kind: 'notary', notaryReference: 'NOT-4471', send: false },
  { kind: 'remind', signerReference: 'signer-6-0', signerName: 'Mere Parata' }
]

function due(days: number, family: StatusFamily = 'in-progress') {
  return dueWords({ due: { at: noon + days * DAY, precision: 'time' }, status: { raw: '', family } }, noon + 60_000)
}

test('a due date shows how much time is left', () => {
  expect(due(9)).toMatchObject({
    day: '5 Dec',
    left: 'in 9 days',
    line: 'Due in 9 days',
    tone: 'quiet',
    overdue: false
  })
  expect(due(1)).toMatchObject({ left: 'tomorrow', tone: 'warn' })
})

test('an overdue document is marked, also in words', () => {
  expect(due(0)).toMatchObject({ left: 'overdue today', line: 'Overdue today', overdue: true, tone: 'danger' })
  expect(due(-1)).toMatchObject({ left: 'overdue by 1 day', line: 'Overdue by 1 day', overdue: true })
  expect(due(-3)).toMatchObject({ left: 'overdue by 3 days', overdue: true })
})

test('a closed document is never overdue', () => {
  for (const family of ['complete', 'declined', 'expired'] as const) {
    expect(due(-3, family)).toMatchObject({ left: '', overdue: false })
  }
})

test('a due day keeps its written date in any time zone', () => {
  const here = -new Date(noon).getTimezoneOffset()
  const status = { raw: '', family: 'in-progress' as const }
  for (const offset of [here - 720, here - 60, here, here + 60, here + 720]) {
    const at = Date.UTC(2025, 10, 27) - offset * 60_000
    const words = (now: number) => dueWords({ due: { at, offset, precision: 'day' }, status }, now)
    expect(words(noon)).toMatchObject({ day: '27 Nov', left: 'tomorrow', overdue: false })
    expect(words(new Date(2025, 10, 27, 23, 59).getTime())).toMatchObject({ left: 'today', overdue: false })
    expect(words(new Date(2025, 10, 28).getTime())).toMatchObject({ left: 'overdue by 1 day', overdue: true })
    expect(dateInFull({ at, offset, precision: 'day' })).toBe('Thursday 27 November 2025')
  }
})

test('a package counts the documents whose status is unknown', () => {
  const status = (complete: number, unsaid: number) => packageStatus({ complete, unsaid, documents: 3 } as PackageRow)
  expect(status(1, 0)).toBe('1 of 3 complete')
  expect(status(1, 2)).toBe('1 of 3 complete, 2 unknown')
  expect(status(0, 3)).toBe('Unknown')
})

test('a due day lasts until the end of that day', () => {
  const status = { raw: '', family: 'in-progress' as const }
  const midnight = new Date(2025, 10, 26).getTime()
  expect(dueWords({ due: { at: midnight, precision: 'day' }, status }, noon)?.overdue).toBe(false)
  expect(dueWords({ due: { at: midnight, precision: 'day' }, status }, midnight + DAY)?.overdue).toBe(true)
})

test('a day without a time is shown as the day in its own zone', () => {
  const inAuckland = Date.UTC(2025, 11, 4, 11)
  expect(dateInFull({ at: inAuckland, precision: 'day' }, 780)).toBe('Friday 5 December 2025')
})

test('a list shows when it was updated, with the date if it isn’t today or while offline', () => {
  const before = new Date(2025, 10, 26, 10, 42).getTime()
  expect(asOf(before, noon, 'online')).toBe('Updated 10:42')
  expect(asOf(before - 5 * DAY, noon, 'online')).toBe('Updated 10:42, 21 November')
  expect(asOf(before, noon, 'offline')).toBe('Offline. Updated 10:42, 26 November')
  expect(asOf(undefined, noon, 'offline')).toBe('Offline. Not loaded yet')
})

test('a signer with an unknown status carries no warning', () => {
  const unknown = documentStatus(readDocumentStatus(''))
  expect(signerStatuses.unknown).toEqual({ ...unknown, word: 'unknown' })
})

test('a signature is called valid only if the service says so', () => {
  expect(signatureWords({ isValid: true }).status.word).toBe('Valid')
  expect(signatureWords({ isValid: false }).status.word).toBe('Not valid')
  expect(signatureWords({}).status.word).toBe('Unknown')
})

test('a signature shows who signed, when, and the company, title and reason', () => {
  const words = signatureWords({
    isValid: true,
    SignatureTime: 'yesterday, they say',
    User: 'mp-17',
    Signer: { FirstName: 'Mere', LastName: 'Parata', Company: 'Harbour & Co.', Title: 'Director', Reason: 'I agree' }
  })
  expect(words.who).toBe('Mere Parata')
  expect(signatureWords({ SignatureTime: '03/01/2031 10:20' }).when).toBe('03/01/2031 10:20')
  expect(words.when).toBe('yesterday, they say')
  const when = (SignatureTime: string) => signatureWords({ SignatureTime }, 720).when
  expect(when('2026-11-22T22:37:00')).toBe(momentInWords(Date.parse('2026-11-22T10:37:00Z')))
  expect(when('2026-11-22T22:37:00Z')).toBe(momentInWords(Date.parse('2026-11-22T22:37:00Z')))
  expect(words.more.map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Company: Harbour & Co.',
    'Title: Director',
    'Reason: I agree',
    'Signed as: mp-17'
  ])
})

test('a single invalid or unconfirmed signature determines the summary', () => {
  const of = (...valid: (boolean | undefined)[]) =>
    signaturesInWords({
      signatures: valid.length,
      valid: valid.filter((one) => one === true).length,
      notValid: valid.filter((one) => one === false).length
    })
  expect(of(true, false, true)).toMatchObject({ tone: 'danger', word: '1 of 3 signatures is not valid' })
  expect(of(true, undefined)).toMatchObject({ tone: 'warn', word: '1 of 2 signatures is not confirmed' })
  expect(of(true, true)).toMatchObject({ tone: 'ok', word: 'Both signatures are valid' })
  expect(of(true)).toMatchObject({ tone: 'ok', word: 'The signature is valid' })
  expect(of()).toMatchObject({ tone: 'warn', word: 'No signatures found' })
})

test.each([
  [{ signatures: 3, valid: 3, notValid: 0 }, 'Signatures verified: all 3 valid.'],
  [{ signatures: 2, valid: 2, notValid: 0 }, 'Signatures verified: both valid.'],
  [{ signatures: 1, valid: 1, notValid: 0 }, 'Signature verified: valid.'],
  [{ signatures: 3, valid: 2, notValid: 1 }, 'Signatures verified: 1 of 3 not valid.'],
  [{ signatures: 3, valid: 0, notValid: 3 }, 'Signatures verified: all 3 not valid.'],
  [{ signatures: 3, valid: 1, notValid: 0 }, 'Signatures verified: 2 of 3 not confirmed.'],
  [{ signatures: 1, valid: 0, notValid: 0 }, 'Signature verified: not confirmed.'],
  [{ signatures: 0, valid: 0, notValid: 0 }, 'Signatures verified: none found.'],
  [{ valid: 0, notValid: 0 }, 'Signatures verified: no information.']
])('a verification that found %o reads “%s”', (found, words) => {
  expect(verifiedInWords({ found })).toBe(words)
  expect(verifiedInWords({ found, isAltered: true })).toBe('Signatures verified; the saved result was changed.')
})

test('sizes and progress are formatted', () => {
  expect([sizeInWords(0), sizeInWords(482_133), sizeInWords(999_700), sizeInWords(1_240_000)]).toEqual([
    '0 bytes',
    '482 KB',
    '1 MB',
    '1.2 MB'
  ])
  expect(progressInWords(121_000, 600_000)).toBe('121 KB of 600 KB')
  expect(progressInWords(121_000, undefined)).toBe('121 KB so far')
  expect(progressInWords(0, undefined)).toBe('Waiting for the service')
})

test('every signer status of the service has its own sentence, regardless of case', () => {
  for (const name of SIGNED_STATUSES) {
    expect(signedStatusInWords(name)).toMatch(/^[A-Z].+[a-z]$/)
    expect(signedStatusInWords(name.toUpperCase())).toBe(signedStatusInWords(name))
  }
  expect(new Set(SIGNED_STATUSES.map(signedStatusInWords)).size).toBe(SIGNED_STATUSES.length)
  expect(signedStatusInWords('AwaitingApostille')).toBeUndefined()
})

test('every document status has a label, and an unknown one keeps its text', () => {
  for (const raw of DOCUMENT_STATUSES) expect(documentStatus(readDocumentStatus(raw)).word).not.toBe('Unknown')
  expect(documentStatus(readDocumentStatus('2 of 3 Signed')).word).toBe('2 of 3 signed')
  expect(documentStatus(readDocumentStatus('Awaiting notary')).word).toBe('Awaiting notary')
})

test('every action state has its own shape and text', () => {
  const states: ActionState[] = ['waiting', 'running', 'done', 'refused', 'uncertain', 'cancelled']
  expect(new Set(states.map((state) => actionStatuses[state].shape)).size).toBe(states.length)
  for (const request of requests) {
    const action = (state: ActionState) => actionStateInWords(actionOf(pageOf(), { state, request }))
    for (const state of states)
      expect(`${action(state).title} ${action(state).meaning}`.trim()).toMatch(/^[A-Z].+[.…:]$/s)
    expect(action('uncertain').meaning).toMatch(/may or may not have been done\. Doing it again /)
    expect(action('done').title).not.toBe(action('running').title)
  }
})

test('identity results are labelled and explained, and unknown ones shown as received', () => {
  expect(identityFinding({ field: 'IDVerificationLivenessResult', value: 'PASSED' })).toMatchObject({
    label: 'Liveness',
    meaning: 'A live person was in front of the camera.',
    status: { tone: 'ok' }
  })
  expect(identityFinding({ field: 'IDCheckStatus', value: 'Not_Matched' }).status.tone).toBe('danger')
  expect(identityFinding({ field: 'IDVerificationStatus', value: 'In progress' }).meaning).toBe('Not done yet.')
  const unknown = identityFinding({ field: 'IDVerificationAge', value: 'Examined by hand' })
  expect(unknown).toMatchObject({ label: 'IDVerificationAge', value: 'Examined by hand', status: { shape: 'dot' } })
  expect(unknown.meaning).toBeUndefined()
  for (const state of ['asked', 'passed', 'failed', 'other'] as const)
    expect(identityStatus(signerOf({ identity: state }))?.word).toBeTruthy()
  expect(identityStatus(signerOf({ identity: 'none' }))).toBeUndefined()
})

test('identity data can be downloaded if a check is completed or has an unknown status', () => {
  const saying = (...values: string[]) => [
    { identityWords: values.map((value) => ({ field: 'IDVerificationStatus', value })) }
  ]
  expect(isIdentityOutstanding(saying('Requested', 'Not started'))).toBe(true)
  expect(isIdentityOutstanding([...saying('Pending'), ...saying('Completed')])).toBe(false)
  expect(isIdentityOutstanding(saying('Examined by hand'))).toBe(false)
  expect(isIdentityOutstanding(saying())).toBe(false)
})

test('a video is described only as far as the service reports', () => {
  const sentences = (change: Partial<VideoDetailView>) =>
    videoInWords({ hasUrl: false, hasPassword: false, others: [], ...change }).map(({ text }) => text)
  expect(sentences({})).toEqual(['It isn’t known whether there is a video.'])
  expect(sentences({ isReady: false })).toEqual(['The video isn’t ready yet.'])
  expect(sentences({ isReady: true, isWitness: true, witnessOwner: 'Mere' })).toEqual([
    'The video is ready.',
    'Witness in the video, for Mere.'
  ])
  expect(sentences({ isOptOut: true })).toEqual(['The signer opted out of video.'])
  expect(sentences({ isDisabled: true })).toEqual(['Video is turned off for this signer.'])
  expect(sentences({ isReady: true, isDeepfake: true })[1]).toContain('Deepfake detector is on')
})

test('every kind of change has a sentence and a label', () => {
  const kinds: ChangeKind[] = [
    'arrived',
    'signed',
    'completed',
    'declined',
    'expired',
    'identity-failed',
    'waits-here',
    'moved',
    'due-changed',
    'signers-changed',
    'changed',
    'gone',
    'returned'
  ]
  const [change] = changesOf(pageOf())
  for (const kind of kinds) {
    expect(changeInWords({ ...(change as DocumentChange), kind })).toMatch(/^[A-Z].+\.$/)
    expect(changeStatuses[kind].word).toBeTruthy()
  }
})

test('a corrected address explains how the link gets there, other corrections don’t', () => {
  const was = { FirstName: 'Aroha', LastName: 'Ngata', Email: 'aroha@example.con' }
  const meaningOf = (change: Partial<typeof was>) =>
    actionStateInWords(
      actionOf(pageOf(), {
        state: 'done',
        request: { kind: 'correct', signers: [{ index: 0, was, ...was, ...change }] }
      })
    ).meaning
  expect(meaningOf({ Email: 'aroha@example.com' })).toBe('A reminder sends the link to the new address.')
  expect(meaningOf({ LastName: 'Ngāta' })).toBe('')
})
