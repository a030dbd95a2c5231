/**
 * What may stand in a log line: ids, codes and counts. Whatever looks like a person, a secret, a link or a place on the
 * disk is taken out, so that a log can be sent to someone who may know none of it.
 */

const LONGEST_TEXT = 300
/** No more of a text is looked at, in characters: the rules take the square of it where nothing ends a word. */
const MOST_READ = 2000
const MOST_MEMBERS = 20

type Rule = [pattern: RegExp, instead: string]

/** First and on the whole text: what is within a link or an address is part of it, even where it looks like an id. */
const WHOLE: readonly Rule[] = [
  // Of a link only scheme and host remain: user, path and query hold keys.
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#@]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi, '$1$2/…'],
  [/[^\s<>"'@,;:()]+@[^\s<>"'@,;()]+/g, '‹address›'],
  [/(?:\b[A-Za-z]:\\|\\\\)[^\s"'<>|]*/g, '‹path›'],
  [/(^|[\s"'(=:])\/[^\s"'<>:/]+\/[^\s"'<>]*/g, '$1‹path›'],
  [/\b(bearer|basic|token|secret|password|signature|api[-_ ]?key)\b(["']?\s*[:=]?\s*["']?)[^\s"']+/gi, '$1$2‹hidden›']
]

/** Then on what stands between ids. */
const BETWEEN_IDS: readonly Rule[] = [
  // A JSON web token, whose parts can be short.
  [/\beyJ[\w-]+(?:\.[\w-]+)+/g, '‹hidden›'],
  [/[A-Za-z0-9+/_-]{24,}={0,2}/g, '‹hidden›'],
  [/\+?\d[\d ()-]{6,}\d/g, '‹number›']
]

/** What we name ourselves: an account, a session, a folder of what was set aside. */
const ID = /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|set-aside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\b/i

/** A line of the log. */
export function logLine(message: string, detail?: Record<string, unknown>): string {
  return detail ? `${scrubbed(message)} ${JSON.stringify(scrubbedDetail(detail))}` : scrubbed(message)
}

/** Text without what must not be logged, shortened. */
export function scrubbed(text: string): string {
  const parts = applied(WHOLE, beginningOf(text)).split(ID)
  return parts
    .map((part, index) => (index % 2 === 1 ? part : applied(BETWEEN_IDS, part)))
    .join('')
    .slice(0, LONGEST_TEXT)
}

/** Without a word that it would cut: half an address doesn't look like one. */
function beginningOf(text: string): string {
  return text.length > MOST_READ ? text.slice(0, MOST_READ).replace(/\S*$/, '') : text
}

/** A detail without what must not be logged; members that aren't plain values are named by their type only. */
export function scrubbedDetail(detail: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(detail).slice(0, MOST_MEMBERS)
  return Object.fromEntries(members.map(([name, value]) => [name, scrubbedValue(value)]))
}

function scrubbedValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value === 'string') return scrubbed(value)
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map(scrubbedValue)
  return `‹${typeof value}›`
}

function applied(rules: readonly Rule[], text: string): string {
  return rules.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text)
}
