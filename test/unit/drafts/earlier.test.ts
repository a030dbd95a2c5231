import { expect, onTestFinished, test } from 'vitest'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { addAccount } from './office.ts'

function database() {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  migrate(db)
  addAccount(db, 'a')
  const add = db.prepare(
    `INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body) VALUES (?, 'a', ?, ?, ?, ?, ?)`
  )
  return {
    db,
    add,
    drafts: openDrafts({ db, time: { now: () => 1000 }, newId: () => 'new', changed: () => undefined })
  }
}

test('drafts stored by an earlier version keep their content, times and order', () => {
  const { db, add, drafts } = database()
  const { zone: _zone, ...old } = forms({
    items: [form({ signers: [signer({ FirstName: 'Māia' }), signer({ key: 's2', FirstName: 'Tama' })] })]
  })
  add.run('d1', 'form-direct', 'Tax file declaration', 100, 300, JSON.stringify(old))
  add.run('d2', 'form-filler', 'Residential tenancy', 50, 900, JSON.stringify(templates()))
  expect(drafts.list(['a']).rows).toMatchObject([
    { id: 'd2', kind: 'form-filler', title: 'Residential tenancy', updatedAt: 900 },
    { id: 'd1', kind: 'form-direct', title: 'Tax file declaration', updatedAt: 300 }
  ])
  expect(drafts.get('d1').composition).toEqual({ ...old, zone: '' })
  drafts.save('a', forms({ items: [form({ signers: [signer({ FirstName: 'Māia' })] })] }), 'd1')
  expect(drafts.list(['a'], { search: 'maia' }).rows.map(({ id }) => id)).toEqual(['d1'])
  expect(db.prepare(`SELECT created_at FROM drafts WHERE id = 'd1'`).pluck().get()).toBe(100)
  drafts.save('a', templates(), 'd1')
  expect(drafts.list(['a'], { search: 'maia' }).total).toBe(0)
})

test('a draft that this version can’t read stays as it is, beside the others', () => {
  const { db, add, drafts } = database()
  const strange = JSON.stringify({ kind: 'form-direct', items: 'not a list', note: 'Kererū' })
  add.run('d1', 'form-direct', 'Strange', 1, 1, strange)
  add.run('d2', 'form-direct', 'Null', 1, 1, 'null')
  add.run('d3', 'form-direct', 'Fine', 1, 2, JSON.stringify(forms()))
  expect(drafts.list(['a']).rows.map(({ title }) => title)).toEqual(['Fine', 'Strange', 'Null'])
  expect(() => drafts.get('d1')).toThrow()
  expect(db.prepare(`SELECT body FROM drafts WHERE id = 'd1'`).pluck().get()).toBe(strange)
})
