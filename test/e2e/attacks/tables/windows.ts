/** Windows and dialogs: anything that would lie over our frame or outlive the turn. */
import type { Area } from '../attack.ts'
import { byScript, click, refusedBy } from './scripts.ts'

const clickWith = (keys: string): string =>
  `document.getElementById("go").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window, ${keys} }))`

export const windows: Area = {
  title: 'Windows and dialogs',
  about:
    'A window of the page’s own would have no frame of ours around it, would lie over everything and could stay when the turn is over. Dialogs hold the screen or ask for secrets in the system’s look.',
  by: 'signing page',
  guard: ['windows'],
  sharesTurns: true,
  attacks: [
    { name: 'open a window elsewhere', script: 'window.open("http://{elsewhere}/")', message: 'unencrypted' },
    {
      name: 'open a small window over everything',
      script: 'window.open("http://{elsewhere}/", "x", "width=9999,height=9999,left=0,top=0")',
      message: 'unencrypted'
    },
    {
      name: 'open a window that forgets who opened it',
      script: 'window.open("http://{elsewhere}/", "_blank", "noopener,noreferrer")',
      message: 'unencrypted'
    },
    {
      name: 'open an empty window to write into',
      script: 'const w = window.open("about:blank"); try { w?.document.write("bank") } catch {}'
    },
    {
      name: 'open a window and send it on later',
      script:
        'const w = window.open(""); await new Promise((r) => setTimeout(r, 100)); try { if (w) w.location = "http://{elsewhere}/" } catch {}'
    },
    {
      name: 'open a window by a link',
      ...click('<a id=go target=_blank href="http://{elsewhere}/">go</a>'),
      message: 'unencrypted'
    },
    {
      name: 'open a window by a click with Ctrl held',
      page: '<a id=go href="http://{elsewhere}/">go</a>',
      script: clickWith('ctrlKey: true'),
      message: 'unencrypted'
    },
    {
      name: 'open a window by a click with Shift held',
      page: '<a id=go href="http://{elsewhere}/">go</a>',
      script: clickWith('shiftKey: true'),
      message: 'unencrypted'
    },
    {
      name: 'open a window by a form',
      ...click(
        '<form target=_blank action="http://{elsewhere}/" method=post><input name=a value=b><button id=go>go</button></form>'
      )
    },
    {
      name: 'open a window from within a frame',
      page: '<iframe id=f src="/embedded"></iframe>',
      script:
        'await new Promise((r) => setTimeout(r, 200)); document.getElementById("f").contentWindow.open("http://{elsewhere}/")',
      message: 'unencrypted'
    },
    {
      name: 'open a window with our pages',
      script: 'window.open("app://countersign/index.html")',
      message: 'isn’t a web page'
    },
    { name: 'open a window with a file', script: 'window.open("file:///etc/passwd")', guard: ['browser'] },
    { name: 'open a window with a script', script: 'window.open("javascript:document.write(1)")' },
    {
      name: 'open a window with a blob',
      script: 'window.open(URL.createObjectURL(new Blob(["bank"], { type: "text/html" })))',
      message: 'isn’t a web page'
    },
    {
      name: 'open one window after the other',
      script:
        'for (let i = 0; i < 6; i++) { window.open("http://{elsewhere}/" + i); await new Promise((r) => setTimeout(r, 100)) }',
      message: 'unencrypted'
    },
    ...byScript('unencrypted', [
      ['open a window by its name', 'open("http://{elsewhere}/", "other")'],
      ['open a window as a panel', 'open("http://{elsewhere}/", "", "popup,width=100,height=100")'],
      [
        'open a window by a base for all links',
        'document.getElementById("go").click()',
        '<base target=_blank><a id=go href="http://{elsewhere}/">go</a>'
      ],
      [
        'open a window by a map in a picture',
        'document.getElementById("go").click()',
        '<img usemap="#m" src="data:,"><map name=m><area id=go target=_blank href="http://{elsewhere}/" shape=default></map>'
      ],
      [
        'open a window by a link in a drawing',
        'document.getElementById("go").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
        '<svg><a id=go target=_blank href="http://{elsewhere}/"><text y=20>go</text></a></svg>'
      ],
      [
        'open a window by a link that keeps who opened it',
        'document.getElementById("go").click()',
        '<a id=go rel=opener target=_blank href="http://{elsewhere}/">go</a>'
      ],
      [
        'open a window by a form that asks',
        'document.forms[0].submit()',
        '<form target=_blank action="http://{elsewhere}/"></form>'
      ],
      ['open a window a little later', 'setTimeout(() => open("http://{elsewhere}/"), 50)'],
      [
        'open a window from a frame that it wrote itself',
        'document.getElementById("f").contentWindow.open("http://{elsewhere}/")',
        '<iframe id=f srcdoc="x"></iframe>'
      ],
      [
        'open a window from a shut frame that may open some',
        'document.body.insertAdjacentHTML("beforeend", \'<iframe sandbox="allow-scripts allow-popups" srcdoc="<script>open(`http://{elsewhere}/`)</script>"></iframe>\')',
        '<body>'
      ]
    ]),
    {
      name: 'open a window that stays over all others',
      script:
        'await window.documentPictureInPicture?.requestWindow({ width: 400, height: 400 }).catch(() => {}); await new Promise((r) => setTimeout(r, 500)); return window.documentPictureInPicture?.window ?? null',
      answers: null,
      guard: ['browser']
    },
    {
      name: 'put a film over all windows',
      page: '<video id=v muted></video>',
      script: `const v = document.getElementById("v"); const c = document.createElement("canvas"); const x = c.getContext("2d"); setInterval(() => x.fillRect(0, 0, 9, Math.random() * 9), 20); v.srcObject = c.captureStream(25); await Promise.race([v.play(), new Promise((r) => setTimeout(r, 2000))]); ${refusedBy('v.requestPictureInPicture()')}`,
      guard: ['policy'],
      answers: 'refused'
    },
    {
      name: 'hold the screen with a message',
      script: 'alert("You are locked out"); return confirm("Pay?")',
      guard: ['preferences', 'policy'],
      answers: false
    },
    {
      name: 'hold the screen with messages without end',
      script: 'for (let i = 0; i < 200; i++) alert("You are locked out"); return "over"',
      guard: ['preferences', 'policy'],
      contained: 'No message is ever shown; the page only keeps itself busy.',
      answers: 'over'
    },
    {
      name: 'ask for a secret in a box',
      script: 'return prompt("Your password?")',
      guard: ['preferences', 'policy'],
      answers: null
    },
    {
      name: 'hold the person back with “Leave this page?”',
      guard: ['end'],
      contained: 'The turn ends when we end it; the page isn’t asked.',
      turnIs: 'ended',
      play: async (scene) => {
        await scene.run('addEventListener("beforeunload", (e) => { e.preventDefault(); e.returnValue = "Stay?" })')
        await scene.say({ do: 'end' })
      }
    },
    {
      name: 'move and resize the window it lies in',
      script: 'window.moveTo(0, 0); window.resizeTo(100, 100); window.moveBy(50, 50); window.resizeBy(50, 50)',
      guard: ['browser']
    },
    {
      name: 'ask for money in the browser’s own sheet',
      script: refusedBy(
        'new PaymentRequest([{ supportedMethods: "https://evil.example/pay" }], { total: { label: "Fee", amount: { currency: "EUR", value: "1" } } }).show()'
      ),
      guard: ['browser'],
      answers: 'refused'
    },
    {
      name: 'ask for a passkey or a password that is kept here',
      script: refusedBy(
        'navigator.credentials.get({ password: true, mediation: "silent" }).then((found) => found ?? Promise.reject())'
      ),
      guard: ['browser'],
      answers: 'refused'
    },
    {
      name: 'hand something to another program by sharing',
      script: refusedBy('(navigator.share?.({ url: "https://evil.example/" }) ?? Promise.reject())'),
      guard: ['browser'],
      answers: 'refused'
    },
    {
      name: 'become the program for a kind of link',
      script:
        'try { navigator.registerProtocolHandler("web+sign", location.origin + "/?%s") } catch {}; const a = document.createElement("a"); a.href = "web+sign:x"; document.body.append(a); a.click()',
      guard: ['browser']
    }
  ]
}
