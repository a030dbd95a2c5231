/**
 * Writes what is published of the policy file: its JSON Schema, from the schema that the application checks it by. Run it after
 * that changed: `node scripts/policy-files.ts`. A test says where what is there isn't up to date.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { publishedSchema } from '../src/main/core/organisation/schema.ts'

export const POLICY_FOLDER = resolve(import.meta.dirname, '../resources/policy')

/** Each file by its name below the folder. */
export function policyFiles(): Record<string, string> {
  return { 'policy.schema.json': `${JSON.stringify(publishedSchema(), null, 2)}\n` }
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(policyFiles())) writeFileSync(join(POLICY_FOLDER, name), text)
}
