// An administrator's policy file: its settings apply at the start and are marked, a broken file is reported, and it can
// be checked.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'playwright/test'
import { launch } from './launch.ts'

let folder: string
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'))
})
test.afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Puts the file in place as an administrator does: in one step. */
function put(text: string): string {
  const path = join(folder, 'policy.json')
  writeFileSync(`${path}.new`, text, { mode: 0o644 })
  renameSync(`${path}.new`, path)
  return path
}

test('a policy’s settings are applied and marked, and stay in effect if the file is broken later', async () => {
  const account = { name: 'Harbour Law', address: 'https://signing.invalid/web', signIn: 'bearer' }
  const path = put(
    JSON.stringify({ accounts: [account], otherAccounts: false, practiceOffice: false, counter: { files: false } })
  )
  const app = await launch({ args: [`--policy-file=${path}`] })
  try {
    const page = app.window
    await expect(page.getByText('Harbour Law').first()).toBeVisible()
    await page.evaluate(() => {
      location.hash = '#/settings'
    })
    const row = page.getByRole('listitem').filter({ hasText: 'Harbour Law' })
    await expect(row.getByText('Set by your organisation')).toBeVisible()
    await expect(row.getByRole('button', { name: 'Remove' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Connect an account' })).toBeDisabled()
    await expect(page.getByRole('checkbox', { name: 'Let signers give files' })).toBeDisabled()
    const refused = await page.evaluate(() => globalThis.window.countersign.counter.configure({ mayGiveFiles: true }))
    expect(refused).toMatchObject({ ok: false, error: { code: 'not-allowed' } })

    put('{\n  "practiceOfice": true\n}')
    await expect(page.getByText('Line 2, column 3')).toBeVisible()
    await expect(page.getByText('Your organisation’s policy can’t be used.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Connect an account' })).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Add practice office' })).toBeHidden()
  } finally {
    await app.close()
  }
})

test('checking a policy file reports the findings, opens no window and stores nothing', { tag: '@full' }, async () => {
  const root = resolve(import.meta.dirname, '../..')
  const userData = join(folder, 'user-data')
  const check = (path: string) =>
    new Promise<{ code: number | null; output: string }>((done) => {
      const register = ['--import', join(root, 'test/host/register.ts'), join(root, 'out/main/index.js')]
      const child = spawn(process.execPath, [...register, `--user-data-dir=${userData}`, '--check-policy', path])
      let output = ''
      child.stdout.on('data', (chunk) => (output += chunk))
      child.stderr.on('data', (chunk) => (output += chunk))
      child.on('close', (code) => done({ code, output }))
    })
  const broken = await check(put('{\n  "quietHours": true\n}'))
  expect(broken).toEqual({ code: 1, output: 'Line 2, column 17: “quietHours” must be a group in curly brackets.\n' })
  const good = await check(join(root, 'resources/policy/example.json'))
  expect(good).toMatchObject({ code: 0, output: expect.stringContaining('  practiceOffice: false\n') })
  expect(existsSync(userData) ? readdirSync(userData) : []).toEqual([])
})
