/** The handbook as plain data, made from docs/ at build (scripts/handbook.ts), and how its sections are searched. Pure. */
import { folded, wordsOf } from '../../../../shared/text-folding.ts'

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong'; parts: Inline[] }
  | { kind: 'em'; parts: Inline[] }
  /** Leads to a section, by its id. */
  | { kind: 'link'; to: string; parts: Inline[] }

export type Block =
  | { kind: 'text'; parts: Inline[] }
  | { kind: 'heading'; parts: Inline[] }
  | { kind: 'list'; isNumbered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string }

/** What stands under one heading, as far as the next. */
export interface Section {
  /** "guide/bulk-send": its page and its heading, as in the address of the screen. */
  id: string
  /** What the page that it is part of is called. */
  page: string
  title: string
  /** 3: within the section of level 2 before it. */
  level: 2 | 3
  blocks: Block[]
}

/** What the handbook says of each screen. Here, so that the first load hasn't got it. */
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
  counter: 'guide/the-counter',
  audit: 'administration/evidence-and-the-audit-trail',
  downloads: 'guide/downloading',
  directory: 'guide/activity-and-directory',
  activity: 'guide/activity-and-directory',
  settings: 'guide/settings',
  requests: 'administration/when-something-goes-wrong'
}

/** The section of that id; of a page's name or an id that is gone the first there, and else the first of all. */
export function sectionAt(sections: readonly Section[], id: string): Section | undefined {
  const page = `${id.split('/')[0]}/`
  return sections.find((one) => one.id === id) ?? sections.find((one) => one.id.startsWith(page)) ?? sections[0]
}

/** Sections within that one. */
export function within(sections: readonly Section[], section: Section): Section[] {
  if (section.level === 3) return []
  const after = sections.slice(sections.indexOf(section) + 1)
  const end = after.findIndex(({ level, page }) => level === 2 || page !== section.page)
  return end < 0 ? after : after.slice(0, end)
}

export interface Found {
  section: Section
  /** It hasn't all the words, and none has. */
  isNear?: true
  /** The line of it where the words are. */
  excerpt: string
}

/** Characters of an excerpt before its first word that was found, and in all. */
const [BEFORE, LONGEST] = [40, 140]

/** Sections that come near where none has all the words, at most. */
const NEAR = 5
/** Letters of a word that says what is looked for: "where are my data" is about where and data. */
const TELLING = 4

/**
 * Sections that have all the words, each word anywhere: those with them in their title first. Where none has, as with a question, those
 * with the most of its longer words, and at least half of them.
 */
export function search(sections: readonly Section[], typed: string): Found[] {
  const words = wordsOf(typed)
  if (words.length === 0) return []
  const all = withWords(sections, words, words.length)
  if (all.length > 0) return all
  const telling = words.map((word) => word.replace(/[?.,!]+$/, '')).filter((word) => word.length >= TELLING)
  if (telling.length < 2) return []
  return withWords(sections, telling, Math.ceil(telling.length / 2))
    .slice(0, NEAR)
    .map((found) => ({ ...found, isNear: true }))
}

/** Those that have so many of the words, most first; of as many, those with them in their title. */
function withWords(sections: readonly Section[], words: readonly string[], least: number): Found[] {
  const countIn = (text: string) => words.filter((word) => text.includes(word)).length
  return sections
    .map((section) => {
      const lines = linesOf(section.blocks)
      const title = folded(section.title)
      return { section, lines, inTitle: countIn(title), inAll: countIn(`${title} ${folded(lines.join(' '))}`) }
    })
    .filter(({ inAll }) => inAll >= least)
    .sort((a, b) => b.inAll - a.inAll || b.inTitle - a.inTitle)
    .map(({ section, lines }) => {
      const counts = lines.map((line) => countIn(folded(line)))
      return { section, excerpt: around(lines[counts.indexOf(Math.max(...counts))] ?? '', words) }
    })
}

/** A text in pieces, those that were searched for marked. */
export function marked(text: string, words: readonly string[]): { text: string; isMarked: boolean }[] {
  if (words.length === 0 || text === '') return [{ text, isMarked: false }]
  const { plain, places } = foldedWithPlaces(text)
  const isIn = new Array<boolean>(text.length).fill(false)
  for (const word of words)
    for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + word.length))
      isIn.fill(true, places[at], places[at + word.length])
  const pieces: { text: string; isMarked: boolean }[] = []
  for (let from = 0; from < text.length; ) {
    let to = from + 1
    while (to < text.length && isIn[to] === isIn[from]) to++
    pieces.push({ text: text.slice(from, to), isMarked: isIn[from] === true })
    from = to
  }
  return pieces
}

/** The folded text, and where in the text each of its characters comes from. */
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

function around(line: string, words: readonly string[]): string {
  const { plain, places } = foldedWithPlaces(line)
  const found = words.map((word) => plain.indexOf(word)).filter((at) => at >= 0)
  const first = found.length > 0 ? (places[Math.min(...found)] ?? 0) : 0
  const from = first <= BEFORE ? 0 : line.indexOf(' ', first - BEFORE) + 1
  const rest = line.slice(from)
  const cut = rest.length <= LONGEST ? rest : `${rest.slice(0, rest.lastIndexOf(' ', LONGEST))}…`
  return from > 0 ? `…${cut}` : cut
}

/** Each paragraph, item and row as text. */
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
