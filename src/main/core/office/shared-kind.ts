/** A kind of record that an office's workstations share, and what can be said of its contents without knowing the kind. */
import { isDeepStrictEqual } from 'node:util'
import type { RecordKind } from './records.ts'

/** Storage of one kind of record. A content is plain JSON. Writes fire the triggers that count changes. */
// biome-ignore lint/suspicious/noExplicitAny: each kind takes what it has read itself.
export interface SharedKind<Content = any> {
  readonly kind: RecordKind
  /** How many are transferred at a time, in either direction. */
  readonly page: number
  localIds: (accountId: string) => string[]
  /** The account that it belongs to, also if it is the organisation's. */
  ownerOf: (local: string) => string | undefined
  /** Undefined if the record is missing, private, or in a format that this version can't read. */
  content: (local: string) => Content | undefined
  /** Undefined if it is in a format that this version doesn't know. */
  read: (content: unknown) => Content | undefined
  /**
   * Writes a record of the office, over the local one if `local` is given. Returns its local id.
   * @param id its id at the office.
   */
  write: (accountId: string, content: Content, id: string, local: string | undefined) => string
  erase: (local: string) => void
  /** What identifies it at every workstation; undefined if its own id does. */
  identity?: (content: Content) => string | undefined
  /** The ids that it had at the office before corrections changed what identifies it. */
  formerIds?: (content: Content) => readonly string[]
  /** Merges two contents that both derive from `base`. Undefined if they can't be merged and have to become two. */
  merge?: (mine: Content, theirs: Content, base: Content | undefined) => Content | undefined
  /** Returns a content to use instead of theirs when there was no local change; undefined to take theirs. */
  overrideTheirs?: (mine: Content, theirs: Content) => Content | undefined
  /** Finds an identical record of the account. It becomes the same record if the office doesn't have it yet. */
  findIdentical?: (accountId: string, content: Content) => string | undefined
  /**
   * Writes a content as one more record.
   * @param conflictLabel this workstation's name and the time, if the record it conflicts with is kept, too.
   */
  addCopy?: (accountId: string, content: Content, conflictLabel: string | undefined) => void
  /** Whether one that was deleted elsewhere stays if it was changed here meanwhile, unless it was deleted finally. */
  staysIfChanged?: boolean
  /** In how many milliseconds it expires; undefined if unknown. */
  expiresIn?: (content: Content) => number | undefined
}

/** Reads a content of the office; undefined for none, or for one in a format that this version doesn't know. */
export const readContent = (kind: SharedKind, content: unknown) =>
  content === undefined ? undefined : kind.read(content)

/**
 * Merges two contents that both derive from `base`. The result is the common base of any two contents that derive from
 * both.
 */
export function mergeContents(kind: SharedKind, one: unknown, other: unknown, base: unknown): unknown {
  const [its, others] = [readContent(kind, one), readContent(kind, other)]
  if (its === undefined || others === undefined) return others ?? its
  return kind.merge?.(its, others, readContent(kind, base))
}

/** Compares as JSON does: undefined equals absent. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
}
