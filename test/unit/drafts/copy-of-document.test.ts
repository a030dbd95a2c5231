import { expect, test } from 'vitest'
import { copyOfDocument } from '../../../src/main/core/drafts/copy-of-document.ts'
import { blankComposition, blankItem, blankSigner, type Composition } from '../../../src/shared/composition/index.ts'
import { DocumentResponse } from '../../../src/shared/model/index.ts'

const declined = DocumentResponse.parse({
  Reference: 'doc-1',
  Name: 'Deed of gift',
  FormDirectReference: 'F-7',
  ClientReference: 'M-1',
  Status: 'Declined',
  DueDate: '2026-01-01',
  Signers: [
    {
      FirstName: 'Mere',
      LastName: 'Tamati',
      Email: 'mere@example.com',
      MobileNumber: '0215550101',
      MobileCountry: '64',
      SigningKey: 'https://sign.example/s/1'
    },
    { FirstName: 'Wiremu', LastName: 'Ngata', IsFaceToFaceSigning: true }
  ]
})

const sent = (...names: string[]): Composition => ({
  ...blankComposition('form-direct', 'k'),
  items: names.map((Name, index) => ({ ...blankItem(`k${index}`), Name, XMLData: '<a/>' })),
  due: '2026-01-01T17:00',
  gmt: '780',
  zone: 'Pacific/Auckland',
  embedded: true
})

test('a document sent from here is copied as composed, without its past due date', () => {
  const copy = copyOfDocument(declined, sent('Deed of gift'))
  expect(copy).toEqual({ ...sent('Deed of gift'), due: '', gmt: '', zone: '' })
})

test('a signer who was corrected after sending is copied as corrected', () => {
  const person = (FirstName: string, LastName: string, Email: string) => ({
    ...{ ...blankSigner(FirstName), FirstName, LastName, Email },
    ...{ MobileNumber: '0215550199', MobileCountry: '64', SignerType: 'Giver' }
  })
  const copied = (...signers: ReturnType<typeof person>[]) => {
    const composition = sent('Deed of gift')
    const items = composition.items.map((item) => ({ ...item, signers }))
    return copyOfDocument(declined, { ...composition, items }).items[0]?.signers
  }
  const wiremu = person('Wiremu', 'Ngata', 'wiremu@example.com')
  expect(copied(person('Mere', 'Tamati', 'mere@exmaple.com'), wiremu)).toEqual([
    { ...person('Mere', 'Tamati', 'mere@example.com'), MobileNumber: '0215550101' },
    wiremu
  ])
  expect(copied(person('Mary', 'Tamati', 'mere@example.com'), wiremu)?.[0]?.FirstName).toBe('Mere')
  // Someone else, or another number of signers: which is which isn't certain.
  const other = person('Ana', 'Reid', 'ana@example.com')
  expect(copied(other, wiremu)).toEqual([other, wiremu])
  expect(copied(person('Mere', 'Tamati', 'mere@exmaple.com'))?.[0]?.Email).toBe('mere@exmaple.com')
})

test('of a package with several documents only the declined one is copied, if it is unambiguous', () => {
  const names = (composition: Composition) => copyOfDocument(declined, composition).items.map(({ Name }) => Name)
  expect(names(sent('Cover letter', 'Deed of gift'))).toEqual(['Deed of gift'])
  expect(names(sent('Deed of gift', 'Deed of gift'))).toEqual(['Deed of gift', 'Deed of gift'])
  expect(names(sent('Cover letter', 'Will'))).toEqual(['Cover letter', 'Will'])
})

test('a document sent elsewhere is copied from the service’s data, without signing links', () => {
  const copy = copyOfDocument(declined, undefined)
  expect(copy).toMatchObject({
    kind: 'form-direct',
    due: '',
    items: [
      {
        Name: 'Deed of gift',
        Reference: 'F-7',
        ClientReference: 'M-1',
        signers: [
          {
            FirstName: 'Mere',
            LastName: 'Tamati',
            Email: 'mere@example.com',
            MobileNumber: '0215550101',
            MobileCountry: '64'
          },
          { FirstName: 'Wiremu', LastName: 'Ngata', Email: '', faceToFace: true }
        ]
      }
    ]
  })
  expect(JSON.stringify(copy)).not.toContain('sign.example')
})

test('a document without a form reference becomes a template with one blank signer', () => {
  const copy = copyOfDocument(DocumentResponse.parse({ Reference: 'doc-2' }), undefined)
  expect([copy.kind, copy.items.length, copy.items[0]?.signers.length]).toEqual(['form-filler', 1, 1])
})
