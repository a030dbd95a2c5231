/**
 * What the role of who works here refuses is not offered: a control names the request that it leads to, stays where it is so that it can
 * be reached, says why it does nothing, and says it again when it is tried. Anyone who may do it sees it as always.
 */
import type { RequestName } from '../../../shared/contract/requests.ts'
import { type AppState, useApp } from '../state/app-state.svelte.ts'

export interface ByRole {
  /** Why who works here may not; undefined where they may, or where it takes no role. */
  refusal(takes: RequestName | undefined): string | undefined
  /** Says why, in place of what the control would do. */
  warn(why: string): void
  /** Whether who works here may; says why where not. For what is done without a control that says it, such as opening a row. */
  may(takes: RequestName): boolean
}

/** To be called while a component is made. On the second display, where nobody of staff works, nothing is refused. */
export function useRole(): ByRole {
  const app = useApp() as AppState | undefined
  const refusal: ByRole['refusal'] = (takes) => app?.lock.refusal(takes)
  const warn: ByRole['warn'] = (why) => app?.toasts.warn(why)
  return {
    refusal,
    warn,
    may(takes) {
      const why = refusal(takes)
      if (why !== undefined) warn(why)
      return why === undefined
    }
  }
}
