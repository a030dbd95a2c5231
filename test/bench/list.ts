/** The list of a hundred thousand documents in the built application: how many rows the page holds, keys, scrolling. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { type Bench, type Figure, median, rounded } from './figure.ts'
import { openAnswer } from './large-folder.ts'

const DOCUMENTS = 100_000
/** Each key leaves fewer documents, so that its result can be told from the one before. */
const TYPED = ['2026/4', '2', '7', '1', '3']
const ROUNDS = 6

export const list: Bench = {
  name: 'list',
  async run(): Promise<Figure[]> {
    const service = await serve(openAnswer(DOCUMENTS)(0))
    const clerk = clerkAt(await launch())
    try {
      await clerk.app.resizeWindow({ width: 1500, height: 950 })
      await clerk.arrive()
      await connect(clerk, service.url)
      await untilRead(clerk)
      await clerk.goTo(/^Documents/)
      await clerk.window
        .getByRole('row', { name: /Agreement for sale/ })
        .first()
        .waitFor()
      // The first look is over: what is written of it is settled.
      await clerk.window.waitForTimeout(3000)
      service.hold()
      const keys: number[] = []
      for (let round = 0; round < ROUNDS; round++) keys.push(...(await typing(clerk)))
      const { rows, frames } = await scrolling(clerk)
      const against = `built application, ${DOCUMENTS.toLocaleString('en-GB')} documents`
      return [
        figure('list-rows-in-page', rows, 'elements', 100, `${against}, most while scrolling to the end`),
        figure(
          'list-key-to-painted',
          median(keys),
          'ms',
          50,
          `${against}, median of ${keys.length}, longest ${rounded(Math.max(...keys))}`
        ),
        figure(
          'list-longest-frame',
          Math.max(...frames),
          'ms',
          50,
          `${against}, ${frames.length} frames to the end, median ${rounded(median(frames))}`
        )
      ]
    } finally {
      await clerk.app.close()
      await service.close()
    }
  }
}

function figure(name: string, value: number, unit: string, limit: number, against: string): Figure {
  return { name, value: rounded(value), unit, limit, better: 'lower', against }
}

/**
 * A service that has all of it in progress, and nothing in any other folder. Once it is held it answers no more: a hundred
 * megabytes between processes that share two cores are no part of what the list costs.
 */
async function serve(bytes: Uint8Array): Promise<{ url: string; hold: () => void; close: () => Promise<void> }> {
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

async function connect({ window, button }: Clerk, url: string): Promise<void> {
  await button(/Connect your office/).click()
  await window.getByLabel('Name', { exact: true }).fill('Large office')
  await window.getByLabel(/^Address/).fill(url)
  await window
    .getByLabel(/Bearer token/)
    .first()
    .check()
  await window.getByLabel('Token', { exact: true }).fill('made-up-token-1')
  await button(/^Add|^Connect/).click()
  await window.getByRole('navigation', { name: 'Screens' }).waitFor({ timeout: 180_000 })
}

async function untilRead({ window: page }: Clerk): Promise<void> {
  await page.waitForFunction(
    async (count) => {
      const counts = await window.countersign.documents.counts()
      return counts.ok && counts.value.folders.Progress === count
    },
    DOCUMENTS,
    { timeout: 180_000, polling: 500 }
  )
}

/** Milliseconds from each key until what it finds has been painted. */
async function typing({ window: page }: Clerk): Promise<number[]> {
  const field = page.getByRole('searchbox')
  await field.fill('')
  await page.getByText(`${DOCUMENTS.toLocaleString('en-GB')} documents`).waitFor()
  await field.focus()
  const times: number[] = []
  for (const text of TYPED) {
    times.push(
      await page.evaluate(
        (typed) =>
          new Promise<number>((resolve) => {
            const found = document.querySelector('.found')
            if (!found) throw new Error('The list says no number.')
            const before = found.textContent
            const began = performance.now()
            const watching = new MutationObserver(() => {
              if (found.textContent === before) return
              watching.disconnect()
              // The frame that shows it is over when the next one begins.
              requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)))
            })
            watching.observe(found, { childList: true, characterData: true, subtree: true })
            document.execCommand('insertText', false, typed)
          }),
        text
      )
    )
    await page.waitForTimeout(400)
  }
  return times
}

/** Scrolls to the end, a frame at a time; answers how long each frame took, and the most rows that the page held. */
async function scrolling({ window: page }: Clerk): Promise<{ rows: number; frames: number[] }> {
  await page.getByRole('searchbox').fill('')
  await page.getByText(`${DOCUMENTS.toLocaleString('en-GB')} documents`).waitFor()
  await page.waitForTimeout(1000)
  const result = await page.evaluate(
    () =>
      new Promise<{ rows: number; frames: number[]; last: string }>((resolve) => {
        const grid = document.querySelector('[role=grid], [role=treegrid]')
        if (!grid) throw new Error('There is no list.')
        const end = grid.scrollHeight - grid.clientHeight
        const step = Math.ceil(end / 300)
        const frames: number[] = []
        let rows = 0
        let before = performance.now()
        let rested = 0
        const next = () => {
          const now = performance.now()
          frames.push(now - before)
          before = now
          rows = Math.max(rows, document.querySelectorAll('[role=row]').length)
          if (grid.scrollTop < end - 1) grid.scrollTop += step
          // The rows at the end are read and drawn once the list has come to rest.
          else rested ||= now
          if (!rested || now - rested < 1500) requestAnimationFrame(next)
          else resolve({ rows, frames: frames.slice(1), last: grid.textContent ?? '' })
        }
        requestAnimationFrame(next)
      })
  )
  if (!result.last.includes('Agreement for sale')) throw new Error('The end of the list was not shown.')
  return result
}
