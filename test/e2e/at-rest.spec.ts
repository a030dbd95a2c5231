import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from './office.ts'

test('the database gets another key, how long things stay is set by who may, and everything is removed when that is asked for', async ({
  open
}) => {
  const place = await mkdtemp(join(tmpdir(), 'countersign-at-rest-'))
  const userData = join(place, 'data')
  try {
    const first = await open({ userData })
    await first.choosePracticeOffice()
    const before = await readFile(join(userData, 'countersign.db'))
    await first.goTo('Settings')
    await first.button('Change encryption key…').click()
    const asked = first.window.getByRole('dialog', { name: 'Change the encryption key' })
    await asked.getByLabel('I’ve printed it or written it down').check()
    await asked.getByRole('button', { name: 'Change and restart' }).click()
    expect(await first.app.ended).toBe(0)

    const second = await open({ userData })
    await second.goTo('Settings')
    await expect(second.window.getByText('Practice office').first()).toBeVisible()
    // The first page of a database has its salt: another one was put in place.
    const after = await readFile(join(userData, 'countersign.db'))
    expect(after.subarray(0, 16).equals(before.subarray(0, 16))).toBe(false)
    const noted = () =>
      second.window.evaluate(async () => {
        const list = await globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 100 })
        return list.ok ? list.value.entries.map((entry) => entry.what) : []
      })
    expect(await noted()).toContain('database-key-changed')

    // For how long things are kept is an administrator’s, once there is a PIN.
    const days = second.window.getByLabel('List of downloads')
    await expect(days).toBeEnabled()
    await second.window.evaluate(async () => {
      await globalThis.window.countersign.counter.setPin({ pin: '73519' })
      await globalThis.window.countersign.counter.closeSettings()
    })
    await expect(days).toBeDisabled()
    await second.button('Unlock…').last().click()
    const unlocking = second.window.getByRole('dialog', { name: 'Unlock the counter’s settings' })
    await unlocking.getByLabel('Staff PIN').fill('73519')
    await unlocking.getByRole('button', { name: 'Unlock' }).click()
    await days.selectOption('90')
    await expect.poll(noted).toContain('retention-changed')
    expect((await readdir(userData)).filter((name) => /^rekey|rekeyed$|^set-aside/.test(name))).toEqual([])

    await second.button('Remove everything from this computer…').click()
    const sure = second.window.getByRole('dialog', { name: 'Remove everything from this computer?' })
    await sure.getByLabel('I understand that this can’t be undone').check()
    await sure.getByRole('button', { name: 'Remove everything', exact: true }).click()
    expect(await second.app.ended).toBe(0)
    // This start removes, says so, and ends: it never has a window.
    await expect(open({ userData })).rejects.toThrow()
    const left = (await readdir(userData).catch(() => [])).filter((name) =>
      /countersign|documents|settings|recovery|removal/.test(name)
    )
    expect(left).toEqual([])
    const third = await open({ userData })
    await expect(third.button(/practice office/)).toBeVisible()
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
