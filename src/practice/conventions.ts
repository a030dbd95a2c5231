/**
 * The conventions of every operation (reference section 1): how paths map to operations regardless of case and base,
 * the format of the answer (JSON by Accept, `.json` or `?format=json`; JSONP by `?callback=`; otherwise a page for
 * people), and what refusals look like.
 */
import { html } from './pages/html.ts'

export type Format = { kind: 'json' } | { kind: 'jsonp'; callback: string } | { kind: 'page' }

export interface Address {
  /** The part before the operation, as the caller wrote it, without a trailing slash: `/Web/v1.3`; may be empty. */
  base: string
  /** The operation with its parameters: the first two segments in lower case, the rest as written, without suffix. */
  route: string
  /** `json` or `html`, if the path ends so. */
  suffix?: string
}

/**
 * Splits a path into base and operation. If a base is registered, only paths under it match. Undefined if the path is
 * neither an operation nor one of our pages.
 * @param operations their paths without parameters, in lower case, such as `document/extend`
 */
export function readPath(path: string, operations: ReadonlySet<string>, registeredBase?: string): Address | undefined {
  const steps = stepsOf(path)
  const registered = registeredBase === undefined ? undefined : stepsOf(registeredBase)
  const from = registered?.length ?? 0
  const until = registered ? from : steps.length
  for (let index = from; index <= until; index++) {
    const baseSteps = steps.slice(0, index)
    if (registered?.some((step, place) => step.toLowerCase() !== baseSteps[place]?.toLowerCase())) return undefined
    const base = baseSteps.map((step) => `/${step}`).join('')
    const found = readOperation(steps.slice(index), operations) ?? readPage(steps.slice(index))
    if (found) return { base, ...found }
  }
  return undefined
}

function stepsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}

function readOperation(steps: string[], operations: ReadonlySet<string>): Omit<Address, 'base'> | undefined {
  if (steps.length < 2) return undefined
  const last = steps.length - 1
  const { name, suffix } = withoutSuffix(steps[last] ?? '')
  const bare = steps.with(last, name)
  const operation = bare.slice(0, 2).join('/').toLowerCase()
  if (!operations.has(operation)) return undefined
  const rest = bare
    .slice(2)
    .map((step) => `/${step}`)
    .join('')
  return { route: `/${operation}${rest}`, ...(suffix ? { suffix } : {}) }
}

function withoutSuffix(step: string): { name: string; suffix?: string } {
  const match = /^(.+)\.(json|html)$/i.exec(step)
  return match?.[1] && match[2] ? { name: match[1], suffix: match[2].toLowerCase() } : { name: step }
}

/** First segments of the addresses of pages, assets and signed copies. */
export const PAGES: ReadonlySet<string> = new Set(['sign', 'view', 'signed', 'v', 'assets', 'mailbox'])

/** Signing pages and the read-only view: their keys are case-sensitive. */
function readPage(steps: string[]): Omit<Address, 'base'> | undefined {
  const [kind, ...rest] = steps
  const page = kind?.toLowerCase()
  if (!page || !PAGES.has(page) || rest.length === 0 || rest.length > 3) return undefined
  return { route: `/${[page, ...rest].join('/')}` }
}

/**
 * Returns the format that the caller wants. An invalid callback name is refused, since it would be executed as script.
 */
export function readFormat(url: URL, suffix: string | undefined, accept: string | null): Format {
  const callback = parameter(url, 'callback')
  if (callback) {
    if (callback.length <= 128 && /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(callback)) {
      return { kind: 'jsonp', callback }
    }
    throw new Refusal(400, 'InvalidCallback', `'callback' must be the name of a JavaScript function.`)
  }
  const requested = parameter(url, 'format')?.toLowerCase() ?? suffix
  if (requested) return requested === 'json' ? { kind: 'json' } : { kind: 'page' }
  return prefersJson(accept ?? '') ? { kind: 'json' } : { kind: 'page' }
}

/** Returns a query parameter, ignoring the case of its name. */
export function parameter(url: URL, name: string): string | undefined {
  for (const [key, value] of url.searchParams) if (key.toLowerCase() === name) return value
  return undefined
}

/** Whether Accept names JSON and doesn't prefer HTML. */
function prefersJson(accept: string): boolean {
  const accepted = accept.split(',').map((entry) => {
    const [type = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const quality = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean)
    return { type: type.trim(), quality: quality === undefined ? 1 : Number(quality) }
  })
  const json = accepted.find(
    ({ type, quality }) => quality > 0 && /^(application|text)\/(json|[\w.-]+\+json)$/.test(type)
  )
  if (!json) return false
  const page = accepted.find(({ type }) => type === 'text/html')
  return (
    !page ||
    json.quality > page.quality ||
    (json.quality === page.quality && accepted.indexOf(json) < accepted.indexOf(page))
  )
}

export interface FieldProblem {
  ErrorCode: string
  /** As written in the request: `Forms[0].Signers[0].Email`. */
  FieldName: string
  Message: string
}

type RefusalStatus = 400 | 401 | 402 | 403 | 404 | 405 | 409 | 413 | 415 | 426 | 429 | 500

/** A refusal as the service's framework sends it: a status, an error code, a message, and the affected fields. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: RefusalStatus
  readonly code: string
  readonly problems: FieldProblem[]

  constructor(status: RefusalStatus, code: string, message: string, problems: FieldProblem[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.problems = problems
  }

  /** The body: `{"ResponseStatus":{…}}`. */
  get body() {
    return { ResponseStatus: { ErrorCode: this.code, Message: this.message, Errors: this.problems } }
  }
}

/** Returns 400 for invalid fields, with the first one's code and message. */
export function invalid(problems: FieldProblem[]): Refusal {
  const [first] = problems
  return new Refusal(
    400,
    first?.ErrorCode ?? 'ValidationException',
    first?.Message ?? 'The request is invalid.',
    problems
  )
}

export function invalidField(field: string, code: string, message: string): Refusal {
  return invalid([{ ErrorCode: code, FieldName: field, Message: message }])
}

/** Returns 404 for a missing or removed document. */
export function noSuchDocument(): Refusal {
  return new Refusal(
    404,
    'DocumentNotFound',
    'The document was not found. It may have been removed under the data retention policy.'
  )
}

/** Items per written chunk; some hundred take a few milliseconds. */
const CHUNK_SIZE = 250

export function answer(value: unknown, format: Format, title: string, status = 200): Response {
  const headers = headersOf(format)
  if (format.kind === 'page') return new Response(answerPage(title, value, status), { status, headers })
  return new Response(withCallback(JSON.stringify(value), format), { status, headers })
}

/** Answers with a list whose items are serialised in chunks, so that a long list doesn't block other requests. */
export function answerList<Item>(
  items: Item[],
  write: (item: Item) => unknown,
  format: Format,
  title: string
): Response {
  if (format.kind === 'page') return answer(items.slice(0, 50).map(write), format, title)
  if (items.length <= CHUNK_SIZE) return answer(items.map(write), format, title)
  const encoder = new TextEncoder()
  let next = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = next === 0
      const chunk = items.slice(next, next + CHUNK_SIZE).map((item) => JSON.stringify(write(item)))
      next += CHUNK_SIZE
      const done = next >= items.length
      const opening = first ? `${format.kind === 'jsonp' ? `${format.callback}(` : ''}[` : ','
      const closing = done ? `]${format.kind === 'jsonp' ? ')' : ''}` : ''
      const text = opening + chunk.join(',') + closing
      controller.enqueue(encoder.encode(format.kind === 'jsonp' ? safeInScript(text) : text))
      if (done) controller.close()
      // Yields to other requests between chunks.
      else await new Promise((resolve) => setTimeout(resolve, 0))
    }
  })
  return new Response(body, { headers: headersOf(format) })
}

function withCallback(json: string, format: Format): string {
  return format.kind === 'jsonp' ? `${format.callback}(${safeInScript(json)})` : json
}

/** Escapes two characters that JSON allows in texts, but that were line terminators in older JavaScript. */
function safeInScript(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function headersOf(format: Format): Record<string, string> {
  const types = { json: 'application/json', jsonp: 'text/javascript', page: 'text/html' }
  return {
    'Content-Type': `${types[format.kind]}; charset=utf-8`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept',
    ...(format.kind === 'page' ? { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" } : {})
  }
}

/** Shows an operation's answer as a page, for callers that don't ask for JSON. */
function answerPage(title: string, value: unknown, status: number): string {
  const shown = JSON.stringify(value, undefined, 2) ?? ''
  return `<!doctype html>${html`<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; border-radius: 8px; padding: 1rem }
</style>
</head>
<body>
<h1>${title}</h1>
<p>${status === 200 ? 'What the practice service answers' : `Refused with status ${status}`}, as a page.
For JSON, ask with <code>Accept: application/json</code>, <code>.json</code> at the end of the path, or <code>?format=json</code>.</p>
<pre>${shown}</pre>
</body>
</html>`}`
}
