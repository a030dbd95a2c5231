import { describe, expect, test } from 'vitest'
import { placeOf } from '../../src/renderer/src/state/places.ts'
import { blankComposition, blankSigner } from '../../src/shared/composition/composition.ts'

function forms() {
  const composition = blankComposition('form-direct', 'a')
  composition.items[0]?.signers.push(blankSigner('s2'))
  return composition
}

describe('a message of the service', () => {
  test.each([
    ['Forms[0].Signers[1].Email', 'a.signers.s2.Email'],
    ['forms[0].signers[0].mobileNumber', 'a.signers.a-1.MobileNumber'],
    ['Forms.0.Name', 'a.Name'],
    ['Forms[0].Signers', 'a.signers'],
    ['Forms[0].Signers[0].EnabledFaceToFaceSigning', 'a.signers.a-1.faceToFace'],
    ['Forms[0].ReturnUrl', 'ReturnUrl'],
    ['DueDate', 'due'],
    ['a.signers.s2.Email', 'a.signers.s2.Email']
  ])('about %s stands at the field %s', (field, at) => {
    expect(placeOf(forms(), field)).toBe(at)
  })

  test.each(['Forms[7].Name', 'Forms[0].Signers[9].Email', 'Forms[0].Colour', '', 'constructor'])(
    'about %j has no field here and is said apart',
    (field) => {
      expect(placeOf(forms(), field)).toBeUndefined()
    }
  )
})
