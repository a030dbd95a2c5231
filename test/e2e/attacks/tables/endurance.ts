/** Never ending, ending badly, and overdoing everything. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'

const contained = 'It keeps only itself busy; the turn ends when we end it, and nothing of the page is left.'

/** Runs something that doesn't stop, and ends the turn in the middle of it. */
function untilEnded(name: string, script: string, more: Partial<Attack> = {}): Attack {
  return {
    name,
    contained,
    turnIs: 'ended',
    play: async (scene) => {
      await scene.run(`setTimeout(() => { ${script} }, 20)`)
      if (more.message) await scene.untilTold(more.message)
      await scene.pause(300)
      await scene.say({ do: 'end' })
    },
    ...more
  }
}

const failed = (scene: Scene) => scene.until(() => scene.kinds().includes('failed'), 'the turn to fail')

export const endurance: Area = {
  title: 'Never ending, and ending badly',
  about:
    'A page that hangs, crashes or floods us would keep the counter from the next person. It can spoil its own turn, and no more.',
  by: 'signing page',
  guard: ['end'],
  attacks: [
    untilEnded('run for ever', 'for (;;) {}'),
    untilEnded('run for ever in a worker', 'new Worker(URL.createObjectURL(new Blob(["for (;;) {}"])))'),
    untilEnded('call itself for ever', 'const f = () => { try { f() } finally { f() } }; f()'),
    untilEnded('reload itself for ever', 'localStorage.n = 1; location.reload()', {
      page: '<script>if (localStorage.n) setTimeout(() => location.reload(), 5)</script>'
    }),
    untilEnded(
      'send itself on for ever',
      'location = "/embedded?script=setTimeout(()=>location=%22/embedded?script=%22%2Bscript.text,5)"'
    ),
    untilEnded('show messages for ever', 'for (;;) alert("You are locked out")'),
    untilEnded('open windows for ever', 'setInterval(() => window.open("http://{elsewhere}/"), 5)', {
      message: 'unencrypted'
    }),
    untilEnded(
      'save files for ever',
      'setInterval(() => { const a = document.createElement("a"); a.download = "x"; a.href = "/file"; a.click() }, 5)',
      { message: 'save a file' }
    ),
    untilEnded(
      'ask for permissions for ever',
      'const again = () => Notification.requestPermission().then(() => setTimeout(again)); again()',
      { message: 'notifications' }
    ),
    untilEnded(
      'write its story for ever',
      'setInterval(() => { for (let i = 0; i < 100; i++) history.pushState({}, "", "#" + Math.random()) }, 5)'
    ),
    untilEnded(
      'talk for ever to the console',
      'setInterval(() => { for (let i = 0; i < 1000; i++) console.error("x".repeat(100)) }, 5)'
    ),
    untilEnded(
      'grow its page for ever',
      'setInterval(() => { for (let i = 0; i < 1000; i++) document.body.append(document.createElement("div")) }, 5)'
    ),
    untilEnded(
      'make frames for ever',
      'setInterval(() => { const f = document.createElement("iframe"); f.src = "/embedded"; document.body.append(f) }, 20)'
    ),
    untilEnded(
      'forbid to be left',
      'addEventListener("beforeunload", (e) => { e.preventDefault(); e.returnValue = "Stay?" }); addEventListener("unload", () => { for (;;) {} }); addEventListener("pagehide", () => { for (;;) {} })'
    ),
    {
      name: 'close itself, and leave the person before nothing',
      contained: 'The page stays, or the turn fails and offers a way on.',
      guard: ['end', 'hold'],
      mayEndItself: true,
      play: async (scene) => {
        await scene.run('setTimeout(() => window.close())')
        await scene.pause(300)
        const isThere = (await scene.facts()).view?.isVisible === true
        assert.ok(isThere || scene.kinds().includes('failed'))
      }
    },
    {
      name: 'crash, and leave the person before nothing',
      contained: 'The turn fails and offers a way on; our own page goes on.',
      turnIs: 'failed',
      play: async (scene) => {
        await scene.say({ do: 'crash-signing-page' })
        await failed(scene)
        assert.equal((await scene.facts()).view?.isVisible, false)
      }
    },
    {
      name: 'crash, and take the next signer’s turn with it',
      contained: 'The next turn is as if it had not happened.',
      play: async (scene) => {
        await scene.say({ do: 'crash-signing-page' })
        await failed(scene)
        await scene.next()
        assert.equal(await scene.run('return document.title'), 'sign')
      }
    },
    {
      name: 'never answer',
      contained: 'After a while the turn fails and offers a way on.',
      turnIs: 'failed',
      play: async (scene) => {
        await scene.say({ do: 'end' })
        await scene.begin('{here}/never', 1000)
        await failed(scene)
      }
    },
    {
      name: 'never answer in the middle of the turn',
      contained: 'After a while the turn fails and offers a way on.',
      turnIs: 'failed',
      play: async (scene) => {
        await scene.say({ do: 'end' })
        // Long enough for the page to open on a busy machine.
        await scene.begin('{here}/attack', 5000)
        await scene.untilOpened(2)
        await scene.run('location = "/never"')
        await failed(scene)
      }
    },
    {
      name: 'fill staff’s list with one thing that it tries again and again',
      contained: 'The same thing is reported once a second.',
      play: async (scene) => {
        await scene.run('for (let i = 0; i < 200; i++) new Image().src = "http://{elsewhere}/" + i')
        await scene.untilTold('unencrypted')
        assert.ok(scene.refusals().length <= 3, `told ${scene.refusals().length} times`)
      }
    },
    {
      name: 'fill staff’s list with a thousand things that it tries',
      contained: 'A turn tells of so much and no more.',
      play: async (scene) => {
        await scene.run('for (let i = 0; i < 1000; i++) new Image().src = "http://host-" + i + ".example/"')
        await scene.untilTold('unencrypted')
        assert.ok(scene.refusals().length <= 200, `told ${scene.refusals().length} things`)
      }
    },
    {
      name: 'write a long story into staff’s list',
      contained: 'Only the host is named, cut short.',
      play: async (scene) => {
        const long = Array.from({ length: 4 }, () => 'a'.repeat(60)).join('.')
        await scene.run(`new Image().src = "http://${long}.example/?secret=ana"`)
        await scene.untilTold('unencrypted')
        for (const text of scene.refusals()) assert.ok(text.length < 200 && !text.includes('secret'), text)
      }
    }
  ]
}
