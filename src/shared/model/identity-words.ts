/**
 * What the service's words about an identity check (reference 2.15) say. The values are nowhere listed: a word that
 * isn't here is never taken for a pass or a failure.
 */
const WORDS = {
  passed: 'pass passed success successful succeeded verified match matched true yes ok valid approved accepted live',
  failed:
    'fail failed failure unverified nomatch notmatch notmatched mismatch unmatched false no invalid rejected declined ' +
    'notverified notlive spoof expired',
  open:
    'requested pending waiting invited sent created notstart notstarted inprogress incomplete processing initialized ' +
    'initiated started queued',
  /** That a check has ended says nothing of how. */
  done: 'complete completed done finished',
  unsure: 'attention review manualreview needsreview inconclusive unknown skipped cancelled canceled error'
} as const

export type IdentityReading = keyof typeof WORDS

const readings = new Map(
  (Object.keys(WORDS) as IdentityReading[]).flatMap((reading) =>
    WORDS[reading].split(' ').map((word) => [word, reading] as const)
  )
)

/** How a word is read, whatever its case and its punctuation; undefined for one that we don't know. */
export function identityReading(word: string): IdentityReading | undefined {
  return readings.get(word.toLowerCase().replace(/[^a-z]/g, ''))
}
