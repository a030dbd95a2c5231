/** A package while it is being composed, what is wrong with it, and the request made of it. */
export * from './composition.ts'
export * from './problems.ts'
export * from './request.ts'
