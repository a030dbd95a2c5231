/** From typing a key in the built application until it is on disk, while ten thousand other drafts are stored. */
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { type Bench, median, quantile, rounded } from './figure.ts'

const STORED = 10_000
const KEYS = 30

export const typing: Bench = {
  name: 'typing',
  async run() {
    const clerk = clerkAt(await launch())
    try {
      await clerk.arrive()
      await clerk.choosePracticeOffice()
      await store(clerk)
      const times = await durations(clerk)
      const against = `built application, ${STORED.toLocaleString('en-GB')} drafts stored, median ${rounded(median(times))} ms`
      return [
        {
          name: 'key-durable',
          value: rounded(quantile(times, 0.95)),
          unit: 'ms',
          limit: 400,
          better: 'lower',
          against
        }
      ]
    } finally {
      await clerk.app.close()
    }
  }
}

async function store({ window: page }: Clerk): Promise<void> {
  const composition = forms({ items: [form({ Name: 'Stored' })] })
  await page.evaluate(
    async ({ count, composition }) => {
      const { drafts } = window.countersign
      for (let begun = 0; begun < count; begun += 100) {
        const saved = await Promise.all(Array.from({ length: 100 }, () => drafts.save({ composition })))
        if (saved.some(({ ok }) => !ok)) throw new Error('A draft was not stored.')
      }
    },
    { count: STORED, composition }
  )
}

/** Milliseconds from each key until the application says that it is saved, which it says once it is on disk. */
async function durations({ window, goTo, button }: Clerk): Promise<number[]> {
  await goTo('New package')
  await button(/^Forms/).click()
  await window.getByLabel('Name', { exact: true }).fill('Typed ')
  const times: number[] = []
  for (let key = 0; key < KEYS; key++) {
    times.push(await oneKey(window))
    await window.waitForTimeout(500)
  }
  return times
}

/** Types a key in the page and checks every millisecond whether the newest draft has it. */
function oneKey(page: Clerk['window']): Promise<number> {
  return page.evaluate(async () => {
    const { drafts } = window.countersign
    const field = document.activeElement as HTMLInputElement
    const began = performance.now()
    document.execCommand('insertText', false, 'x')
    for (;;) {
      const list = await drafts.list({ search: '', trashed: false, offset: 0, limit: 1 })
      if (list.ok && list.value.rows[0]?.title === field.value) return performance.now() - began
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  })
}
