/**
 * Reads what electron-builder packed, without the tools that wrote it: the files in its archive, and its program's
 * fuses.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Marks where Electron's fuses start in its program. */
export const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** In wire order. Fuses that Electron adds after these are ignored. */
const FUSES = [
  'runAsNode',
  'enableCookieEncryption',
  'enableNodeOptionsEnvironmentVariable',
  'enableNodeCliInspectArguments',
  'enableEmbeddedAsarIntegrityValidation',
  'onlyLoadAppFromAsar',
  'loadBrowserProcessSpecificV8Snapshot',
  'grantFileProtocolExtraPrivileges'
] as const

/**
 * Returns which fuses are on.
 * @param program the file that contains them: the executable; on macOS the Electron Framework.
 * @throws Error if the program has no fuses, or in an unknown format.
 */
export function fusesOf(program: string): Record<(typeof FUSES)[number], boolean> {
  const bytes = readFileSync(program)
  const at = bytes.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length
  if (at < FUSE_SENTINEL.length || bytes[at] !== 1) throw new Error(`${program} has no fuses of the first kind`)
  const isOn = (place: number) => String.fromCharCode(bytes[at + 2 + place] ?? 0) === '1'
  return Object.fromEntries(FUSES.map((name, place) => [name, isOn(place)])) as Record<(typeof FUSES)[number], boolean>
}

/** A file in an archive, by its path in it. */
export interface PackedFile {
  path: string
  /** Whether it is stored next to the archive, where the integrity check doesn't cover it. */
  isUnpacked: boolean
  bytes: () => Buffer
}

interface Entry {
  files?: Record<string, Entry>
  size?: number
  offset?: string
  unpacked?: boolean
}

/** Returns all files of an Electron archive (app.asar): four-byte sizes, a JSON header, then the files. */
export function filesIn(archive: string): PackedFile[] {
  const bytes = readFileSync(archive)
  const header: Entry = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12)))
  const dataStart = 8 + bytes.readUInt32LE(4)

  const filesUnder = (path: string, { files, size = 0, offset, unpacked: isUnpacked = false }: Entry): PackedFile[] => {
    if (files)
      return Object.entries(files).flatMap(([name, entry]) => filesUnder(path ? `${path}/${name}` : name, entry))
    const from = dataStart + Number(offset)
    const read = () =>
      isUnpacked ? readFileSync(join(`${archive}.unpacked`, path)) : bytes.subarray(from, from + size)
    return [{ path, isUnpacked, bytes: read }]
  }
  return filesUnder('', header)
}
