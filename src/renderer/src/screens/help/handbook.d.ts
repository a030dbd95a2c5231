/** The handbook, made from docs/ at build by scripts/handbook.ts: the screens carry no Markdown and nothing that reads it. */
declare module 'virtual:handbook' {
  export const sections: readonly import('./sections.ts').Section[]
}
