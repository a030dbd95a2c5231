import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asUtf8, wholeHash } from '../../../src/main/core/documents/mirror/answer-items.ts'
import { DEEPEST, scanList } from '../../../src/main/core/lib/json-scanning.ts'
import { wholly } from '../../../src/main/core/lib/slices.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function itemsOf(text: string): string[] | undefined {
  const bytes = bytesOf(text)
  const scan = wholly(scanList(bytes))
  return (
    scan &&
    Array.from({ length: scan.count }, (_, index) =>
      new TextDecoder().decode(bytes.subarray(scan.starts[index], scan.ends[index]))
    )
  )
}

describe('the items of an answer', () => {
  test('are found wherever brackets, quotes and commas stand', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (list, indent) => {
        expect(itemsOf(` ${JSON.stringify(list, null, indent)}\r\n`)?.map((item) => JSON.parse(item))).toEqual(
          JSON.parse(JSON.stringify(list))
        )
      })
    )
  })

  test('are found where there are more than the first guess', () => {
    expect(itemsOf(`[${Array.from({ length: 5000 }, (_, index) => index).join(',')}]`)).toHaveLength(5000)
  })

  test('of an answer that ends too early are none, wherever it was cut', () => {
    const whole = JSON.stringify([{ Reference: 'a"]', Signers: [{ Email: '\\' }] }, { Reference: 'b' }])
    for (let length = 0; length < whole.length; length++) expect(itemsOf(whole.slice(0, length))).toBeUndefined()
    expect(itemsOf(whole)).toHaveLength(2)
  })

  test.each(['[1]]', '[1] x', '[1,]', '[,1]', '[1}', '{"a":[1]}', 'null', '', '[1][2]'])('of %s are none', (text) => {
    expect(itemsOf(text)).toBeUndefined()
  })

  test('that are nested deeper than can be kept are marked, and only those', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const scan = wholly(scanList(bytesOf(`[${deep(DEEPEST)},${deep(DEEPEST + 1)},${deep(100_000)},{}]`)))
    expect([...(scan?.tooDeep ?? [])]).toEqual([1, 2])
  })
})

describe('the bytes of an answer', () => {
  test('are read with a byte order mark, and in another charset where the answer names it', () => {
    const text = '[{"Reference":"ā"}]'
    const utf16 = Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'))
    expect(new TextDecoder().decode(asUtf8(bytesOf(`\ufeff${text}`), undefined))).toBe(text)
    expect(new TextDecoder().decode(asUtf8(utf16, 'utf-8'))).toBe(text)
    expect(new TextDecoder().decode(asUtf8(Uint8Array.from([0x22, 0xe9, 0x22]), 'ISO-8859-1'))).toBe('"é"')
    expect(new TextDecoder().decode(asUtf8(bytesOf(text), 'x-unheard-of'))).toBe(text)
  })

  test('have a sum that tells any other bytes apart, also over several pieces', () => {
    const bytes = new Uint8Array(9 * 1024 * 1024)
    const sums = new Set([wholly(wholeHash(bytes))])
    for (const place of [0, 1, 4 * 1024 * 1024, bytes.length - 1]) {
      const other = bytes.slice()
      other[place] = 1
      sums.add(wholly(wholeHash(other)))
    }
    sums.add(wholly(wholeHash(bytes.subarray(1))))
    expect(sums.size).toBe(6)
  })
})
