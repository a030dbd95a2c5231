/** What the browser could grant a page, and what a page could use without any grant. */
import type { Area, Attack } from '../attack.ts'
import { refusedBy, waitWhile } from './scripts.ts'

const queried = (name: string): Attack => ({
  name: `find that it has been granted \`${name}\``,
  script: `return navigator.permissions.query({ name: ${JSON.stringify(name)} }).then((p) => p.state, () => "denied")`,
  answers: 'denied'
})

/** Asks for full screen, and waits until the page has been taken out of it. */
const FILL_SCREEN = `document.documentElement.requestFullscreen().catch(() => {}); await new Promise((r) => setTimeout(r, 500)); ${waitWhile('document.fullscreenElement')}`

export const permissions: Area = {
  title: 'Permissions and devices',
  about:
    'Everything that a browser would ask a person for. Here no one is asked, because the person at the counter can’t judge it: everything is denied, both when a page asks and when it checks whether it may.',
  by: 'signing page',
  guard: ['permissions'],
  attacks: [
    ...[
      'geolocation',
      'notifications',
      'camera',
      'microphone',
      'clipboard-read',
      'clipboard-write',
      'midi',
      'persistent-storage',
      'local-fonts',
      'idle-detection',
      'window-management',
      'screen-wake-lock',
      'background-sync'
    ].map(queried),
    {
      name: 'learn where this computer is',
      script:
        'return new Promise((r) => navigator.geolocation.getCurrentPosition(() => r("granted"), () => r("refused")))',
      answers: 'refused',
      message: 'computer’s location'
    },
    {
      name: 'follow where this computer is',
      script: 'return new Promise((r) => navigator.geolocation.watchPosition(() => r("granted"), () => r("refused")))',
      answers: 'refused',
      message: 'computer’s location'
    },
    {
      name: 'notify staff in the office’s name',
      script: 'return Notification.requestPermission()',
      answers: 'denied',
      message: 'notifications'
    },
    {
      name: 'notify without asking first',
      script:
        'return new Promise((r) => { const n = new Notification("Pay"); n.onshow = () => r("granted"); n.onerror = () => r("refused") })',
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'have itself woken by messages',
      script: refusedBy(
        'navigator.serviceWorker.register("/sw.js").then((found) => found.pushManager.subscribe({ userVisibleOnly: true }))'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'read the clipboard',
      script: refusedBy('navigator.clipboard.readText()'),
      answers: 'refused',
      message: 'clipboard'
    },
    {
      name: 'read pictures of the clipboard',
      script: refusedBy('navigator.clipboard.read()'),
      answers: 'refused',
      message: 'clipboard'
    },
    {
      name: 'read the clipboard by pasting',
      page: '<textarea id=t></textarea>',
      script:
        'document.getElementById("t").focus(); return [document.execCommand("paste"), document.getElementById("t").value]',
      guard: ['browser'],
      answers: [false, '']
    },
    {
      name: 'put a command on the clipboard',
      script: refusedBy('navigator.clipboard.writeText("rm -rf /")'),
      answers: 'refused'
    },
    {
      name: 'fill the whole screen',
      script: `${FILL_SCREEN}; return document.fullscreenElement === null`,
      answers: true,
      message: 'full screen'
    },
    {
      name: 'catch the mouse',
      script: `${'const wait = new Promise((r) => setTimeout(r, 500))'}; document.body.requestPointerLock()?.catch?.(() => {}); await wait; return document.pointerLockElement === null`,
      answers: true,
      guard: ['browser']
    },
    {
      name: 'catch the keys of the system',
      script: `navigator.keyboard?.lock().catch(() => {}); ${FILL_SCREEN}; return document.fullscreenElement === null`,
      answers: true,
      message: 'full screen'
    },
    { name: 'keep the screen awake', script: refusedBy('navigator.wakeLock.request("screen")'), answers: 'refused' },
    {
      name: 'watch whether someone is there',
      script: refusedBy('IdleDetector.requestPermission().then((s) => s === "granted" ? 1 : Promise.reject())'),
      answers: 'refused'
    },
    { name: 'learn which screens there are', script: refusedBy('getScreenDetails()'), answers: 'refused' },
    {
      name: 'learn which fonts are installed',
      script: refusedBy('queryLocalFonts().then((found) => found.length || Promise.reject())'),
      answers: 'refused'
    },
    { name: 'keep what it stores for good', script: 'return navigator.storage.persist()', answers: false },
    {
      name: 'choose where sound comes out',
      script: refusedBy('(navigator.mediaDevices.selectAudioOutput?.() ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'use a device on a cable',
      script: refusedBy('(navigator.usb?.requestDevice({ filters: [] }) ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'find devices that it was given before',
      script:
        'return (await Promise.all([navigator.usb?.getDevices(), navigator.hid?.getDevices(), navigator.serial?.getPorts()])).flat().filter(Boolean).length',
      answers: 0,
      guard: ['browser']
    },
    {
      name: 'use a device by radio',
      script: refusedBy('(navigator.bluetooth?.requestDevice({ acceptAllDevices: true }) ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'use a serial port',
      script: refusedBy('(navigator.serial?.requestPort() ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'use a keyboard-like device',
      script: refusedBy(
        '(navigator.hid?.requestDevice({ filters: [] }) ?? Promise.resolve([])).then((found) => found.length || Promise.reject())'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'play instruments',
      script: refusedBy('(navigator.requestMIDIAccess?.() ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'send instruments anything it likes',
      script: refusedBy('(navigator.requestMIDIAccess?.({ sysex: true }) ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'feel how the computer is held',
      script: refusedBy(
        'new Promise((r, e) => { const s = new Accelerometer(); s.onreading = r; s.onerror = e; s.start() })'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'read a card by radio',
      script: refusedBy('new NDEFReader().scan()'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch the screen',
      script: refusedBy('navigator.mediaDevices.getDisplayMedia({ video: true })'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch the screen by the old way',
      script: refusedBy(
        'navigator.mediaDevices.getUserMedia({ video: { mandatory: { chromeMediaSource: "desktop" } } })'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'be installed',
      script: refusedBy('(navigator.install?.("https://evil.example/") ?? Promise.reject())'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'be granted what its frame asks for',
      page: '<iframe id=f allow="geolocation *; camera *; microphone *" src="/embedded"></iframe>',
      script: refusedBy(
        'new Promise((r) => setTimeout(r, 200)).then(() => new Promise((r, e) => document.getElementById("f").contentWindow.navigator.geolocation.getCurrentPosition(r, e)))'
      ),
      answers: 'refused',
      message: 'computer’s location'
    },
    {
      name: 'be granted what it asks for a hundred times',
      script:
        'const asked = await Promise.all(Array.from({ length: 100 }, () => Notification.requestPermission())); return [...new Set(asked)]',
      answers: ['denied'],
      message: 'notifications'
    }
  ]
}
