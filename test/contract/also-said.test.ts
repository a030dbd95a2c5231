/**
 * Additional members in a service's answers are kept and readable, wherever they occur; anything that may grant access
 * is not.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFetchedLists } from '../../src/main/core/accounts/fetched-lists.ts'
import { openEmployers } from '../../src/main/core/directory/employers.ts'
import { openKnownForms } from '../../src/main/core/directory/known-forms.ts'
import { withAnswer } from '../../src/main/core/outbox/send-view.ts'
import { PackageResponse } from '../../src/shared/model/index.ts'
import { type Office, openOffice } from '../unit/actions/office.ts'
import { verificationsOf } from '../unit/verifications/practice-office.ts'

const ADDED = [
  { name: 'RowVersion', value: '7' },
  { name: 'ServiceNotes', value: '{"Region":"South","Tags":["counter","branch"]}' },
  { name: 'LegacyCode', value: 'A-17' }
]
let office: Office
beforeEach(async () => {
  office = await openOffice('demo')
  office.practice.setConditions({ dialects: ['extra-members'] })
})
afterEach(() => office.close())

const deps = () => {
  const { db, clients, rights } = office.parts
  const time = { now: () => office.time.now }
  return { db, clientOf: clients.of, rights, time, changed: () => undefined }
}

test('the additional members of templates and recipients are kept', async () => {
  const lists = openFetchedLists({ ...deps(), clientOf: office.parts.clients.of })
  const templates = async (accountId: string) => (await lists.templates(accountId, { refresh: true })).items
  const forms = await openKnownForms({ db: office.parts.db, templates }).list(office.accountId)
  expect(forms.find(({ kind }) => kind === 'form-filler')?.others).toEqual(ADDED)
  const [recipients] = (await lists.recipients(office.accountId, { refresh: true })).items
  expect(recipients?.notification[0]?.others).toEqual(ADDED)
  expect(recipients?.completion[0]?.others).toEqual(ADDED)
  expect(recipients?.notification[0]).not.toHaveProperty('LegacyCode')
})

test('the additional members of an employer are kept, but only the reference’s members are sent back', async () => {
  const employers = openEmployers(deps())
  const { records } = await employers.list(office.accountId, { refresh: true })
  expect(records[0]?.others).toEqual(ADDED)
  const record = records.find(({ kind }) => kind === 'TFN')
  if (record?.kind !== 'TFN') return expect.fail('There is none.')
  const { others: _, kind: __, ...rest } = record
  const saved = await employers.save(office.accountId, [{ ...rest, kind: 'TFN', Name: 'Another name' }])
  expect(saved.records.find(({ Name }) => Name === 'Another name')?.others).toEqual(ADDED)
})

test('those of a validation, a signature and its signer are kept, without the document’s address', async () => {
  office.practice.setConditions({ dialects: ['full', 'extra-members'] })
  const complete = Object.values(office.practice.state.documents).find(({ ending }) => ending === 'Complete')
  const reference = complete?.reference ?? ''
  const verifications = verificationsOf(office)
  const view = await verifications.verify(office.accountId, reference)
  expect(view.others).toEqual(ADDED)
  expect(view.Signatures?.[0]).toMatchObject({ others: ADDED, Signer: { others: ADDED } })
  const written = new TextDecoder().decode(verifications.file(office.accountId, reference).bytes)
  expect(JSON.parse(written)).toMatchObject({ LegacyCode: 'A-17', Signatures: [{ LegacyCode: 'A-17' }] })
  expect(written).not.toContain(complete?.viewKey)
})

test('those of a sent package are kept, with its name and queue; secrets are hidden', () => {
  const response = PackageResponse.parse({
    QueueReference: 'Q-1',
    PackageName: 'Lease pack',
    PackageReference: 'P-1',
    Documents: [],
    Region: 'South',
    SigningUrl: 'https://sign.example.com/s/secret',
    Nested: { AccessToken: 'abc' },
    // As a public client reads it from the answer to a send of templates.
    Url: 'https://sign.example.com/s/0123456789abcdef',
    Parts: { View: 'See https://sign.example.com/?k=1' },
    Help: 'https://sign.example.com/help'
  })
  const sent = { kind: 'form-direct', request: { Forms: [] } } as never
  expect(withAnswer({ documents: [] } as never, response, sent).said).toEqual({
    queueReference: 'Q-1',
    packageName: 'Lease pack',
    others: [
      { name: 'Region', value: 'South' },
      { name: 'SigningUrl', value: 'Not shown: it may be secret.' },
      { name: 'Nested', value: '{"AccessToken":"Not shown: it may be secret."}' },
      { name: 'Url', value: 'Not shown: it may be secret.' },
      { name: 'Parts', value: '{"View":"Not shown: it may be secret."}' },
      { name: 'Help', value: 'https://sign.example.com/help' }
    ]
  })
})
