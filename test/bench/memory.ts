/** How much memory the application holds: its main process, and the processes of Chromium that show its pages. */
import { readdir, readFile } from 'node:fs/promises'
import type { Launched } from '../e2e/launch.ts'

const MEGABYTE = 1024 * 1024

/** In megabytes. */
export interface Memory {
  /** What lives on the main process's heap and beside it, once what is dead was collected. */
  main: number
  /** The main process's pages in memory. */
  resident: number
  /** The memory that Chromium's processes have to themselves; NaN where the system doesn't say. */
  chromium: number
}

/** Collects what is dead in the main process, and in the pages that stay. */
export async function collect(app: Launched): Promise<void> {
  const line = await app.window.context().newCDPSession(app.window)
  await line.send('HeapProfiler.collectGarbage')
  await line.detach()
  await app.evaluate(async () => {
    process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
    const collectNow = process.getBuiltinModule('node:vm').runInNewContext('gc') as () => void
    // What is finalised in one round frees more in the next.
    for (let round = 0; round < 4; round++) {
      collectNow()
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  })
}

export async function memoryOf(app: Launched): Promise<Memory> {
  const { pid, heapUsed, external, rss } = await app.evaluate(() => ({ pid: process.pid, ...process.memoryUsage() }))
  return {
    main: (heapUsed + external) / MEGABYTE,
    resident: rss / MEGABYTE,
    chromium: await privateMemoryBelow(pid)
  }
}

/** The private memory of all processes that a process has started, and those have. */
async function privateMemoryBelow(pid: number): Promise<number> {
  const parents = await parentsByProcess()
  if (parents.size === 0) return Number.NaN
  const isBelow = (process: number | undefined): boolean =>
    process !== undefined && (process === pid || isBelow(parents.get(process)))
  const below = [...parents.keys()].filter((process) => process !== pid && isBelow(process))
  const sizes = await Promise.all(below.map(privateMemoryOf))
  return sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE
}

async function parentsByProcess(): Promise<Map<number, number>> {
  const names = await readdir('/proc').catch(() => [])
  const found = new Map<number, number>()
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    const parent = /^PPid:\s*(\d+)/m.exec(status)?.[1]
    if (parent !== undefined) found.set(Number(name), Number(parent))
  }
  return found
}

async function privateMemoryOf(process: number): Promise<number> {
  const rollup = await readFile(`/proc/${process}/smaps_rollup`, 'utf8').catch(() => '')
  const sizes = [...rollup.matchAll(/^Private_(?:Clean|Dirty):\s*(\d+) kB/gm)]
  return sizes.reduce((sum, [, size]) => sum + Number(size) * 1024, 0)
}
