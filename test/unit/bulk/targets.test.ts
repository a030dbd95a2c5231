import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchColumns } from '../../../src/shared/composition/bulk-columns.ts'
import { type CellParsing, cellsOf, rowMapper, unknownTargets } from '../../../src/shared/composition/bulk-rows.ts'
import { bulkTargets } from '../../../src/shared/composition/bulk-targets.ts'
import { blankSigner, type ComposedField, type Composition } from '../../../src/shared/composition/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'

const reading: CellParsing = { dateOrder: () => 'day-first', epoch: 1900, zone: 'Pacific/Auckland' }
const field = (changes: Partial<ComposedField>): ComposedField => ({
  key: 'd1',
  Label: 'Start date',
  Value: '',
  FieldType: 'Text',
  IsRequired: false,
  Reference: 'REF-1',
  ReadOnly: false,
  ClientField: '',
  ...changes
})
const user = { key: 'u1', FirstName: '', MiddleName: '', LastName: '', Email: '', IsDefault: false, IsOwner: false }
const question = { key: 'q1', Label: 'Date of birth', Value: '', DataType: 'date' as const }

/** Returns the label of the target that each heading fills. */
function filled(composition: Composition, ...headings: string[]): (string | undefined)[] {
  const targets = bulkTargets(composition)
  const mapping = matchColumns(targets, headings)
  return headings.map((_, index) => {
    const found = mapping.find(({ column }) => column === index)
    return targets.find(({ target }) => target === found?.target)?.label
  })
}

/** Reads one row on a base, given its cells by heading. */
function row(base: Composition, cells: Record<string, string>, how: Partial<CellParsing> = {}) {
  const headings = Object.keys(cells)
  const mapping = matchColumns(bulkTargets(base), headings)
  expect(mapping).toHaveLength(headings.length)
  return rowMapper(base, mapping, { ...reading, ...how })(Object.values(cells))
}

const two = templates({
  items: [
    template({
      signers: [{ ...blankSigner('s1') }, { ...blankSigner('s2') }],
      fields: [
        field({}),
        field({ key: 'd2', Label: 'Start date', Reference: 'REF-2', FieldType: 'DateInput' }),
        field({ key: 'd3', Label: 'Smoker', FieldType: 'CheckBox', ClientField: 'is_smoker', Reference: 'REF-3' })
      ]
    })
  ]
})

describe('headings', () => {
  test.each([
    ['First name', 'Signer 1: first name'],
    ['Person 1: first name', 'Signer 1: first name'],
    ['FIRSTNAME', 'Signer 1: first name'],
    ['first_name', 'Signer 1: first name'],
    ['Given names', 'Signer 1: first name'],
    ['Surname', 'Signer 1: last name'],
    ['E-Mail', 'Signer 1: e-mail'],
    ['Email address', 'Signer 1: e-mail'],
    ['E-mail 2', 'Signer 2: e-mail'],
    ['Signer 2 email', 'Signer 2: e-mail'],
    ['signer2Email', 'Signer 2: e-mail'],
    ['SIGNER_2_LAST_NAME', 'Signer 2: last name'],
    ['Second signer’s surname', 'Signer 2: last name'],
    ['2nd person: mobile', 'Signer 2: mobile'],
    ['Mobile phone of signer 2', 'Signer 2: mobile'],
    ['Recipient e-mail', 'Signer 1: e-mail'],
    ['Due by', 'Due date'],
    ['Start date', 'Field: Start date'],
    ['REF-2', 'Field: Start date (2)'],
    ['is smoker', 'Field: Smoker'],
    ['Client reference', 'Signer 1: your reference for this signer'],
    ['Matter no', 'Template: your reference'],
    ['Our ref.', 'Template: your reference'],
    ['Name', undefined],
    ['Signer 3 email', undefined],
    ['Shoe size', undefined],
    ['★', undefined]
  ])('"%s" fill %s', (heading, label) => {
    expect(filled(two, heading)).toEqual([label])
  })

  test('that match exactly take precedence over similar ones', () => {
    expect(filled(two, 'Email', 'Signer 1: e-mail')).toEqual([undefined, 'Signer 1: e-mail'])
  })

  test('fill one target each, and each target is filled once', () => {
    const mapping = matchColumns(bulkTargets(two), ['Email', 'E-mail', 'Mail', 'Email 2'])
    expect(new Set(mapping.map(({ target }) => target)).size).toBe(mapping.length)
    expect(new Set(mapping.map(({ column }) => column)).size).toBe(mapping.length)
  })

  test('name the form if there are several', () => {
    const base = forms({ items: [form(), form({ key: 'f2', Name: 'Super choice' })] })
    expect(filled(base, 'Email', 'Form 2, signer 1 e-mail', 'Form 2: reference', 'Form 2 employer reference')).toEqual([
      'Form 1, signer 1: e-mail',
      'Form 2, signer 1: e-mail',
      'Form 2: reference',
      'Form 2: employer reference'
    ])
  })

  test('that equal the labels match all targets, for any composition', () => {
    const many = forms({
      items: [
        form({ signers: [signer({ ShareUsers: [user], IDData: [question], UseIDData: true }), signer({ key: 's2' })] })
      ],
      ListItems: [{ key: 'l1', ClientField: 'fund', Item: 'Fund A', Value: 'a' }]
    })
    for (const base of [many, two, forms({ items: [form(), form({ key: 'f2' })] })]) {
      const targets = bulkTargets(base)
      const columns = targets.map(({ label }) => label)
      expect(matchColumns(targets, columns)).toEqual(targets.map(({ target }, column) => ({ target, column })))
    }
  })
})

describe('a row’s cells', () => {
  test('override the base, which applies where they are blank', () => {
    const base = templates({ items: [template({ signers: [signer()] })] })
    const { composition, cellProblems } = row(base, {
      'First name': 'Tama',
      Surname: ' ',
      Email: 'tama@example.com'
    })
    expect(cellProblems).toEqual([])
    expect(composition.items[0]?.signers[0]).toMatchObject({
      FirstName: 'Tama',
      LastName: 'Tamati',
      Email: 'tama@example.com'
    })
    expect(base.items[0]?.signers[0]?.FirstName).toBe('Mere')
  })

  test('that name someone else keep nothing personal of the base’s person', () => {
    const own = { MiddleName: 'Anne', MobileCountry: '64', MobileNumber: '021', ClientReference: 'C-7' }
    const answered = { ...question, Value: '1990-12-31' }
    const husband = { ...user, FirstName: 'Rua', MiddleName: 'Pita', Email: 'rua@example.com' }
    const mere = signer({ ...own, UseIDData: true, IDData: [answered], ShareUsers: [husband] })
    const base = forms({ items: [form({ signers: [mere] })] })
    const signerOf = (cells: Record<string, string>) => row(base, cells).composition.items[0]?.signers[0]
    const cleared = { MiddleName: '', MobileCountry: '64', MobileNumber: '', ClientReference: '', IDData: [question] }
    for (const named of [{ 'First name': 'Tama' }, { Surname: 'Brooks' }, { Email: 'tama@example.com' }])
      expect(signerOf(named)).toMatchObject({ ...cleared, ShareUsers: [husband] })
    expect(signerOf({ 'First name': 'Tama', Mobile: '022', 'Answer 1': '1/2/1991' })).toMatchObject({
      ...cleared,
      MobileNumber: '022',
      IDData: [{ Value: '1991-02-01' }]
    })
    expect(signerOf({ 'Shared with 1 email': 'hemi@example.com' })).toMatchObject({
      ...own,
      ShareUsers: [{ MiddleName: '' }]
    })
    // Somebody else's address is never used unnoticed.
    const warned = { severity: 'warning', at: 'f1.signers.s1.Email', message: expect.stringContaining(mere.Email) }
    expect(row(base, { 'First name': 'Tama' })).toMatchObject({
      composition: { items: [{ signers: [{ Email: mere.Email }] }] },
      cellProblems: [{ ...warned, column: undefined }]
    })
    expect(row(base, { 'First name': 'Tama', Email: '' }).cellProblems).toMatchObject([{ ...warned, column: 1 }])
    expect(row(base, { 'First name': 'Tama', Email: 'tama@example.com' }).cellProblems).toEqual([])
    const withoutAddress = forms({ items: [form({ signers: [signer({ Email: ' ' })] })] })
    expect(row(withoutAddress, { 'First name': 'Tama' }).cellProblems).toEqual([])
    // The same person, however it's written.
    for (const same of [{ 'First name': 'mere', Email: 'MERE.tamati@example.com' }, { Surname: '' }])
      expect(signerOf(same)).toMatchObject({ ...own, IDData: [answered] })
    const unnamed = forms({ items: [form({ signers: [signer({ ...own, FirstName: '', LastName: '', Email: '' })] })] })
    expect(row(unnamed, { 'First name': 'Tama' }).composition.items[0]?.signers[0]).toMatchObject(own)
  })

  test.each(['yes', 'Y', 'TRUE', '1', 'x'])('can say yes as "%s"', (word) => {
    expect(row(two, { 'Signer 1 face to face': word }).composition.items[0]?.signers[0]?.faceToFace).toBe(true)
    expect(row(two, { Smoker: word }).composition.items[0]?.fields[2]?.Value).toBe('true')
  })

  test.each(['no', 'N', 'False', '0'])('can say no as "%s"', (word) => {
    const base = templates({ items: [template({ signers: [signer({ video: true })] })] })
    expect(row(base, { Video: word }).composition.items[0]?.signers[0]?.video).toBe(false)
  })

  test.each([
    ['2026-12-04', '2026-12-04'],
    ['04/12/2026', '2026-12-04'],
    ['4.12.2026', '2026-12-04'],
    ['4 December 2026', '2026-12-04'],
    ['4-Dec-2026', '2026-12-04'],
    ['Friday, 4 Dec 2026', '2026-12-04'],
    ['December 4, 2026', '2026-12-04'],
    ['20261204', '2026-12-04'],
    ['46360', '2026-12-04'],
    ['29/02/2028', '2028-02-29']
  ])('can contain the date "%s"', (text, day) => {
    expect(row(two, { 'REF-2': text })).toMatchObject({
      composition: { items: [{ fields: [{}, { Value: day }, {}] }] },
      cellProblems: []
    })
  })

  test('are read month first if their column is, and by the 1904 system if the file uses it', () => {
    const order = { dateOrder: () => 'month-first' as const }
    expect(row(two, { 'REF-2': '12/04/2026' }, order).composition.items[0]?.fields[1]?.Value).toBe('2026-12-04')
    expect(row(two, { 'REF-2': '44898' }, { epoch: 1904 }).composition.items[0]?.fields[1]?.Value).toBe('2026-12-04')
  })

  test('with a two-digit year get a warning', () => {
    const { composition, cellProblems } = row(two, { 'REF-2': '4-Dec-26' })
    expect(composition.items[0]?.fields[1]?.Value).toBe('2026-12-04')
    expect(cellProblems).toMatchObject([{ severity: 'warning', column: 0 }])
  })

  test.each([
    ['REF-2', 'soon'],
    ['REF-2', '31/02/2026'],
    ['REF-2', '12/31/2026'],
    ['REF-2', '2026'],
    ['Smoker', 'perhaps'],
    ['Due date', 'tomorrow'],
    ['Due date', '2026-12-04 25:00'],
    ['Due time', 'noonish'],
    ['First name', '#REF!'],
    ['First name', '#N/A'],
    ['Mobile', '########'],
    ['First name', 'x'.repeat(10_001)]
  ])('with heading "%s" and content "%s" cause an error, and change nothing', (heading, text) => {
    const { composition, cellProblems } = row(two, { [heading]: text })
    expect(cellProblems).toMatchObject([{ severity: 'error', column: 0 }])
    expect(composition.items[0]?.fields).toEqual(two.items[0]?.fields)
    expect(composition.due).toBe('')
  })

  test.each([
    ['12/25/2026', 'day-first', 'Write it day first: 25/12/2026.'],
    ['25/12/2026', 'month-first', 'Write it month first: 12/25/2026.'],
    ['31/02/2026', 'day-first', '31/02/2026 isn’t a real date. Write it as 31/12/2026 or 2026-12-31.']
  ] as const)('with the wrong date %s in a column read %s get advice on how to write it', (text, order, message) => {
    for (const heading of ['REF-2', 'Due date']) {
      const { cellProblems } = row(two, { [heading]: text }, { dateOrder: () => order })
      expect(cellProblems).toMatchObject([{ message }])
    }
  })

  test('with a formula are used as text, with a warning', () => {
    const { composition, cellProblems } = row(two, { 'First name': '=CMD()|x' })
    expect(composition.items[0]?.signers[0]?.FirstName).toBe('=CMD()|x')
    expect(cellProblems).toMatchObject([{ severity: 'warning', at: 't1.signers.s1.FirstName' }])
  })

  test('set the due time in the zone, including daylight saving', () => {
    expect(row(two, { 'Due date': '04/12/2026' }).composition).toMatchObject({
      due: '2026-12-04T17:00',
      gmt: '780',
      zone: 'Pacific/Auckland'
    })
    const sydney = { ...two, zone: 'Australia/Sydney', due: '2026-01-05T09:30', gmt: '660' }
    expect(row(sydney, { 'Due date': '4 July 2026' }).composition).toMatchObject({
      due: '2026-07-04T09:30',
      gmt: '600'
    })
    expect(row(sydney, { 'Due date': '4 July 2026', 'Due time': '5 pm' }).composition.due).toBe('2026-07-04T17:00')
    expect(row(sydney, { 'Due time': '0.75' }).composition).toMatchObject({ due: '2026-01-05T18:00', gmt: '660' })
    expect(row(sydney, { 'Due time': '0.99999' }).composition.due).toBe('2026-01-05T23:59')
    expect(row(sydney, { 'Due date': '46000.99999' }).composition.due).toBe('2025-12-09T23:59')
    // As programs export a date without a time.
    const dates = ['2026-07-04 00:00:00', '2026-07-04T00:00:00.000', '4/7/2026 0:00:00', '4/07/2026 12:00:00 am']
    const shorter = [
      '2026-07-04 00:00',
      '2026-07-04T00:00',
      '4.7.2026 0:00',
      '4/07/2026 12:00 AM',
      '4 July 2026, 00.00'
    ]
    for (const day of [...dates, ...shorter]) {
      expect(row(sydney, { 'Due date': day }).composition.due).toBe('2026-07-04T09:30')
      expect(row(sydney, { 'Due date': day, 'Due time': '0:00' }).composition.due).toBe('2026-07-04T00:00')
    }
    expect(row(sydney, { 'Due date': '2026-07-04 12:00' }).composition.due).toBe('2026-07-04T12:00')
    expect(row(sydney, { 'Due date': '2026-12-04T04:00:00Z' }).composition).toMatchObject({
      due: '2026-12-04T04:00',
      gmt: '0',
      zone: ''
    })
    const chosen = { ...two, due: '2026-01-05T09:30', gmt: '330' }
    expect(row(chosen, { 'Due date': '4 July 2026' }).composition).toMatchObject({ gmt: '330', zone: '' })
  })

  test('with an identity answer are read by the question’s type', () => {
    const base = forms({ items: [form({ signers: [signer({ UseIDData: true, IDData: [question] })] })] })
    const answer = (cells: Record<string, string>) => row(base, cells).composition.items[0]?.signers[0]?.IDData[0]
    expect(answer({ 'Answer 1': '31/12/1990' })?.Value).toBe('1990-12-31')
    expect(answer({ 'Person 1: question 1, kind': 'E-mail', 'Answer 1': 'a@example.com' })).toMatchObject({
      DataType: 'email',
      Value: 'a@example.com'
    })
    expect(row(base, { 'Answer 1': 'when?' }).cellProblems).toMatchObject([{ severity: 'error' }])
  })

  test('leave out a second signer if neither they nor the base describe one', () => {
    const first = { 'First name': 'Mere', Surname: 'Tamati', Email: 'mere@example.com' }
    const left = row(two, { ...first, 'Email 2': '', 'Signer 2 first name': '', 'Signer 2 video confirmation': 'no' })
    expect(left.composition.items[0]?.signers.map(({ key }) => key)).toEqual(['s1'])
    const reduced = row(two, { ...first, 'Email 2': 'tama@example.com', 'Signer 2 first name': '' })
    expect(reduced.composition.items[0]?.signers.map(({ key }) => key)).toEqual(['s1', 's2'])
    expect(row(two, first).composition.items[0]?.signers).toHaveLength(2)
  })

  test('keep a second signer that the base describes', () => {
    const base = templates({
      items: [template({ signers: [signer(), signer({ key: 's2', Email: 'manager@example.com' })] })]
    })
    expect(row(base, { Email: 'x@example.com', 'Email 2': '' }).composition.items[0]?.signers).toHaveLength(2)
  })

  test('can fill drop-down items, people to share with, and the form’s own references', () => {
    const base = forms({
      items: [form({ signers: [signer({ ShareUsers: [user] })] })],
      ListItems: [{ key: 'l1', ClientField: 'fund', Item: 'Fund A', Value: 'a' }]
    })
    const { composition } = row(base, {
      'Drop-down item 1: value': 'b',
      'Shared with 1 email': 'boss@example.com',
      'Employer reference': 'EMP-7',
      'Your reference': 'M-12',
      'XML data': '<a/>'
    })
    expect(composition.ListItems[0]?.Value).toBe('b')
    expect(composition.items[0]).toMatchObject({
      EmployerReference: 'EMP-7',
      ClientReference: 'M-12',
      XMLData: '<a/>',
      signers: [{ ShareUsers: [{ Email: 'boss@example.com' }] }]
    })
    expect(row(base, { 'Shared with 1 email': '' }).composition.items[0]?.signers[0]?.ShareUsers).toEqual([])
  })

  test('can be matched by hand, and unknown targets are reported', () => {
    const mapping = [{ target: 't1.signers.s1.FirstName', column: 1 }]
    const { composition } = rowMapper(two, mapping, reading)(['ignored', 'Mere'])
    expect(composition.items[0]?.signers[0]?.FirstName).toBe('Mere')
    expect(unknownTargets(two, mapping)).toEqual([])
    expect(unknownTargets(forms(), mapping)).toEqual(['t1.signers.s1.FirstName'])
  })
})

const anyWord = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => `w${text}`.trim())
const anyDay = fc
  .date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const anyPerson = fc.record({ FirstName: anyWord, MiddleName: anyWord, LastName: anyWord, Email: fc.emailAddress() })
const anyUser = fc
  .tuple(anyPerson, fc.boolean(), fc.boolean())
  .map(([person, IsDefault, IsOwner]) => ({ ...person, IsDefault, IsOwner }))
const anyQuestion = fc.oneof(
  fc.record({ Label: anyWord, DataType: fc.constant('text' as const), Value: anyWord }),
  fc.record({ Label: anyWord, DataType: fc.constant('email' as const), Value: fc.emailAddress() }),
  fc.record({ Label: anyWord, DataType: fc.constant('date' as const), Value: anyDay.map((day) => day.slice(0, 10)) })
)
const keyed = <Of extends object>(prefix: string, ones: Of[]) =>
  ones.map((one, index) => ({ key: `${prefix}${index}`, ...one }))
const anySigner = fc
  .record({
    person: anyPerson,
    words: fc.record({
      MobileCountry: anyWord,
      MobileNumber: anyWord,
      ClientReference: anyWord,
      SignerType: anyWord,
      SignerReference: anyWord
    }),
    flags: fc.record({
      faceToFace: fc.boolean(),
      video: fc.boolean(),
      deepfakeDetector: fc.boolean(),
      Optional: fc.boolean(),
      UseIDData: fc.boolean(),
      reviewBeforeSigning: fc.boolean()
    }),
    users: fc.array(anyUser, { maxLength: 2 }),
    questions: fc.array(anyQuestion, { maxLength: 2 })
  })
  .map(({ person, words, flags, users, questions }) => ({
    ...person,
    ...words,
    ...flags,
    ShareUsers: keyed('u', users),
    IDData: keyed('q', questions)
  }))
const anyField = fc.oneof(
  fc.record({ FieldType: fc.constantFrom('Text', 'MultiLineText', 'RadioButton', 'DropDownList'), Value: anyWord }),
  fc.record({ FieldType: fc.constant('CheckBox'), Value: fc.constantFrom('true', 'false') }),
  fc.record({ FieldType: fc.constant('DateInput'), Value: anyDay.map((day) => day.slice(0, 10)) })
)
const anyItem = fc
  .record({
    words: fc.record({
      Name: anyWord,
      Reference: anyWord,
      ClientReference: anyWord,
      FormType: anyWord,
      EmployerReference: anyWord,
      XMLData: anyWord
    }),
    own: fc.option(fc.record({ embedded: fc.boolean(), ReturnUrl: anyWord, NotifyUrl: anyWord }), { nil: undefined }),
    signers: fc.array(anySigner, { minLength: 1, maxLength: 3 }),
    fields: fc.array(fc.tuple(anyField, anyWord), { maxLength: 4 })
  })
  .map(({ words, own, signers, fields }) => ({
    ...words,
    own,
    signers: keyed('s', signers),
    fields: keyed(
      'd',
      fields.map(([one, Label]) => ({ ...field({}), ...one, Label }) as ComposedField)
    ).map((one, index) => ({ ...one, key: `d${index}` }))
  }))
const anyComposition = fc
  .record({
    kind: fc.constantFrom('form-direct' as const, 'form-filler' as const),
    items: fc.array(anyItem, { minLength: 1, maxLength: 2 }),
    due: anyDay.map((day) => day.slice(0, 16)),
    embedded: fc.boolean(),
    Sequential: fc.boolean(),
    words: fc.record({ ReturnUrl: anyWord, NotifyUrl: anyWord, InvitationEmailTemplateReference: anyWord }),
    choices: fc.array(fc.record({ ClientField: anyWord, Item: anyWord, Value: anyWord }), { maxLength: 2 })
  })
  .map(
    ({ items, words, choices, ...more }): Composition => ({
      ...more,
      ...words,
      items: keyed('i', items),
      gmt: '0',
      zone: '',
      ListItems: keyed('l', choices)
    })
  )

/** The same people, fields and places, with nothing filled in. */
function emptied(composition: Composition): Composition {
  const base = structuredClone(composition)
  for (const { path } of bulkTargets(base)) {
    const holder = path
      .slice(0, -1)
      .reduce<Record<string, unknown>>((node, step) => node[step] as Record<string, unknown>, base as never)
    const name = String(path.at(-1))
    if (typeof holder[name] === 'boolean') holder[name] = !holder[name]
    else if (name !== 'DataType') holder[name] = ''
  }
  return base
}

test('any composition written as a row can be read back onto an empty one unchanged', () => {
  fc.assert(
    fc.property(anyComposition, (composition) => {
      const targets = bulkTargets(composition)
      const mapping = matchColumns(
        targets,
        targets.map(({ label }) => label)
      )
      const { composition: remapped, cellProblems } = rowMapper(
        emptied(composition),
        mapping,
        reading
      )(cellsOf(composition, targets))
      expect(cellProblems.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(remapped).toEqual(composition)
    }),
    { numRuns: 200 }
  )
})
