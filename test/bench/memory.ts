/** The memory and CPU time of the application's main process, and of the Chromium processes that show its pages. */
import { readdir, readFile } from 'node:fs/promises'
import type { Launched } from '../e2e/launch.ts'

const MEGABYTE = 1024 * 1024

/** In megabytes. */
export interface Memory {
  /** The main process's live memory, on the heap and outside it, after garbage collection. */
  main: number
  /** The main process's resident memory. */
  resident: number
  /** The private memory of Chromium's processes; NaN where the system doesn't report it. */
  chromium: number
}

/** Collects garbage in the main process and in the main window's page. */
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

/** The private memory of all descendants of a process. */
async function privateMemoryBelow(pid: number): Promise<number> {
  const sizes = await Promise.all((await processesOf(pid)).filter((process) => process !== pid).map(privateMemoryOf))
  return sizes.length === 0 ? Number.NaN : sizes.reduce((sum, size) => sum + size, 0) / MEGABYTE
}

/** CPU seconds that the application and its descendants have used so far; NaN where the system doesn't report them. */
export async function cpuSecondsOf(app: Launched): Promise<number> {
  const processes = await processesOf(await app.evaluate(() => process.pid))
  const times = await Promise.all(processes.map(cpuSeconds))
  return times.length === 0 ? Number.NaN : times.reduce((sum, time) => sum + time, 0)
}

/** A process and its descendants. */
async function processesOf(pid: number): Promise<number[]> {
  const parents = await parentsByProcess()
  const isIn = (process: number | undefined): boolean =>
    process !== undefined && (process === pid || isIn(parents.get(process)))
  return [...parents.keys()].filter(isIn)
}

async function cpuSeconds(process: number): Promise<number> {
  const stat = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '')
  // The fields after the program's name, which may contain anything; times are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100
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
