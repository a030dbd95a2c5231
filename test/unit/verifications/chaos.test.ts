import { expect, test } from 'vitest'
import { verificationsChaos } from '../../chaos/verifications.ts'

test('with random kills while a rule verifies documents, each ends up verified once', async () => {
  const faults: string[] = []
  const say = (line: string) => {
    if (!line.startsWith('killed')) faults.push(line)
  }
  const tally = await verificationsChaos({ rounds: 2, seed: 7, say })
  expect(faults).toEqual([])
  expect(tally).toMatchObject({ rounds: 2, lost: 0, doubled: 0, partial: 0, wrong: 0 })
}, 120_000)
