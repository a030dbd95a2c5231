/**
 * A send request as other software makes it for the service: SendFormDirectRequest2 (2.1) or the Form Filler request
 * (2.9), told apart by its members. Decoded strictly, except for the deviations that the service tolerates: unknown,
 * missing or wrong members are named by their paths.
 */
import type { z } from 'zod'
import {
  type Composition,
  Composition as CompositionModel,
  compositionOfRequest
} from '../../../shared/composition/index.ts'
import type { FieldMessage } from '../../../shared/contract/index.ts'
import { formatPath, SendFormDirectRequest, SendFormFillerRequest, Template } from '../../../shared/model/index.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { type JsonTrouble, type Member, parsePiece, readInSlices, scanObject } from '../lib/json-scanning.ts'
import { openLenientReader, SentForm } from './lenient-reader.ts'

export interface RequestContent {
  composition: Composition
  /** Differences in the composition, in words. */
  notes: string[]
  /** What was read differently from how it is written, with certainty, in whole sentences. */
  readings: string[]
}

/** How many faults are named. */
const MAX_FAULTS = 100
/** More than a report shows. */
const MAX_NOTES = 1_001

const UNREADABLE: Record<JsonTrouble['kind'], string> = {
  empty: 'This file is empty.',
  cut: 'This file is incomplete: it ends in the middle of its JSON.',
  malformed: 'This isn’t JSON, or it is damaged.'
}

/** @param dateFormat the account's, as given by `Account/Info`. @throws AppFailure `invalid`, with its fields. */
export async function readRequestFile(bytes: Uint8Array, dateFormat?: string): Promise<RequestContent> {
  return readInSlices(read(bytes, dateFormat), UNREADABLE)
}

const KINDS = {
  Forms: [SentForm, SendFormDirectRequest, SendFormDirectRequest.omit({ Forms: true })],
  Templates: [Template, SendFormFillerRequest, SendFormFillerRequest.omit({ Templates: true })]
} as const

function* read(bytes: Uint8Array, dateFormat: string | undefined): Generator<void, RequestContent> {
  const members = yield* scanObject(bytes)
  const found = [...members.keys()].filter((name) => /^(?:forms|templates)$/i.test(name))
  const isForms = found.some((name) => /^forms$/i.test(name))
  if (found.length === 0 || (isForms && found.some((name) => /^templates$/i.test(name)))) {
    fail('invalid', 'This isn’t a send request: it needs either Forms or Templates.')
  }
  const list = isForms ? 'Forms' : 'Templates'
  const [itemSchema, fullSchema, restSchema] = KINDS[list]
  const faults = openFaults()
  const lenientReader = openLenientReader((path, message) => faults.add({ field: formatPath(path), message }))
  const others = Object.fromEntries<unknown>(members)
  // The list's elements are read below; here only its name is.
  for (const [name, at] of members) others[name] = found.includes(name) || parsePiece(bytes, at)
  lenientReader.normalise(fullSchema, others, [])
  delete others[list]
  const checked = restSchema.safeParse(others)
  if (!checked.success) faults.addAll(checked.error, [])
  const items: unknown[] = []
  for (const piece of elementsOf(members.get(found[0] ?? list), list)) {
    const read = itemSchema.safeParse(
      lenientReader.normalise(itemSchema, parsePiece(bytes, piece), [list, items.length])
    )
    if (read.success) items.push(read.data)
    else faults.addAll(read.error, [list, items.length])
    if (!read.success) items.push(undefined)
    yield
  }
  if (faults.count() > 0) faults.refuse()
  const request = { ...checked.data, [list]: items }
  // Each part was just checked by its own schema.
  const { composition, problems, readings } = compositionOfRequest(
    isForms
      ? { kind: 'form-direct', request: request as unknown as SendFormDirectRequest }
      : { kind: 'form-filler', request: request as unknown as SendFormFillerRequest },
    dateFormat
  )
  const errors = problems.filter(({ severity }) => severity === 'error')
  for (const { at, message } of errors) faults.add({ field: at, message })
  if (errors.length > 0) faults.refuse()
  yield
  const parsed = CompositionModel.safeParse(composition)
  if (!parsed.success) {
    faults.addAll(parsed.error, [])
    faults.refuse()
  }
  return {
    composition,
    notes: problems.slice(0, MAX_NOTES).map(({ at, message }) => `${at} ${message}.`),
    readings: [...lenientReader.readings, ...readings].slice(0, MAX_NOTES)
  }
}

function elementsOf(member: Member | undefined, list: string): NonNullable<Member['elements']> {
  const elements = member?.elements
  if (elements && elements.length > 0) return elements
  const faults = openFaults()
  faults.add({ field: list, message: elements ? 'is empty' : 'must be a list' })
  return faults.refuse()
}

/** Collects a request's faults: the first ones by name, the others only as a count, since there may be a million. */
function openFaults() {
  const fields: FieldMessage[] = []
  let count = 0

  function add(fault: FieldMessage): void {
    count += 1
    if (fields.length < MAX_FAULTS) fields.push(fault)
  }

  return {
    count: () => count,
    add,
    addAll({ issues }: z.ZodError, parentPath: readonly PropertyKey[]): void {
      for (const issue of issues) {
        const path = [...parentPath, ...issue.path]
        if (issue.code !== 'unrecognized_keys') {
          add({ field: shortened(formatPath(path)), message: reasonOf(issue) })
          continue
        }
        for (const key of issue.keys.slice(0, MAX_FAULTS)) {
          add({ field: shortened(formatPath([...path, key])), message: 'isn’t known' })
        }
        count += Math.max(0, issue.keys.length - MAX_FAULTS)
      }
    },

    refuse(): never {
      throw new AppFailure({
        code: 'invalid',
        message:
          count === 1
            ? `This request can’t be used: ${fields[0]?.field} ${fields[0]?.message}.`
            : `This request can’t be used: ${count} fields are missing, unknown or wrong.`,
        fields
      })
    }
  }
}

function reasonOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return /received undefined$/.test(issue.message)
        ? 'is missing'
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`
    case 'too_small':
      return issue.origin === 'array' ? 'is empty' : 'is blank'
    case 'too_big':
      return issue.origin === 'array' ? 'has too many entries' : 'is too long'
    case 'invalid_format':
      return issue.format === 'email' ? 'isn’t an e-mail address' : 'isn’t in the right format'
    case 'invalid_value':
      return `must be ${issue.values.map(String).join(', ')}`
    default:
      return 'has the wrong type'
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object'
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}
