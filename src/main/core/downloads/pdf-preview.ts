/**
 * An identity check's PDF, or a signed document, on its way to a page that shows it: handed on part by part as it comes, so that never more than
 * one part of it is in the memory of this process, and nothing of it on the disk. There is one at a time.
 */
import type { PdfKind, PdfPart, PdfView } from '../../../shared/contract/index.ts'
import type { NoteInAudit } from '../audit/audit.ts'
import { fail } from '../lib/failure.ts'
import type { Time } from '../lib/time.ts'
import type { PdfDownload } from '../service/pdf-answer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { SignedDocument } from '../service/signed-document.ts'

/** The largest PDF that is shown, in bytes. What is shown is held in memory whole; a larger one is for the disk. */
export const LARGEST_SHOWN = 40 * 1024 * 1024
/** About how many bytes are handed on at once. */
export const PART = 1024 * 1024
/** How long the rest waits for a page that asks for nothing, in milliseconds. */
export const TIMEOUT = 60_000

export interface PdfPreviewDeps {
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'downloadIDVerificationPdf' | 'downloadSignedDocument'>>
  note: NoteInAudit
  newId: () => string
  time: Pick<Time, 'after'>
}

export type PdfPreviews = ReturnType<typeof openPdfPreviews>

interface Look {
  id: string
  accountId: string
  kind: PdfKind
  abort: AbortController
  /** Where a signed document comes from, beside the account's own service. */
  from?: string | undefined
  download?: PdfDownload
  parts?: AsyncGenerator<PdfPart, void, void>
  /** A part is being waited for. */
  isAsked?: true
  forgetNoMore?: () => void
}

export function openPdfPreviews({ clientOf, note, newId, time }: PdfPreviewDeps) {
  let current: Look | undefined
  /** Accounts of which a signed document was handed on whole in this run, and where each came from. */
  const signedSeen = new Map<string, string | undefined>()

  function end(look: Look): void {
    look.forgetNoMore?.()
    if (current === look) current = undefined
    look.abort.abort()
    // A service that has gone can't be told; what came of it is forgotten either way.
    void look.download?.cancel().catch(() => undefined)
  }

  function waitFor(look: Look): void {
    look.forgetNoMore?.()
    look.forgetNoMore = time.after(TIMEOUT, () => end(look))
  }

  function known(id: string, accountId: string): { look: Look; parts: NonNullable<Look['parts']> } {
    const look = current
    if (look?.id !== id || look.accountId !== accountId || !look.parts)
      return fail('gone', 'This PDF was closed.', { next: 'Open it again.' })
    return { look, parts: look.parts }
  }

  return {
    /**
     * Asks the service for the PDF. The audit trail has it as soon as something of it has come.
     * @throws ServiceError, with `too-large` where its announced length is more than `LARGEST_SHOWN`.
     */
    async open(accountId: string, documentReference: string, documentName: string, kind: PdfKind): Promise<PdfView> {
      if (current) end(current)
      const look: Look = { id: newId(), accountId, kind, abort: new AbortController() }
      current = look
      const { signal } = look.abort
      try {
        const client = await clientOf(accountId)
        const how = { signal, maxBytes: LARGEST_SHOWN }
        const download: SignedDocument =
          kind === 'signed'
            ? await client.downloadSignedDocument(documentReference, how)
            : await client.downloadIDVerificationPdf(documentReference, how)
        const { from } = download
        note({ what: NOTED[kind], documentReference, documentName, detail: { as: 'preview', ...(from && { from }) } })
        look.download = download
        look.from = from
        look.parts = inParts(download.bytes)
        if (signal.aborted) {
          end(look)
          return fail('cancelled', 'Another PDF was opened.')
        }
        waitFor(look)
        const { length } = download
        const more = { ...(length !== undefined && { length }), ...(from && { from }) }
        return { id: look.id, documentReference, documentName, ...more }
      } catch (error) {
        end(look)
        throw error
      }
    },

    /**
     * The next part; after the last one nothing of the PDF is left here.
     * @throws AppFailure `gone` where it was put away, or is another account's; `busy` where a part is being waited for;
     * ServiceError where the line breaks or it turns out to be too large.
     */
    async next(id: string, accountId: string): Promise<PdfPart> {
      const { look, parts } = known(id, accountId)
      if (look.isAsked) return fail('busy', 'Part of this PDF is already loading.')
      look.isAsked = true
      look.forgetNoMore?.()
      try {
        const { value: part } = await parts.next()
        if (look.abort.signal.aborted || !part) return fail('gone', 'This PDF was closed.', { next: 'Open it again.' })
        if (part.isLast && look.kind === 'signed') signedSeen.set(accountId, look.from)
        if (part.isLast) end(look)
        else waitFor(look)
        return part
      } catch (error) {
        end(look)
        throw error
      } finally {
        delete look.isAsked
      }
    },

    close(id: string): void {
      if (current?.id === id) end(current)
    },

    /**
     * Where the signed document came from that was looked at last, if that isn't the account's own service.
     * @throws AppFailure `not-allowed` where none was looked at in this run.
     */
    signedFrom(accountId: string): string | undefined {
      if (!signedSeen.has(accountId)) fail('not-allowed', 'Open a signed document of this account first.')
      return signedSeen.get(accountId)
    },

    /** When the account leads to another service: what was looked at before says nothing of that. */
    forgetSigned(accountId: string): void {
      signedSeen.delete(accountId)
      if (current?.accountId === accountId) end(current)
    },

    /** When another account is chosen: ends what isn't of this one. */
    closeOthers(shown: readonly string[]): void {
      if (current && !shown.includes(current.accountId)) end(current)
    },

    /** When the screen changes hands. */
    closeAll(): void {
      if (current) end(current)
    }
  }
}

const NOTED = { identity: 'identity-data-fetched', signed: 'signed-document-fetched' } as const

/** Gathers what comes into parts of about `PART` bytes. The last is known as such, so one chunk is read ahead. */
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

/** On a buffer of its own: one of Node's pool would take along to the page whatever else is in it. */
function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
