/**
 * Tests whether this computer has a font with the letters of a text. A language without one would show as a row of
 * boxes to the very person who should choose it. Browsers don't tell, so each letter is drawn once and compared with
 * the drawing of a character that no font has.
 */
const SIZE = 32
/** A noncharacter: it will never be assigned. */
const NO_LETTER = '\u{10ffff}'

/**
 * Returns whether all letters can be shown. It takes a few milliseconds and isn't cached, so a newly installed font is
 * found the next time.
 */
export function hasLetters(text: string): boolean {
  // Without a canvas, assume that they can.
  if (!('CanvasRenderingContext2D' in globalThis)) return true
  const canvas = Object.assign(document.createElement('canvas'), { width: SIZE, height: SIZE })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return true
  context.font = `20px ${getComputedStyle(document.body).fontFamily}`
  const pictureOf = (letter: string) => {
    context.clearRect(0, 0, SIZE, SIZE)
    context.fillText(letter, 4, 24)
    return context.getImageData(0, 0, SIZE, SIZE).data.join()
  }
  // Combining marks are drawn with a letter, and look different by themselves.
  const letters = new Set([...text.normalize('NFC')].filter((letter) => /\p{L}/u.test(letter)))
  const pictures = [...letters].map(pictureOf)
  // The box for a missing letter may come from another font, but two boxes are then the same.
  return !pictures.includes(pictureOf(NO_LETTER)) && new Set(pictures).size === letters.size
}
