/** The forms and templates that an office knows, with how often and when they were sent last. */
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openKnownForms } from '../../../src/main/core/directory/known-forms.ts'
import { connectInMemory } from '../../../src/main/core/storage/connection.ts'
import { migrate, migrations } from '../../../src/main/core/storage/migrations.ts'
import { type Office, openOffice } from '../actions/office.ts'

let office: Office
beforeEach(async () => {
  office = await openOffice()
})
afterEach(() => office.close())

const known = () =>
  openKnownForms({ db: office.parts.db, templates: async () => [{ Name: 'Deed', Reference: 'deed' }] }).list(
    office.accountId
  )

function send(id: string, kind: 'form-direct' | 'form-filler', request: object, at: number): void {
  const { db } = office.parts
  const added = db
    .prepare(
      `INSERT INTO sends (id, account_id, kind, state, title, created_at, settled_at) VALUES (?, ?, ?, 'ready', '', 1, ?)`
    )
    .run(id, office.accountId, kind, at)
  db.prepare('INSERT INTO send_bodies (number, body) VALUES (?, ?)').run(
    added.lastInsertRowid,
    JSON.stringify({ request })
  )
}
const become = (id: string, state: string) =>
  office.parts.db.prepare('UPDATE sends SET state = ? WHERE id = ?').run(state, id)

test('a package counts once it was sent, once for each form in it', async () => {
  const letter = { Name: 'Letter', Reference: 'letter', FormType: 1 }
  send('one', 'form-direct', { Forms: [letter, letter] }, 50)
  send('two', 'form-direct', { Forms: [letter] }, 70)
  send('three', 'form-filler', { Templates: [{ Name: 'Deed', Reference: 'deed' }] }, 60)
  expect((await known()).map(({ uses }) => uses)).toEqual([0])
  for (const id of ['one', 'two', 'three']) {
    become(id, 'sending')
    become(id, 'sent')
  }
  expect(await known()).toEqual([
    { kind: 'form-direct', Name: 'Letter', Reference: 'letter', FormType: '1', uses: 2, usedAt: 70 },
    { kind: 'form-filler', Name: 'Deed', Reference: 'deed', uses: 1, usedAt: 60 }
  ])
})

test('one form that a package has under two names is one form, used once', async () => {
  const [a, b] = ['Loan A', 'Loan B'].map((Name) => ({ Name, Reference: 'loan', FormType: 1 }))
  send('one', 'form-direct', { Forms: [a, b, b] }, 50)
  become('one', 'sent')
  expect(await known()).toMatchObject([{ Reference: 'loan', uses: 1 }, { Reference: 'deed' }])
})

test('what an earlier version sent is counted as what this one sends', () => {
  const db = connectInMemory()
  onTestFinished(() => void db.close())
  const step = migrations.findIndex(({ name }) => name === 'employers')
  migrate(db, migrations.slice(0, step))
  db.exec(
    `INSERT INTO accounts (id, name, kind, base_url, auth_scheme, colour, json_by_query, folders, created_at, position)
  VALUES ('a', 'Office', 'service', 'https://sign.example.com', 'none', '#123456', 0, '[]', 1, 0)`
  )
  const put = db.prepare(
    `INSERT INTO sends (id, account_id, kind, state, title, created_at, settled_at) VALUES (?, 'a', ?, ?, '', 1, ?)`
  )
  const fill = db.prepare('INSERT INTO send_bodies (number, body) VALUES (?, ?)')
  const add = (id: string, kind: string, state: string, settledAt: number, request: object) =>
    fill.run(put.run(id, kind, state, settledAt).lastInsertRowid, JSON.stringify({ request }))
  const loan = (Name: string, FormType = 1) => ({ Name, Reference: 'loan', FormType })
  add('one', 'form-direct', 'sent', 70, { Forms: [loan('Loan A'), loan('Loan B'), loan('Loan B'), loan('Tax', 4)] })
  add('two', 'form-direct', 'sent', 50, { Forms: [loan('Loan C')] })
  add('three', 'form-direct', 'uncertain', 90, { Forms: [loan('Loan D')] })
  add('four', 'form-filler', 'sent', 60, { Templates: [{ Name: 'Deed', Reference: 'deed' }] })
  migrate(db)
  const uses = db.prepare('SELECT reference, form_type, name, uses, used_at FROM form_uses ORDER BY 1, 2').all()
  expect(uses).toEqual([
    { reference: 'deed', form_type: '', name: 'Deed', uses: 1, used_at: 60 },
    { reference: 'loan', form_type: '1', name: 'Loan C', uses: 2, used_at: 70 },
    { reference: 'loan', form_type: '4', name: 'Tax', uses: 1, used_at: 70 }
  ])
})

test('forms that were put in the outbox are known, though none has left', async () => {
  office.parts.db
    .prepare(`INSERT INTO remembered_forms VALUES (?, 'Super choice', 'super', '4', 9)`)
    .run(office.accountId)
  expect(await known()).toMatchObject([
    { kind: 'form-direct', Reference: 'super', FormType: '4', uses: 0 },
    { Reference: 'deed' }
  ])
})
