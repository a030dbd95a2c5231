/** An office with a hundred thousand documents in progress, for the benches of the built application. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { openAnswer } from './large-folder.ts'

export const DOCUMENTS = 100_000
/** Time for reading the folders before the screens show, in milliseconds. */
export const CONNECTED_WITHIN = 180_000
const READ_WITHIN = 180_000

/** The data of an application that has read this many documents and was closed. */
export interface StoredOffice {
  userData: string
  remove: () => Promise<void>
}

/** Stores an office of this size. The service is gone when it is opened again: what shows then was stored. */
export async function storedOffice(size: number): Promise<StoredOffice> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const userData = join(folder, 'user-data')
  const service = await serve(size)
  try {
    const clerk = clerkAt(await launch({ userData }))
    try {
      await clerk.arrive()
      await clerk.connectTo(service.url, CONNECTED_WITHIN)
      await untilRead(clerk, size)
      // The next start shows the screen that was left, which is stored a moment after it is opened.
      await clerk.goTo('Today')
      await pause(3000)
    } finally {
      await clerk.app.close()
    }
  } catch (error) {
    await remove()
    throw error
  } finally {
    await service.close()
  }
  return { userData, remove }
}

/** Runs `work` while another process burns a core. */
export async function burning<Result>(work: () => Promise<Result>): Promise<Result> {
  const burner = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  try {
    return await work()
  } finally {
    burner.kill('SIGKILL')
  }
}

/**
 * A service with all documents in progress and nothing in any other folder. After `hold` it no longer answers: a
 * hundred megabytes between processes that share two cores are no part of what the list costs.
 */
export async function serve(size: number): Promise<{ url: string; hold: () => void; close: () => Promise<void> }> {
  const bytes = openAnswer(size)(0)
  let isHeld = false
  const server = createServer((request, answer) => {
    if (isHeld) return
    answer.setHeader('content-type', 'application/json')
    if (request.url?.includes('/GetActiveDocuments/Progress')) return void answer.end(bytes)
    if (request.url?.includes('/GetActiveDocuments/')) return void answer.end('[]')
    answer.statusCode = 404
    answer.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/web/v1.4`,
    hold: () => {
      isHeld = true
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/**
 * Resolves once the Progress folder has been read and counted.
 * @throws if that takes longer than three minutes.
 */
export async function untilRead({ window: page }: Clerk, size: number): Promise<void> {
  const until = performance.now() + READ_WITHIN
  for (;;) {
    const counts = await page.evaluate(() => window.countersign.documents.counts())
    const read = counts.ok ? (counts.value.folders.Progress ?? 0) : 0
    if (read === size) return
    if (performance.now() > until) throw new Error(`Of ${size} documents ${read} were read`)
    await pause(500)
  }
}
