/** What handlers ask the person through the system's dialogs, and files that are written where they say. */
import type { SavedFile } from '../../shared/contract/index.ts'
import type { TableFormat } from '../core/bulk/table-file.ts'
import type { FileContent } from '../core/storage/atomic-file.ts'
import { writeWhereChosen } from '../core/storage/chosen-file.ts'
import { safeFileName } from '../core/storage/safe-name.ts'

/** A kind of file, as the system's dialogs offer it. */
export interface FileKind {
  name: string
  /** Without the dot. What is saved has the first. */
  extensions: [string, ...string[]]
}

export interface Dialogs {
  /** Lets the person choose files to be read: absolute paths, none where they thought better of it. */
  chooseFiles: (
    title: string,
    kinds: readonly FileKind[],
    stillAsking: () => boolean,
    howMany?: 'one' | 'many'
  ) => Promise<string[]>
  /** Lets the person say where a file goes, and whether it may replace another. */
  chooseSaveFile: (
    title: string,
    suggested: string,
    kinds: readonly FileKind[],
    stillAsking: () => boolean
  ) => Promise<string | undefined>
}

/** Asks where a file goes and writes it there, whole or not at all; null where the person thought better of it. */
export async function saveAs(
  { chooseSaveFile }: Pick<Dialogs, 'chooseSaveFile'>,
  file: { title: string; suggested: string; kind: FileKind; bytes: Uint8Array | (() => Uint8Array) },
  stillAsking: () => boolean
): Promise<SavedFile | null> {
  const path = await chooseSaveFile(file.title, file.suggested, [file.kind], stillAsking)
  if (path === undefined) return null
  const bytes = typeof file.bytes === 'function' ? file.bytes() : file.bytes
  return { label: await writeWhereChosen(path, file.kind.extensions[0], bytes) }
}

export const TABLE_KINDS: Record<TableFormat, FileKind> = {
  xlsx: { name: 'Excel workbook', extensions: ['xlsx'] },
  csv: { name: 'CSV file', extensions: ['csv'] }
}

/**
 * The same of a table, of the kind that the person chose with the name.
 * @param table `name` is the one that is suggested, without its ending.
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
  return { label: await writeWhereChosen(path, format, await table.file(format)) }
}
