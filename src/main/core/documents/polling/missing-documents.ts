/**
 * Which documents may be called gone. A document that moves while the folders are read one beside the other can be missed by
 * all of them, so one look says nothing, nor do two at once; and a folder that is suddenly empty, or half as long, may be
 * the service's mistake, so that takes one look more, and longer.
 */

/** A round in which every folder was read, and each of its documents could be told. */
export interface CompleteRound {
  /** When it began, by a clock that never jumps. */
  at: number
  /** When its first look began. */
  begun: number
  /** When its last look began. */
  lastBegun: number
  /** How many documents each folder named. */
  documents: ReadonlyMap<string, number>
}

/** Two rounds that begin sooner one after the other may both see the service in the same midst of something. */
const APART = 5_000
/** The same, where a folder shrank at once. */
const APART_WHEN_DOUBTFUL = 30_000

/** So many documents fewer are nothing to wonder at, whatever share of the folder they are. */
const FEW = 10

/** Follows one account's rounds. */
export function followDepartures(before: ReadonlyMap<string, number>) {
  let lengths = before
  /** When the two rounds before began, oldest first. */
  let begun: number[] = []
  let last: CompleteRound | undefined
  /** How many rounds must still miss what a sudden shrink took away. */
  let doubtful = 0

  return {
    /**
     * Takes a complete round in; answers since when a document must not have been seen to be gone, or undefined where none
     * can be called that, as after a round that came too soon.
     */
    after(round: CompleteRound): number | undefined {
      // Whoever asks while a round is under way is answered by the same looks: that is one round.
      if (last && round.begun <= last.lastBegun) return undefined
      if (last && round.at - last.at < (doubtful > 0 ? APART_WHEN_DOUBTFUL : APART)) return undefined
      const shrank = [...round.documents].some(([folder, now]) => hasShrunk(lengths.get(folder) ?? 0, now))
      doubtful = shrank ? 2 : Math.max(0, doubtful - 1)
      const since = begun.at(doubtful > 0 ? -2 : -1)
      begun = [...begun, round.begun].slice(-2)
      lengths = round.documents
      last = round
      return since
    },

    /** What was seen of an account that is asked for elsewhere now, or by another key, says nothing any more. */
    forget(): void {
      begun = []
      last = undefined
    }
  }
}

function hasShrunk(before: number, now: number): boolean {
  return now < before / 2 && before - now >= FEW
}
