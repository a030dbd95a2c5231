import { fireEvent, screen, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, describe, expect, test, vi } from 'vitest'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import { waitReasonInWords } from '../../src/renderer/src/screens/downloads/download-words.ts'
import type { ErrorCode } from '../../src/shared/contract/errors.ts'
import type { DownloadView } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { downloadOf, downloads, NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi(), part = '') {
  opened = await openOffice(api)
  opened.app.router.go('downloads', [], part ? { show: part } : {})
  const { container } = show(opened, Downloads)
  await settle()
  return container
}
const state = () => opened.api.control.state
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const isShown = (text: string | RegExp) => screen.queryByText(text) !== null
async function press(name: string | RegExp, within_: HTMLElement = document.body) {
  await fireEvent.click(within(within_).getByRole('button', { name }))
  await settle()
}
async function key(pressed: string) {
  await fireEvent.keyDown(screen.getByRole('grid'), { key: pressed })
  await settle()
}
/** Raises the change event, and waits until the list is loaded again. */
async function notifyChange() {
  opened.api.control.emit('downloads.changed', { id: null })
  await opened.clock.pass(1000)
}
const rowOf = (name: string) => screen.getByText(name).closest('[role=row]') as HTMLElement
const waiting = (count: number): DownloadView[] =>
  Array.from({ length: count }, (_, index) =>
    downloadOf({ id: `w-${index}`, documentName: `Deed ${index}`, state: 'waiting', bytes: 0 })
  )
const saved = (count: number): DownloadView[] =>
  Array.from({ length: count }, (_, index) => downloadOf({ id: `s-${index}`, documentName: `Lease ${index}` }))

describe('the queue', () => {
  test('shows saved and total files, the speed and the time left', async () => {
    const moving = downloadOf({ id: 'r', state: 'running', bytes: 500_000, total: 1_000_000 })
    await open(
      fakeApi({
        downloads: [moving, ...waiting(87), ...saved(212)],
        downloadSummary: { bytesPerSecond: 3_140_000, secondsLeft: 118 }
      })
    )
    expect(isShown('Downloading 88 files')).toBe(true)
    expect(isShown('212 of 300 files saved')).toBe(true)
    expect(isShown('500 KB of 1 MB · 3.1 MB/s · about 2 minutes left')).toBe(true)
  })

  test('counts the files of the current run, not all ever downloaded', async () => {
    await open(
      fakeApi({
        downloads: [...waiting(87), ...saved(900)],
        downloadSummary: { run: { done: 212, failed: 1, of: 300 } }
      })
    )
    expect(isShown('212 of 300 files saved · 1 failed')).toBe(true)
    const bar = screen.getByRole('progressbar', { name: 'Files saved' })
    expect(bar.getAttribute('aria-valuenow')).toBe('71')
  })

  test('counts partly downloaded files in the progress bar', async () => {
    const half = downloadOf({ id: 'r', state: 'running', bytes: 500_000, total: 1_000_000 })
    await open(fakeApi({ downloads: [half, ...saved(1)] }))
    expect(screen.getByRole('progressbar', { name: 'Files saved' }).getAttribute('aria-valuenow')).toBe('75')
  })

  test('can be paused and resumed', async () => {
    await open(fakeApi({ downloads: [...waiting(3), ...saved(2)] }))
    await press('Pause')
    expect(calls('downloads.pause')).toHaveLength(1)
    expect(isShown('Paused: 3 files waiting')).toBe(true)
    await opened.clock.pass(1000)
    expect(within(rowOf('Deed 0')).getByText('Paused')).toBeTruthy()
    await press('Resume')
    expect(isShown('Downloading 3 files')).toBe(true)
  })

  test('keeps the focus on the button that replaces the one pressed', async () => {
    await open(fakeApi({ downloads: [...waiting(3), ...downloads().filter(({ state }) => state === 'failed')] }))
    const pressFocused = async (name: string) => {
      screen.getByRole('button', { name }).focus()
      await press(name)
      return document.activeElement?.textContent?.trim()
    }
    expect(await pressFocused('Pause')).toBe('Resume')
    expect(await pressFocused('Resume')).toBe('Pause')
    state().downloads = downloads().filter((one) => one.state === 'failed')
    await notifyChange()
    expect(document.activeElement?.textContent?.trim()).toBe('Retry 1 failed download')
  })

  test('moves the focus to the empty state when the last failed file is cleared', async () => {
    await open(fakeApi({ downloads: downloads().filter(({ state }) => state === 'failed') }))
    screen.getByRole('button', { name: 'Clear failed' }).focus()
    await press('Clear failed')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Go to Documents' }))
  })

  test('is stopped as a whole only after confirmation', async () => {
    await open(fakeApi({ downloads: [...waiting(3), ...saved(2)] }))
    await press('Stop all…')
    expect(calls('downloads.cancelAll')).toHaveLength(0)
    await press('Cancel')
    expect(calls('downloads.cancelAll')).toHaveLength(0)
    await press('Stop all…')
    await press('Stop 3 downloads')
    expect(calls('downloads.cancelAll')).toHaveLength(1)
    expect(state().downloads.filter((one) => one.state === 'done')).toHaveLength(2)
  })

  test('retries all failed files, and clears them from the list', async () => {
    await open()
    expect(isShown('Downloading 1 file')).toBe(true)
    await press('Retry 1 failed download')
    expect(calls('downloads.retryFailed')).toHaveLength(1)
    state().downloads = downloads().filter((one) => one.state === 'failed')
    await notifyChange()
    expect(isShown('1 file failed')).toBe(true)
    await press('Clear failed')
    expect(calls('downloads.clear')).toHaveLength(1)
    expect(isShown('No downloads yet.')).toBe(true)
  })

  test('waits for a connection, counts down to the next retry, and can be tried now', async () => {
    await open(
      fakeApi({
        downloads: waiting(2),
        downloadSummary: { problem: { code: 'offline', message: 'No network.' }, retryAt: NOW + 45_000 }
      })
    )
    expect(isShown('2 files waiting for a connection')).toBe(true)
    expect(isShown(/Retrying in 45 seconds\./)).toBe(true)
    expect(within(rowOf('Deed 1')).getByText('Waiting for a connection')).toBeTruthy()
    await opened.clock.pass(15_000)
    expect(isShown(/Retrying in 30 seconds/)).toBe(true)
    await press('Try now')
    expect(calls('downloads.resume')).toHaveLength(1)
  })

  test('reports a full disk once, with the folder, advice and another folder to choose', async () => {
    await open(
      fakeApi({
        downloads: waiting(2),
        downloadSummary: {
          problem: { code: 'no-space', message: 'The disk is full.' },
          folder: { id: 'evidence', label: 'Evidence' }
        }
      })
    )
    expect(isShown('2 files waiting. The disk is full.')).toBe(true)
    expect(isShown(/Free some space, then try again\./)).toBe(true)
    expect(isShown('Evidence')).toBe(true)
    await press('Choose another folder…')
    expect(calls('downloads.relocate')[0]?.input).toEqual({
      from: 'evidence',
      to: opened.api.control.state.downloadFolders.at(-1)?.id
    })
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('2 files will be saved in “Signed papers”.')
  })

  test('stays on hold when choosing another folder is cancelled', async () => {
    const api = fakeApi({
      downloads: waiting(2),
      downloadSummary: {
        problem: { code: 'no-space', message: 'The disk is full.' },
        folder: { id: 'evidence', label: 'Evidence' }
      }
    })
    api.downloads.chooseFolder = async () => ({ ok: true, value: null as never })
    await open(api)
    await press('Choose another folder…')
    expect(calls('downloads.relocate')).toHaveLength(0)
    expect(isShown('2 files waiting. The disk is full.')).toBe(true)
  })

  test('explains a problem with the folder', async () => {
    const message = 'The folder isn’t there.'
    const next = 'It may be on a drive: connect that and try again.'
    await open(
      fakeApi({ downloads: waiting(1), downloadSummary: { problem: { code: 'not-writable', message, next } } })
    )
    expect(isShown('1 file waiting. The folder isn’t there.')).toBe(true)
    expect(isShown(/It may be on a drive: connect that and try again\.$/)).toBe(true)
  })

  test('reports that pausing failed', async () => {
    const api = fakeApi({ downloads: waiting(2) })
    api.control.fail('downloads.pause', { code: 'storage', message: 'No.' })
    await open(api)
    await press('Pause')
    expect(isShown('That didn’t work.')).toBe(true)
    expect(isShown('Downloading 2 files')).toBe(true)
  })

  test('reports that everything is saved', async () => {
    await open(fakeApi({ downloads: saved(12) }))
    expect(isShown('12 files saved')).toBe(true)
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
  })
})

describe('the files', () => {
  test('update as they progress', async () => {
    await open()
    const bar = () => screen.getByRole('progressbar', { name: 'Downloading Power of attorney Lindqvist' })
    expect(bar().getAttribute('aria-valuenow')).toBe('20')
    expect(within(screen.getByRole('grid')).getByText('121 KB of 600 KB')).toBeTruthy()
    state().downloads = state().downloads.map((one) => (one.id === 'dl-2' ? { ...one, bytes: 450_000 } : one))
    await notifyChange()
    expect(bar().getAttribute('aria-valuenow')).toBe('75')
  })

  test('are listed by state, with counts', async () => {
    await open()
    const tab = (name: RegExp) => screen.getByRole('link', { name })
    expect(tab(/^All 3$/)).toBeTruthy()
    expect(tab(/^In progress 1$/)).toBeTruthy()
    expect(tab(/^Saved 1$/)).toBeTruthy()
    expect(screen.queryByRole('link', { name: /^Stopped/ })).toBeNull()
    opened.app.router.replace('downloads', [], { show: 'failed' })
    await settle()
    expect(calls('downloads.list').at(-1)?.input).toMatchObject({ states: ['failed'], offset: 0 })
    expect(isShown('Loan variation Lindqvist')).toBe(true)
    expect(isShown('Power of attorney Lindqvist')).toBe(false)
  })

  test('are loaded in pages as they come into view', async () => {
    await open(fakeApi({ downloads: saved(6000) }))
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('6001')
    expect(screen.getAllByRole('row').length).toBeLessThan(60)
    expect(calls('downloads.list').every(({ input }) => (input as { limit: number }).limit <= 500)).toBe(true)
    expect(calls('downloads.list').length).toBeLessThan(4)
  })

  test('that existed already say so', async () => {
    await open(fakeApi({ downloads: [downloadOf({ wasThere: true })] }))
    expect(within(rowOf('Tax declaration Lindqvist')).getByText('Already saved')).toBeTruthy()
    await key('ArrowDown')
    expect(isShown('The same file was already saved.')).toBe(true)
  })

  test('saved by another workstation say so, before and after', async () => {
    const error = { code: 'busy' as const, message: 'Counter 2 is saving this file.' }
    const waiting = downloadOf({
      id: 'dl-9',
      documentName: 'Deed Lindqvist',
      state: 'waiting',
      error,
      retryAt: Date.now() + 50_000
    })
    await open(fakeApi({ downloads: [downloadOf({ workstation: 'Counter 2' }), waiting] }))
    expect(within(rowOf('Deed Lindqvist')).getByText('Being saved')).toBeTruthy()
    await key('ArrowDown')
    expect(screen.getAllByText('Counter 2 is saving this file.')).toHaveLength(2)
    expect(isShown('It will be listed here once it is saved.')).toBe(true)
    await key('ArrowDown')
    expect(isShown('Counter 2 saved this file.')).toBe(true)
  })

  test('that failed show the reason in the row, and advice beside the list', async () => {
    await open(fakeApi(), 'failed')
    expect(within(rowOf('Loan variation Lindqvist')).getByText('The service does not have this document.')).toBeTruthy()
    await key('ArrowDown')
    expect(isShown('The file wasn’t saved.')).toBe(true)
    expect(isShown(/If it should be there, ask your provider\./)).toBe(true)
    await press('Download again')
    expect(calls('downloads.retry')[0]?.input).toEqual({ ids: ['dl-3'] })
  })

  test('can be shown in their folder, downloaded again and stopped with their row’s button', async () => {
    await open()
    await press('Show in folder: Tax declaration Lindqvist, Identity report')
    expect(calls('downloads.reveal')[0]?.input).toEqual({ id: 'dl-1' })
    await press('Download again: Loan variation Lindqvist, Identity data')
    expect(calls('downloads.retry')[0]?.input).toEqual({ ids: ['dl-3'] })
    await press('Stop: Power of attorney Lindqvist, Identity report')
    expect(calls('downloads.cancel')[0]?.input).toEqual({ id: 'dl-2' })
    expect(opened.app.router.route.rest).toEqual([])
  })

  test('can be stopped by key in the row, and other keys do nothing where they don’t apply', async () => {
    await open()
    await key('ArrowDown')
    await key('s')
    await key('a')
    for (const name of ['reveal', 'again', 'cancel']) expect(calls(`downloads.${name}`)).toHaveLength(0)
    await key('Delete')
    expect(calls('downloads.cancel')[0]?.input).toEqual({ id: 'dl-2' })
  })

  test('open beside the list with Enter, and Escape returns the focus to the list', async () => {
    await open(fakeApi({ downloads: saved(3) }))
    await key('ArrowDown')
    await key('Enter')
    expect(document.activeElement?.tagName).toBe('H2')
    expect(isShown('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08')).toBe(true)
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' })
    await settle()
    expect(document.activeElement).toBe(screen.getByRole('grid'))
    expect(opened.app.router.route.rest).toEqual([])
  })

  test('stay open and up to date beside the list after leaving the filter', async () => {
    await open(fakeApi(), 'moving')
    await key('ArrowDown')
    expect(screen.getByRole('heading', { level: 2, name: 'Power of attorney Lindqvist' })).toBeTruthy()
    state().downloads = state().downloads.map((one) => {
      return one.id === 'dl-2' ? downloadOf({ ...one, state: 'done', bytes: 600_000, finishedAt: NOW }) : one
    })
    await notifyChange()
    expect(isShown('No downloads in progress.')).toBe(true)
    expect(within(screen.getByRole('article')).getByText('Saved')).toBeTruthy()
    await press('Show in folder')
    expect(calls('downloads.reveal')[0]?.input).toEqual({ id: 'dl-2' })
    state().downloads = state().downloads.map((one) => (one.id === 'dl-2' ? { ...one, state: 'failed' } : one))
    await notifyChange()
    expect(within(screen.getByRole('article')).getByText('Failed')).toBeTruthy()
  })

  test('show their type under the name in a narrow list', async () => {
    const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600)
    const [name, state] = ['Deed', 'cancelled'] as const
    const pdf = downloadOf({ id: 'p', documentName: name, state, bytes: 0 })
    try {
      await open(fakeApi({ downloads: [pdf, { ...pdf, id: 'j', type: 'json' }] }))
      expect(screen.queryByRole('columnheader', { name: 'Type' })).toBeNull()
      expect(isShown('Identity report · To “Downloads”')).toBe(true)
      expect(isShown('Identity data · To “Downloads”')).toBe(true)
    } finally {
      width.mockRestore()
    }
  })

  test('opened by click in a narrow window get the focus, and Escape returns it to the list', async () => {
    const width = vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(600)
    try {
      await open()
      const list = screen.getByRole('grid')
      list.focus()
      const [, row] = screen.getAllByRole('row')
      await fireEvent.pointerDown(row as HTMLElement)
      await fireEvent.click(row as HTMLElement)
      await settle()
      expect(document.activeElement).toBe(within(screen.getByRole('article')).getByRole('heading', { level: 2 }))
      await fireEvent.keyDown(document.activeElement as HTMLElement, { key: 'Escape' })
      await settle()
      expect(document.activeElement).toBe(screen.getByRole('grid'))
    } finally {
      width.mockRestore()
    }
  })

  test('on hold name the reason and folder beside the list', async () => {
    const message = 'The folder isn’t there.'
    const next = 'It may be on a drive: connect that and try again.'
    const held = waiting(2).map((one) => ({ ...one, folder: 'Estate drive', retryAt: NOW + 5000 }))
    await open(fakeApi({ downloads: held, downloadSummary: { problem: { code: 'not-writable', message, next } } }))
    await key('ArrowDown')
    const detail = within(screen.getByRole('article'))
    expect(detail.getByText('On hold')).toBeTruthy()
    expect(detail.getByText('The folder isn’t there.')).toBeTruthy()
    expect(
      detail.getByText(
        'Folder: “Estate drive”. It may be on a drive: connect that and try again. It also retries automatically.'
      )
    ).toBeTruthy()
  })

  test('waiting for a connection say only that, even if another file hit the problem', async () => {
    const error = { code: 'offline', message: 'No network.' } as const
    const [met, other] = waiting(2)
    await open(
      fakeApi({
        downloads: [{ ...met, error, retryAt: NOW + 1000 } as DownloadView, other as DownloadView],
        downloadSummary: { problem: error, retryAt: NOW + 1000 }
      })
    )
    for (let row = 0; row < 2; row++) {
      await key('ArrowDown')
      const detail = within(screen.getByRole('article'))
      expect(detail.getByText('Waiting for a connection.')).toBeTruthy()
      expect(detail.getByText('No network. It will resume automatically.')).toBeTruthy()
      expect(detail.queryByText(/ry again|tried again/)).toBeNull()
    }
  })

  test('close beside the list when cleared, and the focus goes to the queue', async () => {
    const stopped = downloadOf({ id: 'x', documentName: 'Deed x', state: 'cancelled', bytes: 0 })
    await open(fakeApi({ downloads: [...saved(2), stopped] }), 'stopped')
    await key('ArrowDown')
    expect(screen.getByRole('heading', { level: 2, name: 'Deed x' })).toBeTruthy()
    screen.getByRole('button', { name: 'Clear stopped' }).focus()
    await press('Clear stopped')
    await opened.clock.pass(1000)
    expect(isShown('No stopped downloads.')).toBe(true)
    expect(screen.queryByRole('article')).toBeNull()
    expect(opened.app.router.route.rest).toEqual([])
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'The queue' }))
  })

  test('that disappear while focused pass the focus to the list, or to the filter when it is empty', async () => {
    const stopped = (id: string) => downloadOf({ id, documentName: `Deed ${id}`, state: 'cancelled', bytes: 0 })
    await open(fakeApi({ downloads: [...saved(2), stopped('x'), stopped('y')] }), 'stopped')
    await key('ArrowDown')
    await key('Enter')
    expect(document.activeElement?.textContent).toBe('Deed x')
    state().downloads = state().downloads.filter((one) => one.id !== 'x')
    await notifyChange()
    expect(document.activeElement).toBe(screen.getByRole('grid'))
    await key('ArrowDown')
    await key('Enter')
    expect(document.activeElement?.textContent).toBe('Deed y')
    state().downloads = saved(2)
    await notifyChange()
    expect(document.activeElement?.textContent).toMatch(/^Stopped/)
  })

  test('close with the list when it becomes empty', async () => {
    await open(fakeApi({ downloads: [downloadOf({ id: 'x', state: 'cancelled', bytes: 0 })] }))
    await key('ArrowDown')
    await press('Clear stopped')
    await opened.clock.pass(1000)
    expect(isShown('No downloads yet.')).toBe(true)
    expect(opened.app.router.route.rest).toEqual([])
  })

  test('moved elsewhere on disk cause an error when shown', async () => {
    const api = fakeApi({ downloads: saved(1) })
    api.control.fail('downloads.reveal', { code: 'gone', message: 'The file is not there.' })
    await open(api)
    await key('ArrowDown')
    await press('Show in folder')
    expect(isShown('Couldn’t show the file in its folder.')).toBe(true)
  })
})

test('a list that can’t be loaded offers a retry', async () => {
  const api = fakeApi()
  api.control.fail('downloads.list', { code: 'storage', message: 'The disk is gone.' })
  await open(api)
  expect(isShown('The list couldn’t be loaded.')).toBe(true)
  api.control.heal('downloads.list')
  await press('Try again')
  expect(isShown('Tax declaration Lindqvist')).toBe(true)
})

test('without downloads, the page shows one sentence and a link to the documents', async () => {
  await open(fakeApi({ downloads: [] }))
  expect(isShown('No downloads yet.')).toBe(true)
  await press('Go to Documents')
  expect(window.location.hash).toBe('#/documents/all?identity=any')
})

test('the side bar counts files in progress', async () => {
  await open(fakeApi({ downloads: [...waiting(4), ...saved(9)] }))
  expect(opened.app.counts.downloads).toBe(4)
})

test.each([
  ['files in progress and failed', () => fakeApi(), ''],
  ['no downloads', () => fakeApi({ downloads: [] }), ''],
  ['an empty filter', () => fakeApi({ downloads: saved(1) }), 'failed']
])('%s: has no accessibility violations', async (_name, api, part) => {
  const container = await open(api(), part)
  const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
})

describe('the reason a file waits', () => {
  const soon = { folder: 'Evidence', retryAt: NOW + 5000 }
  const waitReason = (code: ErrorCode, change: Partial<DownloadView> = {}, isPaused = false) =>
    waitReasonInWords(
      { ...soon, error: { code, message: 'The disk is full.', next: 'Free some space.' }, ...change },
      { isPaused },
      NOW
    )

  test('is not shown while it only waits its turn, or everything is paused', () => {
    expect(waitReasonInWords(soon, { isPaused: false }, NOW)).toBeUndefined()
    expect(waitReasonInWords(soon, undefined, NOW)).toBeUndefined()
    const problem = { code: 'offline', message: 'No network.' } as const
    expect(waitReasonInWords(soon, { isPaused: true, problem }, NOW)).toBeUndefined()
  })

  test('is its own problem before the queue’s', () => {
    const own = waitReasonInWords(
      { ...soon, error: { code: 'server', message: 'No.' } },
      { isPaused: false, problem: { code: 'offline', message: 'No network.' } },
      NOW
    )
    expect(own?.error.code).toBe('server')
  })

  test.each(['offline', 'dns', 'refused', 'timeout'] as const)(
    '%s is described as waiting for a connection',
    (code) => {
      expect(waitReason(code)).toMatchObject({ title: 'Waiting for a connection.' })
      expect(waitReason(code)?.more).toMatch(/ It will resume automatically\.$/)
      expect(waitReason(code)?.more).not.toMatch(/try again|tried/i)
    }
  )

  test('includes the time if the retry is some way off', () => {
    expect(waitReason('server')?.title).toBe('Retrying automatically.')
    expect(waitReason('server', { retryAt: NOW + 600_000 })?.title).toMatch(/^Retrying automatically at \d\d:\d\d\.$/)
    expect(waitReason('rate-limited')?.more).toBe('It will resume automatically.')
  })

  test('names the folder only for problems with it', () => {
    expect(waitReason('no-space')).toMatchObject({
      title: 'The disk is full.',
      more: 'Folder: “Evidence”. Free some space. It also retries automatically.'
    })
    expect(waitReason('unauthorised')?.more).not.toMatch(/Evidence/)
  })

  test('says that it retries on resuming while paused', () => {
    expect(waitReason('server', {}, true)?.title).toBe('Retries when you resume.')
  })
})
