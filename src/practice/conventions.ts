/**
 * The conventions that hold for every operation (reference section 1): which path names which operation whatever its
 * case and base, and in which form the answer goes out: JSON by Accept, `.json` or `?format=json`, JSONP by `?callback=`,
 * otherwise a page for a person.
 */
import { Refusal } from './faults.ts'

/** The operations' paths without what follows them, in lower case: what a base path ends before. */
const OPERATIONS = [
  'formdirect/sendforms2',
  'formdirect/sendforms',
  'formdirect/updateemployers',
  'formdirect/employers',
  'formfiller/send',
  'formfiller/gettemplatelist',
  'document/updatesigner',
  'document/extend',
  'document/sendreminder',
  'document/getactivedocuments',
  'download/idverification',
  'document/validation',
  'recipient/getrecipients',
  'recipient/recipients',
  'notary/assignqueuedocument',
  'account/info'
]

export type Format = { kind: 'json' } | { kind: 'jsonp'; callback: string } | { kind: 'page' }

export interface Address {
  /** Before the operation, as the caller wrote it, without a slash at the end: `/Web/v1.3`; may be empty. */
  base: string
  /** The operation with its parameters: the first two steps in lower case, the rest as written, no suffix. */
  route: string
  /** `json` or `html` where the path ended so. */
  suffix?: string
}

/**
 * Splits a path into base and operation. Where a base is registered, only paths under it are found.
 * Undefined if the path names no operation and no page of ours.
 */
export function readPath(path: string, registeredBase?: string): Address | undefined {
  const steps = stepsOf(path)
  const registered = registeredBase === undefined ? undefined : stepsOf(registeredBase)
  const from = registered?.length ?? 0
  const until = registered ? from : steps.length
  for (let index = from; index <= until; index++) {
    const before = steps.slice(0, index)
    if (registered?.some((step, place) => step.toLowerCase() !== before[place]?.toLowerCase())) return undefined
    const base = before.map((step) => `/${step}`).join('')
    const found = readOperation(steps.slice(index)) ?? readPage(steps.slice(index))
    if (found) return { base, ...found }
  }
  return undefined
}

function stepsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}

function readOperation(steps: string[]): Omit<Address, 'base'> | undefined {
  if (steps.length < 2) return undefined
  const last = steps.length - 1
  const { name, suffix } = withoutSuffix(steps[last] ?? '')
  const bare = steps.with(last, name)
  const operation = bare.slice(0, 2).join('/').toLowerCase()
  if (!OPERATIONS.includes(operation)) return undefined
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

/** Signing pages and the read-only view: their keys are compared exactly. */
function readPage(steps: string[]): Omit<Address, 'base'> | undefined {
  const [kind, ...rest] = steps
  const page = kind?.toLowerCase()
  if (!page || !['sign', 'view', 'v', 'assets'].includes(page) || rest.length === 0 || rest.length > 3) return undefined
  return { route: `/${[page, ...rest].join('/')}` }
}

/** In which form the caller wants the answer. A callback's name that isn't one is refused: it would be a script. */
export function readFormat(url: URL, suffix: string | undefined, accept: string | null): Format {
  const callback = parameter(url, 'callback')
  if (callback) {
    if (callback.length <= 128 && /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(callback)) {
      return { kind: 'jsonp', callback }
    }
    throw new Refusal(400, 'InvalidCallback', `'callback' must be the name of a JavaScript function.`)
  }
  const asked = parameter(url, 'format')?.toLowerCase() ?? suffix
  if (asked) return asked === 'json' ? { kind: 'json' } : { kind: 'page' }
  return prefersJson(accept ?? '') ? { kind: 'json' } : { kind: 'page' }
}

/** A query parameter whose name may be written in any case. */
export function parameter(url: URL, name: string): string | undefined {
  for (const [key, value] of url.searchParams) if (key.toLowerCase() === name) return value
  return undefined
}

/** Whether JSON is named in Accept, and no page is wanted more. */
function prefersJson(accept: string): boolean {
  const wanted = accept.split(',').map((entry) => {
    const [type = '', ...parameters] = entry.trim().toLowerCase().split(';')
    const quality = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean)
    return { type: type.trim(), quality: quality === undefined ? 1 : Number(quality) }
  })
  const json = wanted.find(
    ({ type, quality }) => quality > 0 && /^(application|text)\/(json|[\w.-]+\+json)$/.test(type)
  )
  if (!json) return false
  const page = wanted.find(({ type }) => type === 'text/html')
  return (
    !page ||
    json.quality > page.quality ||
    (json.quality === page.quality && wanted.indexOf(json) < wanted.indexOf(page))
  )
}
