/** Markup in which all inserted values are escaped, unless they are markup themselves. */

export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

type Part = Markup | string | number | undefined | null | false | readonly Part[]

/** A template tag: `html\`<p>${name}</p>\``. Texts are escaped; markup and lists of markup are inserted unchanged. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, index) => text + render(parts[index - 1]) + literal))
}

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeHtml(String(part))
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
