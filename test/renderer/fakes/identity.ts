/** The made-up office's identity checks: set by the test, with one-pixel pictures. */
import type { IdentityPictureView, IdentityRecordView, IdentityTexts } from '../../../src/shared/contract/views.ts'
import { Failure, type FakeOffice, type HandlersOf } from './office.ts'

/** A PNG of one pixel. */
export const PIXEL = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (digit) => digit.charCodeAt(0)
)

export function pictureOf(change: Partial<IdentityPictureView> = {}): IdentityPictureView {
  return { name: 'portrait', isShown: true, type: 'image/png', width: 320, height: 400, bytes: 68_000, ...change }
}

export const identityTexts: IdentityTexts = {
  examined: '2025-11-20T03:12:44Z',
  documentClass: 'Driver Licence',
  firstName: 'MERE',
  middleName: 'AROHA',
  lastName: 'PARATA',
  born: '1984-05-17',
  documentNumber: 'DX418220',
  expires: '2031-08-02',
  issuingState: 'New Zealand',
  country: 'NZL',
  faceMatchResult: 'Passed',
  faceMatchScore: '0.9641',
  userFirstName: 'Mere',
  userMiddleName: 'Aroha',
  userLastName: 'Parata',
  documentId: 'idv-signer-6-0'
}

/** Returns a passed record, with `change` applied; `texts` is replaced as a whole. */
export function identityRecordOf(change: Partial<IdentityRecordView> = {}): IdentityRecordView {
  const card = { width: 640, height: 404 }
  return {
    texts: identityTexts,
    isPassed: true,
    selectedFront: true,
    pictures: [
      pictureOf(),
      pictureOf({ name: 'front', ...card }),
      pictureOf({ name: 'back', ...card }),
      pictureOf({ name: 'selected', ...card, sameAs: 'front' })
    ],
    attentions: [],
    others: [],
    ...change
  }
}

export function fakeIdentity({ state, newId }: FakeOffice): HandlersOf<'identity'> {
  const open = new Set<string>()
  const assertOpen = (reading: string) => {
    if (!open.has(reading)) throw new Failure('gone')
  }
  return {
    'identity.read': ({ reference }) => {
      const id = newId('reading')
      open.add(id)
      return {
        id,
        reference,
        readAt: state.now(),
        clearsAfter: 300_000,
        documentName: state.documents.find((one) => one.reference === reference)?.name ?? reference,
        records: state.identity,
        leftOut: state.identityLeftOut
      }
    },
    'identity.picture': ({ reading }) => {
      assertOpen(reading)
      return { type: 'image/png', bytes: PIXEL }
    },
    'identity.keep': ({ reading }) => {
      assertOpen(reading)
      return null as never
    },
    'identity.close': ({ reading }) => {
      open.delete(reading)
      return null as never
    },
    'identity.savePicture': ({ name }) => ({ label: `${name}.png` })
  }
}
