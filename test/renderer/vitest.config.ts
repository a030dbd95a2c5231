import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// These tests alone: npx vitest run --config test/renderer/vitest.config.ts
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  plugins: [svelte()],
  resolve: { conditions: ['browser'] },
  test: { name: 'renderer', include: ['test/renderer/**/*.test.ts'], environment: 'jsdom', testTimeout: 60_000 }
})
