import { beforeEach, describe, expect, test } from 'vitest'
import { form, forms } from '../../fixtures/compositions.ts'
import { DAY, failureOf, type Office, openOffice } from './office.ts'

let office: Office
let id: string
beforeEach(() => {
  office = openOffice()
  id = office.drafts.save('a', forms()).id
})

const trashed = () => office.drafts.list(['a'], { trashed: true })

/** Puts enough drafts in the trash that erasing them takes several turns. */
function manyTrashed(): string[] {
  return office.db.transaction(() =>
    Array.from({ length: 2000 }, () => {
      const draft = office.drafts.save('a', forms()).id
      office.drafts.remove(draft)
      return draft
    })
  )()
}

/** Uses the application daily: it checks the trash at each start, and again in the afternoon. */
async function useFor(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    office.time.now += DAY
    await office.drafts.purge()
    await office.drafts.purge()
  }
}

describe('the trash', () => {
  test('lists trashed drafts, newest first, apart from other drafts', () => {
    const other = office.drafts.save('a', forms({ items: [form({ Name: 'Other' })] })).id
    office.drafts.remove(id)
    office.time.now += 1000
    office.drafts.remove(other)
    expect(office.drafts.list(['a'])).toEqual({ rows: [], total: 0, counts: { drafts: 0, trashed: 2 } })
    expect(trashed().rows.map((draft) => draft.id)).toEqual([other, id])
    expect(trashed().rows[0]?.trashedAt).toBe(office.time.now)
  })

  test('restores a draft as it was, including its history', () => {
    office.drafts.keepVersion(id, 'send')
    const before = office.drafts.get(id)
    office.drafts.remove(id)
    expect(office.drafts.restore(id)).toEqual({ ...before, composition: undefined })
    expect(office.drafts.get(id)).toEqual(before)
    expect(office.drafts.history(id)).toHaveLength(1)
    office.drafts.save('a', forms({ due: '2027-01-01T10:00', gmt: '0' }), id)
  })

  test('keeps the time at which a draft was first trashed', () => {
    office.drafts.remove(id)
    const at = trashed().rows[0]?.trashedAt
    office.time.now += DAY
    office.drafts.remove(id)
    expect(trashed().rows[0]?.trashedAt).toBe(at)
  })

  test('erases a single draft permanently, but only if it is in the trash', () => {
    expect(failureOf(() => office.drafts.erase(id)).code).toBe('gone')
    office.drafts.remove(id)
    office.drafts.erase(id)
    expect(failureOf(() => office.drafts.get(id)).code).toBe('gone')
    expect(failureOf(() => office.drafts.restore(id)).code).toBe('gone')
    expect(failureOf(() => office.drafts.remove(id)).code).toBe('gone')
  })

  test('is emptied entirely for one account, and for no other', async () => {
    const theirs = office.drafts.save('b', forms()).id
    office.drafts.remove(theirs)
    const many = Array.from({ length: 75 }, () => office.drafts.save('a', forms()).id)
    for (const one of many) office.drafts.remove(one)
    expect(await office.drafts.emptyTrash(['a'])).toBe(75)
    expect(office.drafts.list(['a']).counts).toEqual({ drafts: 1, trashed: 0 })
    expect(office.drafts.list(['b']).counts).toEqual({ drafts: 0, trashed: 1 })
    expect(await office.drafts.emptyTrash(['a'])).toBe(0)
  })

  test('keeps drafts restored or trashed while it is being emptied', async () => {
    const many = manyTrashed()
    const last = many.at(-1) ?? ''
    const emptied = office.drafts.emptyTrash(['a'])
    office.drafts.restore(last)
    office.drafts.remove(id)
    expect(await emptied).toBe(many.length - 1)
    expect(office.drafts.get(last).id).toBe(last)
    expect(trashed().rows.map((draft) => draft.id)).toEqual([id])
  })

  test('announces one change when emptied, not one per draft', async () => {
    for (let number = 0; number < 50; number++) office.drafts.remove(office.drafts.save('a', forms()).id)
    office.changes.length = 0
    await office.drafts.emptyTrash(['a'])
    expect(office.changes).toHaveLength(1)
  })
})

describe('after 30 days', () => {
  test('a draft in the trash is erased, no earlier, and others stay', async () => {
    const stays = office.drafts.save('a', forms()).id
    office.drafts.remove(id)
    await useFor(29)
    expect(trashed().total).toBe(1)
    await useFor(1)
    expect(trashed().total).toBe(0)
    expect(office.drafts.get(stays).id).toBe(stays)
  })

  test('a draft that was restored and trashed again has another 30 days', async () => {
    office.drafts.remove(id)
    await useFor(20)
    office.drafts.restore(id)
    office.drafts.remove(id)
    await useFor(29)
    expect(trashed().total).toBe(1)
    await useFor(1)
    expect(trashed().total).toBe(0)
  })

  test('a draft is erased even if the application is used on weekdays only', async () => {
    office.drafts.remove(id)
    for (let week = 0; week < 5; week++) {
      await useFor(5)
      office.time.now += 2 * DAY
    }
    expect(trashed().total).toBe(0)
  })
})

test('a day counts even if the application is started a little earlier each morning', async () => {
  office.drafts.remove(id)
  for (let day = 0; day < 10; day++) {
    office.time.now += DAY - 15 * 60_000
    await office.drafts.purge()
  }
  office.time.now += 21 * DAY
  await office.drafts.purge()
  expect(trashed().total).toBe(0)
})

describe('a wrong clock', () => {
  test('jumping by decades, at one or several starts, doesn’t empty the trash', async () => {
    office.drafts.remove(id)
    await useFor(3)
    const right = office.time.now
    for (const year of [2099, 2031, 2120]) {
      office.time.now = Date.UTC(year, 0, 1)
      await office.drafts.purge()
      await office.drafts.purge()
    }
    office.time.now = right
    await office.drafts.purge()
    expect(trashed().total).toBe(1)
  })

  test('set to 1970 when a draft is trashed doesn’t erase it once corrected', async () => {
    const right = office.time.now
    office.time.now = 0
    office.drafts.remove(id)
    office.time.now = right
    await useFor(5)
    expect(trashed().total).toBe(1)
  })

  test('set far ahead when a draft is trashed doesn’t keep it forever', async () => {
    const right = office.time.now
    office.time.now = Date.UTC(2099, 0, 1)
    office.drafts.remove(id)
    office.time.now = right
    await useFor(30)
    expect(trashed().total).toBe(1)
    await useFor(31)
    expect(trashed().total).toBe(0)
  })
})

test('the application can be closed while the trash is being emptied', async () => {
  const many = manyTrashed()
  const emptied = office.drafts.emptyTrash(['a'])
  office.db.close()
  const erased = await emptied
  expect(erased).toBeGreaterThan(0)
  expect(erased).toBeLessThan(many.length)
})
