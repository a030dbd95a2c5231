/** What the signing page's view does for the person and for staff, and what it holds back, in the real browser. */
import { expect, test } from 'playwright/test'
import { SESSIONS_BEFORE_REUSE } from '../../../src/main/shell/session-pool.ts'
import { openSite, type Site } from '../../host/fixture/start.ts'
import { AttackedApp } from './attacked-app.ts'
import type { Command, Facts, Input, Report } from './control.ts'

/** Chromium starts a separate worker for a page; this one answers the request for every document. */
const WORKER = `onfetch = (event) => event.request.mode === 'navigate' &&
  event.respondWith(new Response('<title>forged</title>', { headers: { 'content-type': 'text/html' } }))`

let site: Site
let app: AttackedApp
let page = ''
/** The languages in which the page was last requested. */
let requestedLanguages: string | undefined

test.beforeAll(async () => {
  site = await openSite({
    '/': (request, response) => {
      requestedLanguages = request.headers['accept-language']
      response.setHeader('content-type', 'text/html').end(`<!doctype html>${page}`)
    },
    '/worker.js': (_request, response) => response.setHeader('content-type', 'text/javascript').end(WORKER)
  })
  app = await AttackedApp.start()
})

test.afterAll(async () => {
  await app.stop()
  await site.close()
})

test.beforeEach(() => app.forget())
test.afterEach(() => app.say({ do: 'end' }))

/** Opens a signer's turn on a page with this HTML; `more` overrides the command. */
async function open(html: string, more: Partial<Extract<Command, { do: 'open' }>> = {}): Promise<void> {
  page = html
  const turn = {
    url: `${site.origin}/`,
    allowedOrigins: [],
    returnAddresses: [],
    languages: 'en',
    practiceOrigin: site.origin
  }
  await app.say({ do: 'open', turn, timeoutMs: 20_000, lookups: {}, ...more })
  await app.until(() => app.kinds().includes('open'), 'the page to open')
}

const run = (script: string) => app.say({ do: 'run-in-signing-page', script: `(async () => { ${script} })()` })
const input = (...events: Input[]) => app.say({ do: 'input', events })
const texts = () => app.reports.flatMap((report) => (report.kind === 'refused' ? [report.text] : []))
const questions = () =>
  app.reports.filter((report): report is Extract<Report, { kind: 'asks-for' }> => report.kind === 'asks-for')
const failure = () =>
  app.reports.find((report): report is Extract<Report, { kind: 'failed' }> => report.kind === 'failed')
const untilRefused = (text: string) => app.until(() => texts().includes(text), text)

function click(x: number, y: number): Promise<unknown> {
  const at = { x, y, button: 'left', clickCount: 1 } as const
  return input({ type: 'mouseMove', ...at }, { type: 'mouseDown', ...at }, { type: 'mouseUp', ...at })
}

test('a page is asked for in the languages of its turn, and the next one in those of its own', async () => {
  const turn = { url: `${site.origin}/`, allowedOrigins: [], returnAddresses: [], practiceOrigin: site.origin }
  await open('<p>Kia ora', { turn: { ...turn, languages: 'mi,en' } })
  expect(requestedLanguages).toBe('mi,en;q=0.9')
  await app.say({ do: 'end' })
  app.forget()
  await open('<p>Hello')
  expect(requestedLanguages).toBe('en')
})

test.describe('a page can’t print', () => {
  const PRINTED = 'It tried to print.'
  const watched = (script: string) => run(`let begun = 0; onbeforeprint = () => begun++; ${script}; return begun`)

  for (const [how, script] of [
    ['by itself', 'print()'],
    ['by another name', 'Reflect.apply(window.print, window, []); Window.prototype.print?.call(window)'],
    ['after putting its own method back', 'delete window.print; window.print = undefined; print()'],
    [
      'from an empty frame',
      'const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.onbeforeprint = () => begun++; f.contentWindow.print()'
    ],
    [
      'with the method of an empty frame',
      'const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.print.call(window)'
    ],
    [
      'from a frame with a text of its own',
      'const f = document.createElement("iframe"); f.srcdoc = "<script>print()</scr" + "ipt>"; document.body.append(f); await new Promise((r) => (f.onload = r))'
    ],
    [
      'from a frame of the service',
      'const f = document.createElement("iframe"); f.src = "/frame"; document.body.append(f); await new Promise((r) => (f.onload = r)); f.contentWindow.print()'
    ],
    ['by an address', 'location.href = "javascript:print()"; await new Promise((r) => setTimeout(r, 100))']
  ] as const) {
    test(how, async () => {
      await open('<title>sign</title><body>')
      expect(await watched(script)).toBe(0)
      await untilRefused(PRINTED)
    })
  }

  test('as it loads', async () => {
    await open('<title>sign</title><script>print()</script>')
    await untilRefused(PRINTED)
  })

  test('by a command for editors', async () => {
    await open('<title>sign</title><body>')
    expect(await watched('document.execCommand("print")')).toBe(0)
  })
})

test.describe('a page gets no file of this computer', () => {
  const ASKED = 'It asked for a file on this computer.'
  const choosers: [how: string, html: string][] = [
    ['from a field', '<input type=file id=go>'],
    ['from a field for many', '<input type=file multiple id=go>'],
    ['from a field for a folder', '<input type=file webkitdirectory id=go>'],
    [
      'from a field in a frame',
      '<iframe id=go style="width:200px;height:200px;border:0" srcdoc="<body style=margin:0><input type=file style=height:200px;width:200px>"></iframe>'
    ],
    ['from a button', '<button id=go onclick="said = showOpenFilePicker()">go</button>'],
    ['from a button that saves', '<button id=go onclick="said = showSaveFilePicker()">go</button>'],
    ['from a button that opens folders', '<button id=go onclick="said = showDirectoryPicker()">go</button>']
  ]
  for (const [how, html] of choosers) {
    test(how, async () => {
      await open(
        `<title>sign</title><style>body{margin:0}#go{display:block;width:200px;height:200px}</style><script>var said</script>${html}`
      )
      // A click before a frame is laid out hits nothing: the person would click again.
      await expect(async () => {
        await click(100, 100)
        const refusal = app.reports.find((each) => each.kind === 'refused' && each.text === ASKED)
        expect(refusal).toMatchObject({ requested: 'file' })
      }).toPass({ intervals: [300] })
      const script = 'return said ? said.then(() => "given", (error) => error.name) : "nothing"'
      expect(['nothing', 'AbortError']).toContain(await run(script))
      expect(await run('return document.querySelector("input")?.files.length ?? 0')).toBe(0)
    })
  }
})

test.describe('a page can’t hold the person', () => {
  test('with boxes without end', async () => {
    await open('<title>sign</title>')
    expect(
      await run(
        'const said = new Set(); for (let i = 0; i < 500; i++) { said.add(alert(i)); said.add(confirm(i)); said.add(prompt(i)) } return [...said]'
      )
    ).toEqual([null, false, null])
  })

  test('by asking whether to leave', async () => {
    await open('<title>sign</title><body style="height:300px">')
    await click(50, 50)
    await run(
      'onbeforeunload = (event) => { event.preventDefault(); return "stay" }; setTimeout(() => (location = "/next"))'
    )
    await app.untilOpened(2, 'the next page to open')
  })

  test('by a worker that answers for the service', async () => {
    await open('<title>sign</title>')
    await run('await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready')
    await run('setTimeout(() => (location = "/later"))')
    await app.untilOpened(2, 'the next page to open')
    expect(await run('return document.title')).toBe('/later')
    expect(site.requestedPaths).toContain('/later')
  })

  test('once the connection that holds it is lost', async () => {
    await open('<title>sign</title>')
    await app.say({ do: 'let-go' })
    await app.until(() => failure() !== undefined, 'the turn to fail')
    expect(failure()?.text).toContain('isolated safely')
  })
})

test.describe('camera and microphone', () => {
  const use = (what: string) =>
    `navigator.mediaDevices.getUserMedia(${what}).then((s) => s.getTracks().map((t) => t.kind).sort().join(), (e) => e.name)`
  const labels =
    'navigator.mediaDevices.enumerateDevices().then((all) => all.some(({ label, deviceId }) => label !== "" || deviceId !== ""))'
  const state = (name: string) => `navigator.permissions.query({ name: "${name}" }).then(({ state }) => state)`

  test('are refused where nothing in the turn asks for them, and staff is not asked', async () => {
    await open('<title>sign</title>')
    expect(await run(`return ${use('{ video: true }')}`)).toBe('NotAllowedError')
    expect(questions()).toEqual([])
    await untilRefused('It asked for the camera or microphone.')
  })

  test('are asked of staff, and shown once it says yes; until then nothing of them is told', async () => {
    await open('<title>sign</title>', { media: 'ask' })
    expect(await run(`return [await ${labels}, await ${state('camera')}]`)).toEqual([false, 'denied'])
    const got = run(`return ${use('{ video: true }')}`)
    await app.until(() => questions().length > 0, 'the question')
    expect(questions()).toEqual([{ kind: 'asks-for', devices: ['camera'] }])
    expect(await run(`return ${state('camera')}`)).toBe('denied')
    await app.say({ do: 'media', right: 'yes' })
    await app.say({ do: 'answer', granted: true })
    expect(await got).toBe('video')
    expect(await run(`return [await ${state('camera')}, await ${state('microphone')}]`)).toEqual(['granted', 'denied'])
    expect(await run(`return ${labels}`)).toBe(true)
    expect(texts()).toEqual([])
  })

  test('are given at once where staff has said yes before', async () => {
    await open('<title>sign</title>', { media: 'yes' })
    expect(await run(`return [await ${state('microphone')}, await ${labels}]`)).toEqual(['denied', false])
    expect(await run(`return ${use('{ video: true, audio: true }')}`)).toBe('audio,video')
    expect(questions()).toEqual([])
  })

  test('are one question, however often the page asks, and not asked again right after a no', async () => {
    await open('<title>sign</title>', { media: 'ask' })
    const got = run(`return Promise.all([${use('{ video: true }')}, ${use('{ video: true }')}])`)
    await app.until(() => questions().length > 0, 'the question')
    await app.say({ do: 'answer', granted: false })
    expect(await got).toEqual(['NotAllowedError', 'NotAllowedError'])
    expect(await run(`return ${use('{ audio: true }')}`)).toBe('NotAllowedError')
    expect(questions()).toHaveLength(1)
  })

  test('are for calls as well, which a page makes to nobody otherwise', async () => {
    await open('<title>sign</title>')
    expect(await run('return typeof RTCPeerConnection')).toBe('undefined')
    await app.say({ do: 'end' })
    await app.forget()
    await open('<title>sign</title>', { media: 'ask' })
    expect(await run('return typeof RTCPeerConnection')).toBe('function')
  })

  test('are not waited for by a page that has ended', async () => {
    await open('<title>sign</title>', { media: 'ask' })
    await run(`${use('{ video: true }')}`)
    await app.until(() => questions().length > 0, 'the question')
    await app.say({ do: 'end' })
    await app.say({ do: 'answer', granted: true })
    expect((await facts()).pages).toBe(1)
  })

  test('are the next signer’s to ask for again', async () => {
    await open('<title>sign</title>', { media: 'yes' })
    await run(`return ${use('{ video: true }')}`)
    await app.say({ do: 'end' })
    await app.forget()
    await open('<title>sign</title>', { media: 'yes' })
    expect(await run(`return [await ${state('camera')}, await ${labels}]`)).toEqual(['denied', false])
  })
})

test.describe('staff', () => {
  test('prints what is shown', async () => {
    await open('<title>sign</title><h1>Contract</h1>')
    await app.say({ do: 'print' })
  })

  test('keeps what is shown as a PDF', async () => {
    await open('<title>sign</title><h1>Contract</h1>')
    expect(await app.say({ do: 'pdf' })).toMatch(/^%PDF-/)
  })

  test('is told where there is nothing to print', async () => {
    await open('<title>sign</title>')
    await app.say({ do: 'let-go' })
    await app.until(() => failure() !== undefined, 'the turn to fail')
    await expect(app.say({ do: 'print' })).rejects.toThrow('gone')
    await expect(app.say({ do: 'pdf' })).rejects.toThrow('gone')
  })
})

test.describe('the person’s hands', () => {
  const touches = () => app.kinds().filter((kind) => kind === 'touched').length

  test('are told of once a second', async () => {
    await open('<title>sign</title><body style="height:3000px">')
    expect(touches()).toBe(0)
    for (let i = 0; i < 5; i++) await click(20, 20)
    await app.until(() => touches() > 0, 'the touch')
    expect(touches()).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await input({ type: 'mouseWheel', x: 20, y: 20, deltaY: -50 })
    await app.until(() => touches() === 2, 'the second touch')
  })

  test('type what is text, and not what is the browser’s', async () => {
    await open(
      '<title>sign</title><input id=i autofocus><script>var keys = []; onkeydown = ({ key }) => keys.push(key)</script>'
    )
    // A page focuses its field when it is first drawn, which may be after it is open.
    await expect.poll(() => run('return document.activeElement.id')).toBe('i')
    const key = (keyCode: string, ...modifiers: ('control' | 'shift' | 'alt')[]) =>
      input({ type: 'keyDown', keyCode, modifiers }, { type: 'keyUp', keyCode, modifiers })
    for (const letter of ['P', 'S', 'O', 'U', 'R', 'W', 'N', 'T', 'F', 'J', 'H']) await key(letter, 'control')
    await key('I', 'control', 'shift')
    for (const name of ['F5', 'F11', 'F12']) await key(name)
    await key('Left', 'alt')
    await key('x')
    await input({ type: 'char', keyCode: 'x' })
    await key('A', 'control')
    await key('Tab')
    await expect.poll(() => run('return keys')).toEqual(['x', 'a', 'Tab'])
    expect(await run('return document.getElementById("i").value')).toBe('x')
  })

  test('find nothing behind the page that they could go back to', async () => {
    await open('<title>sign</title>')
    expect(await run('history.back(); await new Promise((r) => setTimeout(r, 300)); return document.title')).toBe(
      'sign'
    )
    expect((await facts()).signingUrl).toBe(`${site.origin}/`)
  })

  test('go back and forth within the page’s own', async () => {
    await open('<title>sign</title>')
    await run('setTimeout(() => (location = "/second"))')
    await app.untilOpened(2, 'the second page')
    await run('setTimeout(() => history.back())')
    await expect.poll(async () => (await facts()).signingUrl).toBe(`${site.origin}/`)
  })
})

test('a page that closes itself ends the turn, and leaves ours', async () => {
  await open('<title>sign</title>')
  await run('setTimeout(() => window.close())')
  await app.until(() => failure() !== undefined, 'the turn to fail')
  expect(failure()?.text).toContain('closed unexpectedly')
  const { pages, ownUrl } = await facts()
  expect({ pages, ownUrl }).toEqual({ pages: 1, ownUrl: 'app://countersign/index.html' })
})

test('each signer begins at the page’s own size', async () => {
  await open('<title>sign</title>')
  const wide = await run('return innerWidth')
  await app.say({ do: 'zoom', factor: 2 })
  await expect.poll(() => run('return innerWidth')).toBe(Number(wide) / 2)
  await run('setTimeout(() => (location = "/second"))')
  await app.untilOpened(2, 'the second page')
  expect(await run('return innerWidth')).toBe(Number(wide) / 2)
  await app.say({ do: 'end' })
  await app.forget()
  await open('<title>sign</title>')
  expect(await run('return innerWidth')).toBe(wide)
})

const facts = async () => (await app.say({ do: 'facts' })) as Facts

test('many signers one after the other find nothing of each other, in no more sessions than are kept', {
  tag: '@full'
}, async () => {
  const signers = SESSIONS_BEFORE_REUSE + 4
  const before = (await facts()).sessions
  const recall = `[document.cookie, localStorage.length, sessionStorage.length, (await indexedDB.databases()).length,
    (await caches.keys()).length, (await navigator.serviceWorker.getRegistrations()).length, window.name,
    performance.getEntriesByType("navigation")[0].transferSize > 0]`
  const remember = `document.cookie = "signer=ana; path=/; max-age=9999"; localStorage.signer = sessionStorage.signer = "ana";
    await new Promise((r) => { const o = indexedDB.open("signer"); o.onsuccess = o.onerror = r });
    await (await caches.open("signer")).put("/kept", new Response("ana"));
    await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready; window.name = "ana"`
  for (let signer = 0; signer < signers; signer++) {
    await app.forget()
    await open('<title>sign</title>')
    expect(await run(`const found = ${recall}; ${remember}; return found`), `signer ${signer}`).toEqual([
      ...['', 0, 0, 0, 0, 0, ''],
      true
    ])
    await app.say({ do: 'end' })
  }
  const { sessions } = await facts()
  expect(sessions - before).toBeLessThan(signers)
  // Our own window has one too.
  expect(sessions).toBeLessThanOrEqual(SESSIONS_BEFORE_REUSE + 1)
})

/** Asks for video. Returns which camera the page got, and what it can read of its own question. */
const video = (constraints: string) =>
  run(
    `const s = await navigator.mediaDevices.getUserMedia(${constraints}); const [t] = s.getVideoTracks();
     return [t.label, t.readyState, s.getAudioTracks().length, JSON.stringify(t.getConstraints())]`
  )

test('a page that asks for video gets the camera that the office chose, and can’t tell it from any other', async () => {
  await open('<p>Hello', { media: 'yes', camera: 'fake_device_1' })
  expect(await video('{ video: true }')).toEqual(['fake_device_1', 'live', 0, '{}'])
  expect(await video('{ video: { width: 320 }, audio: true }')).toEqual(['fake_device_1', 'live', 1, '{"width":320}'])
  expect(app.kinds()).not.toContain('other-camera')
  await app.say({ do: 'end' })
  await app.forget()
  await open('<p>Hello', { media: 'yes' })
  expect(await video('{ video: true }')).toEqual(['fake_device_0', 'live', 0, '{}'])
})

test('a page that asks for a camera of its own gets that one', async () => {
  await open('<p>Hello', { media: 'yes', camera: 'fake_device_1' })
  await video('{ video: true }')
  const id = await run(
    'return (await navigator.mediaDevices.enumerateDevices()).find((d) => d.label === "fake_device_0").deviceId'
  )
  for (const its of [`deviceId: { exact: "${id}" }`, `advanced: [{ deviceId: "${id}" }]`])
    expect((await video(`{ video: { ${its} } }`)) as string[]).toContain('fake_device_0')
})

test('where the chosen camera isn’t connected a page gets another, and staff is told', async () => {
  await open('<p>Hello', { media: 'yes', camera: 'An unplugged camera' })
  expect(await video('{ video: true }')).toEqual(['fake_device_0', 'live', 0, '{}'])
  await app.until(() => app.kinds().includes('other-camera'), 'staff to be told')
})

test('a refusal is the browser’s own, whichever camera was chosen', async () => {
  const refused = 'return navigator.mediaDevices.getUserMedia({ video: true }).catch(({ name }) => name)'
  await open('<p>Hello', { media: 'ask', camera: 'fake_device_1' })
  const answer = run(refused)
  await app.until(() => questions().length === 1, 'staff to be asked')
  await app.say({ do: 'answer', granted: false })
  expect(await answer).toBe('NotAllowedError')
  expect(questions()).toHaveLength(1)
})
