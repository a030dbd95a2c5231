/** The real file system with injected faults. */
import * as nodeFiles from 'node:fs/promises'
import type { FolderFiles, OpenFile } from '../../../src/main/core/storage/files.ts'

export const systemError = (code: string) =>
  Object.assign(new Error(`${code}: /home/ana/Ana Example.pdf`), { code, syscall: 'x' })

/** Calls `before` for each chunk written; it may throw. Opening folders is unaffected. */
export function diskThat(before: (bytes: number) => void, more: Partial<FolderFiles> = {}): FolderFiles {
  return {
    ...nodeFiles,
    open: async (path, flags, mode) => {
      const file = await nodeFiles.open(path, flags, mode)
      if (flags === 'r') return file
      const open: OpenFile = {
        write: async (chunk, from, length) => {
          before(length)
          return await file.write(chunk, from, length)
        },
        sync: () => file.sync(),
        close: () => file.close()
      }
      return open
    },
    ...more
  }
}

export function diskWithRoomFor(bytes: number): FolderFiles {
  let left = bytes
  return diskThat((length) => {
    left -= length
    if (left < 0) throw systemError('ENOSPC')
  })
}

export const diskWithoutLinks: FolderFiles = { ...nodeFiles, link: () => Promise.reject(systemError('EPERM')) }
