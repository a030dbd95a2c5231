// What is new after an update is offered once, whatever this workstation had stored before.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openSettings } from '../../../src/main/core/storage/settings.ts'
import { systemHandlers } from '../../../src/main/ipc/system.ts'
import { temporaryFolder } from '../storage/folders.ts'

// Outside Electron the package `electron` exports the path of its binary, and would download the binary to find it.
vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', '/not/needed')
const { default: Store } = await import('electron-store')

const caller = {} as never

async function start(folder: string, version: string) {
  const open = () => new Store({ name: 'settings', cwd: folder })
  const { settings } = await openSettings({ open, path: join(folder, 'settings.json'), clock: () => 0 })
  const nothing = () => {}
  const handlers = systemHandlers({
    settings,
    version,
    systemCountry: () => '',
    applySettings: nothing,
    changed: nothing,
    keepPlace: nothing,
    status: () => ({}) as never,
    showData: nothing,
    copy: async () => {},
    copyBriefly: async () => 0,
    proxies: { waiting: () => undefined, signIn: async () => undefined },
    retryThroughProxy: () => undefined,
    loginStart: undefined,
    readyToClose: nothing
  })
  return {
    news: async () => (await handlers['settings.get'](undefined, caller)).news,
    set: (change: object) => handlers['settings.set'](change, caller)
  }
}

describe('what is new', () => {
  test('is nothing after a first installation, nor the next day', async () => {
    const folder = temporaryFolder()
    expect(await (await start(folder, '0.1.0')).news()).toBeUndefined()
    expect(existsSync(join(folder, 'settings.json'))).toBe(true)
    expect(await (await start(folder, '0.1.0')).news()).toBeUndefined()
  })

  test('is offered after an update until dismissed, and not again', async () => {
    const folder = temporaryFolder()
    await start(folder, '0.1.0')
    expect(await (await start(folder, '0.2.0')).news()).toBe('0.2.0')
    const updated = await start(folder, '0.2.0')
    await updated.set({ theme: 'dark' })
    expect(await updated.news()).toBe('0.2.0')
    expect(await updated.set({ news: null })).not.toHaveProperty('news')
    expect(await (await start(folder, '0.2.0')).news()).toBeUndefined()
    expect(await (await start(folder, '0.3.0')).news()).toBe('0.3.0')
  })

  test('is nothing if the stored value is invalid', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'settings.json'), '{"theme":"dark","newsSeen":7}')
    expect(await (await start(folder, '0.2.0')).news()).toBeUndefined()
  })
})
