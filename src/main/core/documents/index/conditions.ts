/**
 * What a query's conditions say of rows, and until when that holds: some depend on the time. What they ask of rows is kept in
 * arrays by the rows' ids: a look at 100,000 of them is then a walk through memory rather than a visit to as many objects.
 */
import { type DocumentQuery, IDENTITY_STATES, STATUS_FAMILIES } from '../../../../shared/contract/index.ts'
import { isOpen } from '../../../../shared/model/index.ts'
import { beginningOf, DAY, dayAfter, dayAt } from '../../lib/calendar.ts'
import { folded, wordsOf } from '../../lib/text-folding.ts'
import type { Moment } from '../questions.ts'
import { type IndexRow, waitsHere, writtenDay } from './row.ts'

/** Bits of `flags`. Of those that are `unsaid` nobody can say whether they have ended. */
export const FLAG = { unread: 1, hasFile: 2, waitsHere: 4, gone: 8, ended: 16, unsaid: 32 } as const

/**
 * Times are milliseconds since 1970 UTC, and NaN, which is in no order with any, where there is none. A due date without
 * a time has no `due` but a `dueDay`: that day's midnight as if it were UTC, since where the day begins is for who asks.
 */
const TIMES = ['due', 'dueDay', 'idleSince', 'arrivedAt', 'completedAt', 'signed', 'of'] as const

type Columns = ReturnType<typeof openColumns>

export function openColumns(capacity: number) {
  const folderNumbers = new Map<string, number>()
  const packages = packageNumbers()
  const numbers = Object.fromEntries(TIMES.map((name) => [name, new Float64Array(capacity)])) as Record<
    (typeof TIMES)[number],
    Float64Array
  >
  const columns = {
    ...numbers,
    flags: new Uint8Array(capacity),
    family: new Uint8Array(capacity),
    /** By `IDENTITY_STATES`. */
    identity: new Uint8Array(capacity),
    folder: new Uint32Array(capacity),
    /** Documents of one package have one number; nought where a document has none. */
    package: new Uint32Array(capacity),
    rows: [] as (IndexRow | undefined)[],

    /** The number that stands for a folder; one that no row is in has one of its own. */
    numberOf: (folder: string): number => folderNumbers.get(folder) ?? folderNumbers.size,

    /** The folders that rows are or were in, each at its number. */
    folders: (): string[] => [...folderNumbers.keys()],

    /** No package has a number above this. */
    packages: packages.highest,

    put(rowId: number, row: IndexRow): void {
      if (rowId >= columns.flags.length) grow()
      const { progress, folder, packageReference } = row
      if (!folderNumbers.has(folder)) folderNumbers.set(folder, folderNumbers.size)
      const before = columns.rows[rowId]?.packageReference
      if (before !== packageReference) {
        if (packageReference !== undefined) columns.package[rowId] = packages.join(packageReference)
        else columns.package[rowId] = 0
        if (before !== undefined) packages.leave(before)
      }
      columns.rows[rowId] = row
      const figures = figuresOf(row)
      columns.due[rowId] = figures.due
      columns.dueDay[rowId] = figures.dueDay
      columns.idleSince[rowId] = figures.idleSince
      columns.arrivedAt[rowId] = figures.arrivedAt
      columns.completedAt[rowId] = figures.completedAt
      columns.signed[rowId] = progress?.signed ?? Number.NaN
      columns.of[rowId] = progress?.of ?? Number.NaN
      columns.family[rowId] = figures.family
      columns.identity[rowId] = figures.identity
      columns.folder[rowId] = columns.numberOf(folder)
      columns.flags[rowId] = figures.flags
    },

    remove(rowId: number): void {
      const before = columns.rows[rowId]?.packageReference
      if (before !== undefined) packages.leave(before)
      columns.rows[rowId] = undefined
      columns.package[rowId] = 0
    }
  }

  function grow(): void {
    for (const name of TIMES) columns[name] = larger(columns[name], new Float64Array(columns[name].length * 2))
    columns.folder = larger(columns.folder, new Uint32Array(columns.folder.length * 2))
    columns.package = larger(columns.package, new Uint32Array(columns.package.length * 2))
    columns.flags = larger(columns.flags, new Uint8Array(columns.flags.length * 2))
    columns.family = larger(columns.family, new Uint8Array(columns.family.length * 2))
    columns.identity = larger(columns.identity, new Uint8Array(columns.identity.length * 2))
  }

  return columns
}

/** A number for each package that has documents; the number of one without any goes to another. */
function packageNumbers() {
  const numbers = new Map<string, number>()
  const free: number[] = []
  const documents: number[] = [0]
  return {
    highest: (): number => documents.length - 1,

    join(reference: string): number {
      const number = numbers.get(reference) ?? free.pop() ?? documents.length
      numbers.set(reference, number)
      documents[number] = (documents[number] ?? 0) + 1
      return number
    },

    leave(reference: string): void {
      const number = numbers.get(reference)
      if (number === undefined) return
      const left = (documents[number] as number) - 1
      documents[number] = left
      if (left > 0) return
      numbers.delete(reference)
      free.push(number)
    }
  }
}

/** What the overview counts a row by. */
export interface Figures {
  /** Places in `STATUS_FAMILIES` and in `IDENTITY_STATES`. */
  family: number
  identity: number
  flags: number
  due: number
  dueDay: number
  idleSince: number
  arrivedAt: number
  completedAt: number
}

/** The lists and bits that figures are written by: kept ones that were written by others are of no use. */
export const FIGURES_BY = JSON.stringify([STATUS_FAMILIES, IDENTITY_STATES, FLAG])

export function figuresOf(row: IndexRow): Figures {
  const { due } = row
  return {
    family: STATUS_FAMILIES.indexOf(row.status.family),
    identity: IDENTITY_STATES.indexOf(row.identity),
    flags:
      (row.unread ? FLAG.unread : 0) |
      (row.hasFileUploaded ? FLAG.hasFile : 0) |
      (waitsHere(row) ? FLAG.waitsHere : 0) |
      (row.goneAt === undefined ? 0 : FLAG.gone) |
      opennessOf(row),
    due: due?.precision === 'time' ? due.at : Number.NaN,
    dueDay: due?.precision === 'day' ? writtenDay(due, row.gmt) : Number.NaN,
    idleSince: idleSince(row),
    arrivedAt: row.arrivedAt,
    completedAt: row.completedAt ?? Number.NaN
  }
}

/** When it was last signed or changed. */
function idleSince({ lastSigned, changedAt }: IndexRow): number {
  return Math.max(lastSigned?.at ?? changedAt, changedAt)
}

function larger<List extends Float64Array | Uint32Array | Uint8Array>(list: List, into: List): List {
  into.set(list)
  return into
}

const NO_CHECK = IDENTITY_STATES.indexOf('none')
const NOT_SAID = IDENTITY_STATES.indexOf('unknown')

export interface Condition {
  holds: (rowId: number) => boolean
  /** When a row's answer changes next by time alone; NaN where never. */
  turnsAt?: (rowId: number) => number
}

/** Whether a query finds a row; its accounts are not looked at. */
export function finds(query: DocumentQuery, moment: Moment): (row: IndexRow) => boolean {
  const words = wordsOf(query.search)
  const presence = presenceOf(query)
  return (row) => {
    if (!isSearched(row, words, presence)) return false
    const columns = openColumns(1)
    columns.put(0, row)
    return conditionsOf(query, moment, columns).conditions.every(({ holds }) => holds(0))
  }
}

/** Whether documents are meant that are in a folder, that left all of them, or both. */
export type Presence = 'here' | 'gone' | 'both'

/** What was sent or completed in a week was so, wherever it is now. */
export function presenceOf({ gone, week }: DocumentQuery): Presence {
  if (gone) return 'gone'
  return week ? 'both' : 'here'
}

/** Whether a row is among those that are meant and holds all words of the search. */
export function isSearched({ goneAt, search }: IndexRow, words: readonly string[], presence: Presence): boolean {
  const isMeant = presence === 'both' || (goneAt !== undefined) === (presence === 'gone')
  return isMeant && words.every((word) => search.includes(word))
}

/**
 * All conditions of a query but its search, its accounts and whether documents are gone.
 * @returns `until`: when the day ends, where it counts from that.
 */
export function conditionsOf(
  query: DocumentQuery,
  { now, zone }: Moment,
  columns: Columns
): { conditions: Condition[]; until: number } {
  const { flags, family, due, dueDay, idleSince: idle } = columns
  const conditions: Condition[] = []
  const must = (holds: Condition['holds'], turnsAt?: Condition['turnsAt']) =>
    conditions.push(turnsAt ? { holds, turnsAt } : { holds })
  const mustHave = (flag: number) => must((rowId) => ((flags[rowId] as number) & flag) !== 0)
  const mayBeOpen = (rowId: number) => ((flags[rowId] as number) & FLAG.ended) === 0
  const isSurelyOpen = (rowId: number) => ((flags[rowId] as number) & (FLAG.ended | FLAG.unsaid)) === 0
  const dueAt = (rowId: number) => due[rowId] as number
  const dueDayAt = (rowId: number) => dueDay[rowId] as number
  let until = Number.POSITIVE_INFINITY
  /** A day without a time lasts until the office's own ends. */
  const today = (): string => {
    const day = dayAt(now, zone)
    until = beginningOf(dayAfter(day), zone)
    return day
  }

  const { families, progress, dueWithinDays, dueOn, stuckForDays, identity, week } = query
  const person = folded(query.signer ?? '')
  if (query.folder !== undefined) {
    const number = columns.numberOf(query.folder)
    must((rowId) => columns.folder[rowId] === number)
  }
  if (families) {
    const isWanted = STATUS_FAMILIES.map((one) => families.includes(one))
    must((rowId) => isWanted[family[rowId] as number] === true)
  }
  if (progress) must((rowId) => columns.signed[rowId] === progress.signed && columns.of[rowId] === progress.of)
  if (query.unread) mustHave(FLAG.unread)
  if (query.hasFileUploaded) mustHave(FLAG.hasFile)
  if (query.waitingHere) mustHave(FLAG.waitsHere)
  if (identity === 'any') must((rowId) => columns.identity[rowId] !== NO_CHECK && columns.identity[rowId] !== NOT_SAID)
  else if (identity) {
    const state = IDENTITY_STATES.indexOf(identity)
    must((rowId) => columns.identity[rowId] === state)
  }
  if (dueOn !== undefined) {
    const isOnTime = isWithin(due, dayIn(dueOn, zone))
    const day = Date.parse(dueOn)
    must((rowId) => isOnTime(rowId) || dueDayAt(rowId) === day)
  }
  if (week) {
    const days = { from: beginningOf(week.monday, zone), until: beginningOf(dayAfter(week.monday, 7), zone) }
    must(isWithin(week.what === 'sent' ? columns.arrivedAt : columns.completedAt, days))
  }
  if (dueWithinDays !== undefined) {
    const day = today()
    const after = dayAfter(day, dueWithinDays + 1)
    const [end, firstDay, endDay] = [beginningOf(after, zone), Date.parse(day), Date.parse(after)]
    must(
      (rowId) =>
        mayBeOpen(rowId) &&
        ((dueAt(rowId) > now && dueAt(rowId) < end) || (dueDayAt(rowId) >= firstDay && dueDayAt(rowId) < endDay)),
      dueAt
    )
  }
  if (query.overdue) {
    const firstDay = Date.parse(today())
    must((rowId) => isSurelyOpen(rowId) && (dueAt(rowId) <= now || dueDayAt(rowId) < firstDay), dueAt)
  }
  if (stuckForDays !== undefined) {
    const stuckAt = (rowId: number) => (idle[rowId] as number) + stuckForDays * DAY
    must((rowId) => isSurelyOpen(rowId) && stuckAt(rowId) <= now, stuckAt)
  }
  // The dearest comes last: most rows don't get as far.
  if (person) must((rowId) => hasPerson(columns.rows[rowId] as IndexRow, person))
  return { conditions, until }
}

function opennessOf({ status, signers }: IndexRow): number {
  const open = isOpen(status, signers)
  if (open === undefined) return FLAG.unsaid
  return open ? 0 : FLAG.ended
}

interface Stretch {
  from: number
  until: number
}

/** From the first moment of a day to that of the next. */
function dayIn(day: string, zone: string): Stretch {
  return { from: beginningOf(day, zone), until: beginningOf(dayAfter(day), zone) }
}

function isWithin(times: Float64Array, { from, until }: Stretch): Condition['holds'] {
  return (rowId) => (times[rowId] as number) >= from && (times[rowId] as number) < until
}

function hasPerson({ search, people }: IndexRow, person: string): boolean {
  const at = search.indexOf(person, people.from)
  return at >= 0 && at + person.length <= people.to
}
