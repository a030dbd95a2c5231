/**
 * What is kept of the answer to a verification, and what is shown of that. It is kept as it was given, members that nobody knows
 * included, but for the document's address: anyone who has that can read the document.
 */
import type { OtherMember, SignatureTally, VerificationView } from '../../../shared/contract/index.ts'
import { ValidationResult, VerifiedSigner, VerifySignature } from '../../../shared/model/index.ts'
import { fail } from '../lib/failure.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { defined } from '../lib/objects.ts'
import { HIDDEN, secretsIn, withOthers } from '../lib/other-members.ts'

/** In characters of JSON. A hundred signatures, each with all that the reference names, take a fourth of it. */
const LONGEST = 200_000
/** Objects and lists within each other; SQLite reads a thousand, and the reference names three. */
const DEEPEST = 50

/**
 * The answer as it is kept, in JSON.
 * @throws AppFailure `too-large` for one that no document's signatures explain: it is no evidence, and would fill the disk.
 */
export function keptAnswer({ DocumentURL: address, ...result }: ValidationResult): string {
  const gives = secretsIn(address ? [address] : [])
  const kept = JSON.stringify(without(result, gives, 0))
  return kept.length > LONGEST ? tooLarge() : kept
}

function without(value: unknown, gives: (text: string) => boolean, depth: number): unknown {
  if (typeof value === 'string') return gives(value) ? HIDDEN : value
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) tooLarge()
  if (Array.isArray(value)) return value.map((one) => without(one, gives, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [gives(name) ? HIDDEN : name, without(member, gives, depth + 1)])
  )
}

function tooLarge(): never {
  return fail('too-large', 'The service’s answer is far larger than signatures explain, so it wasn’t kept.', {
    next: 'This document doesn’t count as verified. Check the signatures in its PDF.'
  })
}

/** How many signatures there are, and what is said of each. */
export function tallyOf({ Signatures: signatures }: Pick<ValidationResult, 'Signatures'>): SignatureTally {
  return {
    ...(signatures && { signatures: signatures.length }),
    valid: signatures?.filter(({ isValid }) => isValid === true).length ?? 0,
    notValid: signatures?.filter(({ isValid }) => isValid === false).length ?? 0
  }
}

/** Whether all signatures are valid; undefined where the service doesn't say it of all of them, or names none. */
function areAllValid({ signatures, valid, notValid }: SignatureTally): boolean | undefined {
  if (notValid > 0) return false
  return signatures !== undefined && signatures > 0 && valid === signatures ? true : undefined
}

/** What was found in a word, for the audit trail. */
export function wordFor(tally: SignatureTally): 'valid' | 'not-valid' | 'unconfirmed' | 'none' | 'unknown' {
  if (tally.signatures === undefined) return 'unknown'
  if (tally.signatures === 0) return 'none'
  const isAll = areAllValid(tally)
  if (isAll === undefined) return 'unconfirmed'
  return isAll ? 'valid' : 'not-valid'
}

/** What is shown of an answer; nothing of one that can't be read. @param text as `keptAnswer` made it. */
export function shownAnswer(text: string): Pick<VerificationView, 'DocumentName' | 'Signatures' | 'others'> {
  const read = ValidationResult.safeParse(parsedJson(text))
  if (!read.success) return {}
  const { Signatures, DocumentURL: _, ...said } = withOthers(ValidationResult, read.data)
  const signatures = Signatures?.map((one) => {
    const { Signer, ...signature } = withOthers(VerifySignature, one)
    return { ...signature, ...(Signer && { Signer: withOthers(VerifiedSigner, Signer) }) }
  })
  return { ...said, ...(signatures && { Signatures: signatures }) }
}

/** A verification as a file that people and programs can read. @param sha256 what the audit trail has of it. */
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
  // What else the service says, under whatever name, takes no place of ours.
  const written = { ...ours, ...asMembers({ others }), ...ours }
  return {
    name: `${DocumentName?.replace(/\.pdf$/i, '') || reference} - signatures`,
    bytes: new TextEncoder().encode(`${JSON.stringify(written, undefined, 2)}\n`)
  }
}

/** What else was said, as the members that it came as. */
function asMembers<Value extends object>({ others = [], ...value }: Value & { others?: OtherMember[] }): object {
  return { ...value, ...Object.fromEntries(others.map(({ name, value }) => [name, value])) }
}
