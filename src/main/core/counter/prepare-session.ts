/** What a session starts with, checked against the service's newest answer before anyone is given the screen. */
import type {
  CounterSession,
  CounterSettings,
  CounterTurn,
  DecodedInput,
  EvidenceItem,
  IdentityKept
} from '../../../shared/contract/index.ts'
import { compareLines, type ReadDocument } from '../../../shared/identity-lines.ts'
import { fullName } from '../../../shared/model/index.ts'
import { canSignNow } from '../documents/progress.ts'
import { fail } from '../lib/failure.ts'
import type { SigningAccount } from '../policy/signing-address.ts'
import type { CounterDeps } from './deps.ts'
import { disambiguate, numberNamesakes } from './disambiguation.ts'
import { type IdentityNumber, retainedReading } from './identity-numbers.ts'
import { identityOf } from './outcome.ts'
import { safeAddress } from './prepare-turn.ts'
import { comparePrinted, printedReading } from './printed-document.ts'
import { DEFAULT_PREFERENCES, type SessionStart, type TurnFacts } from './session-state.ts'

export type SessionRequest = DecodedInput<'counter.start'>
type RequestedTurn = SessionRequest['turns'][number]

type StartDeps = Pick<
  CounterDeps,
  'refresh' | 'documentOf' | 'waitingHere' | 'settings' | 'time' | 'newId' | 'zoom' | 'account'
>

interface CheckedTurn {
  turn: CounterTurn
  facts: TurnFacts
  /** The passport or identity card compared with this signer. */
  compared?: { result: 'matches' | 'differs'; isTyped: boolean; document: ReadDocument }
}

/**
 * Reads the folders and builds a session from the turns that are wanted. Later turns may still wait for other signers.
 * @throws AppFailure `bad-input` if evidence is missing, a turn is named twice or an identity document compares
 * otherwise than staff were shown, `gone` and `not-signable` if the first turn can't begin now or another has no
 * signer, `unsafe-address` if one of their links wouldn't be opened, and the service's failures.
 */
export async function prepareSession(
  deps: StartDeps,
  accountId: string,
  { turns, allowsCamera }: SessionRequest
): Promise<Omit<SessionStart, 'state'> & { stateAt: (place: CounterSession['place']) => CounterSession }> {
  const account = deps.account(accountId) ?? fail('no-account', 'No account is active.')
  if (
    new Set(turns.map(({ documentReference, signer }) => JSON.stringify([documentReference, signer]))).size <
    turns.length
  ) {
    fail('bad-input', 'The same signature was chosen twice.', { next: 'Choose each one once.' })
  }
  await deps.refresh(accountId)
  const checked: CheckedTurn[] = []
  for (const requested of turns)
    checked.push(await checkTurn(deps, { accountId, account }, requested, checked.length === 0))
  const { evidence: checklist, identityKept } = deps.settings()
  const readings = readingsOf(checked, identityKept)
  const evidence = evidenceOf(turns, checked, checklist)
  const keeps = identityKept === 'compared' ? undefined : identityKept
  const named = await disambiguate(
    checked.map(({ turn }) => turn),
    async (reference) => (await deps.documentOf(accountId, reference))?.document,
    await deps.waitingHere(accountId)
  )
  return {
    accountId,
    startedAt: deps.time.now(),
    facts: checked.map(({ facts, turn }) => {
      const reading = readings.get(turn.person)
      return { ...facts, evidence: evidence.get(turn.person) ?? [], ...(reading && { reading }) }
    }),
    stateAt: (place) => ({
      id: deps.newId(),
      accountId,
      phase: 'handover',
      isLocked: false,
      turns: numberNamesakes(named).map((turn) => (keeps && readings.has(turn.person) ? { ...turn, keeps } : turn)),
      current: 0,
      origin: '',
      zoom: deps.zoom(),
      asksFor: [],
      allowsCamera,
      refused: [],
      place,
      wasInterrupted: false,
      isPractice: account.kind === 'practice',
      mayKeepPages: deps.settings().mayKeepPages,
      preferences: DEFAULT_PREFERENCES,
      offers: { languages: deps.settings().languages, moreTime: deps.settings().moreTime > 1 },
      ...receiptOffer(deps.settings().receipt)
    })
  }
}

function receiptOffer(receipt: CounterSettings['receipt']): Pick<CounterSession, 'receipt'> {
  return receipt === 'never' ? {} : { receipt }
}

async function checkTurn(
  deps: StartDeps,
  { accountId, account }: { accountId: string; account: SigningAccount },
  requested: RequestedTurn,
  isFirst: boolean
): Promise<CheckedTurn> {
  const { documentReference, signer } = requested
  const mirrored = await deps.documentOf(accountId, documentReference)
  if (!mirrored || mirrored.goneAt !== undefined) return fail('gone', 'A document is no longer in the folders.')
  const { document } = mirrored
  const person = document.Signers?.[signer]
  if (!person || (isFirst && !canSignNow(document, signer))) {
    return fail('not-signable', 'This person can’t sign now. They’ve already signed, or it’s someone else’s turn.')
  }
  // In front of the person it would be too late. The turn judges the link again, as it may only get one by then, or a
  // different one.
  const whose = `It’s the link of ${fullName(person) || 'a signer without a name'} for “${document.Name?.trim() || documentReference}”.`
  if (person.SigningKey) safeAddress(person.SigningKey, account, whose)
  const identity = identityOf(document, signer)
  const compared = comparisonOf(requested, fullName(person), deps.time)
  // The audit trail says what staff were shown, and that has to be true.
  if (compared?.result !== requested.compared)
    fail('bad-input', 'The signer’s name has changed since their document was compared.', { next: 'Compare it again.' })
  return {
    turn: {
      documentReference,
      documentName: document.Name?.trim() || documentReference,
      signer,
      signerName: fullName(person),
      person: identity.person
    },
    facts: { identity, hasBegun: false, evidence: [] },
    ...(compared && { compared })
  }
}

/** Compares the identity document that staff read or typed; undefined if there is none, or it can't be read. */
function comparisonOf(
  { printed, lines }: RequestedTurn,
  signerName: string,
  time: StartDeps['time']
): CheckedTurn['compared'] {
  if (printed) {
    const { kind } = comparePrinted(printed, signerName, time)
    return kind === 'unusable' ? undefined : { result: kind, isTyped: true, document: printedReading(printed) }
  }
  const read = lines === undefined ? undefined : compareLines(lines, { signerName }, time.now())
  return read && 'document' in read ? { result: read.kind, isTyped: false, document: read.document } : undefined
}

/** Returns what staff has checked about each person, in words. */
function evidenceOf(
  requested: readonly RequestedTurn[],
  checked: readonly CheckedTurn[],
  checklist: readonly EvidenceItem[]
): Map<string, string[]> {
  const idsByPerson = new Map<string, Set<string>>()
  for (const [index, { turn }] of checked.entries()) {
    const ids = idsByPerson.get(turn.person) ?? new Set<string>()
    for (const id of requested[index]?.evidence ?? []) ids.add(id)
    idsByPerson.set(turn.person, ids)
  }
  for (const ids of idsByPerson.values()) {
    const missing = checklist.find(({ id, isRequired }) => isRequired && !ids.has(id))
    if (missing) fail('bad-input', `Check this before handing over the screen: ${missing.text}`)
  }
  const words = (ids: Set<string>) => checklist.filter(({ id }) => ids.has(id)).map(({ text }) => text)
  const comparisons = (person: string) =>
    checked.flatMap(({ turn, compared }) =>
      turn.person === person && compared ? [(compared.isTyped ? TYPED : COMPARED)[compared.result]] : []
    )
  return new Map([...idsByPerson].map(([person, ids]) => [person, [...words(ids), ...new Set(comparisons(person))]]))
}

/** Returns what is kept of each person's identity document: the first that was compared. */
function readingsOf(checked: readonly CheckedTurn[], identityKept: IdentityKept): Map<string, IdentityNumber> {
  const readings = new Map<string, IdentityNumber>()
  for (const { turn, compared } of checked) {
    const reading = retainedReading(compared?.document, identityKept)
    if (reading && !readings.has(turn.person)) readings.set(turn.person, reading)
  }
  return readings
}

/** All that the audit trail says about a passport or an identity card, whatever is kept in addition to it. */
const COMPARED = {
  matches: 'Passport or ID card compared: the name matches',
  differs: 'Passport or ID card compared: the name differs'
} as const

/** The same for documents without machine-readable lines: they have no check digits, and the audit trail says so. */
const TYPED = {
  matches: 'Passport or ID card details entered by staff, not read from machine-readable lines: the name matches',
  differs: 'Passport or ID card details entered by staff, not read from machine-readable lines: the name differs'
} as const
