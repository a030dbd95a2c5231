import { beforeEach, describe, expect, test } from 'vitest'
import { openFetchedLists } from '../../../src/main/core/accounts/fetched-lists.ts'
import { openPeople } from '../../../src/main/core/drafts/people.ts'
import type { RecipientView } from '../../../src/shared/contract/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { MINUTE, type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

function sendTo(...signers: Parameters<typeof signer>[0][]): void {
  office.time.now += MINUTE
  const composed = signers.map((one, index) => signer({ key: `s${index}`, ...one }))
  office.people.note('a', forms({ items: [form({ signers: composed })] }))
}

const person = (FirstName: string, LastName: string, Email = `${FirstName}.${LastName}@example.com`.toLowerCase()) => ({
  FirstName,
  LastName,
  Email
})
const find = (text: string, limit = 20, account = 'a') =>
  office.people.find(account, text, limit).people.map(({ FirstName, LastName }) => `${FirstName} ${LastName}`)

/** The service's list as it answers: texts may be missing. */
function lists(...people: { FirstName?: string; LastName?: string; Email?: string }[]): RecipientView {
  return { notification: people, completion: [] } as RecipientView
}

describe('the address book', () => {
  test('offers people the office has sent to, with their mobile number', () => {
    sendTo({ ...person('Mere', 'Parata'), MiddleName: 'A', MobileCountry: '64', MobileNumber: '0215550100' })
    expect(office.people.find('a', 'mere', 5).people).toEqual([
      {
        FirstName: 'Mere',
        MiddleName: 'A',
        LastName: 'Parata',
        Email: 'mere.parata@example.com',
        MobileCountry: '64',
        MobileNumber: '0215550100',
        from: 'sent',
        usedAt: office.time.now
      }
    ])
  })

  test.each(['me', 'PAR', 'parata mere', 'mere.parata', 'mere.parata@exa', 'example', 'mēre', '  mere  ', '"mere'])(
    'finds someone by %j',
    (text) => {
      sendTo(person('Mere', 'Parata'), person('Tama', 'Brooks', 'tama@brooks.example.org'))
      expect(find(text).slice(0, 1)).toEqual(['Mere Parata'])
    }
  )

  test('replaces a wrong address with the corrected one, and keeps everything else', () => {
    sendTo({ ...person('Mere', 'Parata', 'mere@example.con'), MobileCountry: '64', MobileNumber: '0215550100' })
    office.people.correct(
      'a',
      person('Mere', 'Parata', 'MERE@example.con'),
      person('Mere', 'Parata', 'mere@example.com')
    )
    const found = office.people.find('a', 'mere', 5).people
    expect(found.map(({ Email, MobileNumber }) => [Email, MobileNumber])).toEqual([['mere@example.com', '0215550100']])
  })

  test('drops a wrong address if the right one is known, and adds nobody by a correction', () => {
    sendTo(person('Mere', 'Parata', 'mere@example.com'), person('Mere', 'Parata', 'mere@example.con'))
    office.people.correct(
      'a',
      person('Mere', 'Parata', 'mere@example.con'),
      person('Mere', 'Parata', 'mere@example.com')
    )
    office.people.correct('a', person('Tama', 'Brooks'), person('Tama', 'Brook'))
    expect(office.people.find('a', '', 5).people.map(({ Email }) => Email)).toEqual(['mere@example.com'])
  })

  test('keeps the mobile of a correction that turns someone into an entry already known', () => {
    sendTo({ ...person('Mere', 'Parata', 'mere@example.com'), MobileCountry: '64', MobileNumber: '0215550100' })
    sendTo(person('Mere', 'Prata', 'mere@example.com'))
    const was = person('Mere', 'Prata', 'mere@example.com')
    const now = person('Mere', 'Parata', 'mere@example.com')
    const mobileOf = () => office.people.find('a', 'mere', 5).people.map(({ MobileNumber }) => MobileNumber)
    office.people.correct('a', was, { ...now, MobileNumber: '0215550199' })
    expect(mobileOf()).toEqual(['0215550199'])
    // Without one, the known one stays.
    sendTo(person('Mere', 'Parata', 'mere@example.con'))
    office.people.correct('a', person('Mere', 'Parata', 'mere@example.con'), now)
    expect(mobileOf()).toEqual(['0215550199'])
  })

  test.each([
    ['known', [person('Mere', 'Parata'), person('Tama', 'Brooks')]],
    ['unknown', [person('Mere', 'Parata')]]
  ])('keeps someone in whose place another, %s person signs, and tells nobody’s mobile as another’s', (_, all) => {
    for (const one of all)
      sendTo({ ...one, ...(one.FirstName === 'Mere' && { MobileCountry: '64', MobileNumber: '0215550100' }) })
    office.people.correct('a', person('Mere', 'Parata'), person('Tama', 'Brooks'))
    const { rows } = office.people.list('a', { search: '', offset: 0, limit: 10 })
    const entries = rows.map(({ FirstName, MobileNumber, times }) => [FirstName, MobileNumber, times])
    const expected = [
      ['Mere', '0215550100', 1],
      ['Tama', '', 1]
    ]
    expect(entries.sort()).toEqual(expected.slice(0, all.length))
  })

  test('finds a corrected person by the new name and address, and no longer by the old ones', () => {
    sendTo(person('Mere', 'Parata', 'mere@example.com'))
    const between = person('Hine', 'Walker', 'mere@example.com')
    office.people.correct('a', person('Mere', 'Parata', 'mere@example.com'), between)
    office.people.correct('a', between, person('Hine', 'Walker', 'hine@example.org'))
    expect(['mere', 'parata', 'example.com'].map((text) => find(text))).toEqual([[], [], []])
    expect(['hine', 'walker', 'example.org'].map((text) => find(text))).toEqual(Array(3).fill(['Hine Walker']))
  })

  test('changes an entry as it is edited, also to blank, and refuses to make a second one of someone', () => {
    sendTo({ ...person('Mere', 'Parata'), MiddleName: 'Aroha', MobileCountry: '64', MobileNumber: '0215550100' })
    sendTo(person('Tama', 'Brooks'))
    const now = { ...person('Mere', 'Walker', 'mere@example.org'), MiddleName: '', MobileCountry: '', MobileNumber: '' }
    office.people.change('a', person('Mere', 'Parata'), now)
    expect(office.people.find('a', 'mere', 5).people).toMatchObject([now])
    expect(() => office.people.change('a', now, { ...now, ...person('Tama', 'Brooks') })).toThrow(
      expect.objectContaining({
        appError: expect.objectContaining({
          code: 'conflict',
          next: 'If they’re the same person, choose “Merge with another person…”.'
        })
      })
    )
    expect(() => office.people.change('a', person('Mere', 'Parata'), now)).toThrow(
      expect.objectContaining({ appError: expect.objectContaining({ code: 'gone' }) })
    )
    expect(find('').sort()).toEqual(['Mere Walker', 'Tama Brooks'])
  })

  test('merges two entries: the kept details, the uses of both, and what only the other one had', () => {
    const page = { search: '', offset: 0, limit: 10 }
    sendTo({ ...person('Mere', 'Parata', 'old@example.com'), MobileCountry: '64', MobileNumber: '0215550100' })
    sendTo(person('Mere', 'Parata', 'old@example.com'))
    sendTo(person('Mere', 'Walker', 'mere@example.com'))
    sendTo(person('Tama', 'Brooks'))
    // The last use had no mobile.
    office.db.prepare("UPDATE people SET mobile_number = '0215550100' WHERE email = 'old@example.com'").run()
    office.people.merge('a', person('Mere', 'Parata', 'OLD@example.com'), person('Mere', 'Walker', 'mere@example.com'))
    expect(office.people.list('a', { ...page, search: 'mere' })).toMatchObject({
      rows: [{ LastName: 'Walker', Email: 'mere@example.com', MobileNumber: '0215550100', times: 3 }],
      total: 1
    })
    expect(find('old')).toEqual([])
    const self = person('Mere', 'Walker', 'mere@example.com')
    expect(() => office.people.merge('a', self, self)).toThrow()
    expect(() => office.people.merge('a', person('Mere', 'Parata', 'old@example.com'), self)).toThrow()
  })

  test('offers the most recent people when nothing is typed', () => {
    for (const name of ['Ana', 'Ben', 'Cy']) sendTo(person(name, 'Lee'))
    expect(find('', 2)).toEqual(['Cy Lee', 'Ben Lee'])
  })

  test('ranks matching first names and addresses first, then last names, then middle names', () => {
    sendTo(person('Mara', 'Oak'))
    sendTo({ ...person('Ada', 'Low'), MiddleName: 'Marama' })
    sendTo(person('Tui', 'Marsh'))
    sendTo(person('Marc', 'Ash'))
    expect(find('mar')).toEqual(['Marc Ash', 'Mara Oak', 'Tui Marsh', 'Ada Low'])
  })

  test('keeps two people with the same address separate', () => {
    sendTo(person('Mere', 'Parata', 'home@example.com'), person('Tama', 'Parata', 'home@example.com'))
    expect(find('home@example.com').sort()).toEqual(['Mere Parata', 'Tama Parata'])
  })

  test('keeps a person once, as last spelled, even if sent to several times', () => {
    sendTo({ ...person('mere', 'parata', 'MERE.parata@example.com'), MobileCountry: '64', MobileNumber: '1' })
    sendTo({ ...person('Mere', 'Parata'), MiddleName: 'Aroha' })
    expect(office.people.find('a', 'mere', 5).people).toMatchObject([
      { FirstName: 'Mere', MiddleName: 'Aroha', Email: 'mere.parata@example.com', MobileNumber: '' }
    ])
    expect(find('aroha')).toEqual(['Mere Parata'])
    expect(office.db.prepare('SELECT times FROM people').pluck().get()).toBe(2)
  })

  test('counts a person who signs three forms of one package once', () => {
    const items = ['f1', 'f2', 'f3'].map((key) => form({ key }))
    office.people.note('a', forms({ items }))
    expect(office.db.prepare('SELECT times FROM people').pluck().all()).toEqual([1])
  })

  test('includes people a package is shared with, and keeps their mobile number', () => {
    sendTo({ ...person('Aroha', 'Ngata'), MobileCountry: '64', MobileNumber: '0215550111' })
    const user = { key: 'u', ...person('Aroha', 'Ngata'), MiddleName: '', IsDefault: false, IsOwner: false }
    sendTo({ ...person('Mere', 'Parata'), ShareUsers: [user] })
    expect(office.people.find('a', 'aroha', 5).people).toMatchObject([{ MobileNumber: '0215550111' }])
  })

  test('includes signers of templates, and nobody without an address', () => {
    const nobody = signer({ key: 's2', FirstName: 'No', LastName: 'Body', Email: '  ' })
    office.people.note('a', templates({ items: [template({ signers: [signer(), nobody] })] }))
    expect(find('')).toEqual(['Mere Tamati'])
  })

  test('belongs to its account', () => {
    sendTo(person('Mere', 'Parata'))
    expect(find('mere', 5, 'b')).toEqual([])
  })

  test('never stores a signer’s identity data', () => {
    const IDData = [{ key: 'q', Label: 'Passport', Value: 'LA123456', DataType: 'text' as const }]
    sendTo({ ...person('Mere', 'Parata'), UseIDData: true, IDData })
    expect(JSON.stringify(office.db.prepare('SELECT * FROM people').all())).not.toContain('LA123456')
    expect(find('LA123456')).toEqual([])
  })

  test('is listed by page with how often and when people were last used, and can be searched', () => {
    for (const name of ['Ana', 'Ben', 'Cy']) sendTo(person(name, 'Lee'))
    sendTo(person('Ana', 'Lee'))
    const page = (search: string, offset = 0, limit = 2) => {
      const { rows, total } = office.people.list('a', { search, offset, limit })
      return { people: rows.map(({ FirstName, times }) => `${FirstName} ${times}`), total }
    }
    expect(page('')).toEqual({ people: ['Ana 2', 'Cy 1'], total: 3 })
    expect(page('', 2)).toEqual({ people: ['Ben 1'], total: 3 })
    expect(page('lee b')).toEqual({ people: ['Ben 1'], total: 1 })
    expect(office.people.list('b', { search: '', offset: 0, limit: 9 })).toEqual({ rows: [], total: 0 })
    expect(office.people.list('a', { search: 'bne', offset: 0, limit: 9 })).toMatchObject({
      rows: [{ FirstName: 'Ben' }],
      total: 1,
      isNear: true
    })
    expect(office.people.find('a', 'bne', 9).people).toEqual([])
    expect(office.people.find('a', 'bne', 9, true)).toMatchObject({ people: [{ FirstName: 'Ben' }], isNear: true })
    expect(office.people.find('a', 'nobody', 9, true)).toEqual({ people: [] })
    expect(office.people.list('a', { search: '', offset: 0, limit: 1 }).rows[0]?.usedAt).toBe(office.time.now)
  })

  test('can forget one of two people with the same address', () => {
    sendTo(person('Mere', 'Parata', 'home@example.com'), person('Tama', 'Parata', 'home@example.com'))
    office.people.forget('a', { Email: ' HOME@example.com ', FirstName: 'mere', LastName: 'Parata' })
    expect(find('')).toEqual(['Tama Parata'])
    expect(find('mere')).toEqual([])
  })

  test('forgets people of one account only', () => {
    sendTo(person('Mere', 'Parata', 'home@example.com'))
    const mere = { Email: 'home@example.com', FirstName: 'Mere', LastName: 'Parata' }
    office.people.forget('b', mere)
    expect(find('home')).toEqual(['Mere Parata'])
    office.people.forget('a', mere)
    expect(find('home')).toEqual([])
  })
})

describe('the service’s own lists of recipients', () => {
  test('come after the people the office has sent to', () => {
    office.recipients.push(lists(person('Marama', 'Law')))
    sendTo(person('Tui', 'Marsh'))
    expect(office.people.find('a', 'mar', 5).people).toMatchObject([
      { LastName: 'Marsh', from: 'sent' },
      { LastName: 'Law', from: 'recipients', MobileNumber: '' }
    ])
  })

  test('don’t repeat an address that is already offered', () => {
    const { notification } = lists(person('Mere', 'Parata'), person('Ana', 'Lee'))
    office.recipients.push({ notification, completion: notification } as RecipientView)
    sendTo(person('Mere', 'Parata'))
    expect(find('')).toEqual(['Mere Parata', 'Ana Lee'])
  })

  test('are searched in the same way, and may lack names', () => {
    office.recipients.push(lists({ Email: 'desk@example.org' }, person('Māia', 'Tāmati'), {}))
    expect(office.people.find('a', 'desk@exam', 5).people).toMatchObject([{ FirstName: '', Email: 'desk@example.org' }])
    expect(find('maia tam')).toEqual(['Māia Tāmati'])
    expect(find('tamati x')).toEqual([])
  })
})

test('the last fetched recipient lists are offered while offline', async () => {
  let isDown = false
  const clientOf = async () => {
    if (isDown) throw new Error('offline')
    const { notification } = lists(person('Mere', 'Parata'))
    return { getRecipients: async () => ({ items: [{ NotificationRecipients: notification }], problems: [] }) } as never
  }
  const fetched = openFetchedLists({
    db: office.db,
    clientOf,
    time: { now: () => office.time.now }
  })
  const people = openPeople({
    db: office.db,
    recipients: fetched.storedRecipients,
    time: { now: () => office.time.now },
    changed: () => undefined
  })
  expect(people.find('a', 'mere', 5).people).toEqual([])
  await fetched.recipients('a', { refresh: true })
  isDown = true
  await fetched.recipients('a', { refresh: true })
  expect(people.find('a', 'mere', 5).people).toMatchObject([{ LastName: 'Parata', from: 'recipients' }])
  expect(people.find('b', 'mere', 5).people).toEqual([])
})

test('among 5,000 people the best matches for one letter are found', () => {
  office.db.transaction(() => {
    for (let number = 0; number < 5000; number++) {
      office.time.now += 1
      office.people.note(
        'a',
        forms({
          items: [form({ signers: [signer({ LastName: `Tamati${number}`, Email: `p${number}@example.com` })] })]
        })
      )
    }
  })()
  expect(find('m', 3)).toEqual(['Mere Tamati4999', 'Mere Tamati4998', 'Mere Tamati4997'])
  expect(find('tamati77 mere', 50)).toHaveLength(11)
})
