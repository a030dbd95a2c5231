/** Statuses, flags, enumerations and member names as the service spells them. */
import { describe, expect, test } from 'vitest'
import {
  DOCUMENT_STATUSES,
  DocumentResponse,
  decode,
  decodeList,
  FIELD_TYPES,
  flag,
  formatPath,
  fullName,
  integer,
  ListedField,
  openEnumeration,
  readDocumentStatus,
  SIGNED_STATUSES,
  SignerResponse,
  text
} from '../../../src/shared/model/index.ts'

describe('a document’s status', () => {
  test.each([
    ['0 of 2 Signed', 'in-progress', 0, 2],
    ['1 of 2 Signed', 'in-progress', 1, 2],
    [' 1  OF 2 signed ', 'in-progress', 1, 2],
    ['2 of 2 Signed', 'signed', 2, 2],
    ['12 of 113 Signed', 'in-progress', 12, 113],
    ['0 of 0 Signed', 'in-progress', 0, 0]
  ])('%s gives a count', (spelled, family, signed, of) => {
    expect(readDocumentStatus(spelled)).toEqual({ raw: spelled.trim(), family, signed, of })
  })

  test.each(['# of # Signed', '1 of Signed', '-1 of 2 Signed', 'one of two Signed', '1 of 2', '1 of 2 Signed!'])(
    '%s gives no count',
    (spelled) => {
      expect(readDocumentStatus(spelled)).toEqual({ raw: spelled, family: 'other' })
    }
  )

  test('every status of the reference belongs to a family', () => {
    expect(DOCUMENT_STATUSES.map((status) => readDocumentStatus(status).family)).toEqual([
      'complete',
      'declined',
      'expired',
      'declined',
      'signed',
      'in-progress',
      'in-progress',
      'in-progress',
      'in-progress',
      'not-started'
    ])
  })

  test('case and spaces don’t matter', () => {
    expect(readDocumentStatus('In Progress').family).toBe('in-progress')
    expect(readDocumentStatus('FILLING FORM').family).toBe('in-progress')
  })

  test('an unknown or missing status keeps its text', () => {
    expect(readDocumentStatus('Faxed')).toEqual({ raw: 'Faxed', family: 'other' })
    expect(readDocumentStatus(undefined)).toEqual({ raw: '', family: 'other' })
  })
})

describe('a signer’s status', () => {
  const read = (SignedStatus: unknown) => SignerResponse.parse({ SignedStatus }).SignedStatus

  test('each name is found by its number, given as number or text', () => {
    expect(SIGNED_STATUSES.map((_name, number) => read(number))).toEqual([...SIGNED_STATUSES])
    expect(SIGNED_STATUSES.map((_name, number) => read(String(number)))).toEqual([...SIGNED_STATUSES])
  })

  test.each([
    ['sIGNED', 'Signed'],
    [' Reminder2 ', 'Reminder2'],
    [14, '14'],
    [-1, '-1'],
    ['Faxed', 'Faxed'],
    [true, 'Signed'],
    ['true', 'Signed'],
    [false, undefined],
    ['False', undefined],
    ['', undefined],
    [null, undefined]
  ])('%j is %j', (spelled, name) => expect(read(spelled)).toBe(name))
})

describe('plain values', () => {
  test.each([true, 'true', 'True', ' TRUE ', 1, '1', 'yes'])('%j is true', (spelled) =>
    expect(flag.parse(spelled)).toBe(true)
  )
  test.each([false, 'false', 'False', 0, '0', 'no'])('%j is false', (spelled) =>
    expect(flag.parse(spelled)).toBe(false)
  )
  test.each(['maybe', 2, 'truth', [], {}])('%j is neither true nor false', (spelled) =>
    expect(flag.safeParse(spelled).success).toBe(false)
  )
  test('an empty text is unknown', () => expect(flag.parse('')).toBeUndefined())

  test.each([
    [3, 3],
    ['3', 3],
    [' -3 ', -3],
    ['', undefined]
  ])('%j is the whole number %j', (spelled, number) => expect(integer.parse(spelled)).toBe(number))
  test.each([1.5, '1.5', 'x', '1e400', true])('%j is not a whole number', (spelled) => {
    expect(integer.safeParse(spelled).success).toBe(false)
  })

  test.each([
    ['a', 'a'],
    [720, '720'],
    [true, 'true']
  ])('%j is the text %j', (spelled, read) => expect(text.parse(spelled)).toBe(read))
  test.each([null, {}, []])('%j is not a text', (spelled) => expect(text.safeParse(spelled).success).toBe(false))

  test('an unassigned number of an enumeration is kept as it is', () => {
    expect(openEnumeration(FIELD_TYPES).parse(2)).toBe('2')
    expect(openEnumeration(FIELD_TYPES).parse('radiobutton')).toBe('RadioButton')
  })

  test.each([
    ['matter', 'matter'],
    [true, 'true'],
    [false, 'false']
  ])('ClientField %j is %j', (spelled, read) => {
    expect(ListedField.parse({ ClientField: spelled }).ClientField).toBe(read)
  })
})

describe('members', () => {
  test('are found in any case, with the exact name taking precedence', () => {
    expect(DocumentResponse.parse({ REFERENCE: 'a', name: 'b', Name: 'c' })).toMatchObject({
      Reference: 'a',
      Name: 'c'
    })
  })

  test('that are unknown are kept with their spelling and value', () => {
    const extra = { matterColour: null, Nested: { null: null, list: [1, { a: 'b' }] } }
    expect(DocumentResponse.parse({ Reference: 'a', ...extra })).toEqual({ Reference: 'a', Nested: extra.Nested })
  })

  test('that are null are absent, at any depth', () => {
    const read = DocumentResponse.parse({
      Reference: 'a',
      Signers: [{ Email: null, ShareUsers: [{ Email: null }, null] }]
    })
    expect(read).toEqual({ Reference: 'a', Signers: [{ ShareUsers: [{}] }] })
  })

  test('called __proto__, constructor or toString are harmless', () => {
    const read = DocumentResponse.parse(
      JSON.parse('{"Reference":"a","__proto__":{"x":1},"constructor":1,"toString":2}')
    )
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect(Object.hasOwn(read, 'x')).toBe(false)
    expect(read.constructor).toBe(1)
  })
})

describe('decoding', () => {
  test('names the place of a problem, even inside unions', () => {
    const json = { Reference: 'a', Signers: [{}, { HasSigned: 'perhaps' }] }
    expect(decode(DocumentResponse, json)).toEqual({
      ok: false,
      problem: { path: 'Signers[1].HasSigned', message: 'is neither true nor false' }
    })
  })

  test('never repeats a value in a problem', () => {
    const read = decode(DocumentResponse, { Reference: { secret: 'mia@example.com' } })
    expect(read.ok).toBe(false)
    expect(JSON.stringify(read)).not.toContain('mia@example.com')
  })

  test('keeps the readable items of a list', () => {
    const read = decodeList(DocumentResponse, [{ Reference: 'a' }, {}, 7, { Reference: 'b' }])
    expect(read).toMatchObject({
      ok: true,
      value: { items: [{ Reference: 'a' }, { Reference: 'b' }], problems: [{ path: '[1].Reference' }, { path: '[2]' }] }
    })
  })

  test.each([null, undefined])('reads %j as an empty list', (json) => {
    expect(decodeList(DocumentResponse, json)).toEqual({ ok: true, value: { items: [], problems: [] } })
  })

  test('spells a place as in JavaScript', () => {
    expect(formatPath([0, 'Signers', 1, 'Email'])).toBe('[0].Signers[1].Email')
    expect(formatPath(['Signers'])).toBe('Signers')
    expect(formatPath([])).toBe('')
  })
})

describe('a name', () => {
  test.each([
    [{ FirstName: 'Mia', LastName: 'Tāne' }, 'Mia Tāne'],
    [{ FirstName: 'Mia', MiddleName: 'R', LastName: 'Tāne' }, 'Mia R Tāne'],
    [{ Email: 'mia@example.com' }, 'mia@example.com'],
    [{ FirstName: ' ', Email: 'mia@example.com' }, 'mia@example.com'],
    [{}, '']
  ])('%j is %j', (person, name) => expect(fullName(person)).toBe(name))
})
