import { expect, test } from 'vitest'
import { backupChaos } from '../../chaos/backup.ts'

const NAME =
  'after a kill or a full disk during a backup, restore, migration, copy or key change, the old or the new data are intact'
test(NAME, { timeout: 300_000 }, async () => {
  // Covers each fault once.
  const faults: string[] = []
  const tally = await backupChaos({ rounds: 7, seed: 5, say: (line) => faults.push(line) })
  expect(faults.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 7, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
