/**
 * What has to be known of a workbook before its cells are read: its sheets, how far a sheet reaches, and the cells whose
 * formulas failed or have no result, which the reader of cells would take for blank.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Epoch } from '../../../shared/composition/bulk-dates.ts'
import { inFigures, refuseFile } from './raw-table.ts'
import type { WorkbookParts } from './unpack-workbook.ts'

export interface SheetPlace {
  name: string
  /** Of its part in the file. */
  path: string
}

export interface SheetSurvey {
  /** Cells by row and column, both from 0, to what they show in place of a value, and why there is none. */
  flaws: Map<number, Map<number, { text: string; why: string }>>
  /** How many ranges of cells are merged. */
  merged: number
}

const UNREADABLE =
  'This workbook can’t be read. Open it in a spreadsheet program, save it again as .xlsx, and choose that.'
/** What an Excel sheet can have. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384
/** Several times what an Excel cell can have; the reader of cells takes minutes for more. */
const LONGEST_TEXT = 200_000
/** Each place up to the last cell takes memory, blank or not. */
const MOST_PLACES = 5_000_000
/** A sheet that is all formulas without results is none to send from. */
const MOST_FLAWS = 100_000

/** The sheets in their order, and from when the file counts days. */
export function sheetsOf(parts: WorkbookParts): { sheets: SheetPlace[]; epoch: Epoch } {
  const targets = new Map<string, string>()
  parse(parts, 'xl/_rels/workbook.xml.rels', ({ name, attributes }) => {
    if (local(name) === 'Relationship') targets.set(attributes.Id ?? '', pathOf(attributes.Target ?? ''))
  })
  const sheets: SheetPlace[] = []
  let epoch: Epoch = 1900
  parse(parts, 'xl/workbook.xml', ({ name, attributes }) => {
    if (local(name) === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) epoch = 1904
    if (local(name) !== 'sheet' || !attributes.name) return
    const id = Object.entries(attributes).find(([key]) => local(key) === 'id')?.[1]
    const path = targets.get(id ?? '')
    // A chart on a sheet of its own has no cells.
    if (path && parts.has(path) && /worksheets/i.test(path)) sheets.push({ name: attributes.name, path })
  })
  if (sheets.length === 0) refuseFile(UNREADABLE)
  return { sheets, epoch }
}

/** @throws AppFailure `bad-file` if it can't be read, or reaches too far. */
export function surveySheet(parts: WorkbookParts, sheet: SheetPlace): SheetSurvey {
  const survey: SheetSurvey = { flaws: new Map(), merged: 0 }
  let flaws = 0
  let rows = 0
  let lastRow = 0
  let lastColumn = 0
  let cell: { row: number; column: number; kind: string; formula?: string; value: string } | undefined
  let inside = ''
  const reach = (row: number, column: number) => {
    lastRow = Math.max(lastRow, row)
    lastColumn = Math.max(lastColumn, column)
    const isBeyond = row > LAST_ROW || column > LAST_COLUMN || Number.isNaN(row + column)
    if (isBeyond) refuseFile(UNREADABLE)
    if (lastRow * lastColumn > MOST_PLACES) {
      refuseFile(
        `The sheet “${sheet.name}” reaches to row ${inFigures(lastRow)} and column ${inFigures(lastColumn)}. Delete what is far outside of the table, even if it looks blank, and save it again.`
      )
    }
  }
  parse(
    parts,
    sheet.path,
    ({ name, attributes }) => {
      const tag = local(name)
      if (tag === 'mergeCell') survey.merged += 1
      if (tag === 'row') {
        rows += 1
        reach(attributes.r === undefined ? rows : Number(attributes.r), 1)
      }
      if (tag === 'c') {
        const place = placeOf(attributes.r ?? '')
        cell = { ...place, kind: attributes.t ?? 'n', value: '' }
        reach(place.row, place.column)
      }
      if (cell && tag === 'f') cell.formula = ''
      inside = tag
    },
    (text) => {
      if (!cell) return
      if (text.length > LONGEST_TEXT) refuseFile(UNREADABLE)
      if (inside === 'f') cell.formula = (cell.formula ?? '') + text
      else cell.value += text
    },
    (name) => {
      inside = ''
      if (local(name) !== 'c' || !cell) return
      const flaw = flawOf(cell)
      if (flaw) {
        flaws += 1
        if (flaws > MOST_FLAWS)
          refuseFile(`Too many formulas in the sheet “${sheet.name}” have no result. Mend them there.`)
        const row = survey.flaws.get(cell.row - 1) ?? new Map()
        survey.flaws.set(cell.row - 1, row.set(cell.column - 1, flaw))
      }
      cell = undefined
    }
  )
  return survey
}

function flawOf({ kind, formula, value }: { kind: string; formula?: string; value: string }) {
  const shown = value.trim()
  if (kind === 'e') {
    const text = shown || '#VALUE!'
    return { text, why: `The formula here failed (${text.slice(0, 20)}). Mend it in the spreadsheet.` }
  }
  // A formula may well have a blank text for its result.
  if (formula === undefined || shown !== '' || kind === 'str') return undefined
  return {
    text: `=${formula.trim().replace(/^=/, '')}`.slice(0, 200),
    why: 'The formula here has no result yet. Open the file in a spreadsheet program, save it, and choose it again.'
  }
}

function placeOf(address: string): { row: number; column: number } {
  const found = /^([A-Z]{1,3})(\d{1,7})$/.exec(address)
  if (!found) return refuseFile(UNREADABLE)
  const column = [...(found[1] as string)].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
  return { row: Number(found[2]), column }
}

function parse(
  parts: WorkbookParts,
  path: string,
  opened: (tag: SaxesTagPlain) => void,
  text: (text: string) => void = () => undefined,
  closed: (name: string) => void = () => undefined
): void {
  const part = parts.get(path) ?? refuseFile(UNREADABLE)
  const parser = new SaxesParser()
  parser.on('doctype', () => refuseFile(UNREADABLE))
  parser.on('error', () => refuseFile(UNREADABLE))
  parser.on('opentag', opened)
  parser.on('text', text)
  parser.on('closetag', ({ name }) => closed(name))
  parser.write(new TextDecoder().decode(part)).close()
}

/** Without the prefix that some programs write. */
function local(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function pathOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`
}
