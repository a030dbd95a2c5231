/** What can be done with a document as it stands, and why not where it can't. */
import type { DocumentPage } from '../../../../shared/contract/views.ts'
import { isIdentityOutstanding } from './identity-words.ts'

export interface Doable {
  /** Whether it makes sense for this document at all. */
  isThere: boolean
  /** Why it can't be done now; absent where it can. */
  why?: string
}

const OFFLINE =
  'This computer is offline. A new due date, a correction and downloads wait and go by themselves; the rest can’t.'

export function doable(
  page: DocumentPage,
  isOffline: boolean
): Record<'extend' | 'verify' | 'identity' | 'notary' | 'browser' | 'signed', Doable> {
  const isHere = page.goneAt === undefined
  const { family } = page.status
  const hasEnded = family === 'complete' || family === 'declined'
  const nothingSigned =
    family !== 'complete' &&
    family !== 'signed' &&
    page.people.length > 0 &&
    page.people.every((person) => person.state !== 'signed')
  const offline = isOffline ? OFFLINE : undefined
  return {
    extend: { isThere: isHere && !hasEnded },
    verify: because(true, nothingSigned ? 'Nothing to verify yet: nobody has signed.' : offline),
    identity: because(
      page.idVerificationRequested === true || page.identity !== 'none',
      isIdentityOutstanding(page.people)
        ? 'Nothing to download yet: no signer’s identity check is completed.'
        : undefined
    ),
    notary: because(
      isHere && !hasEnded,
      page.packageReference === undefined
        ? 'It can’t be assigned to a notary: the service does not name its package.'
        : offline
    ),
    browser: because(isHere && page.hasEditUrl, offline),
    signed: because(!nothingSigned, undefined)
  }
}

function because(isThere: boolean, why: string | undefined): Doable {
  return isThere && why !== undefined ? { isThere, why } : { isThere }
}
