import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_VERSION_BYTES, MAX_VERSIONS } from '../../../src/main/core/drafts/history.ts'
import { form, forms } from '../../fixtures/compositions.ts'
import { failureOf, MINUTE, type Office, openOffice } from './office.ts'

let office: Office
let id: string
beforeEach(() => {
  office = openOffice()
  id = office.drafts.save('a', named('0')).id
})

const named = (Name: string) => forms({ items: [form({ Name })] })
const titles = () => office.drafts.history(id).map(({ title }) => title)

/** Types for that many minutes: a change every ten seconds. */
function typeFor(minutes: number, name = 'at'): void {
  const until = office.time.now + minutes * MINUTE
  while (office.time.now < until) {
    office.time.now += 10_000
    office.drafts.save('a', named(`${name} ${office.time.now}`), id)
  }
}

describe('while a draft is changed', () => {
  test('no version is kept for the first ten minutes, then the one before the change', () => {
    typeFor(9.5)
    expect(titles()).toEqual([])
    const before = office.drafts.get(id)
    office.time.now += MINUTE
    typeFor(1)
    expect(office.drafts.history(id)).toEqual([
      { id: expect.any(String), savedAt: before.updatedAt, reason: 'change', title: before.title, who: 'Mere Tamati' }
    ])
  })

  test('one version is kept every ten minutes', () => {
    typeFor(61)
    const times = office.drafts.history(id).map(({ savedAt }) => savedAt)
    expect(times).toHaveLength(6)
    for (const [index, time] of times.slice(1).entries()) {
      expect((times[index] ?? 0) - time).toBeGreaterThanOrEqual(10 * MINUTE)
    }
  })

  test('the evening’s version is kept at the first change in the morning', () => {
    typeFor(2, 'evening')
    const evening = office.drafts.get(id)
    office.time.now += 16 * 60 * MINUTE
    typeFor(1, 'morning')
    expect(office.drafts.history(id)).toMatchObject([{ title: evening.title, savedAt: evening.updatedAt }])
  })

  test('versions are still kept after the clock was set back', () => {
    office.time.now -= 400 * 24 * 60 * MINUTE
    typeFor(25)
    expect(titles().length).toBeGreaterThanOrEqual(3)
  })

  test('saving an unchanged draft keeps no version', () => {
    office.time.now += 60 * MINUTE
    office.drafts.save('a', named('0'), id)
    expect(titles()).toEqual([])
  })
})

describe('before a send', () => {
  test('the draft is kept as it is sent', () => {
    office.drafts.keepVersion(id, 'send')
    expect(office.drafts.history(id)).toMatchObject([{ reason: 'send', title: '0' }])
  })

  test('a version already kept isn’t duplicated, and is marked as sent', () => {
    office.time.now += 11 * MINUTE
    office.drafts.save('a', named('1'), id)
    office.drafts.save('a', named('0'), id)
    office.drafts.keepVersion(id, 'send')
    office.drafts.keepVersion(id, 'send')
    expect(office.drafts.history(id)).toMatchObject([{ reason: 'send', title: '0' }])
  })
})

describe('reverting to a version', () => {
  test('makes it the current content, and keeps what it replaced', () => {
    office.drafts.keepVersion(id, 'send')
    office.time.now += MINUTE
    office.drafts.save('a', named('later'), id)
    const [version] = office.drafts.history(id)
    expect(office.drafts.version(id, version?.id ?? '')).toEqual(named('0'))
    office.time.now += MINUTE
    const view = office.drafts.restoreVersion(id, version?.id ?? '')
    expect(view).toMatchObject({ title: '0', updatedAt: office.time.now, composition: named('0') })
    expect(office.drafts.history(id)).toMatchObject([
      { reason: 'restore', title: 'later' },
      { reason: 'send', title: '0' }
    ])
    expect(office.drafts.list(['a'], { search: 'later' }).total).toBe(0)
  })

  test('can itself be reverted', () => {
    office.drafts.keepVersion(id, 'send')
    office.drafts.save('a', named('later'), id)
    office.drafts.restoreVersion(id, office.drafts.history(id)[0]?.id ?? '')
    office.drafts.restoreVersion(id, office.drafts.history(id)[0]?.id ?? '')
    expect(office.drafts.get(id).title).toBe('later')
  })

  test('of another draft is refused', () => {
    const other = office.drafts.save('a', named('other')).id
    office.drafts.keepVersion(other, 'send')
    const version = office.drafts.history(other)[0]?.id ?? ''
    expect(failureOf(() => office.drafts.restoreVersion(id, version)).code).toBe('gone')
    expect(failureOf(() => office.drafts.version(id, version)).code).toBe('gone')
    expect(office.drafts.get(id).title).toBe('0')
    expect(titles()).toEqual([])
  })

  test('that can’t be read reports so and changes nothing', () => {
    office.drafts.keepVersion(id, 'send')
    office.db.exec(`UPDATE draft_versions SET body = '{"kind":"of an earlier age"}'`)
    const version = office.drafts.history(id)[0]?.id ?? ''
    expect(failureOf(() => office.drafts.restoreVersion(id, version)).code).toBe('storage')
    expect(office.drafts.get(id).title).toBe('0')
    expect(titles()).toHaveLength(1)
  })

  test('is refused for a draft in the trash', () => {
    office.drafts.keepVersion(id, 'send')
    const version = office.drafts.history(id)[0]?.id ?? ''
    office.drafts.remove(id)
    expect(failureOf(() => office.drafts.restoreVersion(id, version)).code).toBe('gone')
  })
})

describe('the history of a draft edited for weeks', () => {
  test('has a limited number of versions: all recent ones, fewer older ones, and the oldest', () => {
    for (let number = 1; number <= 1000; number++) {
      office.time.now += 11 * MINUTE
      office.drafts.save('a', named(String(number)), id)
    }
    const numbers = titles().map(Number)
    expect(numbers.length).toBeLessThanOrEqual(MAX_VERSIONS)
    expect(numbers.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, index) => 999 - index))
    expect(numbers.at(-1)).toBe(0)
  })

  test('keeps sent versions longest', () => {
    office.drafts.keepVersion(id, 'send')
    for (let number = 1; number <= 500; number++) {
      office.time.now += 11 * MINUTE
      office.drafts.save('a', named(String(number)), id)
    }
    expect(office.drafts.history(id).at(-1)).toMatchObject({ reason: 'send', title: '0' })
  })

  test('has a limited size, even for a large draft', () => {
    const large = (Name: string) => forms({ items: [form({ Name, XMLData: 'x'.repeat(4_000_000) })] })
    for (let number = 1; number <= 12; number++) {
      office.time.now += 11 * MINUTE
      office.drafts.save('a', large(String(number)), id)
    }
    const bytes = office.db.prepare<[], number>('SELECT sum(length(body)) FROM draft_versions').pluck().get()
    expect(bytes).toBeLessThanOrEqual(MAX_VERSION_BYTES)
    expect(titles()[0]).toBe('11')
  })
})
