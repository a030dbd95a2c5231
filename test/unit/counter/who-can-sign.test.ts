/**
 * Who can sign at the counter, which signers are the same person, and whose page may want the camera, derived from a
 * document alone.
 */
import { describe, expect, test } from 'vitest'
import {
  canSignLater,
  canSignNow,
  isFaceToFace,
  lacksLink,
  mayBeCorrected,
  mayNeedCamera,
  personOf,
  stateOf
} from '../../../src/main/core/documents/progress.ts'
import { DocumentResponse } from '../../../src/shared/model/index.ts'
import { later, type Signer, signer } from './office.ts'

function document(Signers: Signer[], more: Record<string, unknown> = {}): DocumentResponse {
  return DocumentResponse.parse({ Reference: 'will', Status: 'InProgress', Signers, ...more })
}

const ann = signer('Ann Example')
const noLink = { SigningKey: undefined }

describe('a signer with a link', () => {
  test.each<[string, Signer[], Record<string, unknown>, number, 'now' | 'later' | 'never']>([
    ['who was invited can sign now', [ann], {}, 0, 'now'],
    ['who was invited together with others can sign now', [ann, signer('Ben Example')], {}, 1, 'now'],
    ['who waits for others first can sign later', [ann, later('Ben Example')], {}, 1, 'later'],
    [
      'who waited for one who has signed can sign now',
      [{ ...ann, SignedStatus: 'Signed' }, later('Ben Example')],
      {},
      1,
      'now'
    ],
    ['who is the first can sign now, though not invited yet', [later('Ann Example')], {}, 0, 'now'],
    ['who has signed can’t sign', [signer('Ann Example', { HasSigned: true })], {}, 0, 'never'],
    ['who has declined can’t sign', [signer('Ann Example', { SignedStatus: 'Declined' })], {}, 0, 'never'],
    [
      'whose document another has declined can’t sign',
      [ann, signer('Ben Example')],
      { Status: 'Declined' },
      0,
      'never'
    ],
    ['whose document has expired can’t sign', [ann], { Status: 'Expired' }, 0, 'never'],
    ['who doesn’t exist can’t sign', [ann], {}, 5, 'never']
  ])('%s', (_who, signers, more, index, when) => {
    const one = document(signers, more)
    expect([canSignNow(one, index), canSignLater(one, index)]).toEqual([when === 'now', when === 'later'])
  })

  test('gets one with their turn if the document is embedded', () => {
    expect(canSignLater(document([ann, later('Ben Example', noLink)]), 1)).toBe(true)
    expect(canSignLater(document([signer('Ann Example', noLink), later('Ben Example', noLink)]), 1)).toBe(false)
  })
})

describe('face-to-face signing without a link', () => {
  test.each([
    [{ EnabledFaceToFaceSigning: true }, true],
    [{ IsFaceToFaceSigning: true }, true],
    [{ IsFaceToFaceSigning: false, EnabledFaceToFaceSigning: true }, true],
    [{}, false],
    [{ IsFaceToFaceSigning: true, HasSigned: true }, false]
  ])('%j is reported as lacking one: %s', (more, lacks) => {
    const one = document([signer('Ann Example', { ...noLink, ...more })])
    expect([lacksLink(one, 0), canSignNow(one, 0)]).toEqual([lacks, false])
  })

  test('isn’t reported for those with a link or whose turn hasn’t come', () => {
    expect(lacksLink(document([signer('Ann Example', { IsFaceToFaceSigning: true })]), 0)).toBe(false)
    const second = later('Ben Example', { ...noLink, IsFaceToFaceSigning: true })
    expect(lacksLink(document([ann, second]), 1)).toBe(false)
    expect(isFaceToFace(ann)).toBe(false)
  })
})

describe('a signer whose status the service leaves out', () => {
  const silent = signer('Ann Example', { HasSigned: undefined, SignedStatus: undefined, Editable: undefined })
  test.each([
    ['InProgress', {}, 'unknown', 'perhaps'],
    ['NotStart', {}, 'waiting', 'perhaps'],
    ['Complete', {}, 'unknown', false],
    ['Declined', {}, 'unknown', false],
    ['InProgress', { Editable: false }, 'unknown', false],
    ['InProgress', { HasSigned: false }, 'waiting', 'perhaps'],
    ['InProgress', { Editable: true }, 'unknown', true]
  ])('(%s, %j) is %s, and a correction is offered: %s', (Status, members, state, isOffered) => {
    const one = { ...silent, ...members }
    const documentOfOne = document([one], { Status })
    expect([stateOf(documentOfOne, one), mayBeCorrected(documentOfOne, one)]).toEqual([state, isOffered])
  })
})

describe('a person', () => {
  const person = (more: Signer, Reference = 'will') => personOf(document([{ ...ann, ...more }], { Reference }), 0)

  test('is the same on other documents, despite a different spelling of the name', () => {
    expect(person({}, 'deed')).toBe(person({}))
    expect(person({ FirstName: ' ANN ', Email: 'ANN.example@example.com' })).toBe(person({}))
  })

  test('differs with another name or address, and is nobody else without either', () => {
    expect(person({ FirstName: 'Ben' })).not.toBe(person({}))
    expect(person({ Email: 'a@example.com' })).not.toBe(person({}))
    expect(person({ Email: '' }, 'deed')).not.toBe(person({ Email: '' }))
    const nameless = { FirstName: '', LastName: '' }
    expect(person(nameless, 'deed')).not.toBe(person(nameless))
    const two = document([
      { ...ann, ...nameless },
      { ...ann, ...nameless }
    ])
    expect(personOf(two, 0)).not.toBe(personOf(two, 1))
  })

  test('is identified by mobile number without an e-mail address, ignoring its format', () => {
    const mobile = { Email: undefined, MobileCountry: '64', MobileNumber: '21 555 012' }
    expect(person(mobile, 'deed')).toBe(person({ ...mobile, MobileNumber: '21555012' }))
    expect(person({ ...mobile, MobileNumber: '21 555 013' })).not.toBe(person(mobile))
    expect(person({ ...mobile, FirstName: 'Ben' })).not.toBe(person(mobile))
    expect(person({ ...mobile, Email: 'ann.example@example.com' })).toBe(person({}))
  })

  test('can’t be recognised from their identifier', () => {
    expect(person({})).not.toMatch(/ann|example/i)
  })
})

test.each([
  [{}, { IDVerificationRequested: false }, false],
  // The service doesn't say, so assume that it may.
  [{}, {}, true],
  [{ VideoConfirmationEnabled: true }, {}, true],
  [{ VideoConfirmationDetail: { Name: 'x' } }, {}, true],
  [
    { VideoConfirmationEnabled: false, VideoConfirmationDetail: { Name: 'x' } },
    { IDVerificationRequested: false },
    false
  ],
  [{ IDCheckStatus: 'Requested' }, {}, true],
  [{}, { IDVerificationRequested: true }, true]
])('with %j and %j, the camera may be needed: %s', (more, ofDocument, may) => {
  expect(mayNeedCamera(document([signer('Ann Example', more)], ofDocument), 0)).toBe(may)
})
