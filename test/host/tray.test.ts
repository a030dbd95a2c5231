// The host's tray and badge: a test reads, and clicks, what an application puts there.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { startFixture } from './fixture/start.ts'

const PICTURE = join(import.meta.dirname, '../../resources/icon.png')
let app: Launched

beforeAll(async () => {
  app = await startFixture()
})

afterAll(() => app.close())

it('shows an icon with its tooltip, and its menu can be clicked', async () => {
  expect(await app.tray()).toBeNull()
  await expect(app.clickTray()).rejects.toThrow('no icon in the tray')
  await app.evaluate(({ Tray, Menu, nativeImage }, picture) => {
    const { fixture } = globalThis
    fixture.records.length = 0
    const tray = new Tray(nativeImage.createFromPath(picture))
    fixture.tray = tray
    tray.setToolTip('Two are waiting')
    const click = () => void fixture.records.push('counter')
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: 'Counter', click },
        { label: 'Off', enabled: false }
      ])
    )
    tray.on('click', () => fixture.records.push('clicked'))
  }, PICTURE)
  expect(await app.tray()).toMatchObject({
    toolTip: 'Two are waiting',
    hasImage: true,
    items: [{ label: 'Counter' }, { label: 'Off', enabled: false }]
  })
  await app.clickTray()
  await app.clickTrayMenu(['Counter'])
  await expect(app.clickTrayMenu(['Off'])).rejects.toThrow("can't be clicked")
  expect(await app.evaluate(() => globalThis.fixture.records)).toEqual(['clicked', 'counter'])
})

it('can be destroyed, and refuses calls after that', async () => {
  const error = await app.evaluate(() => {
    const tray = globalThis.fixture.tray as import('electron').Tray
    tray.destroy()
    try {
      tray.setToolTip('x')
      return ''
    } catch (error) {
      return String(error)
    }
  })
  expect(error).toContain('destroyed')
  expect(await app.tray()).toBeNull()
})

it('reads pictures as Electron does: an invalid one is empty, and a missing file makes no icon', async () => {
  const read = await app.evaluate(({ nativeImage, Tray }, picture) => {
    const images = [nativeImage.createFromPath(picture), nativeImage.createFromPath('/nowhere.png')]
    images.push(nativeImage.createFromBuffer(Buffer.from('no picture')))
    let failure = ''
    try {
      new Tray('/nowhere.png')
    } catch (error) {
      failure = String(error)
    }
    return {
      sizes: images.map((image) => image.getSize().width),
      empty: images.map((image) => image.isEmpty()),
      failure
    }
  }, PICTURE)
  expect(read.sizes[0]).toBeGreaterThan(15)
  expect(read.empty).toEqual([false, true, true])
  expect(read.failure).toContain('Failed to load image')
})

it('has a badge with a number, and an overlay icon with a description', async () => {
  expect(await app.badge()).toEqual({ count: 0, overlay: null })
  await app.evaluate(({ app, nativeImage }, picture) => {
    app.setBadgeCount(3)
    globalThis.fixture.window.setOverlayIcon(nativeImage.createFromPath(picture), '3 unread')
  }, PICTURE)
  expect(await app.badge()).toEqual({ count: 3, overlay: '3 unread' })
  await app.evaluate(({ app }) => {
    app.setBadgeCount(0)
    globalThis.fixture.window.setOverlayIcon(null, '')
  })
  expect(await app.badge()).toEqual({ count: 0, overlay: null })
})
