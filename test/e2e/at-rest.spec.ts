import { copyFile, mkdir, mkdtemp, open as openFile, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../src/main/core/storage/migrations.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { expect, test } from './office.ts'

/** Returns a package of one form with this name. */
const composition = (Name: string) => forms({ items: [form({ Name })] })

/** Returns a name like those of the daily copies that Countersign makes while nobody is working. */
function nameOfCopy(at: number): string {
  return `000001-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z-v${migrations.length}.db`
}

/** Overwrites the last page of the file. */
async function damage(path: string): Promise<void> {
  const file = await openFile(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(4096, 0x5a), 0, 4096, size - 4096)
  await file.close()
}

test('the database’s key is changed, a damaged database is replaced by a copy, retention is set by authorised staff, and all data are removed on request', {
  tag: '@full'
}, async ({ open }) => {
  // Seven applications, one after the other.
  test.slow()
  const place = await mkdtemp(join(tmpdir(), 'countersign-at-rest-'))
  const userData = join(place, 'data')
  try {
    const first = await open({ userData })
    await first.choosePracticeOffice()
    // A package that is scheduled for later.
    await first.window.evaluate(async (composition) => {
      const { drafts, sends } = globalThis.window.countersign
      const saved = await drafts.save({ composition })
      if (!saved.ok) throw new Error(saved.error.message)
      const started = await sends.start({ draftId: saved.value.id, at: Date.now() + 7 * 24 * 3_600_000 })
      if (!started.ok) throw new Error(started.error.message)
    }, composition('Lease that waits'))
    const before = await readFile(join(userData, 'countersign.db'))
    await first.goTo('Settings')
    await first.button('Change encryption key…').click()
    const dialog = first.window.getByRole('dialog', { name: 'Change the encryption key' })
    await dialog.getByLabel('I’ve printed it or written it down').check()
    // Quitting asks, because a package is waiting.
    await first.app.dialog.answerMessage('Quit')
    await dialog.getByRole('button', { name: 'Change and restart' }).click()
    expect(await first.app.ended).toBe(0)

    const second = await open({ userData })
    await second.goTo('Settings')
    await expect(second.window.getByText('Practice office').first()).toBeVisible()
    // A database's first page contains its salt: another database was put in place.
    const after = await readFile(join(userData, 'countersign.db'))
    expect(after.subarray(0, 16).equals(before.subarray(0, 16))).toBe(false)
    const noted = ({ window: page }: typeof second) =>
      page.evaluate(async () => {
        const list = await globalThis.window.countersign.audit.list({ search: '', offset: 0, limit: 100 })
        return list.ok ? list.value.entries.map((entry) => entry.what) : []
      })
    expect(await noted(second)).toContain('database-key-changed')
    expect((await readdir(userData)).filter((name) => /^rekey|rekeyed$|^set-aside/.test(name))).toEqual([])

    // The daily copy is made now; a draft is saved after it, and then the disk fails.
    const database = join(userData, 'countersign.db')
    await mkdir(join(userData, 'copies'))
    await copyFile(database, join(userData, 'copies', nameOfCopy(Date.now())))
    await second.window.evaluate(async (composition) => {
      await globalThis.window.countersign.drafts.save({ composition })
    }, composition('Lease that came later'))
    await second.app.dialog.answerMessage('Quit')
    expect(await second.app.quit()).toBe(0)
    await damage(database)

    const damaged = await open({ userData })
    await damaged.button('Use a copy…').click()
    const going = damaged.window.getByRole('dialog', { name: 'Use a copy of your data' })
    // How much that is depends on what the damage has left readable.
    await expect(going.getByText(/came later.*isn’t in it/)).toBeVisible()
    await going.getByRole('button', { name: 'Use this copy and restart' }).click()
    expect(await damaged.app.ended).toBe(0)

    const third = await open({ userData })
    expect(await noted(third)).toContain('data-restored')
    const outbox = await third.window.evaluate(async () => globalThis.window.countersign.outbox.state())
    expect(outbox).toMatchObject({ value: { counts: { ready: 0, uncertain: 1 }, pause: { by: 'person' } } })
    await third.goTo('Outbox')
    await expect(third.window.getByText('Lease that waits').first()).toBeVisible()
    await expect(third.window.getByText(/Restored from a backup or copy/).first()).toBeVisible()
    const setAsideNames = (await readdir(userData)).filter((name) => name.startsWith('set-aside'))
    expect(setAsideNames).toHaveLength(1)
    expect(await readdir(join(userData, setAsideNames[0] ?? ''))).toContain('countersign.db')

    // Once there is a PIN, only an administrator sets how long things are kept.
    await third.goTo('Settings')
    const days = third.window.getByLabel('List of downloads')
    await expect(days).toBeEnabled()
    await third.window.evaluate(async () => {
      await globalThis.window.countersign.counter.setPin({ pin: '73519' })
      await globalThis.window.countersign.counter.closeSettings()
    })
    await expect(days).toBeDisabled()
    await third.button('Unlock…').last().click()
    const unlocking = third.window.getByRole('dialog', { name: 'Unlock retention' })
    await unlocking.getByLabel('Staff PIN').fill('73519')
    await unlocking.getByRole('button', { name: 'Unlock' }).click()
    await days.selectOption('90')
    await expect.poll(() => noted(third)).toContain('retention-changed')

    await third.button('Remove everything from this computer…').click()
    const sure = third.window.getByRole('dialog', { name: 'Remove everything from this computer?' })
    await sure.getByLabel('Lose 1 package that hasn’t been sent').check()
    await sure.getByLabel('I understand that this can’t be undone').check()
    await third.app.dialog.answerMessage('Quit')
    await sure.getByRole('button', { name: 'Remove everything', exact: true }).click()
    expect(await third.app.ended).toBe(0)
    // This start removes everything, says so, and ends: it never has a window.
    await expect(open({ userData })).rejects.toThrow()
    const left = (await readdir(userData).catch(() => [])).filter((name) =>
      /countersign|documents|settings|recovery|removal/.test(name)
    )
    expect(left).toEqual([])
    const last = await open({ userData })
    await expect(last.button(/practice office/)).toBeVisible()
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
