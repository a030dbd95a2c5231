/** The names of the contract's requests, read from it at build by scripts/request-names.ts: the preload must carry no schemas. */
declare module 'virtual:request-names' {
  export const requestNames: readonly string[]
}
