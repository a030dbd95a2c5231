import { describe, expect, test } from 'vitest'
import { documentRowOf } from '../../../src/main/core/documents/index/row.ts'
import { documentPage } from '../../../src/main/core/documents/page.ts'
import type { DocumentPage } from '../../../src/shared/contract/index.ts'
import { DocumentResponse } from '../../../src/shared/model/index.ts'
import { NOW, row } from './index/rows.ts'

const HIDDEN = 'Not shown: it may be secret.'

function pageOf(members: Record<string, unknown>): DocumentPage {
  const document = DocumentResponse.parse({ Reference: 'D-1', ...members })
  const facts = { accountId: 'a', folder: 'Progress', seenAt: NOW, changedAt: NOW, unread: false, logsAreOld: false }
  return documentPage({ ...facts, document }, documentRowOf(row(members)), [])
}

describe('what may grant access', () => {
  const key = 'https://sign.example.com/s/kowhai-4471-tui'
  const document = {
    EditUrl: 'https://sign.example.com/edit?token=rimu-0042-pukeko',
    Signers: [
      { FirstName: 'Aroha', SigningKey: key },
      {
        FirstName: 'Tane',
        VideoConfirmationDetail: { ShortUrl: 'https://sign.example.com/v/7', Password: '4711' }
      }
    ]
  }
  const secrets = ['kowhai-4471-tui', 'rimu-0042-pukeko', 'https://sign.example.com/v/7', '4711', 'hunter']

  test.each([
    ['under an unknown name', { Doorway: key }],
    ['as a part of an address elsewhere', { Next: 'https://elsewhere.example.org/?go=kowhai-4471-tui' }],
    ['deep in a member', { Extra: { list: [{ there: 'rimu-0042-pukeko' }, 'https://sign.example.com/v/7?x'] } }],
    ['as the name of a member', { Extra: { [key]: true } }],
    ['as a number', { Code: 4711 }],
    ['as a part of a sentence', { Note: 'The word is 4711.' }],
    ['under a telling name', { Passcode: 'hunter', SignUrl: 'hunter', userPIN: 'hunter', OTP: 'hunter' }],
    ['under other telling names', { access_token: 'hunter', 'sign-link': 'hunter', clientSecret: 'hunter' }]
  ])('never reaches the page %s', (_, members) => {
    for (const page of [
      pageOf({ ...document, ...members }),
      pageOf({ ...document, Signers: [...document.Signers, { FirstName: 'Mere', ...members }] }),
      pageOf({ ...document, Logs: [{ Action: 'Invited', ...members }] })
    ]) {
      const text = JSON.stringify(page)
      expect(text).toContain(HIDDEN)
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  })

  test('never reaches it in the text of the log', () => {
    const [log] = pageOf({ ...document, Logs: [{ Action: `Sent ${key}`, Role: 'Signer' }] }).logs
    expect(log).toEqual({ Action: HIDDEN, Role: 'Signer' })
  })

  test('isn’t mistaken for something that merely sounds similar', () => {
    const members = { Shipping: 'by hand', Opinion: 'mixed', Footprint: 'small', Region: 'example.com', Sealed: true }
    expect(pageOf({ ...document, ...members }).others).toEqual([
      { name: 'Shipping', value: 'by hand' },
      { name: 'Opinion', value: 'mixed' },
      { name: 'Footprint', value: 'small' },
      { name: 'Region', value: 'example.com' },
      { name: 'Sealed', value: 'true' }
    ])
  })
})

test('a log entry has the reference’s members; unknown ones are listed separately', () => {
  const member = { Name: 'Aroha Ngata', Action: 'Signed', Date: '2026-11-21T09:00:00Z', GMT: '780', Role: 'Signer' }
  const { logs } = pageOf({
    Logs: [{ ...member, Device: { kind: 'phone' }, SigningKey: 'x' }, { Date: '2026-11-21' }, { Date: '03/01/2031' }]
  })
  expect(logs).toEqual([
    {
      ...member,
      at: { at: NOW, offset: 0, precision: 'time' },
      others: [
        { name: 'Device', value: '{"kind":"phone"}' },
        { name: 'SigningKey', value: HIDDEN }
      ]
    },
    { Date: '2026-11-21', at: { at: Date.UTC(2026, 10, 21), offset: 0, precision: 'day' } },
    // Day and month can't be told apart, so no time is derived.
    { Date: '03/01/2031' }
  ])
})

test('every text of a page is limited in length, whatever the service sent', () => {
  const long = 'x'.repeat(2_000_000)
  const signer = { FirstName: long, Email: long, DeclinedReason: long, SigningKey: long, Unheard: `y${long}` }
  const page = pageOf({
    Name: long,
    MatterNumber: long,
    Odd: 'z'.repeat(50_000),
    Signers: [signer, { VideoConfirmationDetail: { Name: long } }],
    Logs: [{ Action: 'y'.repeat(2_000_000) }]
  })
  expect(JSON.stringify(page).length).toBeLessThan(100_000)
  expect(page.name).toHaveLength(500)
  expect(page.logs[0]?.Action).toBe(`${'y'.repeat(9999)}…`)
  expect(page.others).toEqual([{ name: 'Odd', value: `${'z'.repeat(499)}…` }])
})
