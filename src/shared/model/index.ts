/** The service's resources, one file per family, with the reference's names. */

export * from './account.ts'
export * from './decoding.ts'
export * from './document.ts'
export * from './document-status.ts'
export * from './form-direct.ts'
export * from './form-filler.ts'
export * from './id-verification.ts'
export * from './person.ts'
export * from './service-date.ts'
export { flag, integer, openEnumeration, text, unknownMembers } from './spelling.ts'
export * from './validation.ts'
