/**
 * Arbitrary values of a strict schema, derived from the schema itself, so that fields added to the model are covered
 * too.
 */
import fc from 'fast-check'
import type { z } from 'zod'

interface Definition {
  type: string
  format?: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  entries?: Record<string, string>
  options?: z.ZodType[]
}

/** Texts known to break things, in addition to generated ones. */
const ODD_TEXTS = [
  ' ',
  '0',
  'null',
  '\u0000',
  '\ufeff',
  '\ud800',
  '\u2028',
  '"\\/\b\f\n\r\t',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  "'; DROP TABLE documents; --",
  'Ωδ 漢字 👩‍👩‍👧 e\u0301',
  '\u202eright to left',
  '/Date(0)/',
  '2031-02-30',
  '__proto__',
  'x'.repeat(20_000)
]

/** Any text at all. */
export const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_TEXTS) }
)

/** Any address that the model accepts. */
export const anyEmail = fc.oneof(
  fc.emailAddress(),
  fc.constantFrom('mia+tag@example.com', "o'brien@example.org", 'māia@example.com', 'a@b.example', '用户@例子.example')
)

/** Any value that the schema accepts. */
export function arbitraryOf<Schema extends z.ZodType>(schema: Schema): fc.Arbitrary<z.output<Schema>> {
  return raw(schema) as fc.Arbitrary<z.output<Schema>>
}

function raw(schema: z.ZodType): fc.Arbitrary<unknown> {
  const accepted = (value: unknown) => schema.safeParse(value).success
  const def = (schema as unknown as { def: Definition }).def
  switch (def.type) {
    case 'object':
      return objectOf(def.shape ?? {})
    case 'array': {
      const element = raw(def.element as z.ZodType)
      // Sizes are kept small: this is about covering every field, not long lists.
      return fc.array(element, { minLength: accepted([]) ? 0 : 1, maxLength: 3 }).filter(accepted)
    }
    case 'optional':
      return raw(def.innerType as z.ZodType)
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}))
    case 'union':
      // JSON has no -0, so a number that is stored or sent comes back as 0.
      return fc.oneof(...(def.options ?? []).map(raw)).map((value) => (value === 0 ? 0 : value))
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -0, -1)).filter(accepted)
    case 'string':
      return (def.format === 'email' ? anyEmail : anyText).filter(accepted)
    default:
      throw new Error(`No arbitrary for a ${def.type}: teach it here`)
  }
}

/** Each optional member is present or absent, never undefined. */
function objectOf(shape: Record<string, z.ZodType>): fc.Arbitrary<unknown> {
  const requiredKeys = Object.keys(shape).filter((name) => !shape[name]?.safeParse(undefined).success)
  const members = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, raw(schema)]))
  return fc.record(members, { requiredKeys, noNullPrototype: true })
}
