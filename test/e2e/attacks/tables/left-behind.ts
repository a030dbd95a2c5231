/** What one signer's page leaves for the next one's, in every place where a browser keeps things. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'
import { KEPT, type Keeping } from './kept.ts'
import { refusedBy } from './scripts.ts'

const PAGE = '<form><input name=email autocomplete=email></form><div style="height:5000px"></div>'

function leavesNothing({ what, plant, recall, planted, nothing, isOfPage, endsWithPage }: Keeping): Attack {
  return {
    ...(isOfPage && { guard: ['browser'] as const }),
    ...(endsWithPage && { guard: ['end'] as const }),
    name: `find the ${what} of the signer before`,
    page: PAGE,
    play: async (scene) => {
      assert.deepEqual(await scene.run(recall), nothing, 'before')
      await scene.run(plant)
      assert.deepEqual(await scene.run(recall), planted, 'planted')
      await scene.next()
      assert.deepEqual(await scene.run(recall), nothing, 'in the next turn')
    }
  }
}

const cookiesSent = (scene: Scene) => scene.servers.requests.map(({ headers }) => headers.cookie).filter(Boolean)

/** What the network side keeps, as seen by the server that gets the requests. */
const ON_THE_WIRE: readonly Attack[] = [
  {
    name: 'be sent the cookie of the signer before, which scripts can’t see',
    play: async (scene) => {
      await scene.run(
        'await fetch("/say?h=" + encodeURIComponent("Set-Cookie:signer=ana; HttpOnly; Max-Age=9999")); await fetch("/seen")'
      )
      assert.deepEqual(cookiesSent(scene), ['signer=ana'])
      scene.servers.requests.length = 0
      await scene.next()
      await scene.run('await fetch("/seen")')
      assert.deepEqual(cookiesSent(scene), [])
    }
  },
  {
    name: 'find an answer in the browser’s cache that names the signer before',
    play: async (scene) => {
      const first = await scene.run('return (await fetch("/count")).text()')
      assert.equal(await scene.run('return (await fetch("/count")).text()'), first)
      await scene.next()
      assert.notEqual(await scene.run('return (await fetch("/count")).text()'), first)
    }
  },
  {
    name: 'be asked with the mark of an answer that the signer before was given',
    play: async (scene) => {
      const marks = () => scene.servers.requests.map(({ headers }) => headers['if-none-match']).filter(Boolean)
      await scene.run('for (let i = 0; i < 2; i++) await fetch("/count?kept=no-cache")')
      assert.equal(marks().length, 1)
      scene.servers.requests.length = 0
      await scene.next()
      await scene.run('await fetch("/count?kept=no-cache")')
      assert.deepEqual(marks(), [])
    }
  },
  {
    name: 'be led by a lasting redirect that the signer before was given',
    play: async (scene) => {
      const times = () => scene.paths().filter((path) => path.startsWith('/redirect/301')).length
      await scene.run('for (let i = 0; i < 2; i++) await fetch("/redirect/301?to=/embedded")')
      assert.equal(times(), 1)
      await scene.next()
      await scene.run('await fetch("/redirect/301?to=/embedded")')
      assert.equal(times(), 2)
    }
  },
  {
    name: 'leave a log-in for the next signer’s page to be logged in with',
    guard: ['request'],
    script:
      'await new Promise((r) => { const x = new XMLHttpRequest(); x.onloadend = r; x.open("GET", "/log-in", true, "ana", "secret"); x.send(); setTimeout(r, 1000) })',
    message: 'log in',
    neverAsked: '/log-in'
  },
  {
    name: 'ask the signer for a password in a box of the browser’s',
    script: refusedBy('fetch("/log-in").then(({ ok }) => (ok ? 1 : Promise.reject()))', 1000),
    answers: 'refused',
    guard: ['browser']
  }
]

const STILL_THERE: readonly Attack[] = [
  {
    name: 'hear from the signer before over a channel',
    guard: ['end'],
    play: async (scene) => {
      await scene.run('const c = new BroadcastChannel("signer"); setInterval(() => c.postMessage("ana"), 20)')
      await scene.next()
      assert.equal(
        await scene.run(
          'return new Promise((r) => { new BroadcastChannel("signer").onmessage = (e) => r(e.data); setTimeout(r, 400, "nothing") })'
        ),
        'nothing'
      )
    }
  },
  {
    name: 'meet a shared worker of the signer before',
    guard: ['end'],
    play: async (scene) => {
      const worker =
        'new SharedWorker("/say?type=text/javascript&body=" + encodeURIComponent("let n = 0; onconnect = (e) => e.ports[0].postMessage(++n)"), "w")'
      const meet = `return new Promise((r) => { try { ${worker}.port.onmessage = (e) => r(e.data) } catch { r(0) } setTimeout(r, 700, 0) })`
      await scene.run(meet)
      await scene.next()
      assert.ok(Number(await scene.run(meet)) <= 1)
    }
  },
  {
    name: 'be served by a service worker of the signer before',
    guard: ['session'],
    play: async (scene) => {
      const plant =
        'return navigator.serviceWorker.register("/say?type=text/javascript&body=" + encodeURIComponent("onfetch = (e) => e.respondWith(new Response(\'ana\'))"), { scope: "/say" }).then(() => 1, () => 0)'
      await scene.run(`${plant}`)
      await scene.next()
      assert.equal(await scene.run('return (await navigator.serviceWorker.getRegistrations()).length'), 0)
      assert.equal(await scene.run('return (await fetch("/say?body=service")).text()'), 'service')
    }
  },
  {
    name: 'go on asking after its turn has ended',
    turnIs: 'ended',
    play: async (scene) => {
      await scene.run(
        'setInterval(() => fetch("/still"), 10); addEventListener("pagehide", () => navigator.sendBeacon("http://{elsewhere}/"))'
      )
      await scene.until(() => scene.paths().includes('/still'), 'the page to ask')
      await scene.say({ do: 'end' })
      scene.servers.requests.length = 0
      await scene.pause(300)
      assert.deepEqual(scene.paths(), [])
    },
    guard: ['end']
  },
  {
    name: 'go back to the page of the signer before',
    page: PAGE,
    play: async (scene) => {
      await scene.run('history.pushState({}, "", "#ana"); history.pushState({}, "", "#ana2")')
      const own = await scene.run('return history.length')
      await scene.next()
      assert.ok(Number(await scene.run('return history.length')) < Number(own))
      assert.equal(
        await scene.run('history.go(-1); await new Promise((r) => setTimeout(r, 200)); return location.hash'),
        ''
      )
      assert.equal(await scene.run('return navigation.entries().length'), 1)
    },
    guard: ['browser']
  },
  {
    name: 'find its size changed for the signer before',
    page: PAGE,
    guard: ['view'],
    play: async (scene) => {
      const size = await scene.run('return innerWidth')
      await scene.say({ do: 'zoom', factor: 2 })
      await scene.pause(100)
      assert.notEqual(await scene.run('return innerWidth'), size)
      await scene.next()
      assert.equal(await scene.run('return innerWidth'), size)
    }
  },
  {
    name: 'find anything of a signer in a session that is used again, many signers later',
    page: PAGE,
    play: async (scene) => {
      for (const { plant } of KEPT) await scene.run(plant)
      const answer = await scene.run(
        'await fetch("/say?h=" + encodeURIComponent("Set-Cookie:signer=ana; HttpOnly; Max-Age=9999")); return (await fetch("/count")).text()'
      )
      const { sessions } = await scene.facts()
      for (let signer = 0; signer < MORE_THAN_SESSIONS; signer++) {
        scene.servers.requests.length = 0
        await scene.next()
        const [answered, ...found] = (await scene.run(RECALL_ALL)) as unknown[]
        assert.deepEqual(
          found,
          KEPT.map(({ nothing }) => nothing)
        )
        assert.notEqual(answered, answer)
        assert.deepEqual(cookiesSent(scene), [])
      }
      assert.ok((await scene.facts()).sessions < sessions + MORE_THAN_SESSIONS, 'a session was used again')
    }
  }
]

const RECALL_ALL = `return Promise.all([fetch("/count").then((r) => r.text()), ${KEPT.map(({ recall }) => `(async () => { ${recall} })()`).join(', ')}])`

/** One more than there are sessions, so that the first is reused. */
const MORE_THAN_SESSIONS = 26

export const leftBehind: Area = {
  title: 'What is left of the signer before',
  about:
    'The next signer’s page is the same service’s, and could be told by anything that was kept: who was here, what they typed, whom they are. Each row first shows that the thing is kept within a turn, then that the next turn finds none.',
  by: 'signing page',
  guard: ['session'],
  attacks: [...KEPT.map(leavesNothing), ...ON_THE_WIRE, ...STILL_THERE]
}
