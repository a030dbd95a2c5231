/**
 * Tolerates the deviations that the service's framework accepts and other software uses: names in any case, null for
 * absent, booleans as text, enumerations by number, and members left out where absence means the same. Only what is
 * certain is read that way; anything else is left for the strict schema to refuse.
 */
import { z } from 'zod'
import { Field, Form, knownFieldType, Template } from '../../../shared/model/index.ts'

/** How many readings are kept: more than a report shows. */
const MAX_READINGS = 1_001
/** Longer than any member's name, so that names of megabytes aren't compared. */
const MAX_NAME_LENGTH = 60
/** More than any object of the reference has; a larger one is refused anyway. */
const MAX_MEMBERS = 100

/** A form as other software sends it: its type may be missing, to be entered in the draft. */
export const SentForm = Form.partial({ FormType: true })

type Members = Record<string, unknown>

/** The meaning of an absent member, with the sentence that reports it. Undefined: it has none. */
const ABSENT = new Map<unknown, [name: string, meant: (members: Members) => unknown, reading: string][]>([
  [
    SentForm,
    [
      ['EmbedForm', () => false, 'A form without EmbedForm was read as one that isn’t embedded.'],
      ['FormType', () => undefined, 'A form without FormType was taken: its type is to be entered in the draft.']
    ]
  ],
  [Template, [['Fields', () => [], 'A template without Fields was read as one of which none is filled in.']]],
  [
    Field,
    [
      ['Reference', ({ ID }) => ID, 'A field without Reference was read as the one that its ID names.'],
      ['ID', ({ Reference }) => Reference, 'A field without ID was read by its Reference alone.'],
      ...['Label', 'Value', 'ClientField'].map((name): [string, () => unknown, string] => [
        name,
        () => '',
        `A field without ${name} was read as one whose ${name} is blank.`
      ]),
      ...['IsRequired', 'ReadOnly'].map((name): [string, () => unknown, string] => [
        name,
        () => false,
        `A field without ${name} was read as one where it is false.`
      ])
    ]
  ]
])

export interface LenientReader {
  /** Everything that was read differently from how it is written, in whole sentences, each once. */
  readings: ReadonlySet<string>
  /** Changes a value to the reference's spelling, in place. @param at its path in the request. */
  normalise<Value>(schema: z.ZodObject, value: Value, at: readonly PropertyKey[]): Value
}

/** @param onDuplicate called for each member that is present twice, in different case. */
export function openLenientReader(onDuplicate: (path: readonly PropertyKey[], message: string) => void): LenientReader {
  const readings = new Set<string>()
  const path: PropertyKey[] = []

  function addReading(reading: string): void {
    if (readings.size < MAX_READINGS) readings.add(reading)
  }

  function readMember(step: PropertyKey, schema: unknown, value: unknown): unknown {
    path.push(step)
    const read = normalised(schema, value)
    path.pop()
    return read
  }

  function normalised(schema: unknown, value: unknown): unknown {
    if (schema instanceof z.ZodOptional) return normalised(schema.unwrap(), value)
    if (schema instanceof z.ZodObject) {
      if (isMembers(value)) normaliseMembers(schema, value)
      return value
    }
    if (schema instanceof z.ZodArray) {
      for (let index = 0; Array.isArray(value) && index < value.length; index++) {
        value[index] = readMember(index, schema.element, value[index])
      }
      return value
    }
    const name = String(path.at(-1))
    const meaning = meaningOf(schema, value, name)
    if (meaning === undefined) return value
    addReading(
      `${name}: ${typeof value === 'string' ? `“${value}”` : value} was read as ${typeof meaning === 'string' ? `“${meaning}”` : meaning}.`
    )
    return meaning
  }

  function normaliseMembers(schema: z.ZodObject, members: Members): void {
    const names = namesOf(schema)
    const all = Object.keys(members)
    if (all.length > MAX_MEMBERS) return
    for (const written of all) {
      if (Object.hasOwn(schema.shape, written) || written.length > MAX_NAME_LENGTH) continue
      const name = names.get(written.toLowerCase())
      if (name === undefined) continue
      if (Object.hasOwn(members, name)) onDuplicate([...path, name], `is there twice, once written “${written}”`)
      else {
        members[name] = members[written]
        addReading(`“${written}” was read as “${name}”.`)
      }
      delete members[written]
    }
    for (const [name, member] of Object.entries(schema.shape)) {
      if (!Object.hasOwn(members, name)) continue
      if (members[name] !== null) members[name] = readMember(name, member, members[name])
      else {
        delete members[name]
        addReading(`${name}: null was read as left out.`)
      }
    }
    for (const [name, meant, reading] of ABSENT.get(schema) ?? []) {
      if (Object.hasOwn(members, name)) continue
      const value = meant(members)
      if (value !== undefined) members[name] = value
      addReading(reading)
    }
  }

  return {
    readings,
    normalise(schema, value, at) {
      path.splice(0, path.length, ...at)
      if (isMembers(value)) normaliseMembers(schema, value)
      return value
    }
  }
}

/** Returns a value's meaning in the schema's own spelling; undefined if it already has that, or isn't certain. */
function meaningOf(schema: unknown, value: unknown, name: string): unknown {
  const word = typeof value === 'string' && value.length < MAX_NAME_LENGTH ? value.toLowerCase() : undefined
  if (schema instanceof z.ZodBoolean) return word === 'true' || word === 'false' ? word === 'true' : undefined
  if (schema instanceof z.ZodNumber) return word !== undefined && /^-?\d{1,9}$/.test(word) ? Number(word) : undefined
  if (schema === Field.shape.ClientField) return typeof value === 'boolean' ? String(value) : undefined
  if (name === 'GMT') return Number.isSafeInteger(value) ? String(value) : undefined
  if (schema === Field.shape.FieldType) {
    const known = word === undefined && typeof value !== 'number' ? undefined : knownFieldType(value as string | number)
    return known === value ? undefined : known
  }
  if (!(schema instanceof z.ZodEnum) || schema.options.includes(value as string)) return undefined
  return schema.options.find((option) => String(option).toLowerCase() === word)
}

const lowerCased = new WeakMap<z.ZodObject, ReadonlyMap<string, string>>()

/** Returns a schema's member names by their lower-case form. */
function namesOf(schema: z.ZodObject): ReadonlyMap<string, string> {
  const known = lowerCased.get(schema) ?? new Map(Object.keys(schema.shape).map((name) => [name.toLowerCase(), name]))
  lowerCased.set(schema, known)
  return known
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
