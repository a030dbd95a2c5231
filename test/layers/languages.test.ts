/**
 * The languages of the signer's own screens: a language is offered only if it has every sentence, with all
 * placeholders; and every sentence is used.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SENTENCES } from '../../src/renderer/src/screens/counter/person/languages/sentences.ts'
import { CATALOGUES, completeLanguages, missingFrom } from '../../src/renderer/src/screens/counter/person/translator.ts'
import { PERSON_LANGUAGES } from '../../src/shared/contract/counter-views.ts'
import { root, sources } from './sources.ts'

const catalogues = Object.entries(CATALOGUES)
const placesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

test('each language has every sentence', () => {
  // A new sentence is missing from every language: translate it in each file of the folder, or ask someone who can.
  expect(catalogues.flatMap(([code, catalogue]) => missingFrom(catalogue).map((one) => `${code}: ${one}`))).toEqual([])
  expect(completeLanguages()).toEqual([...PERSON_LANGUAGES])
})

test('no language has a sentence that is no longer shown', () => {
  const shown = new Set<string>(SENTENCES)
  expect(
    catalogues.flatMap(([code, { sentences }]) =>
      Object.keys(sentences).flatMap((one) => (shown.has(one) ? [] : [`${code}: ${one}`]))
    )
  ).toEqual([])
})

test('each translation, in every plural form, has the sentence’s placeholders', () => {
  const wrong = catalogues.flatMap(([code, { sentences }]) =>
    SENTENCES.flatMap((sentence) => {
      const translation = sentences[sentence] ?? ''
      const forms = Object.entries(typeof translation === 'string' ? { other: translation } : translation)
      return forms.flatMap(([form, text]) => {
        // "One document" and "two documents" need no number.
        const expected = placesIn(sentence).filter((place) => place !== '{count}' || !['one', 'two'].includes(form))
        return JSON.stringify(placesIn(text)) === JSON.stringify(expected) ? [] : [`${code}: ${text}`]
      })
    })
  )
  expect(wrong).toEqual([])
})

test('each language names its reviewer', () => {
  for (const [code, { name, review }] of catalogues) {
    expect([code, review]).toEqual([
      code,
      expect.stringMatching(/^(Machine-made, not reviewed|Reviewed by .+, \d{4}-\d{2}-\d{2})$/)
    ])
    expect(name).toBeTruthy()
  }
})

test('a language with a missing or empty sentence is not offered', () => {
  const [first, second] = SENTENCES
  const { [first]: _left, ...others } = CATALOGUES.mi.sentences
  const emptied = { ...CATALOGUES.ar.sentences, [second]: '  ' }
  const missing = { ...CATALOGUES, mi: { ...CATALOGUES.mi, sentences: others } }
  expect(completeLanguages(missing)).not.toContain('mi')
  expect(completeLanguages({ ...CATALOGUES, ar: { ...CATALOGUES.ar, sentences: emptied } })).not.toContain('ar')
  expect(completeLanguages({})).toEqual(['en'])
})

test('each sentence in the list is used on the signer’s screens', () => {
  const code = sources
    .filter((file) => file.includes('/screens/counter/person/') && !file.endsWith('sentences.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  expect(SENTENCES.filter((sentence) => !code.includes(`'${sentence}'`))).toEqual([])
})

test('every test named in docs/accessibility.md exists with that title', () => {
  const files = ['renderer/counter-languages', 'renderer/counter-person', 'unit/counter/preferences']
  const tests = [...files, 'e2e/counter', 'e2e/counter-keyboard']
    .map((file) => join(root, 'test', `${file}.${file.startsWith('e2e') ? 'spec' : 'test'}.ts`))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const rows = readFileSync(join(root, 'docs/accessibility.md'), 'utf8').matchAll(/^\|.*\|(.*)\|$/gm)
  const named = [...rows].flatMap(([, held = '']) => [...held.matchAll(/“([^“”]+)”/g)].map(([, title = '']) => title))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((title) => !tests.includes(`'${title}'`))).toEqual([])
})
