/**
 * Passes an identity check's PDF, or a signed document, to a page that shows it, part by part as it arrives: never more
 * than one part is in this process's memory, and nothing is on disk. There is one preview at a time.
 */
import type { PdfKind, PdfPart, PdfView } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { PdfDownload } from '../service/pdf-answer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { SignedDocument } from '../service/signed-document.ts'

/** The largest PDF shown, in bytes. The page holds it in memory; larger ones have to be saved to disk. */
export const MAX_PREVIEW_BYTES = 40 * 1024 * 1024
/** About how many bytes are passed on at once. */
export const PART = 1024 * 1024
/** How long a preview is kept for a page that asks for nothing, in milliseconds. */
export const TIMEOUT = 60_000

export interface PdfPreviewDeps {
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'downloadIDVerificationPdf' | 'downloadSignedDocument'>>
  note: NoteInAudit
  newId: () => string
  time: Pick<Time, 'after'>
}

export type PdfPreviews = ReturnType<typeof openPdfPreviews>

interface Preview {
  id: string
  accountId: string
  kind: PdfKind
  abort: AbortController
  /** Where a signed document comes from, if that isn't the account's own service. */
  from?: string | undefined
  download?: PdfDownload
  parts?: AsyncGenerator<PdfPart, void, void>
  /** Whether a part is being waited for. */
  isNextPending?: true
  cancelTimeout?: () => void
}

export function openPdfPreviews({ clientOf, note, newId, time }: PdfPreviewDeps) {
  let current: Preview | undefined
  /** Accounts of which a signed document was passed on completely in this run, and where each came from. */
  const signedSeen = new Map<string, string | undefined>()

  function endPreview(preview: Preview): void {
    preview.cancelTimeout?.()
    if (current === preview) current = undefined
    preview.abort.abort()
    // A service that is gone can't be told; the result doesn't matter either way.
    void preview.download?.cancel().catch(() => undefined)
  }

  function restartTimeout(preview: Preview): void {
    preview.cancelTimeout?.()
    preview.cancelTimeout = time.after(TIMEOUT, () => endPreview(preview))
  }

  function requireOpen(id: string, accountId: string): { preview: Preview; parts: NonNullable<Preview['parts']> } {
    const preview = current
    if (preview?.id !== id || preview.accountId !== accountId || !preview.parts)
      return fail('gone', 'This PDF was closed.', { next: 'Open it again.' })
    return { preview, parts: preview.parts }
  }

  return {
    /**
     * Requests the PDF from the service. It is noted in the audit trail as soon as any of it has arrived.
     * @throws ServiceError, with `too-large` if its announced length is more than `MAX_PREVIEW_BYTES`.
     */
    async open(accountId: string, documentReference: string, documentName: string, kind: PdfKind): Promise<PdfView> {
      if (current) endPreview(current)
      const preview: Preview = { id: newId(), accountId, kind, abort: new AbortController() }
      current = preview
      const { signal } = preview.abort
      try {
        const client = await clientOf(accountId)
        const options = { signal, maxBytes: MAX_PREVIEW_BYTES }
        const download: SignedDocument =
          kind === 'signed'
            ? await client.downloadSignedDocument(documentReference, options)
            : await client.downloadIDVerificationPdf(documentReference, options)
        const { from } = download
        note({
          what: AUDIT_EVENTS[kind],
          documentReference,
          documentName,
          detail: { as: 'preview', ...(from && { from }) }
        })
        preview.download = download
        preview.from = from
        preview.parts = inParts(download.bytes)
        if (signal.aborted) {
          endPreview(preview)
          return fail('cancelled', 'Another PDF was opened.')
        }
        restartTimeout(preview)
        const { length } = download
        const more = { ...(length !== undefined && { length }), ...(from && { from }) }
        return { id: preview.id, documentReference, documentName, ...more }
      } catch (error) {
        endPreview(preview)
        throw error
      }
    },

    /**
     * Returns the next part; after the last one, nothing of the PDF is kept here.
     * @throws AppFailure `gone` if it was closed, or belongs to another account; `busy` if a part is being waited for;
     * ServiceError if the connection breaks or it turns out to be too large.
     */
    async next(id: string, accountId: string): Promise<PdfPart> {
      const { preview, parts } = requireOpen(id, accountId)
      if (preview.isNextPending) return fail('busy', 'Part of this PDF is already loading.')
      preview.isNextPending = true
      preview.cancelTimeout?.()
      try {
        const { value: part } = await parts.next()
        if (preview.abort.signal.aborted || !part)
          return fail('gone', 'This PDF was closed.', { next: 'Open it again.' })
        if (part.isLast && preview.kind === 'signed') signedSeen.set(accountId, preview.from)
        if (part.isLast) endPreview(preview)
        else restartTimeout(preview)
        return part
      } catch (error) {
        endPreview(preview)
        throw error
      } finally {
        delete preview.isNextPending
      }
    },

    close(id: string): void {
      if (current?.id === id) endPreview(current)
    },

    /**
     * Returns where the signed document last viewed came from, if that isn't the account's own service.
     * @throws AppFailure `not-allowed` if none was viewed in this run.
     */
    signedFrom(accountId: string): string | undefined {
      if (!signedSeen.has(accountId)) fail('not-allowed', 'Open a signed document of this account first.')
      return signedSeen.get(accountId)
    },

    /** Call it when the account points to another service: earlier views say nothing about that one. */
    forgetSigned(accountId: string): void {
      signedSeen.delete(accountId)
      if (current?.accountId === accountId) endPreview(current)
    },

    /** Call it when another account is chosen: ends the preview unless it belongs to one of these. */
    closeOthers(shown: readonly string[]): void {
      if (current && !shown.includes(current.accountId)) endPreview(current)
    },

    /** Call it when someone else takes over the screen. */
    closeAll(): void {
      if (current) endPreview(current)
    }
  }
}

const AUDIT_EVENTS = { identity: 'identity-data-fetched', signed: 'signed-document-fetched' } as const

/** Collects chunks into parts of about `PART` bytes. One chunk is read ahead, to know which part is the last. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<PdfPart, void, void> {
  let gathered: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    if (size >= PART) {
      yield { bytes: joined(gathered, size), isLast: false }
      gathered = []
      size = 0
    }
    gathered.push(chunk)
    size += chunk.byteLength
  }
  yield { bytes: joined(gathered, size), isLast: true }
}

/** Copies into a buffer of its own: one from Node's pool would pass on to the page whatever else is in the pool. */
function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const combined = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    combined.set(piece, at)
    at += piece.byteLength
  }
  return combined
}
