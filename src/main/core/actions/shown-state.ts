/**
 * What a document looked like before an action, and what it shows afterwards: as asked, as before, or neither. This
 * keeps an action that had to wait from being sent if someone else has changed what it was about.
 */
import type { ActionRequest, SignerCorrection } from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  fullName,
  readCertainDate,
  readGmt,
  readServiceDate,
  type ShareUser,
  type SignerResponse
} from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'

/** The part of the document that the action changes. */
export type Before =
  | { kind: 'extend'; dueAt?: number }
  | { kind: 'correct'; signers: SignerBefore[] }
  // `unknown`: tried by another workstation, whose stored data can't be read here.
  | { kind: 'notary' | 'remind' | 'unknown' }

interface SignerBefore {
  /** The index of its correction, not the signer's current position. */
  index: number
  /** The old values of what it changes, by the correction's member names. */
  values: Record<string, string>
}

export type ShownState = 'as asked' | 'as before' | 'otherwise'

/** The members of a correction that the service also returns. */
const CORRECTED = [
  'FirstName',
  'MiddleName',
  'LastName',
  'Email',
  'MobileNumber',
  'MobileCountry',
  'ClientReference',
  'ShareUsers',
  'IsFaceToFaceSigning',
  'VideoConfirmationEnabled',
  'VideoConfirmationDeepfakeEnabled',
  'ReviewBeforeSigningEnabled'
] as const satisfies readonly (keyof SignerCorrection)[]
type CorrectedMember = (typeof CORRECTED)[number]

export function beforeOf(request: ActionRequest, document: DocumentResponse): Before {
  switch (request.kind) {
    case 'extend': {
      const dueAt = dueOf(document)
      return { kind: 'extend', ...(dueAt !== undefined && { dueAt }) }
    }
    case 'correct':
      return { kind: 'correct', signers: request.signers.map((correction) => signerBefore(document, correction)) }
    case 'notary':
    case 'remind':
      return { kind: request.kind }
  }
}

/**
 * Returns what the document shows of an action that may have been done; undefined if documents don't show such actions.
 */
export function shownStateOf(
  request: ActionRequest,
  before: Before,
  document: DocumentResponse
): ShownState | undefined {
  if (request.kind === 'extend' && before.kind === 'extend') return dueState(request.dueDate, before, document)
  if (request.kind === 'correct' && before.kind === 'correct') return signersState(request.signers, before, document)
  return undefined
}

/** Returns the due date in milliseconds since 1970 UTC, read in the document's own zone. */
function dueOf({ DueDate, GMT }: DocumentResponse): number | undefined {
  return readCertainDate(DueDate, readGmt(GMT))?.at
}

/** Returns the signer that was meant, even if the service has reordered them since. */
export function findSigner(document: DocumentResponse, correction: SignerCorrection): SignerResponse | undefined {
  const signers = document.Signers ?? []
  const { was } = correction
  if (was.SignerReference !== undefined) return signers.find((one) => one.SignerReference === was.SignerReference)
  const signer = signers[correction.index]
  // Without a reference, only the details at that position identify the signer: those that were shown, or those that
  // this correction makes.
  return signer && (matchesSigner(signer, was) || matchesSigner(signer, correction)) ? signer : undefined
}

function matchesSigner(signer: SignerResponse, shown: SignerCorrection['was']): boolean {
  return (['FirstName', 'LastName', 'Email'] as const).every(
    (name) => normalisedValue(signer, name) === normalisedValue(shown, name)
  )
}

/**
 * Whether a correction changes this member. Names and address are always included, because the API reference requires
 * them (2.5). If they are as shown, they change nothing, and someone else's changes to them stay.
 */
export function changesMember(correction: SignerCorrection, name: CorrectedMember): boolean {
  if (name === 'FirstName' || name === 'LastName' || name === 'Email')
    return correction[name].trim() !== correction.was[name].trim()
  return correction[name] !== undefined
}

function signerBefore(document: DocumentResponse, correction: SignerCorrection): SignerBefore {
  const signer = findSigner(document, correction) ?? {}
  const changed = CORRECTED.filter(
    (name) => changesMember(correction, name) && normalisedValue(correction, name) !== normalisedValue(signer, name)
  )
  return {
    index: correction.index,
    values: Object.fromEntries(changed.map((name) => [name, normalisedValue(signer, name)]))
  }
}

function dueState(due: string, before: { dueAt?: number }, document: DocumentResponse): ShownState {
  const shown = toMinute(dueOf(document))
  if (shown === undefined) return 'otherwise'
  if (shown === toMinute(readServiceDate(due)?.at)) return 'as asked'
  return shown === toMinute(before.dueAt) ? 'as before' : 'otherwise'
}

/** Services write seconds and fractions as they like. */
function toMinute(at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.floor(at / 60_000)
}

function signersState(
  corrections: readonly SignerCorrection[],
  before: { signers: readonly SignerBefore[] },
  document: DocumentResponse
): ShownState {
  const shown = new Set(
    corrections.flatMap((correction): ShownState[] => {
      const was = before.signers.find(({ index }) => index === correction.index)
      const signer = findSigner(document, correction)
      return was && signer ? signerStates(correction, was, signer) : ['otherwise']
    })
  )
  const [one] = shown
  return shown.size > 1 ? 'otherwise' : (one ?? 'as asked')
}

function signerStates(correction: SignerCorrection, was: SignerBefore, signer: SignerResponse): ShownState[] {
  return Object.entries(was.values).map(([name, before]) => {
    const shown = normalisedValue(signer, name as CorrectedMember)
    if (shown === normalisedValue(correction, name as CorrectedMember)) return 'as asked'
    return shown === before ? 'as before' : 'otherwise'
  })
}

/** Normalises a value for comparison: nothing, the empty text and false are equal; e-mail addresses ignore case. */
function normalisedValue(
  person: Partial<Record<CorrectedMember | 'EnabledFaceToFaceSigning', unknown>>,
  name: CorrectedMember
): string {
  const value =
    name === 'IsFaceToFaceSigning' ? (person.IsFaceToFaceSigning ?? person.EnabledFaceToFaceSigning) : person[name]
  if (name === 'ShareUsers') return shareUsersText(value)
  if (value === undefined || value === null || value === false) return ''
  const text = String(value).trim()
  return name === 'Email' ? text.toLowerCase() : text
}

function shareUsersText(value: unknown): string {
  const users = (Array.isArray(value) ? value : []) as Partial<ShareUser>[]
  return users
    .map(({ Email, IsDefault, IsOwner, ...user }) =>
      JSON.stringify([fullName(user).trim(), Email?.trim().toLowerCase(), IsDefault === true, IsOwner === true])
    )
    .sort()
    .join('\n')
}

/** @throws AppFailure that says what has changed. Then nothing is sent. */
export function refuseChanged(
  { request, before }: { request: ActionRequest; before: Before },
  document: DocumentResponse
): void {
  // Someone else did the same, so doing it again changes nothing.
  if (shownStateOf(request, before, document) === 'as asked') return
  if (before.kind === 'extend') refuseDueChanged(before, document)
  if (request.kind !== 'correct' || before.kind !== 'correct') return
  for (const correction of request.signers) {
    const was = before.signers.find(({ index }) => index === correction.index)
    if (was) refuseSignerChanged(correction, was, document)
  }
}

function refuseDueChanged(before: Extract<Before, { kind: 'extend' }>, document: DocumentResponse): void {
  const due = dueOf(document)
  if (before.dueAt === undefined || due === undefined || toMinute(before.dueAt) === toMinute(due)) return
  fail('conflict', 'Another due date was set while this one waited, so nothing was done.', {
    next: 'Check it, then decide again.'
  })
}

function refuseSignerChanged(correction: SignerCorrection, was: SignerBefore, document: DocumentResponse): void {
  const signer = findSigner(document, correction)
  // outgoing.ts reports this.
  if (!signer) return
  const changed = Object.entries(was.values).some(([name, value]) => normalisedValue(signer, name as 'Email') !== value)
  if (!changed) return
  const name = fullName(signer) || 'This signer'
  fail('conflict', `${name} was changed by someone else while this waited, so nothing was done.`, {
    next: 'Check them, then decide again.'
  })
}
