/**
 * Run as a program: changes one draft and makes others until it is killed, and prints the number of each change once it
 * is saved.
 */
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { connectEncrypted } from '../../../src/main/core/storage/connection.ts'
import { form, forms } from '../../fixtures/compositions.ts'

const [path = '', id = '', from = '0'] = process.argv.slice(2)
const db = connectEncrypted(path, Buffer.alloc(32, 5))
const drafts = openDrafts({ db, time: Date, newId: randomUUID, changed: () => undefined })
for (let number = Number(from) + 1; ; number++) {
  drafts.save('a', forms({ items: [form({ Name: `Change ${number}` })] }), id)
  drafts.save('a', forms({ items: [form({ Name: `Draft ${number}` })] }))
  // Not console.log, which would buffer it: the number must be out when the process dies.
  writeSync(1, `${number}\n`)
}
