import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { MERE, type Person, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'

// With animations, as most computers are set.
test.use({ isStill: false })

const WITHOUT_MOBILE: Person = {
  ...MERE,
  faceToFace: true,
  identity: { question: 'Date of birth', answer: '1984-03-09' }
}

test('a form is composed, sent and signed at the counter, its identity data saved, and its signatures verified', {
  tag: '@full'
}, async ({ clerk }) => {
  const { app, window } = clerk

  await clerk.composeForm({ name: 'Letter of authority', people: [WITHOUT_MOBILE], embedded: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()

  await clerk.openFolder('InBox')
  await expect(window.getByRole('row', { name: 'Letter of authority' })).toBeVisible()

  const page = await clerk.handOver(WITHOUT_MOBILE, 'Letter of authority')
  await sign(page, WITHOUT_MOBILE)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: /signed/i })).toBeVisible()
  expect(await app.views('all')).toEqual([])

  await clerk.button('View document').click()
  await clerk.openFolder('Signed')
  await clerk.openDocument('Letter of authority')
  await clerk.button('Download report (PDF)').click()
  // Before the first download it asks where to save, once.
  const question = window.getByRole('dialog', { name: 'Where should downloads be saved?' })
  await app.dialog.answerOpen([app.userData])
  await question.getByRole('button', { name: 'Change…' }).click()
  await expect(question.getByText(basename(app.userData))).toBeVisible()
  await question.getByRole('button', { name: 'Save here' }).click()
  await clerk.button('Show in folder').click()
  const [shown = ''] = await app.shownInFolder()
  const [, year, matter, name] = relative(app.userData, shown).split(sep)
  expect([year, matter, name]).toEqual([
    String(new Date().getFullYear()),
    'No matter',
    expect.stringMatching(/^Letter of authority – Mere Tamati – \d{4}-\d\d-\d\d\.identity\.pdf$/)
  ])
  const pages = execFileSync('pdftoppm', ['-r', '20', '-png', shown, join(app.userData, 'page')])
  expect(pages.length).toBe(0)
  expect((await readdir(app.userData)).filter((name) => /^page-\d+\.png$/.test(name)).length).toBeGreaterThanOrEqual(2)

  await clerk.button('Verify signatures').click()
  await expect(window.getByText('Mere Tamati').last()).toBeVisible()
  await expect(window.getByRole('status').filter({ hasText: /valid/i }).first()).toBeVisible()
})

test('a template is chosen from the list, sent, and signed in order by two people at the counter', async ({
  clerk
}) => {
  const { window } = clerk

  await clerk.composeTemplate({ name: 'Privacy consent', people: [MERE, WIREMU], embedded: true, inOrder: true })
  await clerk.send()
  await expect(window.getByText(/^Sent to .+\.$/)).toBeVisible()

  await clerk.goTo(/^Counter/)
  await expect(clerk.button('Start: Mere Tamati, Privacy consent')).toBeVisible()
  await expect(clerk.button('Start: Wiremu Ngata, Privacy consent')).toBeHidden()
  await sign(await clerk.handOver(MERE, 'Privacy consent'), MERE)
  await clerk.giveBack()
  await sign(await clerk.handOverToNext(WIREMU), WIREMU)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: /signed/i })).toBeVisible()

  await clerk.button('Back to Counter').click()
  await clerk.openFolder('Signed')
  await expect(window.getByRole('row', { name: 'Privacy consent' }).first()).toBeVisible()
})
