import { expect, test } from 'vitest'
import { soak } from '../../chaos/soak.ts'

test('after a quarter of an hour in every dialect, packages, documents, files, corrections and trails all add up', {
  timeout: 300_000
}, async () => {
  const { wrong, packages, documents, files, trail } = await soak({ hours: 0.25, seed: 5, say: () => undefined })
  expect(wrong).toEqual([])
  expect(packages).toMatchObject({ sent: packages.put, accepted: packages.put, notSent: 0 })
  expect(documents.saved).toBe(documents.completed)
  expect(files.reports).toBe(files.dropped)
  for (const count of [packages.put, documents.saved, files.dropped, trail.signedHere]) expect(count).toBeGreaterThan(0)
})
