/** The roles of staff. */
import type { StaffRole } from '../../../shared/contract/index.ts'

/** From least to most: each role may do what the ones before it may. */
export const ROLES = ['counter', 'clerk', 'manager', 'administrator'] as const satisfies readonly StaffRole[]

/** Whether this role may do what requires at least that one. */
export const isAtLeast = (role: StaffRole, least: StaffRole): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)
