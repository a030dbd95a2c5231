import { readdirSync } from 'node:fs'
import { type Adapter, defineConfig, type Message, pofile, type StorageFactory } from 'wuchale'
import { parseScript, pluralPattern, adapter as scripts, Transformer } from 'wuchale/adapter-vanilla'
import { SvelteTransformer } from './node_modules/@wuchale/svelte/dist/transformer.js'

// The words that people read are written where they are used; from there they are collected into one file a language
// (decision 32). This says which texts are words.

const SOURCE = 'en-GB'
/** Where the files are; the test of completeness writes its own elsewhere. */
const FOLDER = process.env.COUNTERSIGN_WORDS ?? 'src/words'

/** Attributes whose text nobody reads. */
const FOR_MACHINES = new Set([
  'class',
  'style',
  'd',
  'viewBox',
  'transform',
  'points',
  'sandbox',
  'allow',
  'autocomplete'
])

/** Files of SQL, headers, markup and spellings that are looked up: what looks like words there is none. */
const OF_MACHINES = new RegExp(
  `^src/(${[
    'main/shell/(app-protocol|log|clipboard|page-printer|service-network)',
    'main/core/storage/(connection|migrations|migrations/.*)',
    // What the administrator’s command says; no screen shows it.
    'main/core/office/(administration|administered-records|agent-order|command|joining|keys|sealing)',
    'main/core/office/migrations/.*',
    'main/core/documents/mirror/.*',
    'main/core/documents/(polling|index)/(folder-reading|polling|rounds|results)',
    'main/core/bulk/(table-file|workbook-parts)',
    'main/core/policy/page-policy',
    'main/core/service/pdf-answer',
    'main/core/downloads/(downloads-table|rules-table|download-rows|target|target-folder|fetching)',
    'main/core/accounts/last-place',
    'main/core/audit/audit-table',
    'main/core/organisation/schema',
    'main/core/support/(status|system-log)',
    // A person’s own receipt has words of its own, as their screens have (decision 35); so has the page that it is drawn as.
    'main/core/receipts/receipt-(page|words|translations)',
    'main/core/outbox/send-list',
    'main/core/lib/picture-header',
    'shared/model/(document-status|id-verification|spelling|service-date)',
    'shared/composition/(bulk-fields|bulk-columns)',
    // A person’s own words have catalogues of their own, as one person’s language is nobody else’s (decision 35).
    'renderer/src/screens/counter/person/(languages/sentences|translator|reading-aloud.svelte)'
  ].join('|')})\\.ts$`
)

const SQL =
  /^[\s(]*(--|ALTER|ANALYZE|ATTACH|BEGIN|COMMIT|CREATE|DELETE|DETACH|DROP|FROM|INSERT|LISTEN|PRAGMA|REPLACE|RESET|ROLLBACK|SELECT|UNLISTEN|UPDATE|VACUUM|WHERE|WITH)\s|\s(AS|DESC|IN|IS NULL|IS NOT NULL)\b/

/** Names of columns, parameters of SQL, and code of pages: no sentence has these. */
const CODE = /\b[a-z]+_[a-z]+\b|\bWHERE\b|[<>=] [@?]|=>|^<!doctype|^[a-z]+\{/

/** By which a page's elements are found: an attribute, or what one is or isn't. */
const SELECTOR = /\[[a-z-]+(=[^\]]*)?\]|:(not|is|has)\(/

/** As events call them. */
const KEYS = new Set([
  'Alt',
  'Backspace',
  'Control',
  'Delete',
  'End',
  'Enter',
  'Escape',
  'Home',
  'Insert',
  'Meta',
  'Mod',
  'Shift',
  'Space',
  'Tab'
])

/** Words that stand alone and are no names of anything in code. */
const LABELS = new Set([
  'accents',
  'automatic',
  'capitals',
  'default',
  'optional',
  'required',
  'reviewer',
  'spaces',
  'unsaved'
])

/** What a person at the counter is told, in their language. */
const PERSONS = new Set(['say', 'parts', 'translator.say'])

/** Says whether people read this: whatever stands between tags, and in code what has more than one word. */
function isWords({ msgStr, details: { scope, element, attribute, file, call } }: Message): boolean {
  const text = msgStr.join('\n')
  if (file.includes('/screens/counter/person/') && PERSONS.has(call ?? '')) return false
  if (!/\p{L}{2}/u.test(text) || OF_MACHINES.test(file)) return false
  if (scope === 'markup') return element !== 'code' && element !== 'style'
  if (scope === 'attribute' && FOR_MACHINES.has(attribute ?? '')) return false
  if (file.startsWith('src/renderer/') && (attribute === 'aria-label' || LABELS.has(text))) return true
  if (/\s/.test(text)) return !SQL.test(text) && !CODE.test(text) && !SELECTOR.test(text)
  // Single words: in main, those with a capital are names of the interface far more often than labels.
  return file.startsWith('src/renderer/') && !KEYS.has(text) && /^\p{Lu}\p{Ll}+[#\p{P}]*$/u.test(text)
}

/** In alphabetical order, whatever was read first: two people who add a word each change two places. */
const sorted: StorageFactory = async (options) => {
  const file = await pofile()(options)
  const textOf = ({ translations }: { translations: Map<string, string[]> }) =>
    translations.get(SOURCE)?.join('\n') ?? ''
  return {
    key: file.key,
    files: file.files,
    load: () => file.load(),
    save: ({ items, ...rest }) =>
      file.save({ ...rest, items: items.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) })
  }
}

const heuristic = (message: Message) => isWords(message) && 'message'
const patterns = [{ ...pluralPattern, name: 'counted' }]

const common = scripts({
  files: ['src/{main,shared,renderer}/**/*.{ts,svelte}'],
  storage: sorted,
  heuristic,
  patterns,
  loader: 'custom',
  // Each file brings its own words: a screen that isn't opened loads none.
  bundleLoad: true,
  granularLoad: true,
  runtime: { initReactive: ({ funcName }) => (funcName === undefined ? false : null), useReactive: false }
})

/**
 * Reads what the original leaves out: the texts that a class begins with, and those of failures that are thrown. The text
 * of any other error is for developers.
 */
function withMore(transformer: Transformer): void {
  const { visitClassDeclaration } = transformer
  // The original's type takes no argument, but it is called with one.
  Object.assign(transformer, {
    visitThrowStatement: ({ argument }: { argument: Parameters<Transformer['visit']>[0] }) =>
      argument.type === 'NewExpression' &&
      argument.callee.type === 'Identifier' &&
      argument.callee.name === 'AppFailure'
        ? transformer.visit(argument)
        : []
  })
  transformer.visitClassDeclaration = (node) => [
    ...visitClassDeclaration(node),
    ...node.body.body.flatMap((member) =>
      member.type === 'PropertyDefinition' && member.value ? transformer.visit(member.value) : []
    )
  ]
}

const texts = new Map<string, string>()

/** The file knows a text without the spaces around it: of two that differ in those alone, one would be lost. */
function apart<T extends { msgs: Message[] }>(found: T): T {
  for (const { msgStr } of found.msgs) {
    const text = msgStr.join('\n')
    const other = texts.get(text.trim()) ?? text
    if (other !== text) throw new Error(`“${text}” and “${other}” differ in spaces alone: change one`)
    texts.set(text.trim(), text)
  }
  return found
}

type Source = Parameters<Adapter['transform']>[0]

/** Modules have words outside functions, too: each asks for its words once, at its beginning. */
class ModuleTransformer extends Transformer {
  constructor({ content, filename, index, expr, matchUrl }: Source) {
    super(content, filename, index, heuristic, patterns, expr, common.runtime, matchUrl)
    withMore(this)
    this.transform = () => {
      const [program, comments] = parseScript(this.content)
      this.comments = comments
      const messages = this.visit(program)
      const start = this.getRealBodyStart(program.body) ?? 0
      if (messages.length > 0) this.mstr.appendRight(start, this.initRuntime() ?? '')
      return this.finalize(messages, start)
    }
  }
}

/** Nobody changes the language of an open window: a constant stays one, where the original would make it derived state. */
class ComponentTransformer extends SvelteTransformer {
  constructor({ content, filename, index, expr, matchUrl }: Source) {
    super(content, filename, index, heuristic, patterns, expr, common.runtime, matchUrl)
    this.visitVariableDeclarator = this.defaultVisitVariableDeclarator
    const visitAttribute = this.visitAttribute
    this.visitAttribute = (attribute) => (FOR_MACHINES.has(attribute.name) ? [] : visitAttribute(attribute))
  }
}

const words: Adapter = {
  ...common,
  transform: async (source) =>
    source.filename.endsWith('.svelte')
      ? apart(await new ComponentTransformer(source).transformSv())
      : apart(new ModuleTransformer(source).transform())
}

/** A language is there as soon as its file is. */
const others = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.po') ? [file.slice(0, -3)] : []))

export default defineConfig({
  locales: [SOURCE, ...others.filter((locale) => locale !== SOURCE)],
  localesDir: FOLDER,
  adapters: { words },
  ai: null,
  logLevel: 'warn'
})
