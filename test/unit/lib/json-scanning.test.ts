import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type JsonTrouble,
  MAX_DEPTH,
  parseExactly,
  parsePiece,
  scanList,
  scanObject
} from '../../../src/main/core/lib/json-scanning.ts'
import { runToEnd } from '../../../src/main/core/lib/slices.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function itemsOf(text: string): string[] | undefined {
  const bytes = bytesOf(text)
  const scan = runToEnd(scanList(bytes))
  return (
    scan &&
    Array.from({ length: scan.count }, (_, index) =>
      new TextDecoder().decode(bytes.subarray(scan.starts[index], scan.ends[index]))
    )
  )
}

describe('the items of an answer', () => {
  test('are found despite brackets, quotes and commas in texts', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (list, indent) => {
        expect(itemsOf(` ${JSON.stringify(list, null, indent)}\r\n`)?.map((item) => JSON.parse(item))).toEqual(
          JSON.parse(JSON.stringify(list))
        )
      })
    )
  })

  test('are found if there are more than initially allocated for', () => {
    expect(itemsOf(`[${Array.from({ length: 5000 }, (_, index) => index).join(',')}]`)).toHaveLength(5000)
  })

  test('of a truncated answer are none, wherever it was cut', () => {
    const text = JSON.stringify([{ Reference: 'a"]', Signers: [{ Email: '\\' }] }, { Reference: 'b' }])
    for (let length = 0; length < text.length; length++) expect(itemsOf(text.slice(0, length))).toBeUndefined()
    expect(itemsOf(text)).toHaveLength(2)
  })

  test.each(['[1]]', '[1] x', '[1,]', '[,1]', '[1}', '{"a":[1]}', 'null', '', '[1][2]'])('of %s are none', (text) => {
    expect(itemsOf(text)).toBeUndefined()
  })

  test('nested too deep to be kept are marked, and only those', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const scan = runToEnd(scanList(bytesOf(`[${deep(MAX_DEPTH)},${deep(MAX_DEPTH + 1)},${deep(100_000)},{}]`)))
    expect([...(scan?.tooDeep ?? [])]).toEqual([1, 2])
  })
})

/** Builds the object from its scanned pieces, each parsed separately. */
function objectOf(text: string): Record<string, unknown> {
  const bytes = bytesOf(text)
  const members = [...runToEnd(scanObject(bytes))].map(([name, member]) => [
    name,
    member.elements ? member.elements.map((one) => parsePiece(bytes, one)) : parsePiece(bytes, member)
  ])
  return Object.fromEntries(members)
}

describe('the members of an object', () => {
  test('are found despite brackets, quotes and commas in texts, even long ones', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('\\', '"', 'a', ']'), minLength: 200, maxLength: 600 })
    )
    const value = fc.oneof(fc.jsonValue(), text, fc.array(text), fc.array(fc.jsonValue()))
    fc.assert(
      fc.property(fc.dictionary(text, value), fc.constantFrom(undefined, 2, '\t'), (object, indent) => {
        const written = JSON.stringify(object, null, indent)
        expect(objectOf(`\ufeff ${written}\r\n`)).toEqual(JSON.parse(written))
      })
    )
  })

  test('of a truncated object are none, wherever it was cut', () => {
    const text = JSON.stringify({ drafts: [{ name: 'a"]', mark: '\\' }, 1], version: 1, last: 'x'.repeat(300) })
    for (let length = 1; length < text.length; length++) {
      expect(() => objectOf(text.slice(0, length))).toThrow(
        expect.objectContaining({ kind: 'cut' } satisfies Partial<JsonTrouble>)
      )
    }
    expect(objectOf(text)).toEqual(JSON.parse(text))
  })

  test('are found in slices, however long one of them is', () => {
    const long = JSON.stringify({ only: { list: Array.from({ length: 200_000 }, (_, index) => index) } })
    let pauses = 0
    for (const _ of scanObject(bytesOf(long))) pauses++
    expect(pauses).toBeGreaterThan(10)
  })
})

describe('numbers', () => {
  test('that fit are numbers, and longer integers are texts as written', () => {
    expect(parseExactly('{"a":9007199254740991,"b":-9007199254740993,"c":[12345678901234567890]}')).toEqual({
      a: 9_007_199_254_740_991,
      b: '-9007199254740993',
      c: ['12345678901234567890']
    })
    // References are never written like this.
    expect(parseExactly('[1234567890123456.5, 1e300, "12345678901234567890"]')).toEqual([
      1234567890123456.5,
      1e300,
      '12345678901234567890'
    ])
  })

  test('are read as JSON.parse does if that keeps them exactly', () => {
    const safeJson = fc.json().filter((text) => !/\d{17}/.test(text))
    fc.assert(fc.property(safeJson, (text) => void expect(parseExactly(text)).toEqual(JSON.parse(text))))
  })
})
