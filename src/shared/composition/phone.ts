/**
 * Mobile numbers as the service wants them: the country's calling code in digits, and the number as it is dialled
 * within that country, its trunk prefix included (reference 2.4). What looks otherwise is warned of, never barred.
 */
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  type PhoneNumber,
  parsePhoneNumberFromString
} from 'libphonenumber-js/mobile'
import type { ComposedSigner } from './composition.ts'
import { type Problem, warning } from './problem.ts'

export type Mobile = Pick<ComposedSigner, 'MobileCountry' | 'MobileNumber'>

interface Judgement {
  country?: string
  number?: string
  /** What it should be, where that is sure. */
  corrected?: Mobile
}

const SEPARATORS = /[\s().\-/\u2010-\u2015]/g
const MOST_REMEMBERED = 5000
const remembered = new Map<string, Judgement>()
let countriesByCode: Map<string, CountryCode[]> | undefined

/** What is odd about a signer's number. `at` is the signer's place. Never throws, whatever is typed. */
export function problemsOfMobile(at: string, mobile: Mobile): Problem[] {
  const { country, number } = judge(mobile)
  return [
    ...(country ? [warning(`${at}.MobileCountry`, country)] : []),
    ...(number ? [warning(`${at}.MobileNumber`, number)] : [])
  ]
}

/** The number as the service wants it, where it can be told and isn't so already. */
export function correctedMobile(mobile: Mobile): Mobile | undefined {
  return judge(mobile).corrected
}

/**
 * The number in the service's shape, where it is certain which number is meant; undefined where it is so already, or is
 * doubtful: then `problemsOfMobile` says why.
 * @param usual the calling code of a number without one; blank where the office has none.
 */
export function settledMobile(mobile: Mobile, usual: string): Mobile | undefined {
  const country = mobile.MobileCountry.trim()
  const number = mobile.MobileNumber.trim()
  if (!number) return undefined
  const named = byName(country)
  const corrected = correctedMobile({ MobileCountry: named ?? (country || usual), MobileNumber: number })
  const meant = corrected ?? ofCountry(named ?? (country ? '' : usual), number)
  // A number of one country beside the code of another could be either's.
  const isDoubtful = country !== '' && meant?.MobileCountry !== (named ?? callingCode(country))
  return isDoubtful ? undefined : meant
}

/** A number that stands as it is dialled within the country already. */
function ofCountry(code: string, number: string): Mobile | undefined {
  const mobile = { MobileCountry: code, MobileNumber: dialledNumber(number) }
  return code && problemsOfMobile('', mobile).length === 0 ? mobile : undefined
}

/** "+64 21 555 0101": as it is dialled from anywhere. What can't be read stays as it was written, with its country beside it. */
export function diallable({ MobileCountry, MobileNumber }: Mobile): string {
  const number = MobileNumber.trim()
  if (!number) return ''
  const code = callingCode(MobileCountry)
  const isWhole = /^(\+|00)/.test(number.replace(SEPARATORS, ''))
  const parsed = isWhole ? parse(number.replace(/^\s*00/, '+')) : /^\d+$/.test(code) ? parse(number, code) : undefined
  if (parsed?.isPossible()) return parsed.formatInternational()
  return code && !isWhole ? `${number} (country code ${code})` : number
}

/** The calling code of a country by its two letters; blank where it has none that is known. */
export function codeOfCountry(letters: string): string {
  return byName(letters) ?? ''
}

/** A calling code as it is sent: "+64" and "0064" are 64. What isn't a code stays as it was typed. */
export function callingCode(typed: string): string {
  const compact = typed.replace(SEPARATORS, '')
  return /^(\+|00)?\d+$/.test(compact) ? compact.replace(/^(\+|00)/, '') : typed.trim()
}

/** A code that was sent, so that `callingCode` makes the same of it: noughts of its own at its beginning aren't a prefix. */
export function typedCode(sent: string): string {
  return /^00\d*$/.test(sent.replace(SEPARATORS, '')) ? `+${sent.trim()}` : sent.trim()
}

/** A number as it is sent: without what only parts its digits. What isn't made of digits stays as it was typed. */
export function dialledNumber(typed: string): string {
  const compact = typed.replace(SEPARATORS, '')
  return /^\d+$/.test(compact) ? compact : typed.trim()
}

function judge({ MobileCountry, MobileNumber }: Mobile): Judgement {
  if (!MobileNumber.trim()) return {}
  const key = `${MobileCountry}\n${MobileNumber}`
  const known = remembered.get(key)
  if (known) return known
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  const judgement = judged(MobileCountry.trim(), MobileNumber.trim())
  remembered.set(key, judgement)
  return judgement
}

function judged(country: string, number: string): Judgement {
  // Neither another country nor another length makes one of it.
  if (!/\p{Nd}/u.test(number)) return { number: 'This isn’t a phone number. Enter it in digits.' }
  const compact = number.replace(SEPARATORS, '')
  if (/^(\+|00)/.test(compact)) return judgedAbroad(callingCode(country), compact.replace(/^(\+|00)/, '+'))
  const code = callingCode(country)
  const wrong = wrongCountry(country, code)
  if (wrong) return { country: wrong }
  const tooMuch = country === code ? {} : { country: `Digits alone are sent: ${code}.` }
  const parsed = parse(number, code)
  if (!parsed?.isPossible()) {
    return { ...tooMuch, number: `This number doesn’t have the length of a mobile number in ${countryInWords(code)}.` }
  }
  if (!parsed.isValid()) {
    return { ...tooMuch, number: `This isn’t a mobile number in ${countryInWords(code)}, as far as is known.` }
  }
  const dialled = parsed.formatNational()
  const corrected = { MobileCountry: code, MobileNumber: dialled.replace(/\D/g, '') }
  if (compact === corrected.MobileNumber) return country === code ? {} : { ...tooMuch, corrected }
  const lacksZero = compact === parsed.nationalNumber
  const todo = lacksZero
    ? `Begin the number as it is dialled within the country: ${dialled}.`
    : `Write the number as it is dialled within the country: ${dialled}.`
  return { ...tooMuch, corrected, number: todo }
}

/** A number that was typed with its country code. */
function judgedAbroad(code: string, international: string): Judgement {
  const parsed = parse(international)
  if (!parsed) return { number: 'This is no number that can be dialled: check its country code and its length.' }
  const corrected = {
    MobileCountry: String(parsed.countryCallingCode),
    MobileNumber: parsed.formatNational().replace(/\D/g, '')
  }
  const away = code && code !== corrected.MobileCountry ? `, not ${code}` : ''
  return {
    corrected,
    number: `Write the number without the country code: ${parsed.formatNational()}, and ${corrected.MobileCountry} as the country${away}.`
  }
}

function wrongCountry(typed: string, code: string): string | undefined {
  if (!typed) return 'Add the country code, so that a text message arrives.'
  const byLetters = byName(typed)
  if (byLetters) return `Enter the country as its calling code: ${byLetters}.`
  if (!/^\d+$/.test(code)) return 'Enter the calling code of the country in digits, such as 64.'
  return countries().has(code) ? undefined : `No country has the calling code ${code.slice(0, 8)}.`
}

function byName(typed: string): string | undefined {
  const letters = typed.toUpperCase()
  return /^[A-Z]{2}$/.test(letters) && getCountries().includes(letters as CountryCode)
    ? getCountryCallingCode(letters as CountryCode)
    : undefined
}

function parse(number: string, defaultCallingCode?: string): PhoneNumber | undefined {
  try {
    return parsePhoneNumberFromString(number, { ...(defaultCallingCode && { defaultCallingCode }), extract: false })
  } catch {
    // What it can't make sense of at all is no number.
    return undefined
  }
}

function countries(): Map<string, CountryCode[]> {
  countriesByCode ??= Map.groupBy(getCountries(), (country) => String(getCountryCallingCode(country)))
  return countriesByCode
}

/** "New Zealand", or "country 1" where a code is several countries'. */
function countryInWords(code: string): string {
  const sharing = countries().get(code) ?? []
  const only = sharing.length === 1 ? sharing[0] : undefined
  return (only && new Intl.DisplayNames(['en-GB'], { type: 'region' }).of(only)) || `country ${code}`
}
