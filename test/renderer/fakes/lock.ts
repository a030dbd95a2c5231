/** The lock state for a role, from the main process's own table of rights. */
import { closedScreens, refusedRequests } from '../../../src/main/core/counter/rights.ts'
import type { StaffRole } from '../../../src/shared/contract/views.ts'

/** Returns the state for a staff member of this role, or, without a role, for someone who hasn't proved to be staff. */
export function lockOf(role: StaffRole | undefined) {
  const staff = { hasNames: true, authenticated: () => role && { id: 'someone', name: 'Someone', role } }
  const [closed, refused] = [closedScreens(staff), refusedRequests(staff)]
  return { isLocked: false, opensBySignIn: false, ...(closed && { closed }), ...(refused && { refused }) }
}
