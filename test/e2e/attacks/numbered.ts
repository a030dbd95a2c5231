/** The tables with the numbers that document and tests name their rows by. */
import type { Area, Attack } from './attack.ts'
import { areas } from './tables/index.ts'

export interface Row {
  /** Such as `3.14`: the fourteenth of the third area. */
  number: string
  attack: Attack
  /**
   * Whether `npm test` plays it: each that is the first against one of its protections, and the first of each area, so that every protection
   * and every kind of attacker is tried. The others are other ways to try the same (`npm run test:e2e` plays them all).
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
