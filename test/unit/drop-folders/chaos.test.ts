import { expect, test } from 'vitest'
import { dropFoldersChaos } from '../../chaos/drop-folders.ts'

test('with random kills while files are dropped, each file becomes exactly one thing', async () => {
  const faults: string[] = []
  const tally = await dropFoldersChaos({ rounds: 2, seed: 11, say: (line) => faults.push(line) })
  expect(faults).toEqual([])
  expect(tally).toMatchObject({ rounds: 2, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
