import { availableParallelism } from 'node:os'
import { defineConfig } from 'playwright/test'

// Screenshot comparisons and the accessibility check: one browser per core, each with one page, one scene after the
// other. `npm run test:pictures`
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  workers: availableParallelism(),
  fullyParallel: true,
  // Runs alongside Vitest: slow isn't wrong.
  timeout: 600_000,
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  outputDir: '../../test-results/pictures',
  snapshotPathTemplate: '{testDir}/kept/{arg}{ext}',
  // A missing screenshot fails, here as in the workflow: new ones are accepted by hand.
  updateSnapshots: 'none',
  expect: {
    // On a busy machine the page may not be drawn yet for the first screenshot.
    timeout: 120_000,
    toHaveScreenshot: {
      animations: 'disabled',
      caret: 'hide',
      scale: 'css',
      // Ignores differences at the edges of letters (other versions smooth them differently), but not a slightly
      // different colour.
      threshold: 0.025,
      maxDiffPixels: 24
    }
  }
})
