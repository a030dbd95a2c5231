/**
 * The account's employer records (API reference sections 2.18 and 2.19). Operation 3 saves them and returns everything
 * the account has; that answer is stored here, because the reference has no route to read them.
 */

import { isDeepStrictEqual } from 'node:util'
import {
  EDITABLE_EMPLOYERS,
  type EditableEmployerKind,
  employerProblems
} from '../../../shared/composition/employer-problems.ts'
import type {
  AppError,
  EmployerChange,
  EmployerRecord,
  EmployersView,
  FieldMessage
} from '../../../shared/contract/index.ts'
import {
  decode,
  EMPLOYER_FIELDS,
  type EmployerKind,
  EmployerSet,
  ErrorResponse,
  type UpdateEmployersRequest
} from '../../../shared/model/index.ts'
import type { Rights } from '../accounts/rights.ts'
import { asAppError } from '../errors/app-error.ts'
import { AppFailure, fail } from '../lib/failure.ts'
import { otherMembers } from '../lib/other-members.ts'
import { isFresh, type Time } from '../lib/time.ts'
import type { EmployersAnswer, UnreadableEmployer } from '../service/account.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { Db } from '../storage/connection.ts'

export interface EmployersDeps {
  db: Db
  clientOf: (accountId: string) => Promise<Pick<ServiceClient, 'updateEmployers' | 'getEmployers'>>
  rights: Rights
  time: Pick<Time, 'now'>
  changed: () => void
}

/** How old a copy may be before it is read again automatically, in milliseconds. */
const MAX_AGE = 10 * 60_000

interface StoredEmployers extends EmployersAnswer {
  at: number
}

export type Employers = ReturnType<typeof openEmployers>

export function openEmployers({ db, clientOf, rights, time, changed }: EmployersDeps) {
  const read = db.prepare<[string], { records: string; unreadable: string; answered_at: number }>(
    'SELECT records, unreadable, answered_at FROM employers WHERE account_id = ?'
  )
  const write = db.prepare(
    `INSERT INTO employers (account_id, records, unreadable, answered_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET records = excluded.records, unreadable = excluded.unreadable,
       answered_at = excluded.answered_at`
  )

  function readStored(accountId: string): StoredEmployers | undefined {
    const row = read.get(accountId)
    if (!row) return undefined
    const set = decode(EmployerSet, JSON.parse(row.records))
    return set.ok ? { set: set.value, unreadable: JSON.parse(row.unreadable), at: row.answered_at } : undefined
  }

  function store(accountId: string, answer: EmployersAnswer): StoredEmployers {
    const now = { ...answer, at: time.now() }
    const before = read.get(accountId)
    const [records, unreadable] = [JSON.stringify(answer.set), JSON.stringify(answer.unreadable)]
    write.run(accountId, records, unreadable, now.at)
    if (before?.records !== records || before.unreadable !== unreadable) changed()
    return now
  }

  function view(accountId: string, copy: StoredEmployers | undefined, problem?: AppError): EmployersView {
    const shown = problem ?? (copy && unreadableProblem(copy.unreadable))
    const trouble = shown && { problem: shown }
    if (!copy) return { records: [], from: 'nowhere', ...trouble }
    const from = rights.of(accountId).readsEmployers === 'yes' ? 'service' : 'local'
    return { records: recordsOf(copy.set), from, at: copy.at, ...trouble }
  }

  /** Reads the records by an undocumented route, if the account's service has it. */
  async function readNow(accountId: string): Promise<EmployersView> {
    try {
      const client = await clientOf(accountId)
      const asked = read.get(accountId)
      const answer = await client.getEmployers()
      // The account may have been moved to another service, or its user changed.
      if ((await clientOf(accountId)) !== client) return readNow(accountId)
      const before = readStored(accountId)
      // A later answer may have been stored: this one may lack what was saved.
      if (!isDeepStrictEqual(read.get(accountId), asked)) return view(accountId, before)
      if (!answer) {
        rights.learn(accountId, { readsEmployers: 'no' })
        return view(accountId, before)
      }
      if (isRefusal(answer)) fail('unexpected-shape', 'The service returned an error instead of the records.')
      // No route of the service removes records, so an answer without any must be wrong.
      if (before && recordsOf(before.set).length > 0 && recordsOf(answer.set).length === 0) {
        fail('unexpected-shape', 'The service returned no records, although it had some. Those are still shown.')
      }
      rights.learn(accountId, { readsEmployers: 'yes' })
      return view(accountId, store(accountId, answer))
    } catch (error) {
      return view(accountId, readStored(accountId), asAppError(error))
    }
  }

  return {
    /** Returns the account's records: from the service if possible, otherwise as in its last answer. */
    async list(accountId: string, { refresh }: { refresh: boolean }): Promise<EmployersView> {
      const copy = readStored(accountId)
      const { readsEmployers } = rights.of(accountId)
      if (refresh) return readNow(accountId)
      const isOld = copy === undefined || !isFresh(time, copy.at, MAX_AGE)
      return isOld && readsEmployers !== 'no' ? readNow(accountId) : view(accountId, copy)
    },

    /**
     * Saves the records that are new or changed. Returns everything the account has afterwards.
     * @throws AppFailure `invalid` with the fields, or the error of the service or the connection. Saving the same
     * again is harmless, even if the answer was lost.
     */
    async save(accountId: string, records: readonly EmployerChange[]): Promise<EmployersView> {
      const before = recordsOf(readStored(accountId)?.set ?? {})
      const isUnchanged = (record: EmployerChange) => before.some((one) => isSameRecord(one, record))
      refuseFaulty(records, isUnchanged)
      const changes = records.filter((record) => !isUnchanged(record))
      if (changes.length === 0) return view(accountId, readStored(accountId))
      try {
        const client = await clientOf(accountId)
        const answer = await client.updateEmployers(requestOf(changes))
        if (isRefusal(answer) || !changes.every((change) => includesRecord(answer, change)))
          throw new AppFailure(NOT_CONFIRMED)
        // These are another service's or user's records now.
        if ((await clientOf(accountId)) !== client) return readNow(accountId)
        return view(accountId, store(accountId, answer))
      } catch (error) {
        throw new AppFailure(withConsequence(asAppError(error)))
      }
    }
  }
}

/** Whether the answer is an error with a success status. */
function isRefusal({ set }: EmployersAnswer): boolean {
  const refusal = decode(ErrorResponse, set)
  return refusal.ok && Boolean(refusal.value.ResponseStatus?.ErrorCode)
}

function includesRecord({ set }: EmployersAnswer, { kind, Reference }: EmployerChange): boolean {
  return (set[kind] ?? []).some((record) => record.Reference?.trim() === Reference)
}

/** Describes the records that can't be shown; undefined if all can. */
function unreadableProblem(unreadable: readonly UnreadableEmployer[]): AppError | undefined {
  const [first] = unreadable
  if (!first) return undefined
  const some = unreadable.slice(0, MAX_NAMED).map(({ kind, name, path }) => (name ? `${kind} “${name}”` : path))
  const more = unreadable.length - some.length
  const names = more > 0 ? `${some.join(', ')} and ${more} more` : some.join(', ')
  return {
    code: 'unexpected-shape',
    message: `Some of the service’s records can’t be read and aren’t shown: ${names}.`,
    path: first.path
  }
}

const MAX_NAMED = 5

const NOT_CONFIRMED: AppError = {
  code: 'unexpected-shape',
  message: 'The service didn’t confirm that it saved this.',
  mayHaveArrived: true
}

function refuseFaulty(records: readonly EmployerChange[], isUnchanged: (record: EmployerChange) => boolean): void {
  const fields = records.flatMap((record, index): FieldMessage[] =>
    // Unchanged records of the service don't block the others.
    (isUnchanged(record) ? [] : employerProblems(record))
      .filter(({ severity }) => severity === 'error')
      .map(({ at, message }) => ({ field: `records.${index}.${at}`, message }))
  )
  const names = records.map(({ kind, Reference }) => `${kind} ${Reference}`)
  const duplicate = names.findIndex((name, index) => names.indexOf(name) < index)
  if (duplicate >= 0)
    fields.push({ field: `records.${duplicate}.Reference`, message: 'Two records have this reference.' })
  const [first] = fields
  if (first) fail('invalid', `Nothing was saved. ${first.message}`, { fields, mayHaveArrived: false })
}

/** Builds the request with exactly the members of the API reference (2.18), by kind, without empty ones. */
function requestOf(records: readonly EmployerChange[]): UpdateEmployersRequest {
  const of = <Kind extends EditableEmployerKind>(kind: Kind): EmployerRecordOf<Kind>[] =>
    records.filter((record) => record.kind === kind).map((record) => requestRecord(kind, record))
  return Object.fromEntries(EDITABLE_EMPLOYERS.map((kind) => [kind, of(kind)]).filter(([, some]) => some?.length))
}

function requestRecord<Kind extends EditableEmployerKind>(kind: Kind, record: EmployerChange): EmployerRecordOf<Kind> {
  const texts = EMPLOYER_FIELDS[kind].flatMap((name) => {
    const value = record.fields[name]?.trim()
    return value ? [[name, value]] : []
  })
  const { Reference, Name, IsDefault } = record
  return { Reference, Name, IsDefault, ...Object.fromEntries(texts) } as EmployerRecordOf<Kind>
}

/** Adds what an error means for the person: nothing is queued or checked, and saving again is harmless. */
function withConsequence({ mayHaveArrived = false, ...error }: AppError): AppError {
  const end = mayHaveArrived
    ? 'It may have been saved. It’s safe to save it again.'
    : 'Nothing was saved. Save again once that’s fixed.'
  return { ...error, message: `${error.message} ${end}` }
}

type EmployerRecordOf<Kind extends EditableEmployerKind> = NonNullable<UpdateEmployersRequest[Kind]>[number]

const KINDS = Object.keys(EMPLOYER_FIELDS) as EmployerKind[]

/** Lists records of all kinds, by kind in the reference's order, then in the service's order. */
function recordsOf(set: EmployerSet): EmployerRecord[] {
  return KINDS.flatMap((kind) => (set[kind] ?? []).map((record) => recordOf(kind, record)))
}

function recordOf(kind: EmployerKind, { Reference, Name, IsDefault, ...rest }: Received): EmployerRecord {
  const names: readonly string[] = EMPLOYER_FIELDS[kind]
  const fields = names.flatMap((name) => {
    const value = (rest as Record<string, unknown>)[name]
    return typeof value === 'string' && value !== '' ? [[name, value]] : []
  })
  const others = otherMembers(Object.entries(rest).filter(([name]) => !names.includes(name)))
  return {
    kind,
    Reference: Reference ?? '',
    Name: Name ?? '',
    IsDefault: IsDefault ?? false,
    fields: Object.fromEntries(fields),
    ...(others.length > 0 && { others })
  }
}
type Received = NonNullable<EmployerSet[EmployerKind]>[number]

/** Whether saving one over the other would change nothing. */
function isSameRecord(one: EmployerRecord, other: EmployerRecord): boolean {
  return (
    one.kind === other.kind &&
    one.Reference === other.Reference &&
    one.Name === other.Name &&
    one.IsDefault === other.IsDefault &&
    EMPLOYER_FIELDS[one.kind].every((name) => (one.fields[name] ?? '').trim() === (other.fields[name] ?? '').trim())
  )
}
