/** Made-up people for practice, with addresses that lead nowhere. */
import type { Person } from './state.ts'

const FIRST_NAMES =
  'Aroha Wiremu Charlotte Oliver Mei Arjun Talia Lachlan Ngaire Sione Isla Hemi Priya Jack Anahera Liam Grace Tāne Sofia Noah Mere Ethan Zara Rāwiri Amelia Kiri Thomas Leilani Henry Hana Daniel Moana Ruby Māia Samuel Ava Kahu Benjamin Fatima James'.split(
    ' '
  )

const LAST_NAMES =
  'Parata Thompson Ngata Walker Chen Patel Tūhoe Campbell Williams Fonua Mitchell Rangi Sharma O’Connor Hēnare Robertson Taylor Kereama Rossi Anderson Tamihana Nguyen Wilson Pōtae Harris Ruatapu Bennett Faleolo McKenzie Tanaka Edwards Waititi Clarke Māhuika Singh Morgan Te-Awa Fraser Hassan Lawson'.split(
    ' '
  )

/** How many made-up people there are before their numbers repeat names. */
const PEOPLE = FIRST_NAMES.length * LAST_NAMES.length

/** The made-up person of a number; the same one each time, and another name for each number below `PEOPLE`. */
export function person(number: number): Person {
  const first = FIRST_NAMES[number % FIRST_NAMES.length] ?? 'Aroha'
  const round = Math.floor(number / FIRST_NAMES.length)
  const last = LAST_NAMES[(number * 7 + round) % LAST_NAMES.length] ?? 'Parata'
  const again = Math.floor(number / PEOPLE)
  return { FirstName: first, LastName: last, Email: `${plain(first)}.${plain(last)}${again || ''}@example.com` }
}

const plainNames = new Map<string, string>()

/** A name as addresses write it; worked out once for each, since a large office asks a million times. */
function plain(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const made = name
    .normalize('NFD')
    .replaceAll(/[^A-Za-z-]/g, '')
    .toLowerCase()
  plainNames.set(name, made)
  return made
}
