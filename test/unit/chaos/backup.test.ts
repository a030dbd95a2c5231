import { expect, test } from 'vitest'
import { backupChaos, ROUNDS_OF_ALL } from '../../chaos/backup.ts'

const NAME =
  'after a kill or a full disk during a backup, restore, migration, copy or key change, the old or the new data are intact'
test(NAME, { timeout: 300_000 }, async () => {
  const said: string[] = []
  const tally = await backupChaos({ rounds: ROUNDS_OF_ALL, seed: 5, say: (line) => said.push(line) })
  expect(said.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(said).toContain('7 ways were killed, 7 ran on a full disk')
  expect(tally).toMatchObject({ rounds: ROUNDS_OF_ALL, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
