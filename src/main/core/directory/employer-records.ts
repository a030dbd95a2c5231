/** Employer records of all kinds as one list, and back. Members that this version doesn't know stay with the set. */
import type { EditableEmployerKind } from '../../../shared/composition/employer-problems.ts'
import type { EmployerRecord } from '../../../shared/contract/index.ts'
import {
  EMPLOYER_FIELDS,
  type EmployerKind,
  type EmployerSet,
  type UpdateEmployersRequest
} from '../../../shared/model/index.ts'

export type EmployerRecordOf<Kind extends EditableEmployerKind> = NonNullable<UpdateEmployersRequest[Kind]>[number]

const KINDS = Object.keys(EMPLOYER_FIELDS) as EmployerKind[]

/** By kind in the reference's order, then as the service listed them. */
export function recordsOf(set: EmployerSet): EmployerRecord[] {
  return KINDS.flatMap((kind) =>
    (set[kind] ?? []).map((record) => ({
      kind,
      Reference: record.Reference ?? '',
      Name: record.Name ?? '',
      IsDefault: record.IsDefault ?? false,
      fields: Object.fromEntries(
        EMPLOYER_FIELDS[kind].flatMap((name) => {
          const value = (record as Record<string, unknown>)[name]
          return typeof value === 'string' && value !== '' ? [[name, value]] : []
        })
      )
    }))
  )
}

/** Whether saving the one over the other would change nothing. */
export function sameRecord(one: EmployerRecord, other: EmployerRecord): boolean {
  return (
    one.kind === other.kind &&
    one.Reference === other.Reference &&
    one.Name === other.Name &&
    one.IsDefault === other.IsDefault &&
    EMPLOYER_FIELDS[one.kind].every((name) => (one.fields[name] ?? '').trim() === (other.fields[name] ?? '').trim())
  )
}
