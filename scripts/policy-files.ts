/**
 * Writes what is published of the policy and of the status line: their JSON Schemas and the templates of the policy for Windows and
 * macOS, from the schemas that the application checks them by. Run it after one of these changed: `node scripts/policy-files.ts`. A test says where what is there isn't up to date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BUNDLE } from '../src/main/core/organisation/managed.ts'
import { publishedSchema } from '../src/main/core/organisation/schema.ts'
import { publishedStatusSchema } from '../src/main/core/support/status.ts'
import { adml, admx, manifest, profile } from './policy-templates.ts'

export const POLICY_FOLDER = resolve(import.meta.dirname, '../resources/policy')

/** Each file by its name below the folder. */
export function policyFiles(): Record<string, string> {
  return {
    'policy.schema.json': written(publishedSchema()),
    'status.schema.json': written(publishedStatusSchema()),
    'windows/countersign.admx': admx(),
    // Editors show the texts of the language that they run in; ours are English.
    'windows/en-GB/countersign.adml': adml(),
    'windows/en-US/countersign.adml': adml(),
    'macos/countersign.mobileconfig': profile(JSON.parse(readFileSync(join(POLICY_FOLDER, 'example.json'), 'utf8'))),
    [`macos/${BUNDLE}.plist`]: manifest()
  }
}

const written = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`

if (import.meta.main) {
  for (const [name, text] of Object.entries(policyFiles())) {
    mkdirSync(dirname(join(POLICY_FOLDER, name)), { recursive: true })
    writeFileSync(join(POLICY_FOLDER, name), text)
  }
}
