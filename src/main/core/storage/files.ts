/** The part of the file system that storage uses: `node:fs/promises`, or a failing disk in tests. */
import { fileErrorOf } from './file-error.ts'

export interface Files {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>
  /** Creates a hard link; fails if the name is taken. */
  link(from: string, to: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
  readdir(folder: string): Promise<string[]>
  mkdir(folder: string, options: { recursive?: boolean; mode?: number }): Promise<unknown>
  lstat(path: string): Promise<{ size: number }>
}

/** What creating folders and resolving links requires. */
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
  /** Returns once all written data is on the disk itself. */
  sync(): Promise<void>
  close(): Promise<void>
}

/** Returns whether the path exists. @throws the system's error: a path that can't be checked may still exist. */
export async function exists(path: string, files: Pick<Files, 'lstat'>): Promise<boolean> {
  try {
    await files.lstat(path)
    return true
  } catch (error) {
    if (fileErrorOf(error)?.systemCode === 'ENOENT') return false
    throw error
  }
}

/** Removes a file; returns whether it existed. @throws the system's error. */
export async function removeIfExists(path: string, files: Pick<Files, 'unlink'>): Promise<boolean> {
  try {
    await files.unlink(path)
    return true
  } catch (error) {
    if (fileErrorOf(error)?.systemCode === 'ENOENT') return false
    throw error
  }
}
