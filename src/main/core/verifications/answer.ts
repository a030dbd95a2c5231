/**
 * What is stored of the answer to a verification, and what is shown of that. Stored as received, including unknown
 * members, but without the document's address, which would let anyone read the document.
 */
import type { OtherMember, SignatureTally, VerificationView } from '../../../shared/contract/index.ts'
import { ValidationResult, VerifiedSigner, VerifySignature } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { HIDDEN, withOthers } from '../lib/other-members.ts'
import { redactionOf } from '../lib/redaction.ts'

/** In characters of JSON. A hundred signatures with everything that the reference names take a quarter of it. */
const MAX_ANSWER_LENGTH = 200_000
/** Limit on nesting; SQLite reads a thousand levels, and the reference has three. */
const MAX_DEPTH = 50

/**
 * Returns the answer as stored, in JSON.
 * @throws AppFailure `too-large` for an answer larger than signatures can explain: it isn't evidence, and would fill
 * the disk.
 */
export function storedAnswer({ DocumentURL: address, ...result }: ValidationResult): string {
  const { isIn } = redactionOf(address ? [address] : [])
  const kept = JSON.stringify(redacted(result, isIn, 0))
  return kept.length > MAX_ANSWER_LENGTH ? tooLarge() : kept
}

function redacted(value: unknown, containsSecret: (text: string) => boolean, depth: number): unknown {
  if (typeof value === 'string') return containsSecret(value) ? HIDDEN : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) tooLarge()
  if (Array.isArray(value)) return value.map((one) => redacted(one, containsSecret, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      containsSecret(name) ? HIDDEN : name,
      redacted(member, containsSecret, depth + 1)
    ])
  )
}

function tooLarge(): never {
  return fail('too-large', 'The service’s answer is far too large for a list of signatures, so it wasn’t kept.', {
    next: 'This document doesn’t count as verified. Check the signatures in its PDF.'
  })
}

export function tallyOf({ Signatures: signatures }: Pick<ValidationResult, 'Signatures'>): SignatureTally {
  return {
    ...(signatures && { signatures: signatures.length }),
    valid: signatures?.filter(({ isValid }) => isValid === true).length ?? 0,
    notValid: signatures?.filter(({ isValid }) => isValid === false).length ?? 0
  }
}

/** Whether all signatures are valid; undefined if the service doesn't say so for each, or lists none. */
function areAllValid({ signatures, valid, notValid }: SignatureTally): boolean | undefined {
  if (notValid > 0) return false
  return signatures !== undefined && signatures > 0 && valid === signatures ? true : undefined
}

/** Sums up the result in a word, for the audit trail. */
export function verdictOf(tally: SignatureTally): 'valid' | 'not-valid' | 'unconfirmed' | 'none' | 'unknown' {
  if (tally.signatures === undefined) return 'unknown'
  if (tally.signatures === 0) return 'none'
  const isAll = areAllValid(tally)
  if (isAll === undefined) return 'unconfirmed'
  return isAll ? 'valid' : 'not-valid'
}

/** Returns what is shown of a stored answer; nothing if it can't be read. @param text as made by `storedAnswer`. */
export function shownAnswer(text: string): Pick<VerificationView, 'DocumentName' | 'Signatures' | 'others'> {
  const read = ValidationResult.safeParse(parsedJson(text))
  if (!read.success) return {}
  const { Signatures, DocumentURL: _, ...result } = withOthers(ValidationResult, read.data)
  const signatures = Signatures?.map((one) => {
    const { Signer, ...signature } = withOthers(VerifySignature, one)
    return { ...signature, ...(Signer && { Signer: withOthers(VerifiedSigner, Signer) }) }
  })
  return { ...result, ...(signatures && { Signatures: signatures }) }
}

/**
 * Writes a verification as a JSON file that people and programs can read.
 * @param sha256 its hash in the audit trail.
 */
export function fileOf(view: VerificationView, sha256: string): { name: string; bytes: Uint8Array } {
  const { reference, at, by, id, found, DocumentName, Signatures = [], others = [] } = view
  const ours = {
    Document: { Reference: reference, ...(DocumentName !== undefined && { Name: DocumentName }) },
    CheckedAt: new Date(at).toISOString(),
    AskedBy: by,
    Verification: id,
    SHA256: sha256,
    ...defined({ AllValid: areAllValid(found) }),
    Signatures: Signatures.map(({ Signer, ...one }) => ({
      ...asMembers(one),
      ...(Signer && { Signer: asMembers(Signer) })
    }))
  }
  // Other members from the service must not replace ours, whatever their names.
  const written = { ...ours, ...asMembers({ others }), ...ours }
  return {
    name: `${DocumentName?.replace(/\.pdf$/i, '') || reference} - signatures`,
    bytes: new TextEncoder().encode(`${JSON.stringify(written, undefined, 2)}\n`)
  }
}

/** Restores other members under their original names. */
function asMembers<Value extends object>({ others = [], ...value }: Value & { others?: OtherMember[] }): object {
  return { ...value, ...Object.fromEntries(others.map(({ name, value }) => [name, value])) }
}
