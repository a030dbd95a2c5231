/**
 * Identifies what came in place of a file, for operation 9 or a signed document's address. It judges by the answer's
 * first bytes, as the Content-Type may say anything. The resulting error names what was asked for, and that asking
 * changed nothing.
 */
import type { DownloadType } from '../../../shared/contract/views.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { type Finding, ServiceError, type ServiceErrorCode } from './errors.ts'
import { type Refusal, readRefusal } from './refusal.ts'

export const OPERATION = 'Download/IDVerification'
const operationOf = (type: DownloadType) => (type === 'signed' ? 'Document/Validation' : OPERATION)

/** How much of an answer is inspected, in bytes. */
export const INSPECTED_BYTES = 64 * 1024

/** A short sentence may be shown to people; longer text could be anything, including personal data. */
const MAX_SENTENCE_LENGTH = 300

export interface UnexpectedAnswer {
  finding: Finding
  /** The answer's own words, if fit for people. */
  said: Refusal
}

/** Makes the error for an answer that isn't what was asked for. */
export function wrongAnswerError(
  type: DownloadType,
  finding: Finding,
  refusal: Refusal = {},
  code = CODES[finding] ?? (type === 'json' ? 'not-json' : 'not-a-pdf')
): ServiceError {
  const operation = operationOf(type)
  return new ServiceError({ code, operation, mayHaveArrived: false, asked: type, finding, ...refusal })
}

/** Codes that don't depend on what was asked for. */
const CODES: Partial<Record<Finding, ServiceErrorCode>> = {
  nothing: 'no-data',
  expired: 'no-data',
  'not-let-in': 'forbidden',
  error: 'error-answer',
  'not-whole': 'incomplete',
  'too-slow': 'timeout',
  'not-http': 'not-json'
}

/** Adds to a ServiceError what was asked for; anything else that was thrown is returned unchanged. */
export function asDownloadError(type: DownloadType, thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError) || thrown.asked) return thrown
  const finding = thrown.finding ?? findingOf(thrown)
  // Whether the request arrived doesn't matter: it can be repeated.
  return new ServiceError({ ...thrown, asked: type, mayHaveArrived: false, finding })
}

/** Derives a finding for an unreadable answer from the error's reason. */
function findingOf({ code, reason, status }: ServiceError): Finding | undefined {
  // An answer shorter than announced may fail before its body is read.
  if (/_LENGTH_MISMATCH$|_INCOMPLETE_CHUNKED_/.test(reason ?? '')) return 'not-whole'
  if (code !== 'not-json' || status !== undefined) return undefined
  const isCompressed = reason && /^(?:Z_|ERR_(?:CONTENT_DECODING|ENCODING|DECODE)|ERR__ERROR)/.test(reason)
  return isCompressed ? 'something-else' : 'not-http'
}

/**
 * Identifies an answer by its beginning.
 * @param beginning its first bytes, at most `INSPECTED_BYTES`.
 * @param isComplete whether that is the whole answer.
 */
export function identifyAnswer(type: DownloadType, beginning: Uint8Array, isComplete: boolean): UnexpectedAnswer {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.byteLength)
  if (bytes.toString('latin1', 0, 5) === '%PDF-') return unexpectedPdf(type)
  const charset = /^(?:fffe|..00..00)/.test(bytes.toString('hex', 0, 4)) ? 'utf-16le' : 'utf-8'
  const text = new TextDecoder(charset).decode(bytes).trim()
  if (text === '') return unexpectedAnswer(isComplete ? 'nothing' : 'something-else')
  // Not text, but an image or something compressed.
  if (/(?!\s)\p{Cc}|\uFFFD/u.test(text.slice(0, 1000))) return unexpectedAnswer('something-else')
  if (text.startsWith('<')) return unexpectedAnswer(identifyPage(type, text))
  if (!/^[{["]|^null$/.test(text)) return identifyText(type, text, isComplete)
  const json = isComplete ? parsedJson(text) : undefined
  if (json !== undefined) return identifyJson(type, json)
  // Errors are short; anything this long is data.
  return looksLikeRecords(text) ? unexpectedRecords(type) : unexpectedAnswer('something-else')
}

/** Identifies JSON that isn't what was asked for: an error with its words, or something else. */
export function identifyJson(type: DownloadType, json: unknown): UnexpectedAnswer {
  if (json === null || (Array.isArray(json) && json.length === 0)) return unexpectedAnswer('nothing')
  if (typeof json === 'string') return identifyText(type, json.trim(), true)
  const error = errorMessageIn(json)
  if (error) return { finding: 'error', said: error }
  return (Array.isArray(json) ? json : [json]).some(isRecord)
    ? unexpectedRecords(type)
    : unexpectedAnswer('something-else')
}

function identifyText(type: DownloadType, text: string, isComplete: boolean): UnexpectedAnswer {
  if (text === '') return unexpectedAnswer('nothing')
  const digits = text.replace(/^data:[^,]{0,200};base64,/i, '')
  if (digits.startsWith('JVBERi0')) return unexpectedPdf(type)
  // A long run of base64; sentences contain spaces.
  const isEncoded = /^[A-Za-z0-9+/_-]{40}(?:[A-Za-z0-9+/_=-]|\r?\n)*$/.test(digits)
  const isSentence = isComplete && text.length <= MAX_SENTENCE_LENGTH && !isEncoded
  return { finding: 'something-else', said: isSentence ? sentenceRefusal(text) : {} }
}

const RECORD_MEMBERS = new Set(
  ['DocClass', 'PortraitImage', 'FrontIDImage', 'BackIDImage', 'SelectedIDImage', 'ExamingDate', 'DocumentNumber']
    .concat(['FaceMatchResult', 'FaceMatchScore', 'IsPassed', 'UserFirstName', 'UserLastName', 'Attentions', 'DocId'])
    .map((name) => name.toLowerCase())
)

/** Whether it has a member that only records of an identity check (2.22) have. */
export function isRecord(json: unknown): boolean {
  return isObject(json) && Object.keys(json).some((name) => RECORD_MEMBERS.has(name.toLowerCase()))
}

/**
 * Returns the words of an error: from the framework's body (`ResponseStatus`), or in the formats of gateways and other
 * frameworks. Undefined if it isn't an error.
 */
function errorMessageIn(json: unknown): Refusal | undefined {
  if (!isObject(json) || isRecord(json)) return undefined
  const members = new Map(Object.entries(json).map(([name, value]) => [name.toLowerCase(), value]))
  if (isObject(members.get('responsestatus'))) return readRefusal(json)
  const error = members.get('error') ?? members.get('errors')
  if (isObject(error)) return errorMessageIn(error) ?? errorMessageIn({ message: '', ...error })
  const words = ['message', 'error_description', 'detail', 'error', 'title', 'reason'].map((name) => members.get(name))
  if (words.every((word) => word === undefined) && !members.has('errorcode') && error === undefined) return undefined
  const text = words.find((word) => typeof word === 'string' && word.trim() !== '')
  return typeof text === 'string' ? sentenceRefusal(text) : {}
}

/**
 * For operation 9 the only page to expect is a network's sign-in page; a signed document's address may lead to any
 * kind.
 */
function identifyPage(type: DownloadType, text: string): Finding {
  if (!/<(?:!doctype html|html|head|body|script|meta|title|h1|p|div|form)\b/i.test(text)) return 'something-else'
  const hasPassword = /<input[^>]{0,500}type\s*=\s*["']?password/i.test(text)
  if (hasPassword || /\b(?:log|sign)[ -]?(?:in|on)\b/i.test(text))
    return type === 'signed' ? 'not-let-in' : 'sign-in-page'
  if (type !== 'signed') return 'something-else'
  return /\b(?:expired|no longer (?:valid|available))\b/i.test(text) ? 'expired' : 'page'
}

function looksLikeRecords(text: string): boolean {
  return /"(?:DocClass|PortraitImage|FrontIDImage|ExamingDate|FaceMatchScore)"\s*:/i.test(text)
}

const unexpectedPdf = (type: DownloadType) => unexpectedAnswer(type === 'json' ? 'other-form' : 'something-else')
const unexpectedRecords = (type: DownloadType) => unexpectedAnswer(type === 'pdf' ? 'other-form' : 'something-else')

function sentenceRefusal(sentence: string): Refusal {
  return readRefusal({ ResponseStatus: { Message: sentence } })
}

function unexpectedAnswer(finding: Finding): UnexpectedAnswer {
  return { finding, said: {} }
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
