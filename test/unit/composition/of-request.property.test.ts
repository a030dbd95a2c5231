import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Composition,
  compositionOfRequest,
  problemsOf,
  RETURN_ADDRESS,
  type SendRequest,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../src/shared/composition/index.ts'
import {
  FIELD_TYPES,
  type Form,
  SendFormDirectRequest,
  SendFormFillerRequest
} from '../../../src/shared/model/index.ts'
import { arbitraryOf } from '../../contract/arbitrary-of-schema.ts'
import { form, forms, signer, templates } from '../../fixtures/compositions.ts'
import { anyComposition } from '../drafts/any-composition.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z')
const mark = (index: number) => `cs-mark-${index + 1}`

function requestOf(composition: Composition): SendRequest {
  return composition.kind === 'form-direct'
    ? { kind: 'form-direct', request: toFormDirectRequest(composition, mark) }
    : { kind: 'form-filler', request: toFormFillerRequest(composition, mark) }
}

const due = fc.constantFrom(
  { due: '', gmt: '', zone: '' },
  { due: '2026-12-04T17:00', gmt: '780', zone: 'Pacific/Auckland' },
  { due: '2026-12-04T23:59', gmt: '-210', zone: 'America/St_Johns' },
  { due: '2026-12-04T00:00', gmt: '0', zone: '' }
)

describe('reading a composition from a request', () => {
  test('leads to the same request again, whatever was composed', () => {
    fc.assert(
      fc.property(anyComposition, due, fc.boolean(), (any, when, isNumbered) => {
        const items = any.items.map((item) => ({ ...item, ...(isNumbered && { FormType: '12' }) }))
        const request = requestOf({ ...any, ...when, items })
        expect(requestOf(compositionOfRequest(request).composition)).toEqual(request)
      }),
      { numRuns: 300 }
    )
  })

  test('of other software keeps everything it contains, or names what it doesn’t', () => {
    const others = fc.oneof(
      arbitraryOf(SendFormDirectRequest).map((request): SendRequest => ({ kind: 'form-direct', request })),
      arbitraryOf(SendFormFillerRequest).map((request): SendRequest => ({ kind: 'form-filler', request }))
    )
    fc.assert(
      fc.property(others, (sent) => {
        const { composition, problems, readings } = compositionOfRequest(sent)
        // An unknown type is reported, and kept.
        if (readings.length > 0 || problems.some(({ at }) => !at.endsWith('.FieldType'))) return
        expect(normalised(requestOf(composition))).toEqual(normalised(sent))
      }),
      { numRuns: 300 }
    )
  })

  test('reads the due date as the moment that the request means', () => {
    const dueOf = (DueDate: string, GMT?: string, dateFormat?: string) => {
      const request = { ...toFormDirectRequest(forms(), mark), DueDate, ...(GMT && { GMT }) }
      const { composition, problems } = compositionOfRequest({ kind: 'form-direct', request }, dateFormat)
      return [composition.due, composition.gmt, problems.map(({ severity, at }) => `${severity} ${at}`).join()]
    }
    expect(dueOf('2026-12-04T04:00:00Z', '780')).toEqual(['2026-12-04T17:00', '780', ''])
    expect(dueOf('2026-12-04T17:00:00+13:00')).toEqual(['2026-12-04T17:00', '780', ''])
    expect(dueOf('2026-12-04T17:00', '780')).toEqual(['2026-12-04T17:00', '780', ''])
    expect(dueOf('2026-12-04T17:00:30.5Z')).toEqual(['2026-12-04T17:00', '0', 'warning DueDate'])
    expect(dueOf('2026-12-04T17:00')).toEqual(['2026-12-04T17:00', '', 'warning DueDate'])
    expect(dueOf('2026-12-04')).toEqual(['2026-12-04T23:59', '', 'warning DueDate'])
    expect(dueOf('2026-12-04', '780')).toEqual(['2026-12-04T23:59', '780', ''])
    expect(dueOf('12/31/2026 17:00:00', '780')).toEqual(['2026-12-31T17:00', '780', ''])
    expect(dueOf('31/12/2026', '780')).toEqual(['2026-12-31T23:59', '780', ''])
    expect(dueOf('04/12/2026 17:00:00', '0', 'dd/MM/yyyy')).toEqual(['2026-12-04T17:00', '0', ''])
    expect(dueOf('04/12/2026', '0', 'M/d/yyyy')).toEqual(['2026-04-12T23:59', '0', ''])
    // As clients of the service write it; a person checks whether it was meant so.
    expect(dueOf('04/12/2026 17:00:00', '0')).toEqual(['2026-04-12T17:00', '0', 'warning DueDate'])
    for (const open of ['04/12/2026', '4/12/2026 17:00:00', '04/12/2026 17:00', '04.12.2026 17:00:00']) {
      expect(dueOf(open, '0')[2]).toBe('error DueDate')
    }
    expect(dueOf('/Date(1796346000000)/')[2]).toBe('error DueDate')
    expect(dueOf('02/30/2026 17:00:00', '0')[2]).toBe('error DueDate')
    expect(dueOf('2026-12-04T17:00Z', 'NZDT')[2]).toBe('error GMT')
  })

  test('keeps for each form what differs from the first, and sends each form as it was', () => {
    const unmarked = toFormDirectRequest(forms({ items: [form(), form({ key: 'f2' }), form({ key: 'f3' })] }), mark)
    const [first, second, third] = unmarked.Forms as [Form, Form, Form]
    const notified = { NotifyUrl: 'https://office.example.com/told' }
    const request = {
      ...unmarked,
      Forms: [
        { ...first, ...notified },
        { ...second, ...notified },
        { ...third, EmbedForm: true }
      ]
    }
    const { composition, problems } = compositionOfRequest({ kind: 'form-direct', request })
    expect(problems).toEqual([])
    expect(composition).toMatchObject({ embedded: false, ReturnUrl: '', ...notified })
    expect(composition.items.map(({ own }) => own)).toEqual([
      undefined,
      undefined,
      { embedded: true, ReturnUrl: '', NotifyUrl: '' }
    ])
    const [, , last] = toFormDirectRequest(composition, mark).Forms
    expect(last).toEqual({ ...third, EmbedForm: true, ReturnUrl: RETURN_ADDRESS })
    expect(toFormDirectRequest(composition, mark).Forms.slice(0, 2)).toEqual(request.Forms.slice(0, 2))
  })

  test('keeps a field’s type and ID unchanged, and reports an unknown type', () => {
    const field = { Label: '', Value: '', IsRequired: false, Reference: 'rent', ReadOnly: false, ClientField: '' }
    const fields = ['Barcode', 7].map((FieldType) => ({ ...field, FieldType, ID: '17' }))
    const request = toFormFillerRequest(templates(), mark)
    const Templates = request.Templates.map((one) => ({ ...one, Fields: fields }))
    const { composition, problems } = compositionOfRequest({ kind: 'form-filler', request: { ...request, Templates } })
    expect(toFormFillerRequest(composition, mark).Templates).toEqual(Templates)
    expect(problems.map(({ severity, at }) => `${severity} ${at}`)).toEqual([
      'warning Templates[0].Fields[0].FieldType',
      'warning Templates[0].Fields[1].FieldType'
    ])
  })

  test('warns of a country code without a number, even one of spaces only', () => {
    const request = toFormDirectRequest(forms(), mark)
    const [only] = request.Forms as [(typeof request.Forms)[0]]
    const problemsFor = (mobile: { MobileCountry: string; MobileNumber?: string }) => {
      const Signers = only.Signers.map((who) => ({ ...who, ...mobile }))
      return compositionOfRequest({ kind: 'form-direct', request: { ...request, Forms: [{ ...only, Signers }] } })
        .problems
    }
    const at = 'Forms[0].Signers[0].MobileCountry'
    const warned = [{ severity: 'warning', at, message: 'goes only together with MobileNumber' }]
    expect(problemsFor({ MobileCountry: '64' })).toEqual(warned)
    expect(problemsFor({ MobileCountry: '  ' })).toEqual(warned)
    expect(problemsFor({ MobileCountry: '64', MobileNumber: '  ' })).toEqual(warned)
    expect(problemsFor({ MobileCountry: '', MobileNumber: '' })).toEqual([])
    expect(problemsFor({ MobileCountry: '64', MobileNumber: '021 123 4567' })).toEqual([])
  })

  test('that is valid reports no problems', () => {
    const request = requestOf(forms({ items: [form({ signers: [signer({ faceToFace: true })] })], embedded: true }))
    const { composition, problems } = compositionOfRequest(request)
    expect([...problems, ...problemsOf(composition, NOW)]).toEqual([])
    expect(composition.ReturnUrl).toBe('')
  })
})

/**
 * Returns a request without meaningless parts: blank texts, flags that are off, our own mark and return address,
 * surrounding spaces, separators in numbers, and the plus before a country code.
 */
function normalised({ kind, request }: SendRequest): unknown {
  const normalise = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => normalise(one))
    if (name === 'FieldType') return FIELD_TYPES[value as number] ?? value
    if (typeof value === 'string')
      return /^Mobile(Country|Number)$/.test(name)
        ? value.replace(/[\s().\-/\u2010-\u2015]/g, '').replace(/^\+(?=\d+$)/, '')
        : value.trim()
    if (value === 0) return 0 // JSON can't express -0.
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([key, one]) => [key, normalise(one, key)] as const)
    return Object.fromEntries(
      members.filter(
        ([key, one]) =>
          !(key === 'ClientReference' && (one === '' || String(one).startsWith('cs-mark-'))) &&
          !(key === 'ReturnUrl' && String(one).startsWith('https://return.countersign.invalid/')) &&
          one !== '' &&
          one !== false &&
          !(Array.isArray(one) && one.length === 0)
      )
    )
  }
  return { kind, request: normalise(request) }
}
