/** The verdict on a check, without a network, a clock or a database. */
import { expect, test } from 'vitest'
import { SECOND_CHECK_AFTER } from '../../../src/main/core/jobs/reconcile-schedule.ts'
import { type SendCheck, type SendObservation, verdictOf } from '../../../src/main/core/outbox/verdict.ts'

const MINUTE = 60_000
const missing: SendObservation = { kind: 'missing', at: 0, isConfirmed: false }
const check: SendCheck = {
  match: { kind: 'missing' },
  isComplete: true,
  missingFolders: [],
  startedAt: SECOND_CHECK_AFTER,
  earlier: missing,
  isStillAmbiguous: false,
  age: { byWall: 2 * MINUTE, measured: 2 * MINUTE, byService: undefined }
}
const send = { attempt: 1, ambiguity: undefined, error: undefined, dismissedFolders: [] as string[] }
const refusal = { code: 'conflict', message: 'There already.', mayHaveArrived: false } as const
const folderMissing = { code: 'incomplete', message: 'No such folder.', mayHaveArrived: true } as const
const documents = [{ Reference: 'a' }]

type Details = Partial<typeof send> | { error: typeof refusal | typeof folderMissing; attempt?: number }

test.each<[string, Partial<SendCheck>, Details, string]>([
  ['finds it: it arrived', { match: { kind: 'found', documents } }, {}, 'arrived'],
  [
    'finds it, though something was unreadable: it arrived',
    { match: { kind: 'found', documents }, isComplete: false },
    {},
    'arrived'
  ],
  ['finds possible matches: it is ambiguous', { match: { kind: 'ambiguous', documents } }, {}, 'ambiguous'],
  ['misses it for the first time: nothing changes', { earlier: undefined }, {}, 'nothing'],
  ['misses it again too soon: nothing changes', { startedAt: SECOND_CHECK_AFTER - 1 }, {}, 'nothing'],
  ['misses it for the second time: it is retried', {}, {}, 'ready'],
  ['misses it after it was ambiguous: nothing changes', { earlier: { ...missing, kind: 'ambiguous' } }, {}, 'nothing'],
  ['couldn’t read everything: nothing changes', { isComplete: false }, {}, 'nothing'],
  [
    'couldn’t read a folder that the service lacks, for the first time: that is kept',
    { isComplete: false, missingFolders: ['Archive'], earlier: undefined },
    {},
    'folders-missing'
  ],
  [
    'couldn’t read a folder that the service lacks, for a minute: it is ambiguous',
    { isComplete: false, missingFolders: ['Archive'], earlier: { ...missing, kind: 'incomplete' } },
    {},
    'ambiguous'
  ],
  [
    'lacks only folders that a person was asked about, after they sent it again: it is sent',
    { isComplete: false, missingFolders: ['Archive'] },
    { attempt: 0, dismissedFolders: ['Archive'] },
    'ready'
  ],
  [
    'lacks only those after another attempt: it is not sent',
    { isComplete: false, missingFolders: ['Archive'] },
    { dismissedFolders: ['Archive'] },
    'not-sent'
  ],
  [
    'lacks another folder, too: it is ambiguous',
    { isComplete: false, missingFolders: ['Archive', 'Done'], earlier: { ...missing, kind: 'incomplete' } },
    { attempt: 0, dismissedFolders: ['Archive'] },
    'ambiguous'
  ],
  [
    'couldn’t read everything after a person was asked about a folder: nothing changes',
    { isComplete: false },
    { attempt: 0, dismissedFolders: ['Archive'] },
    'nothing'
  ],
  [
    'finds it although the service lacks a folder: it arrived',
    { match: { kind: 'found', documents }, isComplete: false, missingFolders: ['Archive'] },
    {},
    'arrived'
  ],
  ['ran while an identical package was being sent: nothing changes', { match: { kind: 'unclear' } }, {}, 'nothing'],
  ['misses it while an ambiguity is open: nothing changes', { isStillAmbiguous: true }, {}, 'nothing'],
  ['misses it after it was refused: it is refused', {}, { error: refusal }, 'refused'],
  ['misses it after a folder was missing: it is not sent', {}, { error: folderMissing }, 'not-sent'],
  [
    'misses one that a person retried, after a folder was missing: it is not sent',
    {},
    { error: folderMissing, attempt: 0 },
    'not-sent'
  ],
  ['misses it after three attempts: it is not sent', {}, { attempt: 3 }, 'not-sent'],
  [
    'misses one that is old by the wall clock: it is not sent',
    { age: { ...check.age, byWall: 31 * MINUTE } },
    {},
    'not-sent'
  ],
  [
    'misses one that is old by this run’s clock: it is not sent',
    { age: { ...check.age, measured: 31 * MINUTE } },
    {},
    'not-sent'
  ],
  [
    'misses one that is old by the service’s later events: it is not sent',
    { age: { ...check.age, measured: undefined, byService: 31 * MINUTE } },
    {},
    'not-sent'
  ],
  ['misses one from the future: it is not sent', { age: { ...check.age, byWall: -1 } }, {}, 'not-sent'],
  [
    'misses an old one that a person retried: it is retried',
    { age: { ...check.age, byWall: 31 * MINUTE } },
    { attempt: 0 },
    'ready'
  ]
])('a check that %s', (_, changes, of, kind) => {
  expect(verdictOf({ ...send, ...of }, { ...check, ...changes }).verdict.kind).toBe(kind)
})
