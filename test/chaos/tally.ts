import type { Fault } from './ledger.ts'

/** The counts of one chaos test. Everything but the rounds and the seconds must stay 0. */
export interface Tally {
  rounds: number
  /** Stored or sent, and now nowhere. */
  lost: number
  /** There, or received by the service, more than once. */
  doubled: number
  /** Stored, but not as it was typed. */
  partial: number
  /** Anything that was said or done wrongly. */
  wrong: number
  seconds: number
}

export function emptyTally(): Tally {
  return { rounds: 0, lost: 0, doubled: 0, partial: 0, wrong: 0, seconds: 0 }
}

/** Returns a function that counts faults and reports each with the moment it was found. */
export function notingIn(tally: Tally, say: ChaosOptions['say']): (faults: readonly Fault[], when: string) => void {
  return (faults, when) => {
    for (const { kind, words } of faults) {
      tally[kind]++
      say(`${when}: ${kind}: ${words}`)
    }
  }
}

export function isClean({ lost, doubled, partial, wrong }: Tally): boolean {
  return lost + doubled + partial + wrong === 0
}

export interface ChaosOptions {
  rounds: number
  seed: number
  /** Receives every fault found, and the progress. */
  say: (line: string) => void
}
