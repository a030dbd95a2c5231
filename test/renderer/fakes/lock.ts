/** What main tells of the one who works here, by its own table of rights. */
import { closedTo, refusedTo } from '../../../src/main/core/counter/rights.ts'
import type { StaffRole } from '../../../src/shared/contract/views.ts'

/** Of someone of this role; of nobody who has proved to be of staff without one. */
export function lockOf(role: StaffRole | undefined) {
  const staff = { hasNames: true, proved: () => role && { id: 'someone', name: 'Someone', role } }
  const [closed, refused] = [closedTo(staff), refusedTo(staff)]
  return { isLocked: false, opensBySignIn: false, ...(closed && { closed }), ...(refused && { refused }) }
}
