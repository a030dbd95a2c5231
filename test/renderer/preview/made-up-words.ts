/**
 * A language that nobody speaks, for the preview: the English of `src/words` with every letter changed. As any second language it is one file
 * beside the first, and in the next build (decision 32).
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import PO from 'pofile'

const root = resolve(import.meta.dirname, '../../..')

/** As a computer's settings call it. */
export const MADE_UP = 'en-XA'

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ODD = [...'áƀćđéƒğĥíĵķłɱńóṕʠŕśťúṽŵẋýźÁƁĆĐÉƑĞĤÍĴĶŁṂŃÓṔɊŔŚŤÚṼŴẊÝŹ']

/** "Send {0}" as "Śéńđ {0}": what is put in, and what stands around other parts, stays. */
function madeUp(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => ODD[PLAIN.indexOf(letter)] ?? letter)
}

/** Writes both languages' files. @returns their folder, from the project's: COUNTERSIGN_WORDS for a build */
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
