/** Reads a form's auto-fill data (XMLData, reference section 2.2): the texts of an XML document's innermost elements. */

const MOST_TEXTS = 40
const LONGEST = 500
const INNERMOST = /<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>([^<>]*)<\/\1\s*>/g

/**
 * The innermost elements' texts by their names in lower case. What can't be read as XML gives none: auto-fill is a
 * convenience, and a form goes out without it.
 */
export function autoFilled(xml: string | undefined): Map<string, string> {
  const texts = new Map<string, string>()
  // Longer data would be no form's; reading it to the end would only cost time.
  for (const match of (xml ?? '').slice(0, 100_000).matchAll(INNERMOST)) {
    const [, name = '', content = ''] = match
    const text = plain(content).trim()
    if (text && text.length <= LONGEST) texts.set(localName(name).toLowerCase(), text)
    if (texts.size >= MOST_TEXTS) break
  }
  return texts
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(content: string): string {
  return content.replaceAll(/&(?:#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (_all, code?: string, name?: string) =>
    code ? codePoint(Number(code)) : (ENTITIES[name ?? ''] ?? '')
  )
}

function codePoint(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
