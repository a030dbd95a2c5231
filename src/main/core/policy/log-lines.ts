/**
 * Sanitises log lines: ids, codes and counts may stay. Whatever looks like a person, a secret, a link or a path is
 * removed, so that a log can be sent to people who mustn't see any of that.
 */

const MAX_TEXT_LENGTH = 300
/**
 * Maximum length of text that is examined, in characters: the rules take quadratic time on text without word breaks.
 */
const MAX_EXAMINED_LENGTH = 2000
const MAX_MEMBERS = 20

type Rule = [pattern: RegExp, instead: string]

/** Applied first, to the whole text: a part of a link or address belongs to it, even if it looks like an id. */
const WHOLE_TEXT_RULES: readonly Rule[] = [
  // Only a link's scheme and host remain: user, path and query contain keys.
  [/\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#@]*@)?([^\s/?#"'<>]*)[^\s"'<>]*/gi, '$1$2/…'],
  [/[^\s<>"'@,;:()]+@[^\s<>"'@,;()]+/g, '‹address›'],
  [/(?:\b[A-Za-z]:\\|\\\\)[^\s"'<>|]*/g, '‹path›'],
  [/(^|[\s"'(=:])\/[^\s"'<>:/]+\/[^\s"'<>]*/g, '$1‹path›'],
  [/\b(bearer|basic|token|secret|password|signature|api[-_ ]?key)\b(["']?\s*[:=]?\s*["']?)[^\s"']+/gi, '$1$2‹hidden›']
]

/** Applied afterwards, to the text between ids. */
const BETWEEN_IDS_RULES: readonly Rule[] = [
  // A JSON web token, whose parts can be short.
  [/\beyJ[\w-]+(?:\.[\w-]+)+/g, '‹hidden›'],
  [/[A-Za-z0-9+/_-]{24,}={0,2}/g, '‹hidden›'],
  [/\+?\d[\d ()-]{6,}\d/g, '‹number›']
]

/** Our own ids: an account, a session, a set-aside folder. */
const ID = /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|set-aside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)\b/i

export function logLine(message: string, detail?: Record<string, unknown>): string {
  return detail ? `${scrub(message)} ${JSON.stringify(scrubDetail(detail))}` : scrub(message)
}

/** Removes what mustn't be logged from a text, and shortens it. */
export function scrub(text: string): string {
  const parts = applyRules(WHOLE_TEXT_RULES, beginningOf(text)).split(ID)
  return parts
    .map((part, index) => (index % 2 === 1 ? part : applyRules(BETWEEN_IDS_RULES, part)))
    .join('')
    .slice(0, MAX_TEXT_LENGTH)
}

/** Drops a word that would be cut: half an address doesn't look like one. */
function beginningOf(text: string): string {
  return text.length > MAX_EXAMINED_LENGTH ? text.slice(0, MAX_EXAMINED_LENGTH).replace(/\S*$/, '') : text
}

/** Removes what mustn't be logged from a detail; for members that aren't plain values, only the type remains. */
export function scrubDetail(detail: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(detail).slice(0, MAX_MEMBERS)
  return Object.fromEntries(members.map(([name, value]) => [name, scrubValue(value)]))
}

function scrubValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined) return value
  if (typeof value === 'string') return scrub(value)
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(scrubValue)
  return `‹${typeof value}›`
}

function applyRules(rules: readonly Rule[], text: string): string {
  return rules.reduce((result, [pattern, instead]) => result.replace(pattern, instead), text)
}
