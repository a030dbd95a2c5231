/**
 * What an identity check found, as the screens see it: reference section 2.22. All of it is personal. It lives in memory
 * under the id of a reading, and goes with it.
 */
import type { OtherMember } from './document-views.ts'

/** portrait: of the person. front, back: of the card. selected: the picture of the card that the face was compared with. */
export type IdentityPictureName = 'portrait' | 'front' | 'back' | 'selected'
export type IdentityPictureType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture that can be asked for, of the size that its own header says. */
export interface IdentityPictureView {
  name: IdentityPictureName
  isShown: true
  type: IdentityPictureType
  /** Pixels. */
  width: number
  height: number
  bytes: number
  /** Its end is missing: what is shown of it is not all there was. */
  isCutOff?: true
  /** It is byte for byte another picture of the record. */
  sameAs?: IdentityPictureName
}

/** Something came in a picture's place that isn't shown, and can't be saved. */
export interface RefusedPictureView {
  name: IdentityPictureName
  isShown: false
  /** What came, and why it isn't shown: a sentence or two. */
  why: string
}

/** The texts of a record, as they came. What the service left out, or sent empty, is absent. */
export interface IdentityTexts {
  examined?: string
  documentClass?: string
  firstName?: string
  middleName?: string
  lastName?: string
  born?: string
  documentNumber?: string
  expires?: string
  issuingState?: string
  country?: string
  faceMatchResult?: string
  faceMatchScore?: string
  faceError?: string
  userFirstName?: string
  userMiddleName?: string
  userLastName?: string
  documentId?: string
}

export interface IdentityRecordView {
  texts: IdentityTexts
  isPassed?: boolean
  /** Whether the front is the picture that was selected. */
  selectedFront?: boolean
  /** Those that something came for, in the order of their names. */
  pictures: (IdentityPictureView | RefusedPictureView)[]
  attentions: { name: string; detail: string }[]
  /** How many more there were than are told. */
  moreAttentions?: number
  /** Members that this version doesn't know, as they came. */
  others: OtherMember[]
}

export interface IdentityReading {
  id: string
  reference: string
  documentName: string
  readAt: number
  records: IdentityRecordView[]
  /** How many records came that can't be read, or were too many. */
  leftOut: number
  /** It is wiped after so many milliseconds without `identity.keep`. */
  clearsAfter: number
}

/** The bytes of one picture, of a type that was found in the bytes themselves. */
export interface IdentityPicture {
  type: IdentityPictureType
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Why a reading was wiped. idle: nobody used it. account: another account was chosen. away: a person has this screen, or
 * the computer was locked. others: too many were open.
 */
export type IdentityClearing = 'idle' | 'account' | 'away' | 'others'
