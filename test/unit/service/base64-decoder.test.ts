/** Base64 that comes in pieces: decoded wherever it is cut, and refused where something else is in it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64Decoder } from '../../../src/main/core/service/base64-decoder.ts'

const broken = (): never => {
  throw new Error('broken')
}

/** Undefined where it stops in the middle of a byte. */
function decoded(pieces: string[]): Buffer | undefined {
  const decoder = base64Decoder(broken)
  const bytes = pieces.map((piece) => decoder.write(piece))
  const rest = decoder.end()
  return rest && Buffer.concat([...bytes, rest])
}

function piecesOf(text: string, cuts: number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other), text.length]
  return at.slice(1).map((end, index) => text.slice(at[index], end))
}

test('any bytes come back, in both alphabets, in lines or not, padded or not, wherever they are cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom<BufferEncoding>('base64', 'base64url'),
      fc.constantFrom('', '\n', '\r\n', ' \t'),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 6 }),
      (bytes, alphabet, between, isPadded, cuts) => {
        const text = Buffer.from(bytes).toString(alphabet)
        const padded = isPadded ? text : text.replace(/=+$/, '')
        const lines = padded.replace(/.{1,19}/g, `$&${between}`)
        expect(decoded(piecesOf(lines, cuts))).toEqual(Buffer.from(bytes))
      }
    )
  )
})

test.each([
  [['QU*E']],
  [['QUE', '*']],
  [['QQ==', 'QQ==']],
  [['QQ==', 'QUE']],
  [['QQ==QQ==']],
  [['QQ=', '==']],
  [['data:,QUE=']]
])('%j is none', (pieces) => {
  expect(() => decoded(pieces)).toThrow('broken')
})

test.each([[['Q']], [['QUFBQ']], [['QQ=']], [['QUFB', '=']]])('%j stops in the middle', (pieces) => {
  expect(decoded(pieces)).toBeUndefined()
})
