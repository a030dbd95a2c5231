/**
 * Calls the NotifyUrl of a send when something happens to its document. A call never holds or fails the request that
 * caused it, goes only to http and https addresses, follows no redirects, and is given up after a few seconds.
 */
import type { Happening } from './life.ts'
import type { DocumentRecord } from './state.ts'

const LONGEST_CALL = 5000

export type Notifier = ReturnType<typeof createNotifier>

export function createNotifier(fetch: typeof globalThis.fetch) {
  const underWay = new Set<Promise<unknown>>()
  return {
    tell(document: DocumentRecord, happenings: readonly Happening[]): void {
      const url = callable(document.notifyUrl)
      if (!url) return
      // One after another, so that the receiver hears them in their order.
      const calls = happenings.reduce(
        (before, event) => before.then(() => call(fetch, url, hint(document, event))),
        Promise.resolve()
      )
      const settled = calls.finally(() => underWay.delete(settled))
      underWay.add(settled)
    },
    /** Resolves once no call is under way. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay)
    }
  }
}

/** The body of a NotifyUrl call. The service's own is nowhere described: a receiver takes it as a hint to look. */
function hint({ packageReference, reference }: DocumentRecord, event: Happening) {
  return { PackageReference: packageReference, DocumentReference: reference, Event: event }
}

function callable(address: string | undefined): URL | undefined {
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
      signal: AbortSignal.timeout(LONGEST_CALL)
    })
    await response.body?.cancel()
  } catch {
    // Nobody there, or too slow: the receiver was only to be hinted, and reads the folders anyway.
  }
}
