/**
 * Detects names that some systems treat as equal: Windows and macOS ignore case, and macOS ignores whether accents are
 * composed. If such a name exists, no second one is created next to it.
 */
import { nextTurn } from '../lib/slices.ts'

/** Number of names between two pauses. */
const NAMES_PER_SLICE = 500

/**
 * Letters with several lower-case forms, which plain lower-casing keeps apart. The dotless ı isn't included: no file
 * system treats it as an i.
 */
const SEVERAL_SMALL_FORMS = /[µſςϐϑϕϖϰϱϵ\u1c80-\u1c88\u1fbe]|\u0345/gu

/** Returns the same key for any two names that some system could treat as equal. */
export function nameKey(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(SEVERAL_SMALL_FORMS, (letter) => letter.toUpperCase().toLowerCase())
    .normalize('NFC')
}

/**
 * Indexes names by their keys; of two equal keys, the last name wins.
 * @param beginning restricts the result to names whose keys begin like its key; others may be omitted. In a folder with
 * many thousands of names, computing all keys would take longer than writing a file.
 */
export async function byNameKey(names: readonly string[], beginning = ''): Promise<Map<string, string>> {
  const byKey = new Map<string, string>()
  let computed = 0
  for (const name of names) {
    if (!mayBeginLike(name, beginning)) continue
    if (++computed % NAMES_PER_SLICE === 0) await nextTurn()
    byKey.set(nameKey(name), name)
  }
  return byKey
}

/** A cheap pre-filter: false only if two unchangeable characters differ. */
function mayBeginLike(name: string, beginning: string): boolean {
  for (let at = 0; at < beginning.length && at < name.length; at++) {
    const one = name.charCodeAt(at)
    const other = beginning.charCodeAt(at)
    if (one === other || smallLetter(one) === smallLetter(other)) continue
    return !(isStandalone(name, at) && isStandalone(beginning, at))
  }
  return true
}

function smallLetter(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** Whether this is ASCII and not followed by a character that could combine with it. */
function isStandalone(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  return text.charCodeAt(at) < 128 && (Number.isNaN(next) || next < 128)
}
