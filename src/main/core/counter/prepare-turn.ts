/**
 * Prepares a turn from the service's newest answer, read when the turn begins and no earlier: the link of exactly the
 * person who was checked, judged before anything is loaded from it.
 */
import type { CounterOutcome } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { canSignLater, canSignNow, mayNeedCamera, personOf, stateOf } from '../documents/progress.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import { fail } from '../lib/failure.ts'
import {
  checkSigningAddress,
  type SigningAccount,
  type SigningAddress,
  signingAddressMessage
} from '../policy/signing-address.ts'
import type { CounterDeps } from './deps.ts'
import { signerIndexOf, sleep } from './outcome.ts'
import type { SessionState } from './session-state.ts'

/** Milliseconds between attempts while the service may not know yet that the previous signer has signed. */
const AFTER_ANOTHER = [1000, 2000, 4000]

/** Contains the signing link, which goes to the page and nowhere else. */
export interface PreparedTurn {
  address: Extract<SigningAddress, { ok: true }>
  mayNeedCamera: boolean
}

type PrepareDeps = Pick<CounterDeps, 'account' | 'refresh' | 'documentOf' | 'time'>

/**
 * Returns what a turn's page needs, or the turn's outcome if its page was open before and the service knows it.
 * @param isStillNeeded whether anyone still waits for the turn.
 * @throws AppFailure `gone`, `not-signable`, `unsafe-address`, `no-account`, and the service's failures.
 */
export async function prepareTurn(
  deps: PrepareDeps,
  state: SessionState,
  index: number,
  isStillNeeded: () => boolean
): Promise<PreparedTurn | CounterOutcome> {
  const { documentReference } = state.turnOf(index)
  for (const pause of [...retryPauses(state, index), undefined]) {
    const account = deps.account(state.accountId) ?? fail('no-account', 'The account was removed from this computer.')
    await deps.refresh(state.accountId)
    const mirrored = await deps.documentOf(state.accountId, documentReference)
    const judged = judge(mirrored, account, state, index)
    if (judged !== 'later') return judged
    if (pause === undefined || !isStillNeeded()) break
    await sleep(deps.time, pause)
    if (!isStillNeeded()) break
  }
  return fail('not-signable', 'Someone else has to sign first.')
}

/** later: someone else has to sign first. */
function judge(
  mirrored: MirroredDocument | undefined,
  account: SigningAccount,
  state: SessionState,
  index: number
): PreparedTurn | CounterOutcome | 'later' {
  if (!mirrored || mirrored.goneAt !== undefined) return fail('gone', 'This document is no longer in the folders.')
  const { document } = mirrored
  const { identity, hasBegun } = state.factsOf(index)
  const at = signerIndexOf(document, state.turnOf(index).signer, identity)
  const signer = at === undefined ? undefined : document.Signers?.[at]
  if (at === undefined || !signer) return fail('not-signable', 'This person is no longer a signer.')
  const answer = stateOf(document, signer)
  if (answer === 'signed' || answer === 'declined') {
    return hasBegun ? { signed: answer } : fail('not-signable', `This person has already ${answer}.`)
  }
  // The person was checked against the name as it was.
  if (personOf(document, at) !== identity.person) {
    return fail('not-signable', 'This signer’s name or e-mail has changed.', {
      next: 'Check who it is, then start again.'
    })
  }
  if (canSignLater(document, at)) return 'later'
  return preparedTurn(document, at, account)
}

function preparedTurn(document: DocumentResponse, at: number, account: SigningAccount): PreparedTurn {
  if (!canSignNow(document, at)) return fail('not-signable', 'The signing service has no link for this person.')
  const address = safeAddress(document.Signers?.[at]?.SigningKey ?? '', account)
  return { address, mayNeedCamera: mayNeedCamera(document, at) }
}

/**
 * @param ownerNote says whose link it is, if that isn't clear otherwise.
 * @throws AppFailure `unsafe-address` if the link's page may not be opened.
 */
export function safeAddress(link: string, account: SigningAccount, ownerNote?: string): PreparedTurn['address'] {
  const address = checkSigningAddress(link, account)
  if (address.ok) return address
  return fail(
    'unsafe-address',
    signingAddressMessage(address.reason),
    ownerNote === undefined ? {} : { next: ownerNote }
  )
}

/** The service may need a moment to know that an earlier signer of the same document has signed. */
function retryPauses(state: SessionState, index: number): readonly number[] {
  const { documentReference } = state.turnOf(index)
  const before = state.shown.turns.slice(0, index).filter((turn) => turn.documentReference === documentReference)
  return before.some(({ outcome }) => outcome && outcome.signed !== 'skipped' && outcome.signed !== 'declined')
    ? AFTER_ANOTHER
    : []
}
