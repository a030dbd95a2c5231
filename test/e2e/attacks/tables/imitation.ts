/** Looking like us: what the page shows within its rectangle is its own affair, what lies around it is ours. */
import type { Area, Attack } from '../attack.ts'
import { shows } from './scripts.ts'

const contained = 'It shows within its rectangle; our frame around it, with the name of the server, stays as it was.'

function imitates(name: string, script: string, more: Partial<Attack> = {}): Attack {
  return { name, page: '<body>', script, contained, ...more }
}

export const imitation: Area = {
  title: 'Imitating us',
  about:
    'A page may paint whatever it likes. After each of these our window has the title it had, the page lies exactly where we put it, and the frame around it is our own.',
  by: 'signing page',
  guard: ['view'],
  sharesTurns: true,
  attacks: [
    imitates(
      'look like our handover screen',
      shows(
        '<div style="position:fixed;inset:0;z-index:2147483647;background:white"><h1>Please hand the screen to Max</h1><button>I’m Max – start</button></div>'
      )
    ),
    imitates(
      'look like our return screen, and ask for staff’s PIN',
      shows(
        '<div style="position:fixed;inset:-100px;z-index:2147483647;background:white"><h1>Thank you</h1><p>Please give the screen back to staff.</p><input type=password aria-label="Staff PIN"></div>'
      )
    ),
    imitates(
      'lie over everything in the top layer',
      'const d = document.createElement("dialog"); d.style = "width:200vw;height:200vh;margin:-50vh"; d.textContent = "Thank you"; document.body.append(d); d.showModal()'
    ),
    imitates(
      'lie over everything as a popover',
      'const d = document.createElement("div"); d.popover = "manual"; d.style = "position:fixed;inset:-500px;width:5000px;height:5000px"; document.body.append(d); d.showPopover()'
    ),
    imitates(
      'reach over its edges by its own styles',
      'document.documentElement.style = "position:fixed;top:-400px;left:-400px;width:5000px;height:5000px;transform:scale(5)"'
    ),
    imitates(
      'reach over its edges by zooming',
      'document.body.style.zoom = 10; visualViewport; document.head.insertAdjacentHTML("beforeend", "<meta name=viewport content=\'width=50,initial-scale=9\'>")'
    ),
    imitates('take our title', 'document.title = "Countersign — Thank you"'),
    imitates(
      'change our title again and again',
      'let n = 0; window.n = setInterval(() => { document.title = "Countersign " + n++ }, 5); await new Promise((r) => setTimeout(r, 300))'
    ),
    imitates(
      'take our icon',
      shows('<link rel=icon href="data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\'/>">')
    ),
    imitates(
      'paint an address bar of its own',
      shows('<div style="position:fixed;top:0;left:0;right:0;font:16px system-ui">🔒 https://sign.example.com</div>')
    ),
    imitates('hide the pointer', 'document.documentElement.style.cursor = "none"'),
    imitates(
      'put another pointer beside the real one',
      `document.documentElement.style.cursor = "url('data:image/svg+xml,<svg xmlns=\\'http://www.w3.org/2000/svg\\' width=\\'128\\' height=\\'128\\'/>') 0 0, auto"`
    ),
    imitates('colour the window’s bar', shows('<meta name=theme-color content="#ff0000">')),
    imitates(
      'put a menu of its own under the right button',
      'addEventListener("contextmenu", (e) => { e.preventDefault(); document.body.insertAdjacentHTML("beforeend", "<menu style=position:fixed>Sign all</menu>") }); document.body.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }))'
    ),
    imitates(
      'keep the keys for itself',
      'for (const type of ["keydown", "keypress", "keyup"]) addEventListener(type, (e) => { e.preventDefault(); e.stopImmediatePropagation() }, true)',
      {
        contained:
          'Within the page they are its own; those that lead out of it to our frame are taken before it sees them.'
      }
    ),
    imitates(
      'move its address to look like another',
      'history.replaceState({}, "", "/attack#https://sign.example.com/thank-you")'
    ),
    {
      name: 'move its address to another server’s',
      script:
        'try { history.replaceState({}, "", "https://sign.example.com/"); return "granted" } catch { return "refused" }',
      guard: ['browser'],
      answers: 'refused'
    }
  ]
}
