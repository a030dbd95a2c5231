/**
 * Controls whose request the staff member's role refuses: the control stays in place so that it can be reached, says
 * why it is unavailable, and says so again when tried. Staff who are allowed see it as usual.
 */
import type { RequestName } from '../../../shared/contract/requests.ts'
import { type AppState, useApp } from '../state/app-state.svelte.ts'

export interface RoleCheck {
  /** Returns why the staff member may not. Undefined if they may, or if no role is needed. */
  refusal(request: RequestName | undefined): string | undefined
  /** Says why, instead of running the control's action. */
  warn(why: string): void
  /**
   * Returns whether the staff member may, and says why if not. For actions without a control of their own, such as
   * opening a row.
   */
  may(request: RequestName): boolean
}

/** Call it during component initialisation. On the second display, where no staff work, nothing is refused. */
export function useRole(): RoleCheck {
  const app = useApp() as AppState | undefined
  const refusal: RoleCheck['refusal'] = (request) => app?.lock.refusal(request)
  const warn: RoleCheck['warn'] = (why) => app?.toasts.warn(why)
  return {
    refusal,
    warn,
    may(request) {
      const why = refusal(request)
      if (why !== undefined) warn(why)
      return why === undefined
    }
  }
}
