/** Something that a check found: as a shape, a word, and a sentence on what it means. */
import type { StatusWords } from '../../words/statuses.ts'

export interface Finding extends StatusWords {
  meaning: string
}
