import { defineConfig } from 'playwright/test'

// The pictures that are kept, and the check of accessibility: one browser, one page, one scene after the other. `npm run test:pictures`
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  workers: 1,
  timeout: 60_000,
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  outputDir: '../../test-results/pictures',
  snapshotPathTemplate: '{testDir}/kept/{arg}{ext}',
  // A picture that is missing fails, here as in the workflow: new ones are accepted by hand.
  updateSnapshots: 'none',
  expect: {
    toHaveScreenshot: {
      animations: 'disabled',
      caret: 'hide',
      scale: 'css',
      // Another version of Chromium smooths letters otherwise, here and there a pixel; another word, colour or distance is more than that.
      threshold: 0.12,
      maxDiffPixels: 24
    }
  }
})
