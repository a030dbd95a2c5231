/** The fonts of signing pages, reports and cards, as files of `resources/practice`, beside their licences. */
import { readFileSync } from 'node:fs'

export type FontFile = 'allura.woff2' | 'public-sans-regular.ttf' | 'public-sans-semibold.ttf'

/** From here and from the built worker it is the same way: both lie two folders below what the application is packed from. */
const FOLDER = new URL('../../resources/practice/', import.meta.url)

const read = new Map<FontFile, Uint8Array<ArrayBuffer>>()

/** The font's bytes, read once. @throws what reading the file throws. */
export function fontBytes(file: FontFile): Uint8Array<ArrayBuffer> {
  const bytes = read.get(file) ?? new Uint8Array(readFileSync(new URL(file, FOLDER)))
  read.set(file, bytes)
  return bytes
}
