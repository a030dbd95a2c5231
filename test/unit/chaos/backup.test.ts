import { expect, test } from 'vitest'
import { backupChaos } from '../../chaos/backup.ts'

const NAME =
  'killed, or on a full disk, as it backs up, restores, migrates, copies or changes its key, it has what was there or what was restored, each whole'
test(NAME, { timeout: 300_000 }, async () => {
  // Covers each fault once.
  const faults: string[] = []
  const tally = await backupChaos({ rounds: 7, seed: 5, say: (line) => faults.push(line) })
  expect(faults.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 7, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
