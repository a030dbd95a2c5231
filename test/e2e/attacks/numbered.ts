/** The tables with the numbers that document and tests name their rows by. */
import type { Area, Attack } from './attack.ts'
import { areas } from './tables/index.ts'

export interface Row {
  /** Such as `3.14`: the fourteenth of the third area. */
  number: string
  attack: Attack
}

export const numbered: readonly { area: Area; number: number; rows: readonly Row[] }[] = areas.map((area, at) => ({
  area,
  number: at + 1,
  rows: area.attacks.map((attack, row) => ({ number: `${at + 1}.${row + 1}`, attack }))
}))
