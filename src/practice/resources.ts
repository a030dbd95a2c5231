/**
 * What the practice service has as files of `resources/practice`: fonts beside their licences, its signing pages' own, and a new office's account,
 * people, templates, kinds of forms and documents.
 */
import { readFileSync } from 'node:fs'

/** From here and from the built worker it is the same way: both lie two folders below what the application is packed from. */
const FOLDER = new URL('../../resources/practice/', import.meta.url)

const read = new Map<string, Uint8Array<ArrayBuffer>>()

/** The file's bytes, read once. @throws what reading the file throws. */
export function resource(file: `${string}.${'css' | 'js' | 'json' | 'ttf' | 'woff2'}`): Uint8Array<ArrayBuffer> {
  const bytes = read.get(file) ?? new Uint8Array(readFileSync(new URL(file, FOLDER)))
  read.set(file, bytes)
  return bytes
}

/** What a file of data says, for its reader to check. @throws what reading the file throws. */
export function readData(file: `${string}.json`): unknown {
  return JSON.parse(new TextDecoder().decode(resource(file)))
}
