/**
 * Hides known secrets in texts from outside: an account's keys, a signing link, a document's address. A secret is found
 * as it is, URL-encoded, JSON-encoded, or both. It takes linear time, so that a service's megabytes hold nothing up.
 * What only looks like a secret is for `policy/log-lines.ts` and `other-members.ts`, which know none.
 */

export interface Redaction {
  /** Returns the text with a mark in place of each secret. Any other text is returned as it is. */
  hide(text: string): string
  /** Whether the text contains one of the secrets. */
  isIn(text: string): boolean
}

export interface RedactionOptions {
  mark?: string
  /**
   * Also hides parts of addresses that are short, but look like keys. A document's reference may be such a part: use it
   * where that needn't be shown.
   */
  hidesShortParts?: boolean
}

/** In characters. A shorter secret may occur inside any word: it is found only where it stands alone. */
const MIN_LENGTH = 4
/** From this length on, any part of an address counts as a secret: words of its path are shorter. */
const MIN_PART_LENGTH = 12

/** Something to look for. */
interface Needle {
  text: string
  /** Whether it is found only between characters that are neither letters nor digits. */
  standsAlone: boolean
}

/** @param secrets secrets, or addresses that let anyone in who knows them, or a part of them. */
export function redactionOf(
  secrets: readonly string[],
  { mark = '•••', hidesShortParts = false }: RedactionOptions = {}
): Redaction {
  const needles = secrets.flatMap((secret) => needlesOf(secret, hidesShortParts))
  return {
    hide(text) {
      const ranges: Range[] = []
      for (const view of viewsOf(text)) for (const needle of needles) collect(ranges, view, needle)
      return replaced(text, ranges, mark)
    },
    isIn(text) {
      for (const view of viewsOf(text)) {
        if (needles.some((needle) => placesOf(needle, view.text).next().value !== undefined)) return true
      }
      return false
    }
  }
}

function needlesOf(secret: string, hidesShortParts: boolean): Needle[] {
  const whole = [secret, secret.trim()].map((text) => ({ text, standsAlone: text.length < MIN_LENGTH }))
  const parts = partsOf(secret.trim()).flatMap((text) => {
    if (text.length >= MIN_PART_LENGTH) return { text, standsAlone: false }
    return hidesShortParts && isShortKey(text) ? { text, standsAlone: true } : []
  })
  const needles = [...whole, ...parts].filter(({ text }) => text.trim() !== '')
  // A form encodes a space as a plus.
  const inForms = needles.map((needle) => ({ ...needle, text: needle.text.replaceAll(' ', '+') }))
  const unique = new Map([...needles, ...inForms].map((needle) => [needle.text, needle]))
  return [...unique.values()]
}

/** Returns what lies between a secret's punctuation, and the larger parts of an address; as written, and decoded. */
function partsOf(secret: string): string[] {
  const parts = secret.split(SEPARATORS).slice(1)
  const url = /^https?:\/\//i.test(secret) ? URL.parse(secret) : null
  if (url) {
    const { href, host, hostname, pathname, search, hash } = url
    // Messages name the host, which lets nobody in unless it has a key in it.
    parts.splice(0, parts.length, ...parts.filter((part) => part.toLowerCase() !== host))
    parts.push(...hostname.split('.').filter((label) => label.length >= MIN_PART_LENGTH && /\d/.test(label)))
    parts.push(href, pathname + search + hash, search.slice(1), hash.slice(1), ...pathname.split('/'))
  }
  return parts.flatMap((part) => [part, decoded(part), decoded(part.replaceAll('+', ' '))])
}

const decoded = (text: string) => decodedView({ text }, PERCENT).text

const SEPARATORS = /[/?&=#;]/

/** Contains a digit or a capital after a lower-case letter, so it isn't an ordinary word. */
const isShortKey = (part: string) => part.length >= MIN_LENGTH && /\d|[a-z][A-Z]/.test(part)

/**
 * Yields where the needle is; one place may begin inside another. By Knuth, Morris and Pratt: with `indexOf`, a service
 * could choose texts that take hours.
 */
function* placesOf({ text: needle, standsAlone }: Needle, text: string): Generator<number, undefined> {
  const borders = bordersOf(needle)
  let matched = 0
  for (let end = 1; end <= text.length; end++) {
    const unit = text.charCodeAt(end - 1)
    while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0
    if (needle.charCodeAt(matched) === unit) matched++
    if (matched < needle.length) continue
    const start = end - needle.length
    if (!standsAlone || isAlone(text, start, end)) yield start
    matched = borders[matched - 1] ?? 0
  }
  return undefined
}

/** Returns, for each beginning of the needle, the length of the longest end of it that the needle begins with. */
function bordersOf(needle: string): Uint32Array {
  const borders = new Uint32Array(needle.length)
  let length = 0
  for (let at = 1; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = borders[length - 1] ?? 0
    if (needle[at] === needle[length]) length++
    borders[at] = length
  }
  return borders
}

/** Two units: a letter may take both. */
const isAlone = (text: string, start: number, end: number) =>
  !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) && !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2))

type Range = [start: number, end: number]

/** Adds the ranges of the original text that contain the needle. */
function collect(ranges: Range[], view: View, needle: Needle): void {
  let last: Range = [-1, -1]
  for (const at of placesOf(needle, view.text)) {
    const [start, end] = originalRange(view, at, at + needle.text.length)
    if (start < last[1]) last[1] = Math.max(last[1], end)
    else {
      last = [start, end]
      ranges.push(last)
    }
  }
}

/** Returns the text with one mark for ranges that overlap. */
function replaced(text: string, ranges: Range[], mark: string): string {
  const pieces: string[] = []
  let from = 0
  for (const [start, end] of ranges.sort(([one], [other]) => one - other)) {
    if (start >= from) pieces.push(text.slice(from, start), mark)
    from = Math.max(from, end)
  }
  return [...pieces, text.slice(from)].join('')
}

/** A text in which escapes have been decoded, and where its characters come from. */
interface View {
  text: string
  decodedFrom?: { view: View; escapes: readonly Escape[] }
}

/** One escape that was decoded: its place in this text, and in the one that it is decoded from. */
interface Escape {
  at: number
  length: number
  start: number
  end: number
}

interface Encoding {
  /** The character that every escape begins with. */
  begins: string
  pattern: RegExp
  /** Returns the character, or what is escaped itself if that is none. */
  decode: (escaped: string) => string
}

const PERCENT: Encoding = {
  begins: '%',
  // One character of UTF-8.
  pattern:
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f]%[89ab][\da-f]%[89ab][\da-f]|%f[0-7]%[89ab][\da-f]%[89ab][\da-f]%[89ab][\da-f]/gi,
  decode(escaped) {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  }
}

const JSON_TEXT: Encoding = {
  begins: '\\',
  pattern: /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g,
  decode: (escaped) => JSON.parse(`"${escaped}"`)
}

/** Yields the text as it is, and decoded in each way that changes it. */
function* viewsOf(text: string): Generator<View> {
  const original = { text }
  yield original
  for (const [outer, inner] of [
    [PERCENT, JSON_TEXT],
    [JSON_TEXT, PERCENT]
  ] as const) {
    if (!text.includes(outer.begins)) continue
    const view = decodedView(original, outer)
    yield view
    if (view.text.includes(inner.begins)) yield decodedView(view, inner)
  }
}

function decodedView(view: View, { pattern, decode }: Encoding): View {
  const pieces: string[] = []
  const escapes: Escape[] = []
  let length = 0
  let from = 0
  for (const { 0: escaped, index } of view.text.matchAll(pattern)) {
    const character = decode(escaped)
    const at = length + index - from
    escapes.push({ at, length: character.length, start: index, end: index + escaped.length })
    pieces.push(view.text.slice(from, index), character)
    length = at + character.length
    from = index + escaped.length
  }
  return { text: [...pieces, view.text.slice(from)].join(''), decodedFrom: { view, escapes } }
}

/** Returns the range of the original text that a range of this view was decoded from, with all of its escapes. */
function originalRange({ decodedFrom }: View, start: number, end: number): Range {
  if (!decodedFrom) return [start, end]
  const { view, escapes } = decodedFrom
  const first = placeBefore(escapes, start)
  const last = placeBefore(escapes, end - 1)
  return originalRange(view, first.start, last.end)
}

/** Returns the place, in the text that was decoded, of the character at this place of the decoded one. */
function placeBefore(escapes: readonly Escape[], at: number): { start: number; end: number } {
  let low = 0
  let high = escapes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((escapes[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  const before = escapes[low - 1]
  if (!before) return { start: at, end: at + 1 }
  const beyond = at - before.at - before.length
  return beyond < 0 ? before : { start: before.end + beyond, end: before.end + beyond + 1 }
}
