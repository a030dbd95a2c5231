import { expect, test } from 'vitest'
import { keychainChaos } from '../../chaos/keychain.ts'

const NAME =
  'with its keychain locked, gone and back, nothing is lost or sent twice, and what is refused is said with a way on'
// Elsewhere than on Linux the system’s keychain is the user’s own.
test.runIf(process.platform === 'linux')(NAME, { timeout: 300_000 }, async () => {
  const faults: string[] = []
  const tally = await keychainChaos({ rounds: 4, seed: 1, say: (line) => faults.push(line) })
  expect(faults.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 4, lost: 0, doubled: 0, partial: 0, wrong: 0 })
})
