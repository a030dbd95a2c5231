import { describe, expect, onTestFinished, test } from 'vitest'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { checkIntegrity } from '../../../src/main/core/storage/integrity.ts'
import {
  MigrationError,
  migrate,
  migrations,
  NewerSchemaError,
  versionOf
} from '../../../src/main/core/storage/migrations.ts'

function emptyDatabase() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  return db
}

function currentDatabase() {
  const db = emptyDatabase()
  migrate(db)
  return db
}

const ACCOUNT = `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
const DRAFT = `INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body)
  VALUES ('d', 'a', 'form-direct', 'Title', 1, 1, '{}')`
const SEND = `INSERT INTO sends (id, draft_id, account_id, kind, state, title, created_at)
  VALUES ('s', 'd', 'a', 'form-direct', 'sent', 'Title', 1)`
const VIEW = `INSERT INTO document_views (id, account_id, name, query, position) VALUES ('v', 'a', 'n', '{}', 0)`
const DOWNLOAD = `INSERT INTO download_folders (id, path) VALUES ('f', '/srv/identity');
  INSERT INTO downloads (id, account_id, document_reference, name, type, folder_id, pattern, writes_index, state, queued_at)
  VALUES ('l', 'a', 'r', 'n', 'pdf', 'f', '{document}', 0, 'waiting', 1)`

const VERIFICATION = `INSERT INTO verifications (id, account_id, document_reference, document_name, asked_at, answered_at, valid,
  not_valid, answer) VALUES ('x', 'a', 'r', 'n', 1, 1, 0, 0, '{}')`

const shapeOf = (db: ReturnType<typeof emptyDatabase>) => db.prepare('SELECT * FROM sqlite_schema ORDER BY name').all()

describe('migrating a database', () => {
  test('creates all tables in an empty one', () => {
    const db = emptyDatabase()
    expect(migrate(db)).toBe(migrations.length)
    expect(versionOf(db)).toBe(migrations.length)
    checkIntegrity(db)
    checkIntegrity(db, 0)
  })

  test('changes nothing the second time', () => {
    const db = currentDatabase()
    db.exec(ACCOUNT)
    const before = shapeOf(db)
    expect(migrate(db)).toBe(0)
    expect(shapeOf(db)).toEqual(before)
    expect(db.prepare('SELECT id FROM accounts').all()).toHaveLength(1)
  })

  test('applies only the new steps, in order', () => {
    const db = currentDatabase()
    db.exec(ACCOUNT)
    const later = [
      ...migrations,
      { name: 'a', sql: 'ALTER TABLE accounts ADD COLUMN note TEXT' },
      { name: 'b', sql: `UPDATE accounts SET note = 'added'` }
    ]
    expect(migrate(db, later)).toBe(2)
    expect(db.prepare('SELECT note FROM accounts').pluck().get()).toBe('added')
  })

  test('applies no step if one fails: the previous version can still open it', () => {
    const db = emptyDatabase()
    const steps = [
      { name: 'good', sql: 'CREATE TABLE good (a)' },
      { name: 'bad', sql: 'CREATE TABLE half (a); INSERT INTO nowhere VALUES (1)' }
    ]
    expect(() => migrate(db, steps)).toThrow(MigrationError)
    expect(versionOf(db)).toBe(0)
    expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual([])
  })

  test('a step whose code fails leaves the previous content unchanged', () => {
    const db = currentDatabase()
    for (const sql of [ACCOUNT, DRAFT]) db.exec(sql)
    const sql = `ALTER TABLE drafts ADD COLUMN note TEXT; UPDATE drafts SET title = 'Changed'`
    const run = () => {
      throw new Error('no')
    }
    expect(() => migrate(db, [...migrations, { name: 'fails', sql, run }])).toThrow(MigrationError)
    expect(db.prepare('SELECT * FROM drafts').all()).toEqual([expect.objectContaining({ title: 'Title' })])
    expect(db.prepare('SELECT * FROM drafts').all()).not.toEqual([expect.objectContaining({ note: null })])
    expect(migrate(db)).toBe(0)
  })

  test('leaves a database of a later version alone', () => {
    const db = currentDatabase()
    db.pragma('user_version = 999')
    expect(() => migrate(db)).toThrow(NewerSchemaError)
    expect(versionOf(db)).toBe(999)
  })
})

describe('the tables', () => {
  test('lose what belongs to a deleted account, and nothing else', () => {
    const db = currentDatabase()
    for (const sql of [ACCOUNT, DRAFT, SEND, VIEW, DOWNLOAD, VERIFICATION]) db.exec(sql)
    db.exec(ACCOUNT.replace(`'a'`, `'b'`))
    db.exec(DRAFT.replace(`'d', 'a'`, `'e', 'b'`))
    db.exec(`DELETE FROM accounts WHERE id = 'a'`)
    const left = ['drafts', 'sends', 'document_views', 'downloads', 'verifications'].map((table) =>
      db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()
    )
    expect(left).toEqual([1, 0, 0, 0, 0])
  })

  test('keep a send, and the draft it came from, when the draft is deleted', () => {
    const db = currentDatabase()
    for (const sql of [ACCOUNT, DRAFT, SEND]) db.exec(sql)
    db.exec('DELETE FROM drafts')
    expect(db.prepare('SELECT draft_id FROM sends').pluck().get()).toBe('d')
  })

  test.each([
    ['an unknown kind of account', ACCOUNT.replace(`'service'`, `'other'`)],
    ['a service without an address', ACCOUNT.replace(`'https://sign.example.com'`, 'NULL')],
    ['a practice office with an address', ACCOUNT.replace(`'service'`, `'practice'`)],
    ['folders that aren’t JSON', ACCOUNT.replace(`'[]'`, `'InBox'`)],
    ['text for a time', ACCOUNT.replace('1, 0)', `'yesterday', 0)`)],
    ['a draft of no account', DRAFT]
  ])('refuse %s', (_, sql) => {
    expect(() => currentDatabase().exec(sql)).toThrow(/constraint|cannot store/)
  })

  test.each(['ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled'])(
    'accept a send in the state %s',
    (state) => {
      const db = currentDatabase()
      db.exec(ACCOUNT)
      db.exec(SEND.replace(`'sent'`, `'${state}'`))
      expect(() => db.exec(`UPDATE sends SET state = 'lost'`)).toThrow(/constraint/)
    }
  )

  test.each([
    ['the saved views of an account', 'SELECT * FROM document_views WHERE account_id = ? ORDER BY position'],
    [
      'the drafts of an account that aren’t in the trash',
      'SELECT * FROM drafts WHERE account_id = ? AND trashed_at IS NULL ORDER BY updated_at DESC, id'
    ],
    ['the send of a draft', 'SELECT * FROM sends WHERE draft_id = ? AND state = ?']
  ])('find %s without scanning a whole table', (_, sql) => {
    const parameters = Array.from(sql.matchAll(/\?/g), () => 'x')
    const plan = currentDatabase()
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
    expect(JSON.stringify(plan)).toMatch(/USING INDEX/)
    expect(JSON.stringify(plan)).not.toMatch(/SCAN|TEMP B-TREE/)
  })
})
