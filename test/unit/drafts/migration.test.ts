import { expect, onTestFinished, test } from 'vitest'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { checkWholeness } from '../../../src/main/core/storage/integrity.ts'
import { migrate, migrations } from '../../../src/main/core/storage/migrations.ts'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { addAccount } from './office.ts'

/** A database as the first version left it. */
function firstVersion() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db, migrations.slice(0, 1))
  addAccount(db, 'a')
  const add = db.prepare(`INSERT INTO drafts VALUES (?, 'a', ?, ?, ?, ?, ?)`)
  return { db, add }
}

test('drafts of the first version keep their content, their times and their order, and get their signers’ names and words', () => {
  const { db, add } = firstVersion()
  const { zone: _zone, ...old } = forms({
    items: [form({ signers: [signer({ FirstName: 'Māia' }), signer({ key: 's2', FirstName: 'Tama' })] })]
  })
  add.run('d1', 'form-direct', 'Tax file declaration', JSON.stringify(old), 100, 300)
  add.run('d2', 'form-filler', 'Residential tenancy', JSON.stringify(templates()), 50, 900)
  migrate(db)
  const drafts = openDrafts({ db, clock: () => 1000, newId: () => 'new', changed: () => undefined })
  expect(drafts.list('a').rows).toEqual([
    { id: 'd2', accountId: 'a', kind: 'form-filler', title: 'Residential tenancy', who: 'Mere Tamati', updatedAt: 900 },
    {
      id: 'd1',
      accountId: 'a',
      kind: 'form-direct',
      title: 'Tax file declaration',
      who: 'Māia Tamati and Tama Tamati',
      updatedAt: 300
    }
  ])
  expect(drafts.list('a', { search: 'maia' }).rows.map(({ id }) => id)).toEqual(['d1'])
  expect(drafts.get('d1').composition).toEqual({ ...old, zone: '' })
  expect(db.prepare(`SELECT created_at FROM drafts WHERE id = 'd1'`).pluck().get()).toBe(100)
  drafts.save('a', templates(), 'd1')
  expect(drafts.list('a', { search: 'maia' }).total).toBe(0)
  checkWholeness(db)
})

test('a draft that this version can’t read does not keep the others from being upgraded, and is found by its words', () => {
  const { db, add } = firstVersion()
  const strange = JSON.stringify({ kind: 'form-direct', items: 'not a list', note: 'Kererū' })
  add.run('d1', 'form-direct', 'Strange', strange, 1, 1)
  add.run('d2', 'form-direct', 'Null', 'null', 1, 1)
  add.run('d3', 'form-direct', 'Fine', JSON.stringify(forms()), 1, 2)
  migrate(db)
  const drafts = openDrafts({ db, clock: () => 1000, newId: () => 'new', changed: () => undefined })
  expect(drafts.list('a').rows.map(({ title }) => title)).toEqual(['Fine', 'Strange', 'Null'])
  expect(drafts.list('a', { search: 'kereru' }).rows.map(({ title }) => title)).toEqual(['Strange'])
  expect(db.prepare(`SELECT body FROM drafts WHERE id = 'd1'`).pluck().get()).toBe(strange)
})

test('a step that fails while it fills the index leaves the first version as it was', () => {
  const { db, add } = firstVersion()
  add.run('d1', 'form-direct', 'Kept', JSON.stringify(forms()), 1, 1)
  const [first, second] = migrations
  const run = () => {
    throw new Error('no')
  }
  if (!first || !second) throw new Error('There are two steps at least.')
  expect(() => migrate(db, [first, { ...second, run }])).toThrow()
  expect(db.prepare('SELECT title FROM drafts').pluck().all()).toEqual(['Kept'])
  migrate(db)
  expect(db.prepare('SELECT title, who FROM drafts').all()).toEqual([{ title: 'Kept', who: 'Mere Tamati' }])
})
