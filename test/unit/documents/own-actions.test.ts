/** An action of this application isn't reported to the person who did it, however late or piecemeal the folders show it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { DocumentResponse } from '../../../src/shared/model/index.ts'
import { lease, type Members, workerOffice } from './worker-office.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let office: ReturnType<typeof workerOffice>
const ana = { FirstName: 'Ana', LastName: 'Example', Email: 'ana@example.com' }
const invited = { ...ana, SignedStatus: 'Invitation' }
const signed = { ...ana, SignedStatus: 'Signed', HasSigned: true }

beforeEach(() => {
  office = workerOffice()
})

const sent = (document: Members = lease('lease', { Status: 'NotStart' })) =>
  office.ask('takeSent', {
    accountId: 'office',
    documents: [document as Members & DocumentResponse],
    now: office.tick()
  })
const acting = (kind: 'remind' | 'extend' | 'correct' | 'notary', due?: number) =>
  office.ask('acting', { accountId: 'office', reference: 'lease', kind, due, now: office.tick() })
const unread = async () => (await office.counts()).unread
const news = async () => (await office.changes()).filter((change) => !change.endsWith(' own'))

describe('a document sent from this workstation', () => {
  test('isn’t reported when a folder shows it, whatever state the service gives it by then', async () => {
    await sent()
    const shown = {
      Status: '0 of 1',
      DueDate: '2027-03-04',
      MatterNumber: '7',
      Signers: [{ ...invited, SigningKey: 'k' }]
    }
    await office.read('Progress', [lease('lease', shown)])
    expect([await unread(), await news()]).toEqual([0, []])
  })

  test('isn’t reported when it appears piecemeal, with or without logs, or in another folder', async () => {
    await sent()
    await office.read('Inbox', [lease('lease')])
    await office.read('Inbox', [lease('lease', { MatterNumber: '7' })])
    await office.read('Inbox', [lease('lease', { Logs: [{ Date: '2026-11-21', Log: 'Sent' }], Status: 'Sent' })], {
      withLogs: true
    })
    await office.read('Inbox', [])
    await office.read('Progress', [lease('lease', { Status: 'Sent', IDVerificationRequested: false })])
    expect([await unread(), await news()]).toEqual([0, []])
  })

  test('is no longer reported if a folder showed it before the service answered', async () => {
    await office.read('Progress', [lease('other')])
    await office.read('Progress', [lease('other'), lease('lease')])
    expect(await unread()).toBe(1)
    await sent()
    expect([await unread(), await news()]).toEqual([0, []])
  })

  test('isn’t reported the next day, if the application was closed meanwhile', async () => {
    await sent()
    office.startAgain()
    office.tick(14 * HOUR)
    await office.read('Progress', [lease('lease', { Status: 'Sent', DueDate: '2027-03-04' })])
    expect([await unread(), await news()]).toEqual([0, []])
  })

  test('is reported as soon as someone signs, and so is the move that follows', async () => {
    await sent()
    await office.read('Inbox', [lease('lease')])
    await office.read('Inbox', [])
    await office.read('Progress', [lease('lease', { Status: '1 of 1', Signers: [signed] })])
    expect(await unread()).toBe(1)
    expect(await news()).toEqual(['lease signed', 'lease moved'])
  })

  test('is reported if it was signed before a folder first showed it', async () => {
    await sent()
    await office.read('Progress', [lease('lease', { Status: '1 of 1', Signers: [signed] })])
    expect(await unread()).toBe(1)
    expect(await news()).toContain('lease signed')
  })

  test('is reported if someone signed before the send was answered', async () => {
    await office.read('Progress', [])
    await office.read('Progress', [lease('lease')])
    await office.read('Progress', [lease('lease', { Status: '1 of 1', Signers: [signed] })])
    await sent()
    expect([await unread(), await news()]).toEqual([1, ['lease signed']])
  })

  test('is reported when something happens to it later', async () => {
    await sent()
    await office.read('Progress', [lease('lease')])
    office.tick(11 * MINUTE)
    await office.read('Progress', [lease('lease')])
    await office.read('Progress', [lease('lease', { MatterNumber: '7' })])
    expect([await unread(), await news()]).toEqual([1, ['lease changed']])
  })
})

describe('an action done from this workstation', () => {
  beforeEach(async () => {
    await office.read('Progress', [
      lease('lease', { PackageReference: 'P' }),
      lease('second', { PackageReference: 'P' })
    ])
  })
  const shows = (members: Members, second: Members = {}) =>
    office.read('Progress', [
      lease('lease', { PackageReference: 'P', ...members }),
      lease('second', { PackageReference: 'P', ...second })
    ])

  test.each<[Parameters<typeof acting>[0], Members]>([
    ['remind', { LastReminded: '2026-11-21' }],
    ['correct', { Signers: [{ ...invited, Email: 'new@example.com' }] }],
    ['notary', { Status: 'Assigned' }]
  ])('%s, isn’t reported when a folder shows it', async (kind, members) => {
    await acting(kind)
    await shows(members)
    expect([await unread(), await news()]).toEqual([0, []])
  })

  test('extend isn’t reported in any document of the package, but another date is', async () => {
    await acting('extend', Date.parse('2027-04-01T00:00:00Z'))
    const ours = { DueDate: '2027-04-01T00:00:00Z' }
    await shows(ours)
    await shows(ours, ours)
    expect([await unread(), await news()]).toEqual([0, []])
    await shows({ DueDate: '2027-05-01T00:00:00Z' }, ours)
    expect([await unread(), await news()]).toEqual([1, ['lease due-changed']])
  })

  test('notary isn’t reported when the document leaves the folders because of it', async () => {
    await acting('notary')
    await office.read('Progress', [lease('second', { PackageReference: 'P' })])
    await office.ask('markGone', { accountId: 'office', since: office.tick(), now: office.tick() })
    expect(await news()).toEqual(['second gone'])
  })

  test('isn’t reported after a restart, or on the next day', async () => {
    await acting('remind')
    office.startAgain()
    office.tick(14 * HOUR)
    await shows({ LastReminded: '2026-11-21' })
    expect(await unread()).toBe(0)
  })

  test('is reported if the service refused it and someone else did it', async () => {
    await acting('remind')
    await office.ask('actionRefused', { accountId: 'office', reference: 'lease', kind: 'remind' })
    await shows({ LastReminded: '2026-11-21' })
    expect([await unread(), await news()]).toEqual([1, ['lease changed']])
  })

  test('hides nothing that signers do: a signature, a refusal, completion', async () => {
    await acting('remind')
    await shows({ Signers: [signed], Status: '1 of 1' }, { Status: 'Declined' })
    expect(await unread()).toBe(2)
    expect(await news()).toEqual(['lease signed', 'second declined'])
  })

  test('hides only its own effect: a reminder changes no date and no other document', async () => {
    await acting('remind')
    await shows({ DueDate: '2027-05-01' }, { LastReminded: 'x' })
    expect(await news()).toEqual(['lease due-changed', 'second changed'])
  })
})
