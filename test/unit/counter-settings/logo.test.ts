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

describe('a logo', () => {
  test.each([
    ['PNG', PNG, 'png'],
    ['JPEG', JPEG, 'jpeg'],
    ['WebP', WEBP_LOSSY, 'webp'],
    ['lossless WebP', WEBP_LOSSLESS, 'webp'],
    ['extended WebP', WEBP_ALPHA, 'webp']
  ])('can be %s', (_, bytes, kind) => {
    const read = readLogo(bytes)
    expect(read).toEqual({ ok: true, dataUrl: `data:image/${kind};base64,${bytes.toString('base64')}` })
    expect(read.ok && isLogo(read.dataUrl)).toBe(true)
  })

  test('can have up to 1 MB', () => {
    const of = (length: number) => Buffer.concat([PNG, Buffer.alloc(length - PNG.length)])
    expect(readLogo(of(MAX_LOGO_BYTES)).ok).toBe(true)
    expect(readLogo(of(MAX_LOGO_BYTES + 1))).toMatchObject({ ok: false, message: expect.stringContaining('1 MB') })
  })

  test.each([
    ['PNG', png],
    ['JPEG', jpeg],
    ['WebP', webpLossy],
    ['lossless WebP', webpLossless],
    ['extended WebP', webpAlpha]
  ])('as %s can have up to 4000 pixels per side', (_, made) => {
    expect(readLogo(made(4000, 4000)).ok).toBe(true)
    for (const bytes of [made(4001, 1), made(1, 4001)]) {
      expect(readLogo(bytes)).toMatchObject({ ok: false, message: expect.stringContaining('4000') })
    }
  })

  test.each([
    ['empty', Buffer.alloc(0), /empty/],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), /isn’t a PNG/],
    ['SVG after a byte order mark', Buffer.from('\ufeff<?xml version="1.0"?><svg/>'), /isn’t a PNG/],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), /isn’t a PNG/],
    ['an HTML page', Buffer.from('<!doctype html><img src=x onerror=alert(1)>'), /isn’t a PNG/],
    ['an icon', Buffer.from([0, 0, 1, 0, 1, 0]), /isn’t a PNG/],
    ['sound in WebP’s container format', Buffer.from('RIFF\0\0\0\0WAVEfmt '), /isn’t a PNG/],
    ['truncated PNG', PNG.subarray(0, 20), /damaged/],
    ['PNG with no width', png(0, 10), /damaged/],
    [
      'PNG that starts with another chunk',
      Buffer.from(PNG.toString('latin1').replace('IHDR', 'gAMA'), 'latin1'),
      /damaged/
    ],
    ['truncated JPEG', JPEG.subarray(0, 60), /damaged/],
    ['JPEG of fill bytes only', Buffer.alloc(5000, 0xff).fill(0xd8, 1, 2), /damaged/],
    ['truncated WebP', WEBP_LOSSY.subarray(0, 24), /damaged/],
    [
      'WebP of an unknown format',
      Buffer.from(WEBP_LOSSY.toString('latin1').replace('VP8 ', 'VP9 '), 'latin1'),
      /damaged/
    ]
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
  ])('stored as %s is invalid', (text) => {
    expect(isLogo(text)).toBe(false)
  })
})
