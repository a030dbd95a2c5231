/**
 * Errors of files and folders, as codes that messages can be built on. The system's own message is dropped: it contains
 * the path, which may name a person or a document.
 */

/**
 * `no-space`: the disk or quota is full. `not-writable`: the folder is missing or can't be written. `exists`: the name
 * is taken. `away`: the chosen folder is missing, for example because its disk was removed. `too-deep`: the folder's
 * path is too long for its files to open everywhere. `outside`: a link inside the folder leads out of it. `in-use`:
 * another program has the file open. `other`: everything else.
 */
export type FileErrorCode =
  | 'no-space'
  | 'not-writable'
  | 'exists'
  | 'away'
  | 'too-deep'
  | 'outside'
  | 'in-use'
  | 'other'

export class FileError extends Error {
  override readonly name = 'FileError'
  readonly code: FileErrorCode
  /** The system's code (`EIO`), if any. */
  readonly systemCode: string | undefined

  constructor(code: FileErrorCode, system?: string) {
    super(system === undefined ? MESSAGES[code] : `${MESSAGES[code]} (${system})`)
    this.code = code
    this.systemCode = system
  }
}

/** Converts an error of `node:fs` to a {@link FileError}; undefined if it isn't a system error. */
export function fileErrorOf(error: unknown): FileError | undefined {
  if (error instanceof FileError) return error
  const system = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined
  if (typeof system !== 'string') return undefined
  return new FileError(CODES[system] ?? 'other', system)
}

/** Calls and returns the result. @throws {FileError} for system errors. */
export async function withFileErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw fileErrorOf(error) ?? error
  }
}

const MESSAGES: Record<FileErrorCode, string> = {
  'no-space': 'There is no space left on the disk.',
  'not-writable': 'The folder isn’t there or can’t be written.',
  exists: 'A file of that name is there already.',
  away: 'The chosen folder isn’t there.',
  'too-deep': 'The path of the chosen folder is too long.',
  outside: 'A link leads out of the chosen folder.',
  'in-use': 'Another program holds the file.',
  other: 'The file could not be written.'
}

const CODES: Record<string, FileErrorCode> = {
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EACCES: 'not-writable',
  EPERM: 'not-writable',
  EROFS: 'not-writable',
  ENOENT: 'not-writable',
  ENOTDIR: 'not-writable',
  EEXIST: 'exists'
}
