/** Fonts are kept as text in modules, so that they travel in the bundle; this gives a font's bytes. */

export function fontBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}
