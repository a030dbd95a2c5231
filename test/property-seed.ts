import fc from 'fast-check'

/**
 * One seed for every property test, so that a failure points to the change and not to chance. The CI workflow tests
 * longer, with a new seed each time: `PROPERTY_SEED=12345 PROPERTY_SECONDS=60 npm run test:unit` repeats such a run.
 */
const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 6)
fc.configureGlobal({
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_121),
  // Slow isn't wrong: a busy machine tries fewer cases.
  interruptAfterTimeLimit: SECONDS * 1000
})

/** Returns how many cases to try of a property whose cases are slow: `few` in ten seconds, and more the longer it runs. */
export const cases = (few: number): number => Math.ceil((few * SECONDS) / 10)
