/**
 * The result of an identity check (reference section 2.22): views and requests. All of it is personal. It is held in
 * memory only, under the id of a reading, and wiped with it.
 */

import { z } from 'zod'
import type { SavedFile } from './composing-views.ts'
import type { OtherMember } from './document-views.ts'
import { answers, id } from './request.ts'

/** portrait: of the person. front, back: of the card. selected: the card's picture with which the face was compared. */
const PICTURES = ['portrait', 'front', 'back', 'selected'] as const
export type IdentityPictureName = (typeof PICTURES)[number]
export type IdentityPictureType = 'image/png' | 'image/jpeg' | 'image/webp'

/** A picture that can be requested, with the dimensions in its own header. */
export interface IdentityPictureView {
  name: IdentityPictureName
  isShown: true
  type: IdentityPictureType
  /** Pixels. */
  width: number
  height: number
  bytes: number
  /** Truncated: what is shown isn't the whole picture. */
  isCutOff?: true
  /** Byte for byte identical to this other picture of the record. */
  sameAs?: IdentityPictureName
}

/** Something received in place of a picture that isn't shown and can't be saved. */
export interface RefusedPictureView {
  name: IdentityPictureName
  isShown: false
  /** What it was, and why it isn't shown, in a sentence or two. */
  why: string
}

/** The texts of a record, unchanged. Absent if the service left them out or sent them empty. */
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
  /** Whether the front is the selected picture. */
  selectedFront?: boolean
  /** Those for which something was received, in order of name. */
  pictures: (IdentityPictureView | RefusedPictureView)[]
  attentions: { name: string; detail: string }[]
  /** How many more there were than are listed. */
  moreAttentions?: number
  /** Members unknown to this version, unchanged. */
  others: OtherMember[]
}

export interface IdentityReading {
  id: string
  reference: string
  documentName: string
  readAt: number
  records: IdentityRecordView[]
  /** How many records were unreadable or beyond the limit. */
  leftOut: number
  /** Milliseconds without `identity.keep` after which it is wiped. */
  clearsAfter: number
}

/** One picture's bytes; the type was detected from the bytes themselves. */
export interface IdentityPicture {
  type: IdentityPictureType
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Why a reading was wiped. idle: not used. account: another account was chosen. away: a person at the counter has this
 * screen, or the computer was locked. others: too many were open.
 */
export type IdentityClearing = 'idle' | 'account' | 'away' | 'others'

const byReference = z.strictObject({ reference: z.string().min(1).max(2000) })
const byReading = z.strictObject({ reading: id })
const picture = byReading.extend({
  /** Index in the list of records. */
  record: z.int().min(0).max(1000),
  name: z.enum(PICTURES)
})

export const identityRequests = {
  /** Requests the records of one of the current account's documents from the service; recorded in the audit trail. */
  'identity.read': answers<IdentityReading>()(byReference),
  'identity.picture': answers<IdentityPicture>()(picture),
  /** Resets the idle timer, since someone is looking at it. Fails with `gone` if it was wiped. */
  'identity.keep': answers<null>()(byReading),
  /** Wipes it. */
  'identity.close': answers<null>()(byReading),
  /** Saves a picture at a location the person chooses; null if they cancel. */
  'identity.savePicture': answers<SavedFile | null>()(picture)
}
