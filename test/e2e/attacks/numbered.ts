/** The tables with the numbers that document and tests name their rows by. */
import type { Area, Attack } from './attack.ts'
import { areas } from './tables/index.ts'

export interface Row {
  /** Such as `3.14`: the fourteenth of the third area. */
  number: string
  attack: Attack
  /**
   * Whether `npm test` plays it: each that is the first of its area against one of its protections, and one in six, so that every
   * protection is tried by each kind of attacker. The others are other ways to try the same (`npm run test:e2e` plays them all).
   */
  isInShortRound: boolean
}

export const numbered: readonly { area: Area; number: number; rows: readonly Row[] }[] = areas.map((area, at) => ({
  area,
  number: at + 1,
  rows: area.attacks.map((attack, row) => ({
    number: `${at + 1}.${row + 1}`,
    attack,
    isInShortRound: row % 6 === 0 || namesFirst(area, row)
  }))
}))

/** Whether no row before this one names one of its protections. */
function namesFirst(area: Area, row: number): boolean {
  const before = new Set(area.attacks.slice(0, row).flatMap(({ guard }) => guard ?? area.guard))
  return (area.attacks[row]?.guard ?? area.guard).some((guard) => !before.has(guard))
}
