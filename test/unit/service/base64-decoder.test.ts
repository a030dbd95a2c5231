/** Base64 in pieces: decoded wherever it is cut, and refused if it contains anything else. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Base64Decoder, EncodingError } from '../../../src/main/core/service/encoded-pdf.ts'

function decoded(pieces: string[]): Buffer {
  const decoder = new Base64Decoder()
  const bytes = pieces.map((piece) => decoder.write(piece))
  return Buffer.concat([...bytes, decoder.end()])
}

function piecesOf(text: string, cuts: number[]): string[] {
  const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((one, other) => one - other), text.length]
  return at.slice(1).map((end, index) => text.slice(at[index], end))
}

test('arbitrary bytes are decoded in both alphabets, with or without line breaks and padding, wherever they are cut', () => {
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
])('%j is not base64', (pieces) => {
  const decoder = new Base64Decoder()
  expect(() => pieces.map((piece) => decoder.write(piece))).toThrow(EncodingError)
})

test.each([[['Q']], [['QUFBQ']], [['QQ=']], [['QUFB', '=']]])('%j is incomplete', (pieces) => {
  const decoder = new Base64Decoder()
  for (const piece of pieces) decoder.write(piece)
  expect(() => decoder.end()).toThrow(EncodingError)
})
