/**
 * Compares a person's name on the card with the one given by the office: what differs, and what is only written
 * differently.
 */
import type { IdentityTexts } from '../../../../shared/contract/views.ts'
import { listed } from '../../words/counts.ts'
import type { Finding } from '../../words/statuses.ts'

/** same: identical. alike: identical except for capitals, accents and spaces. */
export type NameMatch = 'same' | 'alike' | 'different' | 'only-card' | 'only-user' | 'neither'

interface NamePart {
  label: string
  card?: string
  user?: string
  match: NameMatch
  /** How alike names differ: "capitals and accents". */
  but?: string
}

export interface NameComparison {
  parts: NamePart[]
  /** The full names have the same letters, but are divided into parts differently. */
  isSplitDifferently: boolean
}

export function compareNames(texts: IdentityTexts): NameComparison {
  const parts = [
    comparePart('First name', texts.firstName, texts.userFirstName),
    comparePart('Middle name', texts.middleName, texts.userMiddleName),
    comparePart('Last name', texts.lastName, texts.userLastName)
  ]
  const fullName = (side: 'card' | 'user') => lettersOf(parts.map((one) => one[side] ?? '').join(' '))
  const isDivided = parts.some(({ match }) => !isFine(match)) && fullName('card') === fullName('user')
  return { parts, isSplitDifferently: isDivided && fullName('card') !== '' }
}

/** The result for one part of a name. */
export const matchWords: Record<NameMatch, Omit<Finding, 'meaning'>> = {
  same: { shape: 'tick', tone: 'ok', word: 'Match' },
  alike: { shape: 'tick', tone: 'ok', word: 'Match, written differently' },
  different: { shape: 'cross', tone: 'danger', word: 'Different' },
  'only-card': { shape: 'question', tone: 'warn', word: 'Only on the card' },
  'only-user': { shape: 'question', tone: 'warn', word: 'Not on the card' },
  neither: { shape: 'bar', tone: 'quiet', word: '–' }
}

/** Returns the result for the whole name. */
export function nameFinding({ parts, isSplitDifferently }: NameComparison): Finding {
  const lacksName = (side: 'card' | 'user') => parts.every((one) => one[side] === undefined)
  if (lacksName('card') && lacksName('user')) return { shape: 'dot', tone: 'quiet', word: 'No names', meaning: '' }
  if (lacksName('card'))
    return { shape: 'question', tone: 'warn', word: 'No name from the card', meaning: 'Nothing to compare.' }
  if (lacksName('user'))
    return {
      shape: 'dot',
      tone: 'quiet',
      word: 'Name not compared',
      meaning: 'The check doesn’t include the name that your office entered.'
    }
  if (isSplitDifferently)
    return { shape: 'tick', tone: 'ok', word: 'Names match', meaning: 'The full name matches; it’s split differently.' }
  const different = parts.filter(({ match }) => match === 'different')
  const missing = parts.filter(({ match }) => match === 'only-card' || match === 'only-user')
  if (different.length > 0)
    return { shape: 'cross', tone: 'danger', word: 'Names differ', meaning: `${partsInWords(different)} different.` }
  if (missing.length > 0)
    return {
      shape: 'question',
      tone: 'warn',
      word: 'Part of a name missing',
      meaning: `${partsInWords(missing)} on one side only.`
    }
  const differences = new Set(
    parts.flatMap(({ card = '', user = '', match }) => (match === 'alike' ? differencesBetween(card, user) : []))
  )
  const meaning = differences.size === 0 ? '' : `Except ${listed([...differences])}.`
  return { shape: 'tick', tone: 'ok', word: 'Names match', meaning }
}

function comparePart(label: string, card: string | undefined, user: string | undefined): NamePart {
  const how = matchNames(card, user)
  const but = how === 'alike' ? listed(differencesBetween(card ?? '', user ?? '')) : undefined
  return { label, ...(card && { card }), ...(user && { user }), match: how, ...(but && { but }) }
}

function matchNames(card: string | undefined, user: string | undefined): NameMatch {
  if (!card && !user) return 'neither'
  if (!card) return 'only-user'
  if (!user) return 'only-card'
  if (card.normalize('NFC') === user.normalize('NFC')) return 'same'
  return lettersOf(card) === lettersOf(user) ? 'alike' : 'different'
}

function isFine(match: NameMatch): boolean {
  return match === 'same' || match === 'alike' || match === 'neither'
}

/** Returns how two alike names differ. */
function differencesBetween(one: string, other: string): string[] {
  const differ = (plain: (name: string) => string) => plain(one) !== plain(other)
  const noSpaces = (name: string) => name.normalize('NFC').replace(/\s/g, '')
  const noAccents = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '')
  return [
    ...(differ((name) => noSpaces(noAccents(name))) ? ['capitals'] : []),
    ...(differ((name) => noSpaces(name).toLowerCase()) ? ['accents'] : []),
    ...(differ((name) => noAccents(name).toLowerCase()) ? ['spaces'] : [])
  ]
}

/** Removes capitals, accents and spaces. */
export function lettersOf(name = ''): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\s]/gu, '')
    .toLowerCase()
}

function partsInWords(parts: readonly NamePart[]): string {
  const labels = parts.map(({ label }, index) => (index === 0 ? label : label.toLowerCase()))
  const last = labels.pop() ?? ''
  return labels.length > 0 ? `${labels.join(', ')} and ${last} are` : `${last} is`
}
