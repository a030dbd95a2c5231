/** Decides who comes next in a session. Nobody is handed the screen if their turn can't come any more. */
import type { AppError, CounterOutcome } from '../../../shared/contract/index.ts'
import { canSignNow } from '../documents/progress.ts'
import type { CounterDeps } from './deps.ts'
import { signerIndexOf } from './outcome.ts'
import type { SessionState } from './session-state.ts'

export interface NextSigner {
  /** The next turn; undefined if none follows. */
  next: number | undefined
  /**
   * Turns that can't be offered, with the reason: those before the next one, and later ones that nobody can sign any
   * more.
   */
  passedOver: { index: number; error: AppError }[]
}

/** Outcomes that keep later signers waiting. If an outcome is unknown, they may go ahead: the service will tell. */
const BLOCKING_OUTCOMES: readonly CounterOutcome['signed'][] = ['declined', 'not-yet', 'skipped']

/**
 * Finds the next turn from what the service last said; doesn't read the folders again. Never rejects.
 * @param outcome of the turn that has just ended, which isn't stored yet.
 */
export async function nextSigner(
  deps: Pick<CounterDeps, 'documentOf'>,
  state: SessionState,
  current: number,
  outcome: CounterOutcome
): Promise<NextSigner> {
  const outcomes = new Map<number, CounterOutcome | undefined>(
    state.shown.turns.map((turn, index) => [index, index === current ? outcome : turn.outcome])
  )
  const passedOver: NextSigner['passedOver'] = []
  let next: number | undefined
  for (let index = current + 1; index < state.shown.turns.length; index++) {
    if (outcomes.get(index)) continue
    const blocker = blockerOf(state, outcomes, index)
    // For the turns after the next one only a refusal is final: nobody is handed the screen to sign what was declined.
    const mayChange = next !== undefined && blocker !== undefined && outcomes.get(blocker)?.signed !== 'declined'
    if (blocker === undefined || mayChange || (await canBegin(deps, state, index))) {
      next ??= index
      continue
    }
    const error = notTheirTurnError(state, outcomes, blocker)
    passedOver.push({ index, error })
    outcomes.set(index, { signed: 'skipped', error })
  }
  return { next, passedOver }
}

/** Returns the first earlier turn of the same document that wasn't signed. */
function blockerOf(
  state: SessionState,
  outcomes: ReadonlyMap<number, CounterOutcome | undefined>,
  index: number
): number | undefined {
  const { documentReference } = state.turnOf(index)
  const blocker = state.shown.turns.slice(0, index).findIndex((turn, at) => {
    const signed = outcomes.get(at)?.signed
    return turn.documentReference === documentReference && signed !== undefined && BLOCKING_OUTCOMES.includes(signed)
  })
  return blocker < 0 ? undefined : blocker
}

async function canBegin(deps: Pick<CounterDeps, 'documentOf'>, state: SessionState, index: number): Promise<boolean> {
  const { documentReference, signer } = state.turnOf(index)
  try {
    const mirrored = await deps.documentOf(state.accountId, documentReference)
    const at = mirrored && signerIndexOf(mirrored.document, signer, state.factsOf(index).identity)
    return mirrored !== undefined && at !== undefined && canSignNow(mirrored.document, at)
  } catch {
    // An error in reading is shown when their turn begins.
    return true
  }
}

function notTheirTurnError(
  state: SessionState,
  outcomes: ReadonlyMap<number, CounterOutcome | undefined>,
  blocker: number
): AppError {
  const name = state.turnOf(blocker).signerName.trim() || 'the previous signer'
  const who = name.charAt(0).toUpperCase() + name.slice(1)
  const message =
    outcomes.get(blocker)?.signed === 'declined'
      ? `${who} declined, so nobody else can sign this document.`
      : `${name} has to sign first.`
  return { code: 'not-signable', message }
}
