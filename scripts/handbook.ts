/**
 * Provides the handbook for the Help screen as `virtual:handbook`: docs/guide.md, docs/administration.md and the
 * changelog, parsed at build time into plain data. None of it is rendered as markup: raw HTML stays text, links lead to
 * other sections or become text, and images are left out.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import type { Block, Inline, Section } from '../src/renderer/src/screens/help/sections.ts'

const NAME = 'virtual:handbook'
/** The bundled configuration is in a different place from this file. */
const ROOT = process.cwd()

interface Page {
  /** The prefix of its sections' ids. */
  name: string
  title: string
  file: string
  text: string
}

const PAGES: readonly Omit<Page, 'text'>[] = [
  { name: 'guide', title: 'Guide', file: 'docs/guide.md' },
  { name: 'administration', title: 'Administration', file: 'docs/administration.md' },
  { name: 'changelog', title: 'What’s new', file: 'CHANGELOG.md' }
]

export function handbook(): Plugin {
  return {
    name: 'handbook',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined
      const pages = PAGES.map((page) => ({ ...page, path: resolve(ROOT, page.file) }))
      for (const { path } of pages) this.addWatchFile(path)
      const sections = sectionsOf(pages.map((page) => ({ ...page, text: readFileSync(page.path, 'utf8') })))
      return `export const sections = ${JSON.stringify(sections)}`
    }
  }
}

/** Returns the sections of the pages, in order. Text before a page's first heading is about the file and left out. */
export function sectionsOf(pages: readonly Page[]): Section[] {
  const parsed = pages.flatMap((page) => {
    const sections: (Section & { tokens: Token[]; name: string })[] = []
    for (const token of lexer(page.text)) {
      const level = token.type === 'heading' ? token.depth : undefined
      if (level === 2 || level === 3) {
        const title = typographic(plainText((token as Tokens.Heading).tokens))
        const id = `${page.name}/${slugOf(title)}`
        sections.push({ id, page: page.title, title, level, blocks: [], tokens: [], name: page.name })
      } else sections.at(-1)?.tokens.push(token)
    }
    return sections
  })
  const ids = new Set(parsed.map(({ id }) => id))
  if (ids.size < parsed.length) throw new Error('Two sections of a page of the handbook have the same heading')
  return parsed.map(({ tokens, name, ...section }) => ({ ...section, blocks: blocksOf(tokens, { name, pages, ids }) }))
}

/** The context for resolving links. */
interface LinkContext {
  name: string
  pages: readonly Page[]
  ids: ReadonlySet<string>
}

function blocksOf(tokens: readonly Token[], context: LinkContext): Block[] {
  return tokens.flatMap((token): Block[] => {
    switch (token.type) {
      case 'space':
      case 'hr':
      case 'def':
      case 'checkbox':
        return []
      case 'heading':
        return [{ kind: 'heading', parts: inlineOf((token as Tokens.Heading).tokens, context) }]
      case 'list': {
        const { ordered, items } = token as Tokens.List
        return [{ kind: 'list', isNumbered: ordered, items: items.map((item) => blocksOf(item.tokens, context)) }]
      }
      case 'table': {
        const { header, rows } = token as Tokens.Table
        const cells = (row: Tokens.TableCell[]) => row.map((cell) => inlineOf(cell.tokens, context))
        return [{ kind: 'table', head: cells(header), rows: rows.map(cells) }]
      }
      case 'code':
        return [{ kind: 'code', text: (token as Tokens.Code).text }]
      case 'blockquote':
        return blocksOf(token.tokens ?? [], context)
      default: {
        const { tokens: within = [token] } = token as { tokens?: Token[] }
        const parts = inlineOf(within, context)
        return parts.length > 0 ? [{ kind: 'text', parts }] : []
      }
    }
  })
}

function inlineOf(tokens: readonly Token[], context: LinkContext): Inline[] {
  return tokens.flatMap((token): Inline[] => {
    switch (token.type) {
      case 'image':
        return []
      case 'br':
        return [' ']
      case 'codespan':
        return [{ kind: 'code', text: (token as Tokens.Codespan).text }]
      case 'strong':
      case 'em':
        return [{ kind: token.type, parts: inlineOf(token.tokens ?? [], context) }]
      case 'link': {
        const parts = inlineOf(token.tokens ?? [], context)
        const to = sectionOf((token as Tokens.Link).href, context)
        return to === undefined ? parts : [{ kind: 'link', to, parts }]
      }
      default:
        if ('tokens' in token && token.tokens) return inlineOf(token.tokens, context)
        return [
          typographic(
            (token.type === 'html' ? token.raw : 'text' in token ? token.text : token.raw).replace(/\s+/g, ' ')
          )
        ]
    }
  })
}

/** Returns the section a link leads to, or undefined if it leads out of the handbook. */
function sectionOf(href: string, { name, pages, ids }: LinkContext): string | undefined {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(href)) return undefined
  const [path = '', heading = ''] = href.split('#', 2)
  const file = path.split('/').at(-1)
  const page = path === '' ? name : pages.find((one) => one.file.split('/').at(-1) === file)?.name
  const id = heading ? `${page}/${heading}` : [...ids].find((one) => one.startsWith(`${page}/`))
  return id !== undefined && ids.has(id) ? id : undefined
}

function plainText(tokens: readonly Token[]): string {
  return tokens.map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : token.raw)).join('')
}

/** Creates the same anchor for a heading as GitHub does. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Replaces apostrophes and quotes by the typographic ones used on screen. */
function typographic(text: string): string {
  return text
    .replace(/(?<=[\p{L}\p{N}]|^)'/gu, '’')
    .replace(/(?<=^|[\s(])"(?![\s.,;:)])/gu, '“')
    .replaceAll('"', '”')
}
