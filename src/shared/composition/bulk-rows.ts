/**
 * Makes the composition of a row: the row's cells override the base's values where they aren't blank. If they name
 * someone else, nothing personal of the base's person stays. A cell that can't be parsed is reported as a problem of its
 * column, and changes nothing.
 */
import type { ColumnMapping } from './bulk-columns.ts'
import { type DateOrder, type Epoch, readDate, readTime } from './bulk-dates.ts'
import type { BulkTarget, TargetKind } from './bulk-fields.ts'
import { clearOthersValues, replaceablePeople } from './bulk-people.ts'
import { bulkTargets, droppableParts, setValue, valueAt } from './bulk-targets.ts'
import type { Composition } from './composition.ts'
import type { Problem } from './problem.ts'
import { isZone, localTimeIn } from './zone.ts'

/** Maximum characters in a cell; the service's own limits are narrower. */
const MAX_CELL_LENGTH = 10_000

export interface CellParsing {
  /** The date order of a column, counted from 0. */
  dateOrder: (column: number) => DateOrder
  epoch: Epoch
  /** The IANA time zone for due dates if the base has none. */
  zone: string
}

interface CellProblem extends Problem {
  /** Counted from 0; undefined if the sheet has none for it. */
  column: number | undefined
}

export interface AppliedRow {
  composition: Composition
  cellProblems: CellProblem[]
}

/**
 * Prepares a mapping for many rows. Targets that the composition doesn't have are ignored: see `unknownTargets`.
 * @returns a function from the cells of a row to its composition. `flaws` maps columns whose cells have no readable
 * value to the reason.
 */
export function rowMapper(base: Composition, mapping: ColumnMapping, parsing: CellParsing) {
  const columnOf = new Map(mapping.map(({ target, column }) => [target, column]))
  const targets = bulkTargets(base)
  const mapped = targets.flatMap((target) => {
    const column = columnOf.get(target.target)
    return column === undefined ? [] : [{ target, column }]
  })
  const people = replaceablePeople(base, targets, columnOf)
  const parts = droppableParts(base, mapped)

  return (cells: readonly string[], flaws?: ReadonlyMap<number, string>): AppliedRow => {
    const composition = copyOf(base)
    const problems: CellProblem[] = []
    const filled = new Set<BulkTarget>()
    for (const { target, column } of mapped) {
      const text = (cells[column] ?? '').trim()
      const flaw = flaws?.get(column)
      if (text === '' && !flaw) continue
      // "No" in all of a second signer's yes-no columns doesn't create a second signer.
      if (target.kind !== 'yes-no' || !noWords.has(text.toLowerCase())) filled.add(target)
      const outcome = flaw ? { trouble: flaw } : readCell(composition, target, text, column, parsing)
      if ('trouble' in outcome) {
        problems.push({ severity: 'error', at: target.target, message: outcome.trouble, column })
      } else if (outcome.doubt) {
        problems.push({ severity: 'warning', at: target.target, message: outcome.doubt, column })
      }
    }
    for (const problem of clearOthersValues(composition, people, filled))
      problems.push({ ...problem, column: columnOf.get(problem.at) })
    for (const part of parts) {
      if (!part.targets.some((target) => filled.has(target))) removePart(composition, part.path)
    }
    return { composition, cellProblems: problems }
  }
}

/** Returns the mapping's targets that the composition doesn't have (any more). */
export function unknownTargets(composition: Composition, mapping: ColumnMapping): string[] {
  const known = new Set(bulkTargets(composition).map(({ target }) => target))
  return mapping.map(({ target }) => target).filter((target) => !known.has(target))
}

/** Returns the cells that would reproduce a composition, one per target: used for samples and for previews of rows. */
export function cellsOf(composition: Composition, targets: readonly BulkTarget[]): string[] {
  return targets.map((target) => {
    const value = valueAt(composition, target.path)
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    const text = String(value)
    switch (target.kind) {
      case 'yes-no':
        return text === 'true' ? 'yes' : text === 'false' ? 'no' : text
      case 'due':
        return text.split('T')[0] ?? ''
      case 'time':
        return text.split('T')[1] ?? ''
      case 'question-type':
        return text === 'email' ? 'e-mail' : text
      default:
        return text
    }
  })
}

type Outcome = { doubt?: string } | { trouble: string }

function readCell(
  composition: Composition,
  target: BulkTarget,
  text: string,
  column: number,
  parsing: CellParsing
): Outcome {
  if (spreadsheetError.test(text)) {
    return { trouble: `The spreadsheet shows an error here (${text.slice(0, 20)}). Fix it there.` }
  }
  const limit = target.path.at(-1) === 'XMLData' ? 5_000_000 : MAX_CELL_LENGTH
  if (text.length > limit) {
    return {
      trouble: `This is too long: ${text.length.toLocaleString('en-GB')} characters, with a limit of ${limit.toLocaleString('en-GB')}.`
    }
  }
  const formula = text.startsWith('=') ? { doubt: 'Starts with “=”, and is sent as plain text.' } : {}
  switch (kindOf(composition, target)) {
    case 'text':
    case 'number':
      setValue(composition, target.path, text)
      return formula
    case 'email':
      setValue(composition, target.path, text.replace(/^mailto:/i, ''))
      return formula
    case 'yes-no':
      return readYesNo(composition, target, text)
    case 'question-type':
      return readQuestionType(composition, target, text)
    case 'date':
      return readDay(composition, target, text, column, parsing)
    case 'due':
      return readDue(composition, text, column, parsing)
    case 'time':
      return readDueTime(composition, text, parsing)
    case 'answer':
      return formula
  }
}

const spreadsheetError =
  /^#(?:REF!|N\/A|NAME\?|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|BUSY!|GETTING_DATA|#+)$/i

/** An answer is parsed according to its question's type, which a column to its left may have changed. */
function kindOf(composition: Composition, target: BulkTarget): TargetKind {
  if (target.kind !== 'answer') return target.kind
  return valueAt(composition, [...target.path.slice(0, -1), 'DataType']) as 'text' | 'date' | 'email'
}

const yesWords = new Set(['yes', 'y', 'true', '1', 'x', 'on', '✓', '✔'])
const noWords = new Set(['no', 'n', 'false', '0', 'off'])

function readYesNo(composition: Composition, { path }: BulkTarget, text: string): Outcome {
  const word = text.toLowerCase()
  if (!yesWords.has(word) && !noWords.has(word)) return { trouble: `“${shortened(text)}” isn’t yes or no.` }
  const isYes = yesWords.has(word)
  setValue(composition, path, typeof valueAt(composition, path) === 'boolean' ? isYes : String(isYes))
  return {}
}

function readQuestionType(composition: Composition, { path }: BulkTarget, text: string): Outcome {
  const word = text.toLowerCase().replace(/[^a-z]/g, '')
  if (word !== 'text' && word !== 'date' && word !== 'email') {
    return { trouble: `“${shortened(text)}” isn’t an answer type. Use text, date or e-mail.` }
  }
  setValue(composition, path, word)
  return {}
}

function readDay(
  composition: Composition,
  { path }: BulkTarget,
  text: string,
  column: number,
  parsing: CellParsing
): Outcome {
  const order = parsing.dateOrder(column)
  const date = readDate(text, order, parsing.epoch)
  if (!date) return { trouble: dateProblem(text, order) }
  setValue(composition, path, date.day)
  return date.isShortYear ? shortYearWarning(date.day) : {}
}

function readDue(composition: Composition, text: string, column: number, parsing: CellParsing): Outcome {
  const order = parsing.dateOrder(column)
  const date = readDate(text, order, parsing.epoch)
  if (!date) return { trouble: dateProblem(text, order) }
  const time = date.time ?? (composition.due.split('T')[1] || '17:00')
  setDue(composition, `${date.day}T${time}`, parsing.zone, date.offset)
  return date.isShortYear ? shortYearWarning(date.day) : {}
}

function readDueTime(composition: Composition, text: string, parsing: CellParsing): Outcome {
  const time = readTime(text) ?? readDate(text, 'day-first', parsing.epoch)?.time
  if (!time) return { trouble: `“${shortened(text)}” isn’t a time. Write it as 17:00 or 5 pm.` }
  const day = composition.due.split('T')[0]
  if (!day) return { trouble: 'There’s a time but no due date.' }
  setDue(composition, `${day}T${time}`, parsing.zone)
  return {}
}

/** Sets a due date in the base's time zone, whose offset changes with the seasons. */
function setDue(composition: Composition, due: string, zone: string, offset?: number): void {
  composition.due = due
  if (offset !== undefined) {
    composition.gmt = String(offset)
    composition.zone = ''
    return
  }
  if (!composition.zone && composition.gmt) return
  if (!isZone(composition.zone)) composition.zone = zone
  composition.gmt = String(localTimeIn(composition.zone, due)?.offset ?? 0)
}

function dateProblem(text: string, order: DateOrder): string {
  // A valid date, but in the other order.
  const swapped = readDate(text, order === 'day-first' ? 'month-first' : 'day-first')
  if (swapped) {
    const [year, month, date] = swapped.day.split('-')
    return order === 'day-first'
      ? `Write it day first: ${date}/${month}/${year}.`
      : `Write it month first: ${month}/${date}/${year}.`
  }
  const example = order === 'day-first' ? '31/12/2026' : '12/31/2026'
  const what = /^[\d/.\s-]+$/.test(text) ? `${shortened(text)} isn’t a real date` : `“${shortened(text)}” isn’t a date`
  return `${what}. Write it as ${example} or 2026-12-31.`
}

function shortYearWarning(day: string): Outcome {
  return { doubt: `The year has two digits and is read as ${day.slice(0, 4)}.` }
}

function shortened(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`
}

/** Copies deep enough that no cell of a row can change the base. */
function copyOf(base: Composition): Composition {
  return {
    ...base,
    ListItems: base.ListItems.map((one) => ({ ...one })),
    items: base.items.map((item) => ({
      ...item,
      fields: item.fields.map((one) => ({ ...one })),
      signers: item.signers.map((signer) => ({
        ...signer,
        IDData: signer.IDData.map((one) => ({ ...one })),
        ShareUsers: signer.ShareUsers.map((user) => ({ ...user }))
      }))
    }))
  }
}

function removePart(composition: Composition, path: BulkTarget['path']): void {
  const list = valueAt(composition, path.slice(0, -1)) as unknown[]
  list.splice(path.at(-1) as number, 1)
}
