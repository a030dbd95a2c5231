/**
 * The screens in a language that nobody speaks: English with every letter changed (../renderer/preview/made-up-words.ts). What is still
 * plain English on them is outside the catalogue (decision 32), and a second language would be a search in place of a file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { getCountries } from 'libphonenumber-js/mobile'
import type { Page } from 'playwright'
import { expect, test } from 'playwright/test'
import { SENTENCES } from '../../src/renderer/src/screens/counter/person/languages/sentences.ts'
import { MADE_UP } from '../renderer/preview/made-up-words.ts'
import { type Shot, shots } from '../renderer/preview/shots.ts'
import { looks, openPreview, type Preview } from './preview.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** As those who speak them call them, and what they read in them. */
const tongues = path.join(root, 'src/renderer/src/screens/counter/person/languages')
interface Tongue {
  name: string
  /** Where they count, by the forms of their plural. */
  sentences: Record<string, string | Record<string, string>>
}
const theirWords = readdirSync(tongues)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(path.join(tongues, file), 'utf8')) as Tongue)
  .flatMap(({ name, sentences }) => [
    name,
    ...Object.values(sentences).flatMap((one) => (typeof one === 'string' ? one : Object.values(one)))
  ])

/** What the made-up office and its service say: names, titles and answers are no words of ours. */
const theirs = new Set(
  readdirSync(path.join(root, 'test/renderer'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(\.test|shots)\.ts$/.test(file))
    .flatMap((file) => wordsOf(readFileSync(path.join(root, 'test/renderer', file), 'utf8')))
    // Put together by the scenes, or cut out of what they have.
    // A person’s own screens speak their language (decision 35), and each language is called as it calls itself.
    .concat(SENTENCES.flatMap(wordsOf), theirWords.flatMap(wordsOf))
    .concat(
      wordsOf(
        'adviser annual letter live nomatch awaitingapostille matchthe expirythe driver licence victoria please fair'
      )
    )
)

/** Days, months and countries come from the browser, in the office's English (src/renderer/src/words/dates.ts). */
async function wordsOfBrowser(page: Page): Promise<Set<string>> {
  const said = await page.evaluate(
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
  return new Set(wordsOf(`${said} today tomorrow yesterday days ago UTC NZL AUS`))
}

function wordsOf(text: string): string[] {
  return (text.match(/(?<![\p{L}\p{N}])[a-z]{3,30}(?![\p{L}\p{N}])/giu) ?? []).map((word) => word.toLowerCase())
}

/** Where a word stands. */
function around(text: string, word: string): string {
  const at = text.search(new RegExp(`\\b${word}\\b`, 'i'))
  return text.slice(Math.max(0, at - 30), at + word.length + 30).replaceAll('\n', ' / ')
}

/** What stands on the page, or is read out on it. */
function textsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = [document.body.innerText]
    for (const element of document.body.querySelectorAll('*'))
      for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt'])
        texts.push(element.getAttribute(name) ?? '')
    return texts
  })
}

/** What is done in a scene is found by its English words; the handbook is written in English alone (decision 33). One scene in eight, or all: EVERY_COMBINATION=1. */
const isEvery = process.env.EVERY_COMBINATION === '1'
const isLookedAt = ({ act, at }: Shot, index: number) =>
  !act && !at.startsWith('#/help') && (isEvery || index % 8 === 0)

let preview: Preview
test.beforeAll(async () => {
  preview = await openPreview(MADE_UP)
})
test.afterAll(() => preview.close())

test('no screen has words outside the catalogue', async () => {
  test.setTimeout(600_000)
  const outside = new Map<string, string>()
  const ofBrowser = await wordsOfBrowser(preview.page)
  for (const shot of shots.filter(isLookedAt)) {
    await preview.show(shot, looks.light)
    for (const text of await textsOf(preview.page))
      for (const word of wordsOf(text))
        if (!theirs.has(word) && !ofBrowser.has(word)) outside.set(word, `${shot.name}: ${around(text, word)}`)
  }
  expect([...outside].map(([word, where]) => `${word} (${where})`)).toEqual([])
})
