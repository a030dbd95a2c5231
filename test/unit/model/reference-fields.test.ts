/** Walks the reference's field tables against the model, so that no field is missing, renamed, or of another type. */
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import * as model from '../../../src/shared/model/index.ts'
import { answered, type FieldType, sent } from './reference-tables.ts'

/** Returns the fields of the object inside any wrappers. */
function fieldsOf(schema: z.ZodType): Record<string, z.ZodType> {
  const def = (schema as unknown as { def: Record<string, unknown> }).def
  if (def.type === 'object') return def.shape as Record<string, z.ZodType>
  const inner = def.innerType ?? def.element ?? def.out
  if (!inner) throw new Error(`No object in a ${String(def.type)}`)
  return fieldsOf(inner as z.ZodType)
}

function schemaAt(path: string): z.ZodType {
  const [name = '', ...steps] = path.split('.')
  const schema = (model as unknown as Record<string, z.ZodType>)[name]
  if (!schema) throw new Error(`The model has no ${name}`)
  return steps.reduce((at, step) => fieldsOf(at)[step] ?? schemaAt(`${step} in ${path}`), schema)
}

const samples: Record<FieldType, unknown> = {
  string: 'text',
  boolean: true,
  integer: 3,
  array: [],
  object: {},
  email: 'mia@example.com',
  enumeration: 'text'
}

const rows = (tables: typeof sent) =>
  Object.entries(tables).flatMap(([name, table]) =>
    Object.entries(table).map(([field, spelled]) => {
      const type = spelled.replace('!', '') as FieldType
      return [name, field, type, spelled.endsWith('!') ? 'required' : 'optional'] as const
    })
  )

describe('requests', () => {
  test.each(Object.entries(sent))('%s has exactly the fields of its table', (name, table) => {
    expect(Object.keys(fieldsOf(schemaAt(name))).sort()).toEqual(Object.keys(table).sort())
  })

  test.each(rows(sent))('%s.%s is %s and %s', (name, field, type, need) => {
    const schema = fieldsOf(schemaAt(name))[field]
    expect(schema?.safeParse(undefined).success).toBe(need === 'optional')
    expect(schema?.safeParse(null).success).toBe(false)
    if (type !== 'enumeration' && type !== 'array') expect(schema?.safeParse(samples[type]).success).toBe(true)
    const wrong = type === 'boolean' || type === 'integer' ? '1' : type === 'enumeration' ? true : 1
    expect(schema?.safeParse(wrong).success).toBe(false)
  })

  test.each(Object.keys(sent))('%s accepts no member unknown to the reference', (name) => {
    const problems = schemaAt(name).safeParse({ Surprise: 1 }).error?.issues ?? []
    expect(problems.some((problem) => problem.code === 'unrecognized_keys')).toBe(true)
  })

  test('the type of an identity answer is text, date or email', () => {
    const accepted = ['text', 'date', 'email', 'number', 'Text'].filter(
      (DataType) => model.AuthInfo.safeParse({ Label: 'a', Value: 'b', DataType }).success
    )
    expect(accepted).toEqual(['text', 'date', 'email'])
  })

  test('field types are named, each with the reference’s number', () => {
    expect(model.FIELD_TYPES.map((name, number) => `${name}=${number}`)).toEqual([
      'Text=0',
      'MultiLineText=1',
      'undefined=2',
      'CheckBox=3',
      'RadioButton=4',
      'DropDownList=5',
      'DateInput=6'
    ])
  })
})

describe('answers', () => {
  test.each(rows(answered))('%s.%s (%s) is known', (name, field, type) => {
    const schema = fieldsOf(schemaAt(name))[field]
    expect(schema, `${name} has no ${field}`).toBeDefined()
    expect(schema?.safeParse(samples[type]).success).toBe(true)
    if (type === 'boolean') expect(schema?.safeParse('True').data).toBe(true)
    if (type === 'string') expect(schema?.safeParse(7).success).toBe(true)
  })

  test.each(Object.keys(answered))(
    '%s may lack everything but its reference, and may contain null and unknown members',
    (name) => {
      const schema = schemaAt(name)
      const fields = Object.keys(answered[name] ?? {})
      const nothing = Object.fromEntries(fields.map((field) => [field, null]))
      const read = schema.safeParse(wrap(name, { ...nothing, Reference: 'r', Extra: [1] }))
      expect(read.error?.issues ?? []).toEqual([])
      expect(unwrap(read.data)).toMatchObject({ Extra: [1] })
    }
  )

  test('states are those in section 3', () => {
    expect(model.SIGNED_STATUSES).toHaveLength(14)
    expect(model.DOCUMENT_STATUSES).toHaveLength(10)
    expect(model.FOLDERS).toEqual(['InBox', 'Progress', 'Signed'])
  })
})

/** A path to a list's items ends at the list itself. */
function wrap(path: string, value: unknown): unknown {
  return isList(path) ? [value] : value
}
function unwrap(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value
}
function isList(path: string): boolean {
  const { success } = schemaAt(path).safeParse([])
  return success
}
