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

test('a folder that is silent about it takes nothing away, and shows nothing new', async () => {
  await take()
  await office.look('Progress', [silent()])
  await office.look('Progress', [silent({}, { DueDate: '2027-04-01' })])
  expect(await link()).toBe('https://sign.example.com/1')
  expect(await office.changes()).toEqual(['lease arrived own', 'lease waits-here own', 'lease due-changed'])
})

test('a folder that was read before the answer came gains it, and loses nothing', async () => {
  await office.look('Progress', [silent({}, { MatterNumber: '7' })])
  await take(sent({ Status: 'NotStart' }))
  expect(await link()).toBe('https://sign.example.com/1')
  expect((await office.get('lease'))?.document).toMatchObject({ MatterNumber: '7', Status: '0 of 1' })
  expect((await office.get('lease'))?.folder).toBe('Progress')
})

test('a newer one from a folder takes its place', async () => {
  await take()
  await office.look('Progress', [sent({ Signers: [{ ...ana, SigningKey: 'https://sign.example.com/2' }] })])
  await office.look('Progress', [silent()])
  expect(await link()).toBe('https://sign.example.com/2')
})

test.each([
  ['who has signed', silent({ SignedStatus: 'Signed' })],
  ['who declined', silent({ SignedStatus: 'Declined' })],
  ['who was deleted', silent({ SignedStatus: 'Deleted' })],
  ['of a complete document', silent({}, { Status: 'Complete' })],
  ['whose address was corrected', silent({ Email: 'other@example.com' })],
  // Couples and families share addresses.
  ['in whose place someone else of the same address stands', silent({ FirstName: 'Carl' })]
])('that of someone %s is forgotten', async (_, answer) => {
  await take()
  await office.look('Progress', [answer])
  expect(await link()).toBeUndefined()
})

test.each([
  ['is told with fewer names', silent({ LastName: undefined })],
  ['is told with a reference for the first time', silent({ FirstName: 'ANA', SignerReference: 'S-1' })]
])('that of someone who %s stays', async (_, answer) => {
  await take(sent({ Signers: [{ ...ana, SigningKey: 'https://sign.example.com/1' }] }))
  await office.look('Progress', [answer])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('that of one signer is never another’s, though name and address are the same', async () => {
  await take(sent({ Signers: [{ ...ana, SignerReference: 'S-1', SigningKey: 'https://sign.example.com/1' }] }))
  await office.look('Progress', [silent({ SignerReference: 'S-2' })])
  expect(await link()).toBeUndefined()
})

test('that of someone whose name was corrected stays, where the reference says who it is', async () => {
  await take(sent({ Signers: [{ ...ana, SignerReference: 'S-1', SigningKey: 'https://sign.example.com/1' }] }))
  await office.look('Progress', [silent({ FirstName: 'Anna', SignerReference: 'S-1' })])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('that of an expired document stays: it may be extended', async () => {
  await take()
  await office.look('Progress', [silent({ SignedStatus: 'Expired' }, { Status: 'Expired' })])
  await office.look('Progress', [silent()])
  expect(await link()).toBe('https://sign.example.com/1')
})

test('those of another service are forgotten as soon as the account leads elsewhere', async () => {
  await take()
  const change = { accountId: 'office', folders: ['Progress'] }
  await office.ask('foldersChanged', { ...change, isOtherService: false })
  expect(await link()).toBe('https://sign.example.com/1')
  await office.ask('foldersChanged', { ...change, isOtherService: true })
  expect(await link()).toBeUndefined()
  expect((await office.get('lease'))?.document.Signers).toMatchObject([{ Email: 'ana@example.com' }])
  expect(await office.ask('waitingHere', { accountId: 'office', withoutLink: true })).toEqual([])
})

test('a document without a reference that can be asked for again is not taken from a send', async () => {
  for (const Reference of ['', ' ', 'a\0b']) await take({ ...sent(), Reference })
  await take()
  expect(await office.get('')).toBeUndefined()
  expect(await office.changes()).toEqual(['lease arrived own', 'lease waits-here own'])
})
