/**
 * Shows the screens in a made-up language: English with every letter changed (../renderer/preview/made-up-words.ts).
 * Text that is still plain English isn't in the catalogue (decision 32), and would have to be searched for when adding a
 * second language.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getCountries } from 'libphonenumber-js/mobile'
import type { Page } from 'playwright'
import { expect, test } from 'playwright/test'
import { SENTENCES } from '../../src/renderer/src/screens/counter/person/languages/sentences.ts'
import { MADE_UP } from '../renderer/preview/made-up-words.ts'
import { type Shot, shots } from '../renderer/preview/shots.ts'
import { openPreview, type Preview, themes } from './preview.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The languages' own names, and the sentences shown in them. */
const languagesFolder = path.join(root, 'src/renderer/src/screens/counter/person/languages')
interface LanguageFile {
  name: string
  /** Either a sentence or, if it contains a count, its plural forms. */
  sentences: Record<string, string | Record<string, string>>
}
const languageTexts = readdirSync(languagesFolder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(path.join(languagesFolder, file), 'utf8')) as LanguageFile)
  .flatMap(({ name, sentences }) => [
    name,
    ...Object.values(sentences).flatMap((one) => (typeof one === 'string' ? one : Object.values(one)))
  ])

/** Texts of the made-up office and its service: names, titles and answers aren't ours to translate. */
const knownWords = new Set(
  readdirSync(path.join(root, 'test/renderer'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(\.test|shots)\.ts$/.test(file))
    .flatMap((file) => wordsOf(readFileSync(path.join(root, 'test/renderer', file), 'utf8')))
    // Composed by the scenes, or cut from their data. People's own screens are in their language (decision 35), and
    // languages are listed under their own names.
    .concat(SENTENCES.flatMap(wordsOf), languageTexts.flatMap(wordsOf))
    .concat(
      wordsOf(
        'adviser annual letter live nomatch awaitingapostille matchthe expirythe driver licence victoria please fair sha'
      )
    )
)

/**
 * Names of days, months and countries come from the browser, in the office's English (src/renderer/src/words/dates.ts).
 */
async function wordsOfBrowser(page: Page): Promise<Set<string>> {
  const names = await page.evaluate(
    (codes) => {
      const months = Array.from({ length: 12 }, (_, month) => new Date(2026, month, 1))
      const days = Array.from({ length: 7 }, (_, day) => new Date(2026, 0, day + 1))
      const countries = new Intl.DisplayNames('en-GB', { type: 'region' })
      const styles = ['long', 'short'] as const
      return [
        ...months.flatMap((day) => styles.map((month) => day.toLocaleDateString('en-GB', { month }))),
        ...days.flatMap((day) => styles.map((weekday) => day.toLocaleDateString('en-GB', { weekday }))),
        ...codes.map((code) => countries.of(code))
      ].join(' ')
    },
    [...getCountries()]
  )
  return new Set(wordsOf(`${names} today tomorrow yesterday days ago UTC NZL AUS`))
}

function wordsOf(text: string): string[] {
  return (text.match(/(?<![\p{L}\p{N}])[a-z]{3,30}(?![\p{L}\p{N}])/giu) ?? []).map((word) => word.toLowerCase())
}

/** Returns a word's context. */
function around(text: string, word: string): string {
  const at = text.search(new RegExp(`\\b${word}\\b`, 'i'))
  return text.slice(Math.max(0, at - 30), at + word.length + 30).replaceAll('\n', ' / ')
}

/** Returns the texts on the page, including those for screen readers. */
function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = [document.body.innerText]
    for (const element of document.body.querySelectorAll('*'))
      for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
        texts.push(element.getAttribute(name) ?? '')
    return texts
  })
}

/**
 * Scenes with actions are left out, because these are found by English words, and so is the handbook, which exists only
 * in English (decision 33). One scene in eight is checked; with EVERY_COMBINATION=1, all of them.
 */
const isEvery = process.env.EVERY_COMBINATION === '1'
const isChecked = ({ act, at }: Shot, index: number) => !act && !at.startsWith('#/help') && (isEvery || index % 8 === 0)

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview(MADE_UP)
})
test.afterAll(() => preview.close())

test('no screen has words outside the catalogue', async () => {
  test.setTimeout(600_000)
  const outside = new Map<string, string>()
  const ofBrowser = await wordsOfBrowser(preview.page)
  for (const shot of shots.filter(isChecked)) {
    await preview.show(shot, themes.light)
    for (const text of await textsOf(preview.page))
      for (const word of wordsOf(text))
        if (!knownWords.has(word) && !ofBrowser.has(word)) outside.set(word, `${shot.name}: ${around(text, word)}`)
  }
  expect([...outside].map(([word, where]) => `${word} (${where})`)).toEqual([])
})
