/** The attack tables, run against the real boundary. Each attack has a page of its own and leaves the application as it was. */
import { expect, test } from '@playwright/test'
import { RETURN_ADDRESS } from '../../../src/shared/composition/request.ts'
import { type Attack, on } from './attack.ts'
import { AttackedApp } from './attacked-app.ts'
import type { Command, Facts } from './control.ts'
import { ownPage } from './own-page-attacks.ts'
import { type Servers, startServers } from './servers.ts'
import * as signingPage from './signing-page-attacks.ts'

const OWN_ADDRESS = 'app://countersign/index.html'
/** Long enough for a move that was begun to arrive, were it let through. */
const AFTERMATH_MS = 300

let servers: Servers
let app: AttackedApp

test.beforeAll(async () => {
  servers = await startServers()
  app = await AttackedApp.start()
})

test.afterAll(async () => {
  await app.stop()
  await servers.close()
})

test.beforeEach(async () => {
  await app.forget()
  servers.forget()
})

test.afterEach(() => app.say({ do: 'end' }))

async function openSigningPage(url: string, more: Partial<Extract<Command, { do: 'open' }>> = {}): Promise<void> {
  await app.say({
    do: 'open',
    turn: { url, allowedOrigins: [], returnAddresses: [RETURN_ADDRESS], practiceOrigin: servers.here },
    patienceMs: 10_000,
    lookups: { 'rebind.example': ['192.168.1.1'], 'cdn.example': ['93.184.215.14'] },
    ...more
  })
}

const scriptOf = (attack: Attack) => `(async () => { ${on(servers, attack.script)} })()`
const toldTexts = () => app.told.flatMap((told) => (told.kind === 'refused' ? [told.text] : []))

/** Nothing was reached, opened, saved or asked that must not be. */
async function expectUntouched(attack: Attack, pages: number): Promise<Facts> {
  const facts = await app.facts()
  expect(servers.visits(), 'requests to elsewhere').toBe(0)
  expect(facts.ownUrl, 'where our page is').toBe(OWN_ADDRESS)
  expect(facts.pages, 'pages altogether').toBe(pages)
  expect(facts.files, 'files saved').toEqual([])
  expect(facts.asked, 'requests that reached a handler').toEqual([])
  expect(servers.requests.filter(({ host }) => host !== new URL(servers.here).host)).toEqual([])
  if (attack.neverAsked) expect(servers.requests.map(({ path }) => path)).not.toContain(attack.neverAsked)
  if (attack.denied) expect(facts.denied).toContain(attack.denied)
  return facts
}

for (const [area, attacks] of Object.entries(signingPage)) {
  test.describe(`a signing page can’t (${area})`, () => {
    for (const attack of attacks) {
      test(attack.name, async () => {
        servers.show(`<!doctype html><title>sign</title>${on(servers, attack.page ?? '')}`)
        await openSigningPage(`${servers.here}/attack`)
        await app.until(() => app.kinds().includes('open'), 'the page to open')
        const answer = await app.say({ do: 'run-in-signing-page', script: scriptOf(attack) })
        if (attack.told) await app.until(() => toldTexts().some((text) => attack.told?.test(text)), String(attack.told))
        await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
        if ('answers' in attack) expect(answer).toEqual(attack.answers)
        const { signingUrl } = await expectUntouched(attack, 2)
        expect(app.kinds(), 'the turn goes on').not.toContain('returned')
        if (attack.mayEndItself && app.kinds().includes('failed')) return
        const page = `${servers.here}/attack`
        expect(app.kinds(), 'the turn goes on').not.toContain('failed')
        expect(attack.mayEndItself ? [page, 'about:blank'] : [page]).toContain(signingUrl.replace(/#.*$/, ''))
      })
    }
  })
}

test.describe('foreign script in our own page can’t', () => {
  for (const attack of ownPage) {
    test(attack.name, async () => {
      const answer = await app.say({ do: 'run-in-own-page', script: scriptOf(attack) })
      await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS))
      if ('answers' in attack) expect(answer).toEqual(attack.answers)
      await expectUntouched(attack, 1)
      expect(await app.say({ do: 'run-in-own-page', script: 'document.title' })).toBe('Our own page')
    })
  }
})

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
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
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
