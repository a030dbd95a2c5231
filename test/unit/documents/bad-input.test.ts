/** Invalid answers that some services do give: each has one outcome, and no document is lost. */
import { describe, expect, test } from 'vitest'
import { lease, type Members, workerOffice } from './worker-office.ts'

const due = Date.parse('2027-02-01T04:00:00Z')

describe('an answer that mixes dialects', () => {
  test('is read item by item: dates in every known format, member names in any case', async () => {
    const office = workerOffice()
    const { Reference: _, ...members } = lease('')
    const result = await office.read('Progress', [
      lease('iso', { DueDate: '2027-02-01T04:00:00Z' }),
      lease('framework', { DueDate: `/Date(${due}+1300)/` }),
      lease('day first', { DueDate: '13/02/2027', GMT: '0' }),
      lease('either', { DueDate: '01/02/2027 04:00:00' }),
      {
        ...Object.fromEntries(Object.entries(members).map(([name, member]) => [name.toLowerCase(), member])),
        reference: 'lower'
      },
      lease('none', { DueDate: 'soon' }),
      lease('null', { DueDate: null, dueDate: '2027-02-01T04:00:00Z' })
    ])
    expect(result).toMatchObject({ documents: 7, changed: 7, isComplete: true, unreadable: { count: 0 } })
    const dates = async (reference: string) => (await office.get(reference))?.document.DueDate
    expect(await dates('day first')).toBe('2027-02-13')
    expect(await dates('either')).toBe('01/02/2027 04:00:00')
    expect(await dates('none')).toBe('soon')
    expect(await dates('null')).toBe('2027-02-01T04:00:00Z')
    expect((await office.get('lower'))?.document).toMatchObject({ ...members, Reference: 'lower' })
  })

  test('reports no change when the next answer spells the same values differently', async () => {
    const office = workerOffice()
    const LastSignedDate = '2027-01-20T09:00:00Z'
    const at = Date.parse(LastSignedDate)
    await office.read('Progress', [
      lease('a', { DueDate: '2027-02-13T04:00:00Z', LastSignedDate, HasFileUploaded: false })
    ])
    for (const [DueDate, signed, more] of [
      [`/Date(${Date.parse('2027-02-13T04:00:00Z')}+1300)/`, `/Date(${at})/`, { HasFileUploaded: 'False' }],
      ['2027-02-13T17:00:00+13:00', '2027-01-20T09:00:00.0000000Z', { hasFileUploaded: 0 }],
      ['13/02/2027 04:00:00', '20/01/2027 09:00:00', { HasFileUploaded: false, STATUS: '0 of 1', Status: undefined }]
    ] as [string, string, Members][]) {
      await office.read('Progress', [lease('a', { DueDate, LastSignedDate: signed, ...more })])
    }
    expect(await office.changes()).toEqual([])
    await office.read('Progress', [lease('a', { DueDate: '2027-02-14T04:00:00Z', LastSignedDate })])
    expect(await office.changes()).toEqual(['a due-changed'])
  })
})

const signer = (members: Members = {}) => ({ Signers: [{ FirstName: 'Ana', Email: 'ana@example.com', ...members }] })

test('a link that comes and goes between reads is announced once, and the newest is kept', async () => {
  const office = workerOffice()
  const link = async () => (await office.get('a'))?.document.Signers?.[0]?.SigningKey
  const links = ['', 'https://x.example/1', null, '  ', 'https://x.example/2', undefined, '', 'https://x.example/3']
  const polluted: unknown[] = []
  for (const SigningKey of links) {
    await office.read('Progress', [lease('a', { ...signer({ SignedStatus: 'Invitation', SigningKey }) })])
    polluted.push(((await link()) ?? '').slice(-1))
  }
  expect(polluted).toEqual(['', '1', '1', '1', '2', '2', '2', '3'])
  expect(await office.changes()).toEqual(['a waits-here'])
})

describe('two documents with one reference', () => {
  test('in one list become one, with the last one’s content, even if the next answer reorders them', async () => {
    const office = workerOffice()
    const [one, two] = [lease('a', { Name: 'One' }), lease('a', { Name: 'Two' })]
    expect(await office.read('InBox', [one, lease('b'), two])).toMatchObject({ documents: 2, isComplete: true })
    expect((await office.get('a'))?.document.Name).toBe('Two')
    await office.read('InBox', [one, lease('b'), two])
    expect(await office.changes()).toEqual([])
    expect(await office.counts()).toMatchObject({ folders: { InBox: 2 } })
  })

  test('in two folders become one, with the content of the folder that had it first', async () => {
    const office = workerOffice()
    for (let round = 0; round < 6; round++) {
      await office.read('InBox', [lease('a', { Name: 'Here' })])
      await office.read('Progress', [lease('a', { Name: 'There' })])
    }
    expect(await office.get('a')).toMatchObject({ folder: 'InBox', document: { Name: 'Here' } })
    expect(await office.changes()).toEqual([])
    // The other isn't lost: once the first folder lacks the document, the second folder's version counts.
    for (let round = 0; round < 3; round++) {
      await office.read('InBox', [])
      await office.read('Progress', [lease('a', { Name: 'There' })])
    }
    expect(await office.get('a')).toMatchObject({ folder: 'Progress', document: { Name: 'There' } })
  })
})

describe('an invalid date format of an account', () => {
  test.each(['', 'tomorrow', 'dd', 'MM/MM/yyyy', 'dd'.repeat(500_000), '/'.repeat(500_000), '\0', 'yyyy-dd-MM'])(
    'reads no date by guessing, and makes nothing slow or large (%#)',
    async (dateFormat) => {
      const office = workerOffice()
      const items = Array.from({ length: 200 }, (_, index) => lease(`d${index}`, { DueDate: '03/02/2027' }))
      const bytes = new TextEncoder().encode(JSON.stringify(items))
      const read = () =>
        office.ask('take', {
          accountId: 'office',
          folder: 'InBox',
          begun: office.tick(),
          now: office.tick(),
          withLogs: false,
          bytes,
          dateFormat
        })
      await read()
      expect((await office.get('d7'))?.document.DueDate).toBe('03/02/2027')
      expect(await read()).toMatchObject({ changed: 0 })
      const pages = office.db.prepare('PRAGMA page_count').pluck().get() as number
      expect(pages).toBeLessThan(1000)
    }
  )
})
