/**
 * Names that are one name on some systems: Windows and macOS take capitals for small letters, macOS takes an accent and its
 * letter together or apart. Where such a name is there already, no second one is made beside it.
 */
import { nextTurn } from '../lib/slices.ts'

/** Names between which others have their turn. */
const PIECE = 500

/**
 * Letters with more than one small form, which the usual way to small letters leaves apart. The dotless ı isn't one of
 * them: no file system takes it for an i.
 */
const SEVERAL_SMALL_FORMS = /[µſςϐϑϕϖϰϱϵ\u1c80-\u1c88\u1fbe]|\u0345/gu

/** The same for two names wherever some system could take one for the other. */
export function nameKey(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(SEVERAL_SMALL_FORMS, (letter) => letter.toUpperCase().toLowerCase())
    .normalize('NFC')
}

/**
 * Names by their keys; of two that a system could mix up, the one that was named last.
 * @param beginning only names are wanted whose keys begin like its key does. Others may be left out: in a folder of many
 *   thousands, making all their keys would take longer than writing a file.
 */
export async function byNameKey(names: readonly string[], beginning = ''): Promise<Map<string, string>> {
  const byKey = new Map<string, string>()
  let made = 0
  for (const name of names) {
    if (!mayBeginLike(name, beginning)) continue
    if (++made % PIECE === 0) await nextTurn()
    byKey.set(nameKey(name), name)
  }
  return byKey
}

/** False only where a letter that stays by itself is another one. */
function mayBeginLike(name: string, beginning: string): boolean {
  for (let at = 0; at < beginning.length && at < name.length; at++) {
    const one = name.charCodeAt(at)
    const other = beginning.charCodeAt(at)
    if (one === other || smallLetter(one) === smallLetter(other)) continue
    return !(staysByItself(name, at) && staysByItself(beginning, at))
  }
  return true
}

function smallLetter(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code
}

/** Of the plain Latin letters, figures and signs, and not followed by what could join it: an accent. */
function staysByItself(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1)
  return text.charCodeAt(at) < 128 && (Number.isNaN(next) || next < 128)
}
