import { expect, test } from 'vitest'
import { storageChaos } from '../../chaos/storage.ts'

test('on a disk that fills up, and with a damaged database, nothing is lost unreported', {
  timeout: 300_000
}, async () => {
  const faults: string[] = []
  const tally = await storageChaos({ rounds: 1, seed: 3, say: (line) => faults.push(line) })
  expect(faults.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 1, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
