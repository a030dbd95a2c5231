/**
 * How the practice office answers: as usual, or as on a bad day, so that an office can see how Countersign handles it.
 */
import { z } from 'zod'

/** Variations that the reference leaves to a service; `docs/dialects.md` describes each. */
export const PRACTICE_DIALECTS = [
  ...(['full', 'sparse', 'link-on-send', 'v13', 'day-first', 'dates-iso'] as const),
  ...(['wrapped', 'plain-bodies', 'extra-members'] as const)
] as const
/** How it refuses every request; `maintenance` is an HTML page with status 503. */
export const PRACTICE_REFUSALS = ['402', '403', '426', '429', '500', 'maintenance'] as const

export const practiceDay = z.strictObject({
  dialects: z.array(z.enum(PRACTICE_DIALECTS)).max(PRACTICE_DIALECTS.length),
  refusal: z.enum(PRACTICE_REFUSALS).optional(),
  /** Seconds its clock is ahead, negative if behind; a year at most. */
  clockAhead: z.int().min(-31_536_000).max(31_536_000).optional(),
  /** How many documents its plan has left; if absent, the service doesn't say. */
  documentsLeft: z.int().min(0).max(999_999).optional()
})
export type PracticeDay = z.output<typeof practiceDay>

export const USUAL_DAY: PracticeDay = { dialects: [] }

export function isUsual({ dialects, refusal, clockAhead, documentsLeft }: PracticeDay): boolean {
  return dialects.length === 0 && refusal === undefined && !clockAhead && documentsLeft === undefined
}
