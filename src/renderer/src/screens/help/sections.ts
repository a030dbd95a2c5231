/**
 * The handbook as plain data, generated from docs/ at build (scripts/handbook.ts), and the search in its sections.
 * Pure.
 */
import { folded, wordsOf } from '../../../../shared/text-folding.ts'

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong'; parts: Inline[] }
  | { kind: 'em'; parts: Inline[] }
  /** A link to a section, by its id. */
  | { kind: 'link'; to: string; parts: Inline[] }

export type Block =
  | { kind: 'text'; parts: Inline[] }
  | { kind: 'heading'; parts: Inline[] }
  | { kind: 'list'; isNumbered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string }

/** The content below one heading, up to the next. */
export interface Section {
  /** "guide/bulk-send": page and heading, as in the screen's address. */
  id: string
  page: string
  title: string
  /** 3: within the preceding section of level 2. */
  level: 2 | 3
  blocks: Block[]
}

/** The handbook's section about each screen. Declared here to keep the handbook out of the first load. */
export const sectionOfScreen: Partial<Record<string, string>> = {
  today: 'guide/the-day',
  compose: 'guide/a-package',
  bulk: 'guide/bulk-send',
  drafts: 'guide/drafts',
  outbox: 'guide/send',
  documents: 'guide/documents',
  identity: 'guide/reading-a-check',
  'identity-pdf': 'guide/looking-at-a-report',
  'signed-document': 'guide/signed-documents',
  /** A document that is open in the list. */
  document: 'guide/a-documents-page',
  counter: 'guide/the-counter',
  audit: 'administration/evidence-and-the-audit-trail',
  downloads: 'guide/downloading',
  directory: 'guide/activity-and-directory',
  activity: 'guide/activity-and-directory',
  settings: 'guide/settings',
  requests: 'administration/when-something-goes-wrong'
}

/**
 * Returns the section with this id. For a page's name or an outdated id, returns the page's first section, else the
 * first of all.
 */
export function sectionAt(sections: readonly Section[], id: string): Section | undefined {
  const page = `${id.split('/')[0]}/`
  return sections.find((one) => one.id === id) ?? sections.find((one) => one.id.startsWith(page)) ?? sections[0]
}

export function subsectionsOf(sections: readonly Section[], section: Section): Section[] {
  if (section.level === 3) return []
  const after = sections.slice(sections.indexOf(section) + 1)
  const end = after.findIndex(({ level, page }) => level === 2 || page !== section.page)
  return end < 0 ? after : after.slice(0, end)
}

export interface SearchResult {
  section: Section
  /** It matches only some of the words, as no section has all of them. */
  isNear?: true
  /** The matching line. */
  excerpt: string
}

/** Characters of an excerpt before its first match, and in total. */
const [CONTEXT_LENGTH, EXCERPT_LENGTH] = [40, 140]

/** The most partial matches returned. */
const MAX_PARTIAL_MATCHES = 5
/** Minimum length of a significant word: in "where are my data" these are "where" and "data". */
const MIN_WORD_LENGTH = 4

/**
 * Returns sections that contain all the words anywhere, matches in the title first. If there are none, as with a
 * question, returns those with the most of its longer words, at least half of them.
 */
export function search(sections: readonly Section[], typed: string): SearchResult[] {
  // The handbook writes "e-mail".
  const words = wordsOf(typed).map((word) => word.replace(/^email/, 'e-mail'))
  if (words.length === 0) return []
  const all = sectionsMatching(sections, words, words.length)
  if (all.length > 0) return all
  const telling = words.map((word) => word.replace(/[?.,!]+$/, '')).filter((word) => word.length >= MIN_WORD_LENGTH)
  if (telling.length < 2) return []
  return sectionsMatching(sections, telling, Math.ceil(telling.length / 2))
    .slice(0, MAX_PARTIAL_MATCHES)
    .map((found) => ({ ...found, isNear: true }))
}

/** Returns sections with at least `minWords` of the words, most first; for equal numbers, matches in the title first. */
function sectionsMatching(sections: readonly Section[], words: readonly string[], minWords: number): SearchResult[] {
  const countIn = (text: string) => words.filter((word) => text.includes(word)).length
  return sections
    .map((section) => {
      const lines = linesOf(section.blocks)
      const title = folded(section.title)
      return { section, lines, inTitle: countIn(title), inAll: countIn(`${title} ${folded(lines.join(' '))}`) }
    })
    .filter(({ inAll }) => inAll >= minWords)
    .sort((a, b) => b.inAll - a.inAll || b.inTitle - a.inTitle)
    .map(({ section, lines }) => {
      const counts = lines.map((line) => countIn(folded(line)))
      return { section, excerpt: excerptOf(lines[counts.indexOf(Math.max(...counts))] ?? '', words) }
    })
}

/** Words shorter than this aren't marked, unless all are: "a" is in almost every line. */
const MIN_MARKED_LENGTH = 3

/** Splits a text into pieces, marking the words that begin with what was searched for. */
export function highlight(text: string, words: readonly string[]): { text: string; isMarked: boolean }[] {
  if (words.length === 0 || text === '') return [{ text, isMarked: false }]
  const { plain, places } = foldedWithPlaces(text)
  const isIn = new Array<boolean>(text.length).fill(false)
  const telling = words.filter((word) => word.length >= MIN_MARKED_LENGTH)
  for (const word of telling.length > 0 ? telling : words)
    for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + word.length))
      if (!/[\p{L}\p{N}]/u.test(plain[at - 1] ?? '')) isIn.fill(true, places[at], places[at + word.length])
  const pieces: { text: string; isMarked: boolean }[] = []
  for (let from = 0; from < text.length; ) {
    let to = from + 1
    while (to < text.length && isIn[to] === isIn[from]) to++
    pieces.push({ text: text.slice(from, to), isMarked: isIn[from] === true })
    from = to
  }
  return pieces
}

/** Returns the folded text, and the position in the original for each of its characters. */
function foldedWithPlaces(text: string): { plain: string; places: number[] } {
  let plain = ''
  let at = 0
  const places: number[] = []
  for (const letter of text) {
    const one = /\s/.test(letter) ? ' ' : folded(letter)
    for (let i = 0; i < one.length; i++) places.push(at)
    plain += one
    at += letter.length
  }
  places.push(text.length)
  return { plain, places }
}

function excerptOf(line: string, words: readonly string[]): string {
  const { plain, places } = foldedWithPlaces(line)
  const found = words.map((word) => plain.indexOf(word)).filter((at) => at >= 0)
  const first = found.length > 0 ? (places[Math.min(...found)] ?? 0) : 0
  const from = first <= CONTEXT_LENGTH ? 0 : line.indexOf(' ', first - CONTEXT_LENGTH) + 1
  const rest = line.slice(from)
  const cut = rest.length <= EXCERPT_LENGTH ? rest : `${rest.slice(0, rest.lastIndexOf(' ', EXCERPT_LENGTH))}…`
  return from > 0 ? `…${cut}` : cut
}

/** Returns each paragraph, item and row as text. */
function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'list') return block.items.flatMap(linesOf)
    if (block.kind === 'table') return [block.head, ...block.rows].map((row) => row.map(textOf).join(' '))
    return block.kind === 'code' ? block.text : textOf(block.parts)
  })
}

function textOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part : part.kind === 'code' ? part.text : textOf(part.parts)))
    .join('')
}
