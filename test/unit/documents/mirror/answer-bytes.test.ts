import { describe, expect, test } from 'vitest'
import { asUtf8, hashAnswer } from '../../../../src/main/core/documents/mirror/answer-items.ts'
import { runToEnd } from '../../../../src/main/core/lib/slices.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('the bytes of an answer', () => {
  test('are decoded with a byte order mark, and in another charset if the answer names it', () => {
    const text = '[{"Reference":"ā"}]'
    const utf16 = Uint8Array.from(Buffer.from(`\ufeff${text}`, 'utf16le'))
    expect(new TextDecoder().decode(asUtf8(bytesOf(`\ufeff${text}`), undefined))).toBe(text)
    expect(new TextDecoder().decode(asUtf8(utf16, 'utf-8'))).toBe(text)
    expect(new TextDecoder().decode(asUtf8(Uint8Array.from([0x22, 0xe9, 0x22]), 'ISO-8859-1'))).toBe('"é"')
    expect(new TextDecoder().decode(asUtf8(bytesOf(text), 'x-unheard-of'))).toBe(text)
  })

  test('have a hash that distinguishes any other bytes, also across several chunks', () => {
    const bytes = new Uint8Array(9 * 1024 * 1024)
    const sums = new Set([runToEnd(hashAnswer(bytes))])
    for (const place of [0, 1, 4 * 1024 * 1024, bytes.length - 1]) {
      const other = bytes.slice()
      other[place] = 1
      sums.add(runToEnd(hashAnswer(other)))
    }
    sums.add(runToEnd(hashAnswer(bytes.subarray(1))))
    expect(sums.size).toBe(6)
  })
})
