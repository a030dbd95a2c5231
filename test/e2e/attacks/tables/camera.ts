/** Camera and microphone: used without permission, by someone other than intended, or for longer. */
import assert from 'node:assert/strict'
import type { Area, Attack } from '../attack.ts'
import type { Scene } from '../scene.ts'
import { refusedBy, waitWhile } from './scripts.ts'

const CAMERA = 'navigator.mediaDevices.getUserMedia({ video: true })'
/** The second of the two cameras of these tests; by default a page gets the first. */
const CHOSEN = 'fake_device_1'
const MICROPHONE = 'navigator.mediaDevices.getUserMedia({ audio: true })'

/** Asks from a frame of the page that has no address of its own. */
const fromFrame = (attributes: string, wait = 200): Pick<Attack, 'page' | 'script'> => ({
  page: `<iframe id=f allow="camera *; microphone *" ${attributes}></iframe>`,
  script: `await new Promise((r) => setTimeout(r, ${wait})); ${refusedBy(`document.getElementById("f").contentWindow.${CAMERA}`)}`
})

const questions = (scene: Scene) => scene.kinds().filter((kind) => kind === 'asks-for').length

/** Asks without waiting, and leaves the answer in `window.NAME`. */
const ask = (scene: Scene, what: string, name: string) =>
  scene.run(
    `window.${name} = "waiting"; ${what}.then((s) => { window.${name} = "granted"; window.stream = s }, () => { window.${name} = "refused" })`
  )

async function answered(scene: Scene, granted: boolean): Promise<void> {
  const before = questions(scene)
  if (before === 0) await scene.until(() => questions(scene) > 0, 'staff to be asked')
  await scene.say({ do: 'answer', granted })
}

async function becomes(scene: Scene, name: string, expected: string): Promise<void> {
  await scene.run(waitWhile(`window.${name} === "waiting"`))
  assert.equal(await scene.run(`return window.${name}`), expected)
}

export const camera: Area = {
  title: 'Camera and microphone',
  about:
    'Some signers are asked to show themselves. Only their page may then use the camera, only after staff’s yes, and only for that turn. (The camera of these tests is one that makes its own picture.)',
  by: 'signing page',
  guard: ['media'],
  attacks: [
    { name: 'watch in a turn that needs no camera', script: refusedBy(CAMERA), answers: 'refused', message: 'camera' },
    {
      name: 'listen in a turn that needs no microphone',
      script: refusedBy(MICROPHONE),
      answers: 'refused',
      message: 'microphone'
    },
    {
      name: 'watch and listen at once',
      script: refusedBy('navigator.mediaDevices.getUserMedia({ audio: true, video: true })'),
      answers: 'refused',
      message: 'camera'
    },
    {
      name: 'watch by the old interface',
      script: refusedBy('new Promise((r, e) => navigator.webkitGetUserMedia({ video: true }, r, e))'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch, and turn the camera about',
      script: refusedBy('navigator.mediaDevices.getUserMedia({ video: { pan: true, tilt: true, zoom: true } })'),
      answers: 'refused',
      message: 'camera'
    },
    {
      name: 'recognise what is said in the room',
      script: refusedBy(
        'new Promise((r, e) => { const s = new webkitSpeechRecognition(); s.onstart = r; s.onerror = e; s.start() })'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'learn the names of cameras and microphones',
      script: 'return (await navigator.mediaDevices.enumerateDevices()).map((d) => d.label).filter(Boolean)',
      answers: [],
      guard: ['browser']
    },
    {
      name: 'watch before staff has answered',
      turn: { media: 'ask' },
      script: refusedBy(CAMERA, 800),
      answers: 'refused',
      play: async (scene) => assert.equal(questions(scene), 1)
    },
    {
      name: 'find that it has it before staff has answered',
      turn: { media: 'ask' },
      script: 'return (await navigator.permissions.query({ name: "camera" })).state === "granted"',
      answers: false
    },
    {
      name: 'watch after staff’s no',
      turn: { media: 'ask' },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await answered(scene, false)
        await becomes(scene, 'first', 'refused')
      }
    },
    {
      name: 'ask again at once after staff’s no',
      turn: { media: 'ask' },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await answered(scene, false)
        await becomes(scene, 'first', 'refused')
        await ask(scene, CAMERA, 'second')
        await becomes(scene, 'second', 'refused')
        await ask(scene, MICROPHONE, 'third')
        await becomes(scene, 'third', 'refused')
        assert.equal(questions(scene), 1)
      }
    },
    {
      name: 'bury staff under questions',
      turn: { media: 'ask' },
      play: async (scene) => {
        await scene.run(`for (let i = 0; i < 50; i++) ${CAMERA}.catch(() => {})`)
        await scene.pause(300)
        assert.equal(questions(scene), 1)
      }
    },
    {
      name: 'listen with a yes that was for the camera',
      turn: { media: 'ask' },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await ask(scene, 'navigator.mediaDevices.getUserMedia({ audio: true, video: true })', 'second')
        await answered(scene, true)
        await becomes(scene, 'first', 'granted')
        await scene.until(() => questions(scene) === 2, 'staff to be asked of the microphone')
        assert.equal(await scene.run('return window.second'), 'waiting')
      }
    },
    {
      name: 'watch from a frame that has no address of its own',
      turn: { media: 'yes' },
      ...fromFrame('srcdoc="<p>bank"'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch from a frame that is empty',
      turn: { media: 'yes' },
      ...fromFrame('src="about:blank"'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch from a frame that is shut off',
      turn: { media: 'yes' },
      page: '<iframe id=f allow="camera *" sandbox="allow-scripts" src="/embedded?script=navigator.mediaDevices.getUserMedia({video:true}).then(()=>parent.postMessage(%22granted%22,%22*%22),()=>parent.postMessage(%22refused%22,%22*%22))"></iframe>',
      script:
        'const f = document.getElementById("f"); return new Promise((r) => { addEventListener("message", (e) => r(e.data)); f.src += "&again"; setTimeout(r, 1500, "refused") })',
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch from a frame of another server',
      turn: { media: 'yes' },
      page: '<iframe id=f allow="camera *" src="http://{elsewhere}/"></iframe>',
      script: 'await new Promise((r) => setTimeout(r, 200))',
      message: 'unencrypted',
      guard: ['ground', 'request']
    },
    {
      name: 'watch after the right was taken away',
      turn: { media: 'yes' },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await becomes(scene, 'first', 'granted')
        await scene.say({ do: 'media', right: 'never' })
        await ask(scene, CAMERA, 'second')
        await becomes(scene, 'second', 'refused')
      }
    },
    {
      name: 'watch in the next signer’s turn, with the yes of the one before',
      turn: { media: 'ask' },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await answered(scene, true)
        await becomes(scene, 'first', 'granted')
        await scene.next()
        assert.notEqual(
          await scene.run('return (await navigator.permissions.query({ name: "camera" })).state'),
          'granted'
        )
        await ask(scene, CAMERA, 'second')
        await scene.until(() => questions(scene) === 1, 'staff to be asked again')
        assert.equal(await scene.run('return window.second'), 'waiting')
      }
    },
    {
      name: 'watch after it has come back',
      turn: { media: 'yes' },
      turnIs: 'returned',
      play: async (scene) => {
        await scene.run('location = "https://return.countersign.invalid/signed"')
        await scene.until(() => scene.kinds().includes('returned'), 'the page to come back')
        await ask(scene, CAMERA, 'late')
        await becomes(scene, 'late', 'refused')
      }
    },
    {
      name: 'watch the screen with a yes that was for the camera',
      turn: { media: 'yes' },
      script: refusedBy('navigator.mediaDevices.getDisplayMedia({ video: true })'),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'watch the screen as if it were a camera',
      turn: { media: 'yes' },
      script: refusedBy(
        'navigator.mediaDevices.getUserMedia({ video: { mandatory: { chromeMediaSource: "screen", chromeMediaSourceId: "screen:0:0" } } })'
      ),
      answers: 'refused',
      guard: ['browser']
    },
    {
      name: 'learn the names of cameras by the one that was chosen, before staff has answered',
      turn: { media: 'ask', camera: CHOSEN },
      play: async (scene) => {
        await ask(scene, CAMERA, 'first')
        await scene.until(() => questions(scene) === 1, 'staff to be asked')
        const names = 'return (await navigator.mediaDevices.enumerateDevices()).map((d) => d.label).filter(Boolean)'
        assert.deepEqual(await scene.run(names), [])
        await answered(scene, false)
        await becomes(scene, 'first', 'refused')
        assert.deepEqual(await scene.run(names), [])
      }
    },
    {
      name: 'watch with a camera that was chosen, in a turn that needs none',
      turn: { media: 'never', camera: CHOSEN },
      script: refusedBy(CAMERA),
      answers: 'refused',
      message: 'camera'
    },
    {
      name: 'read in its question which camera was chosen, or how',
      turn: { media: 'yes', camera: CHOSEN },
      script: `const media = MediaDevices.prototype.getUserMedia; const { value, ...kind } = Object.getOwnPropertyDescriptor(MediaDevices.prototype, "getUserMedia");
        const [track] = (await ${CAMERA}).getVideoTracks(); track.stop();
        return [/^function \\w*\\(\\) \\{ \\[native code\\] \\}$/.test(String(media)), media.name, media.length, Object.getOwnPropertyNames(media), "prototype" in media, kind, track.label, Object.keys(track.getConstraints())]`,
      answers: [
        true,
        'getUserMedia',
        0,
        ['length', 'name'],
        false,
        { writable: true, enumerable: true, configurable: true },
        CHOSEN,
        []
      ],
      guard: ['hold']
    },
    {
      name: 'get hold of what chooses its camera',
      turn: { media: 'yes', camera: CHOSEN },
      // By the caller, by what is called, and by what is written to its console.
      script: `const got = []; const said = [];
        Error.prepareStackTrace = (_, calls) => calls.map((call) => { try { return call.getFunction() } catch {} });
        const keep = (found) => got.push(...[found].flat().filter((f) => typeof f === "function" && /fromChosen|deviceId/.test(String(f))));
        const look = function () { keep(new Error().stack); try { keep(look.caller) } catch {} };
        console.debug = (...words) => said.push(...words);
        for (const name of ["then", "catch"]) { const old = Promise.prototype[name]; Promise.prototype[name] = function (...a) { a.forEach(keep); look(); return old.apply(this, a) } }
        for (const [owner, name] of [[MediaDevices.prototype, "enumerateDevices"], [MediaStream.prototype, "getTracks"], [MediaStreamTrack.prototype, "applyConstraints"], [MediaStreamTrack.prototype, "stop"]]) { const old = owner[name]; owner[name] = function (...a) { a.forEach(keep); look(); return old.apply(this, a) } }
        const stream = await navigator.mediaDevices.getUserMedia({ get video() { look(); return { get width() { look(); return 320 } } } });
        return [stream.getVideoTracks()[0].label, got.length, said.length]`,
      answers: [CHOSEN, 0, 0],
      guard: ['hold']
    },
    {
      name: 'learn with a yes that was for the camera where this computer is',
      turn: { media: 'yes' },
      script:
        'return new Promise((r) => navigator.geolocation.getCurrentPosition(() => r("granted"), () => r("refused")))',
      answers: 'refused',
      message: 'computer’s location',
      guard: ['permissions']
    }
  ]
}
