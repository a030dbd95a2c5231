/** The signer's screens in other languages, and the signer's display preferences. */
import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import { translatorOf } from '../../src/renderer/src/screens/counter/person/translator.ts'
import { PERSON_LANGUAGES } from '../../src/shared/contract/counter-views.ts'
import type { CounterSession } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { sessionOf, turnOf } from './fakes/counter.ts'
import { type Opened, openOffice, show } from './office.ts'

beforeAll(loadScreens)

let api: FakeApi
let opened: Opened | undefined
beforeEach(() => {
  api = fakeApi()
})
afterEach(() => {
  opened?.close()
  opened = undefined
  vi.unstubAllGlobals()
})

async function open(session: Partial<CounterSession> = {}) {
  api.control.state.counter = sessionOf(session)
  opened = await openOffice(api)
  show(opened, App, { app: opened.app })
  await settle()
}

async function changeSession(change: Partial<CounterSession>) {
  api.control.state.counter = { ...(api.control.state.counter ?? sessionOf()), ...change }
  api.control.emit('counter.changed', { id: 'session-1' })
  await settle()
}

const side = () => within(document.querySelector('dialog') ?? document.body)
const button = (name: string | RegExp) => side().getByRole('button', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
const person = () => document.querySelector<HTMLElement>('.person')
const heading = () => side().getByRole('heading', { level: 1 }).textContent
const adjustments = () => api.control.calls.filter(({ name }) => name === 'counter.adjust').map(({ input }) => input)
const first = { language: 'en', textSize: 1, highContrast: false, moreTime: false } as const

describe('a signer’s language', () => {
  test('is chosen with one tap at the handover, by its own name, and used for all their screens', async () => {
    await open()
    await press('te reo Māori')
    expect(adjustments()).toEqual([{ id: 'session-1', language: 'mi' }])
    expect(heading()).toContain('Homai te mata ki a')
    expect([person()?.lang, person()?.dir]).toEqual(['mi', 'ltr'])
    expect(button('te reo Māori').getAttribute('aria-pressed')).toBe('true')
    expect(button('Ko Mere Parata ahau – tīmata')).toBeTruthy()
    await changeSession({ phase: 'covered', cover: 'stop' })
    expect(heading()).toBe('Me kati te haina?')
  })

  test('may be right to left, while staff controls stay English and are marked as such', async () => {
    await open({ preferences: { ...first, language: 'ar' }, phase: 'covered', cover: 'away', isLocked: true })
    expect(screen.getByRole('dialog', { name: 'التوقيع' }).lang).toBe('ar')
    expect([person()?.lang, person()?.dir]).toEqual(['ar', 'rtl'])
    expect(heading()).toBe('يرجى طلب الموظفين للمتابعة')
    const pad = side().getByLabelText('Staff PIN').closest<HTMLElement>('[lang]')
    expect([pad?.lang, pad?.dir]).toEqual(['en-GB', 'ltr'])
    await changeSession({ phase: 'covered', cover: 'staff', isLocked: false })
    const options = side().getByRole('heading', { name: 'Staff options' }).closest<HTMLElement>('[lang]')
    expect([options?.lang, options?.dir]).toEqual(['en-GB', 'ltr'])
  })

  test('stays where it was tapped twice, as its row doesn’t mirror', async () => {
    await open()
    await press('العربية')
    expect([person()?.dir, side().getByRole('group', { name: 'اللغة' }).dir]).toEqual(['rtl', 'ltr'])
  })

  test('isn’t opened by the second press on “Help”, in whose place it is then', async () => {
    await open({ phase: 'open' })
    const help = button('Help')
    await fireEvent.click(help, { detail: 1 })
    await changeSession({ phase: 'covered', cover: 'help' })
    expect(heading()).toBe('Please ask staff')
    await fireEvent.click(button('Language and display'), { detail: 2 })
    await settle()
    expect(side().queryByRole('heading', { name: 'Language and display' })).toBeNull()
    await fireEvent.click(button('Language and display'), { detail: 1 })
    await settle()
    expect(side().getByRole('heading', { name: 'Language and display' })).toBeTruthy()
  })

  test('is limited to the languages that the office offers', async () => {
    await open({ offers: { languages: ['ar'], moreTime: false } })
    expect(within(side().getByRole('group', { name: 'Language' })).getAllByRole('button')).toHaveLength(2)
    await changeSession({ offers: { languages: [], moreTime: false } })
    expect(side().queryByRole('group', { name: 'Language' })).toBeNull()
  })

  test('is used for errors too, with main’s details marked as English', async () => {
    await open({
      preferences: { ...first, language: 'zh-Hans' },
      phase: 'failed',
      error: { code: 'server', message: 'The service failed.' }
    })
    expect(heading()).toBe('页面无法打开')
    expect(side().getByText(/现在无法连接签署服务/)).toBeTruthy()
    expect(
      side()
        .getByText(/The service failed/)
        .closest('[lang]')
        ?.getAttribute('lang')
    ).toBe('en-GB')
  })
})

/** Time left when the idle warning appears. */
const WARNING_SECONDS = 28
describe.each(PERSON_LANGUAGES)('the idle warning, in %s', (language) => {
  const { say } = translatorOf(language)
  const preferences = { ...first, language }

  test.each([
    ['over the page, in the bar', { phase: 'open', origin: 'https://signing.example.com' }],
    ['on other screens', { phase: 'handover' }]
  ] as const)('is in the signer’s language %s, counts down, and is ended by either button', async (_where, moment) => {
    await open({ ...moment, preferences })
    const warn = () => changeSession({ warningUntil: (opened?.clock.now() ?? 0) + WARNING_SECONDS * 1000 })
    await warn()
    expect(side().getByText('28')).toBeTruthy()
    expect(side().getByText(say('Are you still there?'))).toBeTruthy()
    expect(side().getByText(say('The screen will be hidden soon.'))).toBeTruthy()
    expect(side().getByRole('alert').textContent).toBe(say('Are you still there? Choose “I’m here” to keep going.'))
    await opened?.clock.pass(9000)
    expect(side().getByText('19')).toBeTruthy()
    expect(side().getByRole('alert').closest('[lang]')?.getAttribute('lang')).toBe(
      language === 'en' ? 'en-GB' : language
    )
    await press(say('I’m here'))
    expect(api.control.state.counter?.warningUntil).toBeUndefined()
    await warn()
    await press(say('I need more time'))
    expect(api.control.state.counter?.preferences.moreTime).toBe(true)
  })
})

describe('names and numbers', () => {
  test('in another script direction are isolated from the sentence around them', async () => {
    const arabic = 'عبد الرحمن'
    expect(translatorOf('en').say('Thank you, {name}', { name: arabic })).toBe(`Thank you, \u2068${arabic}\u2069`)
    expect(translatorOf('ar').say('Thank you, {name}', { name: 'Mere' })).toBe('شكرًا لك، \u2068Mere\u2069')
    expect(translatorOf('en').say('Thank you, {name}', { name: 'Mere' })).toBe('Thank you, Mere')
    await open({ turns: [turnOf({ signerName: arabic })] })
    expect(side().getByText(arabic).tagName).toBe('BDI')
  })

  test('can’t reverse the text around them', () => {
    const hostile = 'Mere\u202e\u2069 eulb'
    expect(translatorOf('en').say('Thank you, {name}', { name: hostile })).toBe('Thank you, Mere eulb')
    expect(translatorOf('ar').say('Thank you, {name}', { name: hostile })).toBe('شكرًا لك، \u2068Mere eulb\u2069')
  })

  test('of 300 characters are shown in full in the heading and truncated on the button', async () => {
    const signerName = 'Anahera '.repeat(40).slice(0, 300).trim()
    await open({ turns: [turnOf({ signerName })] })
    expect(heading()).toContain(signerName)
    expect(button(/^I’m Anahera .+… – start$/).textContent?.length).toBeLessThan(90)
  })

  test('use the language’s plural forms', () => {
    const documents = (language: 'ar' | 'to' | 'en', count: number) =>
      translatorOf(language).say('You have {count} documents to sign.', { count })
    expect(documents('ar', 2)).toBe('لديك مستندان للتوقيع.')
    expect(documents('ar', 3)).toMatch(/مستندات/)
    expect(documents('ar', 11)).toMatch(/مستندًا/)
    expect(documents('en', 3)).toBe('You have 3 documents to sign.')
    expect(documents('to', 3)).toContain('3')
  })
})

describe('language and display', () => {
  test('is available on the signer’s screens, and closing it returns to where they were', async () => {
    await open({ phase: 'covered', cover: 'help' })
    await press('Language and display')
    expect(document.activeElement?.textContent).toBe('Language and display')
    for (const under of document.querySelectorAll<HTMLElement>('.stage, .bar:has(.ways)'))
      expect(under.inert).toBe(true)
    await press('Largest')
    await fireEvent.click(
      within(side().getByRole('group', { name: 'High contrast' })).getByRole('button', { name: 'On' })
    )
    await settle()
    expect(adjustments()).toEqual([
      { id: 'session-1', textSize: 2 },
      { id: 'session-1', highContrast: true }
    ])
    expect(document.documentElement.dataset.contrast).toBe('more')
    await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' })
    await settle()
    expect(heading()).toBe('Please ask staff')
    expect(document.activeElement).toBe(button('Language and display'))
  })

  test('covers an open page, which returns afterwards', async () => {
    await open({ phase: 'open', origin: 'https://signing.example.com' })
    await press('Language and display')
    expect(api.control.state.counter).toMatchObject({ phase: 'covered', cover: 'moment' })
    await press('Done')
    expect(api.control.state.counter?.phase).toBe('open')
  })

  test('opens even if the session is reloaded while its page is being covered', async () => {
    await open({ phase: 'open', origin: 'https://signing.example.com' })
    const answered = api.control.hold('counter.cover')
    await press('Language and display')
    const read = api.control.hold('counter.state')
    api.control.emit('counter.changed', { id: 'session-1' })
    answered()
    await settle()
    read()
    await settle()
    expect(button('Done')).toBeTruthy()
  })

  test('closes when the screen is locked, and is not offered on the last screen', async () => {
    await open()
    await press('Language and display')
    await changeSession({ cover: 'away', isLocked: true })
    expect(side().queryByRole('button', { name: 'Done' })).toBeNull()
    expect(heading()).toBe('Please ask staff to continue')
    await changeSession({ phase: 'return' })
    expect(side().queryByRole('button', { name: 'Language and display' })).toBeNull()
  })

  test('is reset once staff have the screen back', async () => {
    await open({ preferences: { ...first, highContrast: true, language: 'ar' } })
    expect(document.documentElement.dataset.contrast).toBe('more')
    await changeSession({ phase: 'ended' })
    expect(document.documentElement.dataset.contrast).toBeUndefined()
    expect(document.querySelector('[dir=rtl]')).toBeNull()
  })

  test('offers more time once, shortly before the screen is hidden', async () => {
    await open({ warningUntil: Date.now() + 20_000 })
    await press('I need more time')
    expect(adjustments()).toEqual([{ id: 'session-1', moreTime: true }])
    expect(side().queryByRole('button', { name: 'I need more time' })).toBeNull()
    await changeSession({ preferences: first, offers: { languages: [], moreTime: false } })
    expect(side().queryByRole('button', { name: 'I need more time' })).toBeNull()
  })

  test('can be operated by keyboard, in reading order', async () => {
    await open()
    await press('Language and display')
    const reached = [...document.querySelectorAll<HTMLElement>('.choosing :is(button, [tabindex])')]
    expect(reached.map((one) => one.textContent?.trim())).toEqual([
      ...[
        'Language and display',
        'English',
        'te reo Māori',
        'Gagana Sāmoa',
        'lea faka-Tonga',
        '简体中文',
        'हिन्दी',
        'ਪੰਜਾਬੀ',
        'العربية'
      ],
      ...['Normal', 'Large', 'Largest', 'On', 'Off', 'On', 'Off', 'Done']
    ])
    // These are native buttons, so Enter and Space press them.
    expect(reached.slice(1).every((one) => one instanceof HTMLButtonElement && one.tabIndex === 0)).toBe(true)
  })
})

describe('reading aloud', () => {
  class Utterance {
    voice: unknown
    lang = ''
    onend = () => {}
    text: string
    constructor(text: string) {
      this.text = text
    }
  }
  /** Simulates a computer with these voices. */
  function speech(...voices: { lang: string; localService: boolean }[]) {
    const spoken: Utterance[] = []
    const listeners = new Set<() => void>()
    const state = { voices, cancelled: 0 }
    vi.stubGlobal('SpeechSynthesisUtterance', Utterance)
    vi.stubGlobal('speechSynthesis', {
      getVoices: () => state.voices,
      speak: (one: Utterance) => spoken.push(one),
      cancel: () => state.cancelled++,
      addEventListener: (_name: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_name: string, listener: () => void) => listeners.delete(listener)
    })
    const found = (...more: typeof voices) => {
      state.voices = more
      for (const listener of listeners) listener()
    }
    return { spoken, state, found }
  }
  const offered = () => side().queryByRole('button', { name: 'Read aloud' })

  test('isn’t offered without speech or voices, and nothing breaks', async () => {
    await open()
    expect(offered()).toBeNull()
    opened?.close()
    speech()
    await open()
    expect(offered()).toBeNull()
  })

  test('isn’t offered in a language without a voice, or with an online voice', async () => {
    speech({ lang: 'en-GB', localService: false }, { lang: 'ar-SA', localService: true })
    await open()
    expect(offered()).toBeNull()
    await press('العربية')
    expect(side().getByRole('button', { name: 'قراءة بصوت عالٍ' })).toBeTruthy()
    await press('Gagana Sāmoa')
    expect(side().queryByRole('button', { name: 'Faitau leotele' })).toBeNull()
  })

  test('reads the text and controls with a voice of the language until stopped', async () => {
    const { spoken, state, found } = speech()
    await open()
    // Some systems load their voices later.
    found({ lang: 'en-US', localService: true }, { lang: 'en_NZ', localService: true })
    await settle()
    await press('Read aloud')
    expect(spoken[0]?.text).toContain('Please hand the screen to Mere Parata')
    expect(spoken[0]?.text).toContain('I’m Mere Parata – start')
    expect(spoken[0]?.lang).toBe('en_NZ')
    await press('Stop reading')
    expect(state.cancelled).toBe(1)
    await press('Read aloud')
    spoken[1]?.onend()
    await settle()
    expect(offered()).toBeTruthy()
  })

  test('stops when the screen changes, and leaves out staff controls', async () => {
    const { spoken, state } = speech({ lang: 'en', localService: true })
    await open()
    await press('Read aloud')
    await changeSession({ cover: 'away', isLocked: true })
    expect(state.cancelled).toBe(1)
    await press('Read aloud')
    expect(spoken[1]?.text).toContain('Please ask staff to continue')
    expect(spoken[1]?.text).not.toMatch(/PIN|Unlock/)
    expect(screen.queryByRole('alert')?.textContent ?? '').toBe('')
  })
})
