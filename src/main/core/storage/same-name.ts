/**
 * Names that are one name on some systems: Windows and macOS take capitals for small letters, macOS takes an accent and its
 * letter together or apart. Where such a name is there already, no second one is made beside it.
 */
import { nextTurn } from '../slices.ts'

/** Names between which others have their turn. */
const PIECE = 2_000

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

/** Each name by its key; of two that a system could mix up, the one that was named last. */
export async function byNameKey(names: readonly string[]): Promise<Map<string, string>> {
  const byKey = new Map<string, string>()
  for (const [index, name] of names.entries()) {
    if (index % PIECE === PIECE - 1) await nextTurn()
    byKey.set(nameKey(name), name)
  }
  return byKey
}
