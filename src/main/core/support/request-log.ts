/**
 * A log of requests to services and their outcomes: at most the last day's, in memory only. Contains operation name,
 * status, time and byte count; no bodies, headers, addresses or personal ids.
 */
import type { RequestLogEntry } from '../../../shared/contract/index.ts'
import { type TableFormat, tableFile } from '../bulk/table-file.ts'
import { isoFormatter } from '../lib/calendar.ts'
import { type Throttled, type Time, throttled } from '../lib/time.ts'
import type { Fetch } from '../service/index.ts'
import { readNetworkFailure } from '../service/network-failure.ts'

/** Maximum number of entries, some 400 bytes each. */
export const MAX_REQUESTS = 5000
const DAY = 86_400_000
/** Minimum interval between notifications of the screens, in milliseconds. */
const NOTIFY_INTERVAL = 1000

const COLUMNS = ['Time', 'Account', 'Method', 'Operation', 'Status', 'Milliseconds', 'Bytes']

interface RequestLogDeps {
  time: Pick<Time, 'now' | 'elapsed' | 'after' | 'zone'>
  changed: () => void
}

export class RequestLog {
  readonly #time: RequestLogDeps['time']
  readonly #notifier: Throttled
  /** Oldest first. */
  #entries: RequestLogEntry[] = []
  #id = 0

  constructor({ time, changed }: RequestLogDeps) {
    this.#time = time
    this.#notifier = throttled(time, NOTIFY_INTERVAL, changed)
  }

  /**
   * Wraps `fetch` to log each request when its answer begins, and update the entry when that ends.
   * @param accountId undefined while an account is tested before it is stored.
   */
  wrapFetch(fetch: Fetch, accountId: string | undefined): Fetch {
    return async (url, init, operation) => {
      const startedAt = this.#time.elapsed()
      const entry = this.#begin(accountId, init.method === 'POST' ? 'POST' : 'GET', operation)
      const elapsed = () => Math.round(this.#time.elapsed() - startedAt)
      try {
        const response = await fetch(url, init, operation)
        this.#end(entry, { status: response.status, milliseconds: elapsed() })
        if (!response.body) return response
        const counter = countingStream((bytes, broken) => {
          const failed = broken instanceof Error ? readNetworkFailure(broken).code : endReasonOf(init.signal)
          this.#end(entry, { bytes, milliseconds: elapsed(), ...(failed && { failed }) })
        })
        return new Response(response.body.pipeThrough(counter), response)
      } catch (error) {
        const failed = endReasonOf(init.signal) ?? readNetworkFailure(error).code
        this.#end(entry, { failed, milliseconds: elapsed() })
        throw error
      }
    }
  }

  /** Newest first. */
  list(offset: number, limit: number): { requests: RequestLogEntry[]; total: number } {
    this.#forgetOld()
    const end = Math.max(0, this.#entries.length - offset)
    return {
      requests: this.#entries.slice(Math.max(0, end - limit), end).reverse(),
      total: this.#entries.length
    }
  }

  /** Returns all entries as a table, oldest first. Accounts are identified by id. */
  file(format: TableFormat): Uint8Array {
    this.#forgetOld()
    const iso = isoFormatter(this.#time.zone())
    const rows = this.#entries.map(({ at, accountId, method, operation, status, failed, milliseconds, bytes }) => [
      iso(at),
      accountId ?? '',
      method,
      operation,
      String(status ?? failed ?? ''),
      String(milliseconds),
      String(bytes)
    ])
    return tableFile(format, COLUMNS, rows)
  }

  #begin(accountId: string | undefined, method: 'GET' | 'POST', operation = ''): RequestLogEntry {
    const at = this.#time.now()
    const entry = { id: String(++this.#id), at, method, operation, milliseconds: 0, bytes: 0 }
    const kept = accountId === undefined ? entry : { ...entry, accountId }
    this.#entries.push(kept)
    if (this.#entries.length > MAX_REQUESTS) this.#entries.shift()
    this.#forgetOld()
    this.#notifier.request()
    return kept
  }

  #end(entry: RequestLogEntry, how: Partial<RequestLogEntry>): void {
    Object.assign(entry, how)
    this.#notifier.request()
  }

  #forgetOld(): void {
    const oldest = this.#time.now() - DAY
    const first = this.#entries.findIndex(({ at }) => at >= oldest)
    if (first !== 0) this.#entries = first < 0 ? [] : this.#entries.slice(first)
  }
}

/** Returns why we ended a request; undefined if we didn't. */
function endReasonOf(signal: AbortSignal | null | undefined): 'timeout' | 'cancelled' | undefined {
  if (!signal?.aborted) return undefined
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError' ? 'timeout' : 'cancelled'
}

/** Passes a body through and reports its byte count once it is read, cancelled or broken. */
function countingStream(done: (bytes: number, broken?: unknown) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      controller.enqueue(chunk)
    },
    flush: () => done(bytes),
    // `cancel` is missing from some type declarations.
    cancel: (why: unknown) => done(bytes, why)
  } as Transformer<Uint8Array, Uint8Array>)
}
