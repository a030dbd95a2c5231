/**
 * Calls a send's NotifyUrl when something happens to its document. Calls never delay or fail the request that caused
 * them, go only to http and https addresses, follow no redirects, and time out after a few seconds.
 */
import type { DocumentEvent } from './life.ts'
import type { DocumentRecord } from './state.ts'

const CALL_TIMEOUT_MS = 5000

export type Notifier = ReturnType<typeof createNotifier>

export function createNotifier(fetch: typeof globalThis.fetch) {
  const inFlight = new Set<Promise<unknown>>()
  return {
    notify(document: DocumentRecord, events: readonly DocumentEvent[]): void {
      const url = webAddressOf(document.notifyUrl)
      if (!url) return
      // One at a time, so that the receiver gets them in order.
      const calls = events.reduce(
        (before, event) => before.then(() => call(fetch, url, hint(document, event))),
        Promise.resolve()
      )
      const tracked = calls.finally(() => inFlight.delete(tracked))
      inFlight.add(tracked)
    },
    /** Resolves once no call is in flight. */
    async whenIdle(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight)
    }
  }
}

/** The body of a NotifyUrl call. The service's own is undocumented: receivers treat it as a hint to check. */
function hint({ packageReference, reference }: DocumentRecord, event: DocumentEvent) {
  return { PackageReference: packageReference, DocumentReference: reference, Event: event }
}

function webAddressOf(address: string | undefined): URL | undefined {
  const url = URL.parse(address ?? '')
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}

async function call(fetch: typeof globalThis.fetch, url: URL, body: ReturnType<typeof hint>): Promise<void> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS)
    })
    await response.body?.cancel()
  } catch {
    // Unreachable or too slow: it was only a hint, and the receiver reads the folders anyway.
  }
}
