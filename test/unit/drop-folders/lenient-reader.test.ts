/**
 * Requests as other software really writes them: read as the service's framework reads them, with each difference
 * reported once.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRequestFile } from '../../../src/main/core/drop-folders/request-file.ts'
import { FIELD_TYPES, SendFormDirectRequest, SendFormFillerRequest } from '../../../src/shared/model/index.ts'
import { type Chance, chanceOf } from '../../chaos/chance.ts'
import { arbitraryOf } from '../../contract/arbitrary-of-schema.ts'
import { ACCOUNT, requestFile } from '../../fixtures/drop-folder-office.ts'
import { aPlace } from './place.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const someone = { FirstName: 'Tama', LastName: 'Brooks', Email: 'tama.brooks@example.com' }

const templates = (...Fields: unknown[]) =>
  JSON.stringify({ Templates: [{ Name: 'Tenancy', Reference: 'TPL', Signers: [someone], Fields }] })

const form = (more: string) => `{"Forms":[{"Name":"A","Reference":"R","FormType":1,"EmbedForm":false,${more}}]}`

describe('a request that deviates from the reference', () => {
  test('is sent in the reference’s spelling, and its report lists each deviation once', async () => {
    const at = await aPlace()
    at.change({ sends: true })
    const signer = {
      firstname: 'Mere',
      LASTNAME: 'Tamati',
      eMail: 'mere@example.com',
      middleName: null,
      Optional: 'False'
    }
    const one = {
      name: 'Lease',
      formtype: '4',
      reference: 'R',
      embedform: 'True',
      signers: [signer, { ...signer, eMail: 'b@example.com' }]
    }
    at.drop(
      'lease.json',
      JSON.stringify({ forms: [one, { ...one, name: 'Deed' }], duedate: '12/31/2026 17:00:00', gmt: 780 })
    )
    await at.check()
    expect(at.files()).toMatchObject([{ outcome: 'batch', count: 1 }])
    const report = at.report('lease.json')
    expect(report.slice(report.indexOf('Read differently')).split('\r\n')).toEqual([
      'Read differently from how it’s written:',
      '- “forms” was read as “Forms”.',
      '- “duedate” was read as “DueDate”.',
      '- “gmt” was read as “GMT”.',
      '- GMT: 780 was read as “780”.',
      ...['name', 'formtype', 'reference', 'embedform', 'signers'].map((name) =>
        expect.stringContaining(`“${name}” was read as`)
      ),
      '- FormType: “4” was read as 4.',
      ...['firstname', 'LASTNAME', 'eMail', 'middleName'].map((name) =>
        expect.stringContaining(`“${name}” was read as`)
      ),
      '- MiddleName: null was read as left out.',
      '- Optional: “False” was read as false.',
      '- EmbedForm: “True” was read as true.',
      '- DueDate “12/31/2026 17:00:00” was read as 31 December 2026, 17:00 UTC+13:00.',
      ''
    ])
    expect(report).not.toContain('Please check:')
  })

  test('and lacks what only a person can decide becomes a draft, and isn’t sent', async () => {
    const at = await aPlace()
    at.change({ sends: true })
    const { FormType: _type, EmbedForm: _embed, ...form } = JSON.parse(requestFile('A')).Forms[0]
    at.drop('a.json', JSON.stringify({ Forms: [form], DueDate: '2026-12-31' }))
    await at.check()
    expect(at.office.batches()).toEqual([])
    const [draft] = at.office.drafts.list([ACCOUNT]).rows
    const { composition } = at.office.drafts.get(draft?.id ?? '')
    expect(composition).toMatchObject({ due: '2026-12-31T23:59', gmt: '', embedded: false, items: [{ FormType: '' }] })
    const report = at.report('a.json')
    for (const note of [
      'DueDate says no time zone, and there is no GMT beside it: choose one in the draft.',
      'Enter the form type',
      'Choose a time zone.',
      'A form without FormType was taken: its type is to be entered in the draft.',
      'A form without EmbedForm was read as one that isn’t embedded.',
      'DueDate “2026-12-31” was read as 31 December 2026, 23:59, the end of that day.'
    ]) {
      expect(report).toContain(note)
    }
  })

  test('in a template’s fields is read in the reference’s spelling', async () => {
    const { composition, readings } = await readRequestFile(
      bytesOf(
        templates(
          {
            Label: 'Rent',
            Value: '520',
            FieldType: 0,
            IsRequired: 'true',
            ID: '17',
            Reference: 'R',
            ReadOnly: false,
            ClientField: true
          },
          { FieldType: 'dateinput', ID: 'when' }
        )
      )
    )
    expect(composition.items[0]?.fields).toMatchObject([
      { FieldType: 'Text', IsRequired: true, ID: '17', Reference: 'R', ReadOnly: false, ClientField: 'true' },
      {
        Label: '',
        Value: '',
        FieldType: 'DateInput',
        IsRequired: false,
        Reference: 'when',
        ReadOnly: false,
        ClientField: ''
      }
    ])
    expect(readings).toEqual(
      expect.arrayContaining([
        'FieldType: 0 was read as “Text”.',
        'ClientField: true was read as “true”.',
        'FieldType: “dateinput” was read as “DateInput”.',
        'A field without Reference was read as the one that its ID names.'
      ])
    )
  })

  const refused: [what: string, content: string, said: RegExp][] = [
    [
      'a member twice, in different case',
      form('"Signers":[{"FirstName":"T","LastName":"B","Email":"a@b.example","email":"c@d.example"}]'),
      /Forms\[0\]\.Signers\[0\]\.Email is there twice/
    ],
    ['both lists', '{"forms":[{}],"TEMPLATES":[{}]}', /either Forms or Templates/],
    ['the list twice', `${form('"Signers":[{}]').slice(0, -1)},"forms":[{}]}`, /fields are missing, unknown or wrong/],
    ['no field type', templates({ Reference: 'R' }), /FieldType/],
    [
      'neither true nor false',
      form('"Signers":[{"FirstName":"T","LastName":"B","Email":"a@b.example","Optional":"1"}]'),
      /Optional must be true or false/
    ],
    [
      'an unknown member',
      form('"Signers":[{"FirstName":"T","LastName":"B","Email":"a@b.example"}],"colour":1'),
      /colour isn’t known/
    ],
    ['a prototype', '{"Forms":[{}],"__proto__":{"DueDate":"2026-12-31T00:00Z"}}', /__proto__|missing/]
  ]
  test.each(refused)('too far (%s) is refused', async (_what, content, reason) => {
    await expect(readRequestFile(bytesOf(content))).rejects.toMatchObject({
      appError: { code: 'invalid', message: expect.stringMatching(reason) }
    })
  })
})

/** The same due date in several spellings, the reference's first. */
const DUES: [dates: [string, ...string[]], GMT: string][] = [
  [['2026-12-31T17:00:00Z', '12/31/2026 17:00:00', '31/12/2026 17:00', '2026-12-31T17:00', '12/31/2026 5:00 pm'], '0'],
  [['2026-12-31T04:00:00.000Z', '12/31/2026 17:00:00', '2026-12-31 17:00:00', '2026-12-31T17:00+13:00'], '780'],
  [['2026-12-31T23:59:00Z', '2026-12-31', '12/31/2026', '31.12.2026'], '0'],
  [['2026-12-04T03:29:00Z', '03/12/2026 23:59:00', '2026-12-03'], '-210']
]

test('equivalent spellings of a request give the same composition', async () => {
  const requests = fc.oneof(arbitraryOf(SendFormDirectRequest), arbitraryOf(SendFormFillerRequest).map(withUsualFields))
  let tried = 0
  let taken = 0
  await fc.assert(
    fc.asyncProperty(requests, fc.constantFrom(undefined, ...DUES), fc.nat(), async (request, due, seed) => {
      const { DueDate: _due, GMT: _gmt, ...withoutDue } = request
      const chance = chanceOf(seed)
      const [[canonical] = [], GMT] = due ?? []
      const free = rewritten({ ...withoutDue, ...(due && { DueDate: chance.oneOf(due[0]), GMT }) }, chance)
      const [expected, read] = await Promise.all(
        [{ ...withoutDue, ...(due && { DueDate: canonical, GMT }) }, free].map((one) =>
          readRequestFile(bytesOf(JSON.stringify(one)), 'dd/MM/yyyy').then(
            ({ composition, notes }) => ({ composition, notes }),
            () => 'refused'
          )
        )
      )
      expect(read).toEqual(expected)
      tried++
      if (read !== 'refused') taken++
    }),
    { numRuns: 300 }
  )
  expect(taken).toBeGreaterThan(tried / 10)
})

function withUsualFields({ Templates, ...rest }: SendFormFillerRequest): SendFormFillerRequest {
  return {
    ...rest,
    Templates: Templates.map((template) => ({
      ...template,
      Fields: template.Fields.map((field, index) => ({
        ...field,
        ID: index === 1 ? field.ID : field.Reference,
        FieldType: FIELD_TYPES[index] ?? field.FieldType
      }))
    }))
  }
}

/** Values that mean the same as an absent member, wherever they occur. */
const SILENT: Record<string, unknown> = {
  Label: '',
  ClientField: '',
  IsRequired: false,
  ReadOnly: false,
  EmbedForm: false
}

function rewritten(value: unknown, chance: Chance, name = ''): unknown {
  const maybe = chance.below(2) === 0
  if (Array.isArray(value)) return value.map((one) => rewritten(one, chance))
  if (typeof value === 'boolean' && maybe) return chance.oneOf([String(value), value ? 'True' : 'FALSE'])
  if (name === 'FormType' && Math.abs(Number(value)) < 1e9 && maybe) return String(value)
  if (name === 'GMT' && maybe) return Number(value)
  if (name === 'DataType' && maybe) return String(value).toUpperCase()
  if (name === 'FieldType' && FIELD_TYPES.includes(value as 'Text') && maybe) {
    const number = FIELD_TYPES.indexOf(value as 'Text')
    return chance.oneOf<unknown>([number, String(number), String(value).toLowerCase()])
  }
  if (typeof value !== 'object' || value === null) return value
  const isField = 'FieldType' in value
  const members = Object.entries(value).flatMap(([key, member]): [string, unknown][] => {
    const isSilent =
      (isField && key === 'ID' && 'Reference' in value && member === value.Reference) ||
      (key in SILENT && SILENT[key] === member && (isField || key === 'EmbedForm'))
    if (isSilent && maybe) return chance.below(2) === 0 ? [] : [[inOtherCase(key, chance), null]]
    return [[inOtherCase(key, chance), rewritten(member, chance, key)]]
  })
  return Object.fromEntries(members)
}

function inOtherCase(name: string, chance: Chance): string {
  return [...name]
    .map((letter) =>
      chance.below(3) === 0 ? letter.toUpperCase() : chance.below(2) === 0 ? letter.toLowerCase() : letter
    )
    .join('')
}
