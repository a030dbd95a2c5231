/** What a page does while it is covered, and how it might get back to the person. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'

/** Covers the page, lets it try, and checks that it stays out of sight, silent and without the keyboard. */
function whileCovered(name: string, script: string, then?: (scene: Scene) => Promise<void>): Attack {
  return {
    name,
    page: '<input id=i><audio id=a></audio>',
    play: async (scene) => {
      await scene.say({ do: 'cover' })
      await scene.run(script)
      await scene.pause(200)
      await then?.(scene)
      const { view } = await scene.facts()
      assert.deepEqual(
        { isVisible: view?.isVisible, isMuted: view?.isMuted, hasKeyboard: view?.hasKeyboard },
        { isVisible: false, isMuted: true, hasKeyboard: false }
      )
    }
  }
}

const SOUND =
  'const c = new AudioContext(); const o = c.createOscillator(); o.connect(c.destination); o.start(); await c.resume()'

export const covered: Area = {
  title: 'While the page is covered',
  about:
    'When the person needs a moment, when staff are called or no one is there, the page is covered: what was on it must not be seen or heard, and keys must not reach it.',
  by: 'signing page',
  guard: ['view'],
  attacks: [
    whileCovered('be heard while it is covered', SOUND),
    whileCovered('speak while it is covered', 'speechSynthesis.speak(new SpeechSynthesisUtterance("Sign now"))'),
    whileCovered('take the keyboard while it is covered', 'window.focus(); document.getElementById("i").focus()'),
    whileCovered(
      'take the keyboard again and again',
      'window.n = setInterval(() => { window.focus(); document.getElementById("i").focus() }, 10)'
    ),
    whileCovered('fill the screen while it is covered', 'document.documentElement.requestFullscreen().catch(() => {})'),
    whileCovered('show itself by a message', 'alert("Sign now"); confirm("Sign now?")'),
    whileCovered('show itself by a notice', 'try { new Notification("Sign now") } catch {}'),
    whileCovered('show itself by opening a window', 'window.open("/embedded")', async (scene) => {
      await scene.untilOpened(2, 'the window’s page in place')
      assert.ok(scene.paths().includes('/embedded'))
      await scene.run('location = "/attack"')
      await scene.untilOpened(3)
    }),
    whileCovered('show itself by reloading', 'location.reload()', (scene) => scene.untilOpened(2)),
    {
      name: 'be heard before it is shown anything of',
      page: '<audio id=a></audio>',
      script: 'return new AudioContext().state',
      play: async (scene) => {
        await scene.say({ do: 'cover' })
        await scene.next()
        assert.equal((await scene.facts()).view?.isVisible, true)
      }
    },
    {
      name: 'have what is typed while it is covered',
      page: '<input id=i autofocus>',
      play: async (scene) => {
        await scene.run('document.getElementById("i").focus()')
        await scene.say({ do: 'cover' })
        assert.equal((await scene.facts()).view?.hasKeyboard, false)
        await scene.runInOwnPage('return document.hasFocus()')
        assert.equal(await scene.run('return document.getElementById("i").value'), '')
      }
    }
  ]
}
