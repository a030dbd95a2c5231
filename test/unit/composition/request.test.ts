import { describe, expect, test } from 'vitest'
import { RETURN_ADDRESS, toFormDirectRequest, toFormFillerRequest } from '../../../src/shared/composition/index.ts'
import { SendFormDirectRequest, SendFormFillerRequest } from '../../../src/shared/model/index.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'

const mark = (index: number) => `cs-mark-${index + 1}`

describe('the request made of a composition', () => {
  test('of a plain form is exactly what the reference requires, and nothing more', () => {
    const request = toFormDirectRequest(forms(), mark)
    expect(request).toEqual({
      Forms: [
        {
          Name: 'Tax file declaration',
          FormType: 1,
          Reference: 'TFN-1',
          EmbedForm: false,
          ClientReference: 'cs-mark-1',
          Signers: [{ FirstName: 'Mere', LastName: 'Tamati', Email: 'mere.tamati@example.com' }]
        }
      ]
    })
    expect(SendFormDirectRequest.safeParse(request).success).toBe(true)
  })

  test('of a plain template is too, with the obsolete ID taken from Reference', () => {
    const field = {
      key: 'x',
      Label: 'Rent',
      Value: '520',
      FieldType: 'Text',
      IsRequired: true,
      Reference: 'F-9',
      ReadOnly: false,
      ClientField: 'rent'
    } as const
    const request = toFormFillerRequest(templates({ items: [template({ fields: [field] })], Sequential: true }), mark)
    expect(request).toEqual({
      Templates: [
        {
          Name: 'Residential tenancy',
          Reference: 'TPL-1',
          ClientReference: 'cs-mark-1',
          Signers: [{ FirstName: 'Mere', LastName: 'Tamati', Email: 'mere.tamati@example.com' }],
          Fields: [
            {
              Label: 'Rent',
              Value: '520',
              FieldType: 'Text',
              IsRequired: true,
              ID: 'F-9',
              Reference: 'F-9',
              ReadOnly: false,
              ClientField: 'rent'
            }
          ]
        }
      ],
      Sequential: true
    })
    expect(SendFormFillerRequest.safeParse(request).success).toBe(true)
  })

  test('keeps the office’s own reference; ours is added only if it is blank', () => {
    const request = toFormDirectRequest(
      forms({ items: [form({ ClientReference: 'MATTER-7' }), form({ key: 'f2' })] }),
      mark
    )
    expect(request.Forms.map((one) => one.ClientReference)).toEqual(['MATTER-7', 'cs-mark-2'])
  })

  test('has the due date in UTC, with the offset it was chosen in', () => {
    const request = toFormDirectRequest(forms({ due: '2026-12-04T17:00', gmt: '780' }), mark)
    expect([request.DueDate, request.GMT]).toEqual(['2026-12-04T04:00:00Z', '780'])
  })

  test('returns from signing in the application to an address that doesn’t exist on any network', () => {
    expect(toFormDirectRequest(forms({ embedded: true }), mark).Forms[0]).toMatchObject({
      EmbedForm: true,
      ReturnUrl: RETURN_ADDRESS
    })
    expect(toFormFillerRequest(templates({ embedded: true }), mark)).toMatchObject({
      Embedded: true,
      ReturnUrl: RETURN_ADDRESS
    })
    expect(new URL(RETURN_ADDRESS).hostname.endsWith('.invalid')).toBe(true)
  })

  test('includes the deepfake detector only with the video that it needs', () => {
    const without = forms({ items: [form({ signers: [signer({ deepfakeDetector: true })] })] })
    expect(toFormDirectRequest(without, mark).Forms[0]?.Signers[0]).not.toHaveProperty('EnableDeepfakeDetector')
    const withVideo = forms({ items: [form({ signers: [signer({ deepfakeDetector: true, video: true })] })] })
    expect(toFormDirectRequest(withVideo, mark).Forms[0]?.Signers[0]).toMatchObject({
      VideoConfirmation: true,
      EnableDeepfakeDetector: true
    })
  })

  test('includes identity answers only if the identity check is on', () => {
    const IDData = [{ key: 'q', Label: 'Date of birth', Value: '1990-01-02', DataType: 'date' as const }]
    const off = forms({ items: [form({ signers: [signer({ IDData })] })] })
    expect(JSON.stringify(toFormDirectRequest(off, mark))).not.toContain('1990-01-02')
    const on = forms({ items: [form({ signers: [signer({ IDData, UseIDData: true })] })] })
    expect(toFormDirectRequest(on, mark).Forms[0]?.Signers[0]?.IDData).toEqual([
      { Label: 'Date of birth', Value: '1990-01-02', DataType: 'date' }
    ])
  })

  test('has a mobile number with its trunk prefix, and its country without a plus', () => {
    const mobile = forms({ items: [form({ signers: [signer({ MobileNumber: '021012345', MobileCountry: '+64' })] })] })
    expect(toFormDirectRequest(mobile, mark).Forms[0]?.Signers[0]).toMatchObject({
      MobileNumber: '021012345',
      MobileCountry: '64'
    })
  })
})
