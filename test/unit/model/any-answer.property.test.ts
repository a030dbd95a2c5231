/**
 * Any answer that the reference allows, from a service whose state is known: nothing is denied that the service would
 * grant, and nothing is claimed that the answer doesn't support. The same facts, stated differently or twice, give the
 * same document. `ANY_ANSWER_RUNS` sets the number of answers tried.
 */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  availableActions,
  availableSignerActions
} from '../../../src/renderer/src/screens/documents/available-actions.ts'
import { dueWords, progressOf } from '../../../src/renderer/src/screens/documents/document-words.ts'
import { videoInWords } from '../../../src/renderer/src/screens/documents/evidence-words.ts'
import { identityStatus, identityStatusInList } from '../../../src/renderer/src/screens/documents/identity-words.ts'
import { documentStatus, signedStatusInWords, signerStatuses } from '../../../src/renderer/src/words/statuses.ts'
import { signaturesInWords } from '../../../src/renderer/src/words/verifications.ts'
import type { DocumentPage } from '../../../src/shared/contract/index.ts'
import {
  DocumentLog,
  DocumentResponse,
  readDocumentStatus,
  type ServiceDate,
  SignerResponse,
  VideoConfirmationDetail
} from '../../../src/shared/model/index.ts'
import { workerOffice } from '../documents/worker-office.ts'
import {
  type Members,
  Moment,
  NOW,
  type Pick,
  pickFrom,
  type SpelledAnswer,
  saidOf,
  silenced,
  spelledAnswer,
  type TrueSigner,
  type Truth,
  truthOf
} from './any-answer.ts'

const RUNS = Number(process.env.ANY_ANSWER_RUNS ?? 150)
const CHOICES = fc.array(fc.nat(5 * 4 * 3 * 2), { maxLength: 400, size: 'max' })

/** Runs `holds` for the configured number of answers, each in an office of its own. */
async function tried(holds: (pick: Pick) => Promise<void>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(CHOICES, (choices) => holds(pickFrom(choices))),
    { numRuns: RUNS }
  )
}

let office: ReturnType<typeof workerOffice>
let accountId = ''
let accounts = 0
beforeAll(() => {
  office = workerOffice()
})

/** Returns the document page after these answers for one folder. */
async function pageAfter(...answers: SpelledAnswer[]): Promise<DocumentPage> {
  accountId = `office-${accounts++}`
  for (const { answer, dateFormat } of answers) {
    const result = await office.read('Progress', [answer], { accountId, dateFormat })
    expect(result, JSON.stringify(answer)).toMatchObject({ kind: 'taken', documents: 1, unreadable: { count: 0 } })
  }
  const page = await office.ask('page', { accountId, reference: '4711' })
  if (!page) throw new Error('There is no page.')
  return page
}
/** The documents waiting at the counter. */
const waiting = () => office.ask('waitingHere', { accountId, withoutLink: true })
const identityCheck = async () => {
  const some = { documents: [{ accountId, reference: '4711' }] }
  const [check] = await office.ask('identityChecks', { accountId, limit: 1, now: NOW, zone: 'UTC', some })
  return check
}
/** The newest recorded change; `changesSince` lists those after it. */
const newest = async () => (await office.ask('newestChange', null)).change
const changesSince = (change: number) => office.ask('changesAfter', { after: change, limit: 1000 })

const signersIn = (members: Members) => members.Signers as Members[]

describe('for any answer, whatever it leaves out and however it is spelled', () => {
  test('nothing is denied that the service would grant', () =>
    tried(async (pick) => {
      const truth = truthOf(pick)
      const members = saidOf(truth, pick)
      const one = spelledAnswer(members, pick)
      const page = await pageAfter(one)
      const [atCounter, check] = [await waiting(), await identityCheck()]
      const can = availableActions(page, false)
      const because = JSON.stringify([one.answer, page])
      const isUnderWay = truth.kind === 'open' || truth.kind === 'expired'
      const isSigned = truth.signers.some(({ state }) => state === 'signed')
      const hasResult = truth.signers.some(({ check }) => check === 'passed' || check === 'failed')
      if (isUnderWay) expect(can.extend, because).toEqual({ isOffered: true })
      if (isUnderWay) expect(can.notary, because).toMatchObject({ isOffered: true })
      expect(can.notary.why === undefined, because).toBe(
        !can.notary.isOffered || members.PackageReference !== undefined
      )
      if (isSigned) expect([can.verify.why, can.signed.isOffered], because).toEqual([undefined, true])
      if (hasResult) expect([can.identity, check?.isThere], because).toEqual([{ isOffered: true }, true])
      if (members.EditUrl !== undefined) expect(can.browser, because).toEqual({ isOffered: true })
      for (const [index, signer] of truth.signers.entries()) {
        const person = page.people[index]
        if (!person) throw new Error('A signer is missing.')
        const mine = signersIn(members)[index] as Members
        const offered = availableSignerActions(person, page, 'yes')
        if (signer.members.Editable === true) expect(offered.correct, because).toBe(true)
        const canSign = truth.kind === 'open' && signer.state === 'asked'
        if (canSign && mine.SignerReference !== undefined) expect(offered.remind, because).toBe(true)
        if (!canSign || mine.SigningKey === undefined) continue
        expect(offered.counter, because).toBe(true)
        expect(atCounter.find((entry) => entry.signer === index)?.withoutLink, because).toBeUndefined()
        expect(
          atCounter.map((entry) => entry.signer),
          because
        ).toContain(index)
      }
    }))

  test('nothing is claimed that isn’t true', () =>
    tried(async (pick) => {
      const truth = truthOf(pick)
      const members = saidOf(truth, pick)
      const one = spelledAnswer(members, pick)
      const page = await pageAfter(one)
      const because = JSON.stringify([one.answer, page])
      for (const wrong of [...wrongOfDocument(truth, members, one, page), ...wrongOfSigners(truth, members, page)])
        expect.fail(`${wrong}\n${because}`)
    }))

  test('the same facts spelled differently give the same document', () =>
    tried(async (pick) => {
      const { members } = truthOf(pick)
      const [usual, other] = [spelledAnswer(members, pickFrom([])), spelledAnswer(members, pick)]
      const [one, two] = [await pageAfter(usual), await pageAfter(other)]
      expect(comparable(two, other), JSON.stringify(other.answer)).toEqual(comparable(one, other))
    }))

  test('a later answer with less removes nothing else, and reports no change', () =>
    tried(async (pick) => {
      const truth = truthOf(pick)
      const first = spelledAnswer(saidOf(truth, pick), pick)
      const second = { ...first, answer: silenced(first.answer, pick) }
      const before = await pageAfter(first)
      const last = await newest()
      const page = await pageAfter(first, second)
      const changes = await changesSince(last)
      const because = JSON.stringify([first.answer, second.answer, page, changes])
      expect(changes, because).toEqual([])
      expect(page.packageReference, because).toBe(before.packageReference)
      for (const [index, person] of before.people.entries()) {
        const now = page.people[index]
        expect([now?.signerReference, now?.clientReference], because).toEqual([
          person.signerReference,
          person.clientReference
        ])
        if (person.canSignHere) expect(now?.canSignHere, because).toBe(true)
        if (person.state === 'signed' || person.state === 'declined') expect(now?.state, because).toBe(person.state)
      }
    }))
})

function* wrongOfDocument(truth: Truth, members: Members, one: SpelledAnswer, page: DocumentPage) {
  const signed = truth.signers.filter(({ state }) => state === 'signed').length
  const status = documentStatus(page.status)
  const right =
    members.Status === undefined ? 'Unknown' : documentStatus(readDocumentStatus(String(members.Status))).word
  if (status.word !== right) yield `status: ${status.word}`
  const { verify, identity } = availableActions(page, false)
  if (verify.why && signed > 0) yield verify.why
  const checks = truth.signers.map(({ check }) => check)
  if (identity.why && checks.some((check) => check === 'passed' || check === 'failed')) yield identity.why
  if (!identity.isOffered && truth.members.IDVerificationRequested === true) yield 'no identity check was asked for'
  const word = identityStatusInList(page.identity)?.word
  if (word === 'Passed' && checks.some((check) => check !== 'passed' && check !== 'none')) yield `identity: ${word}`
  if (word === 'Failed' && !checks.includes('failed')) yield `identity: ${word}`
  if (word === 'Asked for' && truth.members.IDVerificationRequested !== true) yield `identity: ${word}`
  for (const { count, of } of [progressOf(page)].flatMap((so) => (so ? [{ count: so.signed, of: so.of }] : [])))
    if (count !== signed || of !== truth.signers.length) yield `${count} of ${of} signed`
  if (page.hasFileUploaded && truth.members.HasFileUploaded !== true) yield 'files were uploaded'
  const due = { shown: page.due, written: page.dueWritten, isAmbiguous: page.isDueAmbiguous === true }
  yield* wrongDate('due', members.DueDate, due, one, members)
  const last = { shown: page.lastSigned, written: page.lastSignedWritten }
  yield* wrongDate('last signed', members.LastSignedDate, last, one, members)
  const words = dueWords(page, NOW)
  if (words?.overdue && (truth.kind !== 'open' || truth.due > NOW)) yield `due: ${words.left}`
}

/** Yields an error unless a date is shown as the time or day that was meant, or as written where it is ambiguous. */
function* wrongDate(
  what: string,
  meant: unknown,
  {
    shown,
    written,
    isAmbiguous
  }: { shown?: ServiceDate | undefined; written?: string | undefined; isAmbiguous?: boolean },
  { written: writings }: SpelledAnswer,
  members: Members
) {
  if (!(meant instanceof Moment)) {
    if (shown || written) yield `${what}: it was not told`
    return
  }
  const wrote = writings.get(meant)
  if (isAmbiguous !== undefined && isAmbiguous !== wrote?.isAmbiguous) yield `${what}: could be two is ${isAmbiguous}`
  if (wrote?.isAmbiguous) {
    if (shown || written !== wrote.text) yield `${what}: ${written}`
    return
  }
  if (!shown) yield `${what}: it was told`
  else if (!meant.isDay && shown.at !== meant.at) yield `${what}: ${new Date(shown.at).toISOString()}`
  else if (meant.isDay) {
    const day = new Date(shown.at + (shown.offset ?? 0) * 60_000).toISOString().slice(0, 10)
    const right = new Date(meant.at + Number(members.GMT ?? 0) * 60_000).toISOString().slice(0, 10)
    if (day !== right || shown.precision !== 'day') yield `${what}: ${day}`
  }
}

function* wrongOfSigners(truth: Truth, members: Members, page: DocumentPage) {
  for (const [index, signer] of truth.signers.entries()) {
    const person = page.people[index]
    if (person?.name.replace(' M.', '') !== signer.name.replace(' M.', '')) yield `name: ${person?.name}`
    if (!person) return
    const mine = signersIn(members)[index] as Members
    const { word } = signerStatuses[person.state]
    if (!isTrueState(word, signer, truth)) yield `${person.name}: ${word}`
    const sentence = person.signedStatus && signedStatusInWords(person.signedStatus)
    const isBoolean = mine.SignedStatus === true && sentence === signedStatusInWords('Signed')
    if (sentence && !isBoolean && sentence !== signedStatusInWords(signer.status)) yield `${person.name}: ${sentence}`
    const check = identityStatus(person)?.word
    if (check === 'Identity check passed' && signer.check !== 'passed') yield `${person.name}: ${check}`
    if (check === 'Identity check failed' && signer.check !== 'failed') yield `${person.name}: ${check}`
    if (check?.includes('no result yet') && signer.check !== 'open') yield `${person.name}: ${check}`
    const tags = { faceToFace: 'IsFaceToFaceSigning', deepfakeDetector: 'VideoConfirmationDeepfakeEnabled' } as const
    for (const [tag, member] of Object.entries({ ...tags, reviewBeforeSigning: 'ReviewBeforeSigningEnabled' }))
      if ((person[tag as keyof typeof tags] ?? signer.members[member]) !== signer.members[member])
        yield `${person.name}: ${tag}`
    const video = signer.members.VideoConfirmationDetail as Members
    const sentences = person.videoDetail ? videoInWords(person.videoDetail).map(({ text }) => text) : []
    const isReady = sentences.includes('The video is ready.')
    if (isReady && video.IsVideoReady !== true) yield `${person.name}: the video is ready`
    if (sentences.includes('The video isn’t ready yet.') && video.IsVideoReady === true) yield 'no video yet'
  }
}

function isTrueState(word: string, { state, status }: TrueSigner, { kind }: Truth): boolean {
  if (word === 'signed') return state === 'signed'
  if (word === 'declined') return state === 'declined'
  if (word === 'not yet signed') return state !== 'signed'
  if (word === 'expired') return state !== 'signed' && (kind === 'expired' || status === 'Expired')
  if (word === 'removed') return state === 'removed'
  return word === 'unknown'
}

/**
 * What two tellings of the same facts must have in common: everything but ambiguous dates, the order of lists, and the
 * time and account of reading.
 */
function comparable({ others, logs, due, ...page }: DocumentPage, { written }: SpelledAnswer) {
  const isSure = ![...written.values()].some(({ isAmbiguous }) => isAmbiguous)
  const { lastSigned, lastSignedWritten, dueWritten, isDueAmbiguous, seenAt, changedAt, accountId, ...rest } = page
  return {
    ...rest,
    people: page.people.map(({ others: _, videoDetail, ...person }) => ({
      ...person,
      videoDetail: { ...videoDetail, others: [] }
    })),
    ...(isSure && {
      dates: [due?.at, lastSigned?.at],
      logs: logs.map(({ Name, at }) => ({ Name, at: at?.at })).sort((one, two) => (one.at ?? 0) - (two.at ?? 0))
    })
  }
}

test('generated facts cover every member of the model', () => {
  const names = (schema: unknown) => Object.keys((schema as { def: { out: { shape: object } } }).def.out.shape).sort()
  const choices = Array.from({ length: 60 }, (_, index) =>
    truthOf(pickFrom(Array.from({ length: 80 }, (_, at) => ((index * 31 + at * 17) % 120) + at * index)))
  )
  const all = choices.map(({ members }) => members)
  const keysOf = (objects: readonly unknown[]) =>
    [...new Set(objects.flatMap((one) => Object.keys(one as object)))].sort()
  const signers = all.flatMap((one) => signersIn(one))
  expect(keysOf(all)).toEqual(names(DocumentResponse))
  expect(keysOf(signers)).toEqual(names(SignerResponse))
  expect(keysOf(all.flatMap(({ Logs }) => Logs as Members[]))).toEqual(names(DocumentLog))
  expect(keysOf(signers.map((one) => one.VideoConfirmationDetail))).toEqual(names(VideoConfirmationDetail))
})

describe('plain examples of what the properties have found', () => {
  const ana = { FirstName: 'Ana', LastName: 'Rewi', Email: 'ana@example.com' }
  const ben = { FirstName: 'Ben', LastName: 'Okafor', Email: 'ben@example.com' }
  const pageOf = (members: Members, ...more: Members[]) =>
    pageAfter(
      ...[members, ...more].map((one) => ({
        answer: { Reference: '4711', Name: 'Lease.pdf', Signers: [ana], ...one },
        dateFormat: undefined,
        written: new Map()
      }))
    )
  const person = (page: DocumentPage) => page.people[0] as DocumentPage['people'][number]

  test('a signer with no status can be reminded, corrected, and start at the counter', async () => {
    const Signers = [{ ...ana, SignerReference: 's-1', SigningKey: 'https://sign.example.com/1' }]
    const page = await pageOf({ Signers })
    expect(availableSignerActions(person(page), page, 'unknown')).toEqual({
      counter: true,
      correct: true,
      remind: true
    })
    expect(availableSignerActions(person(page), page, 'no').remind).toBe(false)
  })

  test('a correction is offered in an expired document, but not in a declined one', async () => {
    const Signers = [{ ...ana, SignedStatus: 'Expired' }]
    expect(person(await pageOf({ Status: 'Expired', Signers })).editable).toBe('perhaps')
    expect(person(await pageOf({ Status: 'Declined', Signers })).editable).toBe(false)
  })

  test('in an expired document it is unknown who has signed, and nobody can sign', async () => {
    const page = await pageOf({ Status: 'Expired', Signers: [{ ...ana, SigningKey: 'https://sign.example.com/1' }] })
    expect(person(page)).toMatchObject({ state: 'unknown', canSignHere: false })
  })

  test('a signer removed from the document has not expired', async () => {
    const { state } = person(await pageOf({ Signers: [{ ...ana, SignedStatus: 'Deleted' }] }))
    expect([state, signerStatuses[state].word]).toEqual(['removed', 'removed'])
  })

  test('signatures are not counted while one signer’s state is unknown, but can be verified', async () => {
    const page = await pageOf({ Signers: [{ ...ana, HasSigned: false }, ben] })
    expect(progressOf(page)).toBeUndefined()
    expect(availableActions(page, false)).toMatchObject({ verify: { isOffered: true }, signed: { isOffered: true } })
    const counted = await pageOf({ Status: '1 of 2 Signed', Signers: [{ ...ana, HasSigned: false }, ben] })
    expect([progressOf(counted)?.word, availableActions(counted, false).verify.why]).toEqual(['1 of 2', undefined])
  })

  test('one pending identity check says nothing about signers without one', async () => {
    const Signers = [{ ...ana, IDCheckStatus: 'Pending' }, ben]
    expect(
      availableActions(await pageOf({ IDVerificationRequested: true, Signers }), false).identity.why
    ).toBeUndefined()
  })

  test('identity has passed only if the service reports the overall result for everyone', async () => {
    const passed = { ...ana, IDVerificationResult: 'Passed' }
    expect((await pageOf({ Signers: [passed] })).identity).toBe('passed')
    expect((await pageOf({ Signers: [passed, ben] })).identity).toBe('partly')
    expect((await pageOf({ Signers: [{ ...ana, IDVerificationFaceMatchResult: 'Match' }] })).identity).toBe('other')
  })

  test('a requested identity check isn’t reported as having no result', async () => {
    const page = await pageOf({ IDVerificationRequested: true })
    expect(identityStatus(person(page))?.word).toBe('Requested; nothing known for this signer')
  })

  test('a document of unknown status is never overdue', async () => {
    for (const Signers of [[], [{ ...ana, HasSigned: false }], [{ ...ana, HasSigned: true }]]) {
      const words = dueWords(await pageOf({ DueDate: '2026-11-01T00:00:00Z', Signers }), NOW)
      expect(words).toMatchObject({ left: '', overdue: false })
    }
  })

  test('a missing list of signatures isn’t reported as no signatures', () => {
    expect(signaturesInWords({ valid: 0, notValid: 0 }).word).toBe('No signature information')
  })

  test('an empty answer removes no reference and no signature, and reports no change', async () => {
    const Signers = [{ ...ana, SignerReference: 's-1', HasSigned: true, MobileNumber: '021012345' }]
    const full = { PackageReference: 'p-1', Status: 'InProgress', DueDate: '2026-12-01', MatterNumber: '7', Signers }
    const last = await newest()
    const page = await pageOf(full, {})
    expect(page).toMatchObject({ packageReference: 'p-1', people: [{ signerReference: 's-1', state: 'signed' }] })
    expect(await changesSince(last)).toEqual([])
  })
})
