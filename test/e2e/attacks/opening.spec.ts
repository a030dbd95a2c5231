/** From a signing link to the end of its page: what is never loaded, what staff is told, and what is left behind. */
import { expect, test } from 'playwright/test'
import { RETURN_ADDRESS } from '../../../src/shared/composition/request.ts'
import { AttackedApp } from './attacked-app.ts'
import type { Command, Report } from './control.ts'
import { type Servers, startServers } from './servers.ts'

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

function open(url: string, more: Partial<Extract<Command, { do: 'open' }>> = {}): Promise<unknown> {
  return app.say({
    do: 'open',
    turn: { url, allowedOrigins: [], returnAddresses: [RETURN_ADDRESS], languages: 'en', practiceOrigin: servers.here },
    timeoutMs: 10_000,
    lookups: {},
    ...more
  })
}

const failure = () =>
  app.reports.find((report): report is Extract<Report, { kind: 'failed' }> => report.kind === 'failed')
const run = (script: string) => app.say({ do: 'run-in-signing-page', script: `(async () => { ${script} })()` })

test.describe('a link is not opened where it', () => {
  const links: [what: string, link: (servers: Servers) => string][] = [
    ['leads elsewhere', ({ elsewhere }) => `http://${elsewhere}/`],
    ['leads elsewhere, encrypted', ({ elsewhere }) => `https://${elsewhere}/`],
    ['is the service’s under another name', ({ herePort }) => `http://localhost:${herePort}/attack`],
    ['holds a log-in', ({ herePort }) => `http://ana:pw@127.0.0.1:${herePort}/attack`],
    ['is a file', () => 'file:///etc/passwd'],
    ['is our own page', () => 'app://countersign/index.html'],
    ['is a script', () => 'javascript:alert(1)'],
    ['is data', () => 'data:text/html,<h1>bank</h1>'],
    ['is empty', () => 'about:blank'],
    ['is nothing', () => ''],
    ['is the browser’s own', () => 'chrome://gpu'],
    ['is the source of a page', ({ here }) => `view-source:${here}/attack`]
  ]
  for (const [what, link] of links) {
    test(what, async () => {
      await open(link(servers))
      await app.until(() => failure() !== undefined, 'the turn to fail')
      expect(failure()?.code).toBe('unsafe-address')
      expect(servers.visits()).toEqual([])
      expect(servers.requests).toEqual([])
      expect(app.kinds()).not.toContain('open')
    })
  }

  test('is sent elsewhere by the service at once', async () => {
    await open(`${servers.here}/redirect/302?to=http://${servers.elsewhere}/`)
    await app.until(() => failure() !== undefined, 'the turn to fail')
    expect(failure()?.code).toBe('unsafe-address')
    expect(servers.visits()).toEqual([])
  })
})

test.describe('the clerk is told in plain words, with a way on, where a page', () => {
  const troubles: [what: string, path: string, code: string][] = [
    ['never answers', '/never', 'timeout'],
    ['breaks the line', '/reset', 'refused'],
    ['answers without a page', '/nothing', 'server'],
    ['is a download', '/file', 'server']
  ]
  for (const [what, path, code] of troubles) {
    test(what, async () => {
      await open(`${servers.here}${path}`, { timeoutMs: code === 'timeout' ? 1500 : 20_000 })
      await app.until(() => failure() !== undefined, 'the turn to fail')
      expect(failure()?.code).toBe(code)
      expect(failure()?.text).toMatch(/^The signing/)
      expect((await app.facts()).files).toEqual([])
    })
  }

  test('ends unexpectedly', async () => {
    servers.show({ body: '<title>sign</title>' })
    await open(`${servers.here}/attack`)
    await app.until(() => app.kinds().includes('open'), 'the page to open')
    await app.say({ do: 'crash-signing-page' })
    await app.until(() => failure() !== undefined, 'the turn to fail')
    expect(failure()?.text).toContain('closed unexpectedly')
    expect((await app.facts()).ownUrl).toBe('app://countersign/index.html')
  })

  test('isn’t there', async () => {
    await open('http://127.0.0.1:9/', {
      turn: {
        url: 'http://127.0.0.1:9/',
        allowedOrigins: [],
        returnAddresses: [],
        languages: 'en',
        practiceOrigin: 'http://127.0.0.1:9'
      }
    })
    await app.until(() => failure() !== undefined, 'the turn to fail')
    expect(failure()?.text).not.toMatch(/ERR_|net::/)
  })
})

test.describe('a page that behaves', () => {
  test('opens, goes on within the service, opens its windows in place, and loads its own parts', async () => {
    servers.show({
      body: '<title>sign</title><iframe src="/embedded"></iframe><img src="/logo.png"><a id=go target=_blank href="/embedded">more</a>'
    })
    await open(`${servers.here}/attack`)
    await app.until(() => app.kinds().includes('open'), 'the page to open')
    expect(await run('return fetch("/loot").then((r) => r.text())')).toBe('ok')
    await run('document.getElementById("go").click()')
    await app.untilOpened(2, 'the second page to open')
    expect((await app.facts()).signingUrl).toBe(`${servers.here}/embedded`)
    expect(app.kinds()).not.toContain('refused')
    expect((await app.facts()).denied, 'warnings in the log').toEqual([])
    expect(servers.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/attack', '/embedded', '/logo.png', '/loot'])
    )
  })

  for (const [how, script] of [
    ['a link', `location = ${JSON.stringify(RETURN_ADDRESS)}`],
    ['a redirect', `location = "/redirect/302?to=${RETURN_ADDRESS}?status=signed"`],
    [
      'a form',
      `const f = document.createElement("form"); f.method = "post"; f.action = ${JSON.stringify(RETURN_ADDRESS)}; document.body.append(f); f.submit()`
    ]
  ] as const) {
    test(`comes back by ${how}, and the return address is never asked for`, async () => {
      servers.show({ body: '<title>sign</title><body>' })
      await open(`${servers.here}/attack`)
      await app.until(() => app.kinds().includes('open'), 'the page to open')
      await run(script)
      await app.until(() => app.kinds().includes('returned'), 'the page to come back')
      expect(app.kinds()).not.toContain('failed')
      expect(app.kinds().filter((kind) => kind === 'returned')).toHaveLength(1)
      expect((await app.facts()).denied, 'warnings in the log').toEqual([])
    })
  }
})

test.describe('the next signer', () => {
  const remember = `
    document.cookie = "signer=ana; path=/"; localStorage.setItem("signer", "ana"); sessionStorage.setItem("signer", "ana");
    await new Promise((r) => { const o = indexedDB.open("signer"); o.onsuccess = o.onerror = r });
    await caches.open("signer"); window.name = "ana"`
  const recall = `
    return [document.cookie, localStorage.getItem("signer"), sessionStorage.getItem("signer"),
      (await indexedDB.databases()).length, (await caches.keys()).length, window.name, history.length]`

  test('finds nothing of the one before', async () => {
    servers.show({ body: '<title>sign</title><input name=email autocomplete=email>' })
    await open(`${servers.here}/attack`)
    await app.until(() => app.kinds().includes('open'), 'the page to open')
    const nothing = await run(recall)
    expect(nothing).toEqual(['', null, null, 0, 0, '', expect.any(Number)])
    await run(remember)
    expect(await run(recall)).toEqual(['signer=ana', 'ana', 'ana', 1, 1, 'ana', expect.any(Number)])
    await app.say({ do: 'end' })
    expect((await app.facts()).pages).toBe(1)

    await app.forget()
    await open(`${servers.here}/attack`)
    await app.until(() => app.kinds().includes('open'), 'the page to open')
    expect(await run(recall)).toEqual(nothing)
  })
})

test('the servers do notice a visit: what they don’t report did not happen', async () => {
  await fetch(`http://${servers.elsewhere}/`)
  expect(servers.visits()).toEqual(['GET /'])
})
