/**
 * How the service spells plain values, and how we read them. The reader is lenient (null is absent, numbers and
 * booleans may come as text, names in any case); what a value says is never guessed beyond that.
 */
import { z } from 'zod'

/** Text. Numbers and booleans are taken as their text, since older services send references and offsets bare. */
export const text = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)])

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false]
])

/** A boolean, also as `"true"`, `"True"`, `1` or `"0"`. An empty text is an absent one. */
export const flag = z.union([
  z.boolean(),
  z.union([z.string(), z.number()]).transform((value, context) => {
    const spelled = String(value).trim().toLowerCase()
    if (spelled === '') return undefined
    const read = FLAGS.get(spelled)
    if (read !== undefined) return read
    context.addIssue({ code: 'custom', message: 'is neither true nor false' })
    return z.NEVER
  })
])

/** A whole number, also as text. An empty text is an absent one. */
export const integer = z.union([
  z.number().int(),
  z.string().transform((value, context) => {
    if (value.trim() === '') return undefined
    const read = Number(value)
    if (Number.isSafeInteger(read)) return read
    context.addIssue({ code: 'custom', message: 'is not a whole number' })
    return z.NEVER
  })
])

/**
 * An open enumeration that may come as its name (in any case) or its number. Known ones are given their own
 * spelling; unknown ones are kept as they came, because a value that we don't know is still to be shown.
 * @param names each known name at the index of its number; `undefined` where a number is unassigned.
 */
export function openEnumeration<const Name extends string>(names: readonly (Name | undefined)[]) {
  const known = knownIn(names)
  const read = (value: string | number): Name | (string & {}) => known(value) ?? String(value).trim()
  return z.union([z.string(), z.number()]).transform(read)
}

/** Finds the name that a value stands for, by itself in any case or by its number; undefined for one that isn't known. */
export function knownIn<const Name extends string>(names: readonly (Name | undefined)[]) {
  const byName = new Map(names.flatMap((name) => (name ? [[name.toLowerCase(), name] as const] : [])))
  return (value: string | number): Name | undefined => {
    const spelled = String(value).trim()
    return /^\d+$/.test(spelled) ? names[Number(spelled)] : byName.get(spelled.toLowerCase())
  }
}

/**
 * An object that the service answers: null members are absent, known members are found whatever their case,
 * unknown ones are kept and passed on.
 */
export function received<Shape extends z.ZodRawShape>(shape: Shape) {
  const spelledOurWay = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  return z.preprocess((value) => tidy(value, spelledOurWay), z.looseObject(shape))
}

/**
 * A list that the service answers; null is an empty one, and a null in it is no item. An object in its place is its only
 * item: section 2.2 types a form's Signers as one.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => {
    const list = value ?? []
    if (Array.isArray(list)) return list.filter((one) => one !== null)
    return typeof list === 'object' ? [list] : list
  }, z.array(item))
}

function tidy(value: unknown, spelledOurWay: ReadonlyMap<string, string>): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const tidied: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    // A member of this name would set the object's prototype instead of being data.
    if (member === null || name === '__proto__') continue
    const ours = spelledOurWay.get(name.toLowerCase()) ?? name
    if (ours !== name && ((value as Record<string, unknown>)[ours] ?? null) !== null) continue
    tidied[ours] = member
  }
  return tidied
}

/** What decodes a member once it is there and tidy. */
export function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return bare(schema.unwrap())
  return schema instanceof z.ZodPipe ? bare(schema.out) : schema
}

const namesOf = new WeakMap<z.core.$ZodType, ReadonlySet<string>>()

/**
 * The members of a decoded object that the reference doesn't name, as they came.
 * @param schema of the object, as `received` makes them.
 */
export function unknownMembers(schema: z.core.$ZodType, value: object): [name: string, member: unknown][] {
  let known = namesOf.get(schema)
  if (!known) {
    const object = bare(schema)
    if (!(object instanceof z.ZodObject)) throw new Error('This is not the schema of an object.')
    known = new Set(Object.keys(object.shape))
    namesOf.set(schema, known)
  }
  return Object.entries(value).filter(([name]) => !known.has(name))
}
