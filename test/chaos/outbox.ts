/**
 * Kills the application at a random moment while it composes, sends or settles an uncertain send, round after round.
 * Meanwhile one in three answers is lost after the service accepted the package, and some requests fail before they
 * reach it. Afterwards nothing may be lost, sent twice or misreported.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright'
import { openPracticeOffice, type PracticeOffice } from '../../src/practice/office.ts'
import { type Clerk, clerkAt } from '../e2e/clerk.ts'
import { launch } from '../e2e/launch.ts'
import { type FaultProxy, openFaultProxy } from '../fixtures/fault-proxy.ts'
import { type Chance, chanceOf } from './chance.ts'
import { faultsOf, type Ledger, type Package, type Seen } from './ledger.ts'
import { type ChaosOptions, emptyTally, type Tally } from './tally.ts'

const TOKEN = 'made-up-token-1'
/** After this many rounds the line is good for a while, so that uncertain sends can be settled and retried. */
const SETTLING_EVERY = 40
/**
 * How long the last start may take to settle every uncertain send, in milliseconds: two looks a minute apart, then the
 * retries.
 */
const TIMEOUT = 300_000

interface Place {
  userData: string
  office: PracticeOffice
  line: FaultProxy
  chance: Chance
}

/** Runs the rounds one after the other in one office, then lets everything settle and counts. */
export async function outboxChaos({ rounds, seed, say }: ChaosOptions): Promise<Tally> {
  const began = performance.now()
  const userData = await mkdtemp(join(tmpdir(), 'countersign-chaos-'))
  const office = await openPracticeOffice({ data: 'empty', auth: { scheme: 'bearer', token: TOKEN } })
  const line = await openFaultProxy(office.url)
  badLine(line)
  const place = { userData, office, line, chance: chanceOf(seed) }
  const ledger: Ledger = []
  const tally = emptyTally()
  const note = (observed: Seen, when: string) => {
    for (const fault of faultsOf(ledger, observed)) {
      tally[fault.kind]++
      say(`${when}: ${fault.kind}: ${fault.words}`)
    }
  }
  try {
    for (let round = 1; round <= rounds; round++) {
      const name = `Round ${round} `
      await oneRound(place, ledger, name, (observed) => note(observed, `at the start of round ${round}`))
      tally.rounds++
      if (round % SETTLING_EVERY === 0 && round < rounds) await killedWhileSettling(place)
      if (round % 10 === 0) say(`${round} rounds`)
    }
    note(await settleAll(place), 'in the end')
  } finally {
    await line.close()
    await office.close()
    await rm(userData, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  tally.seconds = Math.round((performance.now() - began) / 100) / 10
  return tally
}

/** One in three sends is accepted and its answer lost; one in five fails before the service sees it. */
function badLine(line: FaultProxy): void {
  let sends = 0
  line.setFaultBy((method, path) => {
    if (method !== 'POST' || !path.includes('SendForms2')) return 'pass'
    sends++
    if (sends % 3 === 0) return 'lose-answer'
    return sends % 5 === 0 ? 'cut' : 'pass'
  })
}

/**
 * Kills the application about when the second look comes, a minute after the first: what it proves missing is sent
 * again then.
 */
async function killedWhileSettling({ userData, line, chance }: Place): Promise<void> {
  line.setFault('pass')
  const { arrive, app } = clerkAt(await launch({ userData }))
  try {
    await arrive()
    await pause(58_000 + chance.below(8000))
  } finally {
    await app.kill()
    await app.close().catch(() => undefined)
    badLine(line)
  }
}

/** Starts the application, checks what earlier rounds left, composes and sends, and kills it at some point of that. */
async function oneRound(place: Place, ledger: Ledger, name: string, check: (observed: Seen) => void): Promise<void> {
  const { chance } = place
  const clerk = clerkAt(await launch({ userData: place.userData }))
  let dying: Promise<void> | undefined
  try {
    await clerk.arrive()
    if (ledger.length === 0) await connect(clerk, place)
    else check(await seenBy(clerk, place))

    const entry: Package = { name, typed: [], wasPressed: false }
    ledger.push(entry)
    const fatal = chance.oneOf(['typing', 'filling', 'pressing', 'sending'] as const)
    const delay = chance.below({ typing: 1500, filling: 400, pressing: 250, sending: 400 }[fatal])
    const at = (moment: typeof fatal) => {
      if (moment === fatal) dying = pause(delay).then(() => clerk.app.kill())
    }
    await work(clerk, entry, chance, at)
    await dying
  } catch (error) {
    // The clerk's steps fail when the application is killed under them; any other error is a fault of the test.
    if (!dying) throw error
    await dying
  } finally {
    await clerk.app.kill()
    await clerk.app.close().catch(() => undefined)
  }
}

async function work(
  clerk: Clerk,
  entry: Package,
  chance: Chance,
  at: (moment: 'typing' | 'filling' | 'pressing' | 'sending') => void
): Promise<void> {
  const { window, button } = clerk
  await clerk.goTo('New package')
  await button(/^Forms/).click()
  const field = window.getByLabel('Name', { exact: true })
  await watchSaved(window, entry)
  await field.fill(entry.name)
  at('typing')
  for (let keys = 0; keys < 24; keys++) {
    const key = 'abcdefghijklmnopqrstuvwxyz'[chance.below(26)] ?? 'a'
    await field.press(key)
    entry.typed.push((entry.typed.at(-1) ?? entry.name) + key)
    await pause(chance.below(60))
  }
  at('filling')
  await window.getByLabel('Reference', { exact: true }).fill('FORM-1')
  await window.getByLabel('Form type').fill('1')
  await window.getByLabel('First name').fill('Mere')
  await window.getByLabel('Last name').fill('Tamati')
  await window.getByLabel('E-mail', { exact: true }).fill('mere.tamati@example.com')
  await whenSaved(window, entry)
  at('pressing')
  await button(/^Send \d+ forms?$/).click()
  await button('Send now').waitFor()
  entry.wasPressed = true
  at('sending')
  await button('Send now').click()
}

/**
 * Records which name the screen calls saved: that is what must survive. How soon it is, on a machine of any speed, the
 * bench measures (`key-durable`).
 */
async function watchSaved(window: Page, entry: Package): Promise<void> {
  window.on('console', (message) => {
    const [, name] = /^Saved: (.*)$/.exec(message.text()) ?? []
    if (name !== undefined) entry.saved = name
  })
  await window.evaluate((begin) => {
    const observer = new MutationObserver((changes) => {
      if (!changes.some(({ target }) => target.textContent?.trim().startsWith('Saved in Drafts'))) return
      const field = [...document.querySelectorAll('input')].find(({ value }) => value.startsWith(begin))
      if (field) console.debug(`Saved: ${field.value}`)
    })
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
  }, entry.name)
}

/** Waits until everything typed is called saved: on a slow machine later, but at some time. */
async function whenSaved(window: Page, entry: Package): Promise<void> {
  for (let waited = 0; entry.saved !== entry.typed.at(-1); waited++) {
    if (waited === 1200) throw new Error(`"${entry.typed.at(-1)}" was never called saved.`)
    // Fails once the application was killed.
    await window.waitForTimeout(50)
  }
}

async function connect(clerk: Clerk, { line }: Place): Promise<void> {
  const added = await clerk.window.evaluate(
    ({ baseUrl, token }) =>
      window.countersign.accounts.add({
        kind: 'service',
        name: 'Chaos',
        baseUrl,
        authentication: { scheme: 'bearer', token }
      }),
    { baseUrl: line.url, token: TOKEN }
  )
  if (!added.ok) throw new Error(`The account was not added: ${added.error.code}`)
  await clerk.window.getByRole('navigation', { name: 'Screens' }).waitFor()
}

/** Reads what is stored, what the screen says of it, and what the service has. */
async function seenBy(clerk: Clerk, { office }: Place): Promise<Seen> {
  const arrivedBefore = arrivals(office)
  await clerk.goTo(/^Outbox/)
  const rows = clerk.window.getByRole('grid').getByRole('row')
  await rows.or(clerk.window.getByText('Nothing has been sent yet.')).first().waitFor()
  const words = await rows.allInnerTexts()
  const stored = await clerk.window.evaluate(async () => {
    const { drafts, sends } = window.countersign
    const seen: Pick<Seen, 'drafts' | 'sends'> = { drafts: [], sends: [] }
    // The most that may be asked for at a time.
    for (let offset = 0, limit = 500, isAll = false; !isAll; offset += limit) {
      const page = { search: '', offset, limit }
      const [draftList, sendList] = await Promise.all([
        drafts.list({ ...page, trashed: false }),
        sends.list({ ...page, show: 'all' })
      ])
      if (!draftList.ok || !sendList.ok) throw new Error('What is kept could not be read.')
      seen.drafts.push(...draftList.value.rows.map(({ title }) => title))
      seen.sends.push(...sendList.value.rows.map(({ title, state }) => ({ title, state })))
      isAll = draftList.value.rows.length < limit && sendList.value.rows.length < limit
    }
    return seen
  })
  return { ...stored, words, arrivedBefore, arrivedAfter: arrivals(office) }
}

/** The names of the forms that the service accepted, each as often as it accepted it. */
function arrivals({ service }: PracticeOffice): string[] {
  return service
    .recorded()
    .filter(({ operation }) => operation === 'SendForms2')
    .map(({ body }) => (body as { Forms: { Name: string }[] }).Forms[0]?.Name ?? '')
}

/** Starts the application a last time, on a good line, and waits until nothing is in flight or uncertain. */
async function settleAll(place: Place): Promise<Seen> {
  place.line.setFault('pass')
  const clerk = clerkAt(await launch({ userData: place.userData }))
  try {
    await clerk.arrive()
    const until = Date.now() + TIMEOUT
    for (;;) {
      const state = await clerk.window.evaluate(() => window.countersign.outbox.state())
      if (!state.ok) throw new Error(`The outbox could not be read: ${state.error.code}`)
      const { ready, sending, uncertain } = state.value.counts
      if (ready + sending + uncertain === 0) break
      if (Date.now() > until) throw new Error(`Unsettled: ${ready} ready, ${sending} sending, ${uncertain} uncertain.`)
      await pause(500)
    }
    return { ...(await seenBy(clerk, place)), isSettled: true }
  } finally {
    await clerk.app.close()
  }
}
