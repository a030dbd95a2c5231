/**
 * Checks the XML data for filling in a form (reference 2.2) for well-formedness, with faults in plain words. Document
 * types are rejected before any of them is read, so entities are never expanded.
 */
import { SaxesParser } from 'saxes'
import { error, type Problem } from './problem.ts'

export interface XmlFault {
  /** Counted from 1. */
  line: number
  /** Counted from 1, in characters as people count them. */
  column: number
  /** Position in the text in UTF-16 code units, as text fields count. */
  offset: number
  message: string
}

/** The longest XML data of a form, in UTF-16 code units. */
export const MAX_XML_LENGTH = 5_000_000
const CHUNK = 256 * 1024
/** Cache size, enough for the forms of a package: each text is checked once, whatever else is typed in the meantime. */
const MAX_REMEMBERED_LENGTH = 16_000_000

const cachedFaults = new Map<string, XmlFault | undefined>()
let rememberedCharacters = 0

/** Returns the text's problems; none if it is blank. */
export function problemsOfXml(at: string, text: string): Problem[] {
  const fault = faultOfXml(text)
  return fault ? [error(at, `Line ${fault.line}, column ${fault.column}: ${fault.message}`)] : []
}

/** Returns the first fault in the text; undefined if it is well-formed or blank. */
export function faultOfXml(text: string): XmlFault | undefined {
  if (!text.trim()) return undefined
  if (cachedFaults.has(text)) return cachedFaults.get(text)
  const parsing = parse(text)
  let step = parsing.next()
  while (!step.done) step = parsing.next()
  return remember(text, step.value)
}

/**
 * As `faultOfXml`, but pauses between chunks so that other work can continue. Once it has answered, `faultOfXml` and
 * `problemsOfXml` use the cached result.
 */
export async function checkXml(text: string, pause: () => Promise<void>): Promise<XmlFault | undefined> {
  if (!text.trim()) return undefined
  if (cachedFaults.has(text)) return cachedFaults.get(text)
  const parsing = parse(text)
  let step = parsing.next()
  while (!step.done) {
    await pause()
    step = parsing.next()
  }
  return remember(text, step.value)
}

function remember(text: string, fault: XmlFault | undefined): XmlFault | undefined {
  for (const oldest of cachedFaults.keys()) {
    if (rememberedCharacters + text.length <= MAX_REMEMBERED_LENGTH) break
    cachedFaults.delete(oldest)
    rememberedCharacters -= oldest.length
  }
  if (!cachedFaults.has(text)) rememberedCharacters += text.length
  cachedFaults.set(text, fault)
  return fault
}

/** Stops parsing at the first fault. */
class Fault extends Error {
  override readonly name = 'Fault'
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

function* parse(text: string): Generator<undefined, XmlFault | undefined> {
  const halfCharacter = unpairedSurrogate(text)
  const parser = new SaxesParser({ position: true })
  parser.on('error', ({ message }) => {
    throw new Fault(faultInWords(message, text, parser.position), Math.min(parser.position, text.length) - 1)
  })
  parser.on('doctype', () => {
    throw new Fault(NO_DOCUMENT_TYPE, text.lastIndexOf('<!DOCTYPE', parser.position))
  })
  try {
    for (let from = 0; from < text.length; from += CHUNK) {
      parser.write(text.slice(from, from + CHUNK))
      yield
    }
    parser.close()
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    if (halfCharacter === undefined || halfCharacter > thrown.offset)
      return faultAt(text, Math.max(0, thrown.offset), thrown.message)
  }
  return halfCharacter === undefined
    ? undefined
    : faultAt(text, halfCharacter, 'there’s half a character here. Remove it.')
}

const NO_DOCUMENT_TYPE =
  'a document type (<!DOCTYPE …>) is not allowed in this data, as it can make a small text grow without end. Remove it.'

/** Returns the position of an unpaired surrogate, which no encoding can carry. */
function unpairedSurrogate(text: string): number | undefined {
  if (text.isWellFormed()) return undefined
  const repaired = text.toWellFormed()
  for (let offset = 0; offset < text.length; offset++) {
    if (text.charCodeAt(offset) !== repaired.charCodeAt(offset)) return offset
  }
  return undefined
}

function faultAt(text: string, offset: number, message: string): XmlFault {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1, offset, message }
}

/** Rephrases the parser's message for people who have never read the standard. */
function faultInWords(parserMessage: string, text: string, position: number): string {
  const fault = parserMessage.replace(/^\d+:\d+: /, '').replace(/\.$/, '')
  const closing = () => excerptFrom(text, '</', position)
  if (/^(unexpected close tag|unmatched closing tag)/.test(fault)) {
    return `${closing() ?? 'this closing tag'} doesn’t close the element that is open here.`
  }
  const unclosed = /^unclosed tag: (.*)$/s.exec(fault)
  if (unclosed) return `<${shortened(unclosed[1] ?? '')}> is never closed.`
  if (/^undefined entity/.test(fault)) {
    return `${excerptFrom(text, '&', position) ?? 'this entity'} isn’t known. Only &amp; &lt; &gt; &quot; and &apos; are.`
  }
  const plain = rewordings.find(([said]) => fault.startsWith(said))
  return plain ? plain[1] : `${shortened(fault)}.`
}

const rewordings: [said: string, words: string][] = [
  ['document must contain a root element', 'there is no element here. XML begins with one, such as <data>.'],
  ['text data outside of root node', 'there’s text outside the outermost element.'],
  ['documents may contain only one root', 'a second outermost element begins here. There can only be one.'],
  ['unexpected end', 'the text ends in the middle of something.'],
  ['unquoted attribute value', 'an attribute’s value needs quotation marks.'],
  ['duplicate attribute', 'this attribute is there twice in one element.'],
  ['disallowed character', 'this character can’t be used here. Write "<" as &lt; and "&" as &amp;.'],
  ['malformed character entity', 'this number isn’t a character.'],
  ['an XML declaration must be at the start', '<?xml …?> must be at the very beginning.'],
  ['malformed comment', 'a comment can’t have "--" in it.'],
  ['the string "]]>" is disallowed', 'the characters ]]> can’t be used in text.']
]

function excerptFrom(text: string, beginning: string, position: number): string | undefined {
  const from = text.lastIndexOf(beginning, Math.max(0, position - 1))
  return from < 0 || position - from > 200 ? undefined : shortened(text.slice(from, position))
}

function shortened(words: string): string {
  return words.length > 60 ? `${words.slice(0, 60)}…` : words
}
