/** Countries and their calling codes, under the names people know. */
import { getExampleNumber } from 'libphonenumber-js/mobile'
import examples from 'libphonenumber-js/mobile/examples'
import metadata from 'libphonenumber-js/mobile/metadata'
import { callingCode } from '../../../shared/composition/phone.ts'
import type { Suggestion } from './suggestion.ts'

type Country = Parameters<typeof getExampleNumber>[0]

// If several countries share a code, its main one comes first.
const countriesOf = new Map(Object.entries(metadata.country_calling_codes) as [string, Country[]][])
const displayNames = new Intl.DisplayNames('en-GB', { type: 'region' })
const countryName = (country: Country) => displayNames.of(country) ?? country

/** All calling codes, named after their main country. */
export const countryCodes: readonly Suggestion[] = [...countriesOf]
  .map(([code, [first, ...others]]) => ({
    value: code,
    note: first ? countryName(first) : '',
    also: [first, ...others].map((country) => (country ? `${country} ${countryName(country)}` : '')).join(' ')
  }))
  .sort((one, two) => one.note.localeCompare(two.note))

/** Returns the code of a typed country name ("new zealand", "NZ"). Undefined if there is no such country. */
export function codeOfName(typed: string): string | undefined {
  const query = typed.trim().toLowerCase()
  for (const [code, countries] of countriesOf) {
    if (countries.some((country) => country.toLowerCase() === query || countryName(country).toLowerCase() === query))
      return code
  }
  return undefined
}

/** Returns an example mobile number in national format ("021 123 4567"). Blank if there is none. */
export function exampleMobile(code: string): string {
  const [country] = countriesOf.get(callingCode(code)) ?? []
  return (country && getExampleNumber(country, examples)?.formatNational()) ?? ''
}

/** Returns the name of a code's country: "New Zealand", "Australia etc."; blank if the code isn't assigned. */
export function countryOfCode(code: string): string {
  const [first, ...others] = countriesOf.get(callingCode(code)) ?? []
  if (!first) return ''
  return others.length === 0 ? countryName(first) : `${countryName(first)} etc.`
}
