/** The tables with the row numbers that the document and the tests use. */
import type { Area, Attack } from './attack.ts'
import { areas } from './tables/index.ts'

export interface Row {
  /** For example `3.14`: the fourteenth row of the third area. */
  number: string
  attack: Attack
  /**
   * Whether `npm test` plays it: the first row against each protection, and the first of each area, so that every
   * protection and every kind of attacker is tried. The others try the same in other ways (`npm run test:e2e` plays
   * them all).
   */
  isInShortRound: boolean
}

const tried = new Set<string>()

export const numbered: readonly { area: Area; number: number; rows: readonly Row[] }[] = areas.map((area, at) => ({
  area,
  number: at + 1,
  rows: area.attacks.map((attack, row) => {
    const its = attack.guard ?? area.guard
    const isInShortRound = row === 0 || its.some((guard) => !tried.has(guard))
    for (const guard of its) tried.add(guard)
    return { number: `${at + 1}.${row + 1}`, attack, isInShortRound }
  })
}))
