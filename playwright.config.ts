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
    { name: 'application', testIgnore: 'attacks/**' }
  ],
  fullyParallel: true,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  outputDir: 'test-results'
})
