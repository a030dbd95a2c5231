/** What can be done with a document in its current state, and why not otherwise. */
import type { AccountRights, DocumentPage, SignerView } from '../../../../shared/contract/views.ts'
import { isIdentityOutstanding } from './identity-words.ts'

export interface Availability {
  /** Whether it applies to this document at all. */
  isOffered: boolean
  /** Why it isn't available now; absent if it is. */
  why?: string
}

const OFFLINE =
  'You’re offline. Due date changes, corrections and downloads are done once you’re back online; the rest isn’t available.'

export function availableActions(
  page: DocumentPage,
  isOffline: boolean
): Record<'extend' | 'verify' | 'identity' | 'notary' | 'browser' | 'signed', Availability> {
  const isOnService = page.goneAt === undefined
  const { family } = page.status
  const hasEnded = family === 'complete' || family === 'declined'
  const nothingSigned =
    family !== 'complete' &&
    family !== 'signed' &&
    !page.status.signed &&
    page.people.length > 0 &&
    page.people.every(({ state }) => state !== 'signed' && state !== 'unknown')
  const offline = isOffline ? OFFLINE : undefined
  return {
    extend: { isOffered: isOnService && !hasEnded },
    verify: availability(true, nothingSigned ? 'Nothing to verify yet: nobody has signed.' : offline),
    identity: availability(
      page.idVerificationRequested === true || page.identity !== 'none',
      isIdentityOutstanding(page.people) ? 'No signer has completed an identity check yet.' : undefined
    ),
    notary: availability(
      isOnService && !hasEnded,
      page.packageReference === undefined
        ? 'Can’t be assigned to a notary: the service doesn’t say which package it belongs to.'
        : offline
    ),
    browser: availability(isOnService && page.hasEditUrl, offline),
    signed: availability(!nothingSigned, undefined)
  }
}

/**
 * Returns what can be done for one signer.
 * @param reminders whether the account has reminders, if known.
 */
export function availableSignerActions(
  person: SignerView,
  { goneAt, status: { family } }: DocumentPage,
  reminders: AccountRights['reminders'] | undefined
): Record<'counter' | 'correct' | 'remind', boolean> {
  const isOnService = goneAt === undefined
  // If their state is unknown, the service decides.
  const isWaiting = isOnService && (person.state === 'waiting' || person.state === 'unknown')
  const isReminded = family !== 'complete' && family !== 'declined' && person.signerReference !== undefined
  return {
    counter: isWaiting && person.canSignHere,
    correct: isOnService && person.editable !== false,
    remind: isWaiting && isReminded && reminders !== undefined && reminders !== 'no'
  }
}

/** Whether someone still has to sign: what the service keeps isn't the signed document yet. */
export function isPartlySigned({ status, people }: Pick<DocumentPage, 'status' | 'people'>): boolean {
  return status.family !== 'complete' && people.some(({ state }) => state === 'waiting')
}

/**
 * Returns who has to sign before this signer is invited, where the service distinguishes those who aren't invited yet;
 * otherwise nobody.
 */
export function signingBefore(person: SignerView, page: DocumentPage): readonly SignerView[] {
  if (person.signedStatus !== 'Initialized') return []
  return page.people.filter(({ state, signedStatus }) => state === 'waiting' && signedStatus !== 'Initialized')
}

function availability(isOffered: boolean, why: string | undefined): Availability {
  return isOffered && why !== undefined ? { isOffered, why } : { isOffered }
}
