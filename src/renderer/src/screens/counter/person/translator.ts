/**
 * The text for a person at the counter, in their chosen language. A catalogue that lacks a sentence isn't offered at
 * all, so that nobody gets half of it in English.
 */
import { PERSON_LANGUAGES, type PersonLanguage } from '../../../../../shared/contract/counter-views.ts'
import type { CounterSession } from '../../../../../shared/contract/views.ts'
import arabic from './languages/ar.json'
import hindi from './languages/hi.json'
import maori from './languages/mi.json'
import punjabi from './languages/pa.json'
import { SENTENCES, type Sentence } from './languages/sentences.ts'
import samoan from './languages/sm.json'
import tongan from './languages/to.json'
import chinese from './languages/zh-Hans.json'
import { hasLetters } from './letters.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>>

export interface Catalogue {
  /** The language's own name for itself. */
  name: string
  direction: string
  /** Who reviewed it, or a note that nobody has yet. */
  review: string
  /** Keyed by the English sentence; by plural category if the sentence has a number. */
  sentences: Readonly<Record<string, string | Forms>>
}

export const CATALOGUES: Readonly<Record<Exclude<PersonLanguage, 'en'>, Catalogue>> = {
  mi: maori,
  sm: samoan,
  to: tongan,
  'zh-Hans': chinese,
  hi: hindi,
  pa: punjabi,
  ar: arabic
}

/** Returns the sentences that a catalogue lacks. */
export function missingFrom({ sentences }: Pick<Catalogue, 'sentences'>): Sentence[] {
  return SENTENCES.filter((sentence) => {
    const translation = sentences[sentence]
    return !(typeof translation === 'string' ? translation : translation?.other)?.trim()
  })
}

/** Returns the languages whose catalogues are complete, in display order. */
export function completeLanguages(
  catalogues: Partial<Record<PersonLanguage, Catalogue>> = CATALOGUES
): PersonLanguage[] {
  return PERSON_LANGUAGES.filter((language) => {
    const catalogue = catalogues[language]
    return language === 'en' || (catalogue !== undefined && missingFrom(catalogue).length === 0)
  })
}

const COMPLETE = completeLanguages()

/**
 * Returns the languages a person may choose from: English, and those offered by the office that are complete and can be
 * displayed here.
 */
export function offeredLanguages(offered: readonly PersonLanguage[]): PersonLanguage[] {
  return COMPLETE.filter(
    (language) => language === 'en' || (offered.includes(language) && hasLetters(nameOf(language)))
  )
}

export const nameOf = (language: PersonLanguage): string => (language === 'en' ? 'English' : CATALOGUES[language].name)

type Values = Readonly<Record<string, string | number>>
/** A piece of a sentence: its own words, or an inserted value. */
export type Part = string | { value: string }

export interface Translator {
  language: PersonLanguage
  direction: 'ltr' | 'rtl'
  /**
   * Returns a sentence with its values. A value of the other text direction is isolated, so that neither reorders the
   * other.
   */
  say(sentence: Sentence, values?: Values): string
  /** The same in pieces, so that the values can be styled. */
  parts(sentence: Sentence, values: Values): Part[]
  percent(share: number): string
}

const translators = new Map<PersonLanguage, Translator>()

/**
 * Returns the translator for a language.
 * @param language an incomplete or unknown one falls back to English.
 */
export function translatorOf(language: PersonLanguage = 'en'): Translator {
  const isComplete = COMPLETE.includes(language)
  const known = translators.get(isComplete ? language : 'en') ?? translator(isComplete ? language : 'en')
  translators.set(known.language, known)
  return known
}

/** Returns the translator for the person who has the screen. */
export const translatorFor = ({ session }: { session: CounterSession | null }): Translator =>
  translatorOf(session?.preferences.language)

function translator(language: PersonLanguage): Translator {
  // Browsers have no plural rules for te reo Māori, and neither number formats nor plural rules for Samoan: these fall
  // back to New Zealand English.
  const locales = [language, 'en-NZ']
  const plurals = new Intl.PluralRules(locales)
  const numbers = new Intl.NumberFormat(locales)
  const percents = new Intl.NumberFormat(locales, { style: 'percent' })
  const catalogue = language === 'en' ? undefined : CATALOGUES[language]
  const direction = catalogue?.direction === 'rtl' ? 'rtl' : 'ltr'

  function sentenceFor(sentence: Sentence, count: string | number | undefined): string {
    const translation = catalogue?.sentences[sentence] ?? sentence
    if (typeof translation === 'string') return translation
    return (typeof count === 'number' && translation[plurals.select(count)]) || translation.other || sentence
  }

  function parts(sentence: Sentence, values: Values): Part[] {
    const pieces = sentenceFor(sentence, values.count).split(/\{(\w+)\}/)
    return pieces.map((piece, index) => {
      if (index % 2 === 0) return piece
      const value = values[piece] ?? ''
      return { value: typeof value === 'number' ? numbers.format(value) : withoutMarks(value) }
    })
  }

  const say = (sentence: Sentence, values: Values = {}) =>
    parts(sentence, values)
      .map((part) => (typeof part === 'string' ? part : isolated(part.value, direction)))
      .join('')
  return { language, direction, say, parts, percent: (share) => percents.format(share) }
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const LEFT_TO_RIGHT = /[A-Za-z\u00c0-\u058f\u0900-\u1fff\u2c00-\ud7ff]/

/** Removes direction marks that would reverse it or the text next to it. */
export const withoutMarks = (text: string): string => text.replace(DIRECTION_MARKS, '')

/** Adds invisible isolating marks if its text direction may differ from that of the sentence around it. */
export function isolated(value: string, direction: 'ltr' | 'rtl'): string {
  const needsIsolation = direction === 'rtl' ? LEFT_TO_RIGHT.test(value) : RIGHT_TO_LEFT.test(value)
  return needsIsolation ? `\u2068${value}\u2069` : value
}
