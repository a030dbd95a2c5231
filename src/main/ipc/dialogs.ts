/** System dialogs for handlers, and saving files where the user chooses. */
import type { SavedFile } from '../../shared/contract/index.ts'
import type { TableFormat } from '../core/bulk/table-file.ts'
import type { FileContent } from '../core/storage/atomic-file.ts'
import { writeChosen } from '../core/storage/chosen-file.ts'
import { safeFileName } from '../core/storage/safe-name.ts'

/** A file type for system dialogs. */
export interface FileKind {
  name: string
  /** Without the dot. Saved files get the first one. */
  extensions: [string, ...string[]]
}

export interface Dialogs {
  /** Lets the user choose files to read: absolute paths, empty if cancelled. */
  chooseFiles: (
    title: string,
    kinds: readonly FileKind[],
    stillAsking: () => boolean,
    howMany?: 'one' | 'many'
  ) => Promise<string[]>
  /** Lets the user choose where to save a file, and confirm replacing one. */
  chooseSaveFile: (
    title: string,
    suggested: string,
    kinds: readonly FileKind[],
    stillAsking: () => boolean
  ) => Promise<string | undefined>
}

/** Asks where to save a file and writes it atomically; null if cancelled. */
export async function saveAs(
  { chooseSaveFile }: Pick<Dialogs, 'chooseSaveFile'>,
  file: { title: string; suggested: string; kind: FileKind; bytes: Uint8Array | (() => Uint8Array) },
  stillAsking: () => boolean
): Promise<SavedFile | null> {
  const path = await chooseSaveFile(file.title, file.suggested, [file.kind], stillAsking)
  if (path === undefined) return null
  const bytes = typeof file.bytes === 'function' ? file.bytes() : file.bytes
  return { label: await writeChosen(path, file.kind.extensions[0], bytes) }
}

export const TABLE_KINDS: Record<TableFormat, FileKind> = {
  xlsx: { name: 'Excel workbook', extensions: ['xlsx'] },
  csv: { name: 'CSV file', extensions: ['csv'] }
}

/**
 * As `saveAs`, for a table in the format chosen with its name.
 * @param table `name` is the suggestion, without its extension.
 */
export async function saveTable(
  { chooseSaveFile }: Pick<Dialogs, 'chooseSaveFile'>,
  table: { title: string; name: string; file: (format: TableFormat) => FileContent | Promise<FileContent> },
  stillAsking: () => boolean
): Promise<SavedFile | null> {
  const suggested = safeFileName(table.name, { extension: 'xlsx' })
  const path = await chooseSaveFile(table.title, suggested, Object.values(TABLE_KINDS), stillAsking)
  if (path === undefined) return null
  const format = path.toLowerCase().endsWith('.csv') ? 'csv' : 'xlsx'
  return { label: await writeChosen(path, format, await table.file(format)) }
}
