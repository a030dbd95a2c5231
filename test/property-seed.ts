import fc from 'fast-check'

/**
 * One seed for every property, so that a red run speaks of the change and not of the day's luck. The workflow looks
 * further and longer with a seed of its own each time: `PROPERTY_SEED=12345 PROPERTY_SECONDS=60 npm run test:unit` repeats such a run.
 */
const SECONDS = Number(process.env.PROPERTY_SECONDS ?? 10)
fc.configureGlobal({
  seed: Number(process.env.PROPERTY_SEED ?? 20_261_121),
  // Slow is not wrong: a busy machine tries fewer cases.
  interruptAfterTimeLimit: SECONDS * 1000
})

/** How many cases of a property that takes long for each are tried: so many in the short round, and more as it looks longer. */
export const cases = (few: number): number => Math.ceil((few * SECONDS) / 10)
