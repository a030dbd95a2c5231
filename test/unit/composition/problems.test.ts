import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { problemsOfEmail } from '../../../src/shared/composition/email.ts'
import {
  blankComposition,
  type ComposedField,
  Composition,
  problemsOf,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../src/shared/composition/index.ts'
import { FIELD_TYPES, SendFormDirectRequest, SendFormFillerRequest } from '../../../src/shared/model/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')
const errorsOf = (composition: Composition) =>
  problemsOf(composition, NOW).filter(({ severity }) => severity === 'error')
const warningsOf = (composition: Composition) =>
  problemsOf(composition, NOW).filter(({ severity }) => severity === 'warning')

function identified(DataType: 'date' | 'email', Value: string) {
  return signer({ UseIDData: true, IDData: [{ key: 'q', Label: 'Question', Value, DataType }] })
}

function sharing(key: string) {
  const name = { FirstName: 'Ana', MiddleName: '', LastName: 'Ihaka' }
  return { key, ...name, Email: `${key}@example.org`, IsDefault: true, IsOwner: true }
}

function choice(changes: Partial<Composition['ListItems'][number]> = {}) {
  return { key: 'c1', ClientField: 'shift', Item: 'Day', Value: 'D', ...changes }
}

function field(changes: Partial<ComposedField>): ComposedField {
  return {
    key: 'x',
    Label: 'Rent',
    Value: '',
    FieldType: 'Text',
    IsRequired: true,
    Reference: 'R',
    ReadOnly: false,
    ClientField: '',
    ...changes
  }
}

describe('the problems of a composition', () => {
  test('are none for a complete one of either kind', () => {
    expect(problemsOf(forms(), NOW)).toEqual([])
    expect(problemsOf(templates(), NOW)).toEqual([])
  })

  test('are everything required for a blank one', () => {
    expect(errorsOf(blankComposition('form-direct', 'a')).map(({ at }) => at)).toEqual([
      'a.Name',
      'a.Reference',
      'a.FormType',
      'a.signers.a-1.FirstName',
      'a.signers.a-1.LastName',
      'a.signers.a-1.Email'
    ])
  })

  test.each([
    ['an empty package', forms({ items: [] }), 'items'],
    ['a form that nobody signs', forms({ items: [form({ signers: [] })] }), 'f1.signers'],
    ['a form type that isn’t a number', forms({ items: [form({ FormType: 'one' })] }), 'f1.FormType'],
    ['a form type that is too large', forms({ items: [form({ FormType: '99999999999' })] }), 'f1.FormType'],
    [
      'an address without a domain',
      forms({ items: [form({ signers: [signer({ Email: 'mere@' })] })] }),
      'f1.signers.s1.Email'
    ],
    ['a due date that has passed', forms({ due: '2026-11-20T17:00', gmt: '780' }), 'due'],
    ['a due date that is none', forms({ due: '2026-02-31Tnoon', gmt: '0' }), 'due'],
    ['a due date without a zone', forms({ due: '2026-12-04T17:00', gmt: '' }), 'due'],
    ['a return address that runs a script', forms({ ReturnUrl: 'javascript:alert(1)' }), 'ReturnUrl'],
    [
      'an invalid address of a form',
      forms({ items: [form({ own: { embedded: false, ReturnUrl: '', NotifyUrl: 'us' } })] }),
      'f1.own.NotifyUrl'
    ],
    ['a notify address that is a file', templates({ NotifyUrl: 'file:///etc/passwd' }), 'NotifyUrl'],
    [
      'enabled identity questions without any question',
      forms({ items: [form({ signers: [signer({ UseIDData: true })] })] }),
      'f1.signers.s1.IDData'
    ],
    [
      'an invalid date of birth',
      forms({ items: [form({ signers: [identified('date', '1990-02-31')] })] }),
      'f1.signers.s1.IDData.q.Value'
    ],
    [
      'an invalid e-mail address as an answer',
      forms({ items: [form({ signers: [identified('email', 'mere')] })] }),
      'f1.signers.s1.IDData.q.Value'
    ],
    ['data that is no XML', forms({ items: [form({ XMLData: '<a>' })] }), 'f1.XMLData'],
    [
      'a drop-down choice without a field',
      forms({ ListItems: [choice({ ClientField: '' })] }),
      'ListItems.c1.ClientField'
    ],
    [
      'a required field that nobody can fill',
      templates({
        items: [
          template({
            fields: [field({ Value: ' ', ReadOnly: true })]
          })
        ]
      }),
      't1.fields.x.Value'
    ]
  ])('%s can’t be sent', (_what, composition, at) => {
    expect(errorsOf(composition).map((problem) => problem.at)).toContain(at)
  })

  test('two signers with one address give only a warning: couples share them', () => {
    const couple = forms({ items: [form({ signers: [signer(), signer({ key: 's2', FirstName: 'Wiremu' })] })] })
    expect(errorsOf(couple)).toEqual([])
    expect(warningsOf(couple).map(({ at }) => at)).toEqual(['f1.signers.s2.Email'])
  })

  test.each([
    ['a slip in a big domain', signer({ Email: 'mere@gmial.com' }), 'Email'],
    ['an unknown top-level domain', signer({ Email: 'mere@office.example.con' }), 'Email'],
    ['an address without a top-level domain', signer({ Email: 'mere@office' }), 'Email'],
    ['a number without a country', signer({ MobileNumber: '021012345' }), 'MobileCountry'],
    ['a number without its trunk prefix', signer({ MobileNumber: '21012345', MobileCountry: '64' }), 'MobileNumber'],
    ['the deepfake detector without a video', signer({ deepfakeDetector: true }), 'video'],
    ['signing at the counter that is not embedded', signer({ faceToFace: true }), 'faceToFace'],
    ['two defaults', signer({ ShareUsers: [sharing('u1'), sharing('u2')] }), 'ShareUsers.u2.IsDefault'],
    ['two owners', signer({ ShareUsers: [sharing('u1'), sharing('u2')] }), 'ShareUsers.u2.IsOwner']
  ])('%s gives only a warning', (_what, one, at) => {
    const composition = forms({ items: [form({ signers: [one] })] })
    expect(errorsOf(composition)).toEqual([])
    expect(warningsOf(composition).map((problem) => problem.at)).toContain(`f1.signers.s1.${at}`)
  })

  test.each([
    ['an invalid date', { FieldType: 'DateInput', Value: 'soon' }, 'Value'],
    ['a box that is neither ticked nor not', { FieldType: 'CheckBox', Value: 'perhaps' }, 'Value']
  ] as const)('a field with %s gives only a warning', (_what, change, at) => {
    const composition = templates({ items: [template({ fields: [field(change)] })] })
    expect(errorsOf(composition)).toEqual([])
    expect(warningsOf(composition).map((problem) => problem.at)).toEqual([`t1.fields.x.${at}`])
  })

  test.each([
    ['mere@gmial.com', 'gmail.com'],
    ['mere@gmial.con', 'gmail.com'],
    ['mere@office.example.con', 'office.example.com']
  ])('the domain meant by %s is suggested without any slip', (Email, meant) => {
    const messages = problemsOfEmail('Email', Email).map(({ message }) => message)
    expect(messages).toEqual([expect.stringContaining(`Did you mean ${meant}?`)])
  })

  test('a choice that the list already has gives a warning', () => {
    const twice = forms({ ListItems: [choice(), choice({ key: 'c2', Value: 'other' })] })
    expect(errorsOf(twice)).toEqual([])
    expect(warningsOf(twice).map(({ at }) => at)).toEqual(['ListItems.c2.Item'])
  })

  test('a template missing from the list gives a warning, but only if the list is known', () => {
    const gone = { templateReferences: new Set(['TPL-2']) }
    expect(problemsOf(templates(), NOW, gone).map(({ severity, at }) => [severity, at])).toEqual([
      ['warning', 't1.Reference']
    ])
    expect(problemsOf(templates(), NOW, { templateReferences: new Set(['TPL-1']) })).toEqual([])
    expect(problemsOf(templates(), NOW)).toEqual([])
  })

  test('a template role without a signer gives a warning at a signer without a role, otherwise at all signers', () => {
    const templateRoles = new Map([['TPL-1', ['tenant', 'Landlord']]])
    const of = (...roles: string[]) =>
      templates({
        items: [
          template({
            signers: roles.map((role, at) =>
              signer({ key: `s${at}`, Email: `s${at}@example.com`, SignerReference: role })
            )
          })
        ]
      })
    const problemsWithRoles = (...roles: string[]) =>
      problemsOf(of(...roles), NOW, { templateRoles }).map(({ severity, at }) => [severity, at])
    expect(problemsWithRoles('tenant', 'landlord')).toEqual([])
    expect(problemsWithRoles('tenant', '')).toEqual([['warning', 't1.signers.s1.SignerReference']])
    expect(problemsWithRoles('tenant')).toEqual([['warning', 't1.signers']])
    expect(problemsOf(of('tenant'), NOW)).toEqual([])
  })

  test('contain nothing that identifies a person', () => {
    const secret = forms({ items: [form({ signers: [identified('date', 'the 29th of Feb')] })] })
    expect(JSON.stringify(problemsOf(secret, NOW))).not.toContain('29th')
  })

  test('include an error unless the strict model accepts the request', () => {
    // Mostly valid values, so that many compositions can be sent; occasionally blank or arbitrary ones.
    const like = (right: string) =>
      fc.oneof(
        { weight: 30, arbitrary: fc.constant(right) },
        { weight: 1, arbitrary: fc.constantFrom('', ' ', `${right} `) },
        { weight: 1, arbitrary: fc.string({ maxLength: 12 }) }
      )
    const any = fc.string({ maxLength: 12 })
    const person = {
      key: fc.uuid(),
      FirstName: like('Mere'),
      MiddleName: any,
      LastName: like('Tamati'),
      Email: like('a@example.com')
    }
    const anySigner = fc.record({
      ...person,
      MobileCountry: any,
      MobileNumber: any,
      ClientReference: any,
      ShareUsers: fc.array(fc.record({ ...person, IsDefault: fc.boolean(), IsOwner: fc.boolean() }), { maxLength: 1 }),
      faceToFace: fc.boolean(),
      video: fc.boolean(),
      deepfakeDetector: fc.boolean(),
      SignerType: any,
      Optional: fc.boolean(),
      UseIDData: fc.boolean(),
      IDData: fc.array(
        fc.record({
          key: fc.uuid(),
          Label: like('Born'),
          Value: like('1990'),
          DataType: fc.constantFrom('text' as const, 'date' as const, 'email' as const)
        }),
        { maxLength: 1 }
      ),
      SignerReference: any,
      reviewBeforeSigning: fc.boolean()
    })
    const anyField = fc.record({
      key: fc.uuid(),
      Label: any,
      Value: any,
      FieldType: fc.constantFrom(...FIELD_TYPES.filter((name) => name !== undefined)),
      IsRequired: fc.boolean(),
      Reference: like('R1'),
      ReadOnly: fc.boolean(),
      ClientField: any
    })
    const anySettings = {
      embedded: fc.boolean(),
      ReturnUrl: like('https://example.com/back'),
      NotifyUrl: like('https://example.com/told')
    }
    const anyItem = fc.record({
      key: fc.uuid(),
      Name: like('Lease'),
      Reference: like('TPL'),
      ClientReference: any,
      signers: fc.array(anySigner, { minLength: 1, maxLength: 2 }),
      FormType: like('3'),
      EmployerReference: any,
      XMLData: any,
      own: fc.option(fc.record(anySettings), { nil: undefined }),
      fields: fc.array(anyField, { maxLength: 2 })
    })
    const anyComposition = fc.record({
      kind: fc.constantFrom('form-direct' as const, 'form-filler' as const),
      items: fc.array(anyItem, { minLength: 1, maxLength: 2 }),
      due: like('2026-12-04T17:00'),
      gmt: like('780'),
      zone: fc.constantFrom('', 'Pacific/Auckland', 'Mars/Olympus'),
      ...anySettings,
      InvitationEmailTemplateReference: any,
      ListItems: fc.array(fc.record({ key: fc.uuid(), ClientField: like('shift'), Item: like('Day'), Value: any }), {
        maxLength: 1
      }),
      Sequential: fc.boolean()
    })
    let tried = 0
    let sendable = 0
    fc.assert(
      fc.property(anyComposition, (composition) => {
        tried++
        expect(Composition.safeParse(composition).success).toBe(true)
        if (errorsOf(composition).length > 0) return
        sendable++
        const mark = () => 'cs-1'
        const result =
          composition.kind === 'form-direct'
            ? SendFormDirectRequest.safeParse(toFormDirectRequest(composition, mark))
            : SendFormFillerRequest.safeParse(toFormFillerRequest(composition, mark))
        expect(result.error?.issues).toBeUndefined()
      }),
      { numRuns: 1000 }
    )
    expect(sendable).toBeGreaterThan(tried / 20)
  })
})
