/** Two people with the same name at the counter: what staff, and only staff, is shown to tell them apart. */
import { describe, expect, test } from 'vitest'
import type { ComposedSigner, Composition } from '../../../src/shared/composition/index.ts'
import type { CounterEntry } from '../../../src/shared/contract/index.ts'
import * as composed from '../../fixtures/compositions.ts'
import { openOffice, type Signer, signer } from './office.ts'

const MOBILE = '021 555 1234'
/** These signers can't be told apart by their address. */
const ann = (more: Signer = {}) => signer('Ann Example', { Email: '', MobileNumber: MOBILE, ...more })
const sentTo = (more: Partial<ComposedSigner>) =>
  composed.signer({ FirstName: 'Ann', LastName: 'Example', Email: '', MobileNumber: MOBILE, ...more })
const withQuestion = (Label: string, Value: string, DataType: 'date' | 'text' = 'date') => ({
  IDData: [{ key: 'q1', Label, Value, DataType }]
})

/** Two people with the same name and the same mobile number except for the country, each with a document. */
function twoOfOneName() {
  const office = openOffice({
    will: [ann({ MobileCountry: '64' }), signer('Ben Example')],
    deed: [ann({ MobileCountry: '61' })],
    note: [signer('Cleo Example')]
  })
  for (const [reference, MatterNumber] of [
    ['will', ' 2024-117 '],
    ['deed', '2025-003'],
    ['note', '2025-004']
  ] as const)
    office.service.set(reference, { ...office.service.get(reference), MatterNumber })
  return office
}

const tellings = (entries: readonly CounterEntry[]) =>
  entries.map(({ documentReference, signerName, contact, born, matter }) => ({
    documentReference,
    signerName,
    contact,
    born,
    matter
  }))

describe('two people with the same name', () => {
  test('are distinguished by matter and date of birth in the queue and the sheet, if nothing else differs', async () => {
    const office = twoOfOneName()
    office.sentAs = (reference) =>
      composed.forms({
        items: [
          composed.form({
            signers: [sentTo(withQuestion('Date of birth', reference === 'will' ? '12/03/1980' : '1951-07-01'))]
          })
        ]
      })
    await office.counter.offer('will', 0)
    const details = tellings(await office.counter.queue())
    const nothing = { contact: undefined, born: undefined, matter: undefined }
    expect(details).toHaveLength(4)
    expect(details).toEqual(
      expect.arrayContaining([
        {
          documentReference: 'will',
          signerName: 'Ann Example',
          contact: '…1234',
          born: '1980-03-12',
          matter: '2024-117'
        },
        {
          documentReference: 'deed',
          signerName: 'Ann Example',
          contact: '…1234',
          born: '1951-07-01',
          matter: '2025-003'
        },
        { documentReference: 'will', signerName: 'Ben Example', ...nothing },
        { documentReference: 'note', signerName: 'Cleo Example', ...nothing }
      ])
    )
    const { entries, first } = await office.counter.offer('will', 0)
    expect(tellings([...entries, first])).toMatchObject([
      { born: '1980-03-12', matter: '2024-117' },
      nothing,
      { born: '1980-03-12', matter: '2024-117' }
    ])
  })

  test('with different addresses show nothing more, and what was sent isn’t read', async () => {
    const office = twoOfOneName()
    office.change('deed', 0, { Email: 'ann.other@example.com' })
    office.change('will', 0, { Email: 'ann@example.com' })
    office.sentAs = () => {
      throw new Error('This package can’t be read any more.')
    }
    await office.counter.offer('will', 0)
    for (const { born, matter } of await office.counter.queue()) expect([born, matter]).toEqual([undefined, undefined])
  })

  test('have no such details in the session, on the person’s screen, in the trail or the crash marker', async () => {
    const office = twoOfOneName()
    office.sentAs = () =>
      composed.forms({ items: [composed.form({ signers: [sentTo(withQuestion('Date of birth', '1980-03-12'))] })] })
    office.place = 'other-display'
    await office.start(['will', 0], ['deed', 0])
    await office.counter.begin(office.state().id)
    const all = JSON.stringify([office.state(), office.notes, office.marker])
    expect(all).toContain('Ann Example')
    for (const secret of ['1980', '2024-117', '2025-003', 'born', 'matter']) expect(all).not.toContain(secret)
  })

  test('are numbered within a session if they have the same address or none', async () => {
    const office = openOffice({
      will: [ann({ MobileCountry: '64' }), ann({ MobileCountry: '61' })],
      deed: [signer('Ben Example', { Email: '' }), signer('Ben Example', { Email: '' }), signer('Cleo Example')]
    })
    const { turns } = await office.start(['will', 0], ['will', 1], ['deed', 0], ['deed', 1], ['deed', 2])
    expect(turns.map(({ contact }) => contact)).toEqual(['…1234 (1)', '…1234 (2)', '(1)', '(2)', undefined])
    await office.counter.begin(office.state().id)
    expect(office.notesOf('handed-over')).toMatchObject([{ detail: { contact: '…1234 (1)' } }])
  })
})

describe('a date of birth', () => {
  const bornOf = async (items: Partial<Composition>, sentAs = composed.forms) => {
    const office = twoOfOneName()
    office.sentAs = () => sentAs(items)
    await office.counter.offer('will', 0)
    return (await office.counter.queue()).find(({ documentReference }) => documentReference === 'will')?.born
  }
  const form = (...signers: ComposedSigner[]) => ({ items: [composed.form({ signers })] })

  test.each(['Date of birth', 'Your date of birth', 'DOB', 'D.O.B.', 'Birth date (day/month/year)', 'date of birth:'])(
    'is recognised from the question “%s”',
    async (label) => expect(await bornOf(form(sentTo(withQuestion(label, '1980-03-12'))))).toBe('1980-03-12')
  )

  test.each([
    ['of a child', form(sentTo(withQuestion('Child’s date of birth', '2015-03-12')))],
    ['that is a place', form(sentTo(withQuestion('Place of birth', '1980-03-12')))],
    ['that doesn’t exist', form(sentTo(withQuestion('Date of birth', '31/02/1980')))],
    ['entered as text', form(sentTo(withQuestion('Date of birth', '1980-03-12', 'text')))],
    ['of someone else', form(sentTo({}), composed.signer(withQuestion('Date of birth', '1980-03-12')))],
    [
      'of two people who can’t be distinguished',
      form(sentTo(withQuestion('DOB', '1980-03-12')), sentTo(withQuestion('DOB', '1951-07-01')))
    ],
    ['of a signer who wasn’t in what was sent', form()]
  ])('isn’t recognised: one %s', async (_which, items) => expect(await bornOf(items)).toBeUndefined())

  test('is recognised from a template’s field if that person is its only signer', async () => {
    const field = {
      key: 'x',
      FieldType: 'DateInput',
      IsRequired: false,
      Reference: 'r',
      ReadOnly: false,
      ClientField: ''
    }
    const fields = [{ ...field, Label: 'Date of birth', Value: '1980-03-12' }]
    const of = (...signers: ComposedSigner[]) => ({ items: [composed.template({ signers, fields })] })
    expect(await bornOf(of(sentTo({})), composed.templates)).toBe('1980-03-12')
    expect(await bornOf(of(sentTo({}), composed.signer({ key: 's2' })), composed.templates)).toBeUndefined()
  })

  test('is looked up for at most 50 documents, and a failing lookup doesn’t break the queue', async () => {
    const many = Array.from({ length: 80 }, (_, at): [string, Signer[]] => [
      `doc-${at}`,
      [ann({ Email: '', MobileNumber: '' })]
    ])
    const office = openOffice(Object.fromEntries(many))
    let reads = 0
    office.sentAs = () => {
      reads++
      throw new Error('This package can’t be read any more.')
    }
    expect(await office.counter.queue()).toHaveLength(80)
    expect(reads).toBe(50)
  })
})
