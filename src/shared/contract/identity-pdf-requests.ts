/** The requests about looking at an identity check's PDF, and putting it on paper. */
import { z } from 'zod'
import type { IdentityPdfPart, IdentityPdfView } from './identity-pdf-views.ts'
import { answers, byId, nothing } from './request.ts'

export const identityPdfRequests = {
  /**
   * Asks the service for it, and answers once its first bytes have come. There is one at a time: the one before ends.
   * Fails with `too-large` where it is larger than is shown here.
   */
  'identityPdf.open': answers<IdentityPdfView>()(z.strictObject({ reference: z.string().min(1).max(2000) })),
  /** What comes next of it. The main process forgets each part as it hands it out. */
  'identityPdf.next': answers<IdentityPdfPart>()(byId),
  'identityPdf.close': answers<null>()(byId),
  /** Puts the window's own page on paper, as its print style has it, by the system's dialog. */
  'identityPdf.print': answers<{ isPrinted: boolean }>()(nothing)
}
