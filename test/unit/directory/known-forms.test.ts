/** The forms and templates an office knows, with how often and when each was last sent. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openKnownForms } from '../../../src/main/core/directory/known-forms.ts'
import { type Office, openOffice } from '../actions/office.ts'

let office: Office
beforeEach(async () => {
  office = await openOffice()
})
afterEach(() => office.close())

const openForms = () =>
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

test('a package counts only once sent, once for each form in it', async () => {
  const letter = { Name: 'Letter', Reference: 'letter', FormType: 1 }
  send('one', 'form-direct', { Forms: [letter, letter] }, 50)
  send('two', 'form-direct', { Forms: [letter] }, 70)
  send('three', 'form-filler', { Templates: [{ Name: 'Deed', Reference: 'deed' }] }, 60)
  expect((await openForms()).map(({ uses }) => uses)).toEqual([0])
  for (const id of ['one', 'two', 'three']) {
    become(id, 'sending')
    become(id, 'sent')
  }
  expect(await openForms()).toEqual([
    { kind: 'form-direct', Name: 'Letter', Reference: 'letter', FormType: '1', uses: 2, usedAt: 70 },
    { kind: 'form-filler', Name: 'Deed', Reference: 'deed', uses: 1, usedAt: 60 }
  ])
})

test('a form that a package contains under two names counts as one', async () => {
  const [a, b] = ['Loan A', 'Loan B'].map((Name) => ({ Name, Reference: 'loan', FormType: 1 }))
  send('one', 'form-direct', { Forms: [a, b, b] }, 50)
  become('one', 'sent')
  expect(await openForms()).toMatchObject([{ Reference: 'loan', uses: 1 }, { Reference: 'deed' }])
})

test('forms in the outbox are known although none has been sent', async () => {
  office.parts.db
    .prepare(`INSERT INTO remembered_forms VALUES (?, 'Super choice', 'super', '4', 9)`)
    .run(office.accountId)
  expect(await openForms()).toMatchObject([
    { kind: 'form-direct', Reference: 'super', FormType: '4', uses: 0 },
    { Reference: 'deed' }
  ])
})

test('recently sent templates are listed newest first, by account, without calling the service', () => {
  const forms = openKnownForms({
    db: office.parts.db,
    templates: () => Promise.reject(new Error('It was asked.'))
  })
  send('one', 'form-filler', { Templates: [{ Name: 'Deed', Reference: 'deed' }] }, 50)
  send('two', 'form-filler', { Templates: [{ Name: 'Lease', Reference: 'lease' }] }, 60)
  send('three', 'form-direct', { Forms: [{ Name: 'Letter', Reference: 'letter', FormType: 1 }] }, 70)
  for (const id of ['one', 'two', 'three']) become(id, 'sent')
  expect(forms.recentTemplates(office.accountId)).toEqual(['lease', 'deed'])
  expect(forms.recentTemplates('another')).toEqual([])
})
