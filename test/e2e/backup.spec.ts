import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clerk, MERE } from './clerk.ts'
import { expect, test } from './office.ts'

const PASSPHRASE = 'a passphrase of four words'

async function backUp({ window, button, goTo, app }: Clerk, file: string): Promise<void> {
  await goTo('Settings')
  await button('Back up…').click()
  const dialog = window.getByRole('dialog', { name: 'Back up this computer' })
  await dialog.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE)
  await dialog.getByLabel('Repeat passphrase').fill(PASSPHRASE)
  await app.dialog.answerSave(file)
  await dialog.getByRole('button', { name: 'Save backup…' }).click()
  await expect(window.getByText('Backup saved as office.countersign-backup.')).toBeVisible()
}

test('a backup made here is restored on another computer from the first screen', async ({ clerk, open }) => {
  const place = await mkdtemp(join(tmpdir(), 'countersign-backup-'))
  const file = join(place, 'office.countersign-backup')
  const userData = join(place, 'other')
  try {
    await backUp(clerk, file)

    const other = await open({ userData })
    await other.app.dialog.answerOpen([file])
    await other.button('Restore a backup…').click()
    const dialog = other.window.getByRole('dialog', { name: 'Restore a backup' })
    await dialog.getByLabel('Passphrase').fill('not the passphrase')
    await dialog.getByRole('button', { name: 'Check backup' }).click()
    await expect(
      dialog.getByText('This isn’t the passphrase for this backup. Check capital letters and spaces.')
    ).toBeVisible()
    await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
    await dialog.getByRole('button', { name: 'Check backup' }).click()
    await expect(dialog.getByText(/complete and undamaged: 1 account/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Replace and restart' }).click()
    expect(await other.app.ended).toBe(0)

    const restarted = await open({ userData })
    await restarted.goTo('Settings')
    await expect(restarted.window.getByText('Practice office').first()).toBeVisible()
    const entries = await restarted.window.evaluate(async () => {
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

test(
  'a restore cancelled at the question about pending work isn’t carried out by a later start either',
  {
    tag: '@full'
  },
  async ({ clerk, open }, testInfo) => {
    const file = testInfo.outputPath('office.countersign-backup')
    const userData = testInfo.outputPath('data')
    await backUp(clerk, file)
    const here = await open({ userData })
    const { app, button, window } = here
    await here.choosePracticeOffice()
    await window.evaluate(() => globalThis.window.countersign.outbox.pause())
    await here.composeForm({ name: 'Letter of authority', people: [MERE] })
    await here.putInOutbox()
    await here.goTo('Settings')
    await app.dialog.answerOpen([file])
    await button('Restore a backup…').click()
    const dialog = window.getByRole('dialog', { name: 'Restore a backup' })
    await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
    await dialog.getByRole('button', { name: 'Check backup' }).click()
    await app.dialog.answerMessage('Cancel')
    await dialog.getByRole('button', { name: 'Replace and restart' }).click()
    await expect
      .poll(async () => (await app.dialog.shown()).map(({ message }) => message))
      .toContainEqual(expect.stringContaining('in the Outbox hasn’t been sent yet'))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await app.dialog.answerMessage('Quit')
    expect(await app.quit()).toBe(0)

    const restarted = await open({ userData })
    await restarted.goTo(/^Outbox/)
    await expect(restarted.window.getByText('Letter of authority').first()).toBeVisible()
    expect((await readdir(userData)).filter((name) => name.startsWith('set-aside-'))).toEqual([])
    await restarted.app.dialog.answerMessage('Quit')
  }
)
