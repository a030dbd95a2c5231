/** How much JavaScript the built application loads before its first screen shows, compressed as for transfer. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Bench, lower } from './figure.ts'

const PAGES = resolve(import.meta.dirname, '../../out/renderer')
const LIMIT = 120

export const firstLoad: Bench = {
  name: 'first-load',
  async run() {
    const page = await readFile(join(PAGES, 'index.html'), 'utf8')
    const entry = /<script[^>]+src="\.\/(assets\/[^"]+\.js)"/.exec(page)?.[1]
    if (!entry) throw new Error('The page has no script.')
    const today = /["'`]\.\/(Today-[\w-]+\.js)["'`]/.exec(await readFile(join(PAGES, entry), 'utf8'))?.[1]
    if (!today) throw new Error('Today is no file of its own.')
    const loaded = await imported(entry, await imported(`assets/${today}`, new Map()))
    const bytes = [...loaded.values()].reduce((sum, text) => sum + gzipSync(text).length, 0)
    const against = `${loaded.size} files of the frame and Today, gzipped one by one`
    return [lower('first-load', bytes / 1000, 'kB', LIMIT, against)]
  }
}

/** A file and everything that it imports before it runs, by name below the pages' folder. */
async function imported(file: string, loaded: Map<string, string>): Promise<Map<string, string>> {
  if (loaded.has(file)) return loaded
  const text = await readFile(join(PAGES, file), 'utf8')
  loaded.set(file, text)
  for (const [, name] of text.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([\w.-]+\.js)["'`]/g))
    await imported(`assets/${name}`, loaded)
  return loaded
}
