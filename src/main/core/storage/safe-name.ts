/**
 * Makes file names that Windows, macOS and Linux all accept from untrusted text. They can't leave their folder, name a
 * device, hide their extension, or be empty.
 */
import { endingOf } from '../../../shared/file-endings.ts'

/**
 * Maximum length in bytes. File systems allow 255; the rest is room for ` (9999)` and for extensions that other
 * programs add.
 */
export const MAX_NAME_BYTES = 200

export interface SafeNameOptions {
  /** Extension that the file must have, without its dot: `pdf`. If missing, the text's own extension is kept. */
  readonly extension?: string
  /** Used if nothing of the text is left. Must itself be a safe name. */
  readonly fallback?: string
}

/** Returns the nearest safe name. A safe name is returned unchanged (as NFC). */
export function safeFileName(text: string, options: SafeNameOptions = {}): string {
  const { stem, extension } = split(trimEdges(replaceForbidden(text)), options.extension)
  const ending = extension === '' ? '' : `.${extension}`
  const harmless = isDevice(stem) ? `_${stem}` : stem
  const shortened = trimEdges(shorten(harmless, MAX_NAME_BYTES - byteLength(ending)))
  return `${shortened === '' ? (options.fallback ?? 'document') : shortened}${ending}`
}

/** `numberedName('letter.signed.pdf', 2)` is `letter (2).signed.pdf`. */
export function numberedName(name: string, number: number): string {
  const ending = endingOf(name)
  return `${name.slice(0, name.length - ending.length)} (${number})${ending}`
}

function replaceForbidden(text: string): string {
  return (
    text
      .normalize('NFC')
      .replaceAll(/[\s\p{Z}]/gu, ' ')
      // Control and format characters (including overrides that turn "fdp.exe" around), lone surrogates, and unassigned
      // code points, which some file systems refuse.
      .replaceAll(/\p{C}/gu, '')
      .replaceAll(/[<>:"/\\|?*]/g, '_')
      .replaceAll(/ +/g, ' ')
      .replaceAll(/(?: ?\.)+/g, '.')
      // Removing a character can join two others that compose.
      .normalize('NFC')
  )
}

/** Windows drops trailing dots and spaces; a leading dot hides the file elsewhere. */
function trimEdges(text: string): string {
  return text.replace(/^[. ]+/, '').replace(/[. ]+$/, '')
}

function split(name: string, required: string | undefined): { stem: string; extension: string } {
  if (required !== undefined) {
    const ending = `.${required}`
    const has = name.toLowerCase().endsWith(ending.toLowerCase())
    return { stem: has ? name.slice(0, -ending.length) : name, extension: required }
  }
  const own = /^(?<stem>.+)\.(?<extension>[A-Za-z0-9]{1,10})$/u.exec(name)?.groups
  return { stem: own?.stem ?? name, extension: own?.extension ?? '' }
}

/** Cuts between graphemes, so that no accent or emoji is split. */
function shorten(text: string, limit: number): string {
  if (byteLength(text) <= limit) return text
  const whole = longestStart(charactersOf(text), limit)
  // A single letter can have hundreds of accents; then it has to be split.
  return whole === '' ? longestStart(text, limit) : whole
}

function* charactersOf(text: string): Iterable<string> {
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) yield segment
}

function longestStart(pieces: Iterable<string>, limit: number): string {
  let start = ''
  for (const piece of pieces) {
    if (byteLength(start + piece) > limit) break
    start += piece
  }
  return start
}

/** The longer of NFC and NFD: some file systems store names decomposed. */
function byteLength(text: string): number {
  return Math.max(Buffer.byteLength(text, 'utf8'), Buffer.byteLength(text.normalize('NFD'), 'utf8'))
}

/** Whether Windows treats this as a device, whatever follows the first dot. */
function isDevice(name: string): boolean {
  const first = name.split('.', 1)[0]?.trimEnd() ?? ''
  return /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i.test(first)
}
