/**
 * A name pattern as edited by the user: parts filled in from a document, separators, and folders. What can't be parsed,
 * such as an unclosed brace, stays text; `core/downloads/name-pattern.ts` decides what is valid.
 */
import { withoutEnding } from '../../../../shared/file-endings.ts'
import { nameParts } from './download-words.ts'

export type NamePiece =
  | { kind: 'part'; name: string }
  | { kind: 'text'; text: string }
  /** Ends a folder name. */
  | { kind: 'folder' }

/** Separators offered between two parts, with their labels. */
export const separators = [
  { text: ' – ', label: 'Dash', shown: '–' },
  { text: ', ', label: 'Comma', shown: ',' },
  { text: ' ', label: 'Space', shown: '␣' },
  { text: '_', label: 'Underscore', shown: '_' },
  { text: '-', label: 'Hyphen', shown: '-' }
] as const

const DEFAULT_SEPARATOR = separators[0].text

/** Parses a pattern. An ending is dropped, as it is added automatically. */
export function piecesOf(pattern: string): NamePiece[] {
  const stem = withoutEnding(pattern.trim())
  return [...stem.matchAll(/\{([^{}]*)\}|[/\\]|[^{}/\\]+|[{}]/g)].map(([found, inside]): NamePiece => {
    const wanted = inside?.trim().toLowerCase()
    const part = nameParts.find(({ name }) => name.toLowerCase() === wanted)
    if (part) return { kind: 'part', name: part.name }
    return found === '/' || found === '\\' ? { kind: 'folder' } : { kind: 'text', text: found }
  })
}

export function patternOf(pieces: readonly NamePiece[]): string {
  return pieces
    .map((piece) => (piece.kind === 'part' ? `{${piece.name}}` : piece.kind === 'text' ? piece.text : '/'))
    .join('')
}

export function withReplaced(pieces: readonly NamePiece[], at: number, piece: NamePiece): NamePiece[] {
  return pieces.map((one, index) => (index === at ? piece : one))
}

/** Adds a part at the end, with the separator used so far. */
export function withPart(pieces: readonly NamePiece[], name: string): NamePiece[] {
  const known = (piece: NamePiece) => piece.kind === 'text' && separators.some(({ text }) => text === piece.text)
  const separator = pieces.findLast(known) ?? { kind: 'text', text: DEFAULT_SEPARATOR }
  return [...pieces, ...(pieces.at(-1)?.kind === 'part' ? [separator] : []), { kind: 'part', name }]
}

/** Removes a part and its separator from a neighbour; the end of a folder only if there is no other. */
export function withoutPiece(pieces: readonly NamePiece[], at: number): NamePiece[] {
  if (pieces[at]?.kind !== 'part') return pieces.filter((_, index) => index !== at)
  const [before, after] = [pieces[at - 1], pieces[at + 1]]
  const separatorIndex = before?.kind === 'text' ? at - 1 : after?.kind === 'text' ? at + 1 : after ? at + 1 : at - 1
  const hasSeparator = (pieces[separatorIndex]?.kind ?? 'part') !== 'part'
  return pieces.filter((_, index) => index !== at && !(hasSeparator && index === separatorIndex))
}

/** Returns the index of the part to swap with; undefined at either end. Separators stay in place. */
export function neighbourOf(pieces: readonly NamePiece[], at: number, by: 1 | -1): number | undefined {
  for (let index = at + by; index >= 0 && index < pieces.length; index += by) {
    if (pieces[index]?.kind === 'part') return index
  }
  return undefined
}

export function withSwapped(pieces: readonly NamePiece[], one: number, other: number): NamePiece[] {
  return pieces.map((piece, index) => (index === one ? pieces[other] : index === other ? pieces[one] : piece) ?? piece)
}

/** Formats a pattern for reading: "Year › Document – Signer". */
export function patternInWords(pattern: string): string {
  return piecesOf(pattern)
    .map((piece) => (piece.kind === 'folder' ? ' › ' : piece.kind === 'text' ? piece.text : labelOfPart(piece.name)))
    .join('')
}

export function labelOfPart(name: string): string {
  return nameParts.find((part) => part.name === name)?.label ?? name
}
