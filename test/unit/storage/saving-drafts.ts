/** Run as a program: saves drafts until it is killed, and prints the number of each once it is saved. */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { lastingKeychain } from './keychains.ts'

const [folder = '', from = '0'] = process.argv.slice(2)
const keychain = lastingKeychain(new Map([['database-key', process.env.DATABASE_KEY ?? '']]))
const { db, state } = await openDatabase({ folder, keychain, random: randomBytes, clock: Date.now })
if (state !== 'encrypted') throw new Error('The database could not be opened.')

db.exec(
  `INSERT OR IGNORE INTO accounts (id, name, kind, base_url, auth_scheme, colour, folders, created_at, position)
   VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', '[]', 0, 0)`
)
const save = db.prepare(
  `INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body)
   VALUES (?, 'a', 'form-direct', 'Title', 0, 0, ?)`
)
for (let number = Number(from) + 1; ; number++) {
  save.run(`draft ${number}`, JSON.stringify({ text: 'x'.repeat(2000) }))
  // Not console.log, which would buffer it: the number must be out when the process dies.
  writeSync(1, `${number}\n`)
}
