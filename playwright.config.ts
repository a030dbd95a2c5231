import { availableParallelism } from 'node:os'
import { defineConfig } from 'playwright/test'

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './test/e2e/settled-keychain.ts',
  // An application waits more than it works: with as many tests as cores, half of the cores' time was nobody's.
  workers: Math.ceil(availableParallelism() * 1.5) + 1,
  projects: [
    // An attack waits for what must not come, half of its time: two at a time, from the first moment, beside what works.
    { name: 'attacks', testMatch: 'attacks/**/*.spec.ts', workers: 2 },
    // One that fails is tried once more and listed as flaky, with what it showed: a defect to be found, but not a reason for
    // a change that has nothing to do with it to wait. An attack that comes through once has come through.
    { name: 'application', testIgnore: 'attacks/**', retries: 1 }
  ],
  fullyParallel: true,
  // What is waited for comes when it comes, also on a machine with other work: only what never does is a failure.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  outputDir: 'test-results'
})
