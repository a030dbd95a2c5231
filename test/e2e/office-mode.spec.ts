/**
 * Two workstations of one office, each an application of its own: they join through the screens, share one Outbox, and
 * one leaves. Also the application as the administrator's command.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { openCluster } from '../fixtures/office-cluster.ts'
import { formsSentTo } from './bad-line.ts'
import { type Clerk, MERE, nameOf } from './clerk.ts'
import { countTouches, pressByKey } from './keyboard.ts'
import { expect, test } from './office.ts'
import { configureCounter, formsFor, send } from './sending.ts'
import { openSharedOffice, type SharedOffice } from './shared-office.ts'

/** Two applications that have joined one office. */
const inOffice = test.extend<{ two: { office: SharedOffice; front: Clerk; back: Clerk } }>({
  two: async ({ open }, use) => {
    const office = await openSharedOffice('empty')
    try {
      const [front, back] = await Promise.all([open(), open()])
      await office.seat(front, 'Front desk')
      await office.seat(back, 'Back room')
      await use({ office, front, back })
    } finally {
      await office.close()
    }
  }
})

inOffice(
  'a package sent at one workstation of an office appears in the other’s Outbox, and a pause applies to both',
  async ({ two: { office, front, back } }) => {
    await expect(back.window.getByRole('list', { name: 'Workstations' })).toContainText('Front desk')

    await back.goTo(/^Outbox/)
    await back.button('Pause for the whole office').click()
    await back.goTo('Directory')
    await expect(back.window.getByText('Nobody yet.')).toBeVisible()
    await front.composeForm({ name: 'Deed of gift', people: [MERE] })
    await front.send()
    await expect(back.window.getByRole('row', { name: nameOf(MERE) })).toBeVisible()
    await back.goTo(/^Outbox/)
    await front.goTo(/^Outbox/)
    await expect(front.window.getByText(/^Paused for the whole office since/)).toBeVisible()
    await expect(back.window.getByRole('row', { name: /Deed of gift/ })).toContainText('from Front desk')
    expect(formsSentTo(office.service)).toEqual([])
    await back.button('Resume').click()
    for (const { window } of [front, back])
      await expect(window.getByRole('row', { name: /Deed of gift/ })).toContainText('Sent')
    expect(formsSentTo(office.service)).toEqual(['Deed of gift'])

    await front.goTo('Settings')
    await front.button('Leave the office…').click()
    await front.window.getByRole('dialog').getByRole('button', { name: 'Leave the office' }).click()
    await expect(front.button('Join an office…')).toBeVisible()
    await front.goTo(/^Outbox/)
    await expect(front.window.getByRole('row', { name: /Deed of gift/ })).toContainText('Sent')
  }
)

inOffice(
  'a draft is edited at one workstation until another takes it over, and a person is called at one counter',
  {
    tag: '@full'
  },
  async ({ two: { office, front, back } }) => {
    await front.composeForm({ name: 'Deed of gift', people: [MERE], embedded: true })
    await back.goTo('Drafts')
    const row = back.window.getByRole('row', { name: /Deed of gift/ })
    await expect(row).toContainText('Being edited at Front desk')
    await row.dblclick()
    const [name, there] = [back, front].map(({ window }) => window.getByLabel('Name', { exact: true }))
    if (!name || !there) throw new Error('There are two.')
    await expect(back.window.getByText('Being edited at Front desk.')).toBeVisible()
    await expect(name).toBeDisabled()
    await expect(back.button(/^Send \d+ form/)).toBeHidden()
    // It follows the other's edits live.
    await there.fill('Deed of gift, second')
    await expect(name).toHaveValue('Deed of gift, second')
    await back.button('Take over').click()
    await expect(name).toBeEnabled()
    await expect(front.window.getByText('Being edited at Back room.')).toBeVisible()
    await expect(there).toBeDisabled()
    await name.fill('Deed of gift, third')
    await expect(there).toHaveValue('Deed of gift, third')
    await back.send()
    await expect.poll(() => formsSentTo(office.service)).toEqual(['Deed of gift, third'])

    await front.goTo(/^Counter/)
    const [called, elsewhere] = [front, back].map(({ window }) =>
      window.getByRole('button', { name: `Start: ${nameOf(MERE)}, Deed of gift, third` })
    )
    if (!called || !elsewhere) throw new Error('There are two.')
    await expect(called).toBeEnabled()
    await back.goTo(/^Counter/)
    await expect(elsewhere).toBeEnabled()
    await front.beginTurn(MERE, 'Deed of gift, third')
    await expect(back.window.getByText(/^At Front desk since \d\d:\d\d/)).toBeVisible()
    await expect(elsewhere).toBeDisabled()
  }
)

inOffice(
  'a supervisor follows all counters of an office on the board, with the keyboard alone',
  { tag: '@full' },
  async ({ two: { front, back } }) => {
    for (const [clerk, counterName] of [
      [front, 'Counter 1'],
      [back, 'Counter 2']
    ] as const)
      await configureCounter(clerk, { waitingRoom: { counterName, noShowAfter: 15, callSound: false, pictures: [] } })
    await send(front, formsFor(['Deed of gift'], [MERE]))

    const { window, button } = back
    const { keyboard } = window
    const touches = await countTouches(window)
    const heading = window.getByRole('heading', { name: 'Board', level: 1 })
    const searchField = window.getByRole('combobox', { name: 'Search or run a command' })
    await keyboard.press('Control+k')
    await keyboard.type('board of')
    await keyboard.press('Enter')
    await expect(heading).toBeFocused()
    await expect(window.getByRole('article', { name: 'Counter 2' })).toContainText('This workstation')
    const other = window.getByRole('article', { name: 'Counter 1, Front desk' })
    await expect(other).toContainText('Free')
    await front.goTo(/^Counter/)
    await front.beginTurn(MERE, 'Deed of gift')
    await expect(other).toContainText('Handing over')
    await front.takeScreen(MERE)
    await expect(other).toContainText(/Signing for 1\smin/)
    await expect(other).toContainText(nameOf(MERE))

    // What lies over the board is closed first.
    await keyboard.press('Control+k')
    await searchField.waitFor()
    await keyboard.press('Escape')
    await expect(searchField).toBeHidden()
    await expect(heading).toBeFocused()
    await keyboard.press('Escape')
    await expect(button('Board')).toBeFocused()
    await keyboard.press('Enter')
    await expect(heading).toBeFocused()
    await pressByKey(window, button('Back to Counter'))
    await expect(button('Board')).toBeFocused()
    expect(await touches('pointer')).toBe(0)
  }
)

test(
  'the administrator’s command creates an office, invites to it and inspects it, without a window',
  { tag: '@full' },
  async ({ isStill: _ }, testInfo) => {
    const cluster = await openCluster()
    const { host, port, user, password } = cluster.place
    const [userData, keyFile] = [testInfo.outputPath('user-data'), testInfo.outputPath('office.key')]
    const root = resolve(import.meta.dirname, '../..')
    const main = ['--import', join(root, 'test/host/register.ts'), join(root, 'out/main/index.js')]
    const ordered = (PGPASSWORD: string, ...args: string[]) =>
      new Promise<{ code: number | null; out: string; err: string }>((done) => {
        const child = spawn(process.execPath, [...main, `--user-data-dir=${userData}`, '--office-admin', ...args], {
          env: { ...process.env, PGPASSWORD }
        })
        const output = { out: '', err: '' }
        child.stdout.on('data', (chunk) => (output.out += chunk))
        child.stderr.on('data', (chunk) => (output.err += chunk))
        child.on('close', (code) => done({ code, ...output }))
      })
    try {
      const place = ['--server', `${host}:${port}`, '--user', user, '--database', 'by_application']
      const made = await ordered(password, 'init', ...place, '--key-file', keyFile)
      expect(made).toMatchObject({ code: 0, err: '' })
      expect(made.out).toMatch(/^The office’s key was created\..*\nThe database is ready\. Steps applied: \d+\.\n$/)
      expect((await stat(keyFile)).mode & 0o777).toBe(0o600)
      const invited = await ordered(password, 'join-code', ...place, '--key-file', keyFile, '--name', 'Counter 1')
      expect(invited).toMatchObject({ code: 0, out: expect.stringMatching(/^[A-Z0-9-]{16,}\n$/), err: '' })
      const checked = await ordered(password, 'check', ...place)
      expect(checked).toMatchObject({ code: 0, err: '' })
      expect(checked.out).toContain('Workstations: 0 joined, 1 invited')
      const [refused, misused] = [await ordered('not-this-one', 'check', ...place), await ordered(password, 'check')]
      expect(refused).toMatchObject({ code: 1, out: '' })
      expect(misused).toMatchObject({ code: 2, out: '' })
      expect(misused.err).toContain('Usage: PGPASSWORD=… countersign --office-admin COMMAND')
      const all = [made, invited, checked, refused, misused].map(({ out, err }) => out + err).join('')
      for (const secret of [password, 'not-this-one', (await readFile(keyFile, 'utf8')).trim()])
        expect(all).not.toContain(secret)
      expect(existsSync(userData) ? readdirSync(userData) : []).toEqual([])
    } finally {
      await cluster.close()
    }
  }
)
