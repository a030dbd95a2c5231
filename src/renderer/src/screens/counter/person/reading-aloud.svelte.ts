/**
 * Reads the person's screen aloud with the computer's own voices. An online voice would send their name to a service,
 * so only local voices are used, and reading isn't offered for a language without one.
 */
import type { PersonLanguage } from '../../../../../shared/contract/counter-views.ts'

/** Voice language tags for a language, best first. */
const TAGS: Partial<Record<PersonLanguage, readonly string[]>> = {
  en: ['en-NZ', 'en-AU', 'en-GB', 'en'],
  'zh-Hans': ['zh-Hans', 'zh-CN', 'cmn', 'zh']
}

type Speech = Pick<SpeechSynthesis, 'getVoices' | 'speak' | 'cancel' | 'addEventListener' | 'removeEventListener'>

export class ReadingAloud {
  readonly #root: () => HTMLElement | undefined
  readonly #speech: Speech | undefined
  #voices = $state.raw<readonly SpeechSynthesisVoice[]>([])
  #isReading = $state(false)
  #reading = 0

  /** @param side returns the element to read from. */
  constructor(side: () => HTMLElement | undefined, speech: Speech | undefined = globalThis.speechSynthesis) {
    this.#root = side
    this.#speech = speech
  }

  get isReading(): boolean {
    return this.#isReading
  }

  /** Tracks the available voices, which some systems report only after a while. Returns a function that stops. */
  follow(): () => void {
    const speech = this.#speech
    const readVoices = () => {
      this.#voices = speech?.getVoices().filter((voice) => voice.localService) ?? []
    }
    readVoices()
    speech?.addEventListener('voiceschanged', readVoices)
    return () => {
      speech?.removeEventListener('voiceschanged', readVoices)
      this.stop()
    }
  }

  canRead(language: PersonLanguage): boolean {
    return this.#voiceFor(language) !== undefined
  }

  /** Starts reading what is shown, or stops. */
  toggle(language: PersonLanguage): void {
    if (this.#isReading) {
      this.stop()
      return
    }
    const voice = this.#voiceFor(language)
    const text = this.#text()
    if (!voice || !text) return
    const mine = ++this.#reading
    const utterance = new SpeechSynthesisUtterance(text)
    utterance.voice = voice
    utterance.lang = voice.lang
    const finish = () => {
      if (mine === this.#reading) this.#isReading = false
    }
    utterance.onend = finish
    utterance.onerror = finish
    this.#isReading = true
    this.#speech?.speak(utterance)
  }

  stop(): void {
    this.#reading++
    if (!this.#isReading) return
    this.#isReading = false
    this.#speech?.cancel()
  }

  #voiceFor(language: PersonLanguage): SpeechSynthesisVoice | undefined {
    for (const tag of TAGS[language] ?? [language]) {
      const found = this.#voices.find(({ lang }) => {
        const spoken = lang.replace('_', '-').toLowerCase()
        return spoken === tag.toLowerCase() || spoken.startsWith(`${tag.toLowerCase()}-`)
      })
      if (found) return found
    }
    return undefined
  }

  /** Returns the text and buttons shown, leaving out what is for staff. */
  #text(): string {
    const pieces = [...(this.#root()?.querySelectorAll('.said :is(h1, p, li, button)') ?? [])]
    return pieces
      .filter((piece) => !piece.closest('[lang="en-GB"] [lang="en-GB"], [aria-hidden=true], details'))
      .map((piece) => piece.textContent?.trim() ?? '')
      .filter(Boolean)
      .join('.\n')
  }
}
