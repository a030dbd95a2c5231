import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/{layers,unit,contract,host}/**/*.test.ts'],
          environment: 'node',
          setupFiles: ['test/property-seed.ts'],
          // Real browsers, databases and keychains on two shared cores: slow is not wrong.
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          include: ['test/renderer/**/*.test.ts'],
          environment: 'jsdom',
          setupFiles: ['test/property-seed.ts', 'test/renderer/frames.ts'],
          testTimeout: 60_000
        }
      }
    ]
  }
})
