import { expect, test } from 'vitest'
import { officeTogetherChaos } from '../chaos/office-together.ts'

const NAME =
  'workstations killed, asleep, cut off, joining and leaving, at a server that crashes, is restored or promoted, send each package once'
test(NAME, { timeout: 600_000 }, async () => {
  const lines: string[] = []
  const tally = await officeTogetherChaos({ rounds: 10, seed: 7, say: (line) => lines.push(line) })
  expect(lines.filter((line) => / (lost|doubled|partial|wrong): /.test(line))).toEqual([])
  expect(tally).toMatchObject({ rounds: 10, lost: 0, doubled: 0, partial: 0, wrong: 0 })
  // An action that is hardly ever done tests nothing.
  for (const [deed, least] of Object.entries({
    write: 3,
    'go on': 2,
    close: 1,
    preset: 3,
    view: 3,
    appointment: 3,
    'send to': 3,
    forget: 1,
    release: 1,
    'send now': 1
  })) {
    expect(tally.deeds[deed], deed).toBeGreaterThanOrEqual(least)
  }
  expect((tally.deeds.send ?? 0) + (tally.deeds['both send'] ?? 0)).toBeGreaterThanOrEqual(1)
})
