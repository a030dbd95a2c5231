import type { Fault } from './ledger.ts'

/** What an area of chaos counts. Everything but the rounds and the seconds must stay 0. */
export interface Tally {
  rounds: number
  /** What was kept or sent, and is nowhere. */
  lost: number
  /** What the service got more than once. */
  doubled: number
  /** What was kept, but not as it was typed. */
  partial: number
  /** What the screen said and was not so. */
  wrong: number
  seconds: number
}

export function emptyTally(): Tally {
  return { rounds: 0, lost: 0, doubled: 0, partial: 0, wrong: 0, seconds: 0 }
}

/** Counts faults, and says each with when it was found. */
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
  /** Told of every fault found, in words, and of the progress. */
  say: (line: string) => void
}
