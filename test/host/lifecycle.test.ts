// Start and quit: in Electron's order, one application per folder, and nothing left behind however it ends.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, startFixture } from './fixture/start.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-host-test-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the processes whose command line contains `part`; Linux only. */
function processesNaming(part: string): string[] {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(part)
    } catch {
      return false
    }
  })
}

describe('an application that quits', () => {
  it('emits Electron’s events in order and exits with 0', async () => {
    const app = await startFixture()
    await app.evaluate(({ app }) => {
      for (const name of ['before-quit', 'will-quit', 'quit', 'window-all-closed']) {
        app.on(name as 'quit', () => console.log(`said ${name}`))
      }
      globalThis.fixture.window.on('close', () => console.log('said close'))
      globalThis.fixture.window.on('closed', () => console.log('said closed'))
    })
    expect(await app.quit()).toBe(0)
    expect(app.logs().match(/said \S+/g)).toEqual([
      'said before-quit',
      'said close',
      'said closed',
      'said will-quit',
      'said quit'
    ])
    await app.close()
  })

  it('keeps running if a window prevents it, and quits when its last window is closed', async () => {
    const app = await startFixture()
    await app.evaluate(({ app }) => {
      globalThis.fixture.window.once('close', (event) => event.preventDefault())
      app.quit()
    })
    expect(await app.windows()).toHaveLength(1)
    await app.closeWindow()
    expect(await app.ended).toBe(0)
    await app.close()
  })

  it('keeps running without windows while a listener asks for that', async () => {
    const app = await startFixture()
    await app.evaluate(({ app }) => void app.on('window-all-closed', () => {}))
    await app.closeWindow()
    await eventually(async () => (await app.windows()).length === 0)
    expect(await app.quit()).toBe(0)
    await app.close()
  })
})

describe('a data folder', () => {
  it('has one application: a second one passes on its arguments and exits', async () => {
    const first = await startFixture({ userData: folder })
    const second = spawn(
      process.execPath,
      ['--import', './test/host/register.ts', 'test/host/fixture/main.mjs', `--user-data-dir=${folder}`],
      { cwd: resolve(import.meta.dirname, '../..'), stdio: 'ignore' }
    )
    const code = await new Promise((resolve) => second.once('exit', resolve))
    expect(code).toBe(0)
    const met = await eventually(() => first.evaluate(() => globalThis.fixture.records))
    expect(met).toEqual([{ second: { hello: 'there' }, argv: true }])
    await first.close()
  })

  it('can be opened again after its application was killed', async () => {
    const first = await startFixture({ userData: folder })
    await first.kill()
    await first.close()
    const second = await startFixture({ userData: folder })
    expect(await second.evaluate(({ app }) => app.hasSingleInstanceLock())).toBe(true)
    expect(await second.evaluate(({ app }) => app.getPath('userData'))).toBe(folder)
    await second.close()
  })
})

describe('nothing is left behind', () => {
  it.each(['quits', 'is killed'])('by an application that %s', async (how) => {
    const app = await startFixture({ env: { HOST_BORROWS: '0' } })
    const temporary = await app.evaluate(({ app }) => app.getPath('temp'))
    expect(processesNaming(temporary).length).toBeGreaterThan(process.platform === 'linux' ? 2 : 0)
    await (how === 'quits' ? app.quit() : app.kill())
    await app.close()
    await eventually(() => processesNaming(temporary).length === 0)
    expect(existsSync(temporary)).toBe(false)
  })

  it('by a killed test process', async () => {
    const script = `
      import { startFixture } from './test/host/fixture/start.ts'
      const app = await startFixture()
      console.log(await app.evaluate(({ app }) => app.getPath('temp')))
      setInterval(() => {}, 1000)`
    const driver = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      cwd: resolve(import.meta.dirname, '../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder }
    })
    const temporary = await new Promise<string>((done) =>
      driver.stdout.once('data', (chunk) => done(String(chunk).trim()))
    )
    expect(temporary.startsWith(folder)).toBe(true)
    // The Chromium that it lends runs outside `temporary`.
    expect(processesNaming(folder).length).toBeGreaterThan(processesNaming(temporary).length)
    driver.kill('SIGKILL')
    await eventually(() => processesNaming(folder).length === 0)
    await pause(0)
  })
})
