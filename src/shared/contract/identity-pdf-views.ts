/** The PDF of an identity check on its way to being looked at, as the screens see it. It is never on the disk for that. */

/** A PDF whose first bytes have come. */
export interface IdentityPdfView {
  /** Of this look at it; asked for again, it is another. */
  id: string
  documentReference: string
  documentName: string
  /** Bytes in all, where the service says it. For showing how far it is. */
  length?: number
}

export interface IdentityPdfPart {
  bytes: Uint8Array
  /** Nothing comes after it: what has come is the whole PDF. */
  isLast: boolean
}
