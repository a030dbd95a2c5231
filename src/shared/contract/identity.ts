/**
 * What an identity check found (reference section 2.22): what the screens see of it, and may ask. All of it is personal. It is in
 * memory only, under the id of a reading, and goes with that.
 */

import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import type { OtherMember } from './document-views.ts'
import { answers, id } from './request.ts'

/** portrait: of the person. front, back: of the card. selected: the picture of the card that the face was compared with. */
const PICTURES = ['portrait', 'front', 'back', 'selected'] as const
export type IdentityPictureName = (typeof PICTURES)[number]
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

const byReference = z.strictObject({ reference: z.string().min(1).max(2000) })
const byReading = z.strictObject({ reading: id })
const picture = byReading.extend({
  /** Its place in the list of records. */
  record: z.int().min(0).max(1000),
  name: z.enum(PICTURES)
})

export const identityRequests = {
  /** Asks the service for the records of one document of the chosen account; noted in the audit trail. */
  'identity.read': answers<IdentityReading>()(byReference),
  'identity.picture': answers<IdentityPicture>()(picture),
  /** Someone is looking at it: it is not idle. Fails with `gone` where it was wiped. */
  'identity.keep': answers<null>()(byReading),
  /** Wipes it. */
  'identity.close': answers<null>()(byReading),
  /** Has the person say where a picture goes. Answers null where they thought better of it. */
  'identity.savePicture': answers<SavedFile | null>()(picture)
}
