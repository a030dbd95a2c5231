/** An account's employer records, which fill in forms (reference sections 2.18 and 2.19), and its limits and rights. */
import { z } from 'zod'
import { flag, integer, listOf, received, text } from './spelling.ts'

/**
 * 2.18: the fields that each kind of record has in addition to Reference, Name and IsDefault. All are optional texts.
 */
export const EMPLOYER_FIELDS = {
  SuperFund: [
    'ABN',
    'BusinessName',
    'BusinessABN',
    'SuperFundName',
    'SuperFundABN',
    'USI',
    'Phone',
    'SuperFundWebsite'
  ],
  TFN: [
    'ABN',
    'BusinessName',
    'BusinessAddress',
    'BusinessSuburb',
    'BusinessState',
    'BusinessPostcode',
    'BusinessEmail',
    'ContactPerson',
    'ContactPhone'
  ],
  AccClaimsHistory: ['OrganisationName', 'ContactPersonName', 'ContactPersonPhone', 'ContactPersonEmail'],
  MOJ: ['ThirdPartyCustomerID', 'ThirdPartyName', 'ThirdPartyReference', 'ReportType', 'ServiceType'],
  StandardMOJ: [
    'ThirdPartyName',
    'ThirdPartyActingFor',
    'ThirdPartyReference',
    'ThirdPartyReturnAddressName',
    'ThirdPartyStreet',
    'ThirdPartySuburb',
    'ThirdPartyTown',
    'ThirdPartyState',
    'ThirdPartyPostCode',
    'ThirdPartyCountry'
  ]
} as const

export type EmployerKind = keyof typeof EMPLOYER_FIELDS

/** An employer record as sent, with the fields of its kind. */
function sentRecord<Kind extends EmployerKind>(kind: Kind) {
  return z.strictObject({
    /** Forms refer to it as EmployerReference. */
    Reference: z.string().min(1),
    Name: z.string().min(1),
    IsDefault: z.boolean().optional(),
    ...shapeOf(kind, z.string().optional())
  })
}

function receivedRecord<Kind extends EmployerKind>(kind: Kind) {
  return received({
    Reference: text.optional(),
    Name: text.optional(),
    IsDefault: flag.optional(),
    ...shapeOf(kind, text.optional())
  })
}

function shapeOf<Kind extends EmployerKind, Schema extends z.ZodType>(kind: Kind, schema: Schema) {
  return Object.fromEntries(EMPLOYER_FIELDS[kind].map((name) => [name, schema])) as {
    [Name in (typeof EMPLOYER_FIELDS)[Kind][number]]: Schema
  }
}

/** @public Looked up by name when the model is compared with the reference. */
export const SuperFundInfo = sentRecord('SuperFund')
/** @public As `SuperFundInfo`. */
export const TFNInfo = sentRecord('TFN')
/** @public As `SuperFundInfo`. */
export const AccClaimsHistoryInfo = sentRecord('AccClaimsHistory')

/** 2.19, the request body of UpdateEmployers: MOJ and StandardMOJ can't be sent. */
export const UpdateEmployersRequest = z.strictObject({
  SuperFund: z.array(SuperFundInfo).optional(),
  TFN: z.array(TFNInfo).optional(),
  AccClaimsHistory: z.array(AccClaimsHistoryInfo).optional()
})
export type UpdateEmployersRequest = z.infer<typeof UpdateEmployersRequest>

/** 2.19 Employer set, the response of UpdateEmployers. */
export const EmployerSet = received({
  SuperFund: listOf(receivedRecord('SuperFund')).optional(),
  TFN: listOf(receivedRecord('TFN')).optional(),
  AccClaimsHistory: listOf(receivedRecord('AccClaimsHistory')).optional(),
  MOJ: listOf(receivedRecord('MOJ')).optional(),
  StandardMOJ: listOf(receivedRecord('StandardMOJ')).optional()
})
export type EmployerSet = z.output<typeof EmployerSet>

/** Treats an unreadable member as absent, without affecting the others. */
function ifReadable<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined).optional()
}

/** What a service may say about the account (not in the reference; see docs/decisions). Every member is optional. */
export const AccountInfo = received({
  /** As the service sends it: days or a date. */
  DefaultDueDate: ifReadable(text),
  MaxDueDate: ifReadable(text),
  /** The date format of the account's user, in .NET notation (`dd/MM/yyyy`). */
  DateFormat: ifReadable(text),
  MaxUploadSize: ifReadable(text),
  EnabledFaceToFaceSigning: ifReadable(flag),
  EnabledVideoConfirmation: ifReadable(flag),
  IsAdmin: ifReadable(flag),
  /** How many documents the plan has left. */
  DocumentLeft: ifReadable(integer)
})
export type AccountInfo = z.output<typeof AccountInfo>
