/** A signing link is kept while its signer can sign, whatever later answers leave out, and no longer. */
import { beforeEach, expect, test } from 'vitest'
import type { DocumentResponse } from '../../../src/shared/model/index.ts'
import { lease, type Members, workerOffice } from './worker-office.ts'

let office: ReturnType<typeof workerOffice>
const ana = { FirstName: 'Ana', LastName: 'Example', Email: 'ana@example.com', SignedStatus: 'Invitation' }
const sent = (members: Members = {}) =>
  lease('lease', { Signers: [{ ...ana, SigningKey: 'https://sign.example.com/1' }], ...members }) as Members &
    DocumentResponse
const take = (document = sent()) =>
  office.ask('takeSent', { accountId: 'office', documents: [document], now: office.tick() })
const link = async () => (await office.get('lease'))?.document.Signers?.[0]?.SigningKey
const silent = (signer: Members = {}, members: Members = {}) =>
  lease('lease', { Signers: [{ ...ana, ...signer }], ...members })

beforeEach(() => {
  office = workerOffice()
})

test('a folder answer without the link leaves it in place and reports no change', async () => {
  await take()
  await office.read('Progress', [silent()])
  await office.read('Progress', [silent({}, { DueDate: '2027-04-01' })])
  expect(await link()).toBe('https://sign.example.com/1')
  expect(await office.changes()).toEqual(['lease arrived own', 'lease waits-here own', 'lease due-changed'])
})

test('a folder read before the send’s answer gets the link from it, and loses nothing', async () => {
  await office.read('Progress', [silent({}, { MatterNumber: '7' })])
  await take(sent({ Status: 'NotStart' }))
  expect(await link()).toBe('https://sign.example.com/1')
  expect((await office.get('lease'))?.document).toMatchObject({ MatterNumber: '7', Status: '0 of 1' })
  expect((await office.get('lease'))?.folder).toBe('Progress')
})

test('a newer link from a folder replaces it', async () => {
  await take()
  await office.read('Progress', [sent({ Signers: [{ ...ana, SigningKey: 'https://sign.example.com/2' }] })])
  await office.read('Progress', [silent()])
  expect(await link()).toBe('https://sign.example.com/2')
})

test.each([
  ['who has signed', silent({ SignedStatus: 'Signed' })],
  ['who declined', silent({ SignedStatus: 'Declined' })],
  ['who was deleted', silent({ SignedStatus: 'Deleted' })],
  ['of a complete document', silent({}, { Status: 'Complete' })],
  ['whose address was corrected', silent({ Email: 'other@example.com' })],
  // Couples and families share addresses.
  ['replaced by someone else with the same address', silent({ FirstName: 'Carl' })]
])('the link of someone %s is forgotten', async (_, answer) => {
  await take()
  await office.read('Progress', [answer])
  expect(await link()).toBeUndefined()
})

test.each([
  ['is returned with fewer names', silent({ LastName: undefined })],
  ['is returned with a reference for the first time', silent({ FirstName: 'ANA', SignerReference: 'S-1' })]
])('the link of someone who %s is kept', async (_, answer) => {
  await take(sent({ Signers: [{ ...ana, SigningKey: 'https://sign.example.com/1' }] }))
  await office.read('Progress', [answer])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('a signer never gets another’s link, even with the same name and address', async () => {
  await take(sent({ Signers: [{ ...ana, SignerReference: 'S-1', SigningKey: 'https://sign.example.com/1' }] }))
  await office.read('Progress', [silent({ SignerReference: 'S-2' })])
  expect(await link()).toBeUndefined()
})

test('the link of a signer whose name was corrected is kept if the reference matches', async () => {
  await take(sent({ Signers: [{ ...ana, SignerReference: 'S-1', SigningKey: 'https://sign.example.com/1' }] }))
  await office.read('Progress', [silent({ FirstName: 'Anna', SignerReference: 'S-1' })])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('the link of an expired document is kept: it may be extended', async () => {
  await take()
  await office.read('Progress', [silent({ SignedStatus: 'Expired' }, { Status: 'Expired' })])
  await office.read('Progress', [silent()])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('links of another service are forgotten as soon as the account’s address changes', async () => {
  await take()
  const change = { accountId: 'office', folders: ['Progress'] }
  await office.ask('foldersChanged', { ...change, isOtherService: false })
  expect(await link()).toBe('https://sign.example.com/1')
  await office.ask('foldersChanged', { ...change, isOtherService: true })
  expect(await link()).toBeUndefined()
  expect((await office.get('lease'))?.document.Signers).toMatchObject([{ Email: 'ana@example.com' }])
  expect(await office.ask('waitingHere', { accountId: 'office', withoutLink: true })).toEqual([])
})

test('a sent document without a usable reference is not stored', async () => {
  for (const Reference of ['', ' ', 'a\0b']) await take({ ...sent(), Reference })
  await take()
  expect(await office.get('')).toBeUndefined()
  expect(await office.changes()).toEqual(['lease arrived own', 'lease waits-here own'])
})
