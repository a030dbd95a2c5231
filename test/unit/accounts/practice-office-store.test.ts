import { expect, onTestFinished, test } from 'vitest'
import { openPracticeOfficeStore } from '../../../src/main/core/accounts/practice-office-store.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'

function openStore() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  return { db, office: openPracticeOfficeStore(db, { now: () => 1_000 }) }
}

test('an office is stored with later additions in order, until it is saved completely again', () => {
  const { office } = openStore()
  expect(office.load()).toBeUndefined()
  office.save('{"a":1}')
  const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`)
  for (const line of lines) office.add(line)
  expect(office.load()).toBe(['{"a":1}', ...lines].join('\n'))
  office.save('{"a":2}')
  expect(office.load()).toBe('{"a":2}')
  office.add('another')
  expect(office.load()).toBe('{"a":2}\nanother')
})

test('an unreadable office is set aside with its additions', () => {
  const { db, office } = openStore()
  office.save('unreadable')
  office.add('a package')
  office.setAside()
  expect(office.load()).toBeUndefined()
  expect(db.prepare("SELECT value FROM meta WHERE key LIKE 'practice-office%'").pluck().all()).toEqual([
    'unreadable\na package'
  ])
})
