/** Opens a file that the user chose, by its content rather than its name. */
import type { FileHandle } from 'node:fs/promises'
import { MAX_SHEET_BYTES, tooLargeSheet } from '../../../shared/contract/index.ts'
import { codeOf } from '../lib/failure.ts'
import { openChosen } from '../storage/chosen-file.ts'
import { refuseFile } from './raw-table.ts'
import { decodeText, readCsv } from './read-csv.ts'
import { openWorkbook } from './read-xlsx.ts'
import { type FirstRow, type Sheet, sheetOf } from './sheet.ts'

export interface TableFile {
  /** Sheet names; one empty name for a CSV file. */
  sheets: string[]
  /** Those that people see in the file. */
  shown: string[]
  /** @throws AppFailure `bad-file` */
  sheet(name: string, firstRow?: FirstRow): Promise<Sheet>
}

/**
 * Reads the first sheet with rows that can be used, as workbooks often begin with a sheet of notes, or a blank one.
 * Nobody means a sheet that they don't see, such as the lists of a form, even if those they see have no rows.
 * @throws AppFailure `bad-file` if no sheet can be read, or `use` refuses each.
 */
export async function firstFilledSheet<Used>(
  { shown, sheet: read }: TableFile,
  use: (sheet: Sheet, name: string) => Used
): Promise<Used> {
  const failures: unknown[] = []
  let firstWithHeadings: { used: Used } | undefined
  for (const name of shown) {
    try {
      const sheet = await read(name)
      const used = use(sheet, name)
      if (sheet.rows.length > 0) return used
      firstWithHeadings ??= { used }
    } catch (error) {
      failures.push(error)
    }
  }
  if (firstWithHeadings) return firstWithHeadings.used
  throw failures[0]
}

/** Reads the whole file. @throws AppFailure `bad-file` if it can't be read or is too large. */
export async function readFileBytes(path: string): Promise<Uint8Array> {
  let file: FileHandle | undefined
  try {
    file = await openChosen(path)
    refuseSize((await file.stat()).size)
    return await file.readFile()
  } catch (error) {
    return refuseFile(READ_ERRORS[codeOf(error)] ?? readErrorMessage(error))
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/** @throws AppFailure `bad-file` if it is no table. */
export function openTable(bytes: Uint8Array, name: string): TableFile {
  if (bytes.length === 0) refuseFile('This file is empty.')
  refuseSize(bytes.length)
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1')
  if (start.startsWith('PK')) {
    const workbook = openWorkbook(bytes)
    const note = /\.(?:csv|txt|tsv)$/i.test(name) ? ['The file is an Excel workbook, although its name says text.'] : []
    return {
      sheets: workbook.sheets,
      shown: workbook.shown,
      sheet: async (sheet, firstRow) => withNotes(note, sheetOf(workbook.read(sheet), firstRow))
    }
  }
  refuseOtherKinds(bytes, start, name)
  const { text, note } = decodeText(bytes)
  return {
    sheets: [''],
    shown: [''],
    sheet: async (_, firstRow) => withNotes(note ? [note] : [], sheetOf(readCsv(text), firstRow))
  }
}

/** Opens tab-separated cells copied from a spreadsheet. @throws AppFailure `bad-file` if there are none. */
export function pastedTable(text: string): TableFile {
  if (text.trim() === '') refuseFile('There’s nothing to paste. Copy the rows in your spreadsheet first.')
  refuseSize(text.length)
  if (text.includes('\0')) refuseFile('What was copied isn’t text. Copy the rows in your spreadsheet.')
  if (!/[\t\n\r]/.test(text.trim())) {
    refuseFile('What was copied isn’t rows of a spreadsheet. Select the rows there, copy them, and paste again.')
  }
  return { sheets: [''], shown: [''], sheet: async (_, firstRow) => sheetOf(readCsv(text, '\t'), firstRow) }
}

function refuseSize(size: number): void {
  if (size <= MAX_SHEET_BYTES) return
  refuseFile(tooLargeSheet(size))
}

function withNotes(notes: readonly string[], sheet: Sheet): Sheet {
  return { ...sheet, notes: [...notes, ...sheet.notes] }
}

function refuseOtherKinds(bytes: Uint8Array, start: string, name: string): void {
  if (start === '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1') {
    // Excel stores a password-protected workbook in its old file container.
    if (Buffer.from(bytes).includes(Buffer.from('EncryptedPackage', 'utf16le'))) {
      refuseFile('This workbook is protected with a password. Save it without one, and choose that.')
    }
    refuseFile('This is in the old Excel format (.xls). Save it as an Excel workbook (.xlsx), and choose that.')
  }
  if (start.startsWith('%PDF')) refuseFile('This is a PDF, not a table. Choose a CSV or XLSX file.')
  if (/\.xls[xmb]?$/i.test(name)) {
    refuseFile(
      'This file is named as an Excel workbook but isn’t one. If it’s text, rename it to .csv; otherwise save it again from the program that made it.'
    )
  }
}

const READ_ERRORS: Record<string, string> = {
  ENOENT: 'The file is no longer there.',
  EACCES: 'You don’t have permission to read this file, or another program has it open. Close it there and try again.',
  EPERM: 'You don’t have permission to read this file, or another program has it open. Close it there and try again.',
  EBUSY: 'Another program has this file open. Close it there and try again.'
}

/** Returns the message for a reading error; rethrows our own refusals. */
function readErrorMessage(error: unknown): string {
  if (codeOf(error) === '') throw error
  return 'The file couldn’t be read. Copy it to this computer and try again.'
}
