// What the application puts on the desktop, on the host: its notifications, its tray icon and its badge.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { startFixture } from './fixture/start.ts'

const root = resolve(import.meta.dirname, '../..')
const shell = (name: string) => pathToFileURL(resolve(root, 'src/main/shell', `${name}.ts`)).href
const pictures = resolve(root, 'resources/tray')
let app: Launched

beforeAll(async () => {
  app = await startFixture()
  await app.evaluate(
    async (_electron, { parts, pictures: picturesFolder }) => {
      const { fixture } = globalThis
      const notifications = await fixture.load<typeof import('../../src/main/shell/notifications.ts')>(parts[0] ?? '')
      const desktop = await fixture.load<typeof import('../../src/main/shell/desktop.ts')>(parts[1] ?? '')
      const foreground = await fixture.load<typeof import('../../src/main/shell/windows.ts')>(parts[2] ?? '')
      const note = (what: unknown) => void fixture.records.push(what)
      fixture.notifications = notifications.openNotifications({ platform: 'linux', log: console, clicked: note })
      fixture.tray = desktop.openTray({
        platform: 'linux',
        picturesFolder,
        open: (place?: string) => note(place ?? 'open'),
        quit: () => note('quit'),
        log: { warn: note }
      })
      const { window } = fixture
      fixture.badges = (['linux', 'win32'] as const).map((platform) =>
        desktop.openBadge({ platform, picturesFolder, window })
      )
      fixture.bringForward = () => foreground.bringForward(fixture.window)
      notifications.registerWithDesktop('win32')
    },
    { parts: ['notifications', 'desktop', 'windows'].map(shell), pictures }
  )
})

afterAll(() => app.close())

const records = () =>
  app.evaluate(() => globalThis.fixture.records.splice(0).map((each) => JSON.parse(JSON.stringify(each))))

function show(...bodies: string[]) {
  return app.evaluate((_electron, bodies) => {
    const { show } = globalThis.fixture.notifications as { show: (notice: object) => void }
    for (const body of bodies) {
      const leadsTo = { accountId: 'office', reference: body }
      show({ title: 'Signed', body, isSilent: true, leadsTo, changes: [] })
    }
  }, bodies)
}

it('a clicked notification leads to its document, once, however long ago it was shown', async () => {
  await show('Will', '<b>Deed</b>')
  expect(await app.notifications()).toMatchObject([{ body: 'Will' }, { body: '‹b›Deed‹/b›' }])
  await app.clickNotification(0)
  expect(await records()).toEqual([{ accountId: 'office', reference: 'Will' }])
})

it('notifications are removed from the screen before it is handed over', async () => {
  await show('Lease', 'Loan')
  await app.evaluate(() => (globalThis.fixture.notifications as { withdraw: () => void }).withdraw())
  await expect(app.clickNotification(-1)).rejects.toThrow('no longer shown')
  expect(await records()).toEqual([])
})

it('hundreds of notifications aren’t all kept in memory', async () => {
  await show(...Array.from({ length: 200 }, (_, index) => `Document ${index}`))
  await app.clickNotification(-1)
  expect(await records()).toEqual([{ accountId: 'office', reference: 'Document 199' }])
})

it('the tray shows the account’s state, and its menu leads there', async () => {
  expect(await app.tray()).toMatchObject({ toolTip: 'Countersign', hasImage: true })
  await app.evaluate(() =>
    (globalThis.fixture.tray as { show: (badgeCounts: object) => void }).show({ unread: 3, waiting: 1 })
  )
  const tray = await app.tray()
  expect(tray?.toolTip).toBe('Countersign: 3 unread, 1 waiting at the counter')
  expect(tray?.hasImage).toBe(true)
  expect(tray?.items.map(({ label }) => label).filter(Boolean)).toEqual([
    'Open Countersign',
    'Documents (3 unread)',
    'Counter (1 waits)',
    'Quit Countersign'
  ])
  await app.clickTray()
  for (const label of ['Open Countersign', 'Documents (3 unread)', 'Counter (1 waits)', 'Quit Countersign']) {
    await app.clickTrayMenu([label])
  }
  expect(await records()).toEqual(['open', 'open', 'documents', 'counter', 'quit'])
})

it('without pictures, or without any tray, nothing breaks', async () => {
  const warnings = await app.evaluate(
    async ({ Tray }, { part }) => {
      const { openTray } = await globalThis.fixture.load<typeof import('../../src/main/shell/desktop.ts')>(part)
      const log: unknown[] = []
      const failing = { log: { warn: (message: string) => void log.push(message) }, open: () => {}, quit: () => {} }
      const without = openTray({ platform: 'linux', picturesFolder: '/nowhere', ...failing })
      without.show({ unread: 1, waiting: 0 })
      without.remove()
      const { setToolTip } = Tray.prototype
      Tray.prototype.setToolTip = () => {
        throw new Error('no tray')
      }
      try {
        openTray({ platform: 'linux', picturesFolder: '/nowhere', ...failing }).show({ unread: 1, waiting: 0 })
      } finally {
        Tray.prototype.setToolTip = setToolTip
      }
      return log
    },
    { part: shell('desktop') }
  )
  expect(warnings).toEqual(['There is no icon in the tray.'])
})

it('the badge counts unread documents, with a number or an overlay with a description', async () => {
  const count = (unread: number) =>
    app.evaluate((_electron, unread) => {
      for (const show of globalThis.fixture.badges as ((unread: number) => void)[]) show(unread)
    }, unread)
  await count(4)
  expect(await app.badge()).toEqual({ count: 4, overlay: '4 unread documents' })
  await count(0)
  expect(await app.badge()).toEqual({ count: 0, overlay: null })
})

it('every picture exists for every system', async () => {
  const sizes = await app.evaluate(
    ({ nativeImage }, { pictures, names }) =>
      names.map((name) => nativeImage.createFromPath(`${pictures}/${name}.png`).getSize().width),
    { pictures, names: ['tray', 'tray@2x', 'tray-unread', 'trayTemplate', 'trayTemplate@2x', 'unread', 'unread@2x'] }
  )
  expect(sizes).toEqual([16, 32, 16, 18, 36, 16, 32])
})

it('a minimised window is brought forward', async () => {
  await app.evaluate(() => globalThis.fixture.window.minimize())
  await app.evaluate(() => (globalThis.fixture.bringForward as () => boolean)())
  expect((await app.windows())[0]).toMatchObject({ minimized: false, visible: true, focused: true })
})
