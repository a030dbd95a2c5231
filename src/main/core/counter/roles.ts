/** What each of staff may be. */
import type { StaffRole } from '../../../shared/contract/index.ts'

/** From the one who may least: each may do what the ones before may. */
export const ROLES = ['counter', 'clerk', 'manager', 'administrator'] as const satisfies readonly StaffRole[]

/** Whether someone of this role may do what takes at least that one. */
export const mayAs = (role: StaffRole, least: StaffRole): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)
