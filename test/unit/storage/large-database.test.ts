import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectEncrypted, type Db } from '../../../src/main/core/storage/connection.ts'
import { checkIntegrity } from '../../../src/main/core/storage/integrity.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { temporaryFolder } from './folders.ts'

const KEY = randomBytes(32)
const PAGE = 4096

function largeDatabase(): { path: string; pages: number } {
  const path = join(temporaryFolder(), 'large.db')
  const db = connectEncrypted(path, KEY)
  migrate(db)
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)')
  db.transaction(() => {
    for (let number = 0; number < 3_000; number++) insert.run(`key ${number}`, 'x'.repeat(1000))
  })()
  db.exec('CREATE TABLE without (a PRIMARY KEY) WITHOUT ROWID')
  const pages = Number(db.pragma('page_count', { simple: true }))
  db.close()
  return { path, pages }
}

function check(path: string, thoroughUpToBytes: number): void {
  let db: Db | undefined
  try {
    db = connectEncrypted(path, KEY)
    checkIntegrity(db, thoroughUpToBytes)
  } finally {
    db?.close()
  }
}

function damage(path: string, page: number): void {
  const bytes = readFileSync(path)
  bytes.fill(7, (page - 1) * PAGE + 50, (page - 1) * PAGE + 150)
  writeFileSync(path, bytes)
}

test('an intact large database passes the check of its ends', () => {
  check(largeDatabase().path, 0)
})

test('a large database that lost its end is detected without reading all of it', () => {
  const { path, pages } = largeDatabase()
  writeFileSync(path, readFileSync(path).subarray(0, (pages - 20) * PAGE))
  expect(() => check(path, 0)).toThrow()
})

test('a large database with a damaged table is detected without reading all of it', () => {
  const { path } = largeDatabase()
  damage(path, 2)
  expect(() => check(path, 0)).toThrow()
})

test('a small database with damage anywhere is detected, because all of it is read', () => {
  const { path, pages } = largeDatabase()
  damage(path, Math.floor(pages / 2))
  expect(() => check(path, pages * PAGE)).toThrow('The file is damaged.')
})
