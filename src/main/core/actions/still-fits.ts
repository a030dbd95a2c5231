/** Whether an action that had to wait may still leave: not where somebody else has changed what it was meant for. */

import type { SignerCorrection } from '../../../shared/contract/index.ts'
import { type DocumentResponse, fullName } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import type { Action } from './action-record.ts'
import { type Before, dueOf, type SignerBefore, shownBy, signerMeant, spelt } from './before.ts'

/** @throws AppFailure that says what has changed; then nothing is sent. */
export function refuseChanged(
  { request, before }: Pick<Action, 'request' | 'before'>,
  document: DocumentResponse
): void {
  // Somebody did the same: doing it again changes nothing.
  if (shownBy(request, before, document) === 'as asked') return
  if (before.kind === 'extend') refuseMoved(before, document)
  if (request.kind !== 'correct' || before.kind !== 'correct') return
  for (const wanted of request.signers) {
    const was = before.signers.find(({ index }) => index === wanted.index)
    if (was) refuseCorrected(wanted, was, document)
  }
}

function refuseMoved(before: Extract<Before, { kind: 'extend' }>, document: DocumentResponse): void {
  const due = dueOf(document)
  if (before.dueAt === undefined || due === undefined || sameMinute(before.dueAt, due)) return
  fail('conflict', 'Another due date was set while this one waited, so nothing was done.', {
    next: 'Look at it, then decide again.'
  })
}

function refuseCorrected(wanted: SignerCorrection, was: SignerBefore, document: DocumentResponse): void {
  const signer = signerMeant(document, wanted)
  // Said by outgoing.ts.
  if (!signer) return
  const changed = Object.entries(was.values).some(([name, value]) => spelt(signer, name as 'Email') !== value)
  if (!changed) return
  const name = fullName(signer) || 'This signer'
  fail('conflict', `${name} was changed by somebody else while this waited, so nothing was done.`, {
    next: `Look, then decide again.`
  })
}

function sameMinute(one: number, other: number): boolean {
  return Math.floor(one / 60_000) === Math.floor(other / 60_000)
}
