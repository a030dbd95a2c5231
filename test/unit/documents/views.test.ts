import { expect, onTestFinished, test } from 'vitest'
import { openViews } from '../../../src/main/core/documents/views.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { addAccount, failureOf } from '../drafts/office.ts'
import { query } from './index/rows.ts'

function office() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  addAccount(db, 'a')
  addAccount(db, 'b')
  let ids = 0
  const announced: string[] = []
  const views = openViews({ db, newId: () => `view-${++ids}`, changed: () => announced.push('changed') })
  return { db, views, announced, names: (account = 'a') => views.list(account).map(({ name }) => name) }
}

const overdue = { name: 'Overdue', query: query({ overdue: true }), tell: false }
const mine = { name: 'Mine', query: query({ signer: 'aroha' }), tell: true }

test('a view is saved with its query, and the change is announced', () => {
  const { views, announced } = office()
  const saved = views.save('a', mine)
  expect(saved).toEqual({ id: 'view-1', ...mine })
  expect(views.list('a')).toEqual([saved])
  expect(announced).toEqual(['changed'])
})

test('views keep the order in which they were arranged, new ones at the end', () => {
  const { views, names } = office()
  const [first, second] = [views.save('a', overdue), views.save('a', mine)]
  views.setOrder('a', [second.id, 'unknown', first.id, second.id])
  expect(names()).toEqual(['Mine', 'Overdue'])
  const third = views.save('a', { ...mine, name: 'Third' })
  expect(names()).toEqual(['Mine', 'Overdue', 'Third'])
  // From a screen that doesn't know the third one yet.
  views.setOrder('a', [first.id, second.id])
  expect(names()).toEqual(['Overdue', 'Mine', 'Third'])
  views.setOrder('a', [third.id])
  expect(names()).toEqual(['Third', 'Overdue', 'Mine'])
})

test('a changed view keeps its place', () => {
  const { views, names } = office()
  const { id } = views.save('a', overdue)
  views.save('a', mine)
  expect(views.save('a', { id, ...overdue, name: 'Late', tell: true })).toEqual({
    id,
    ...overdue,
    name: 'Late',
    tell: true
  })
  expect(names()).toEqual(['Late', 'Mine'])
})

test('a view belongs to its account', () => {
  const { views, names } = office()
  const { id } = views.save('a', overdue)
  expect(names('b')).toEqual([])
  expect(failureOf(() => views.save('b', { id, ...mine })).code).toBe('gone')
  expect(failureOf(() => views.remove('b', id)).code).toBe('gone')
  views.setOrder('b', [id])
  expect(names()).toEqual(['Overdue'])
  views.remove('a', id)
  expect(names()).toEqual([])
  expect(failureOf(() => views.remove('a', id)).code).toBe('gone')
})

test('a view whose query this version can’t read is shown, finds everything, and keeps its query', () => {
  const { db, views } = office()
  const { id } = views.save('a', overdue)
  const later = JSON.stringify({ ...overdue.query, moonPhase: 'full' })
  db.prepare('UPDATE document_views SET query = ?').run(later)
  expect(views.list('a')).toEqual([{ id, ...overdue, query: query() }])
  expect(db.prepare('SELECT query FROM document_views').pluck().get()).toBe(later)
})

test('the limit is two hundred views', () => {
  const { views } = office()
  for (let count = 0; count < 200; count++) views.save('a', { ...mine, name: `View ${count}` })
  expect(failureOf(() => views.save('a', overdue)).code).toBe('invalid')
  expect(views.list('a')).toHaveLength(200)
})
