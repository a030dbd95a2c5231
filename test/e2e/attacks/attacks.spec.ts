/**
 * The attack tables, run against the real boundary. Each attack leaves the application as it was. One that changes nothing
 * shares a turn with others of its kind, each in a document of its own; every other one has a turn to itself.
 */
import { expect, test } from 'playwright/test'
import { type Area, type Attack, sharesTurn } from './attack.ts'
import { AttackedApp } from './attacked-app.ts'
import type { Facts } from './control.ts'
import { numbered } from './numbered.ts'
import { Scene } from './scene.ts'
import { type Servers, startServers } from './servers.ts'

const OWN_ADDRESS = 'app://countersign/index.html'
/** Long enough for a move that was begun to arrive, were it let through. */
const AFTERMATH_MS = 300
/** The same where staff has been told already that it was not. */
const AFTER_TOLD_MS = 60
/** Where `app.ts` puts the page. */
const PLACE = { x: 0, y: 40, width: 800, height: 500 }

let servers: Servers
let app: AttackedApp
let before: Facts
/** How many rows the turn that goes on has had; 0 where none goes on. */
let rowsInTurn = 0
/** A turn tells of a hundred different things, and no row tries more than three. */
const ROWS_A_TURN = 30

async function startApp(): Promise<void> {
  app = await AttackedApp.start()
  // The window is shown before its page has said its title.
  await expect.poll(async () => (await app.facts()).window.title).toBe('Our own page')
  before = await app.facts()
}

test.beforeAll(async () => {
  servers = await startServers()
  await startApp()
})

test.afterAll(async () => {
  await app.stop()
  await servers.close()
})

test.beforeEach(async () => {
  expect(servers.visits(), 'requests to elsewhere since the row before').toEqual([])
  await app.forget()
  servers.forget()
})

/** Ends the turn that rows share. After a row that failed there is none: the next one gets a new application. */
async function endTurn(): Promise<void> {
  rowsInTurn = 0
  await app.say({ do: 'end' })
}

/** Nothing was reached, opened, saved or asked that must not be, and our window is as it was. */
async function expectUntouched(attack: Attack, pages: number): Promise<Facts> {
  const facts = await app.facts()
  expect(servers.visits(), 'requests to elsewhere').toEqual([])
  expect(facts.ownUrl, 'where our page is').toBe(OWN_ADDRESS)
  // A page that may end itself may be gone.
  expect(attack.mayEndItself ? [1, pages] : [pages], 'pages altogether').toContain(facts.pages)
  expect(facts.files, 'files saved').toEqual([])
  expect(facts.asked, 'requests that reached a handler').toEqual([])
  expect(facts.window, 'our window').toEqual(before.window)
  expect(servers.requests.filter(({ host }) => host !== new URL(servers.here).host)).toEqual([])
  if (attack.neverAsked) expect(servers.requests.map(({ path }) => path)).not.toContain(attack.neverAsked)
  if (attack.denied) expect(facts.denied).toContain(attack.denied)
  return facts
}

/** In a turn that goes on, or in a new one where there is none or where it had rows enough. */
async function runInSharedTurn(attack: Attack): Promise<void> {
  if (rowsInTurn >= ROWS_A_TURN) await endTurn()
  const scene = new Scene(app, servers, attack)
  if (rowsInTurn++ === 0) await scene.open()
  else await scene.arrive()
  await attackFromPage(scene, attack)
  // The page goes on, and nothing of the row comes after it.
  await scene.leave()
  await expectUntouched(attack, 2)
  expect(app.kinds().includes('returned') || app.kinds().includes('failed'), 'the turn is over').toBe(false)
}

async function runInOwnTurn(attack: Attack): Promise<void> {
  const scene = new Scene(app, servers, attack)
  await scene.open()
  await attackFromPage(scene, attack)
}

async function attackFromPage(scene: Scene, attack: Attack): Promise<void> {
  const answer = attack.script === undefined ? undefined : await scene.run(attack.script)
  await attack.play?.(scene)
  if (attack.told) await scene.untilTold(attack.told)
  await scene.pause(attack.told ? AFTER_TOLD_MS : AFTERMATH_MS)
  if ('answers' in attack) expect(answer).toEqual(attack.answers)
  const { signingUrl, view } = await expectUntouched(attack, attack.turnIs === 'ended' ? 1 : 2)
  expect(app.kinds().includes('returned'), 'the turn has come back').toBe(attack.turnIs === 'returned')
  const isFailed = app.kinds().includes('failed')
  if (!attack.mayEndItself) expect(isFailed, 'the turn has failed').toBe(attack.turnIs === 'failed')
  if (attack.turnIs || isFailed) return
  if (!attack.mayEndItself) expect(signingUrl.replace(/#.*$/, '')).toBe(`${servers.here}/attack`)
  expect(view?.place, 'where the page lies').toEqual(PLACE)
}

async function runFromLink(attack: Attack): Promise<void> {
  const scene = new Scene(app, servers, attack)
  await scene.begin(attack.script ?? '')
  await scene.until(() => scene.kinds().includes('failed'), 'the turn to fail')
  if (attack.told) await scene.untilTold(attack.told)
  await scene.pause(AFTER_TOLD_MS)
  await expectUntouched(attack, 2)
  expect(app.told).toContainEqual(expect.objectContaining({ kind: 'failed', code: 'unsafe-address' }))
  expect(app.kinds()).not.toContain('open')
}

async function runFromOwnPage(attack: Attack): Promise<void> {
  const scene = new Scene(app, servers, attack)
  const answer = await scene.runInOwnPage(attack.script ?? '')
  await attack.play?.(scene)
  await scene.pause(AFTERMATH_MS)
  if ('answers' in attack) expect(answer).toEqual(attack.answers)
  await expectUntouched(attack, 1)
  expect(await scene.runInOwnPage('return document.title')).toBe('Our own page')
}

const runAlone = { 'signing page': runInOwnTurn, 'own page': runFromOwnPage, link: runFromLink }

/**
 * Chromium itself has been seen to end under a page that asks for the camera, twice in some forty runs. So a row during which
 * the application ends is played again in a new one, and says so: what a page is able to do, it does twice.
 */
async function run(area: Area, attack: Attack): Promise<void> {
  try {
    await runOnce(area, attack)
  } catch (error) {
    if (app.isRunning) throw error
    console.warn('The application ended, and is attacked again:', error)
    rowsInTurn = 0
    await startApp()
    await app.forget()
    servers.forget()
    await runOnce(area, attack)
  }
}

async function runOnce(area: Area, attack: Attack): Promise<void> {
  if (sharesTurn(area, attack)) return runInSharedTurn(attack)
  if (rowsInTurn > 0) await endTurn()
  let failed: unknown
  await runAlone[area.by](attack).catch((error: unknown) => (failed = error))
  // What ended it says more than what came after.
  await app.say({ do: 'end' }).catch((error: unknown) => (failed ??= error))
  if (failed) throw failed
}

for (const { area, number, rows } of numbered) {
  test.describe(`${number}. ${area.title}`, () => {
    for (const { number, attack } of rows) test(`${number} ${attack.name}`, () => run(area, attack))
  })
}

test('our own page is served with its parts, each with the headers that shut the rest out', async () => {
  const script = `Promise.all(['/index.html', '/page.js', '/page.css', '/none.html'].map(async (path) => {
    const { status, headers } = await fetch(path)
    const named = ['content-type', 'content-security-policy', 'x-content-type-options', 'referrer-policy',
      'cross-origin-opener-policy', 'cross-origin-resource-policy']
    return [status, ...named.map((name) => headers.get(name))]
  }))`
  const parts = (await app.say({ do: 'run-in-own-page', script })) as (string | number)[][]
  expect(parts.map(([status, type]) => [status, String(type).split(';')[0]])).toEqual([
    [200, 'text/html'],
    [200, 'text/javascript'],
    [200, 'text/css'],
    [404, 'text/plain']
  ])
  for (const [, , policy, ...others] of parts) {
    expect(policy).toContain("default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self';")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(others).toEqual(['nosniff', 'no-referrer', 'same-origin', 'same-origin'])
  }
  const looks = `[document.body.dataset.loaded, getComputedStyle(document.querySelector('h1')).color, typeof countersign]`
  expect(await app.say({ do: 'run-in-own-page', script: looks })).toEqual(['yes', 'rgb(1, 2, 3)', 'object'])
})

test('our own page reaches its handlers, and is answered as data', async () => {
  const script = `Promise.all([countersign.accounts.list(), countersign.drafts.get({ id: 'a' })])`
  expect(await app.say({ do: 'run-in-own-page', script })).toEqual([
    { ok: true, value: null },
    { ok: true, value: null }
  ])
  expect((await app.facts()).asked).toEqual(['accounts.list', 'drafts.get'])
})
