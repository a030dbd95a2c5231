// What pages may do: the application's handlers are asked, and Chromium itself enforces what they say.

import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Launched } from '../e2e/launch.ts'
import { eventually, openSite, type Site, startFixture } from './fixture/start.ts'

let app: Launched
let site: Site

beforeAll(async () => {
  site = await openSite()
  app = await startFixture()
})

afterAll(async () => {
  await app.close()
  await site.close()
})

type Policy = 'no handlers' | 'deny' | 'grant'

/** Opens a view whose session has these handlers, and records what they are asked. */
async function openGuarded(policy: Policy): Promise<Page> {
  const url = `${site.origin}/${policy.replace(' ', '-')}-${Math.random()}`
  await app.evaluate(
    async ({ session }, { url, policy }) => {
      const { fixture } = globalThis
      fixture.records.length = 0
      const own = session.fromPartition(`guarded-${Math.random()}`)
      if (policy !== 'no handlers') {
        own.setPermissionRequestHandler((contents, permission, answer, details) => {
          fixture.records.push({ kind: 'request', permission, url: contents.getURL(), details })
          answer(policy === 'grant')
        })
        own.setPermissionCheckHandler((_contents, permission, origin) => {
          fixture.records.push({ kind: 'check', permission, origin })
          return policy === 'grant'
        })
      }
      const view = fixture.view({ webPreferences: { session: own } })
      await view.webContents.loadURL(url)
    },
    { url, policy }
  )
  return app.waitForView(new RegExp(url.replace(/[.?]/g, '\\$&')))
}

const recorded = (kind: 'request' | 'check') =>
  app.evaluate(
    (_electron, kind) =>
      (globalThis.fixture.records as { kind: string; permission: string }[])
        .filter((each) => each.kind === kind)
        .map((each) => each.permission),
    kind
  )

const attempts: Record<string, { permission: string; attempt: string }> = {
  camera: { permission: 'media', attempt: `navigator.mediaDevices.getUserMedia({ video: true })` },
  microphone: { permission: 'media', attempt: `navigator.mediaDevices.getUserMedia({ audio: true })` },
  midi: { permission: 'midi', attempt: `navigator.requestMIDIAccess()` },
  'the clipboard, to read': { permission: 'clipboard-read', attempt: `navigator.clipboard.readText()` },
  notifications: {
    permission: 'notifications',
    attempt: `Notification.requestPermission().then((state) => state === 'granted' || Promise.reject(state))`
  },
  'idle detection': {
    permission: 'idle-detection',
    attempt: `IdleDetector.requestPermission().then((state) => state === 'granted' || Promise.reject(state))`
  },
  'the screens': { permission: 'window-management', attempt: `getScreenDetails()` },
  'local fonts': {
    permission: 'local-fonts',
    attempt: `queryLocalFonts().then((list) => list.length > 0 || Promise.reject('denied'))`
  }
}

async function outcome(page: Page, script: string): Promise<'allowed' | 'refused'> {
  // Some of these require a person's click just before.
  await page.mouse.click(5, 5)
  return page.evaluate(async (script) => {
    try {
      await new Function(`return ${script}`)()
    } catch (error) {
      // Any other error, such as for something that the machine lacks, isn't a refusal.
      const refusals = ['NotAllowedError', 'SecurityError', 'NotFoundError']
      if (error === 'denied' || refusals.includes((error as Error).name)) return 'refused'
    }
    return 'allowed'
  }, script)
}

describe('a page that asks for', () => {
  for (const [what, { permission, attempt }] of Object.entries(attempts)) {
    // The others are asked for in the same way.
    const tags = what === 'camera' ? [] : ['full']
    it(`${what} is refused when the application’s handler says no`, { tags }, async () => {
      const page = await openGuarded('deny')
      expect(await outcome(page, attempt)).toBe('refused')
      expect(await recorded('request')).toContain(permission)
    })

    it(`${what} gets it when the application’s handler says yes`, { tags }, async () => {
      const page = await openGuarded('grant')
      expect(await outcome(page, attempt)).toBe('allowed')
      expect(await recorded('request')).toContain(permission)
    })

    it(`${what} is refused by the browser itself, even if it bypasses the handler`, { tags }, async () => {
      const page = await openGuarded('deny')
      await page.evaluate(() => {
        // A fresh frame has untouched methods for anyone who gets at it before the host; here it is asked as late as can be.
        const frame = document.createElement('iframe')
        document.body.append(frame)
        for (const [name, owner] of [
          ['mediaDevices', navigator],
          ['clipboard', navigator]
        ] as const) {
          const fresh = (frame.contentWindow as unknown as typeof globalThis).navigator[name]
          Object.setPrototypeOf(owner[name], Object.getPrototypeOf(fresh))
        }
      })
      expect(await outcome(page, attempt)).toBe('refused')
    })
  }

  it('the camera is distinguished from one that asks for the microphone', async () => {
    const page = await openGuarded('grant')
    await outcome(page, `navigator.mediaDevices.getUserMedia({ audio: true })`)
    const details = await app.evaluate(() =>
      globalThis.fixture.records.find((each) => (each as { kind: string }).kind === 'request')
    )
    expect(details).toMatchObject({
      permission: 'media',
      details: { mediaTypes: ['audio'], isMainFrame: true, securityOrigin: site.origin }
    })
  })

  it('its location is refused or given, as the handler says', async () => {
    const where = `new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, (e) => e.code === 1 ? fail('denied') : done(e)))`
    expect(await outcome(await openGuarded('deny'), where)).toBe('refused')
    expect(await recorded('request')).toEqual(['geolocation'])
  })

  it('full screen is reverted when the handler says no', async () => {
    const page = await openGuarded('deny')
    await page.mouse.click(5, 5)
    await page.evaluate(() => document.documentElement.requestFullscreen().catch(() => {}))
    expect(await recorded('request')).toContain('fullscreen')
    await eventually(() => page.evaluate(() => document.fullscreenElement === null))
  })
})

describe('a page that queries a permission', () => {
  const state = (page: Page, name: string) =>
    page.evaluate(async (name) => (await navigator.permissions.query({ name: name as 'camera' })).state, name)

  it('gets the check handler’s answer', async () => {
    const denied = await openGuarded('deny')
    expect(await state(denied, 'geolocation')).toBe('denied')
    expect(await recorded('check')).toEqual(['geolocation'])
    const granted = await openGuarded('grant')
    expect(await state(granted, 'geolocation')).toBe('granted')
    expect(await state(granted, 'camera')).toBe('granted')
  })

  it('sees device names once it has permission, and the session’s next page doesn’t', async () => {
    const labels = (page: Page) =>
      page.evaluate(async () => (await navigator.mediaDevices.enumerateDevices()).some(({ label }) => label !== ''))
    const url = `${site.origin}/devices`
    const open = async () => {
      await app.evaluate(async ({ session }, url) => {
        const { fixture } = globalThis
        let isGranted = false
        const own = session.fromPartition('devices')
        own.setPermissionRequestHandler((_contents, _permission, answer) => {
          isGranted = true
          answer(true)
        })
        own.setPermissionCheckHandler(() => isGranted)
        fixture.devices = fixture.view({ webPreferences: { session: own } })
        await (fixture.devices as Electron.WebContentsView).webContents.loadURL(url)
      }, url)
      return app.waitForView(/devices$/)
    }
    const first = await open()
    expect(await labels(first)).toBe(false)
    await first.evaluate(() => navigator.mediaDevices.getUserMedia({ video: true }))
    expect(await labels(first)).toBe(true)
    await app.evaluate(() => {
      const { fixture } = globalThis
      const view = fixture.devices as Electron.WebContentsView
      fixture.window.contentView.removeChildView(view)
      view.webContents.close()
    })
    expect(await labels(await open())).toBe(false)
  })

  it('sees everything as granted if there is no handler, as in Electron', async () => {
    const page = await openGuarded('no handlers')
    expect(await state(page, 'notifications')).toBe('granted')
    expect(await page.evaluate(() => Notification.permission)).toBe('granted')
  })

  it('finds none of the host’s internals', async () => {
    const page = await openGuarded('deny')
    expect(
      await page.evaluate(() => Object.getOwnPropertyNames(window).filter((name) => /host|electron/i.test(name)))
    ).toEqual([])
  })
})

describe('a device', () => {
  it.each([
    ['usb', `navigator.usb.requestDevice({ filters: [] })`],
    ['serial', `navigator.serial.requestPort()`],
    ['hid', `navigator.hid.requestDevice({ filters: [] }).then((list) => list.length > 0 || Promise.reject('denied'))`]
  ])('is never given to a page (%s)', async (_what, attempt) => {
    const page = await openGuarded('deny')
    expect(await outcome(page, attempt)).toBe('refused')
  })

  it('for screen capture is never given to a page', async () => {
    const page = await openGuarded('deny')
    expect(await outcome(page, `navigator.mediaDevices.getDisplayMedia({ video: true })`)).toBe('refused')
    expect(await recorded('request')).toContain('display-capture')
  })
})
