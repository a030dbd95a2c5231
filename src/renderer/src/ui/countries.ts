/** Countries and their calling codes, by the names that people know them by. */
import { getExampleNumber } from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'
import metadata from 'libphonenumber-js/mobile/metadata'
import { callingCode } from '../../../shared/composition/phone.ts'
import type { Suggestion } from './suggestion.ts'

type Country = Parameters<typeof getExampleNumber>[0]

// Within a code, the country that others share it with comes first.
const countriesOf = new Map(Object.entries(metadata.country_calling_codes) as [string, Country[]][])
const nameOf = new Intl.DisplayNames('en-GB', { type: 'region' })
const named = (country: Country) => nameOf.of(country) ?? country

/** Every calling code, by the name of its first country. */
export const countryCodes: readonly Suggestion[] = [...countriesOf]
  .map(([code, [first, ...others]]) => ({
    value: code,
    note: first ? named(first) : '',
    also: [first, ...others].map((country) => (country ? `${country} ${named(country)}` : '')).join(' ')
  }))
  .sort((one, two) => one.note.localeCompare(two.note))

/** The code of a country that was typed by its name ("new zealand", "NZ"); undefined if it is none, or more than one. */
export function codeOfName(typed: string): string | undefined {
  const wanted = typed.trim().toLowerCase()
  for (const [code, countries] of countriesOf) {
    if (countries.some((country) => country.toLowerCase() === wanted || named(country).toLowerCase() === wanted))
      return code
  }
  return undefined
}

/** A mobile number as it is written in the country of a code ("021 123 4567"); blank where there is none to show. */
export function exampleMobile(code: string): string {
  const [country] = countriesOf.get(callingCode(code)) ?? []
  return (country && getExampleNumber(country, examples)?.formatNational()) ?? ''
}

/** Whose code it is: "New Zealand", "Australia etc."; blank where it is nobody's. */
export function countryOfCode(code: string): string {
  const [first, ...others] = countriesOf.get(callingCode(code)) ?? []
  if (!first) return ''
  return others.length === 0 ? named(first) : `${named(first)} etc.`
}
