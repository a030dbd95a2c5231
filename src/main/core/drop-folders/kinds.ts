/** Which files of a folder are taken, told by their names. */

export type DroppedFileKind = 'request' | 'countersign' | 'sheet'

/** Beyond this a file is not read: what comes of it goes through the main thread. */
export const MOST_BYTES = 20 * 1024 * 1024
/** XML data of five million characters fits in it. */
export const MOST_REQUEST_BYTES = 6 * 1024 * 1024

const KINDS: Record<string, DroppedFileKind> = {
  json: 'request',
  countersign: 'countersign',
  csv: 'sheet',
  xlsx: 'sheet'
}

/** Undefined for what is left where it is: other kinds, hidden files, and what is still being copied under a passing name. */
export function kindOf(name: string): DroppedFileKind | undefined {
  // `~$staff.xlsx` is what Excel keeps beside a workbook that is open.
  if (name.startsWith('.') || name.startsWith('~') || name.endsWith('~')) return undefined
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase()
  return ending === undefined || !Object.hasOwn(KINDS, ending) ? undefined : KINDS[ending]
}
