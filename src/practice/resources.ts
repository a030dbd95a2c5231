/**
 * The practice service's files in `resources/practice`: fonts with their licences, assets of its signing pages, and a
 * new office's account, people, templates, form kinds and documents.
 */
import { readFileSync } from 'node:fs'

/**
 * The same relative path from here and from the built worker: both are two folders below the packaged application's
 * root.
 */
const FOLDER = new URL('../../resources/practice/', import.meta.url)

const cache = new Map<string, Uint8Array<ArrayBuffer>>()

/** Returns a file's bytes, read once. @throws what reading the file throws. */
export function resource(file: `${string}.${'css' | 'js' | 'json' | 'ttf' | 'woff2'}`): Uint8Array<ArrayBuffer> {
  const bytes = cache.get(file) ?? new Uint8Array(readFileSync(new URL(file, FOLDER)))
  cache.set(file, bytes)
  return bytes
}

/** Parses a data file; the caller validates it. @throws what reading the file throws. */
export function readData(file: `${string}.json`): unknown {
  return JSON.parse(new TextDecoder().decode(resource(file)))
}
