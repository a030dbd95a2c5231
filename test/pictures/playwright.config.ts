import { availableParallelism } from 'node:os'
import { defineConfig } from 'playwright/test'

// The pictures that are kept, and the check of accessibility: a browser a core, each with one page, one scene after the other. `npm run test:pictures`
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  workers: availableParallelism(),
  fullyParallel: true,
  // Beside what Vitest runs: slow is not wrong.
  timeout: 600_000,
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  outputDir: '../../test-results/pictures',
  snapshotPathTemplate: '{testDir}/kept/{arg}{ext}',
  // A picture that is missing fails, here as in the workflow: new ones are accepted by hand.
  updateSnapshots: 'none',
  expect: {
    // On a busy machine the page may not be drawn yet as its first picture is taken.
    timeout: 120_000,
    toHaveScreenshot: {
      animations: 'disabled',
      caret: 'hide',
      scale: 'css',
      // Differences at the edges of letters are no difference (another version smooths them otherwise); a slightly other colour is.
      threshold: 0.025,
      maxDiffPixels: 24
    }
  }
})
