// A link and a file that the system opens with the application: the person is asked, then there is a draft; nothing is
// sent.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { blankComposition } from '../../src/shared/composition/composition.ts'
import { expect, test } from './office.ts'

/** Starts the application once more, as the system does to open something; it hands that over and ends. */
function startAgain(userData: string, opened: string): Promise<number | null> {
  const root = resolve(import.meta.dirname, '../..')
  const main = ['--import', join(root, 'test/host/register.ts'), join(root, 'out/main/index.js')]
  const child = spawn(process.execPath, [...main, `--user-data-dir=${userData}`, opened], { stdio: 'ignore' })
  return new Promise((done) => child.on('close', done))
}

test(
  'a link creates a draft and a file is imported, each after a person agrees',
  { tag: '@full' },
  async ({ clerk, open }, testInfo) => {
    const { app, window } = clerk
    const link = new URLSearchParams({ kind: 'form', name: 'Deed of gift', 'signer1.firstName': 'Mere' })
    expect(await startAgain(app.userData, `countersign://draft?${link}`)).toBe(0)
    const dialog = window.getByRole('dialog', { name: 'Make this draft?' })
    await expect(dialog).toContainText('Deed of gift')
    await dialog.getByRole('button', { name: 'Make draft' }).click()
    await expect(window.getByLabel('First name').first()).toHaveValue('Mere')

    const file = testInfo.outputPath('sent.countersign')
    const composition = { ...blankComposition('form-direct', 'sent'), ListItems: [] }
    const content = { format: 'countersign', version: 1, madeBy: 'Countersign', drafts: [composition], presets: [] }
    writeFileSync(file, JSON.stringify(content))
    expect(await startAgain(app.userData, file)).toBe(0)
    const importing = window.getByRole('dialog', { name: 'Import “sent.countersign”?' })
    await expect(importing).toContainText('It has 1 draft.')
    await importing.getByRole('button', { name: 'Import' }).click()
    await expect(window.getByText('Imported 1 draft.')).toBeVisible()
    const sends = await window.evaluate(() =>
      globalThis.window.countersign.sends.list({ show: 'all', search: '', offset: 0, limit: 1 })
    )
    expect(sends).toMatchObject({ ok: true, value: { total: 0 } })

    // A link that the application itself was started with waits until there is an account to ask for.
    const started = await open({ args: ['countersign://send?kind=form'] })
    await started.choosePracticeOffice()
    await started.window
      .getByRole('dialog', { name: 'This link can’t be used' })
      .getByRole('button', { name: 'Dismiss' })
      .click()
    await expect(started.button('Make draft')).toBeHidden()
  }
)
