import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { anyComposition } from './any-composition.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

const found = (search: string, query = {}) =>
  office.drafts
    .list(['a'], { search, ...query })
    .rows.map(({ title }) => title)
    .sort()

describe('a search', () => {
  test.each([
    ['a form’s name', 'declaration'],
    ['a reference', 'TFN-1'],
    ['the client’s own reference', 'matter-77'],
    ['a signer’s first name', 'Mere'],
    ['a signer’s e-mail address', 'mere.tamati@example.com'],
    ['the first part of an e-mail address', 'mere.tam'],
    ['the second part of an e-mail address', '@example'],
    ['the type of signer', 'Guardian'],
    ['a person it is shared with', 'Aroha'],
    ['an identity question', 'passport'],
    ['the answer to an identity question', 'LA123456'],
    ['a mobile number', '021555'],
    ['XML', 'Kererū'],
    ['an attribute in XML', '99.5'],
    ['a web address', 'return.example.org'],
    ['a choice of a drop-down list', 'Fortnightly'],
    ['the employer', 'EMP-9']
  ])('finds %s', (_, search) => {
    const rich = signer({
      SignerType: 'Guardian',
      MobileNumber: '0215550100',
      UseIDData: true,
      IDData: [{ key: 'q', Label: 'Passport number', Value: 'LA123456', DataType: 'text' }],
      ShareUsers: [
        {
          key: 'u',
          FirstName: 'Aroha',
          MiddleName: '',
          LastName: 'Ngata',
          Email: 'aroha@example.com',
          IsDefault: true,
          IsOwner: false
        }
      ]
    })
    const item = form({
      ClientReference: 'matter-77',
      EmployerReference: 'EMP-9',
      signers: [rich],
      XMLData: '<street rate="99.5">Kererū Lane</street>'
    })
    office.drafts.save('a', {
      ...forms({ items: [item], ReturnUrl: 'https://return.example.org/done' }),
      ListItems: [{ key: 'l', ClientField: 'pay', Item: 'Fortnightly', Value: '2' }]
    })
    office.drafts.save('a', forms({ items: [form({ Name: 'Another', Reference: 'X', signers: [] })] }))
    expect(found(search)).toEqual(['Tax file declaration'])
  })

  test('finds the values of a template’s fields', () => {
    const field = {
      key: 'f',
      Label: 'Rent',
      Value: '720 dollars',
      FieldType: 'Text',
      IsRequired: true,
      Reference: 'R1',
      ReadOnly: false,
      ClientField: ''
    } as const
    office.drafts.save('a', templates({ items: [template({ fields: [field] })] }))
    expect(found('720')).toEqual(['Residential tenancy'])
    expect(found('dropdownlist')).toEqual([])
  })

  test.each([
    ['without accents', 'maia tamati'],
    ['with accents', 'Māia Tāmati'],
    ['with accents as separate characters', 'Ma\u0304ia'],
    ['in capitals', 'MĀIA'],
    ['with the beginnings of words', 'mai tam'],
    ['with one letter', 't'],
    ['in reverse order', 'Tamati Maia'],
    ['with blanks around', '   māia \t tamati \n']
  ])('finds a name that is typed %s', (_, search) => {
    office.drafts.save(
      'a',
      forms({ items: [form({ Name: 'F', signers: [signer({ FirstName: 'Māia', LastName: 'Tāmati' })] })] })
    )
    expect(found(search)).toEqual(['F'])
  })

  test('requires all words', () => {
    office.drafts.save('a', forms())
    expect(found('mere declaration')).toHaveLength(1)
    expect(found('mere tenancy')).toEqual([])
  })

  test('matches the beginnings of words, not their middles', () => {
    office.drafts.save('a', forms())
    expect(found('decl')).toHaveLength(1)
    expect(found('claration')).toEqual([])
  })

  test('finds an address only if its parts are in order', () => {
    office.drafts.save(
      'a',
      forms({ items: [form({ Name: 'Other', signers: [signer({ Email: 'tamati@mere.example.com' })] })] })
    )
    expect(found('mere.tamati@example.com')).toEqual([])
  })

  test.each([
    '"',
    '""',
    `'`,
    '*',
    '^',
    '-',
    '(',
    ')',
    ':',
    '+',
    '{',
    '}',
    'NEAR(',
    '"mere',
    'mere"',
    'mere*',
    'words:mere',
    '-mere',
    'mere AND',
    'mere OR',
    'NOT mere',
    'mere NEAR/2 tamati',
    '"mere" "tamati"',
    '\u0000mere',
    'mere\u0000',
    '\ud800',
    "'; DROP TABLE drafts; --"
  ])('treats %j as plain text, not as an operator', (search) => {
    office.drafts.save('a', forms())
    expect(() => found(search)).not.toThrow()
    expect(office.drafts.list(['a']).total).toBe(1)
  })

  test('treats the index’s operators as words', () => {
    office.drafts.save('a', forms({ items: [form({ Name: 'Either OR neither' })] }))
    expect(found('or')).toEqual(['Either OR neither'])
    expect(found('mere OR nobody')).toEqual([])
  })

  test('without words finds everything', () => {
    office.drafts.save('a', forms())
    for (const search of ['', '  ', '-', '"', '…']) expect(found(search)).toHaveLength(1)
  })

  test('never fails, for any input', () => {
    office.drafts.save('a', forms())
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (search) => {
        office.drafts.list(['a'], { search })
      }),
      { numRuns: 500 }
    )
  })

  test('finds any draft by any e-mail address in it', () => {
    fc.assert(
      fc.property(anyComposition, fc.emailAddress(), (composition, Email) => {
        const { id } = office.drafts.save('a', { ...composition, items: [form({ signers: [signer({ Email })] })] })
        const rows = office.drafts.list(['a'], { search: Email }).rows
        expect(rows.map((row) => row.id)).toContain(id)
      }),
      { numRuns: 50 }
    )
  })
})

describe('the search index', () => {
  test('follows a draft through changes, trash, restoring and erasing', () => {
    const { id } = office.drafts.save('a', forms())
    office.drafts.save('a', forms({ items: [form({ Name: 'Loan agreement' })] }), id)
    expect(found('declaration')).toEqual([])
    expect(found('loan')).toEqual(['Loan agreement'])
    office.drafts.remove(id)
    expect(found('loan')).toEqual([])
    expect(found('loan', { trashed: true })).toEqual(['Loan agreement'])
    office.drafts.restore(id)
    expect(found('loan')).toEqual(['Loan agreement'])
    office.drafts.remove(id)
    office.drafts.erase(id)
    expect(office.db.prepare('SELECT count(*) FROM draft_words').pluck().get()).toBe(0)
  })

  test('is updated when the outbox deletes a draft', () => {
    const { id } = office.drafts.save('a', forms())
    office.db.prepare('DELETE FROM drafts WHERE id = ?').run(id)
    expect(office.db.prepare('SELECT count(*) FROM draft_words').pluck().get()).toBe(0)
    office.drafts.save('a', forms({ items: [form({ Name: 'New', signers: [] })] }))
    expect(found('declaration')).toEqual([])
  })

  test('has the words people typed in a draft with megabytes of XML', () => {
    const XMLData = `<p>${'filler '.repeat(400_000)}</p>`
    office.drafts.save(
      'a',
      forms({
        items: [form({ XMLData }), form({ key: 'f2', Name: 'Second form' })],
        ReturnUrl: 'https://last.example.com'
      })
    )
    for (const search of ['mere', 'second', 'last.example.com', 'filler']) expect(found(search)).toHaveLength(1)
  })

  test('keeps accounts separate', () => {
    office.drafts.save('a', forms())
    expect(office.drafts.list(['b'], { search: 'mere' }).total).toBe(0)
  })
})

test('a search among 10,000 drafts returns the matches by page, with counts of all', () => {
  office.db.transaction(() => {
    for (let number = 0; number < 10_000; number++) {
      office.time.now += 1
      const signers = [signer({ LastName: `Person${number}`, Email: `person${number}@example.com` })]
      office.drafts.save('a', forms({ items: [form({ Name: `Form ${number}`, Reference: `R-${number}`, signers })] }))
    }
  })()
  expect(found('person77@example.com')).toEqual(['Form 77'])
  const page = office.drafts.list(['a'], { search: 'person77', offset: 0, limit: 5 })
  expect(page.rows.map(({ title }) => title)).toEqual(['Form 7799', 'Form 7798', 'Form 7797', 'Form 7796', 'Form 7795'])
  expect(page.total).toBe(111)
  expect(page.counts).toEqual({ drafts: 10_000, trashed: 0 })
  expect(office.drafts.list(['a'], { search: 'example.com', limit: 1 }).total).toBe(10_000)
})
