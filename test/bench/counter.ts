/**
 * The counter in the built application: how much longer a signer waits than for the bare page, how soon the next signer
 * gets the screen, and whether a hundred sessions leave anything in memory.
 */
import { chromium, type Page } from 'playwright'
import { findChromium } from '../../scripts/system-packages.ts'
import { SESSIONS_BEFORE_REUSE as SESSIONS_KEPT } from '../../src/main/shell/session-pool.ts'
import { type Clerk, clerkAt, MERE, nameOf, WIREMU } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { PIN } from '../e2e/person.ts'
import { formsFor, inOrder, send, signElsewhere } from '../e2e/sending.ts'
import { type Bench, type Figure, lower, median, quantile, rounded, slope } from './figure.ts'
import { collect, type Memory, memoryOf } from './memory.ts'

const ROUNDS = 15
/** Enough that every session in the pool of reusable ones has been made. */
const WARM_UP = SESSIONS_KEPT + 8
const SESSIONS = 100
/** Sessions between two readings of memory. */
const EVERY = 20
const PAUSE = 300

export const counter: Bench = {
  name: 'counter',
  async run(): Promise<Figure[]> {
    const clerk = clerkAt(await launch())
    try {
      await clerk.arrive()
      await clerk.choosePracticeOffice()
      await setPin(clerk)
      await watchViews(clerk)
      return [...(await opening(clerk)), await changing(clerk), ...(await growing(clerk))]
    } finally {
      await clerk.app.close()
    }
  }
}

async function setPin({ window: page }: Clerk): Promise<void> {
  await page.evaluate(async (pin) => {
    const set = await window.countersign.counter.setPin({ pin })
    if (!set.ok) throw new Error(set.error.message)
  }, PIN)
}

type Noted = typeof globalThis & { shownAt: number }

/** Records in the main process when a page was last shown. */
async function watchViews({ app }: Clerk): Promise<void> {
  await app.evaluate(({ WebContentsView }) => {
    const { setVisible } = WebContentsView.prototype
    WebContentsView.prototype.setVisible = function (visible) {
      if (visible) (globalThis as Noted).shownAt = performance.timeOrigin + performance.now()
      setVisible.call(this, visible)
    }
  })
}

/** Presses a button and returns when: milliseconds since 1970, with fractions. */
function pressed(page: Page, name: string): Promise<number> {
  return page.getByRole('button', { name }).evaluate((button: HTMLButtonElement) => {
    const at = performance.timeOrigin + performance.now()
    button.click()
    return at
  })
}

/** When a practice page could be read and used: its content was painted, and its document complete. */
async function usableAt(page: Page): Promise<{ began: number; usable: number }> {
  await page.getByTestId('sign').waitFor()
  return page.evaluate(async () => {
    const painted = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime
    while (painted() === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const after = Math.max(painted() ?? 0, navigation?.domContentLoadedEventEnd ?? 0)
    return { began: performance.timeOrigin, usable: performance.timeOrigin + after }
  })
}

/** From "I'm … – start" to a usable page, against the same page alone in a bare Chromium. */
async function opening(clerk: Clerk): Promise<Figure[]> {
  const { app, window, person } = clerk
  const program = findChromium()
  if (!program) throw new Error('There is no Chromium for the bare page.')
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  await using browser = await chromium.launch({ executablePath: program, args })
  await send(clerk, formsFor(['Opened again and again'], [MERE]))
  const beyond: number[] = []
  const bare: number[] = []
  for (let round = -2; round < ROUNDS; round++) {
    await clerk.beginTurn(MERE, 'Opened again and again')
    await window.waitForTimeout(PAUSE)
    const from = await pressed(window, 'I’m Mere Tamati – start')
    const page = await app.waitForView(/\/sign\//)
    const { usable } = await usableAt(page)
    const shown = await app.evaluate(() => (globalThis as Noted).shownAt)
    const link = page.url()
    await person.stop()
    await clerk.giveBack()
    await clerk.button('Back to Counter').click()

    const context = await browser.newContext()
    const alone = await context.newPage()
    await alone.goto(link)
    const { began, usable: usableAlone } = await usableAt(alone)
    await context.close()
    if (round < 0) continue
    bare.push(usableAlone - began)
    beyond.push(Math.max(usable, shown) - from - (usableAlone - began))
  }
  const against = `built application, practice service, beyond ${rounded(median(bare))} ms of the bare page, median of ${ROUNDS} each, 90th percentile ${rounded(quantile(beyond, 0.9))}`
  return [lower('counter-begin-to-usable', median(beyond), 'ms', 150, against)]
}

/**
 * From the click that signs to the thanks, including the service's part, and from there to the next signer's handover;
 * without the time that a person takes to read them.
 */
async function changing(clerk: Clerk): Promise<Figure> {
  const { window, person } = clerk
  const times: number[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const document = `Deed of two ${round}`
    await send(clerk, inOrder(document, [MERE, WIREMU]))
    const page = await clerk.handOver(MERE, document, { also: [nameOf(WIREMU)] })
    await page.getByTestId('signature-name').fill(nameOf(MERE))
    await page.getByTestId('agree').check()
    const thanked = buttonPainted(window, 'Pass the screen to the next person')
    const from = await page.getByTestId('sign').evaluate((button: HTMLButtonElement) => {
      const at = performance.timeOrigin + performance.now()
      setTimeout(() => button.click())
      return at
    })
    const read = await thanked
    const painted = buttonPainted(window, `I’m ${nameOf(WIREMU)} – start`)
    const on = await person.button('Pass the screen to the next person').evaluate((button: HTMLButtonElement) => {
      const at = performance.timeOrigin + performance.now()
      setTimeout(() => button.click())
      return at
    })
    times.push(read - from + (await painted) - on)
    await person.button('Staff').click()
    await person.unlock()
    await person.button('End session').click()
    await clerk.button('Back to Counter').click()
  }
  const measured = times.slice(1)
  const against = `built application, practice service, 90th percentile of ${measured.length}, median ${rounded(median(measured))}, longest ${rounded(Math.max(...measured))}`
  return lower('counter-next-signer', quantile(measured, 0.9), 'ms', 600, against)
}

/** Resolves with the time at which a screen with such a button has been painted. */
function buttonPainted(page: Page, name: string): Promise<number> {
  return page.evaluate(
    (name) =>
      new Promise<number>((resolve) => {
        const isThere = () =>
          [...document.querySelectorAll('button')].some(({ textContent }) => textContent?.includes(name))
        const watching = new MutationObserver(() => {
          if (!isThere()) return
          watching.disconnect()
          // The frame that shows it is over when the next one begins.
          requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
        })
        watching.observe(document.body, { childList: true, subtree: true, characterData: true })
      }),
    name
  )
}

/**
 * What a hundred sessions leave in memory once the pool of reusable sessions is full: the slope of readings along the
 * way, as Chromium releases what it holds in reserve only now and then.
 */
async function growing(clerk: Clerk): Promise<Figure[]> {
  const references = await sessionsToCome(clerk)
  const readings: (Memory & { at: number })[] = []
  for (const [index, reference] of references.entries()) {
    await oneSession(clerk, reference)
    const at = index + 1 - WARM_UP
    if (at < 0 || at % EVERY !== 0) continue
    await collect(clerk.app)
    readings.push({ at, ...(await memoryOf(clerk.app)) })
  }
  const [first] = readings
  const last = readings.at(-1)
  if (!first || !last) throw new Error('Nothing was read.')
  const against = `built application, ${SESSIONS} sessions after ${WARM_UP}, by the line through ${readings.length} readings`
  const grown = (kind: 'main' | 'chromium') => slope(readings.map((reading) => [reading.at, reading[kind]])) * SESSIONS
  return [
    lower(
      'counter-memory-main',
      grown('main'),
      'MB',
      10,
      `${against}, heap and external memory, from ${rounded(first.main)} MB to ${rounded(last.main)}; resident memory from ${rounded(first.resident)} to ${rounded(last.resident)} MB`
    ),
    lower(
      'counter-memory-chromium',
      grown('chromium'),
      'MB',
      10,
      `${against}, private memory of all its processes, from ${rounded(first.chromium)} MB to ${rounded(last.chromium)}`
    )
  ]
}

/** As many documents as there are sessions, in packages of twenty. */
async function sessionsToCome(clerk: Clerk): Promise<string[]> {
  const references: string[] = []
  for (let made = 0; made < WARM_UP + SESSIONS; made += 20) {
    const names = Array.from({ length: 20 }, (_, index) => `Session ${made + index}`)
    references.push(...(await send(clerk, formsFor(names, [MERE]))).values())
  }
  return references
}

/** Runs a whole session through the screens' own client: handed over, opened, signed, closed, given back, left. */
async function oneSession({ app, window: page }: Clerk, documentReference: string): Promise<void> {
  const id = await page.evaluate(async (documentReference) => {
    const { counter } = window.countersign
    const turns = [{ documentReference, signer: 0, evidence: [] }]
    const started = await counter.start({ turns, allowsCamera: false })
    if (!started.ok) throw new Error(started.error.message)
    const begun = await counter.begin({ id: started.value.id })
    if (!begun.ok) throw new Error(begun.error.message)
    return started.value.id
  }, documentReference)
  const signing = await app.waitForView(/\/sign\//)
  await signing.getByTestId('sign').waitFor()
  await signElsewhere(signing.url(), nameOf(MERE))
  const outcome = await page.evaluate(
    async ({ id, pin }) => {
      const { counter } = window.countersign
      await counter.finish({ id })
      for (;;) {
        const state = await counter.state()
        if (!state.ok) throw new Error(state.error.message)
        if (state.value?.phase === 'return') break
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const ended = await counter.unlock({ id, pin })
      await counter.close({ id })
      return ended.ok ? ended.value.turns[0]?.outcome?.signed : ended.error.code
    },
    { id, pin: PIN }
  )
  if (outcome !== 'signed') throw new Error(`A session ended as ${outcome}.`)
  if ((await app.views('all')).length > 0) throw new Error('A page was left over.')
}
