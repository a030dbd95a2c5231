import { expect, test } from 'vitest'
import { downloadsChaos } from '../../chaos/downloads.ts'

test('with random kills while files are fetched, each ends up saved once and complete', async () => {
  const faults: string[] = []
  const say = (line: string) => {
    if (!line.startsWith('killed')) faults.push(line)
  }
  const tally = await downloadsChaos({ rounds: 2, seed: 7, say })
  expect(faults).toEqual([])
  expect(tally).toMatchObject({ rounds: 2, lost: 0, doubled: 0, partial: 0, wrong: 0 })
}, 120_000)
