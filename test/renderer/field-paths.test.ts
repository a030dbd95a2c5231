import { describe, expect, test } from 'vitest'
import { pathOf } from '../../src/renderer/src/screens/compose/field-paths.ts'
import { blankComposition, blankSigner } from '../../src/shared/composition/composition.ts'

function forms() {
  const composition = blankComposition('form-direct', 'a')
  const person = { FirstName: '', MiddleName: '', LastName: '', Email: '', IsDefault: false, IsOwner: false }
  composition.items[0]?.signers.push({
    ...blankSigner('s2'),
    ShareUsers: [{ key: 'u1', ...person }],
    IDData: [{ key: 'q1', Label: '', Value: '', DataType: 'text' }]
  })
  composition.items[0]?.fields.push({
    key: 'x',
    Label: '',
    Value: '',
    FieldType: 'Text',
    IsRequired: false,
    Reference: '',
    ReadOnly: false,
    ClientField: ''
  })
  composition.ListItems.push({ key: 'c1', ClientField: '', Item: '', Value: '' })
  return composition
}

describe('a message from the service', () => {
  test.each([
    ['Forms[0].Signers[1].Email', 'a.signers.s2.Email'],
    ['forms[0].signers[0].mobileNumber', 'a.signers.a-1.MobileNumber'],
    ['Forms.0.Name', 'a.Name'],
    ['Forms[0].Signers', 'a.signers'],
    ['Forms[0].Signers[0].EnabledFaceToFaceSigning', 'a.signers.a-1.faceToFace'],
    ['Forms[0].ReturnUrl', 'ReturnUrl'],
    ['DueDate', 'due'],
    ['Forms[0].Signers[1].ShareUsers[0].Email', 'a.signers.s2.ShareUsers.u1.Email'],
    ['Forms[0].Signers[1].ShareUsers[0].IsOwner', 'a.signers.s2.ShareUsers.u1.IsOwner'],
    ['Forms[0].Signers[1].IDData[0].DataType', 'a.signers.s2.IDData.q1.DataType'],
    ['Forms[0].Signers[1].IDData', 'a.signers.s2.IDData'],
    ['ListItems[0].Value', 'ListItems.c1.Value'],
    ['listItems', 'ListItems'],
    ['Templates[0].Fields[0].ID', 'a.fields.x.Reference'],
    ['Templates[0].Fields[0].ClientField', 'a.fields.x.ClientField'],
    ['Templates[0].Fields[0]', 'a.fields.x.Value'],
    ['InvitationEmailTemplateReference', 'InvitationEmailTemplateReference'],
    ['a.signers.s2.Email', 'a.signers.s2.Email']
  ])('about %s belongs to the field %s', (field, at) => {
    expect(pathOf(forms(), field)).toBe(at)
  })

  test('about an address belongs to the form’s own one if it has one', () => {
    const composition = forms()
    const [item] = composition.items
    if (item) item.own = { embedded: false, ReturnUrl: '', NotifyUrl: '' }
    expect(pathOf(composition, 'Forms[0].returnUrl')).toBe('a.own.ReturnUrl')
    expect(pathOf(composition, 'Forms[0].EmbedForm')).toBe('a.own.embedded')
  })

  test.each([
    'Forms[7].Name',
    'ListItems[4].Item',
    'Forms[0].Fields[9]',
    'Forms[0].Signers[1].ShareUsers[0].Age',
    'Forms[0].Signers[9].Email',
    'Forms[0].Colour',
    '',
    'constructor'
  ])('about %j has no matching field', (field) => {
    expect(pathOf(forms(), field)).toBeUndefined()
  })
})
