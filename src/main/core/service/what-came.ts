/** Tells what an answer is that isn't what was asked for: by its first bytes, as its Content-Type may say anything. */
import type { Finding } from './errors.ts'
import { type Refusal, readRefusal } from './refusal.ts'

/** So much of an answer is looked at, in bytes. */
export const LOOKED_AT = 64 * 1024

/** A sentence is passed on to people; more of a text could be anything, a person's data too. */
const LONGEST_SENTENCE = 300

export interface Came {
  finding: Finding
  /** What it says of itself, where that is fit for people. */
  said: Refusal
}

/**
 * @param beginning its first bytes, `LOOKED_AT` at most.
 * @param isAll whether that is all of it.
 */
export function whatCame(beginning: Uint8Array, isAll: boolean): Came {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
  const binary = binaryKind(bytes)
  if (binary) return came(binary)
  const charset = /^(?:fffe|..00..00)/.test(bytes.toString('hex', 0, 4)) ? 'utf-16le' : 'utf-8'
  const text = new TextDecoder(charset).decode(bytes).trim()
  if (text === '') return came(isAll ? 'empty' : 'text')
  if (/(?!\s)\p{Cc}|\uFFFD/u.test(text.slice(0, 1000))) return came('bytes')
  if (text.startsWith('<')) return came(markupKind(text))
  if (/^[{["]|^null$/.test(text)) return jsonKind(text, isAll)
  const encoded = encodedKind(text)
  if (encoded) return came(encoded)
  const isSentence = isAll && text.length <= LONGEST_SENTENCE
  return { finding: 'text', said: isSentence ? said(text) : {} }
}

/** What JSON is that isn't records: an error with its words, or something else. */
export function whatJsonIs(json: unknown): Came {
  if (json === null || (Array.isArray(json) && json.length === 0)) return came('no-records')
  if (typeof json === 'string') return jsonTextKind(json)
  const error = errorWords(json)
  if (error) return { finding: error.serviceMessage || error.fields ? 'error' : 'error-without-words', said: error }
  const records = Array.isArray(json) ? json : [json]
  return came(records.some(isRecord) ? 'records' : 'json')
}

const RECORD_MEMBERS = new Set(
  ['DocClass', 'PortraitImage', 'FrontIDImage', 'BackIDImage', 'SelectedIDImage', 'ExamingDate', 'DocumentNumber']
    .concat(['FaceMatchResult', 'FaceMatchScore', 'IsPassed', 'UserFirstName', 'UserLastName', 'Attentions', 'DocId'])
    .map((name) => name.toLowerCase())
)

/** Whether it has a member that only a record of an identity check (2.22) has. */
export function isRecord(json: unknown): boolean {
  return isObject(json) && Object.keys(json).some((name) => RECORD_MEMBERS.has(name.toLowerCase()))
}

/**
 * The words of an error: of the framework's body (`ResponseStatus`), or of the forms that gateways and other frameworks
 * use. Undefined where it is no error.
 */
function errorWords(json: unknown): Refusal | undefined {
  if (!isObject(json) || isRecord(json)) return undefined
  const members = new Map(Object.entries(json).map(([name, value]) => [name.toLowerCase(), value]))
  if (isObject(members.get('responsestatus'))) return readRefusal(json)
  const error = members.get('error') ?? members.get('errors')
  if (isObject(error)) return errorWords(error) ?? errorWords({ message: '', ...error })
  const words = ['message', 'error_description', 'detail', 'error', 'title', 'reason'].map((name) => members.get(name))
  if (words.every((word) => word === undefined) && !members.has('errorcode') && error === undefined) return undefined
  const spoken = words.find((word) => typeof word === 'string' && word.trim() !== '')
  return typeof spoken === 'string' ? said(spoken) : {}
}

/** First bytes as hexadecimal digits: JPEG, PNG, GIF, BMP, TIFF, WebP, HEIF and AVIF; ZIP, gzip, 7z, RAR; PDF. */
function binaryKind(bytes: Buffer): Finding | undefined {
  const hex = bytes.toString('hex', 0, 16)
  if (/^(?:ffd8ff|89504e47|47494638|424d.{8}0{8}|49492a00|4d4d002a|52494646.{8}57454250)/.test(hex)) return 'image'
  if (/^.{8}66747970(?:68656963|68656978|6d696631|61766966)/.test(hex)) return 'image'
  if (/^(?:504b0[357]|1f8b|377abcaf|52617221)/.test(hex)) return 'archive'
  return hex.startsWith('255044462d') ? 'pdf' : undefined
}

function markupKind(text: string): Finding {
  if (!/<(?:!doctype html|html|head|body|script|meta|title|h1|p|div|form)\b/i.test(text)) return 'markup'
  return /<input[^>]{0,500}type\s*=\s*["']?password|\b(?:log|sign)[ -]?(?:in|on)\b/i.test(text)
    ? 'sign-in-page'
    : 'page'
}

function jsonKind(text: string, isAll: boolean): Came {
  if (isAll) {
    try {
      return whatJsonIs(JSON.parse(text))
    } catch {
      return came(looksLikeRecords(text) ? 'records' : 'broken-json')
    }
  }
  // Errors are short: what goes on and on is data.
  return came(looksLikeRecords(text) ? 'records' : 'json')
}

function looksLikeRecords(text: string): boolean {
  return /"(?:DocClass|PortraitImage|FrontIDImage|ExamingDate|FaceMatchScore)"\s*:/i.test(text)
}

function jsonTextKind(text: string): Came {
  const encoded = encodedKind(text.trim())
  if (encoded) return came(encoded)
  return {
    finding: text.trim() === '' ? 'no-records' : 'text',
    said: text.length <= LONGEST_SENTENCE ? said(text) : {}
  }
}

/** A long run of base64; a sentence has spaces and is none. */
function encodedKind(text: string): Finding | undefined {
  const digits = text.replace(/^data:[^,]{0,200};base64,/i, '')
  if (digits.startsWith('JVBERi0')) return 'pdf'
  return /^[A-Za-z0-9+/_-]{40}(?:[A-Za-z0-9+/_=-]|\r?\n)*$/.test(digits) ? 'other-encoded' : undefined
}

function said(sentence: string): Refusal {
  return readRefusal({ ResponseStatus: { Message: sentence } })
}

function came(finding: Finding): Came {
  return { finding, said: {} }
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
