/** Rows of documents as the mirror stores them, and arbitraries of rows and queries for property tests. */
import fc from 'fast-check'
import { type IndexRow, indexRowOf, type RowFacts } from '../../../../src/main/core/documents/index/row.ts'
import {
  DOCUMENT_COLUMNS,
  DocumentQuery,
  IDENTITY_FILTERS,
  STATUS_FAMILIES
} from '../../../../src/shared/contract/index.ts'
import { DocumentResponse } from '../../../../src/shared/model/index.ts'

export const ZONE = 'Pacific/Auckland'
/** 21 November 2026, 22:00 in Auckland. */
export const NOW = Date.UTC(2026, 10, 21, 9)
export const DAY = 86_400_000

/** Returns a row of account `a` in `Progress`, for a document as the service spells it. */
export function row(document: Record<string, unknown>, facts: Partial<RowFacts> = {}): IndexRow {
  const base = { accountId: 'a', folder: 'Progress', arrivedAt: NOW - DAY, changedAt: NOW - DAY, unread: false }
  return indexRowOf(DocumentResponse.parse({ Reference: 'D-1', ...document }), { ...base, ...facts })
}

export function query(conditions: Partial<DocumentQuery> = {}): DocumentQuery {
  return DocumentQuery.parse(conditions)
}

const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined })
const words = [
  'Māori',
  'maori',
  'Deed',
  'deed 2',
  'deed 10',
  '=1+1',
  '<b>x</b>',
  'a,"b"',
  'Ærø',
  'é',
  'ﬁnal',
  '名前',
  'a.b@c'
]
const text = fc.oneof(
  fc.constantFrom(...words),
  fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 6 })
)
/** Times around now, many of them equal. */
const moment = fc.integer({ min: -10, max: 10 }).map((half) => NOW + (half * DAY) / 2)
const date = fc.oneof(
  moment.map((at) => new Date(at).toISOString()),
  moment.map((at) => new Date(at).toISOString().slice(0, 10))
)
const present = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const signer = fc
  .record({
    FirstName: text,
    LastName: maybe(text),
    Email: maybe(fc.constantFrom('aroha@example.com', 'tane.ngata@example.org')),
    HasSigned: maybe(fc.boolean()),
    SigningKey: maybe(fc.constant('https://sign.example.com/x')),
    IsFaceToFaceSigning: maybe(fc.boolean()),
    IDVerificationResult: maybe(fc.constantFrom('Passed', 'Failed', 'Odd')),
    DeclinedReason: maybe(text)
  })
  .map(present)

const anyDocument = fc
  .record({
    Name: maybe(text),
    Status: maybe(
      fc.constantFrom('Complete', 'Declined', 'Expired', 'NotStart', 'Signing', '1 of 2 Signed', 'Signed', 'Odd')
    ),
    DueDate: maybe(date),
    LastSignedDate: maybe(date),
    GMT: maybe(fc.constantFrom('780', '-300')),
    PackageReference: maybe(fc.constantFrom('P-1', 'P-2', 'P-10')),
    ClientReference: maybe(text),
    FormDirectReference: maybe(fc.constantFrom('F-1', 'f-2')),
    MatterNumber: maybe(text),
    HasFileUploaded: maybe(fc.boolean()),
    IDVerificationRequested: maybe(fc.boolean()),
    Signers: fc.array(signer, { maxLength: 3 })
  })
  .map(present)

const anyFacts = fc
  .record({
    folder: fc.constantFrom('InBox', 'Progress', 'Signed', '__proto__'),
    arrivedAt: moment,
    changedAt: moment,
    completedAt: maybe(moment),
    goneAt: fc.option(moment, { nil: undefined, freq: 4 }),
    unread: fc.boolean()
  })
  .map(present)

const reference = fc.integer({ min: 0, max: 30 }).map((number) => `D-${number}`)
export const anyRow: fc.Arbitrary<IndexRow> = fc
  .tuple(reference, anyDocument, anyFacts)
  .map(([Reference, document, facts]) => row({ Reference, ...document }, facts))

const anyConditions = fc.record(
  {
    folder: fc.constantFrom('InBox', 'Progress', 'Signed'),
    families: fc.subarray([...STATUS_FAMILIES]),
    progress: fc.record({ signed: fc.nat(2), of: fc.integer({ min: 1, max: 3 }) }),
    dueWithinDays: fc.nat(5),
    dueOn: moment.map((at) => new Date(at).toISOString().slice(0, 10)),
    overdue: fc.constant(true as const),
    stuckForDays: fc.nat(4),
    signer: fc.oneof(text, fc.constantFrom('ARO', 'example', ' ')),
    waitingHere: fc.constant(true as const),
    identity: fc.constantFrom(...IDENTITY_FILTERS),
    hasFileUploaded: fc.constant(true as const),
    unread: fc.constant(true as const),
    week: fc.record({
      monday: fc.constantFrom('2026-11-09', '2026-11-16', '2026-11-23'),
      what: fc.constantFrom('sent', 'completed')
    }),
    gone: fc.constant(true as const)
  },
  { requiredKeys: [] }
)

/** A few conditions at a time, as many would match nothing. */
const fewConditions = fc
  .tuple(anyConditions, fc.array(fc.nat(13), { maxLength: 2 }))
  .map(([all, places]) => Object.fromEntries(Object.entries(all).filter((_, place) => places.includes(place))))

export const anyQuery: fc.Arbitrary<DocumentQuery> = fc
  .record({
    conditions: fewConditions,
    search: fc.oneof(
      { weight: 2, arbitrary: fc.constant('') },
      text,
      fc.constantFrom('d', 'de', 'P-1', 'exam aroha', 'D-2')
    ),
    sort: fc.record({ by: fc.constantFrom(...DOCUMENT_COLUMNS), descending: fc.boolean() }),
    grouped: fc.boolean()
  })
  .map(({ conditions, ...rest }) => query({ ...conditions, ...rest } as Partial<DocumentQuery>))
