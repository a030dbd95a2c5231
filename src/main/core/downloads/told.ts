/** Gathers what changed, so that the screens are told at most some five times a second however much happens. */

/** In milliseconds. */
const GATHERING = 200

/**
 * @param send told the id where one download changed, else null.
 * @returns `changed`; without an id more than one has, or the queue itself.
 */
export function gatheredChanges(
  send: (id: string | null) => void,
  schedule: (task: () => void, delay: number) => () => void
): (id?: string) => void {
  let isPlanned = false
  let gathered: string | null | undefined

  return (id) => {
    gathered = id === undefined || (gathered !== undefined && gathered !== id) ? null : id
    if (isPlanned) return
    isPlanned = true
    schedule(() => {
      isPlanned = false
      const told = gathered ?? null
      gathered = undefined
      send(told)
    }, GATHERING)
  }
}
