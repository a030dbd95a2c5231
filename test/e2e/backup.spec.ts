import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from './office.ts'

test('a backup made here is restored on another computer from the first screen', async ({ clerk, open }) => {
  const place = await mkdtemp(join(tmpdir(), 'countersign-backup-'))
  const file = join(place, 'office.countersign-backup')
  const userData = join(place, 'other')
  try {
    const { window, button, goTo, app } = clerk
    await goTo('Settings')
    await button('Back up…').click()
    const dialog = window.getByRole('dialog', { name: 'Back up this computer' })
    await dialog.getByLabel('Passphrase', { exact: true }).fill('a passphrase of four words')
    await dialog.getByLabel('Repeat passphrase').fill('a passphrase of four words')
    await app.dialog.answerSave(file)
    await dialog.getByRole('button', { name: 'Save backup…' }).click()
    await expect(window.getByText('Backup saved as office.countersign-backup.')).toBeVisible()

    const other = await open({ userData })
    await other.app.dialog.answerOpen([file])
    await other.button('Restore a backup…').click()
    const asked = other.window.getByRole('dialog', { name: 'Restore a backup' })
    await asked.getByLabel('Passphrase').fill('not the passphrase')
    await asked.getByRole('button', { name: 'Check backup' }).click()
    await expect(
      asked.getByText('This isn’t the passphrase of this backup. Check capital letters and spaces.')
    ).toBeVisible()
    await asked.getByLabel('Passphrase').fill('a passphrase of four words')
    await asked.getByRole('button', { name: 'Check backup' }).click()
    await expect(asked.getByText(/complete and undamaged: 1 account/)).toBeVisible()
    await asked.getByRole('button', { name: 'Replace and restart' }).click()
    expect(await other.app.ended).toBe(0)

    const again = await open({ userData })
    await again.goTo('Settings')
    await expect(again.window.getByText('Practice office').first()).toBeVisible()
    const entries = await again.window.evaluate(async () => {
      const list = await globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 100 })
      const check = await globalThis.window.countersign.audit.check()
      return {
        what: list.ok ? list.value.entries.map(({ what }) => what) : [],
        isWhole: check.ok && check.value.isWhole
      }
    })
    expect(entries.what).toContain('data-restored')
    expect(entries.isWhole).toBe(true)
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
