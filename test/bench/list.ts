/** The list of a hundred thousand documents in the built application: how many rows the page holds, keys, scrolling. */
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { type Bench, type Figure, lower, median, rounded } from './figure.ts'
import { burning, CONNECTED_WITHIN, DOCUMENTS, serve, untilRead } from './large-office.ts'

/** Each key leaves fewer documents, so that its result can be told from the one before. */
const TYPED = ['2026/4', '2', '7', '1', '3']
const ROUNDS = 6

export const list: Bench = {
  name: 'list',
  async run(): Promise<Figure[]> {
    const service = await serve(DOCUMENTS)
    const clerk = clerkAt(await launch())
    try {
      await clerk.app.resizeWindow({ width: 1500, height: 950 })
      await clerk.arrive()
      await clerk.connectTo(service.url, CONNECTED_WITHIN)
      await untilRead(clerk, DOCUMENTS)
      await clerk.goTo(/^Documents/)
      await clerk.window
        .getByRole('row', { name: /Agreement for sale/ })
        .first()
        .waitFor()
      // The first look's writes have settled by then.
      await clerk.window.waitForTimeout(3000)
      service.hold()
      const keys: number[] = []
      for (let round = 0; round < ROUNDS; round++) keys.push(...(await typing(clerk)))
      const { rows, frames } = await scrolling(clerk)
      const { frames: besides } = await burning(() => scrolling(clerk))
      const against = `built application, ${DOCUMENTS.toLocaleString('en-GB')} documents`
      return [
        lower('list-rows-in-page', rows, 'elements', 100, `${against}, most while scrolling to the end`),
        lower(
          'list-key-to-painted',
          median(keys),
          'ms',
          50,
          `${against}, median of ${keys.length}, longest ${rounded(Math.max(...keys))}`
        ),
        lower(
          'list-longest-frame',
          Math.max(...frames),
          'ms',
          50,
          `${against}, ${frames.length} frames to the end, median ${rounded(median(frames))}`
        ),
        lower(
          'list-longest-frame-busy',
          Math.max(...besides),
          'ms',
          50,
          `the same beside a process that burns a core, ${besides.length} frames, median ${rounded(median(besides))}`
        )
      ]
    } finally {
      await clerk.app.close()
      await service.close()
    }
  }
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

/**
 * Scrolls from the top to the end, a frame at a time; returns how long each frame took, and the most rows that the page
 * held.
 */
async function scrolling({ window: page }: Clerk): Promise<{ rows: number; frames: number[] }> {
  await page.getByRole('searchbox').fill('')
  await page.getByText(`${DOCUMENTS.toLocaleString('en-GB')} documents`).waitFor()
  await page.locator('[role=grid], [role=treegrid]').evaluate((grid) => (grid.scrollTop = 0))
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
