/** Reaching the application from a signing page: its bridge, its windows, its own page. */
import type { Area } from '../attack.ts'
import { refusedBy } from './scripts.ts'

export const application: Area = {
  title: 'The application behind the page',
  about: 'The signing page and our own page lie in one window. Nothing leads from the one to the other.',
  by: 'signing page',
  guard: ['preferences'],
  sharesTurns: true,
  attacks: [
    {
      name: 'find anything of the application',
      script:
        'return ["countersign", "require", "process", "module", "ipcRenderer", "electron", "Buffer", "global", "__dirname", "webFrame", "contextBridge"].filter((name) => name in window)',
      answers: []
    },
    {
      name: 'find anything of the application in a frame that it makes',
      page: '<iframe id=f></iframe>',
      script:
        'const f = document.getElementById("f").contentWindow; return ["countersign", "require", "process", "ipcRenderer"].filter((name) => name in f)',
      answers: [],
      guard: ['browser']
    },
    {
      name: 'find Node in a worker',
      script:
        'const code = `postMessage(["require", "process", "Buffer"].filter((name) => name in self))`; const w = new Worker(URL.createObjectURL(new Blob([code]))); return new Promise((r) => { w.onmessage = (e) => r(e.data); w.onerror = () => r([]) })',
      answers: [],
      guard: ['browser']
    },
    {
      name: 'find what holds it',
      script: 'return Object.getOwnPropertyNames(window).filter((name) => /countersign|electron|host-/i.test(name))',
      answers: []
    },
    {
      name: 'use an element that holds other pages',
      script:
        'const w = document.createElement("webview"); w.src = "http://{elsewhere}/"; document.body.append(w); await new Promise((r) => setTimeout(r, 200)); return typeof w.loadURL',
      answers: 'undefined',
      guard: ['browser']
    },
    {
      name: 'reach the window it lies in',
      script: 'return [window.opener, window.parent === window, window.top === window, window.frameElement]',
      answers: [null, true, true, null],
      guard: ['browser']
    },
    {
      name: 'speak to the application by messages',
      script:
        'window.postMessage({ channel: "accounts.remove", args: [{ id: "a" }] }, "*"); top.postMessage("accounts.remove", "*"); const c = new BroadcastChannel("countersign"); c.postMessage("accounts.remove"); await new Promise((r) => setTimeout(r, 200))',
      guard: ['browser']
    },
    {
      name: 'share memory with what runs beside it',
      script: 'return [typeof SharedArrayBuffer, self.crossOriginIsolated]',
      guard: ['browser'],
      answers: ['undefined', false]
    },
    {
      name: 'speak to an extension',
      script: refusedBy(
        'new Promise((r, e) => chrome.runtime.sendMessage("abcdefghijklmnopabcdefghijklmnop", 1, (a) => a === undefined ? e() : r()))'
      ),
      guard: ['browser'],
      answers: 'refused'
    },
    {
      name: 'learn from our page what it shows',
      script: refusedBy('fetch("app://countersign/index.html", { mode: "no-cors" })'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'be asked for a certificate, a password or a phone',
      script: refusedBy(
        'navigator.credentials.get({ publicKey: { challenge: new Uint8Array(8), timeout: 500 } })',
        1500
      ),
      answers: 'refused',
      guard: ['browser']
    }
  ]
}
