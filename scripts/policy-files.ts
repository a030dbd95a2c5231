/**
 * Writes what is published of the policy file and of the status line: their JSON Schemas, from the schemas that the application checks
 * them by. Run it after one of these changed: `node scripts/policy-files.ts`. A test says where what is there isn't up to date.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { publishedSchema } from '../src/main/core/organisation/schema.ts'
import { publishedStatusSchema } from '../src/main/core/support/status.ts'

export const POLICY_FOLDER = resolve(import.meta.dirname, '../resources/policy')

/** Each file by its name below the folder. */
export function policyFiles(): Record<string, string> {
  return {
    'policy.schema.json': written(publishedSchema()),
    'status.schema.json': written(publishedStatusSchema())
  }
}

const written = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`

if (import.meta.main) {
  for (const [name, text] of Object.entries(policyFiles())) writeFileSync(join(POLICY_FOLDER, name), text)
}
