import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../../property-seed.ts'
import { PICTURE_LIMITS, readPicture } from '../../../src/main/core/identity/picture.ts'
import { jpegFile, jpegParts, pngFile, pngParts, webpParts } from './picture-files.ts'

const read = (file: Uint8Array) => readPicture(Buffer.from(file).toString('base64'))
const why = (text: string) => {
  const picture = readPicture(text)
  return picture.isShown ? 'it is shown' : picture.why
}
const { riff, chunk, lossy, lossless, canvas } = webpParts

describe('base64', () => {
  const file = jpegFile(320, 400)
  const base64 = file.toString('base64')
  const spellings = {
    plain: base64,
    'with a data URL prefix': `data:image/jpeg;base64,${base64}`,
    'with a data URL prefix in capitals and a parameter': `DATA:image/png;name=x.png;BASE64,${base64}`,
    'with line breaks': base64.replace(/.{20}/g, '$&\r\n'),
    'with spaces around': `  \n${base64}\n `,
    'without padding': base64.replace(/=+$/, ''),
    'in the URL alphabet': base64.replaceAll('+', '-').replaceAll('/', '_')
  }
  test.each(Object.entries(spellings))('%s is decoded to the same bytes', (_name, text) => {
    const picture = readPicture(text)
    if (!picture.isShown) throw new Error(picture.why)
    expect(Buffer.compare(picture.bytes, file)).toBe(0)
    expect(picture).toMatchObject({ type: 'image/jpeg', width: 320, height: 400, isCutOff: false })
  })

  test('preserves any bytes, in a buffer of their own', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(40), (tail, width) => {
        const png = Buffer.concat([pngFile(width + 1, 7), tail])
        const picture = read(png)
        if (!picture.isShown) throw new Error(picture.why)
        expect(Buffer.compare(picture.bytes, png)).toBe(0)
        expect(picture.bytes.buffer.byteLength).toBe(png.length)
      })
    )
  })

  test.each([
    ['https://example.com/portrait.jpg', /sent a link/],
    ['data:image/svg+xml,%3Csvg onload=alert(1)%3E', /markup/],
    ['data:image/jpeg,not-base64', /sent text/],
    ['No image available.', /sent text/],
    ['====', /sent text/],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', /markup/]
  ])('is distinguished from other content, with its own message: %s', (text, words) => expect(why(text)).toMatch(words))

  test('that would decode to more than 15 MB is rejected before decoding', () => {
    expect(why('A'.repeat(PICTURE_LIMITS.bytes * 1.5))).toMatch(/larger than 15 MB/)
    expect(why(Buffer.alloc(PICTURE_LIMITS.bytes + 1, 0xff).toString('base64'))).toMatch(/larger than 15 MB/)
  })
})

describe('detecting a picture’s type from its bytes', () => {
  test.each([
    ['png', pngFile(12, 34), 'image/png'],
    ['jpeg', jpegFile(12, 34), 'image/jpeg'],
    ['lossy webp', riff(lossy(12, 34)), 'image/webp'],
    ['lossless webp', riff(lossless(12, 34)), 'image/webp'],
    ['webp with a canvas', riff(canvas(12, 34), lossy(12, 34)), 'image/webp']
  ])('recognises %s, with its size', (_name, file, type) =>
    expect(read(file)).toMatchObject({ isShown: true, type, width: 12, height: 34, isCutOff: false })
  )

  test('ignores the type in a data URL', () => {
    expect(readPicture(`data:image/jpeg;base64,${pngFile(1, 1).toString('base64')}`)).toMatchObject({
      type: 'image/png'
    })
  })

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  test.each([
    ['svg', svg, /SVG/],
    ['svg after an XML head', `\ufeff<?xml version="1.0"?>\n<!-- x -->${svg}`, /SVG/],
    ['svg in UTF-16', Buffer.from(`\ufeff${svg}`, 'utf16le').toString('latin1'), /SVG/],
    ['html', '<!DOCTYPE html><html><body>Sorry</body></html>', /web page/],
    ['other markup', '<Error><Code>NoSuchKey</Code></Error>', /markup/],
    ['gif', 'GIF89a\x01\x00\x01\x00', /GIF/],
    ['bmp', 'BM\x00\x00', /BMP/],
    ['tiff', 'II*\0\x08', /TIFF/],
    ['jpeg 2000', '\0\0\0\x0cjP  \r\n', /JPEG 2000/],
    ['heic', '\0\0\0\x18ftypheic', /HEIC/],
    ['pdf', '%PDF-1.7', /PDF/],
    ['json', '{"error":"gone"}', /sent data/],
    ['nothing we know', '\x00\x01\x02\x03', /doesn’t know/]
  ])('reports %s in place of a picture, and doesn’t show it', (_name, text, words) =>
    expect(why(Buffer.from(text, text.startsWith('\ufeff') ? 'utf8' : 'latin1').toString('base64'))).toMatch(words)
  )
})

describe('the size claimed by a picture', () => {
  test.each([
    ['png', pngFile(60_000, 60_000)],
    ['jpeg', jpegFile(60_000, 60_000)],
    ['webp', riff(canvas(60_000, 60_000), lossy(100, 100))]
  ])('a %s that claims 60,000 × 60,000 pixels is rejected by its header', (_name, file) =>
    expect(why(file.toString('base64'))).toMatch(/60,000 × 60,000 pixels/)
  )
  test('a side or area that is too large is rejected, and a good camera’s picture is shown', () => {
    expect(why(pngFile(12_001, 1).toString('base64'))).toMatch(/12,001 × 1 pixels/)
    expect(why(pngFile(7_000, 6_000).toString('base64'))).toMatch(/7,000 × 6,000/)
    expect(read(jpegFile(6_000, 4_000))).toMatchObject({ isShown: true })
  })

  test('a second frame of another size is detected', () => {
    const { frame, scan } = jpegParts
    expect(why(jpegFile(100, 100, [frame(60_000, 60_000, 0xc2)]).toString('base64'))).toMatch(/60,000/)
    // After the first scan.
    expect(why(jpegFile(100, 100, [scan, frame(50_000, 100, 0xc1)]).toString('base64'))).toMatch(/50,000/)
    expect(why(jpegFile(100, 100, [frame(200, 100)]).toString('base64'))).toMatch(/conflicting sizes/)
    expect(read(jpegFile(100, 100, [frame(100, 100)]))).toMatchObject({ isShown: true })
    expect(why(pngFile(10, 10, [pngParts.header(60_000, 60_000)]).toString('base64'))).toMatch(/60,000/)
    expect(why(riff(canvas(100, 100), lossy(9000, 9000)).toString('base64'))).toMatch(/9,000/)
    expect(why(riff(canvas(100, 100), lossless(200, 100)).toString('base64'))).toMatch(/conflicting sizes/)
  })

  test('a preview within a segment doesn’t count as a frame', () => {
    const exif = jpegParts.segment(0xe1, [...jpegFile(60_000, 60_000)])
    const file = Buffer.concat([Buffer.from([0xff, 0xd8]), exif, jpegFile(30, 40).subarray(2)])
    expect(read(file)).toMatchObject({ isShown: true, width: 30, height: 40 })
  })

  test('animated pictures aren’t shown', () => {
    const still = jpegFile(1, 1)
    expect(read(still)).toMatchObject({ isShown: true })
    const control = pngParts.chunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0])
    expect(why(pngFile(10, 10, [control]).toString('base64'))).toMatch(/animated/)
    expect(why(riff(canvas(10, 10, 2), lossy(10, 10)).toString('base64'))).toMatch(/animated/)
    expect(why(riff(canvas(10, 10), chunk('ANIM', [0, 0, 0, 0, 0, 0])).toString('base64'))).toMatch(/animated/)
  })

  test.each([
    ['png', pngFile(10, 10)],
    ['jpeg', jpegFile(10, 10)],
    ['webp', riff(canvas(10, 10), lossy(10, 10))]
  ])('a %s cut at any byte is rejected, or marked as cut off', (_name, file) => {
    for (let length = 0; length < file.length; length++) {
      const picture = read(file.subarray(0, length))
      if (picture.isShown) expect(picture, `cut at ${length}`).toMatchObject({ isCutOff: true, width: 10, height: 10 })
    }
    expect(read(file)).toMatchObject({ isShown: true, isCutOff: false })
  })

  test('a side of zero is reported as damaged', () => {
    for (const file of [pngFile(0, 10), jpegFile(10, 0)]) expect(why(file.toString('base64'))).toMatch(/damaged/)
  })

  test('any bytes after a valid start cause no exception, and nothing too large is shown', () => {
    const beginnings = [pngFile(9, 9), jpegFile(9, 9), riff(canvas(9, 9), lossy(9, 9))]
    const damaged = fc
      .tuple(fc.constantFrom(...beginnings), fc.array(fc.tuple(fc.nat(90), fc.nat(255)), { maxLength: 12 }), fc.nat(90))
      .map(([file, changes, length]) => {
        const bytes = Buffer.from(file.subarray(0, Math.max(3, length)))
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
        return bytes
      })
    const anything = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    )
    fc.assert(
      fc.property(anything, (bytes) => {
        const picture = read(bytes)
        if (!picture.isShown) return picture.why.length > 0
        return picture.width * picture.height <= PICTURE_LIMITS.pixels && picture.width <= PICTURE_LIMITS.side
      }),
      { numRuns: 3000 }
    )
    fc.assert(fc.property(fc.string({ maxLength: 400 }), (text) => readPicture(text) !== undefined))
  })
})
