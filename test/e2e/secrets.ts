/**
 * Searches for secrets wherever an application could have left one: in files, archives and PDFs, and in its processes'
 * arguments and environment, in every form in which they may be written there.
 */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { gunzipSync, inflateSync } from 'node:zlib'
import { unzipSync } from 'fflate'

/** The secrets that may not be found anywhere, by description. Each is long enough not to occur by chance. */
export type Secrets = ReadonlyMap<string, string | Buffer>

/**
 * The number of bytes searched, so that searching nothing isn't taken for finding nothing, and `WHERE: WHAT` for each
 * secret found.
 */
export interface Search {
  bytes: number
  found: string[]
}

/** Returns the text in every form in which a file, an address, a header or a record may contain it. */
export function waysToWrite(secret: string | Buffer): Buffer[] {
  const bytes = Buffer.from(secret)
  const wide = Buffer.from(bytes.toString('latin1'), 'utf16le')
  const hex = bytes.toString('hex')
  const texts = [
    ...[hex, hex.toUpperCase(), hex.replace(/../g, '%$&'), hex.toUpperCase().replace(/../g, '%$&')],
    ...[0, 1, 2].flatMap((before) => [base64(bytes, before, 'base64'), base64(bytes, before, 'base64url')])
  ]
  return [bytes, wide, Buffer.from(wide).swap16(), ...[...new Set(texts)].map((text) => Buffer.from(text))]
}

/**
 * Encodes bytes that stand in the middle of others, with `before` bytes ahead of them in their first group of three.
 */
function base64(bytes: Buffer, before: number, alphabet: 'base64' | 'base64url'): string {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const last = padded.length - (padded.length % 3)
  return padded.subarray(0, last).toString(alphabet).slice([0, 2, 3][before])
}

function searcher(secrets: Secrets): (where: string, bytes: Buffer) => string[] {
  const ways = [...secrets].map(([what, secret]) => ({ what, written: waysToWrite(secret) }))
  return (where, bytes) =>
    ways.filter(({ written }) => written.some((way) => bytes.includes(way))).map(({ what }) => `${where}: ${what}`)
}

/** Searches each file of the folder: its name, its content and what is packed in it. */
export async function searchFolder(folder: string, secrets: Secrets): Promise<Search> {
  const search: Search = { bytes: 0, found: [] }
  const foundIn = searcher(secrets)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const where = relative(folder, path)
    search.found.push(...foundIn(where, Buffer.from(entry.name)))
    // Chromium's own files come and go while they are read.
    const bytes = entry.isFile() ? await readFile(path).catch(() => Buffer.alloc(0)) : Buffer.alloc(0)
    for (const part of [bytes, ...unpacked(bytes)]) {
      search.bytes += part.length
      search.found.push(...foundIn(where, part))
    }
  }
  return search
}

/** Returns the contents of an archive, a workbook or a PDF. */
function unpacked(bytes: Buffer): Buffer[] {
  if (bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))) {
    return Object.values(unzipSync(bytes)).map((part) => Buffer.from(part))
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return [gunzipSync(bytes)]
  if (!bytes.subarray(0, 5).equals(Buffer.from('%PDF-'))) return []
  return [...bytes.toString('latin1').matchAll(/stream\r?\n/g)].flatMap(({ index, 0: { length } }) => {
    try {
      return [inflateSync(bytes.subarray(index + length), { finishFlush: 2 })]
    } catch {
      // A stream that isn't compressed is in the file as it is.
      return []
    }
  })
}

/**
 * Searches the arguments and environment of a process and its descendants, as the system shows them to others (Linux).
 */
export async function searchProcesses(pid: number, secrets: Secrets): Promise<Search & { processes: number }> {
  const search = { bytes: 0, found: [] as string[], processes: 0 }
  const foundIn = searcher(secrets)
  for (const one of await withDescendants(pid)) {
    search.processes++
    for (const what of ['cmdline', 'environ']) {
      const bytes = await readFile(`/proc/${one}/${what}`).catch(() => Buffer.alloc(0))
      search.bytes += bytes.length
      search.found.push(...foundIn(`${what} of ${await readlink(`/proc/${one}/exe`).catch(() => one)}`, bytes))
    }
  }
  return search
}

async function withDescendants(pid: number): Promise<number[]> {
  const numbers = (await readdir('/proc')).map(Number).filter(Number.isInteger)
  const parents = new Map<number, number>()
  for (const one of numbers) {
    const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '')
    // The program's name is in brackets, and may contain some itself.
    parents.set(one, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const found = [pid]
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child)
  return found
}
