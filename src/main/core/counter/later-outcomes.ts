/** Goes on following what is not yet known of turns that have ended, for as long as the session is shown. */
import type { CounterOutcome } from '../../../shared/contract/index.ts'
import type { CounterDeps } from './deps.ts'
import { outcomeOf } from './outcome.ts'
import type { SessionState } from './session-state.ts'

/** Reads what the folders say now. Never rejects: what can't be read is as little known as before. */
export async function followOutcomes(effects: Pick<CounterDeps, 'documentOf'>, record: SessionState): Promise<void> {
  for (const index of record.state.turns.keys()) {
    const before = record.turnOf(index).outcome
    if (before?.signed !== 'not-yet' && before?.signed !== 'unknown') continue
    const latest = await latestOf(effects, record, index).catch(() => undefined)
    // It may have been taken up again meanwhile, and what it comes to is asked then.
    if (!latest || latest.signed === before.signed || record.turnOf(index).outcome !== before) continue
    record.setOutcome(index, latest)
    record.noteTurn('turn-ended', index, { outcome: latest.signed, known: 'later' })
    record.become({})
  }
}

async function latestOf(
  effects: Pick<CounterDeps, 'documentOf'>,
  record: SessionState,
  index: number
): Promise<CounterOutcome | undefined> {
  const { documentReference, signer } = record.turnOf(index)
  const { identity, askedAt = 0 } = record.factsOf(index)
  const mirrored = await effects.documentOf(record.accountId, documentReference)
  const outcome = outcomeOf(mirrored, { signer, identity })
  if (outcome.signed === 'signed' || outcome.signed === 'declined') return outcome
  // That it isn't signed yet is news only where the service has said so since it couldn't be asked.
  return outcome.signed === 'not-yet' && mirrored && mirrored.seenAt > askedAt ? outcome : undefined
}
