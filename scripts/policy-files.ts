/**
 * Writes the published files of the policy and of the status line: their JSON Schemas, and the policy templates for
 * Windows and macOS, generated from the schemas that the application validates them with. Run it after changing one of
 * these: `node scripts/policy-files.ts`. A test reports files that are out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BUNDLE } from '../src/main/core/organisation/managed.ts'
import { publishedSchema } from '../src/main/core/organisation/schema.ts'
import { publishedStatusSchema } from '../src/main/core/support/status.ts'
import { adml, admx, manifest, profile } from './policy-templates.ts'

export const POLICY_FOLDER = resolve(import.meta.dirname, '../resources/policy')

/** Returns the files by name, relative to the folder. */
export function policyFiles(): Record<string, string> {
  return {
    'policy.schema.json': jsonText(publishedSchema()),
    'status.schema.json': jsonText(publishedStatusSchema()),
    'windows/countersign.admx': admx(),
    // Policy editors show texts in their own language; ours are English.
    'windows/en-GB/countersign.adml': adml(),
    'windows/en-US/countersign.adml': adml(),
    'macos/countersign.mobileconfig': profile(JSON.parse(readFileSync(join(POLICY_FOLDER, 'example.json'), 'utf8'))),
    [`macos/${BUNDLE}.plist`]: manifest()
  }
}

const jsonText = (schema: object) => `${JSON.stringify(schema, null, 2)}\n`

if (import.meta.main) {
  for (const [name, text] of Object.entries(policyFiles())) {
    mkdirSync(dirname(join(POLICY_FOLDER, name)), { recursive: true })
    writeFileSync(join(POLICY_FOLDER, name), text)
  }
}
