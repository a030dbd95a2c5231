import { describe, expect, test } from 'vitest'
import { isLogo, MAX_LOGO_BYTES, readLogo } from '../../../src/main/core/counter/logo.ts'
import {
  JPEG,
  jpeg,
  PNG,
  png,
  WEBP_ALPHA,
  WEBP_LOSSLESS,
  WEBP_LOSSY,
  webpAlpha,
  webpLossless,
  webpLossy
} from './pictures.ts'

describe('a picture for the second display', () => {
  test.each([
    ['PNG', PNG, 'png'],
    ['JPEG', JPEG, 'jpeg'],
    ['WebP', WEBP_LOSSY, 'webp'],
    ['WebP without loss', WEBP_LOSSLESS, 'webp'],
    ['WebP with more to it', WEBP_ALPHA, 'webp']
  ])('may be %s', (_, bytes, kind) => {
    const read = readLogo(bytes)
    expect(read).toEqual({ ok: true, dataUrl: `data:image/${kind};base64,${bytes.toString('base64')}` })
    expect(read.ok && isLogo(read.dataUrl)).toBe(true)
  })

  test('may have 1 MB, and no byte more', () => {
    const of = (length: number) => Buffer.concat([PNG, Buffer.alloc(length - PNG.length)])
    expect(readLogo(of(MAX_LOGO_BYTES)).ok).toBe(true)
    expect(readLogo(of(MAX_LOGO_BYTES + 1))).toMatchObject({ ok: false, message: expect.stringContaining('1 MB') })
  })

  test.each([
    ['PNG', png],
    ['JPEG', jpeg],
    ['WebP', webpLossy],
    ['WebP without loss', webpLossless],
    ['WebP with more to it', webpAlpha]
  ])('%s may have 4000 pixels a side, and not one more', (_, made) => {
    expect(readLogo(made(4000, 4000)).ok).toBe(true)
    for (const bytes of [made(4001, 1), made(1, 4001)]) {
      expect(readLogo(bytes)).toMatchObject({ ok: false, message: expect.stringContaining('4000') })
    }
  })

  test.each([
    ['nothing', Buffer.alloc(0), /empty/],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), /isn’t a PNG/],
    ['SVG with a mark before it', Buffer.from('\ufeff<?xml version="1.0"?><svg/>'), /isn’t a PNG/],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), /isn’t a PNG/],
    ['a page', Buffer.from('<!doctype html><img src=x onerror=alert(1)>'), /isn’t a PNG/],
    ['an icon', Buffer.from([0, 0, 1, 0, 1, 0]), /isn’t a PNG/],
    ['sound in the container of WebP', Buffer.from('RIFF\0\0\0\0WAVEfmt '), /isn’t a PNG/],
    ['PNG that ends too soon', PNG.subarray(0, 20), /damaged/],
    ['PNG of no width', png(0, 10), /damaged/],
    [
      'PNG that begins with another part',
      Buffer.from(PNG.toString('latin1').replace('IHDR', 'gAMA'), 'latin1'),
      /damaged/
    ],
    ['JPEG that ends too soon', JPEG.subarray(0, 60), /damaged/],
    ['JPEG of nothing but fill', Buffer.alloc(5000, 0xff).fill(0xd8, 1, 2), /damaged/],
    ['WebP that ends too soon', WEBP_LOSSY.subarray(0, 24), /damaged/],
    ['WebP of another form', Buffer.from(WEBP_LOSSY.toString('latin1').replace('VP8 ', 'VP9 '), 'latin1'), /damaged/]
  ])('can’t be %s', (_, bytes, why) => {
    expect(readLogo(bytes)).toMatchObject({ ok: false, message: expect.stringMatching(why) })
  })

  test.each([
    'data:image/svg+xml;base64,PHN2Zy8+',
    `data:image/jpeg;base64,${PNG.toString('base64')}`,
    `data:image/png;base64,${PNG.toString('base64')}" onload="alert(1)`,
    `data:text/html;base64,${PNG.toString('base64')}`,
    'https://example.com/logo.png',
    ''
  ])('kept as %s is none', (text) => {
    expect(isLogo(text)).toBe(false)
  })
})
