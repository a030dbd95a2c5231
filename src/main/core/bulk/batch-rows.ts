/** The rows of a sheet on their way into a batch: those that go, and those that stay. */
import type { Composition } from '../../../shared/composition/index.ts'

/** A row, and the package that was composed of it. */
export interface PackageRow {
  /** As the spreadsheet counts. */
  row: number
  /** As they were in the sheet. */
  cells: string[]
  composition: Composition
}

/** A row that stays, and why, in the user's words. */
export interface LeftOutRow {
  row: number
  cells: string[]
  problems: string[]
}
