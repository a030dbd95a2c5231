/**
 * Reads request bodies as leniently as the real service does for older clients: field names in any case, null as
 * missing, booleans and numbers as text, enumerations by name or number. Missing required values are reported with
 * their path; read values stay exactly as sent.
 */
import { z } from 'zod'
import { type FieldProblem, invalid, Refusal } from './conventions.ts'

/** Reads the value at a path; undefined means missing (or reported). */
export type Reader<Value> = (value: unknown, at: string, problems: FieldProblem[]) => Value | undefined

interface Field {
  isRequired: boolean
  read: Reader<unknown>
}

/**
 * Creates a reader from one of the model's schemas. Field names ignore case; unknown fields are dropped, as the
 * service's framework does. Fields that aren't optional are required, and an empty text or list counts as missing.
 */
export function readerOf<Schema extends z.ZodType>(schema: Schema): Reader<z.output<Schema>> {
  const member = (inner: z.core.$ZodType) => readerOf(inner as z.ZodType)
  const fieldOf = (inner: z.core.$ZodType): Field => {
    const isRequired = !(inner instanceof z.ZodOptional)
    return { isRequired, read: member(isRequired ? inner : inner.unwrap()) }
  }
  const reader = (): Reader<unknown> => {
    if (schema instanceof z.ZodObject) {
      return record(new Map(Object.entries(schema.shape).map(([name, inner]) => [name, fieldOf(inner)])))
    }
    if (schema instanceof z.ZodArray) return listOf(member(schema.element))
    if (schema instanceof z.ZodEnum) return oneOf(schema.options.map(String))
    if (schema instanceof z.ZodEmail) return email
    if (schema instanceof z.ZodBoolean) return flag
    if (schema instanceof z.ZodUnion) return textOrNumber
    return schema instanceof z.ZodNumber ? wholeNumber : text
  }
  return reader() as Reader<z.output<Schema>>
}

function record(fields: ReadonlyMap<string, Field>): Reader<Record<string, unknown>> {
  return (value, at, problems) => {
    if (!isObject(value)) {
      problems.push(mismatch(at, 'an object'))
      return undefined
    }
    const sent = byLowerCase(value)
    const result: Record<string, unknown> = {}
    for (const [name, field] of fields) {
      const place = at ? `${at}.${name}` : name
      const raw = Object.hasOwn(value, name) ? value[name] : sent.get(name.toLowerCase())
      const read = readField(field, raw, place, problems)
      if (read !== undefined) result[name] = read
    }
    return result
  }
}

function readField({ isRequired, read: reader }: Field, raw: unknown, place: string, problems: FieldProblem[]) {
  const before = problems.length
  const read = raw === undefined || raw === null ? undefined : reader(raw, place, problems)
  if (!isRequired) return read
  const empty = read === undefined || read === '' || isEmptyList(read)
  if (empty && problems.length === before) problems.push(missingField(place))
  return read
}

/** Reads a list. Null items are refused, since positions have a meaning (the signing order). */
function listOf<Item>(item: Reader<Item>): Reader<Item[]> {
  return (value, at, problems) => {
    if (!Array.isArray(value)) {
      problems.push(mismatch(at, 'a list'))
      return undefined
    }
    return value.flatMap((one, index) => {
      const read = item(one, `${at}[${index}]`, problems)
      return read === undefined ? [] : [read]
    })
  }
}

/** Reads text; numbers and booleans are converted. */
const text: Reader<string> = (value, at, problems) => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  problems.push(mismatch(at, 'text'))
  return undefined
}

const textOrNumber: Reader<string | number> = (value, at, problems) =>
  typeof value === 'number' ? value : text(value, at, problems)

/** Reads an e-mail address: something on both sides of one @. */
const email: Reader<string> = (value, at, problems) => {
  const read = text(value, at, problems)
  if (read?.trim() === '') return ''
  if (read === undefined || /^[^\s@]+@[^\s@]+$/u.test(read.trim())) return read
  problems.push({ ErrorCode: 'Email', FieldName: at, Message: `'${lastName(at)}' is not a valid e-mail address.` })
  return undefined
}

/** Reads a boolean, also as text or number in the usual spellings. Empty text counts as missing. */
const flag: Reader<boolean> = (value, at, problems) => {
  const spelled = typeof value === 'object' ? '?' : String(value).trim().toLowerCase()
  if (spelled === '') return undefined
  if (['true', '1', 'yes', 'on'].includes(spelled)) return true
  if (['false', '0', 'no', 'off'].includes(spelled)) return false
  problems.push(mismatch(at, 'true or false'))
  return undefined
}

/** Reads a whole number, also as text. Empty text counts as missing. */
const wholeNumber: Reader<number> = (value, at, problems) => {
  if (typeof value === 'string' && value.trim() === '') return undefined
  const read = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  if (Number.isInteger(read)) return read
  problems.push(mismatch(at, 'a whole number'))
  return undefined
}

/** Reads one of these names, in any case, or its index. */
function oneOf(names: readonly string[]): Reader<string> {
  return (value, at, problems) => {
    const spelled = typeof value === 'object' ? '' : String(value).trim().toLowerCase()
    if (spelled === '') return undefined
    const found = /^\d+$/.test(spelled) ? names[Number(spelled)] : names.find((name) => name.toLowerCase() === spelled)
    if (found) return found
    problems.push(mismatch(at, `one of ${names.join(', ')}`))
    return undefined
  }
}

function byLowerCase(value: Record<string, unknown>): Map<string, unknown> {
  return new Map(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function missingField(at: string): FieldProblem {
  return { ErrorCode: 'NotEmpty', FieldName: at, Message: `'${lastName(at)}' must not be empty.` }
}

function mismatch(at: string, wanted: string): FieldProblem {
  return { ErrorCode: 'InvalidType', FieldName: at, Message: `'${lastName(at) || 'The body'}' must be ${wanted}.` }
}

/** The field's own name, at the end of its path. */
function lastName(at: string): string {
  return at.slice(at.lastIndexOf('.') + 1)
}

const MAX_BODY_BYTES = 32 * 1024 * 1024

/** Reads a JSON body of limited size; unreadable ones are refused with the paths at fault. */
export async function readBody<Value>(request: Request, reader: Reader<Value>): Promise<Value> {
  const type = request.headers.get('content-type') ?? ''
  // Other types can be posted by a foreign web page without a CORS preflight.
  if (!/^[\w.+-]+\/([\w.-]+\+)?json\b/i.test(type)) {
    throw new Refusal(415, 'UnsupportedMediaType', 'The body must be JSON, with Content-Type: application/json.')
  }
  const text = await readText(request)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'SerializationException', 'The body could not be read as JSON.')
  }
  return readValue(json, reader)
}

/** Reads a parsed body. @throws Refusal with the paths at fault. */
export function readValue<Value>(json: unknown, reader: Reader<Value>): Value {
  const problems: FieldProblem[] = []
  const value = reader(json, '', problems)
  if (value === undefined || problems.length > 0) throw invalid(problems)
  return value
}

async function readText(request: Request): Promise<string> {
  const tooLarge = () => new Refusal(413, 'RequestTooLarge', 'The request is larger than the service takes.')
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const decoder = new TextDecoder()
  let length = 0
  let text = ''
  for await (const piece of request.body ?? []) {
    length += piece.byteLength
    if (length > MAX_BODY_BYTES) throw tooLarge()
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
