import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { handbook } from './scripts/handbook.ts'
import { drawnIcons, singleIcons } from './scripts/single-icons.ts'
import { mutants, type Removable, without } from './test/e2e/attacks/mutants.ts'

// What Node has compiled for one test file serves the next.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/node')

/** Protections that `npm run test:mutants` takes out, of those that docs/attacks.md names. */
const out = (process.env.COUNTERSIGN_WITHOUT ?? '').split(',').filter((name): name is Removable => name in mutants)

/** What is waited for comes when it comes: only what never does is a failure. */
const expect = { poll: { timeout: 30_000 } }

const CODE = 'test/{layers,unit,contract}/**/*.test.ts'
/** Tests that put something in the place of a module. What a process has loaded before them would stay. */
const replacing = globSync(CODE)
  .filter((file) => /\bvi\.(do)?mock\(/i.test(readFileSync(file, 'utf8')))
  .map((file) => file.replaceAll('\\', '/'))

const plugins = out.length > 0 ? without(out).plugins : []
const code = {
  environment: 'node' as const,
  setupFiles: ['test/property-seed.ts'],
  expect,
  // Real databases and keychains on two shared cores: slow is not wrong.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is kept of a module mustn't be the one without a protection.
  ...(out.length > 0 && { fsModuleCache: false })
}

/** Larger files come first, which says nothing of the two that walk through every screen: at the end a core would wait for them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(moduleId.includes('/by-role'))
    return (await super.sort(files)).sort((one, other) => isLong(other) - isLong(one))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    // A test of files, processes and lines waits now and then: with as many as cores, a sixth of the cores' time was nobody's.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // What proves once more what another test proves: `npm test` leaves it out, `npm run test:full` doesn't.
    tags: [{ name: 'full', description: 'left out of the short round of npm test' }],
    projects: [
      {
        plugins,
        // One process after another's file: half of the time is loading and warming up what the file before has loaded.
        test: { ...code, name: 'node', include: [CODE], exclude: replacing, isolate: false }
      },
      {
        plugins,
        test: { ...code, name: 'node-replacing', include: replacing }
      },
      {
        test: {
          name: 'office',
          include: ['test/office/**/*.test.ts'],
          environment: 'node',
          // A real PostgreSQL server, made once a run.
          globalSetup: ['test/office/cluster-once.ts'],
          setupFiles: ['test/property-seed.ts'],
          expect,
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      {
        test: {
          name: 'host',
          include: ['test/host/**/*.test.ts'],
          environment: 'node',
          expect,
          // Real browsers.
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      {
        test: {
          name: 'packing',
          include: ['test/packing/**/*.test.ts'],
          environment: 'node',
          // electron-builder, once for each system.
          testTimeout: 120_000,
          hookTimeout: 120_000
        }
      },
      {
        plugins: [singleIcons(), drawnIcons(), svelte(), handbook()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'renderer',
          include: ['test/renderer/**/*.test.ts'],
          environment: 'jsdom',
          // Nothing here is of a process, so threads do; and half of the time was loading the screens once more for each file.
          pool: 'threads',
          isolate: false,
          setupFiles: ['test/property-seed.ts', 'test/renderer/each-file.ts'],
          expect,
          testTimeout: 120_000,
          // The first to load every screen waits until each was compiled.
          hookTimeout: 300_000
        }
      }
    ]
  }
})
