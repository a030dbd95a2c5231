import { describe, expect, test } from 'vitest'
import { MAX_PICTURES, openIdlePictures, PICTURE_LIMITS } from '../../../src/main/core/counter/idle-pictures.ts'
import { database } from './office.ts'
import { JPEG, jpeg, PNG, png, WEBP_LOSSY } from './pictures.ts'

const refusal = (message: RegExp) =>
  expect.objectContaining({ appError: expect.objectContaining({ message: expect.stringMatching(message) }) })

/** Returns an animated PNG (APNG): it has an acTL chunk before its data. */
function moving(): Buffer {
  const control = Buffer.alloc(20)
  control.writeUInt32BE(8, 0)
  control.write('acTL', 4, 'latin1')
  const afterHeader = 8 + 25
  return Buffer.concat([PNG.subarray(0, afterHeader), control, PNG.subarray(afterHeader)])
}

describe('pictures for the second display', () => {
  test('are kept in order, without duplicates, until removed', () => {
    const db = database()
    const pictures = openIdlePictures({ db })
    for (const bytes of [PNG, JPEG, PNG]) pictures.add(bytes)
    const [first = '', second = ''] = pictures.ids()
    expect(pictures.ids()).toHaveLength(2)
    expect(pictures.read(first)).toBe(`data:image/png;base64,${PNG.toString('base64')}`)
    expect(openIdlePictures({ db }).read(second)).toBe(`data:image/jpeg;base64,${JPEG.toString('base64')}`)
    pictures.keep([second, first])
    expect(pictures.ids()).toEqual([second, first])
    pictures.keep([first, 'never there'])
    expect(pictures.ids()).toEqual([first])
    expect(pictures.read(second)).toBeUndefined()
  })

  test.each([
    ['empty', Buffer.alloc(0), /empty/],
    ['WebP', WEBP_LOSSY, /isn’t a PNG or JPEG/],
    [
      'SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      /isn’t a PNG or JPEG/
    ],
    ['a page that starts like a picture', Buffer.from('\x89PNG<html>', 'latin1'), /isn’t a PNG or JPEG|damaged/],
    ['a decompression bomb, by its header', png(60_000, 60_000), /larger than 4000/],
    ['a JPEG bomb', jpeg(5000, 10), /larger than 4000/],
    ['incomplete', PNG.subarray(0, 20), /damaged/],
    ['animated', moving(), /is animated/],
    ['larger than 3 MB', Buffer.concat([PNG, Buffer.alloc(PICTURE_LIMITS.bytes)]), /larger than 3 MB/]
  ])('can’t be %s', (_, bytes, message) => {
    const pictures = openIdlePictures({ db: database() })
    expect(() => pictures.add(bytes)).toThrow(refusal(message))
    expect(pictures.ids()).toEqual([])
  })

  test('are limited to eight, and content altered in the database is ignored', () => {
    const db = database()
    const pictures = openIdlePictures({ db })
    for (let width = 1; width <= MAX_PICTURES; width++) pictures.add(png(width, 1))
    expect(() => pictures.add(png(100, 1))).toThrow(refusal(/8 pictures already/))
    const [first = ''] = pictures.ids()
    db.prepare('UPDATE counter_pictures SET picture = ? WHERE id = ?').run(Buffer.from('<svg/>'), first)
    expect(pictures.read(first)).toBeUndefined()
  })
})
