/** Finds the position of each value and name in a JSON text, and duplicate names in objects. */

export type Path = (string | number)[]

export interface JsonPositions {
  /** Where a value begins; if it is missing, where its parent begins. */
  offsetOf(path: Path): number
  /** Where the name of a member begins. */
  offsetOfName(path: Path): number
  duplicates: readonly { name: string; offset: number }[]
}

/** Deeper than any policy. Anything deeper would only exhaust the stack. */
const MAX_DEPTH = 32

class Scanner {
  readonly values = new Map<string, number>()
  readonly names = new Map<string, number>()
  readonly duplicates: { name: string; offset: number }[] = []
  readonly #text: string
  #at = 0

  /** @param text valid JSON. */
  constructor(text: string) {
    this.#text = text
  }

  /** @returns false if it is nested too deeply. */
  value(path: Path): boolean {
    if (path.length > MAX_DEPTH) return false
    this.#blanks()
    this.values.set(keyOf(path), this.#at)
    const first = this.#text[this.#at]
    if (first === '{') return this.#members(path)
    if (first === '[') return this.#elements(path)
    if (first === '"') this.#string()
    else while (this.#at < this.#text.length && !/[\s,\]}]/.test(this.#text[this.#at] ?? '')) this.#at++
    return true
  }

  #members(path: Path): boolean {
    const seen = new Set<string>()
    for (this.#at++; this.#next() !== '}'; ) {
      const offset = this.#at
      const name = this.#string()
      if (seen.has(name)) this.duplicates.push({ name, offset })
      seen.add(name)
      this.names.set(keyOf([...path, name]), offset)
      this.#blanks()
      // The colon.
      this.#at++
      if (!this.value([...path, name])) return false
    }
    this.#at++
    return true
  }

  #elements(path: Path): boolean {
    let index = 0
    for (this.#at++; this.#next() !== ']'; index++) if (!this.value([...path, index])) return false
    this.#at++
    return true
  }

  /** Returns the next character that is neither blank nor a comma. */
  #next(): string | undefined {
    while (/[\s,]/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#text[this.#at]
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #string(): string {
    const from = this.#at
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) if (this.#text[this.#at] === '\\') this.#at++
    this.#at++
    return JSON.parse(this.#text.slice(from, this.#at)) as string
  }
}

/** @param text valid JSON. */
export function positionsIn(text: string): JsonPositions | 'too-deep' {
  const scanner = new Scanner(text)
  if (!scanner.value([])) return 'too-deep'
  const offsetOf = (path: Path): number =>
    scanner.values.get(keyOf(path)) ?? (path.length > 0 ? offsetOf(path.slice(0, -1)) : 0)
  return {
    offsetOf,
    offsetOfName: (path) => scanner.names.get(keyOf(path)) ?? offsetOf(path),
    duplicates: scanner.duplicates
  }
}

/** Returns line and column, counted from 1. A column is a character as editors count them. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return { line: before.split(/\r\n|\r|\n/).length, column: [...before.slice(lineStart)].length + 1 }
}

/**
 * Far longer than any name in a policy. Storing a name that fills the whole file, once per value in it, would exhaust
 * the memory.
 */
const MAX_NAME_LENGTH = 60

function keyOf(path: Path): string {
  return JSON.stringify(path.map((part) => (typeof part === 'string' ? part.slice(0, MAX_NAME_LENGTH) : part)))
}
