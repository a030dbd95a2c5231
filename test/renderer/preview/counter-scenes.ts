/**
 * The person's side of the counter in each of its states, in this window (`person-…`) and on the second display
 * (`display-…`).
 */
import type { CounterOutcome, CounterSession } from '../../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { appointmentOf } from '../fakes/appointments.ts'
import { fakeFiles, sessionOf, turnOf } from '../fakes/counter.ts'

const signed: CounterOutcome = { signed: 'signed' }
const names = ['Residential tenancy agreement', 'Statement of advice', 'Superannuation standard choice']

/** Returns three documents of one person. */
function three(outcomes: (CounterOutcome | undefined)[] = []) {
  return names.map((documentName, index) => {
    const outcome = outcomes[index]
    return turnOf({ documentReference: `doc-${index}`, documentName, ...(outcome && { outcome }) })
  })
}

/** Returns a scene. @param work runs once the session exists. */
function signing(change: Partial<CounterSession>, work: (api: FakeApi) => void = () => {}): () => FakeApi {
  return () => {
    const api = fakeApi({ now: () => Date.now(), pageOpens: false })
    api.control.state.counter = sessionOf({
      origin: 'https://signing.example.com',
      turns: [turnOf({ documentName: names[0] ?? '' })],
      ...change
    })
    work(api)
    return api
  }
}

const moments: Record<string, Partial<CounterSession>> = {
  handover: { phase: 'handover' },
  // Kept as a screenshot, so without the languages that are drawn in whatever fonts the system has.
  'handover-three': { phase: 'handover', turns: three(), offers: { languages: ['mi', 'sm', 'to'], moreTime: true } },
  'handover-kept': { phase: 'handover', turns: [turnOf({ keeps: 'number-and-expiry' })] },
  'handover-nameless': { phase: 'handover', turns: [turnOf({ signerName: '', person: '' })] },
  'handover-long': {
    phase: 'handover',
    turns: [
      turnOf({
        signerName: 'Anahera Hinemoa Te Whakaruruhau-Fairweather of the Northern District',
        documentName:
          'Agreement on the supply of services to the branch office, with all seven annexes, 2025 to 2031.pdf'
      })
    ]
  },
  loading: { phase: 'loading' },
  open: { phase: 'open' },
  'open-three': { phase: 'open', turns: three([signed]), current: 1 },
  'open-practice': { phase: 'open', isPractice: true, origin: 'http://127.0.0.1:49152' },
  'open-long': {
    phase: 'open',
    origin: 'https://a-very-long-name-of-a-host.that-pretends.signing.example.com.some-other-place.example.net',
    turns: three([signed]).map((turn) => ({ ...turn, documentName: `${turn.documentName} with all seven annexes` })),
    current: 1
  },
  'open-file': { phase: 'open', origin: 'https://signing.example.com', wantsFile: true },
  'open-plain': { phase: 'open', origin: 'http://signing.example.com' },
  moment: { phase: 'covered', cover: 'moment' },
  help: { phase: 'covered', cover: 'help' },
  consent: { phase: 'covered', cover: 'consent', asksFor: ['camera'], allowsCamera: true },
  file: { phase: 'covered', cover: 'file', asksFile: { files: fakeFiles } },
  'file-none': { phase: 'covered', cover: 'file', asksFile: {} },
  'staff-file': { phase: 'covered', cover: 'staff', asksFile: {} },
  finish: { phase: 'covered', cover: 'finish' },
  stop: { phase: 'covered', cover: 'stop' },
  camera: { phase: 'covered', cover: 'camera', isLocked: true, asksFor: ['camera', 'microphone'] },
  away: { phase: 'covered', cover: 'away', isLocked: true },
  idle: { phase: 'covered', cover: 'idle', isLocked: true },
  'moment-camera': { phase: 'covered', cover: 'moment', allowsCamera: true },
  'away-camera': { phase: 'covered', cover: 'away', isLocked: true, allowsCamera: true },
  staff: {
    phase: 'covered',
    cover: 'staff',
    mayKeepPages: true,
    refused: [
      { what: 'It asked for the place where this computer is.', at: Date.now() - 60_000 },
      { what: 'It wanted to open another window.', at: Date.now() - 30_000 }
    ]
  },
  'staff-camera': { phase: 'covered', cover: 'staff', asksFor: ['camera', 'microphone'] },
  asking: { phase: 'asking' },
  between: { phase: 'between', turns: three([signed]) },
  'between-unknown': { phase: 'between', turns: three([{ signed: 'unknown' }]).slice(0, 2) },
  'between-declined': { phase: 'between', turns: three([{ signed: 'declined' }]).slice(0, 2) },
  'between-not-yet': {
    phase: 'between',
    turns: [turnOf({ documentName: names[0] ?? '', outcome: { signed: 'not-yet' } })]
  },
  thanked: {
    phase: 'between',
    current: 1,
    turns: [
      ...three([signed, { signed: 'declined' }]).slice(0, 2),
      turnOf({ signerName: 'Wiremu Tane', person: 'wiremu tane' })
    ]
  },
  'not-me': { phase: 'handover', cover: 'not-me', isLocked: true },
  failed: { phase: 'failed', error: { code: 'timeout', message: 'The page took longer than 30 seconds.' } },
  'failed-turn': {
    phase: 'failed',
    turns: three([{ signed: 'skipped' }]),
    error: { code: 'not-signable', message: 'It is someone else’s turn.' }
  },
  return: { phase: 'return', isLocked: true, turns: [turnOf({ outcome: signed })] },
  'return-receipt': { phase: 'return', isLocked: true, turns: three([signed, signed, signed]), receipt: 'always' },
  'thanked-receipt': {
    phase: 'between',
    receipt: 'on-request',
    turns: [turnOf({ outcome: signed }), turnOf({ signerName: 'Wiremu Tane', person: 'wiremu tane' })]
  },
  'return-unknown': {
    phase: 'return',
    isLocked: true,
    turns: three([signed, signed, { signed: 'not-yet' }]),
    current: 2
  },
  interrupted: { phase: 'return', isLocked: true, wasInterrupted: true, turns: [turnOf()] }
}

const preferences = { language: 'en', textSize: 1, highContrast: false, moreTime: false } as const
/** Languages other than English: the longest words, another alphabet, and right to left. */
Object.assign(moments, {
  'handover-tongan': { phase: 'handover', preferences: { ...preferences, language: 'to' } },
  'handover-arabic': { phase: 'handover', turns: three(), preferences: { ...preferences, language: 'ar' } },
  'open-arabic': { phase: 'open', preferences: { ...preferences, language: 'ar' } },
  'handover-endless': {
    phase: 'handover',
    turns: [turnOf({ signerName: 'Anahera Hinemoa Te Whakaruruhau-Fairweather '.repeat(7).slice(0, 300).trim() })]
  },
  'handover-turned': {
    phase: 'handover',
    turns: [turnOf({ signerName: 'عبد الرحمن (3) محمود', documentName: 'עמוד 1 – Will \u202e3 of 7' })]
  },
  'handover-contrast': { phase: 'handover', preferences: { ...preferences, highContrast: true } }
} satisfies typeof moments)

/** Warnings and waits keep running during the screenshot. */
const soon = (seconds: number) => Date.now() + seconds * 1000
const timed: Record<string, () => Partial<CounterSession>> = {
  'open-warning': () => ({ phase: 'open', warningUntil: soon(28) }),
  'handover-warning': () => ({ phase: 'handover', warningUntil: soon(28) }),
  'away-wait': () => ({ phase: 'covered', cover: 'away', isLocked: true, pinWaitUntil: soon(25) })
}

const office = { idleText: 'Welcome to Harbour & Co.\nPlease take a seat.', logo: harbourLogo() }

function onDisplay(change: Partial<CounterSession> | null): () => FakeApi {
  return () => {
    const api = fakeApi({ now: () => Date.now(), pageOpens: false })
    api.control.state.counterSettings = { ...api.control.state.counterSettings, ...office }
    if (change)
      api.control.state.counter = sessionOf({
        origin: 'https://signing.example.com',
        ...change,
        place: 'other-display'
      })
    return api
  }
}

function harbourLogo(): string {
  const drawn =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 160"><rect width="480" height="160" rx="20" fill="#17456b"/><path d="M40 112c30-30 50-30 80 0s50 30 80 0" fill="none" stroke="#fff" stroke-width="12"/><text x="230" y="102" font-family="serif" font-size="56" textLength="200" lengthAdjust="spacingAndGlyphs" fill="#fff">Harbour</text></svg>'
  return `data:image/svg+xml;base64,${btoa(drawn)}`
}

/** Returns hills over water, in place of an office's photograph. */
function hills(): string {
  const drawn =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 600"><rect width="960" height="600" fill="#bcd8e8"/><circle cx="720" cy="150" r="56" fill="#fff6d8"/><path d="M0 380 200 230l170 130 190-190 220 200 180-90v320H0z" fill="#6f9a86"/><path d="M0 440 260 340l240 90 220-70 240 90v150H0z" fill="#3f6f62"/><rect y="500" width="960" height="100" fill="#2f6a86"/></svg>'
  return `data:image/svg+xml;base64,${btoa(drawn)}`
}

export const counterScenes: Record<string, () => FakeApi> = {
  ...Object.fromEntries(Object.entries(moments).map(([name, change]) => [`person-${name}`, signing(change)])),
  ...Object.fromEntries(Object.entries(timed).map(([name, change]) => [`person-${name}`, () => signing(change())()])),
  // A new PIN can be chosen once “Forgot PIN?” is pressed.
  'person-reset-allowed': signing({ phase: 'return', isLocked: true }, (api) => {
    api.control.state.pin = { isSet: true, keptIn: 'keychain', reset: 'allowed', canReset: true }
  }),
  'person-reset-never': signing({ phase: 'covered', cover: 'away', isLocked: true }, (api) => {
    api.control.state.pin = { isSet: true, keptIn: 'keychain', reset: 'none', canReset: false }
  }),
  'display-nameless': () => {
    const api = onDisplay(null)()
    const { logo: _logo, ...settings } = api.control.state.counterSettings
    api.control.state.counterSettings = { ...settings, idleText: '' }
    return api
  },
  'display-away': onDisplay({ phase: 'covered', cover: 'away', isLocked: true }),
  'display-idle': onDisplay(null),
  'display-bare': () => {
    const api = onDisplay(null)()
    const { logo: _logo, ...settings } = api.control.state.counterSettings
    api.control.state.counterSettings = { ...settings, idleText: 'Welcome' }
    return api
  },
  'display-long': () => {
    const api = onDisplay(null)()
    api.control.state.counterSettings.idleText =
      'Welcome. We are open from Monday to Friday, nine to five, and on the first Saturday of the month until noon.\nPlease have your identification ready, and tell us if you would like someone with you while you sign.'
    return api
  },
  'display-call': () => {
    const api = onDisplay(null)()
    const { state } = api.control
    const settings = state.counterSettings
    state.counterSettings = { ...settings, waitingRoom: { ...settings.waitingRoom, counterName: 'Counter 2' } }
    state.appointments = [appointmentOf({ id: 'called', state: 'called', number: 14 })]
    state.calling = 'called'
    return api
  },
  'display-picture': () => {
    const api = onDisplay(null)()
    const { state } = api.control
    const settings = state.counterSettings
    state.counterSettings = { ...settings, waitingRoom: { ...settings.waitingRoom, pictures: ['hills'] } }
    state.pictures = { hills: hills() }
    return api
  },
  'display-handover': onDisplay({ phase: 'handover' }),
  'display-open': onDisplay({ phase: 'open', turns: three([signed]), current: 1 }),
  'display-return': onDisplay({ phase: 'return', isLocked: true, turns: [turnOf({ outcome: signed })] })
}
