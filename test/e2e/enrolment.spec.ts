/** An account is prepared on one computer and connected on another, whose clerk never sees its secret. */
import { readFile } from 'node:fs/promises'
import { openPracticeOffice } from '../../src/practice/office.ts'
import { expect, test } from './office.ts'

test('an account is connected by a file and its code, and a wrong code is refused', async ({ open }, testInfo) => {
  test.setTimeout(360_000)
  const office = await openPracticeOffice({ data: 'demo', auth: { scheme: 'bearer', token: 'made-up-token-1' } })
  const file = testInfo.outputPath('Harbour Law.countersign-enrolment')
  try {
    const admin = await open({ userData: testInfo.outputPath('admin') })
    await admin.connectTo(office.url)
    await admin.goTo('Settings')
    await admin.button(/^More for Harbour Law/).click()
    await admin.window.getByRole('menuitem', { name: /^Prepare for other computers/ }).click()
    const code = (await admin.window.locator('.code span').allTextContents()).join('-')
    await admin.window.getByRole('checkbox', { name: /I’ve noted the code/ }).check()
    await admin.app.dialog.answerSave(file)
    await admin.button('Save file…').click()
    await expect(admin.window.getByText(/It can be used until/)).toBeVisible()
    expect((await readFile(file)).includes('made-up-token-1')).toBe(false)
    await admin.app.close()

    const clerk = await open({ userData: testInfo.outputPath('clerk') })
    const { app, window, button } = clerk
    await app.dialog.answerOpen([file])
    await button('Connect with an enrolment file…').click()
    const wrong = code.split('-').toReversed().join('-')
    await window.getByRole('textbox', { name: 'Code' }).fill(wrong)
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByText(/^This code has a mistake in it/)).toBeVisible()
    await window.getByRole('textbox', { name: 'Code' }).fill(code)
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByText(/^Connected\. \d+ documents found/)).toBeVisible({ timeout: 60_000 })
    await expect(window.getByText('Connected with an enrolment file')).toBeVisible()
    await button(/^Edit…/).click()
    await expect(window.getByLabel('Token', { exact: true })).toHaveValue('')
    expect(await window.content()).not.toContain('made-up-token-1')
    expect(app.logs()).not.toContain('made-up-token-1')
    expect(app.logs()).not.toContain(code)
    const trail = await window.evaluate(() =>
      globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 5 })
    )
    expect(trail).toMatchObject({ value: { entries: [{ what: 'account-added', detail: { how: 'enrolment file' } }] } })
  } finally {
    await office.close()
  }
})
