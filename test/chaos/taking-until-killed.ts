/** Run as a program: watches the hand-off folders of an office until it is killed. Its time passes quicker than ours. */
import { writeSync } from 'node:fs'
import { listenToFolder } from '../../src/main/core/hand-off/folder-events.ts'
import { handOffOffice } from '../fixtures/hand-off-office.ts'

const HASTE = 20

const [folder = ''] = process.argv.slice(2)
const { handOff } = handOffOffice({
  folder,
  elapsed: () => performance.now() * HASTE,
  schedule: (task, delay) => {
    const timer = setTimeout(task, delay / HASTE)
    return () => clearTimeout(timer)
  },
  listen: listenToFolder
})
handOff.start()
writeSync(1, 'watching\n')
