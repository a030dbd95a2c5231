/** Who of a session comes next: nobody is handed the screen whose turn can't come any more. */
import type { AppError, CounterOutcome } from '../../../shared/contract/index.ts'
import { canSignNow } from '../documents/progress.ts'
import type { CounterDeps } from './deps.ts'
import { indexOf } from './outcome.ts'
import type { SessionState } from './session-state.ts'

export interface NextSigner {
  /** The next turn; undefined if none follows. */
  next: number | undefined
  /** Turns that can't be offered, with why: those before it, and any that nobody can sign any more. */
  passedOver: { index: number; error: AppError }[]
}

/** What of the one before keeps those behind them waiting. Where it isn't known, they may be asked: the service says. */
const HOLDS_UP: readonly CounterOutcome['signed'][] = ['declined', 'not-yet', 'skipped']

/**
 * By what the service said last; the folders aren't read again. Never rejects.
 * @param outcome what became of the turn that has just ended, which isn't written down yet.
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
    const before = heldUpBy(state, outcomes, index)
    // Of those who come later only a refusal is for good: nobody is handed the screen to sign what was declined.
    const mayChange = next !== undefined && before !== undefined && outcomes.get(before)?.signed !== 'declined'
    if (before === undefined || mayChange || (await canBegin(deps, state, index))) {
      next ??= index
      continue
    }
    const error = notTheirTurn(state, outcomes, before)
    passedOver.push({ index, error })
    outcomes.set(index, { signed: 'skipped', error })
  }
  return { next, passedOver }
}

/** The first turn of the same document that came before and was not signed. */
function heldUpBy(
  state: SessionState,
  outcomes: ReadonlyMap<number, CounterOutcome | undefined>,
  index: number
): number | undefined {
  const { documentReference } = state.turnOf(index)
  const before = state.shown.turns.slice(0, index).findIndex((turn, at) => {
    const signed = outcomes.get(at)?.signed
    return turn.documentReference === documentReference && signed !== undefined && HOLDS_UP.includes(signed)
  })
  return before < 0 ? undefined : before
}

async function canBegin(deps: Pick<CounterDeps, 'documentOf'>, state: SessionState, index: number): Promise<boolean> {
  const { documentReference, signer } = state.turnOf(index)
  try {
    const mirrored = await deps.documentOf(state.accountId, documentReference)
    const at = mirrored && indexOf(mirrored.document, signer, state.factsOf(index).identity)
    return mirrored !== undefined && at !== undefined && canSignNow(mirrored.document, at)
  } catch {
    // What can't be read is said when they begin.
    return true
  }
}

function notTheirTurn(
  state: SessionState,
  outcomes: ReadonlyMap<number, CounterOutcome | undefined>,
  before: number
): AppError {
  const name = state.turnOf(before).signerName.trim() || 'the previous signer'
  const who = name.charAt(0).toUpperCase() + name.slice(1)
  const message =
    outcomes.get(before)?.signed === 'declined'
      ? `${who} declined, so nobody else can sign this document.`
      : `${name} has to sign first.`
  return { code: 'not-signable', message }
}
