/** The part of the file system that storage writes through: `node:fs/promises`, or a test's full or stubborn disk. */
import { fileErrorOf } from './file-error.ts'

export interface Files {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>
  /** Gives a file a second name; fails where that is taken. */
  link(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  readdir(folder: string): Promise<string[]>
  mkdir(folder: string, options: { recursive?: boolean; mode?: number }): Promise<unknown>
  lstat(path: string): Promise<{ size: number }>
}

/** What it takes to make folders, and to know where they lead. */
export interface FolderFiles extends Files {
  lstat(path: string): Promise<FileKind>
  realpath(path: string): Promise<string>
}

export interface FileKind {
  size: number
  mtimeMs: number
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

export interface OpenFile {
  /** May write less than it was given. */
  write(chunk: Uint8Array, from: number, length: number): Promise<{ bytesWritten: number }>
  /** Returns once everything written is on the disk itself. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Whether there is anything at this path. @throws what the system refuses: that it can't be seen doesn't mean that it isn't there. */
export async function isThere(path: string, files: Pick<Files, 'lstat'>): Promise<boolean> {
  try {
    await files.lstat(path)
    return true
  } catch (error) {
    if (fileErrorOf(error)?.system === 'ENOENT') return false
    throw error
  }
}

/** Whether the file was there to be removed. @throws what the system refuses. */
export async function removeIfThere(path: string, files: Pick<Files, 'unlink'>): Promise<boolean> {
  try {
    await files.unlink(path)
    return true
  } catch (error) {
    if (fileErrorOf(error)?.system === 'ENOENT') return false
    throw error
  }
}
