/**
 * The handbook, generated from docs/ at build by scripts/handbook.ts, so that the screens need neither Markdown nor a
 * parser for it.
 */
declare module 'virtual:handbook' {
  export const sections: readonly import('./sections.ts').Section[]
}
