/**
 * Reads the person's screen to them with the voices of their own computer. A voice that some service speaks with would be told
 * their name: only those that speak here are used, and where there is none of a language it isn't offered.
 */
import type { PersonLanguage } from '../../../../../shared/contract/counter-views.ts'

/** What stands for a language among voices, best first. */
const TAGS: Partial<Record<PersonLanguage, readonly string[]>> = {
  en: ['en-NZ', 'en-AU', 'en-GB', 'en'],
  'zh-Hans': ['zh-Hans', 'zh-CN', 'cmn', 'zh']
}

type Speech = Pick<SpeechSynthesis, 'getVoices' | 'speak' | 'cancel' | 'addEventListener' | 'removeEventListener'>

export class ReadingAloud {
  readonly #side: () => HTMLElement | undefined
  readonly #speech: Speech | undefined
  #voices = $state.raw<readonly SpeechSynthesisVoice[]>([])
  #isReading = $state(false)
  #reading = 0

  /** @param side what is read from. */
  constructor(side: () => HTMLElement | undefined, speech: Speech | undefined = globalThis.speechSynthesis) {
    this.#side = side
    this.#speech = speech
  }

  get isReading(): boolean {
    return this.#isReading
  }

  /** Learns of the voices, which some systems find only after a while. Answers what stops that. */
  follow(): () => void {
    const speech = this.#speech
    const read = () => {
      this.#voices = speech?.getVoices().filter((voice) => voice.localService) ?? []
    }
    read()
    speech?.addEventListener('voiceschanged', read)
    return () => {
      speech?.removeEventListener('voiceschanged', read)
      this.stop()
    }
  }

  canRead(language: PersonLanguage): boolean {
    return this.#voiceFor(language) !== undefined
  }

  /** Begins to read what stands there, or stops. */
  toggle(language: PersonLanguage): void {
    if (this.#isReading) {
      this.stop()
      return
    }
    const voice = this.#voiceFor(language)
    const text = this.#text()
    if (!voice || !text) return
    const mine = ++this.#reading
    const said = new SpeechSynthesisUtterance(text)
    said.voice = voice
    said.lang = voice.lang
    const over = () => {
      if (mine === this.#reading) this.#isReading = false
    }
    said.onend = over
    said.onerror = over
    this.#isReading = true
    this.#speech?.speak(said)
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

  /** What is said and what can be pressed, without what is staff's. */
  #text(): string {
    const pieces = [...(this.#side()?.querySelectorAll('.said :is(h1, p, li, button)') ?? [])]
    return pieces
      .filter((piece) => !piece.closest('[lang="en-GB"] [lang="en-GB"], [aria-hidden=true], details'))
      .map((piece) => piece.textContent?.trim() ?? '')
      .filter(Boolean)
      .join('.\n')
  }
}
