/** Paths short enough for Windows, where most programs take no longer ones: the longest names give way, never an ending. */

import { PASSING_NAME_LENGTH } from '../storage/atomic-file.ts'
import { FileError } from '../storage/file-error.ts'
import { safeFileName } from '../storage/safe-name.ts'

/** UTF-16 units of a whole path. Windows takes 259; the rest is room for ` (9999)` and for programs that add an ending. */
export const LONGEST_PATH = 240
/** What Windows takes. */
const WINDOWS_PATH = 259
/** A name shorter than this says nothing any more. */
const SHORTEST_STEM = 8
const NO_FILE = -1
const segmenter = new Intl.Segmenter('en')

/**
 * The path with its longest names shortened, so that the whole of it can be opened everywhere.
 * @param folder absolute: the folder it is below.
 * @param path safe names, the last of a file with its ending.
 * @throws {FileError} `too-deep`: the folder's own path leaves no room for names that say something.
 */
export function fitPath(folder: string, path: readonly string[]): string[] {
  // What came from a database is made safe once more: safe names stay as they are.
  const safe = path.map((name) => safeFileName(name))
  const inFolders = safe.slice(0, -1)
  // While it is written, the file has a passing name in the same folder.
  const folders = fitted(inFolders, WINDOWS_PATH - folder.length - 1 - PASSING_NAME_LENGTH, NO_FILE)
  const whole = [...folders, ...safe.slice(-1)]
  return fitted(whole, LONGEST_PATH - folder.length, whole.length - 1)
}

/** @param file the index of the file, whose ending stays. */
function fitted(names: readonly string[], room: number, file: number): string[] {
  const left = room - names.length
  if (lengthOf(names) <= left) return [...names]
  const least = names.map((name, index) => SHORTEST_STEM + (index === file ? endingOf(name).length : 0))
  const unitsAt = (limit: number, index: number) => Math.max(limit, least[index] ?? 0)
  for (let limit = Math.max(0, ...names.map(({ length }) => length)) - 1; limit >= SHORTEST_STEM; limit--) {
    const length = names.reduce((sum, name, index) => sum + Math.min(name.length, unitsAt(limit, index)), 0)
    if (length > left) continue
    const shorter = names.map((name, index) => shortened(name, unitsAt(limit, index), index === file))
    if (lengthOf(shorter) <= left) return shorter
  }
  throw new FileError('too-deep')
}

function shortened(name: string, units: number, isFile: boolean): string {
  if (name.length <= units) return name
  const ending = isFile ? endingOf(name) : ''
  let text = ''
  for (const { segment } of segmenter.segment(name.slice(0, name.length - ending.length))) {
    if (text.length + segment.length > units - ending.length) break
    text += segment
  }
  // A single letter can carry hundreds of accents; then the cut has to go through it.
  return safeFileName(
    text === '' ? name.slice(0, units - ending.length) : text,
    isFile ? { extension: ending.slice(1) } : {}
  )
}

function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}

function lengthOf(names: readonly string[]): number {
  return names.reduce((length, name) => length + name.length, 0)
}
