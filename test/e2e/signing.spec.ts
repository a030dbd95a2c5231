import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decline, MERE, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'

test('a signer who declines is shown as declined, with the reason', { tag: '@full' }, async ({ clerk }) => {
  const { window } = clerk
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  await decline(await clerk.handOver(MERE, 'Letter of authority'), 'The amount is wrong.')
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: /declined/i })).toBeVisible()
  await clerk.button('View document').click()
  await expect(window.getByText('The amount is wrong.').first()).toBeVisible()
})

test('a page closed before it was signed is not reported as signed', { tag: '@full' }, async ({ clerk }) => {
  const { app, window } = clerk
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  await clerk.handOver(MERE, 'Letter of authority')
  await clerk.button('Stop').click()
  await expect.poll(async () => (await app.views()).length).toBe(0)
  await clerk.button('Stop and close').click()
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Mere Tamati hasn’t signed yet' })).toBeVisible()
  expect(await app.views('all')).toEqual([])
})

test('nothing of the first signer is left for the second', { tag: '@full' }, async ({ clerk }) => {
  const { window } = clerk
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE, WIREMU], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  const first = await clerk.handOver(MERE, 'Letter of authority')
  await first.evaluate(() => {
    localStorage.setItem('left', 'Mere was here')
    // biome-ignore lint/suspicious/noDocumentCookie: what a signing page would do
    document.cookie = 'left=Mere; max-age=86400'
  })
  await sign(first, MERE)
  await clerk.giveBack()
  const second = await clerk.handOverToNext(WIREMU)
  expect(await second.evaluate(() => [localStorage.length, document.cookie])).toEqual([0, ''])
  await sign(second, WIREMU)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: /signed/i })).toBeVisible()

  // Nor does a normal signature leave warnings, among which a real one would be overlooked.
  const logs = await clerk.app.evaluate(({ app }) => app.getPath('logs'))
  const log = await readFile(join(logs, 'countersign.log'), 'utf8')
  expect(log).toContain('Countersign started.')
  expect(log.split('\n').filter((line) => /\[(warn|error)\]/.test(line))).toEqual([])
})

test('signing links never appear in our own page', { tag: '@full' }, async ({ clerk }) => {
  const { window } = clerk
  await clerk.composeForm({ name: 'Letter of authority', people: [MERE], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()
  for (const screen of [/^Outbox/, /^Counter/, /^InBox/]) {
    await clerk.goTo(screen)
    await expect(window.getByText('Letter of authority').first()).toBeVisible()
    expect(await window.content()).not.toContain('/sign/')
  }
})
