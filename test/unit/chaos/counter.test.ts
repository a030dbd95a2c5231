import { expect, test } from 'vitest'
import { counterChaos } from '../../chaos/counter.ts'

const NAME = 'after a kill at any step of a counter session, the screen is right, and the trail has each entry once'
test(NAME, { timeout: 300_000 }, async () => {
  const faults: string[] = []
  const tally = await counterChaos({ rounds: 2, seed: 4, say: (line) => faults.push(line) })
  expect(faults.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 2, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
