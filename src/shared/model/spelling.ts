/**
 * How the service writes plain values, and how we decode them. The decoder is lenient (null means absent, numbers and
 * booleans may be text, names may be in any case) but never guesses beyond that.
 */
import { z } from 'zod'

/** Text. Numbers and booleans are converted, since older services send references and offsets unquoted. */
export const text = z.union([z.string(), z.number().transform(String), z.boolean().transform(String)])

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
  ['yes', true],
  ['no', false]
])

/** A boolean, also as `"true"`, `"True"`, `1` or `"0"`. Empty text means absent. */
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

/** A whole number, also as text. Empty text means absent. */
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
 * An open enumeration whose values are names (in any case) or numbers. Known values get our spelling; unknown ones are
 * kept as they are, because they still have to be shown.
 * @param names each known name at the index of its number; `undefined` if a number is unassigned.
 */
export function openEnumeration<const Name extends string>(names: readonly (Name | undefined)[]) {
  const known = nameFinder(names)
  const read = (value: string | number): Name | (string & {}) => known(value) ?? String(value).trim()
  return z.union([z.string(), z.number()]).transform(read)
}

/** Returns a function that finds the known name for a name in any case or a number; undefined if there is none. */
export function nameFinder<const Name extends string>(names: readonly (Name | undefined)[]) {
  const byName = new Map(names.flatMap((name) => (name ? [[name.toLowerCase(), name] as const] : [])))
  return (value: string | number): Name | undefined => {
    const spelled = String(value).trim()
    return /^\d+$/.test(spelled) ? names[Number(spelled)] : byName.get(spelled.toLowerCase())
  }
}

/**
 * An object received from the service: null members are absent, known members are found regardless of case, unknown
 * ones are kept.
 */
export function received<Shape extends z.ZodRawShape>(shape: Shape) {
  const canonicalNames = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]))
  return z.preprocess((value) => normalize(value, canonicalNames), z.looseObject(shape))
}

/**
 * A list received from the service; null means empty, and nulls in it are dropped. An object in its place becomes the
 * only item: section 2.2 gives a form's Signers the type of a single one.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => {
    const list = value ?? []
    if (Array.isArray(list)) return list.filter((one) => one !== null)
    return typeof list === 'object' ? [list] : list
  }, z.array(item))
}

function normalize(value: unknown, canonicalNames: ReadonlyMap<string, string>): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const tidied: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    // A member with this name would set the object's prototype instead of being data.
    if (member === null || name === '__proto__') continue
    const canonicalName = canonicalNames.get(name.toLowerCase()) ?? name
    if (canonicalName !== name && ((value as Record<string, unknown>)[canonicalName] ?? null) !== null) continue
    tidied[canonicalName] = member
  }
  return tidied
}

/** Returns the schema of a member itself, without optional and preprocessing wrappers. */
export function unwrapSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return unwrapSchema(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrapSchema(schema.out) : schema
}

const memberNames = new WeakMap<z.core.$ZodType, ReadonlySet<string>>()

/**
 * Returns the members of a decoded object that the reference doesn't name, unchanged.
 * @param schema of the object, as made by `received`.
 */
export function unknownMembers(schema: z.core.$ZodType, value: object): [name: string, member: unknown][] {
  let known = memberNames.get(schema)
  if (!known) {
    const object = unwrapSchema(schema)
    if (!(object instanceof z.ZodObject)) throw new Error('This is not the schema of an object.')
    known = new Set(Object.keys(object.shape))
    memberNames.set(schema, known)
  }
  return Object.entries(value).filter(([name]) => !known.has(name))
}
