// The handbook is in the application: opened at the current screen, searchable, and without a connection to anything.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from './office.ts'

test('F1 opens the section about the screen, the search works, and back returns to the screen', async ({ clerk }) => {
  const { app, window } = clerk
  await app.setOnline(false)
  await clerk.goTo('Bulk send')
  await window.getByRole('heading', { level: 1, name: 'Bulk send' }).waitFor()
  await window.keyboard.press('F1')
  const article = window.getByRole('article')
  await expect(article.getByRole('heading', { level: 2, name: 'Bulk send' })).toBeVisible()

  await window.keyboard.press('Control+f')
  await window.keyboard.type('drop folder workstations')
  const sections = window.getByRole('navigation', { name: 'Sections' })
  await expect(sections.getByRole('link', { name: /^Drop folders/ })).toBeVisible()
  await window.keyboard.press('Enter')
  await window.keyboard.press('Enter')
  await expect(article.getByRole('heading', { level: 2, name: 'Drop folders' })).toBeVisible()
  await expect(article.locator('mark').first()).toBeVisible()

  await window.keyboard.press('Alt+ArrowLeft')
  await expect(article.getByRole('heading', { level: 2, name: 'Bulk send' })).toBeVisible()
  // Any sooner, it would be taken for the same press.
  await window.waitForTimeout(300)
  await window.keyboard.press('Alt+ArrowLeft')
  await expect(window.getByRole('heading', { level: 1, name: 'Bulk send' })).toBeVisible()
})

test('the command search and the menu lead to sections', { tag: '@full' }, async ({ clerk }) => {
  const { app, window } = clerk
  await window.keyboard.press('Control+k')
  await window.getByRole('combobox', { name: 'Search or run a command' }).fill('file names')
  await window.getByRole('option', { name: /Help: File names/ }).click()
  await expect(window.getByRole('heading', { level: 2, name: 'File names' })).toBeVisible()
  await app.clickMenu(['Help', 'What’s new'])
  await expect(window.getByRole('article').getByText('The first version.')).toBeVisible()
})

test('after an update Today shows what is new, once', { tag: '@full' }, async ({ open }, testInfo) => {
  const userData = testInfo.outputPath('data')
  const notice = /: what’s new$/
  const first = await open({ userData })
  await first.choosePracticeOffice()
  await first.window.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  await expect(first.window.getByText(notice)).toHaveCount(0)
  await first.app.close()

  const file = join(userData, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...settings, newsSeen: '0.0.9' }))
  const second = await open({ userData })
  await expect(second.window.getByText(notice)).toBeVisible()
  await second.button('Open').click()
  await expect(second.window.getByRole('article').getByText('The first version.')).toBeVisible()
  await second.app.close()
  expect(JSON.parse(readFileSync(file, 'utf8')).newsSeen).not.toBe('0.0.9')
})
