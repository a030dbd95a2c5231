/**
 * A made-up language for the preview: the English of `src/words` with every letter changed. Like any second language,
 * it is one file next to the first, and part of the next build (decision 32).
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import PO from 'pofile'

const root = resolve(import.meta.dirname, '../../..')

/** The locale as a computer's settings name it. */
export const MADE_UP = 'en-XA'

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ODD = [...'áƀćđéƒğĥíĵķłɱńóṕʠŕśťúṽŵẋýźÁƁĆĐÉƑĞĤÍĴĶŁṂŃÓṔɊŔŚŤÚṼŴẊÝŹ']

/** Turns "Send {0}" into "Śéńđ {0}": placeholders, and what surrounds other parts, are kept. */
function madeUp(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => ODD[PLAIN.indexOf(letter)] ?? letter)
}

/** Writes both languages' files. @returns their folder relative to the project, for COUNTERSIGN_WORDS in a build */
export function writeMadeUpWords(): string {
  const folder = join(root, 'out/made-up-words')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of ['words.loader.ts', 'en-GB.po']) copyFileSync(join(root, 'src/words', file), join(folder, file))
  const catalogue = PO.parse(readFileSync(join(folder, 'en-GB.po'), 'utf8'))
  catalogue.headers.Language = MADE_UP
  for (const item of catalogue.items) item.msgstr = item.msgstr.map(madeUp)
  writeFileSync(join(folder, `${MADE_UP}.po`), catalogue.toString())
  return relative(root, folder)
}
