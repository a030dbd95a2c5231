/** A package in words: who signs what, how, and by when. */
import type { ComposedItem, ComposedSigner, Composition } from '../../../../shared/composition/composition.ts'
import type { Problem } from '../../../../shared/composition/problems.ts'
import { counted, listed } from '../../words/counts.ts'
import { daysAway, momentInWords } from '../../words/dates.ts'

const DAY = 86_400_000

/** "2 forms", "1 template". */
export function itemsInWords(composition: Composition): string {
  return counted(composition.items.length, composition.kind === 'form-direct' ? 'form' : 'template')
}

/** What to call a signer while the name is still being typed. */
export function nameOf(signer: ComposedSigner, index: number): string {
  return (
    [signer.FirstName, signer.LastName]
      .map((part) => part.trim())
      .filter(Boolean)
      .join(' ') ||
    signer.Email.trim() ||
    `Person ${index + 1}`
  )
}

/** "face to face, with video and deepfake detector"; blank where nothing special was asked. */
export function howInWords(signer: ComposedSigner, kind: Composition['kind']): string {
  return [
    signer.faceToFace && 'face to face',
    signer.video && (signer.deepfakeDetector ? 'video with deepfake detector' : 'video'),
    kind === 'form-direct' && signer.UseIDData && `${counted(signer.IDData.length, 'identity question')}`,
    kind === 'form-direct' && signer.Optional && 'optional',
    kind === 'form-filler' && signer.reviewBeforeSigning && 'review before signing'
  ]
    .filter(Boolean)
    .join(', ')
}

/** "Mere Parata and Tama Brooks". */
export function signersInWords(item: ComposedItem): string {
  return item.signers.length === 0 ? 'nobody yet' : listed(item.signers.map(nameOf))
}

/** The due date as a moment, where one is chosen and can be read. */
export function dueAt({ due, gmt }: Pick<Composition, 'due' | 'gmt'>): { at: number; offset: number } | undefined {
  const local = Date.parse(`${due}:00.000Z`)
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(due) || Number.isNaN(local)) return undefined
  const offset = Number(gmt || 0)
  return { at: local - offset * 60_000, offset }
}

/** When it must be signed: the date with its zone and how far away, or the service's own rule said aloud. */
export function dueInWords(composition: Pick<Composition, 'due' | 'gmt'>, now: number): string {
  if (!composition.due) {
    return `14 days after sending, which is the service's rule. Sent today, that is ${momentInWords(now + 14 * DAY).replace(/ at .*/, '')}.`
  }
  const due = dueAt(composition)
  if (!due) return 'Not complete yet: choose a date and a time.'
  return `${momentInWords(due.at, due.offset)}. That is ${daysAway(due.at, now)}.`
}

/** A problem where its field isn't beside it: "Person 2: enter the first name." */
export function saidOf(composition: Composition, problem: Problem): string {
  const whose = whoseIs(composition, problem.at)
  if (!whose) return problem.message
  // An abbreviation keeps its capitals.
  return `${whose}: ${problem.message.replace(/^\p{Lu}(?=[\p{Ll}\s])/u, (letter) => letter.toLowerCase())}`
}

/** The person or, among several, the form that a place belongs to. */
function whoseIs(composition: Composition, at: string): string | undefined {
  const place = composition.items.findIndex((item) => at.startsWith(`${item.key}.`))
  const item = composition.items[place]
  if (!item) return undefined
  const kind = composition.kind === 'form-direct' ? 'Form' : 'Template'
  const itemName = composition.items.length > 1 ? item.Name.trim() || `${kind} ${place + 1}` : undefined
  const index = item.signers.findIndex((signer) => at.startsWith(`${item.key}.signers.${signer.key}.`))
  const signer = item.signers[index]
  if (!signer) return itemName
  const name = nameOf(signer, index)
  const person = at.includes('.ShareUsers.') ? `Somebody with whom ${name} shares it` : name
  return itemName ? `${itemName}, ${person}` : person
}
