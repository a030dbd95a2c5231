/**
 * How much a process that has downloaded nothing yet grows at its peak. Runs in a process of its own: memory that was
 * used before could be reused without being seen, and collecting garbage by hand changes how the rest of a process
 * runs.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { throughTheQueue } from './download-ways.ts'

const MEGABYTE = 1024 * 1024
const OWN = 'grow'

/** Returns the growth in megabytes while these are downloaded into a folder below `root`. */
export async function growthOf(url: string, root: string, references: readonly string[]): Promise<number> {
  const child = fork(new URL(import.meta.url), [OWN, url, root, ...references], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })
  const [[growth]] = (await Promise.all([once(child, 'message'), once(child, 'exit')])) as [[number], unknown]
  return growth
}

async function grow(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 4; round++) {
    collect()
    await new Promise((resume) => setTimeout(resume, 100))
  }
  const before = process.memoryUsage.rss()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 10)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return (Math.max(peak, process.memoryUsage.rss()) - before) / MEGABYTE
}

const [what, url, root, ...references] = process.argv.slice(2)
if (what === OWN && url !== undefined && root !== undefined && process.send) {
  process.send(await grow(() => throughTheQueue(url, root, references)))
  process.disconnect()
}
