import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, open as openFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import keytar from 'keytar'
import { profileOf } from '../../src/main/core/storage/keychain.ts'
import { migrations } from '../../src/main/core/storage/migrations.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { expect, test } from './office.ts'
import { searchFolder } from './secrets.ts'

/** Returns a package of one form with this name. */
const composition = (Name: string) => forms({ items: [form({ Name })] })

/** Returns a name like those of the daily copies that Countersign makes while nobody is working. */
function nameOfCopy(at: number): string {
  return `000001-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z-v${migrations.length}.db`
}

/** A name and a secret that may be nowhere once everything was removed. */
const PLANTED = 'Wilhelmina-Quartermaine-Ruru'
const searched = new Map([['the planted name', PLANTED]])
/** What the browser engine may leave as it ends. */
const CHROMIUM =
  /^(?:Singleton\w+|lockfile|(?:Code |Dawn\w*|GPU|Gr)?Cache|Cookies(?:-journal)?|Crashpad|Dictionaries|IndexedDB|Local (?:State|Storage)|Network Persistent State|Partitions|Preferences|Service Worker|Session Storage|Shared Dictionary|SharedStorage(?:-wal)?|TransportSecurity|Trust Tokens(?:-journal)?|WebStorage|blob_storage)$/

/** Asks the Secret Service, or one of its items. */
async function askSecretService(path: string, ...call: string[]): Promise<string> {
  const args = ['--session', '--print-reply', '--dest=org.freedesktop.secrets', path, ...call]
  return (await promisify(execFile)('dbus-send', args)).stdout
}

/** Returns the names of Countersign's entries in the keychain. */
async function namesOfEntries(): Promise<string[]> {
  if (process.platform !== 'linux') {
    return (await keytar.findCredentials('Countersign')).map(({ account }) => account)
  }
  // keytar's own search ends the process if somebody else removes an entry meanwhile.
  const found = await askSecretService(
    '/org/freedesktop/secrets',
    'org.freedesktop.Secret.Service.SearchItems',
    'dict:string:string:service,Countersign'
  )
  const attributes = ['org.freedesktop.DBus.Properties.Get', 'string:org.freedesktop.Secret.Item', 'string:Attributes']
  const names: string[] = []
  for (const [, path = ''] of found.matchAll(/object path "([^"]+)"/g)) {
    const answer = await askSecretService(path, ...attributes).catch((problem: Error) => {
      if (!problem.message.includes('Object does not exist')) throw problem
      return ''
    })
    names.push(...[...answer.matchAll(/string "account"\s+string "([^"]+)"/g)].flatMap(([, name]) => name ?? []))
  }
  return names
}

/** Returns which entries the data folder and the account have in the keychain. */
async function entriesOf(userData: string, accountId: string): Promise<string[]> {
  const own = [`:${profileOf(userData, '')}`, `:${accountId}`]
  const names = await namesOfEntries()
  return names.flatMap((name) => (own.some((end) => name.endsWith(end)) ? name.split(':').slice(0, 1) : [])).sort()
}

/** Exit codes: an application ends itself by a signal if a call of the keychain is still under way. */
const ENDED = [0, null]

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
    expect(ENDED).toContain(await first.app.ended)

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
    expect(ENDED).toContain(await second.app.quit())
    await damage(database)

    const damaged = await open({ userData })
    await damaged.button('Use a copy…').click()
    const going = damaged.window.getByRole('dialog', { name: 'Use a copy of your data' })
    // How much that is depends on what the damage has left readable.
    await expect(going.getByText(/came later.*isn’t in the copy/)).toBeVisible()
    await going.getByRole('button', { name: 'Use this copy and restart' }).click()
    expect(ENDED).toContain(await damaged.app.ended)

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

    // A secret of an account, and a name that is in each place where Countersign stores something.
    const accountId = await third.window.evaluate(async (token) => {
      const added = await globalThis.window.countersign.accounts.add({
        kind: 'service',
        name: 'Another service',
        baseUrl: 'http://127.0.0.1:1',
        authentication: { scheme: 'bearer', token }
      })
      if (!added.ok) throw new Error(added.error.message)
      return added.value.id
    }, PLANTED)
    const logs = await third.app.evaluate(({ app }) => app.getPath('logs'))
    const planted = [
      join(userData, 'planted.json'),
      join(userData, 'copies', 'planted.db'),
      join(userData, setAsideNames[0] ?? '', 'planted.db'),
      join(logs, 'countersign.old.log')
    ]
    for (const path of planted) await writeFile(path, PLANTED)
    expect((await searchFolder(userData, searched)).found.length).toBeGreaterThanOrEqual(3)
    expect(await entriesOf(userData, accountId)).toEqual(
      expect.arrayContaining(['account', 'audit-anchor', 'database-key', 'staff-pin'])
    )

    await third.button('Remove everything from this computer…').click()
    const sure = third.window.getByRole('dialog', { name: 'Remove everything from this computer?' })
    await sure.getByLabel('Lose 1 package that hasn’t been sent').check()
    await sure.getByLabel('I understand that this can’t be undone').check()
    await third.app.dialog.answerMessage('Quit')
    await sure.getByRole('button', { name: 'Remove everything', exact: true }).click()
    expect(ENDED).toContain(await third.app.ended)
    // This start removes everything, says so, and ends: it never has a window.
    const removing = await open({ userData, main: 'test/e2e/removing-main.mjs' }).then(() => '', String)
    if (third.app.flavour === 'host') expect(removing).toMatch(/ended \(0\)[\s\S]*was removed/)
    expect(removing).not.toBe('')
    const left = await readdir(userData).catch(() => [])
    expect(left.filter((name) => !CHROMIUM.test(name))).toEqual([])
    for (const folder of [userData, logs])
      expect(await searchFolder(folder, searched).catch(() => ({ found: [] }))).toMatchObject({ found: [] })
    expect(await entriesOf(userData, accountId)).toEqual([])
    const last = await open({ userData })
    await expect(last.button(/practice office/)).toBeVisible()
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
})
