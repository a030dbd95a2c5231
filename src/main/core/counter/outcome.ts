/** What became of a turn: what the service says, asked again for a while as it may need a moment. No page is believed. */
import type { AppError, CounterOutcome, CounterSession } from '../../../shared/contract/index.ts'
import { stateOf } from '../documents/progress.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import type { CounterDeps, SignerIdentity } from './deps.ts'
import { indexOf } from './known-signer.ts'

/** Milliseconds until the service is asked again, where the page or the person says that it is signed: the service may need a moment. */
const AFTER_SIGNING = [1000, 2000, 4000]
/** Where it was ended before: most likely nothing is to come, and they wait. */
const AFTER_STOP = [1000]
/** However slow the line is, the person isn't kept longer, in milliseconds. */
const LONGEST = 30_000

/** returned: the page came to its return address. finished: the person says that they have signed. stopped: it was ended before. */
export type Ending = 'returned' | 'finished' | 'stopped'

export interface AskedTurn {
  accountId: string
  documentReference: string
  signer: number
  identity: SignerIdentity
}

type AskingEffects = Pick<CounterDeps, 'documentOf' | 'refresh' | 'describe' | 'schedule' | 'account'>

/** Asks the service. Never rejects: where it can't be asked the outcome is `unknown`. */
export async function askOutcome(effects: AskingEffects, turn: AskedTurn, ending: Ending): Promise<CounterOutcome> {
  const pauses = ending === 'stopped' ? AFTER_STOP : AFTER_SIGNING
  let isLate = false
  const asking = (async () => {
    let latest = await askOnce(effects, turn)
    for (const pause of pauses) {
      if (isLate || latest.signed === 'signed' || latest.signed === 'declined') break
      await paused(effects.schedule, pause)
      if (isLate) break
      latest = await askOnce(effects, turn)
    }
    return latest
  })()
  const late = Promise.withResolvers<CounterOutcome>()
  const cancel = effects.schedule(() => {
    isLate = true
    late.resolve(unknown({ code: 'timeout', message: 'The signing service took too long to answer.' }))
  }, LONGEST)
  const outcome = await Promise.race([asking, late.promise])
  cancel()
  return outcome
}

async function askOnce(effects: AskingEffects, turn: AskedTurn): Promise<CounterOutcome> {
  try {
    if (!effects.account(turn.accountId)) return unknown(NO_ACCOUNT)
    await effects.refresh(turn.accountId)
    return outcomeOf(await effects.documentOf(turn.accountId, turn.documentReference), turn)
  } catch (error) {
    return unknown(effects.describe(error))
  }
}

/** What a document says of a turn's signer. */
export function outcomeOf(
  mirrored: MirroredDocument | undefined,
  { signer, identity }: Pick<AskedTurn, 'signer' | 'identity'>
): CounterOutcome {
  const index = mirrored && indexOf(mirrored.document, signer, identity)
  const person = index === undefined ? undefined : mirrored?.document.Signers?.[index]
  if (!mirrored || !person) return unknown(LEFT)
  const state = stateOf(mirrored.document, person)
  // A document that is complete may leave the folders at once: what it said last stands.
  if (state === 'signed' || state === 'declined') return { signed: state }
  return mirrored.goneAt === undefined ? { signed: 'not-yet' } : unknown(LEFT)
}

const LEFT: AppError = { code: 'gone', message: 'The document is no longer in the folders, so nobody can say.' }
const NO_ACCOUNT: AppError = {
  code: 'no-account',
  message: 'The account was removed from this computer, so the signing service can’t be asked.'
}

function unknown(error: AppError): CounterOutcome {
  return { signed: 'unknown', error }
}

export function paused(schedule: CounterDeps['schedule'], milliseconds: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  schedule(over.resolve, milliseconds)
  return over.promise
}

/** How many turns came to which outcome. */
export function outcomeCounts({ turns }: Pick<CounterSession, 'turns'>): Record<string, string> {
  const counts: Record<string, number> = {}
  for (const { outcome } of turns) {
    const signed = outcome?.signed ?? 'unknown'
    counts[signed] = (counts[signed] ?? 0) + 1
  }
  return Object.fromEntries(Object.entries(counts).map(([signed, count]) => [signed, String(count)]))
}
