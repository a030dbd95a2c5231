/** An office whose computer has a policy file, and runs of the application that read it. */
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ManagedSource } from '../../../src/main/core/organisation/managed.ts'
import { Organisation, type OrganisationDeps } from '../../../src/main/core/organisation/organisation.ts'
import type { PolicyLocation } from '../../../src/main/core/organisation/policy-file.ts'
import { testTime } from '../../fixtures/own-time.ts'
import { database } from '../counter-settings/office.ts'
import { temporaryFolder } from '../storage/folders.ts'

const NOON = Date.UTC(2026, 10, 24, 12)

/** @param db the database, which outlives each run */
export function policyOffice(db = database()) {
  const folder = temporaryFolder()
  const path = join(folder, 'policy.json')
  const place: PolicyLocation = { path, owners: [process.getuid?.() ?? 0] }
  const time = testTime(NOON)
  const log: { message: string; detail?: Record<string, unknown> }[] = []
  const line = (message: string, detail?: Record<string, unknown>) =>
    void log.push({ message, ...(detail && { detail }) })
  let happened: () => void = () => undefined
  const listen: OrganisationDeps['listen'] = (_path, listener) => {
    happened = listener
    return () => {
      happened = () => undefined
    }
  }

  return {
    db,
    folder,
    path,
    place,
    time,
    log,
    /** Puts the file in place as an administrator does: written under another name, then renamed. */
    put(policy: unknown): void {
      const text = typeof policy === 'string' ? policy : JSON.stringify(policy)
      writeFileSync(`${path}.new`, text, { mode: 0o644 })
      chmodSync(`${path}.new`, 0o644)
      renameSync(`${path}.new`, path)
      happened()
    },
    remove(): void {
      rmSync(path)
      happened()
    },
    /** @param watched whether the file is watched as in the product, not as this office reports changes. */
    async start(managed?: ManagedSource, watched = false): Promise<Organisation> {
      const run = time.run()
      onTestFinished(run.end)
      const opened = Organisation.open({
        db,
        place,
        managed,
        time: run,
        log: { info: line, warn: line },
        ...(!watched && { listen })
      })
      // Values that weren't there before are read twice.
      if (managed) await time.pass(1000)
      return opened
    }
  }
}
