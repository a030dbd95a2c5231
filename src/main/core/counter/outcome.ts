/**
 * The outcome of a turn: what the service says of its signer, asked again for a while as it may need a moment, and followed
 * for as long as it isn't known. No page is believed.
 */
import type { AppError, CounterOutcome, CounterSession } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { personOf, stateOf } from '../documents/progress.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { type Time, within } from '../lib/time.ts'
import type { CounterDeps, SignerIdentity } from './deps.ts'
import type { AskedTurn, SessionState } from './session-state.ts'

/** Milliseconds until the service is asked again, if the page or the person says that it is signed: it may need a moment. */
const AFTER_SIGNING = [1000, 2000, 4000]
/** If it was ended before: most likely nothing is to come, and they wait. */
const AFTER_STOP = [1000]
/** However slow the line is, the person isn't kept longer, in milliseconds. */
const LONGEST = 30_000

/** returned: the page came to its return address. finished: the person says that they have signed. stopped: it was ended before. */
export type Ending = 'returned' | 'finished' | 'stopped'

type AskingDeps = Pick<CounterDeps, 'documentOf' | 'refresh' | 'describe' | 'time' | 'account'>

/** Asks the service. Never rejects: if it can't be asked the outcome is `unknown`. */
export async function askOutcome(deps: AskingDeps, turn: AskedTurn, ending: Ending): Promise<CounterOutcome> {
  const pauses = ending === 'stopped' ? AFTER_STOP : AFTER_SIGNING
  let outcome = unknown({ code: 'timeout', message: 'The signing service took too long to respond.' })
  let isLate = false
  const ask = async () => {
    let latest = await askOnce(deps, turn)
    for (const pause of pauses) {
      if (isLate || latest.signed === 'signed' || latest.signed === 'declined') break
      await paused(deps.time, pause)
      if (isLate) break
      latest = await askOnce(deps, turn)
    }
    outcome = latest
  }
  await within(LONGEST, ask(), deps.time)
  isLate = true
  return outcome
}

/** What the service says now. Never rejects. */
export async function askOnce(deps: AskingDeps, turn: AskedTurn): Promise<CounterOutcome> {
  const trouble = await readFolders(deps, turn.accountId)
  return trouble ? unknown(trouble) : lastOutcome(deps, turn)
}

/** Reads the folders from the service; answers why that can't be done. Never rejects. */
export async function readFolders(
  { account, refresh, describe }: Pick<CounterDeps, 'account' | 'refresh' | 'describe'>,
  accountId: string
): Promise<AppError | undefined> {
  try {
    if (!account(accountId)) return NO_ACCOUNT
    await refresh(accountId)
    return undefined
  } catch (error) {
    return describe(error)
  }
}

/** The outcome as the folders were read last. Never rejects. */
export async function lastOutcome(
  { documentOf, describe }: Pick<CounterDeps, 'documentOf' | 'describe'>,
  turn: AskedTurn
): Promise<CounterOutcome> {
  try {
    return outcomeOf(await documentOf(turn.accountId, turn.documentReference), turn)
  } catch (error) {
    return unknown(describe(error))
  }
}

/** What a document says of a turn's signer. */
function outcomeOf(
  mirrored: MirroredDocument | undefined,
  { signer, identity }: Pick<AskedTurn, 'signer' | 'identity'>
): CounterOutcome {
  const index = mirrored && indexOf(mirrored.document, signer, identity)
  const person = index === undefined ? undefined : mirrored?.document.Signers?.[index]
  if (!mirrored || !person) return unknown(LEFT)
  const state = stateOf(mirrored.document, person)
  // A document that is complete may leave the folders at once: what it said last stands.
  if (state === 'signed' || state === 'declined') return { signed: state }
  if (mirrored.goneAt !== undefined) return unknown(LEFT)
  return state === 'unknown' ? unknown(NOT_SAID) : { signed: 'not-yet' }
}

const LEFT: AppError = { code: 'gone', message: 'The document is no longer in the folders.' }
const NOT_SAID: AppError = { code: 'no-data', message: 'The signing service doesn’t say whether it was signed.' }
const NO_ACCOUNT: AppError = {
  code: 'no-account',
  message: 'The account was removed from this computer, so the signing service can’t be asked.'
}

export function unknown(error: AppError): CounterOutcome {
  return { signed: 'unknown', error }
}

export function paused(time: Time, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void time.after(milliseconds, resolve))
}

/**
 * Reads what the folders say now of turns that have ended and whose outcome isn't known. Never rejects: what can't be read is
 * as little known as before.
 */
export async function followOutcomes(deps: Pick<CounterDeps, 'documentOf'>, state: SessionState): Promise<void> {
  for (const index of state.shown.turns.keys()) {
    const before = state.turnOf(index).outcome
    if (before?.signed !== 'not-yet' && before?.signed !== 'unknown') continue
    const latest = await latestOf(deps, state, index).catch(() => undefined)
    // It may have been taken up again meanwhile, and what comes of it is asked then.
    if (!latest || latest.signed === before.signed || state.turnOf(index).outcome !== before) continue
    state.setOutcome(index, latest)
    state.noteTurn('turn-ended', index, { outcome: latest.signed, known: 'later' })
    state.become({})
  }
}

async function latestOf(
  deps: Pick<CounterDeps, 'documentOf'>,
  state: SessionState,
  index: number
): Promise<CounterOutcome | undefined> {
  const turn = state.asked(index)
  const { askedAt = 0 } = state.factsOf(index)
  const mirrored = await deps.documentOf(turn.accountId, turn.documentReference)
  const outcome = outcomeOf(mirrored, turn)
  if (outcome.signed === 'signed' || outcome.signed === 'declined') return outcome
  // That it isn't signed yet is news only if the service has said so since it couldn't be asked.
  return outcome.signed === 'not-yet' && mirrored && mirrored.seenAt > askedAt ? outcome : undefined
}

/** By what a turn's signer is found in newer answers: signers are corrected and reordered while a session lasts. */
export function identityOf(document: DocumentResponse, index: number): SignerIdentity {
  const signerReference = document.Signers?.[index]?.SignerReference
  return { person: personOf(document, index), ...(signerReference && { signerReference }) }
}

/**
 * The index of the signer now; undefined if they are no longer among the signers. One who has a reference keeps it whatever
 * else is corrected; without one, name and e-mail have to be as they were.
 */
export function indexOf(document: DocumentResponse, signer: number, identity: SignerIdentity): number | undefined {
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

/** How many turns came to which outcome. */
export function outcomeCounts({ turns }: Pick<CounterSession, 'turns'>): Record<string, string> {
  const counts = Map.groupBy(turns, ({ outcome }) => outcome?.signed ?? 'unknown')
  return Object.fromEntries([...counts].map(([signed, some]) => [signed, String(some.length)]))
}
