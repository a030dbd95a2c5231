/** The response to verifying a document's signatures: reference section 2.21. */
import type { z } from 'zod'
import { withCertainOrder } from './service-date.ts'
import { flag, listOf, received, text } from './spelling.ts'

/** VerifiedSignerResponse: the signer named by a signature. */
export const VerifiedSigner = received({
  FirstName: text.optional(),
  LastName: text.optional(),
  Email: text.optional(),
  SignerType: text.optional(),
  MobileNumber: text.optional(),
  MobileCountry: text.optional(),
  HasSigned: flag.optional(),
  Title: text.optional(),
  Reason: text.optional(),
  Company: text.optional()
})
export type VerifiedSigner = z.output<typeof VerifiedSigner>

/** VerifySignature: one signature found in the document. */
export const VerifySignature = received({
  /** Written with a lower-case i in the reference. Absent means unknown, which doesn't count as valid. */
  isValid: flag.optional(),
  /** See `readServiceDate`. */
  SignatureTime: text.optional(),
  User: text.optional(),
  Signer: VerifiedSigner.optional()
})
export type VerifySignature = z.output<typeof VerifySignature>

/** 2.21 Signature validation result. */
export const ValidationResult = received({
  Signatures: listOf(VerifySignature).optional(),
  DocumentURL: text.optional(),
  DocumentName: text.optional()
})
export type ValidationResult = z.output<typeof ValidationResult>

/** Returns the result with unambiguous signature times in ISO 8601, as `withCertainDates` does for a document. */
export function withCertainTimes(result: ValidationResult, dateFormat?: string): ValidationResult {
  if (!result.Signatures) return result
  const Signatures = result.Signatures.map((signature) =>
    signature.SignatureTime === undefined
      ? signature
      : { ...signature, SignatureTime: withCertainOrder(signature.SignatureTime, dateFormat) }
  )
  return { ...result, Signatures }
}
