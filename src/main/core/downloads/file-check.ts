/** Checks whether a file is still as fetched, in pieces: a large file neither fills memory nor blocks other work. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import * as files from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../lib/failure.ts'
import { isInside } from './target-folder.ts'

/**
 * `missing`: nothing has its name. `altered`: something else has it. `unreadable`: unknown for now, as its folder is
 * away or may not be read.
 */
export type FileState = 'intact' | 'missing' | 'altered' | 'unreadable'

/** What identifies a file's content. */
export interface Expected {
  bytes: number
  /** Hexadecimal digits. */
  sha256: string
}

const CHUNK_BYTES = 256 * 1024
/** A link in the file's place leads elsewhere, and a pipe would never end. Windows has neither flag. */
export const SAFE_READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a whole file if its length is right.
 * @param path absolute.
 * @param options `folder`: the chosen folder it is below; if that isn't there, the file is unreadable, not missing.
 * @throws the signal's reason once that is aborted, and nothing else.
 */
export async function checkFile(
  path: string,
  expected: Expected,
  options: { signal?: AbortSignal; folder?: string } = {}
): Promise<FileState> {
  const { signal, folder } = options
  signal?.throwIfAborted()
  let file: files.FileHandle | undefined
  try {
    const stats = await files.lstat(path)
    if (!stats.isFile() || stats.size !== expected.bytes) return 'altered'
    file = await files.open(path, SAFE_READ_FLAGS)
    return (await sha256Of(file, expected.bytes, signal)) === expected.sha256 ? 'intact' : 'altered'
  } catch (error) {
    signal?.throwIfAborted()
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return 'unreadable'
    const isAway = folder !== undefined && (await files.lstat(folder).catch(() => undefined)) === undefined
    return isAway ? 'unreadable' : 'missing'
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/**
 * Removes a file if it is still as fetched. Links, changed files, and files reached through a link among its folders
 * stay.
 * @param path absolute, below `folder`.
 * @param removing called once all of it was read, just before it is removed; false if it is to stay after all.
 * @returns `intact` if it stays for that reason.
 */
export async function removeIntact(
  path: string,
  expected: Expected,
  { folder, removing }: { folder: string; removing: () => boolean }
): Promise<FileState | 'removed'> {
  const currentStats = () => files.lstat(path).catch(() => undefined)
  const before = await currentStats()
  const state = await checkFile(path, expected, { folder })
  if (state !== 'intact') return state
  const isBelow = files.realpath(folder).then((root) => isInside(files, root, dirname(path)))
  if (!(await isBelow.catch(() => false))) return 'altered'
  const after = await currentStats()
  // It was written to during the read, or replaced.
  if (!before || after?.ino !== before.ino || after.mtimeMs !== before.mtimeMs || after.ctimeMs !== before.ctimeMs)
    return 'altered'
  if (!removing()) return 'intact'
  return await files.rm(path).then(
    () => 'removed' as const,
    (error: unknown) => (codeOf(error) === 'ENOENT' ? 'missing' : 'unreadable')
  )
}

/** Returns undefined if it is longer or shorter than expected, because it is being written to. */
async function sha256Of(file: files.FileHandle, bytes: number, signal?: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes + 1))
  let read = 0
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, piece.length, read)
    signal?.throwIfAborted()
    if (bytesRead === 0) return read === bytes ? hash.digest('hex') : undefined
    read += bytesRead
    if (read > bytes) return undefined
    hash.update(piece.subarray(0, bytesRead))
  }
}
