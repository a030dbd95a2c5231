import { afterEach, expect, it } from 'vitest'
import { flag, json, optional, type Row, Rows, value } from '../../../src/main/core/lib/rows.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'

const THINGS = new Rows({
  id: value<string>(),
  madeAt: value<number>(),
  isOpen: flag(),
  wordsOf: json<string[]>('words'),
  ownerName: optional(value<string>()),
  trouble: optional(json<{ code: string }>())
})
const db = connectInMemory()
db.exec('CREATE TABLE things (id, made_at, is_open, words, owner_name, trouble)')
const insert = db.prepare('INSERT INTO things VALUES (@id, @madeAt, @isOpen, @wordsOf, @ownerName, @trouble)')
const all = db.prepare<[], Row>(`SELECT ${THINGS.columns} FROM things`)

afterEach(() => void db.exec('DELETE FROM things'))

it('reads what it wrote, including missing values', () => {
  const record = { id: 'a', madeAt: 5, isOpen: true, wordsOf: ['x'], ownerName: 'Kiri', trouble: { code: 'no' } }
  const bare = { id: 'b', madeAt: 0, isOpen: false, wordsOf: [], ownerName: undefined, trouble: undefined }
  for (const thing of [record, bare]) insert.run(THINGS.write(thing))
  expect(all.all().map(THINGS.read)).toStrictEqual([record, bare])
})

it('stores NULL for missing values, and 1 or 0 for true or false', () => {
  insert.run(THINGS.write({ id: 'a', madeAt: 1, isOpen: false, wordsOf: [] }))
  const row = { id: 'a', made_at: 1, is_open: 0, words: '[]', owner_name: null, trouble: null }
  expect(all.all()).toStrictEqual([row])
})

it('omits undefined members, so that a statement that needs them fails', () => {
  const some = THINGS.write({ id: 'a', isOpen: true })
  expect(some).toStrictEqual({ id: 'a', isOpen: 1, ownerName: null, trouble: null })
  expect(() => insert.run(some)).toThrow('Missing named parameter')
})

it('returns undefined for a missing row', () => {
  expect(THINGS.find(undefined)).toBeUndefined()
})
