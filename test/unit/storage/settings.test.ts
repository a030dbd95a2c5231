import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { openSettings } from '../../../src/main/core/storage/settings.ts'
import { temporaryFolder } from './folders.ts'

// Outside Electron the package `electron` exports the path of its binary, and would download the binary to find it.
vi.stubEnv('ELECTRON_OVERRIDE_DIST_PATH', '/not/needed')
const { default: Store } = await import('electron-store')

const DEFAULTS = { theme: 'system', zoom: 1 }
const NOW = Date.UTC(2026, 10, 21, 9, 30)

function workstation(folder = temporaryFolder()) {
  const path = join(folder, 'settings.json')
  return {
    folder,
    path,
    open: () => openSettings({ open: () => new Store({ name: 'settings', cwd: folder }), path, clock: () => NOW })
  }
}

describe('settings', () => {
  test('begin with the defaults, and create no file until one is changed', async () => {
    const place = workstation()
    const { settings, trouble } = await place.open()
    expect(settings.read()).toEqual(DEFAULTS)
    expect(trouble).toBeUndefined()
    expect(existsSync(place.path)).toBe(false)
  })

  test('are the same in the next run', async () => {
    const place = workstation()
    const { settings } = await place.open()
    const windowBounds = { x: -1200, y: 20, width: 1280, height: 800, maximised: true }
    expect(settings.change({ theme: 'dark', zoom: 1.25, windowBounds, downloadFolder: '/srv/letters' })).toEqual({
      saved: true
    })
    const reopened = await place.open()
    const stored = { theme: 'dark', zoom: 1.25, windowBounds, downloadFolder: '/srv/letters' }
    expect(reopened.settings.read()).toEqual(stored)
    reopened.settings.change({ downloadFolder: undefined })
    expect((await place.open()).settings.read()).toEqual({ theme: 'dark', zoom: 1.25, windowBounds })
  })

  test('keep what a later version wrote to the file', async () => {
    const place = workstation()
    writeFileSync(place.path, '{"theme":"dark","fromTheFuture":{"a":1}}')
    const { settings, trouble } = await place.open()
    expect(trouble).toBeUndefined()
    settings.change({ zoom: 2 })
    expect(JSON.parse(readFileSync(place.path, 'utf8'))).toEqual({ theme: 'dark', zoom: 2, fromTheFuture: { a: 1 } })
  })

  test('refuse an invalid value, and stay as they were', async () => {
    const { settings } = await workstation().open()
    expect(() => settings.change({ zoom: 40 })).toThrow()
    expect(settings.read()).toEqual(DEFAULTS)
  })
})

describe('a settings file', () => {
  test.each(['{"theme":"da', 'not JSON', '\u0000\u0000\u0000'])(
    'that is damaged (%j) is set aside and reported, and the defaults can be used and changed',
    async (content) => {
      const place = workstation()
      writeFileSync(place.path, content)
      const { settings, trouble } = await place.open()
      expect(trouble).toEqual({ code: 'set-aside', name: 'set-aside-2026-11-21T09-30-00Z' })
      expect(readFileSync(join(place.folder, 'set-aside-2026-11-21T09-30-00Z', 'settings.json'), 'utf8')).toBe(content)
      expect(settings.read()).toEqual(DEFAULTS)
      expect(settings.change({ theme: 'light' })).toEqual({ saved: true })
      expect((await place.open()).settings.read()).toEqual({ theme: 'light', zoom: 1 })
    }
  )

  test('with single invalid values keeps the others, and names the invalid ones', async () => {
    const place = workstation()
    writeFileSync(place.path, '{"theme":"pink","zoom":1.5,"windowBounds":{"x":"left"},"downloadFolder":7}')
    const { settings, trouble } = await place.open()
    expect(settings.read()).toEqual({ theme: 'system', zoom: 1.5 })
    expect(trouble).toEqual({ code: 'invalid-members', members: ['theme', 'windowBounds', 'downloadFolder'] })
  })

  test('in an unusable folder: settings hold for this run, and this is reported', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const { settings, trouble } = await workstation(join(folder, 'file')).open()
    expect(trouble).toEqual({ code: 'in-memory', reason: 'not-writable' })
    expect(settings.change({ theme: 'dark' })).toEqual({ saved: false, reason: 'not-writable' })
    expect(settings.read().theme).toBe('dark')
  })

  test('that is no longer writable: the change holds for this run, and this is reported', async () => {
    const file = {
      get store() {
        return {}
      },
      set store(_) {
        throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' })
      }
    }
    const { settings } = await openSettings({ open: () => file, path: '/nowhere', clock: () => NOW })
    expect(settings.change({ zoom: 2 })).toEqual({ saved: false, reason: 'no-space' })
    expect(settings.read().zoom).toBe(2)
  })
})
