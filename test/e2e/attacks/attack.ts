/** What a row of the attack tables says. */

/**
 * After each attack these hold without being said: the page is still where it was and so is ours, there are no more
 * pages than before, nothing was saved, elsewhere was not asked for anything, and the service was not asked under another name.
 */
export interface Attack {
  /** What it would gain. */
  name: string
  /** What the page holds. `{here}`, `{port}` and `{elsewhere}` stand for the service's origin, its port and the other server. */
  page?: string
  /** What it does, as if the person had just clicked. May answer something. */
  script: string
  /** What the script must answer. */
  answers?: unknown
  /** What the clerk must be told. */
  told?: RegExp
  /** What the lock-down must have denied. */
  denied?: string
  /** Whether it may cost the page: gone to an empty one, or the turn failed. What is refused late can't be undone. */
  mayEndItself?: true
  /** A path that the service must not be asked for. */
  neverAsked?: string
}

export interface Ground {
  here: string
  herePort: number
  elsewhere: string
}

/** The text with the servers' addresses in it. */
export function on({ here, herePort, elsewhere }: Ground, text: string): string {
  return text.replaceAll('{here}', here).replaceAll('{port}', String(herePort)).replaceAll('{elsewhere}', elsewhere)
}
