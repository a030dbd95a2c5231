/**
 * The outcome of a turn: what the service says about its signer. It's asked again for a while, as it may need a moment;
 * an unknown outcome is followed up later. The page is never believed.
 */
import type { AppError, CounterOutcome, CounterSession } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { personOf, stateOf } from '../documents/progress.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { asAppError } from '../errors/app-error.ts'
import { type Time, within } from '../lib/time.ts'
import type { CounterDeps, SignerIdentity } from './deps.ts'
import type { SessionState, TurnQuery } from './session-state.ts'

/** Milliseconds between attempts after the page or the person says that it's signed: the service may need a moment. */
const AFTER_SIGNING = [1000, 2000, 4000]
/** Used if the turn was ended early: most likely there's nothing to find, and people are waiting. */
const AFTER_STOP = [1000]
/** The longest that a person is kept waiting on a slow connection, in milliseconds. */
const MAX_WAIT = 30_000

/**
 * returned: the page went to its return address. finished: the person says that they have signed. stopped: the turn was
 * ended before that.
 */
export type Ending = 'returned' | 'finished' | 'stopped'

type AskingDeps = Pick<CounterDeps, 'documentOf' | 'refresh' | 'time' | 'account'>

/** Asks the service for the outcome. Never rejects: if the service can't be asked, the outcome is `unknown`. */
export async function askOutcome(deps: AskingDeps, turn: TurnQuery, ending: Ending): Promise<CounterOutcome> {
  const pauses = ending === 'stopped' ? AFTER_STOP : AFTER_SIGNING
  let outcome = unknownOutcome({ code: 'timeout', message: 'The signing service took too long to respond.' })
  let hasTimedOut = false
  const ask = async () => {
    let latest = await askOnce(deps, turn)
    for (const pause of pauses) {
      if (hasTimedOut || latest.signed === 'signed' || latest.signed === 'declined') break
      await sleep(deps.time, pause)
      if (hasTimedOut) break
      latest = await askOnce(deps, turn)
    }
    outcome = latest
  }
  await within(MAX_WAIT, ask(), deps.time)
  hasTimedOut = true
  return outcome
}

/** Asks the service once. Never rejects. */
export async function askOnce(deps: AskingDeps, turn: TurnQuery): Promise<CounterOutcome> {
  const readError = await readFolders(deps, turn.accountId)
  return readError ? unknownOutcome(readError) : lastOutcome(deps, turn)
}

/** Reads the folders from the service. Returns the error if that fails. Never rejects. */
export async function readFolders(
  { account, refresh }: Pick<CounterDeps, 'account' | 'refresh'>,
  accountId: string
): Promise<AppError | undefined> {
  try {
    if (!account(accountId)) return NO_ACCOUNT
    await refresh(accountId)
    return undefined
  } catch (error) {
    return asAppError(error)
  }
}

/** Returns the outcome according to the folders as last read. Never rejects. */
export async function lastOutcome(
  { documentOf }: Pick<CounterDeps, 'documentOf'>,
  turn: TurnQuery
): Promise<CounterOutcome> {
  try {
    return outcomeOf(await documentOf(turn.accountId, turn.documentReference), turn)
  } catch (error) {
    return unknownOutcome(asAppError(error))
  }
}

/** Returns the outcome of a turn's signer according to a document. */
function outcomeOf(
  mirrored: MirroredDocument | undefined,
  { signer, identity }: Pick<TurnQuery, 'signer' | 'identity'>
): CounterOutcome {
  const index = mirrored && signerIndexOf(mirrored.document, signer, identity)
  const person = index === undefined ? undefined : mirrored?.document.Signers?.[index]
  if (!mirrored || !person) return unknownOutcome(DOCUMENT_GONE)
  const state = stateOf(mirrored.document, person)
  // A completed document may leave the folders at once: what it last said still holds.
  if (state === 'signed' || state === 'declined') return { signed: state }
  if (mirrored.goneAt !== undefined) return unknownOutcome(DOCUMENT_GONE)
  return state === 'unknown' ? unknownOutcome(STATE_UNKNOWN) : { signed: 'not-yet' }
}

const DOCUMENT_GONE: AppError = { code: 'gone', message: 'The document is no longer in the folders.' }
const STATE_UNKNOWN: AppError = { code: 'no-data', message: 'The signing service doesn’t say whether it was signed.' }
const NO_ACCOUNT: AppError = {
  code: 'no-account',
  message: 'The account was removed from this computer, so the signing service can’t be asked.'
}

export function unknownOutcome(error: AppError): CounterOutcome {
  return { signed: 'unknown', error }
}

export function sleep(time: Time, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void time.after(milliseconds, resolve))
}

/**
 * Checks ended turns whose outcome isn't known against the folders as last read. Never rejects: an outcome that can't
 * be read stays unknown.
 */
export async function updateOutcomes(deps: Pick<CounterDeps, 'documentOf'>, state: SessionState): Promise<void> {
  for (const index of state.shown.turns.keys()) {
    const before = state.turnOf(index).outcome
    if (before?.signed !== 'not-yet' && before?.signed !== 'unknown') continue
    const latest = await latestOf(deps, state, index).catch(() => undefined)
    // The turn may have been started again meanwhile; its outcome is then asked for later.
    if (!latest || latest.signed === before.signed || state.turnOf(index).outcome !== before) continue
    state.setOutcome(index, latest)
    state.noteTurn('turn-ended', index, { outcome: latest.signed, known: 'later' })
    state.update({})
  }
}

async function latestOf(
  deps: Pick<CounterDeps, 'documentOf'>,
  state: SessionState,
  index: number
): Promise<CounterOutcome | undefined> {
  const turn = state.queryOf(index)
  const { askedAt = 0 } = state.factsOf(index)
  const mirrored = await deps.documentOf(turn.accountId, turn.documentReference)
  const outcome = outcomeOf(mirrored, turn)
  if (outcome.signed === 'signed' || outcome.signed === 'declined') return outcome
  // "Not yet signed" is news only if the service has said so since the outcome was last asked for.
  return outcome.signed === 'not-yet' && mirrored && mirrored.seenAt > askedAt ? outcome : undefined
}

/**
 * Returns what identifies a turn's signer in later answers: signers are corrected and reordered while a session runs.
 */
export function identityOf(document: DocumentResponse, index: number): SignerIdentity {
  const signerReference = document.Signers?.[index]?.SignerReference
  return { person: personOf(document, index), ...(signerReference && { signerReference }) }
}

/**
 * Returns the signer's current index; undefined if they are no longer a signer. A signer with a reference is found by
 * it, whatever else was corrected; without one, name and e-mail have to be unchanged.
 */
export function signerIndexOf(
  document: DocumentResponse,
  signer: number,
  identity: SignerIdentity
): number | undefined {
  const { signerReference, person } = identity
  const signers = document.Signers ?? []
  const isThem = (index: number) =>
    signerReference === undefined
      ? personOf(document, index) === person
      : signers[index]?.SignerReference === signerReference
  if (signer < signers.length && isThem(signer)) return signer
  const found = signers.findIndex((_one, index) => isThem(index))
  return found < 0 ? undefined : found
}

export function outcomeCounts({ turns }: Pick<CounterSession, 'turns'>): Record<string, string> {
  const counts = Map.groupBy(turns, ({ outcome }) => outcome?.signed ?? 'unknown')
  return Object.fromEntries([...counts].map(([signed, some]) => [signed, String(some.length)]))
}
