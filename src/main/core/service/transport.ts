/**
 * Carries out the operations' calls: JSON negotiated, time-limited, cancellable, bounded. GETs are retried, POSTs
 * never. Every failure leaves here as a ServiceError.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { blockReason, type Lookup } from '../policy/private-networks.ts'
import { BodyTooLarge, charsetOf, discardBody, type ParseJson, parseJson, readBody } from './answer-body.ts'
import type { Authentication } from './authentication.ts'
import { type Finding, ServiceError, type ServiceErrorCode } from './errors.ts'
import { type Exchange, exchange, type Fetch, requestError } from './exchange.ts'
import {
  type CallKind,
  RETRY_LIMITS,
  type RetryLimits,
  startWatchdog,
  TIME_LIMITS,
  type TimeLimits,
  type Watchdog,
  waitBeforeRetry
} from './limits.ts'
import { readBaseUrl } from './operation.ts'
import type { Refusal } from './refusal.ts'
import { readErrorAnswer, responseError, withoutSecrets } from './refusal.ts'

export interface ServiceLimits {
  times: Readonly<Record<CallKind, TimeLimits>>
  retry: RetryLimits
  /** Default limit on answers, in bytes. */
  answerBytes: Readonly<Record<Exclude<CallKind, 'download'>, number>>
  /** Largest download in bytes. */
  downloadBytes: number
}

const MEGABYTE = 1024 * 1024

export const SERVICE_LIMITS: ServiceLimits = {
  times: TIME_LIMITS,
  retry: RETRY_LIMITS,
  answerBytes: { read: 32 * MEGABYTE, send: 32 * MEGABYTE, list: 256 * MEGABYTE },
  downloadBytes: 512 * MEGABYTE
}

export interface TransportOptions {
  /** As the user typed it; its path keeps its case. Query and fragment are dropped. */
  baseUrl: string
  authentication: Authentication
  fetch: Fetch
  /** Resolves host names; without it, hosts are judged by name alone. */
  lookup?: Lookup | undefined
  /** Milliseconds since 1970 UTC. */
  clock: () => number
  /** 0 up to 1. */
  random: () => number
  /** Waits between attempts. */
  sleep?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>) | undefined
  parse?: ParseJson | undefined
  /** Whether this account's service is known to return JSON only if asked by `?format=json`. */
  jsonByQuery?: boolean | undefined
  /** Called when that turns out, to be stored with the account. */
  onJsonByQuery?: (() => void) | undefined
  limits?: Partial<ServiceLimits> | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Largest answer in bytes, after decompression. */
  maxBytes?: number | undefined
  /** Called immediately before the request is sent; if false, nothing leaves. */
  maySend?: (() => boolean) | undefined
}

export interface Call extends CallOptions {
  /** The operation as named in the reference; appears in errors. */
  operation: string
  /** Encoded path below the base URL (see `pathTo`). */
  path: string
  query?: Record<string, string> | undefined
}

/** Reads an answer's bytes and becomes their owner. */
export type Take<Value> = (bytes: Uint8Array<ArrayBuffer>, charset: string | undefined) => Promise<Value>

/** A response whose body hasn't been read. */
export interface OpenAnswer {
  response: Response
  watchdog: Watchdog
  /** Turns whatever broke the body into a ServiceError. */
  failure(thrown: unknown): ServiceError
}

export interface Transport {
  /** GETs JSON. */
  get(call: Call, kind: 'read' | 'list'): Promise<unknown>
  /**
   * GETs bytes in a buffer of their own, for decoding elsewhere. Rejections of `take` are passed on unchanged, as they
   * aren't the service's.
   * @param take returns undefined if the bytes aren't JSON, so that the service is asked in another way.
   */
  take<Value>(call: Call, kind: 'read' | 'list', take: Take<Value | undefined>): Promise<Value>
  /** POSTs and returns JSON. Sends once, whatever happens. */
  post(call: Call, body: unknown): Promise<unknown>
  /** POSTs and ignores the answer, which may be anything or nothing, unless it is an error. */
  postIgnoringAnswer(call: Call, body: unknown): Promise<void>
  /** GETs a response with its body unread. The caller must call `watchdog.finish()`. */
  open(call: Call, accept: string): Promise<OpenAnswer>
  /** Like `open`, for an address given by the service. Only the account's own origin receives its credentials. */
  openAt(url: URL, call: Omit<Call, 'path'>, accept: string): Promise<OpenAnswer>
  /**
   * Whether an address is in a private network while the service itself isn't: the service must not direct us there.
   */
  leadsToPrivateNetwork(url: URL): Promise<boolean>
  readonly serviceUrl: URL
  /** Redacts the account's secrets from a message of the service, so that people may see it. */
  redact(refusal: Refusal): Refusal
  readonly parse: ParseJson
  readonly limits: ServiceLimits
}

/** Creates the transport of one account. @throws TypeError if the base URL isn't an absolute http or https one. */
export function createTransport(options: TransportOptions): Transport {
  const { authentication, fetch, clock, random, parse = parseJson, sleep = abortableDelay } = options
  const base = readBaseUrl(options.baseUrl)
  const serviceUrl = new URL(base.href)
  const limits = { ...SERVICE_LIMITS, ...options.limits }
  let jsonByQuery = options.jsonByQuery ?? false

  return {
    limits,
    parse,
    serviceUrl,
    redact: (refusal) => withoutSecrets(refusal, authentication.secrets),

    async get(call, kind) {
      const { json } = await take(call, kind, readJson)
      return json
    },

    take,

    async post(call, body) {
      const answer = await exchangeRead(jsonRequest(call, body), call, 'send', readJson)
      if (!answer.ok) throw answer.error
      return answer.value.json
    },

    async postIgnoringAnswer(call, body) {
      await withWatchdog(call, 'send', async (watchdog) => {
        const response = await exchange(jsonRequest(call, body), fetch, authentication, watchdog)
        if (!response.ok) throw await errorOf(call.operation, response, watchdog)
        const { status, headers } = response
        const details = { operation: call.operation, mayHaveArrived: true, status }
        const contentType = headers.get('content-type') ?? ''
        const refusal = /\bjson\b/i.test(contentType) ? await readErrorAnswer(response, watchdog) : undefined
        discardBody(response)
        // A guest network's sign-in page also says "200 OK"; the service itself never answers with pages.
        if (/^text\/html\b/i.test(contentType)) throw new ServiceError({ ...details, code: 'not-json' })
        if (!refusal) return
        const said = withoutSecrets(refusal, authentication.secrets)
        throw new ServiceError({ ...details, code: 'error-answer', ...said })
      })
    },

    open: (call, accept) => openAt(urlOf(call), call, accept),
    openAt,
    leadsToPrivateNetwork
  }

  async function leadsToPrivateNetwork(url: URL): Promise<boolean> {
    const { lookup } = options
    const isInside = async (one: URL) => !!lookup && (await blockReason(one, lookup)) === 'private-network'
    return (await isInside(url)) && !(await isInside(serviceUrl))
  }

  async function openAt(url: URL, call: Omit<Call, 'path'>, accept: string): Promise<OpenAnswer> {
    const credentials = url.origin === serviceUrl.origin ? authentication : ANONYMOUS
    return withRetries(call, async () => {
      const watchdog = startWatchdog(limits.times.download, call.signal)
      const { operation } = call
      try {
        const response = await exchange({ operation, method: 'GET', url, accept }, fetch, credentials, watchdog)
        if (!response.ok) throw await errorOf(operation, response, watchdog)
        return { response, watchdog, failure: (thrown) => bodyFailure(operation, thrown, watchdog) }
      } catch (thrown) {
        watchdog.finish()
        throw asServiceError(operation, thrown, watchdog)
      }
    })
  }

  type Answer<Value> = { ok: true; value: Value } | { ok: false; error: ServiceError }

  async function take<Value>(call: Call, kind: 'read' | 'list', read: Take<Value | undefined>): Promise<Value> {
    return withRetries(call, async () => {
      const first = await exchangeRead(jsonRequest(call), call, kind, read)
      if (first.ok) return first.value
      if (jsonByQuery || call.query?.format) throw first.error
      const withFormat = { ...call, query: { ...call.query, format: 'json' } }
      const second = await exchangeRead(jsonRequest(withFormat), call, kind, read)
      if (!second.ok) throw second.error
      jsonByQuery = true
      options.onJsonByQuery?.()
      return second.value
    })
  }

  /** Drops the parser's error, whose message quotes the body. */
  async function readJson(
    bytes: Uint8Array<ArrayBuffer>,
    charset: string | undefined
  ): Promise<{ json: unknown } | undefined> {
    try {
      return { json: await parse(bytes, charset) }
    } catch {
      return undefined
    }
  }

  /** Returns a non-JSON answer as a result, because a GET may then ask in another way; all else throws. */
  async function exchangeRead<Value>(
    request: Exchange,
    call: Call,
    kind: 'read' | 'list' | 'send',
    read: Take<Value | undefined>
  ): Promise<Answer<Value>> {
    const limit = call.maxBytes ?? limits.answerBytes[kind]
    const { status, body } = await withWatchdog(call, kind, async (watchdog) => {
      const response = await exchange(request, fetch, authentication, watchdog)
      if (response.status === 406) {
        discardBody(response)
        return { status: 406 }
      }
      if (!response.ok) throw await errorOf(call.operation, response, watchdog)
      if (response.status === 206) throw partialAnswerError(call.operation, response, kind)
      const bytes = await readBody(response, limit, watchdog)
      const charset = charsetOf(response.headers.get('content-type'))
      return { status: response.status, body: { bytes, charset } }
    })
    const value = body && (await read(body.bytes, body.charset))
    if (value !== undefined) return { ok: true, value }
    // The service answered, so it may have acted, even if it couldn't say so in JSON.
    const { operation } = call
    return { ok: false, error: new ServiceError({ code: 'not-json', operation, mayHaveArrived: true, status }) }
  }

  function jsonRequest(call: Call, body?: unknown): Exchange {
    const query = jsonByQuery ? { ...call.query, format: 'json' } : call.query
    return {
      operation: call.operation,
      method: body === undefined ? 'GET' : 'POST',
      url: urlOf({ ...call, query }),
      accept: 'application/json',
      maySend: call.maySend,
      ...(body !== undefined && { body: JSON.stringify(body) })
    }
  }

  function urlOf({ path, query }: Call): URL {
    const url = new URL(base.href + path)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    return url
  }

  async function withWatchdog<Value>(
    call: Call,
    kind: CallKind,
    step: (watchdog: Watchdog) => Promise<Value>
  ): Promise<Value> {
    const watchdog = startWatchdog(limits.times[kind], call.signal)
    try {
      return await step(watchdog)
    } catch (thrown) {
      throw asServiceError(call.operation, thrown, watchdog)
    } finally {
      watchdog.finish()
    }
  }

  async function withRetries<Value>(call: Omit<Call, 'path'>, attemptOnce: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce()
      } catch (thrown) {
        if (!(thrown instanceof ServiceError)) throw thrown
        const wait = waitBeforeRetry(thrown, attempt, limits.retry, random)
        if (wait === undefined) throw thrown
        await sleep(wait, call.signal).catch(() => {})
        if (call.signal?.aborted) {
          throw new ServiceError({ code: 'cancelled', operation: call.operation, mayHaveArrived: true })
        }
      }
    }
  }

  function errorOf(operation: string, response: Response, watchdog: Watchdog): Promise<ServiceError> {
    return responseError(operation, response, watchdog, authentication, clock())
  }
}

const ANONYMOUS: Authentication = { scheme: 'none', sign: () => undefined, secrets: [] }

function asServiceError(operation: string, thrown: unknown, watchdog: Watchdog): ServiceError {
  return thrown instanceof ServiceError ? thrown : bodyFailure(operation, thrown, watchdog)
}

/** We never ask for a range: an unrequested partial answer isn't the list or the package. */
function partialAnswerError(operation: string, response: Response, kind: CallKind): ServiceError {
  discardBody(response)
  const mayHaveArrived = kind === 'send'
  return new ServiceError({ code: 'interrupted', operation, mayHaveArrived, status: 206, finding: 'not-whole' })
}

/** If a body broke there was an answer, so the request did arrive. */
function bodyFailure(operation: string, thrown: unknown, watchdog: Watchdog): ServiceError {
  if (thrown instanceof BodyTooLarge) return new ServiceError({ code: 'too-large', operation, mayHaveArrived: true })
  const { code, reason } = requestError(operation, thrown, watchdog)
  return new ServiceError({ code, operation, mayHaveArrived: true, reason, finding: truncationFinding(code) })
}

/** How a response that had begun was cut off. */
function truncationFinding(code: ServiceErrorCode): Finding | undefined {
  return code === 'interrupted' ? 'not-whole' : code === 'timeout' ? 'too-slow' : undefined
}

function abortableDelay(milliseconds: number, signal: AbortSignal | undefined): Promise<unknown> {
  return delay(milliseconds, undefined, signal ? { signal } : {})
}
