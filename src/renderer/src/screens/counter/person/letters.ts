/**
 * Whether this computer has a font with the letters of a text. A language without is a row of boxes to the very person who should
 * choose it. Browsers don't say; so each letter is drawn once, and compared with what is drawn for a letter that no font has.
 */
const SIZE = 32
/** It will never be a letter. */
const NO_LETTER = '\u{10ffff}'

/** A few thousandths of a second each time, so a font that is installed meanwhile is seen the next time. */
export function hasLetters(text: string): boolean {
  // Where nothing is drawn at all, nothing is known.
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
  // Marks are drawn with a letter, and by themselves look otherwise.
  const letters = new Set([...text.normalize('NFC')].filter((letter) => /\p{L}/u.test(letter)))
  const pictures = [...letters].map(pictureOf)
  // Where a letter is missing, its box may be that of another font; two boxes are the same.
  return !pictures.includes(pictureOf(NO_LETTER)) && new Set(pictures).size === letters.size
}
