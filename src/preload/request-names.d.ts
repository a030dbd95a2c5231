/**
 * The names of the contract's requests, extracted at build time by scripts/request-names.ts, because the preload must
 * not contain the schemas.
 */
declare module 'virtual:request-names' {
  export const requestNames: readonly string[]
}
