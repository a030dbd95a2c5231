/** Help for those who support an office: a report that is read before it is saved, and a status line for monitors. */
import { spawn } from 'node:child_process'
import { appendFile, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { unzipSync } from 'fflate'
import { MERE } from './clerk.ts'
import { expect, test } from './office.ts'
import { formsFor, send } from './sending.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Starts the application only for its status line, while another one runs or after that. */
function status(userData: string): Promise<{ code: number | null; output: string }> {
  return new Promise((done) => {
    const main = ['--import', join(ROOT, 'test/host/register.ts'), join(ROOT, 'out/main/index.js')]
    const child = spawn(process.execPath, [...main, `--user-data-dir=${userData}`, '--status'])
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => done({ code, output }))
  })
}

test('a support report is reviewed and saved as shown: without names, with both log files', async ({
  clerk
}, testInfo) => {
  const { app, window, button, goTo } = clerk
  await send(clerk, formsFor(['Deed of gift'], [MERE]))
  const logs = await app.evaluate(({ app }) => app.getPath('logs'))
  const line = '2026-11-20T09:00:00.000Z [warn]  An older version wrote to mere.tamati@example.com.\n'
  await appendFile(join(logs, 'countersign.old.log'), line)
  await goTo('Settings')
  await button('Save a report…').click()
  const dialog = window.getByRole('dialog', { name: 'Report for support' })
  const shown: Record<string, string> = {}
  for (const name of ['summary.txt', 'this computer.txt', 'log.txt', 'requests.csv']) {
    const text = dialog.getByRole('region', { name, exact: true })
    // The first is open already.
    if (name !== 'summary.txt') await dialog.getByText(name, { exact: true }).click()
    shown[name] = (await text.textContent()) ?? ''
  }
  expect(shown['summary.txt']).toMatch(
    /^Countersign \d+\.\d+\.\d+\n[\s\S]*\nKeychain: available\nDatabase: encrypted\n/
  )
  expect(shown['this computer.txt']).toContain('service')
  expect(shown['log.txt']).toContain('An older version wrote to')
  expect(shown['log.txt']).toContain('Countersign started.')
  expect(shown['requests.csv']).toContain('SendForms2')
  await app.dialog.answerSave(testInfo.outputPath('report.zip'))
  await dialog.getByRole('button', { name: 'Save…' }).click()
  await expect(window.getByText('Saved as “report.zip”.')).toBeVisible()

  const saved = unzipSync(await readFile(testInfo.outputPath('report.zip')))
  const texts = Object.fromEntries(Object.entries(saved).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]))
  expect(texts).toEqual(shown)
  for (const personal of [
    'Mere',
    'Tamati',
    'mere.tamati',
    'Deed of gift',
    'Practice office',
    '127.0.0.1',
    app.userData
  ])
    expect(Object.values(texts).join('\n')).not.toContain(personal)
})

test(
  'a monitor reads the status in one line while Countersign runs, after it has ended, and after it was killed',
  { tag: '@full' },
  async ({ open }, testInfo) => {
    const userData = testInfo.outputPath('user-data')
    expect(await status(userData)).toMatchObject({ code: 3, output: expect.stringContaining('"never-started"') })
    const clerk = await open({ userData })
    await clerk.choosePracticeOffice()
    const { app } = clerk
    const running = async () => JSON.parse((await status(userData)).output)
    await expect.poll(async () => (await running()).accounts?.[0]?.state).toBe('online')
    const line = await status(userData)
    expect(line.output.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(line.output)).toMatchObject({
      health: 'ok',
      problems: [],
      running: true,
      keychain: 'available',
      database: 'encrypted',
      sends: { waiting: 0, uncertain: 0 },
      lastBackup: null
    })
    expect(line.code).toBe(0)
    expect(line.output).not.toMatch(/Practice office|127\.0\.0\.1|token/)
    expect((await app.windows()).length).toBe(1)
    for (const file of ['status.json', 'countersign.db', 'documents.db'])
      if (process.platform !== 'win32') expect((await stat(join(userData, file))).mode & 0o777, file).toBe(0o600)

    await app.kill()
    expect(await status(userData)).toMatchObject({ code: 1, output: expect.stringContaining('"ended-unexpectedly"') })
    const restarted = await open({ userData })
    await expect.poll(async () => (await running()).running).toBe(true)
    await restarted.app.quit()
    expect(await status(userData)).toMatchObject({ code: 0, output: expect.stringContaining('"running":false') })
    await rm(userData, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    await mkdir(userData)
  }
)
