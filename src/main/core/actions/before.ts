/**
 * What a document looked like before an action, and what it shows afterwards: as was asked, as it was before, or neither. So
 * an action that had to wait doesn't leave if someone else has changed what it was meant for.
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

/** As much of the document as the action concerns. */
export type Before =
  | { kind: 'extend'; dueAt?: number }
  | { kind: 'correct'; signers: SignerBefore[] }
  // unknown: of one that another workstation tried, where what that one has kept of it can't be read here.
  | { kind: 'notary' | 'remind' | 'unknown' }

interface SignerBefore {
  /** Which of the corrections it belongs to; never where the signer stands now. */
  index: number
  /** By the names of a correction's members, those that it would change. */
  values: Record<string, string>
}

export type Shown = 'as asked' | 'as before' | 'otherwise'

/** The members of a correction that the service answers, too. */
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
type Corrected = (typeof CORRECTED)[number]

export function beforeOf(request: ActionRequest, document: DocumentResponse): Before {
  switch (request.kind) {
    case 'extend': {
      const dueAt = dueOf(document)
      return { kind: 'extend', ...(dueAt !== undefined && { dueAt }) }
    }
    case 'correct':
      return { kind: 'correct', signers: request.signers.map((wanted) => signerBefore(document, wanted)) }
    case 'notary':
    case 'remind':
      return { kind: request.kind }
  }
}

/** What the document shows of an action that may have been done; undefined if documents don't show such actions. */
export function shownBy(request: ActionRequest, before: Before, document: DocumentResponse): Shown | undefined {
  if (request.kind === 'extend' && before.kind === 'extend') return dueShown(request.dueDate, before, document)
  if (request.kind === 'correct' && before.kind === 'correct') return signersShown(request.signers, before, document)
  return undefined
}

/** When it is due, in milliseconds since 1970 UTC, read in its own zone. */
function dueOf({ DueDate, GMT }: DocumentResponse): number | undefined {
  return readCertainDate(DueDate, readGmt(GMT))?.at
}

/** The signer that was meant, also if the service has put them in another order since. */
export function signerMeant(document: DocumentResponse, wanted: SignerCorrection): SignerResponse | undefined {
  const signers = document.Signers ?? []
  const { was } = wanted
  if (was.SignerReference !== undefined) return signers.find((one) => one.SignerReference === was.SignerReference)
  const signer = signers[wanted.index]
  // Without a reference only who stands there tells: the one that was shown, or what this correction makes of them.
  return signer && (isNamed(signer, was) || isNamed(signer, wanted)) ? signer : undefined
}

function isNamed(signer: SignerResponse, shown: SignerCorrection['was']): boolean {
  return (['FirstName', 'LastName', 'Email'] as const).every((name) => spelt(signer, name) === spelt(shown, name))
}

/**
 * Whether a correction changes this member. Names and address stand in each, for the reference demands them (2.5): as they
 * were shown, they say nothing, and what someone else makes of them meanwhile stays.
 */
export function isAsked(wanted: SignerCorrection, name: Corrected): boolean {
  if (name === 'FirstName' || name === 'LastName' || name === 'Email')
    return wanted[name].trim() !== wanted.was[name].trim()
  return wanted[name] !== undefined
}

function signerBefore(document: DocumentResponse, wanted: SignerCorrection): SignerBefore {
  const signer = signerMeant(document, wanted) ?? {}
  const changed = CORRECTED.filter((name) => isAsked(wanted, name) && spelt(wanted, name) !== spelt(signer, name))
  return {
    index: wanted.index,
    values: Object.fromEntries(changed.map((name) => [name, spelt(signer, name)]))
  }
}

function dueShown(asked: string, before: { dueAt?: number }, document: DocumentResponse): Shown {
  const shown = toMinute(dueOf(document))
  if (shown === undefined) return 'otherwise'
  if (shown === toMinute(readServiceDate(asked)?.at)) return 'as asked'
  return shown === toMinute(before.dueAt) ? 'as before' : 'otherwise'
}

/** Services write down seconds and their fractions as they like. */
function toMinute(at: number | undefined): number | undefined {
  return at === undefined ? undefined : Math.floor(at / 60_000)
}

function signersShown(
  wanted: readonly SignerCorrection[],
  before: { signers: readonly SignerBefore[] },
  document: DocumentResponse
): Shown {
  const shown = new Set(
    wanted.flatMap((correction): Shown[] => {
      const was = before.signers.find(({ index }) => index === correction.index)
      const signer = signerMeant(document, correction)
      return was && signer ? signerShown(correction, was, signer) : ['otherwise']
    })
  )
  const [one] = shown
  return shown.size > 1 ? 'otherwise' : (one ?? 'as asked')
}

function signerShown(wanted: SignerCorrection, was: SignerBefore, signer: SignerResponse): Shown[] {
  return Object.entries(was.values).map(([name, before]) => {
    const shown = spelt(signer, name as Corrected)
    if (shown === spelt(wanted, name as Corrected)) return 'as asked'
    return shown === before ? 'as before' : 'otherwise'
  })
}

/** A value as both sides are compared by: nothing, the empty text and false are one; e-mail addresses in any case. */
function spelt(person: Partial<Record<Corrected | 'EnabledFaceToFaceSigning', unknown>>, name: Corrected): string {
  const value =
    name === 'IsFaceToFaceSigning' ? (person.IsFaceToFaceSigning ?? person.EnabledFaceToFaceSigning) : person[name]
  if (name === 'ShareUsers') return sharedWith(value)
  if (value === undefined || value === null || value === false) return ''
  const text = String(value).trim()
  return name === 'Email' ? text.toLowerCase() : text
}

function sharedWith(value: unknown): string {
  const users = (Array.isArray(value) ? value : []) as Partial<ShareUser>[]
  return users
    .map(({ Email, IsDefault, IsOwner, ...user }) =>
      JSON.stringify([fullName(user).trim(), Email?.trim().toLowerCase(), IsDefault === true, IsOwner === true])
    )
    .sort()
    .join('\n')
}

/** @throws AppFailure that says what has changed; then nothing is sent. */
export function refuseChanged(
  { request, before }: { request: ActionRequest; before: Before },
  document: DocumentResponse
): void {
  // Someone did the same: doing it again changes nothing.
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
    next: 'Check it, then decide again.'
  })
}

function refuseCorrected(wanted: SignerCorrection, was: SignerBefore, document: DocumentResponse): void {
  const signer = signerMeant(document, wanted)
  // Said by outgoing.ts.
  if (!signer) return
  const changed = Object.entries(was.values).some(([name, value]) => spelt(signer, name as 'Email') !== value)
  if (!changed) return
  const name = fullName(signer) || 'This signer'
  fail('conflict', `${name} was changed by someone else while this waited, so nothing was done.`, {
    next: 'Check them, then decide again.'
  })
}

function sameMinute(one: number, other: number): boolean {
  return Math.floor(one / 60_000) === Math.floor(other / 60_000)
}
