import { outboxChaos } from '../chaos/outbox.ts'
import { expect, test } from './office.ts'

test('killed while composing and sending, the application loses nothing and sends nothing twice', async () => {
  // Resolving an uncertain send takes two reads a minute apart.
  const faults: string[] = []
  const tally = await outboxChaos({ rounds: 2, seed: 7, say: (line) => faults.push(line) })
  expect(faults).toEqual([])
  expect(tally).toMatchObject({ rounds: 2, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
