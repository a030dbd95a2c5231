/** Run as a program: watches an office's drop folders until it is killed. Its time runs faster than real time. */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { listenToFolder } from '../../src/main/core/drop-folders/watched-folder.ts'
import { openDropFolderOffice } from '../fixtures/drop-folder-office.ts'

const HASTE = 20

const [folder = ''] = process.argv.slice(2)
const { dropFolders } = openDropFolderOffice({
  folder,
  elapsed: () => performance.now() * HASTE,
  schedule: (task, delay) => {
    const timer = setTimeout(task, delay / HASTE)
    return () => clearTimeout(timer)
  },
  listen: listenToFolder
})
dropFolders.start()
writeSync(1, 'watching\n')
// A killed process wouldn't store it.
flushCompileCache()
