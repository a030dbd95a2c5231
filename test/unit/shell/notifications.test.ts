// Desktop notifications on Windows and macOS, which test/host doesn't cover: how they are named, and how refused ones
// are logged.
import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { openNotifications, registerWithDesktop } from '../../../src/main/shell/notifications.ts'

const { named, shown } = vi.hoisted(() => ({
  named: [] as string[],
  shown: [] as { emit(name: string, ...args: unknown[]): void }[]
}))
vi.mock('electron', () => ({
  app: {
    setAppUserModelId: (id: string) => void named.push(id),
    setToastActivatorCLSID: (id: string) => void named.push(id)
  },
  Notification: class extends EventEmitter {
    static isSupported = () => true
    show = () => void shown.push(this)
    close = () => {}
  }
}))

test('a notification that the desktop refuses is logged, without its text', () => {
  const lines: unknown[][] = []
  const notices = openNotifications({
    platform: 'darwin',
    log: { warn: (...line) => void lines.push(line) },
    clicked() {}
  })
  notices.show({
    title: 'Deed of gift',
    body: 'Mere Tamati has signed',
    isSilent: false,
    leadsTo: { accountId: '1' } as never,
    changes: []
  })
  shown[0]?.emit('failed', {}, 'not allowed: Mere Tamati has signed')
  expect(lines).toEqual([['The desktop refused a notice.']])
})

test('Windows gets the application’s names, the same in each run; other systems don’t', () => {
  registerWithDesktop('linux')
  expect(named).toEqual([])
  registerWithDesktop('win32')
  expect(named).toEqual(['app.countersign.desktop', expect.stringMatching(/^\{[0-9A-F-]{36}\}$/)])
})
