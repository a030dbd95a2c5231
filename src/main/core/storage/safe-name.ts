/**
 * A file name that Windows, macOS and Linux all take, made from text that someone else chose. It can't leave its
 * folder, name a device, hide its ending, or come out empty.
 */

/**
 * Bytes of the longest name made here. File systems take 255; the rest is room for ` (9999)` and for other programs
 * that add an ending of their own.
 */
export const LONGEST_NAME_BYTES = 200

export interface SafeNameOptions {
  /** The ending the file must have, without its dot: `pdf`. Without it, the text's own ending is kept. */
  readonly extension?: string
  /** Used where nothing of the text is left. Must itself be a safe name. */
  readonly fallback?: string
}

/** The nearest safe name. A name that is safe already comes back as it is (composed as Unicode's NFC). */
export function safeFileName(text: string, options: SafeNameOptions = {}): string {
  const { stem, extension } = split(trimEdges(replaceForbidden(text)), options.extension)
  const ending = extension === '' ? '' : `.${extension}`
  const harmless = isDevice(stem) ? `_${stem}` : stem
  const shortened = trimEdges(shorten(harmless, LONGEST_NAME_BYTES - byteLength(ending)))
  return `${shortened === '' ? (options.fallback ?? 'document') : shortened}${ending}`
}

/** `numberedName('letter.pdf', 2)` is `letter (2).pdf`. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)} (${number})${name.slice(dot)}` : `${name} (${number})`
}

function replaceForbidden(text: string): string {
  return (
    text
      .normalize('NFC')
      .replaceAll(/[\s\p{Z}]/gu, ' ')
      // Control and format characters, the overrides that turn "fdp.exe" around among them, lone surrogates, and code
      // points that no one has assigned, which some file systems refuse.
      .replaceAll(/\p{C}/gu, '')
      .replaceAll(/[<>:"/\\|?*]/g, '_')
      .replaceAll(/ +/g, ' ')
      .replaceAll(/(?: ?\.)+/g, '.')
      // Taking a character out can bring two together that compose.
      .normalize('NFC')
  )
}

/** Windows drops dots and spaces at the end; a dot in front hides the file elsewhere. */
function trimEdges(text: string): string {
  return text.replace(/^[. ]+/, '').replace(/[. ]+$/, '')
}

function split(name: string, wanted: string | undefined): { stem: string; extension: string } {
  if (wanted !== undefined) {
    const ending = `.${wanted}`
    const has = name.toLowerCase().endsWith(ending.toLowerCase())
    return { stem: has ? name.slice(0, -ending.length) : name, extension: wanted }
  }
  const own = /^(?<stem>.+)\.(?<extension>[A-Za-z0-9]{1,10})$/u.exec(name)?.groups
  return { stem: own?.stem ?? name, extension: own?.extension ?? '' }
}

/** Cut between what a reader takes for characters, so that no accent or emoji is torn. */
function shorten(text: string, limit: number): string {
  if (byteLength(text) <= limit) return text
  const whole = longestStart(charactersOf(text), limit)
  // A single letter can carry hundreds of accents; then the cut has to go through it.
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

/** Some file systems keep names decomposed, where they are longer. */
function byteLength(text: string): number {
  return Math.max(Buffer.byteLength(text, 'utf8'), Buffer.byteLength(text.normalize('NFD'), 'utf8'))
}

/** Windows takes these for devices whatever follows the first dot. */
function isDevice(name: string): boolean {
  const first = name.split('.', 1)[0]?.trimEnd() ?? ''
  return /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i.test(first)
}
