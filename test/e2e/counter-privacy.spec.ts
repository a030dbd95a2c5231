import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright'
import { type Clerk, MERE, sign } from './clerk.ts'
import { expect, test } from './office.ts'
import { memoryOfMain, memoryOfPage, sizeOf, textsIn, textsInFiles } from './searching.ts'
import { formsFor, send } from './sending.ts'

type Plant = (page: Page, text: string) => Promise<unknown>

/**
 * Every way for a page, and a person on it, to leave a text behind. None of these texts reaches the service as an
 * answer.
 */
const PLANTS: Record<string, Plant> = {
  'typed into a field': (page, text) => page.getByTestId('signature-name').pressSequentially(text),
  'typed into a larger field': (page, text) => page.locator('textarea').first().pressSequentially(text),
  async 'copied to the clipboard'(page, text) {
    await page.locator('input[name^=field-]').first().fill(text)
    await page.locator('input[name^=field-]').first().press('ControlOrMeta+A')
    await page.locator('input[name^=field-]').first().press('ControlOrMeta+C')
  },
  'a cookie': (page, text) =>
    page.evaluate((text) => {
      // biome-ignore lint/suspicious/noDocumentCookie: what a signing page would do
      document.cookie = `left=${text}; max-age=86400`
    }, text),
  'local storage': (page, text) => page.evaluate((text) => localStorage.setItem('left', text), text),
  'session storage': (page, text) => page.evaluate((text) => sessionStorage.setItem('left', text), text),
  'a database': (page, text) =>
    page.evaluate(
      (text) =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('left')
          opening.onupgradeneeded = () => opening.result.createObjectStore('texts').put(text, 'one')
          opening.onsuccess = () => resolve()
          opening.onerror = () => reject(opening.error)
        }),
      text
    ),
  'a cache': (page, text) =>
    page.evaluate(async (text) => (await caches.open('left')).put(`/left-${text}`, new Response(text)), text),
  'a file of its own': (page, text) =>
    page.evaluate(async (text) => {
      const file = await (await navigator.storage.getDirectory()).getFileHandle('left', { create: true })
      const writing = await file.createWritable()
      await writing.write(text)
      await writing.close()
    }, text),
  'the name of its window': (page, text) =>
    page.evaluate((text) => {
      window.name = text
    }, text),
  'its title': (page, text) =>
    page.evaluate((text) => {
      document.title = text
    }, text),
  'the state of its history': (page, text) => page.evaluate((text) => history.pushState({ text }, ''), text),
  'the query of its address': (page, text) =>
    page.evaluate((text) => history.replaceState(history.state, '', `?left=${text}`), text),
  'the hash of its address': (page, text) =>
    page.evaluate((text) => {
      location.hash = text
    }, text),
  'a word to its console': (page, text) => page.evaluate((text) => console.log(text), text),
  'an error nobody caught': (page, text) =>
    page.evaluate((text) => void setTimeout(() => Promise.reject(new Error(text))), text),
  'a message to itself': (page, text) =>
    page.evaluate((text) => {
      postMessage(text, '*')
      new BroadcastChannel('left').postMessage(text)
    }, text),
  'the name of a file it offers': (page, text) =>
    page.evaluate((text) => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob([text]))
      link.download = `${text}.txt`
      document.body.append(link)
      link.click()
      link.remove()
    }, text),
  'an address it goes to': (page, text) =>
    page.evaluate((text) => {
      location.href = `https://${text}.example/?left=${text}`
    }, text),
  'an address of a window it opens': (page, text) =>
    page.evaluate((text) => void open(`https://elsewhere.example/${text}`, text), text),
  'an address it asks for': (page, text) =>
    page.evaluate((text) => {
      new Image().src = `/nothing/${text}.png`
    }, text),
  'a hidden part of the page': (page, text) =>
    page.evaluate((text) => document.body.insertAdjacentHTML('beforeend', `<p hidden>${text}</p>`), text)
}

/** Returns a text that occurs nowhere else, and that a host name could contain. */
function planted(index: number): string {
  const letters = Array.from({ length: 16 }, () => String.fromCharCode(97 + randomInt(26))).join('')
  return `left${index}${letters}`
}

/** Returns the answers to those requests of ours that a person's text could have got into. */
async function ownRecords({ window: page }: Clerk, reference: string): Promise<string> {
  return page.evaluate(async (reference) => {
    const { activity, audit, counter, documents, downloads } = window.countersign
    const newest = { offset: 0, limit: 100 }
    const all = await Promise.all([
      audit.list({ search: '', ...newest }),
      counter.state(),
      counter.queue(),
      documents.get({ reference }),
      downloads.list(newest),
      activity.list({ ...newest })
    ] as Promise<unknown>[])
    return JSON.stringify(all)
  }, reference)
}

test('after a session nothing that a signer left in the page is found on the machine', async ({ clerk }) => {
  const { app, window } = clerk
  const texts = Object.keys(PLANTS).map((_name, index) => planted(index))
  expect(texts.length).toBeGreaterThanOrEqual(20)
  const workspace = await mkdtemp(join(tmpdir(), 'countersign-e2e-memory-'))
  const snapshot = join(workspace, 'main.heapsnapshot')
  const [reference = ''] = (await send(clerk, formsFor(['Deed of gift'], [MERE]))).values()

  const page = await clerk.handOver(MERE, 'Deed of gift')
  await page.getByTestId('sign').waitFor()
  for (const [index, plant] of Object.values(PLANTS).entries()) await plant(page, texts[index] ?? '')
  // Proves that the search finds what is there.
  expect(textsIn(await memoryOfPage(page), texts).length).toBeGreaterThan(5)
  expect(textsIn(await memoryOfMain(app, snapshot), texts)).not.toEqual([])

  // What is sent to the service is the person's answer: it is theirs, and stays. Nothing planted is in it.
  for (const field of await page.locator('input[name^=field-], textarea').all()) await field.fill('')
  await page.getByTestId('signature-name').fill('')
  await sign(page, MERE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati has signed' })).toBeVisible()
  await clerk.button('Back to Counter').click()

  const folder = dirname(app.userData)
  expect(await sizeOf(folder)).toBeGreaterThan(100_000)
  expect(await textsInFiles(folder, texts)).toEqual([])
  expect(textsIn(Buffer.from(app.logs()), texts)).toEqual([])
  expect(textsIn(Buffer.from(await ownRecords(clerk, reference)), texts)).toEqual([])
  expect(textsIn(Buffer.from(await app.clipboardText()), texts)).toEqual([])
  expect(textsIn(await memoryOfPage(window), texts)).toEqual([])
  expect(textsIn(await memoryOfMain(app, snapshot), texts)).toEqual([])
  await rm(workspace, { recursive: true, force: true })
})

test('what a signer typed is not found after the page is closed midway or the computer loses power', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app } = clerk
  const texts = [planted(1), planted(2)]
  await send(clerk, formsFor(['Deed of gift', 'Cover letter'], [MERE]))
  const first = await clerk.handOver(MERE, 'Deed of gift')
  await first.getByTestId('signature-name').pressSequentially(texts[0] ?? '')
  await first.evaluate((text) => localStorage.setItem('left', text), texts[0] ?? '')
  await clerk.person.stop()
  await clerk.giveBack()
  await clerk.button('Back to Counter').click()
  expect(textsIn(await memoryOfPage(clerk.window), texts)).toEqual([])

  const second = await clerk.handOver(MERE, 'Cover letter')
  await second.getByTestId('signature-name').pressSequentially(texts[1] ?? '')
  await second.evaluate((text) => localStorage.setItem('left', text), texts[1] ?? '')
  await app.kill()
  expect(await textsInFiles(dirname(app.userData), texts)).toEqual([])
})
