import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type DocumentNews,
  MAX_NAME_LENGTH,
  notificationsOf,
  oneLine
} from '../../../src/main/core/notifications/notification-text.ts'

const newsOf = (change: Partial<DocumentNews> = {}): DocumentNews => ({
  accountId: 'office',
  reference: 'doc',
  name: 'Will',
  news: [{ kind: 'signed', signer: 'Ann Example', change: 1 }],
  ...change
})

test.each([
  ['signed', 'Ann Example signed', 'Signed'],
  ['completed', 'Everyone has signed', 'Everyone has signed'],
  ['declined', 'Ann Example declined to sign', 'Declined'],
  ['expired', 'Expired before everyone signed', 'Expired before everyone signed'],
  ['due-tomorrow', 'Due tomorrow', 'Due tomorrow'],
  ['identity-failed', 'Identity check of Ann Example failed', 'Identity check failed'],
  ['waits-here', 'Ann Example can sign at the counter', 'Can be signed at the counter']
] as const)('%s has a title, with and without the signer', (kind, withSigner, without) => {
  const titles = [{ kind, signer: 'Ann Example' }, { kind }].map(
    (news) => notificationsOf([newsOf({ news: [news] })], undefined, true)[0]?.title
  )
  expect(titles).toEqual([withSigner, without])
})

test('many events of one document are cut to a few', () => {
  const news = Array.from({ length: 500 }, (_, index) => ({ kind: 'signed' as const, signer: `S${index}` }))
  expect(notificationsOf([newsOf({ news })], undefined, true)).toMatchObject([
    { title: 'S0 signed', body: 'Will · S1 signed · S2 signed · S3 signed' }
  ])
})

test('a hostile name is reduced to one line, without direction marks, and cut', () => {
  const hostile = `\u202EWill\u0000\n\nCountersign:\u2028everything\u200B is\u2066 fine\u{E0041} ${'x'.repeat(500)}`
  const [notice] = notificationsOf([newsOf({ name: hostile })], undefined, true)
  expect(notice?.body).toBe(`Will Countersign: everything is fine ${'x'.repeat(MAX_NAME_LENGTH - 38)}…`)
})

test('a document with an invisible name is shown as untitled', () => {
  expect(notificationsOf([newsOf({ name: '\u200B\n' })], undefined, true)[0]?.body).toBe('Untitled document')
})

test('names in any script are kept unchanged', () => {
  for (const name of [
    'Ōtepoti – tuku whare',
    'Müller & Söhne',
    'اتفاقية إيجار',
    'किरायानामा',
    '賃貸借契約書',
    'می‌خواهم'
  ]) {
    expect(oneLine(name)).toBe(name)
  }
})

test('any text becomes one short line', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(fc.constantFrom('a\u0301', '\u202e', '\n', '\u200d', '\u{1f468}\u200d', '\ud800', ' ', '\u0301'), {
        maxLength: 600
      })
      .map((parts) => parts.join(''))
  )
  fc.assert(
    fc.property(text, (text) => {
      const line = oneLine(text)
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u)
      expect([...new Intl.Segmenter('en').segment(line)].length).toBeLessThanOrEqual(MAX_NAME_LENGTH + 1)
      expect(line.length).toBeLessThanOrEqual(MAX_NAME_LENGTH * 40)
    })
  )
})
