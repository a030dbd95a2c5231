/** The steps of the office's schema, which the administrator's command applies (`administration.ts`). */
import { schema, schemaForWorkstations } from './migrations/001-schema.ts'

/**
 * One step, frozen once released: changes are added as new steps, and a step imports nothing from the application, whose
 * code changes.
 */
export interface Step {
  readonly name: string
  readonly sql: string
  readonly forWorkstations: readonly string[]
}

/** In the order of application. A workstation works with a server that has exactly these. */
export const steps: readonly Step[] = [{ name: 'schema', sql: schema, forWorkstations: schemaForWorkstations }]
