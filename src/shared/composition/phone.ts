/**
 * Mobile numbers in the service's format: the country's calling code in digits, and the number as dialled within the
 * country, including its trunk prefix (reference 2.4). Anything else causes a warning, never an error.
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

interface Assessment {
  country?: string
  number?: string
  /** The correct value, if certain. */
  corrected?: Mobile
}

const SEPARATORS = /[\s().\-/\u2010-\u2015]/g
const MAX_REMEMBERED = 5000
const assessments = new Map<string, Assessment>()
let countriesByCode: Map<string, CountryCode[]> | undefined

/** Returns warnings about a signer's number; `at` is the signer's place. Never throws, whatever was typed. */
export function problemsOfMobile(at: string, mobile: Mobile): Problem[] {
  const { country, number } = assess(mobile)
  return [
    ...(country ? [warning(`${at}.MobileCountry`, country)] : []),
    ...(number ? [warning(`${at}.MobileNumber`, number)] : [])
  ]
}

/** Returns the number in the service's format; undefined if it can't be determined or is already in it. */
export function correctedMobile(mobile: Mobile): Mobile | undefined {
  return assess(mobile).corrected
}

/**
 * Returns the number in the service's format if its meaning is certain; undefined if it is already in it, or is
 * doubtful: `problemsOfMobile` then says why.
 * @param usualCode the calling code for numbers without one; blank if the office has none.
 */
export function certainMobile(mobile: Mobile, usualCode: string): Mobile | undefined {
  const country = mobile.MobileCountry.trim()
  const number = mobile.MobileNumber.trim()
  if (!number) return undefined
  const namedCode = codeByName(country)
  const corrected = correctedMobile({ MobileCountry: namedCode ?? (country || usualCode), MobileNumber: number })
  const meant = corrected ?? mobileInCountry(namedCode ?? (country ? '' : usualCode), number)
  // A number from one country with the calling code of another could belong to either.
  const isDoubtful = country !== '' && meant?.MobileCountry !== (namedCode ?? callingCode(country))
  return isDoubtful ? undefined : meant
}

/** Returns the number if it is already written as dialled within the country. */
function mobileInCountry(code: string, number: string): Mobile | undefined {
  const mobile = { MobileCountry: code, MobileNumber: dialledNumber(number) }
  return code && problemsOfMobile('', mobile).length === 0 ? mobile : undefined
}

/**
 * Returns the number as dialled from anywhere: "+64 21 555 0101". A number that can't be parsed stays as typed,
 * followed by its country code.
 */
export function internationalMobile({ MobileCountry, MobileNumber }: Mobile): string {
  const number = MobileNumber.trim()
  if (!number) return ''
  const code = callingCode(MobileCountry)
  const isInternational = /^(\+|00)/.test(number.replace(SEPARATORS, ''))
  const parsed = isInternational
    ? parse(number.replace(/^\s*00/, '+'))
    : /^\d+$/.test(code)
      ? parse(number, code)
      : undefined
  if (parsed?.isPossible()) return parsed.formatInternational()
  return code && !isInternational ? `${number} (country code ${code})` : number
}

/** Returns a country's calling code from its two letters; blank if unknown. */
export function codeOfCountry(letters: string): string {
  return codeByName(letters) ?? ''
}

/** Returns a calling code as it is sent: "+64" and "0064" become 64. Anything that isn't a code stays as typed. */
export function callingCode(typed: string): string {
  const compact = typed.replace(SEPARATORS, '')
  return /^(\+|00)?\d+$/.test(compact) ? compact.replace(/^(\+|00)/, '') : typed.trim()
}

/**
 * Returns a sent code in a form that `callingCode` maps back to it: its own leading zeros aren't taken for a prefix.
 */
export function typedCode(sent: string): string {
  return /^00\d*$/.test(sent.replace(SEPARATORS, '')) ? `+${sent.trim()}` : sent.trim()
}

/** Returns a number as it is sent, without separators. Anything not made of digits stays as typed. */
export function dialledNumber(typed: string): string {
  const compact = typed.replace(SEPARATORS, '')
  return /^\d+$/.test(compact) ? compact : typed.trim()
}

function assess({ MobileCountry, MobileNumber }: Mobile): Assessment {
  if (!MobileNumber.trim()) return {}
  const key = `${MobileCountry}\n${MobileNumber}`
  const known = assessments.get(key)
  if (known) return known
  if (assessments.size >= MAX_REMEMBERED) assessments.clear()
  const assessment = assessUncached(MobileCountry.trim(), MobileNumber.trim())
  assessments.set(key, assessment)
  return assessment
}

function assessUncached(country: string, number: string): Assessment {
  // Without digits, no other country or length would make it a number.
  if (!/\p{Nd}/u.test(number)) return { number: 'This isn’t a phone number. Enter it in digits.' }
  const compact = number.replace(SEPARATORS, '')
  if (/^(\+|00)/.test(compact)) return assessInternational(callingCode(country), compact.replace(/^(\+|00)/, '+'))
  const code = callingCode(country)
  const wrong = wrongCountry(country, code)
  if (wrong) return { country: wrong }
  const digitsOnlyHint = country === code ? {} : { country: `Only digits are sent: ${code}.` }
  const parsed = parse(number, code)
  if (!parsed?.isPossible()) {
    return {
      ...digitsOnlyHint,
      number: `This number doesn’t have the length of a mobile number in ${countryInWords(code)}.`
    }
  }
  if (!parsed.isValid()) {
    return { ...digitsOnlyHint, number: `This doesn’t look like a mobile number in ${countryInWords(code)}.` }
  }
  const dialled = parsed.formatNational()
  const corrected = { MobileCountry: code, MobileNumber: dialled.replace(/\D/g, '') }
  if (compact === corrected.MobileNumber) return country === code ? {} : { ...digitsOnlyHint, corrected }
  const lacksZero = compact === parsed.nationalNumber
  const todo = lacksZero
    ? `Start the number as it’s dialled within the country: ${dialled}.`
    : `Write the number as it’s dialled within the country: ${dialled}.`
  return { ...digitsOnlyHint, corrected, number: todo }
}

/** Judges a number typed with its country code. */
function assessInternational(code: string, international: string): Assessment {
  const parsed = parse(international)
  if (!parsed) return { number: 'This number can’t be dialled. Check its country code and length.' }
  const corrected = {
    MobileCountry: String(parsed.countryCallingCode),
    MobileNumber: parsed.formatNational().replace(/\D/g, '')
  }
  const mismatch = code && code !== corrected.MobileCountry ? `, not ${code}` : ''
  return {
    corrected,
    number: `Write the number without the country code: ${parsed.formatNational()}, and ${corrected.MobileCountry} as the country${mismatch}.`
  }
}

function wrongCountry(typed: string, code: string): string | undefined {
  if (!typed) return 'Add the country code, so that text messages arrive.'
  const byLetters = codeByName(typed)
  if (byLetters) return `Enter the country as its calling code: ${byLetters}.`
  if (!/^\d+$/.test(code)) return 'Enter the calling code of the country in digits, such as 64.'
  return countries().has(code) ? undefined : `No country has the calling code ${code.slice(0, 8)}.`
}

function codeByName(typed: string): string | undefined {
  const letters = typed.toUpperCase()
  return /^[A-Z]{2}$/.test(letters) && getCountries().includes(letters as CountryCode)
    ? getCountryCallingCode(letters as CountryCode)
    : undefined
}

function parse(number: string, defaultCallingCode?: string): PhoneNumber | undefined {
  try {
    return parsePhoneNumberFromString(number, { ...(defaultCallingCode && { defaultCallingCode }), extract: false })
  } catch {
    // Not a number at all.
    return undefined
  }
}

function countries(): Map<string, CountryCode[]> {
  countriesByCode ??= Map.groupBy(getCountries(), (country) => String(getCountryCallingCode(country)))
  return countriesByCode
}

/** Returns "New Zealand", or "country 1" if several countries share the code. */
function countryInWords(code: string): string {
  const sharing = countries().get(code) ?? []
  const only = sharing.length === 1 ? sharing[0] : undefined
  return (only && new Intl.DisplayNames(['en-GB'], { type: 'region' }).of(only)) || `country ${code}`
}
