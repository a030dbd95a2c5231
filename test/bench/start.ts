/**
 * The built application with a hundred thousand documents stored, against the same with none: how long it takes from
 * starting the process to the overview's numbers, how much memory its main process holds, and what it does while it is
 * hidden and nothing changes.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { type Bench, lower, median, rounded } from './figure.ts'
import { DOCUMENTS, type StoredOffice, storedOffice } from './large-office.ts'
import { collect, cpuSecondsOf, memoryOf } from './memory.ts'

const STARTS = 5
/** Work that follows a start is done after this many milliseconds. */
const SETTLED = 20_000
const HIDDEN = 60_000

export const start: Bench = {
  name: 'start',
  async run() {
    const bare = await storedOffice(0)
    const large = await storedOffice(DOCUMENTS)
    try {
      const took = { bare: [] as number[], large: [] as number[] }
      for (let round = 0; round < STARTS; round++) {
        took.bare.push(await opened(bare))
        took.large.push(await opened(large))
      }
      const ratio = median(took.large) / median(took.bare)
      const [without, held] = [await settled(bare), await settled(large)]
      return [
        lower(
          'start',
          ratio,
          'ratio',
          1.5,
          `with no document, ${rounded(median(took.bare) / 1000)} s, median of ${STARTS} each`
        ),
        lower(
          'memory',
          held.resident,
          'MB',
          400,
          `main process with all its threads; ${rounded(without.resident)} with no document`
        ),
        lower('idle', held.busy * 100, '% of a core', 0.5, 'hidden for a minute, nothing changing, all its processes')
      ]
    } finally {
      await bare.remove()
      await large.remove()
    }
  }
}

/** Milliseconds from starting the application's process to the numbers of its first screen. */
async function opened({ userData }: StoredOffice): Promise<number> {
  const began = performance.now()
  const clerk = clerkAt(await launch({ userData }))
  try {
    await untilCounted(clerk)
    return performance.now() - began
  } finally {
    await clerk.app.close()
  }
}

async function untilCounted({ window }: Clerk): Promise<void> {
  await window.getByText(/Updated \d/).waitFor()
}

async function settled({ userData }: StoredOffice): Promise<{ resident: number; busy: number }> {
  const clerk = clerkAt(await launch({ userData }))
  try {
    await untilCounted(clerk)
    await pause(SETTLED)
    await collect(clerk.app)
    const { resident } = await memoryOf(clerk.app)
    await clerk.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    await pause(SETTLED)
    const before = await cpuSecondsOf(clerk.app)
    await pause(HIDDEN)
    return { resident, busy: ((await cpuSecondsOf(clerk.app)) - before) / (HIDDEN / 1000) }
  } finally {
    await clerk.app.close()
  }
}
