/** Run as a program: takes over differing answers one after another, and reports each, until it is killed. */
import { writeSync } from 'node:fs'
import { openDocuments } from '../../../../src/main/core/documents/mirror/database.ts'
import { someOffice, workerOffice } from '../worker-office.ts'

const [folder = '', first = '0'] = process.argv.slice(2)
const { db } = await openDocuments({ folder, key: { key: new Uint8Array(32).fill(7), isNew: false }, time: Date })
const office = workerOffice(db)
office.tick(Number(first) * 60_000)
for (let round = Number(first); ; round++) {
  await office.read('Progress', someOffice(round, 400))
  writeSync(1, `${round}\n`)
}
