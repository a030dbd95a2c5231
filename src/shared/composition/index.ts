/** A package while it is being composed, what is wrong with it, and the request made of it. */
export * from './calendar.ts'
export * from './composition.ts'
export { compositionOfRequest, type SendRequest } from './of-request.ts'
export { correctedMobile } from './phone.ts'
export * from './problems.ts'
export * from './request.ts'
export { faultOfXml, readXml } from './xml.ts'
export { isZone, localTimeIn, offsetIn } from './zone.ts'
