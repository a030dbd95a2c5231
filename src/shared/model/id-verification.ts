/** What an identity check found: reference section 2.22. All of it is personal and never logged. */
import type { z } from 'zod'
import { flag, listOf, received, text } from './spelling.ts'

/** The two forms in which ID-verification data can be had; `pdf` answers raw bytes. */
export const ID_VERIFICATION_DATA_TYPES = ['pdf', 'json'] as const
export type IDVerificationDataType = (typeof ID_VERIFICATION_DATA_TYPES)[number]

/** 2.22: one record. Images come as base64 text, with or without a `data:` prefix. */
export const IDVerificationRecord = received({
  ExamingDate: text.optional(),
  DocClass: text.optional(),
  PortraitImage: text.optional(),
  FrontIDImage: text.optional(),
  BackIDImage: text.optional(),
  SelectedIDImage: text.optional(),
  SelectedFrontIDImage: flag.optional(),
  FirstName: text.optional(),
  MiddleName: text.optional(),
  LastName: text.optional(),
  DOB: text.optional(),
  DocumentNumber: text.optional(),
  ExpirationDate: text.optional(),
  IssuingState: text.optional(),
  Country: text.optional(),
  FaceMatchResult: text.optional(),
  FaceMatchScore: text.optional(),
  FaceErrorMessage: text.optional(),
  IsPassed: flag.optional(),
  UserFirstName: text.optional(),
  UserMiddleName: text.optional(),
  UserLastName: text.optional(),
  Attentions: listOf(received({ Name: text.optional(), Detail: text.optional() })).optional(),
  DocId: text.optional()
})
export type IDVerificationRecord = z.output<typeof IDVerificationRecord>
