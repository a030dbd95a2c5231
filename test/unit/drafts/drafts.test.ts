import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDrafts } from '../../../src/main/core/drafts/drafts.ts'
import { openSharedDrafts } from '../../../src/main/core/drafts/shared-drafts.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { anyCompositionAtAll } from './any-composition.ts'
import { addSend, failureOf, MINUTE, type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

const save = (changes = {}, id?: string) => office.drafts.save('a', forms(changes), id).id
const named = (name: string) => ({ items: [form({ Name: name })] })
const titles = (query = {}) => office.drafts.list(['a'], query).rows.map(({ title }) => title)

describe('saving', () => {
  test('returns any composition as it was saved', () => {
    fc.assert(
      fc.property(anyCompositionAtAll, (composition) => {
        const { id } = office.drafts.save('a', composition)
        expect(office.drafts.get(id).composition).toEqual(composition)
      }),
      { numRuns: 200 }
    )
  })

  test('without a shared office announces changes only after its single transaction', () => {
    const { db } = office
    const inTransaction: boolean[] = []
    const deps = { db, newId: () => 'its', time: systemTime }
    const drafts = openDrafts({ ...deps, changed: () => inTransaction.push(db.inTransaction) })
    const shared = openSharedDrafts({ ...deps, drafts, accounts: () => new Map(), changed: () => undefined })
    shared.save('a', forms(named('Lease')))
    shared.save('a', forms(named('Lease of a shop')), 'its', undefined, 0)
    expect(inTransaction).toEqual([false, false])
  })

  test('returns what a list shows: the title, the signers, and the time', () => {
    const saved = office.drafts.save(
      'a',
      forms({ items: [form({ signers: [signer(), signer({ FirstName: 'Tama' })] })] })
    )
    expect(saved).toEqual({
      id: saved.id,
      accountId: 'a',
      kind: 'form-direct',
      title: 'Tax file declaration',
      who: 'Mere Tamati and Tama Tamati',
      updatedAt: office.time.now
    })
    expect(office.drafts.summary(saved.id)).toEqual(saved)
    expect(office.drafts.list(['a']).rows).toEqual([saved])
  })

  test('a new draft twice under the screen’s own id makes one draft', () => {
    const mine = '6f1f7c1e-4c53-4f0a-9c6c-1f1f2f3f4f5f'
    office.drafts.save('a', forms(named('First')), undefined, mine)
    expect(office.drafts.save('a', forms(named('First, typed on')), undefined, mine).id).toBe(mine)
    expect(titles()).toEqual(['First, typed on'])
    expect(failureOf(() => office.drafts.save('b', forms(named('Another’s')), undefined, mine))).toMatchObject({
      code: 'gone'
    })
  })

  test('an existing draft replaces its content and makes it the newest', () => {
    const id = save(named('First'))
    office.time.now += MINUTE
    save(named('Second'))
    office.time.now += MINUTE
    save(named('First, changed'), id)
    expect(titles()).toEqual(['First, changed', 'Second'])
    expect(office.drafts.get(id).composition).toEqual(forms(named('First, changed')))
  })

  test('an unchanged draft doesn’t move it in the list or announce a change', () => {
    const id = save(named('First'))
    office.time.now += MINUTE
    save(named('Second'))
    const changesBefore = office.changes.length
    expect(office.drafts.save('a', forms(named('First')), id)).toMatchObject({ id, title: 'First' })
    expect(titles()).toEqual(['Second', 'First'])
    expect(office.changes).toHaveLength(changesBefore)
  })

  test('can change a draft of forms into one of templates', () => {
    const id = save()
    office.drafts.save('a', templates(), id)
    expect(office.drafts.summary(id)).toMatchObject({ kind: 'form-filler', title: 'Residential tenancy' })
  })

  test('late doesn’t bring back an erased draft', () => {
    expect(failureOf(() => save({}, 'never there')).code).toBe('gone')
    expect(titles()).toEqual([])
  })

  test('late doesn’t bring back a draft in the trash', () => {
    const id = save(named('Thrown away'))
    office.drafts.remove(id)
    expect(failureOf(() => save(named('Late'), id))).toMatchObject({
      code: 'gone',
      message: expect.stringContaining('trash')
    })
    expect(office.drafts.get(id).title).toBe('Thrown away')
  })

  test('doesn’t affect a draft of another account', () => {
    const id = save(named('Ours'))
    expect(failureOf(() => office.drafts.save('b', forms(), id)).code).toBe('gone')
    expect(office.drafts.get(id).title).toBe('Ours')
  })
})

describe('a draft in the outbox', () => {
  test.each(['ready', 'sending', 'uncertain'])(
    'isn’t listed, and can’t be saved, trashed or reverted while its send is %s',
    (state) => {
      const id = save(named('Before'))
      office.drafts.keepVersion(id, 'send')
      addSend(office.db, id, state)
      expect(office.drafts.list(['a'])).toEqual({ rows: [], total: 0, counts: { drafts: 0, trashed: 0 } })
      expect(office.drafts.list(['a'], { search: 'before' }).total).toBe(0)
      expect(failureOf(() => save(named('After'), id)).code).toBe('busy')
      expect(failureOf(() => office.drafts.remove(id)).code).toBe('busy')
      const version = office.drafts.history(id)[0]?.id ?? ''
      expect(failureOf(() => office.drafts.restoreVersion(id, version)).code).toBe('busy')
      expect(office.drafts.get(id).title).toBe('Before')
    }
  )

  test('can’t be changed or trashed once sent, and a leftover is removed at the next start', async () => {
    const id = save(named('Sent'))
    addSend(office.db, id, 'sent')
    expect(failureOf(() => save(named('After'), id)).code).toBe('busy')
    expect(failureOf(() => office.drafts.remove(id)).code).toBe('busy')
    await office.drafts.purge()
    expect(titles()).toEqual([])
    expect(titles({ search: 'sent' })).toEqual([])
    expect(failureOf(() => office.drafts.get(id)).code).toBe('gone')
  })

  test.each(['ready', 'sending', 'uncertain', 'sent', 'refused', 'not-sent', 'cancelled'])(
    'is counted consistently with the lists while its send is %s',
    (state) => {
      for (const name of ['First', 'Second', 'Third']) save(named(name))
      addSend(office.db, save(named('Fourth')), state)
      const { rows, total, counts } = office.drafts.list(['a'])
      expect(counts.drafts).toBe(rows.length)
      expect(total).toBe(rows.length)
      // A page that is full by its count is full on the screen: no row is missing in the middle.
      expect(office.drafts.list(['a'], { limit: 2 }).rows).toHaveLength(2)
      const found = office.drafts.list(['a'], { search: 'fourth' })
      expect(found.total).toBe(found.rows.length)
    }
  )

  test.each(['refused', 'not-sent'])('is a draft again once its send is %s', (state) => {
    const id = save()
    addSend(office.db, id, state)
    expect(titles()).toHaveLength(1)
    save(named('Mended'), id)
    expect(titles()).toEqual(['Mended'])
  })
})

describe('listing', () => {
  test('shows a page of drafts, newest first, with the total', () => {
    for (let number = 1; number <= 25; number++) {
      office.time.now += MINUTE
      save(named(`Form ${number}`))
    }
    const page = office.drafts.list(['a'], { offset: 10, limit: 10 })
    expect(page.rows.map(({ title }) => title)).toEqual(Array.from({ length: 10 }, (_, index) => `Form ${15 - index}`))
    expect(page).toMatchObject({ total: 25, counts: { drafts: 25, trashed: 0 } })
    expect(office.drafts.list(['a'], { offset: 30, limit: 10 }).rows).toEqual([])
  })

  test('shows only the drafts of one account', () => {
    save(named('Ours'))
    office.drafts.save('b', forms(named('Theirs')))
    expect(titles()).toEqual(['Ours'])
    expect(office.drafts.list(['b']).counts).toEqual({ drafts: 1, trashed: 0 })
  })
})

test('a copy is an independent draft', () => {
  const id = save(named('Original'))
  const copy = office.drafts.duplicate(id)
  expect(copy.id).not.toBe(id)
  save(named('Changed'), copy.id)
  expect(office.drafts.get(id).composition).toEqual(forms(named('Original')))
  expect(failureOf(() => office.drafts.duplicate('never there')).code).toBe('gone')
})

describe('a draft stored by an earlier version', () => {
  const store = (id: string, body: string) =>
    office.db
      .prepare(
        `INSERT INTO drafts (id, account_id, kind, title, created_at, updated_at, body) VALUES (?, 'a', 'form-direct', 'Old', 1, 1, ?)`
      )
      .run(id, body)

  test('opens with a blank time zone if it had none', () => {
    const { zone: _zone, ...old } = forms({ due: '2026-12-04T17:00', gmt: '780' })
    store('old', JSON.stringify(old))
    expect(office.drafts.get('old').composition).toEqual({ ...old, zone: '' })
  })

  test('that can’t be read reports so, and stays listed and unchanged', () => {
    const body = JSON.stringify({ ...forms(), somethingNew: 1 })
    store('strange', body)
    expect(failureOf(() => office.drafts.get('strange'))).toMatchObject({
      code: 'storage',
      message: expect.stringContaining('can’t read')
    })
    expect(failureOf(() => office.drafts.duplicate('strange')).code).toBe('storage')
    expect(titles()).toEqual(['Old'])
    expect(office.db.prepare('SELECT body FROM drafts').pluck().get()).toBe(body)
  })
})

test('deleting an account deletes all its data, and nothing of another account', () => {
  const tables = [
    'drafts',
    'draft_versions',
    'draft_words',
    'presets',
    'people',
    'people_words',
    'remembered',
    'remembered_forms'
  ]
  const composition = templates({
    ReturnUrl: 'https://example.com',
    items: [template({ fields: [] })]
  })
  for (const account of ['a', 'b']) {
    const { id } = office.drafts.save(account, forms())
    office.drafts.keepVersion(id, 'send')
    office.presets.save(account, 'Usual', forms())
    for (const noted of [composition, forms()]) {
      office.people.note(account, noted)
      office.remembered.note(account, noted)
    }
  }
  const counted = () => tables.map((table) => Number(office.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()))
  const both = counted()
  expect(Math.min(...both)).toBeGreaterThan(0)
  office.db.exec(`DELETE FROM accounts WHERE id = 'a'`)
  expect(counted()).toEqual(both.map((count) => count / 2))
})
