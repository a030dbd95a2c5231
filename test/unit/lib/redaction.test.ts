/** Nothing that lets anyone in is left of it in a text, in whichever way the text has it; everything else stays. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactionOf } from '../../../src/main/core/lib/redaction.ts'

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const inForm = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
const lowerCase = (text: string) => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase())
const everyUnit = (text: string) =>
  [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
const everyByte = (text: string) =>
  Buffer.from(text).reduce((done, byte) => `${done}%${byte.toString(16).padStart(2, '0')}`, '')

/** The ways in which a text may have a secret. */
const WAYS: ((secret: string) => string)[] = [
  (secret) => secret,
  encodeURIComponent,
  encodeURI,
  inForm,
  inJson,
  everyUnit,
  everyByte,
  (secret) => lowerCase(encodeURIComponent(secret)),
  (secret) => inJson(encodeURIComponent(secret)).replaceAll('/', '\\/'),
  (secret) => encodeURIComponent(inJson(secret))
]

const aSecret = fc
  .string({ unit: 'grapheme', minLength: 4, maxLength: 60 })
  .filter((text) => text.trim() === text && !text.includes('•'))
const aText = fc.string({ unit: 'binary', maxLength: 40 })

describe('a secret', () => {
  test('is left in no text that has it, in whichever encoding', () => {
    fc.assert(
      fc.property(
        fc.array(aSecret, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(aText, fc.nat(), fc.nat({ max: WAYS.length - 1 })), { minLength: 1, maxLength: 5 }),
        (secrets, plants) => {
          const planted = plants.map(([before, which, way]) => {
            const form = WAYS[way]?.(secrets[which % secrets.length] ?? '') ?? ''
            return { form, text: `${before} ${form} ` }
          })
          const text = planted.map((one) => one.text).join('')
          const { hide, isIn } = redactionOf(secrets)
          const hidden = hide(text)
          expect(isIn(text)).toBe(true)
          for (const { form } of planted) expect(hidden).not.toContain(form)
          expect(isIn(hidden)).toBe(false)
          expect(hide(hidden)).toBe(hidden)
        }
      )
    )
  })

  test('is all that changes in a text', () => {
    const words = fc.stringMatching(/^(?:[a-z]{1,12}|%20|%C3%A9|\\n|\\u00e9|[ .,&+])*$/)
    const keys = fc.stringMatching(/^[A-Z0-9]{4,40}$/)
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 3 }), words, words, keys, (others, before, after, key) => {
        const { hide, isIn } = redactionOf([...others, key])
        expect([hide(before), isIn(before)]).toEqual([before, false])
        expect(hide(`${before} ${key} ${after}`)).toBe(`${before} ••• ${after}`)
      })
    )
  })

  test('that is short is hidden where it stands alone', () => {
    const { hide } = redactionOf(['k9'])
    expect(hide('PIN k9, k99, "k9"')).toBe('PIN •••, k99, "•••"')
  })

  test('that overlaps with itself or another leaves nothing between', () => {
    expect(redactionOf(['abab']).hide('ababab.')).toBe('•••.')
    expect(redactionOf(['abcd', 'cdef']).hide('abcdef.')).toBe('•••.')
    expect(redactionOf(['', ' ']).hide('- as it is -')).toBe('- as it is -')
  })

  test.each([
    ['a'.repeat(2_000), 'a'],
    ['%25%25%25%25', '%25'],
    ['key"with\\all', '\\"\\\\'],
    ['no such key', 'https://sign.example.com/a%2Fb?c=%22d%22 ']
  ])('is looked for in megabytes without holding anything up: %#', (secret, filling) => {
    const text = filling.repeat(Math.ceil(4_000_000 / filling.length))
    const { hide } = redactionOf([secret, 'https://sign.example.com/s/0123456789abcdef'])
    expect(hide(`${text} ${secret}`).endsWith(' •••')).toBe(true)
  })
})

describe('an address', () => {
  const LINK = 'https://sign.example.com/document/0123456789abcdef/pdf?sig=fedcba9876543210&who=Ab3x'

  test('is hidden whichever part of it lets someone in', () => {
    const { isIn } = redactionOf([LINK])
    const texts = [
      '0123456789abcdef',
      'see fedcba9876543210',
      'A pdf of the document',
      'sign.example.com is away',
      'Ab3x'
    ]
    expect(texts.map(isIn)).toEqual([true, true, false, false, false])
  })

  test('is hidden to its short keys where nothing else needs them', () => {
    const { hide } = redactionOf([LINK], { mark: '…', hidesShortParts: true })
    expect(hide('Ab3x, or Ab3xy, of the document at sign.example.com')).toBe(
      '…, or Ab3xy, of the document at sign.example.com'
    )
    expect(hide(`At ${encodeURIComponent(LINK)}!`)).toBe('At …!')
  })

  test('has keys in encoded parts and in its host, too', () => {
    const { isIn } = redactionOf(['https://4f6a77b1c0de.sign.example.com/s/a%2Fb%20c12345678?for=the+one+person'])
    const keys = ['a/b c12345678', 'a%2Fb%20c12345678', 'at 4f6a77b1c0de', 'the one person', 'sign.example.com']
    expect(keys.map(isIn)).toEqual([true, true, true, true, false])
  })
})
