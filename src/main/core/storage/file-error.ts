/**
 * What can go wrong with a file or a folder, in words that a message can be built on. The system's own message is
 * not kept: it holds the path, and with it the name of a person or a document.
 */

/**
 * `no-space`: the disk or the quota is full. `not-writable`: the folder isn't there, or may not be written.
 * `exists`: something has that name already. `away`: the folder that was chosen isn't there: its disk was taken out, say.
 * `too-deep`: its path is so long that no file in it could be opened everywhere. `outside`: a link in it leads out of it.
 * `in-use`: another program holds the file. `other`: everything else.
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
  /** The system's code (`EIO`), where it gave one. */
  readonly system: string | undefined

  constructor(code: FileErrorCode, system?: string) {
    super(system === undefined ? MESSAGES[code] : `${MESSAGES[code]} (${system})`)
    this.code = code
    this.system = system
  }
}

/** The {@link FileError} that an error of `node:fs` stands for, or undefined when it isn't one of the system's. */
export function fileErrorOf(error: unknown): FileError | undefined {
  if (error instanceof FileError) return error
  const system = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined
  if (typeof system !== 'string') return undefined
  return new FileError(CODES[system] ?? 'other', system)
}

/** What the call answers. @throws {FileError} for what the system refuses. */
export async function filed<T>(call: () => Promise<T>): Promise<T> {
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
