/**
 * How a workbook's number formats show numbers, as far as a table needs it: dates, percentages, and codes of digits such
 * as postcodes and telephone numbers, with their leading zeros. ECMA-376, part 1, 18.8.30 and 18.8.31.
 */
import { minuteOf } from '../../../shared/composition/bulk-dates.ts'
import { DAY } from '../lib/calendar.ts'

export interface NumberStyle {
  isDate: boolean
  /** Returns what a number that isn't a date is read as. */
  textOf: (value: number) => string
}

/** A piece of a template: a place for a digit (`0`, `#` or `?`), or something shown as it is. */
type Piece = { place: string } | { shown: string }

/** @param template blank if the format has a fixed meaning. */
export function numberStyle(format: number, template: string): NumberStyle {
  const code = codePieces(template)
  const isElapsed = format === 46 || /\[h+\]/.test(bareText(template))
  const isPercent = format === 9 || format === 10 || bareText(template).includes('%')
  return {
    isDate: !isElapsed && (isBuiltInDate(format) || isDateTemplate(template)),
    textOf: isElapsed ? elapsedText : code ? (value) => codeText(value, code) : isPercent ? percentText : numberText
  }
}

/** Formats a number as spreadsheets do: 15 digits, so that 0.1 + 0.2 is 0.3, and no exponent for whole numbers. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(15)))
}

/** Not rounded to the decimals that are shown, as numbers aren't either. */
function percentText(value: number): string {
  return `${numberText(value * 100)}%`
}

/** Formats days as hours and minutes, which may be more than a day's. */
function elapsedText(days: number): string {
  if (days < 0) return numberText(days)
  const minutes = minuteOf(days * DAY) / 60_000
  return [Math.floor(minutes / 60), minutes % 60].map((value) => String(value).padStart(2, '0')).join(':')
}

/** Fills a whole number's digits into their places, from the right. Any other number is read as it is. */
function codeText(value: number, pieces: readonly Piece[]): string {
  let digits = numberText(value)
  if (!/^\d+$/.test(digits)) return digits
  const first = pieces.findIndex((piece) => 'place' in piece)
  return pieces.reduceRight((text, piece, index) => {
    if ('shown' in piece) return piece.shown + text
    const taken = digits.slice(index === first ? 0 : -1)
    digits = digits.slice(0, digits.length - taken.length)
    return (taken || (piece.place === '0' ? '0' : '')) + text
  }, '')
}

/** Returns the first part of a template, for positive numbers, if it shows leading zeros and no decimals or groups. */
function codePieces(template: string): Piece[] | undefined {
  const pieces: Piece[] = []
  for (const [text, currency, bracket, quoted, escaped, filler] of template.matchAll(PIECES)) {
    if (text === ';') break
    // Blank space as wide as a character, or filled with it.
    if (filler !== undefined) continue
    // Conditions mean another part, while colours and languages change nothing.
    if (bracket !== undefined && /^[<>=]/.test(bracket)) return undefined
    if (bracket !== undefined) continue
    const shown = currency ?? quoted ?? escaped
    if (shown === undefined && /[\p{L}.,%@/]/u.test(text)) return undefined
    pieces.push(shown === undefined && /[0#?]/.test(text) ? { place: text } : { shown: shown ?? text })
  }
  return pieces.filter((piece) => 'place' in piece && piece.place === '0').length > 1 ? pieces : undefined
}

const PIECES = /\[\$([^\]-]*)[^\]]*\]|\[([^\]]*)\]|"([^"]*)"|\\(.)|([_*].)|./gsu

/** Returns a template in lower case, without what it shows as it is. */
function bareText(template: string): string {
  return template.toLowerCase().replace(/\\.|"[^"]*"/g, ' ')
}

/** Returns whether a format without a template is a date. ECMA-376, part 1, 18.8.30 (East Asian and Thai ones too). */
function isBuiltInDate(format: number): boolean {
  const between = (first: number, last: number) => format >= first && format <= last
  return between(14, 22) || between(27, 36) || between(45, 47) || between(50, 58) || between(71, 81)
}

/** Returns whether a template shows a date or time: unquoted letters of one, and no digits of a number. */
function isDateTemplate(template: string): boolean {
  const plain = bareText(template)
    .replace(/\[([hms]+)\]/g, '$1')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/(s)[.,]0+/g, '$1')
  return plain.split(';').some((part) => /[dmyhs]/.test(part) && !/[0#?%]/.test(part))
}
