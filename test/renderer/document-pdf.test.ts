import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import IdentityPdf from '../../src/renderer/src/screens/pdf/DocumentPdf.svelte'
import { IDLE_TIMEOUT, type PdfFile, UnreadablePdf } from '../../src/renderer/src/screens/pdf/pdf-viewer.svelte.ts'
import { MAX_PRINTED_PAGES } from '../../src/renderer/src/screens/pdf/printing.svelte.ts'
import type { CounterSession } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let opened: Opened
afterEach(() => opened.close())

/** Replaces pdf.js, which needs a real browser, and records the calls. */
function reader(pages = 3) {
  const did = {
    bytes: [] as number[],
    painted: [] as number[],
    closed: 0,
    canvases: [] as HTMLCanvasElement[],
    /** Pages that can't be painted. */
    unpaintable: [] as number[]
  }
  const file: PdfFile = {
    pages,
    sizeOf: async () => ({ width: 400, height: 600 }),
    async paint(page, canvas) {
      did.painted.push(page)
      if (did.unpaintable.includes(page)) throw new Error('This page is damaged.')
      canvas.width = 40
      canvas.height = 60
      did.canvases.push(canvas)
    },
    textOf: async (page) => [`The text of page ${page}`],
    close: () => did.closed++
  }
  const openPdf = async (bytes: Uint8Array) => {
    did.bytes.push(bytes.length)
    return file
  }
  return { did, openPdf }
}

async function open(
  api: FakeApi = fakeApi({ downloads: [] }),
  openPdf: unknown = reader().openPdf,
  at: 'identity-pdf' | 'signed-document' = 'identity-pdf'
) {
  opened = await openOffice(api)
  opened.app.router.go(at, ['doc-0'])
  const { unmount } = show(opened, IdentityPdf as never, { openPdf })
  await settle()
  return unmount
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
async function press(name: string | RegExp) {
  screen.getByRole('button', { name }).focus()
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('the report is fetched in parts and opened when complete', async () => {
  const { did, openPdf } = reader()
  await open(undefined, openPdf)
  expect(did.bytes).toEqual([opened.api.control.state.pdf.length])
  expect(calls('pdf.next').length).toBeGreaterThan(1)
  expect(screen.getByRole('link', { name: 'Tenancy agreement Parata' })).toBeTruthy()
})

test('pages have text for screen readers, and their pictures are hidden from these', async () => {
  await open()
  const page = screen.getByRole('group', { name: 'Page 1 of 3' })
  expect(within(page).getByText('The text of page 1')).toBeTruthy()
  expect(page.querySelector('canvas')?.closest('[aria-hidden=true]')).toBeTruthy()
})

test('only pages near the view are painted, and others release their memory', async () => {
  const { did, openPdf } = reader(500)
  await open(undefined, openPdf)
  expect(did.painted).toEqual([1, 2])
  const region = screen.getByRole('region', { name: /^Identity report: / })
  const pile = region.firstElementChild as HTMLElement
  // jsdom doesn't scroll by itself.
  Object.defineProperty(region, 'scrollTop', { value: Number.parseFloat(pile.style.height) / 2 })
  await fireEvent.scroll(region)
  await settle()
  expect(Math.min(...did.painted.slice(2))).toBeGreaterThan(200)
  expect(did.painted.length).toBeGreaterThan(2)
  expect(did.painted.length).toBeLessThan(8)
  expect(did.canvases.slice(0, 2).map(({ width }) => width)).toEqual([0, 0])
  expect((screen.getByLabelText('Page, of 500') as HTMLInputElement).value).toMatch(/^2\d\d$/)
})

test('news about the accounts leaves the report that is shown alone', async () => {
  const { did, openPdf } = reader()
  await open(undefined, openPdf)
  opened.api.control.emit('accounts.changed', null)
  await settle()
  expect(calls('pdf.open')).toHaveLength(1)
  expect(did.closed).toBe(0)
})

test('leaving closes the reader and empties the pictures', async () => {
  const { did, openPdf } = reader()
  const unmount = await open(undefined, openPdf)
  unmount()
  await settle()
  expect(did.closed).toBe(1)
  expect(did.canvases.every(({ width }) => width === 0)).toBe(true)
})

test('leaving during the download tells the main process, and nothing is opened later', async () => {
  const api = fakeApi({ downloads: [] })
  api.control.hold('pdf.next')
  const { did, openPdf } = reader()
  const unmount = await open(api, openPdf)
  unmount()
  await settle()
  expect(calls('pdf.close')).toHaveLength(1)
  expect(did.bytes).toEqual([])
})

test('five minutes without use clear the report, which can be fetched again', async () => {
  const { did, openPdf } = reader()
  await open(undefined, openPdf)
  await opened.clock.pass(IDLE_TIMEOUT - 1000)
  await fireEvent.pointerMove(window)
  await opened.clock.pass(IDLE_TIMEOUT - 1000)
  expect(screen.queryByText(/^Cleared/)).toBeNull()
  await opened.clock.pass(2000)
  expect(screen.getByText('Cleared after 5 minutes without use.')).toBeTruthy()
  expect(document.querySelector('canvas')).toBeNull()
  expect(did.closed).toBe(1)
  await press('Show again')
  expect(calls('pdf.open')).toHaveLength(2)
  expect(screen.getByRole('group', { name: 'Page 1 of 3' })).toBeTruthy()
})

test('handing over the screen clears the report', async () => {
  const { did, openPdf } = reader()
  await open(undefined, openPdf)
  opened.api.control.state.counter = { id: 's', place: 'here', phase: 'handover' } as CounterSession
  opened.api.control.emit('counter.changed', { id: 's' })
  await settle()
  expect(did.closed).toBe(1)
  expect(screen.getByText('Cleared because the screen was handed over.')).toBeTruthy()
})

test('locking the computer clears the report until someone asks to show it again', async () => {
  const { did, openPdf } = reader()
  await open(undefined, openPdf)
  opened.api.control.emit('pdf.cleared', null)
  await settle()
  expect(did.closed).toBe(1)
  expect(screen.getByText('Cleared because this computer was locked or asleep.')).toBeTruthy()
  await press('Show again')
  expect(did.bytes).toHaveLength(2)
})

test.each([
  ['password', 'This PDF needs a password.'],
  ['broken', 'This PDF can’t be read.']
] as const)('an unreadable PDF (%s) is explained and offers the download', async (why, message) => {
  await open(undefined, async () => {
    throw new UnreadablePdf(why)
  })
  const notice = screen.getByRole('alert')
  expect(notice.textContent).toContain(message)
  await fireEvent.click(within(notice).getByRole('button', { name: 'Download' }))
  await settle()
  expect(calls('downloads.start').map(({ input }) => input)).toEqual([{ reference: 'doc-0', type: 'pdf' }])
})

test('a PDF that is too large offers the download', async () => {
  const api = fakeApi({ downloads: [] })
  api.control.fail('pdf.open', { code: 'too-large', message: 'Too large.' })
  await open(api)
  expect(screen.getByRole('alert').textContent).toContain('too large to show here')
  expect(screen.getAllByRole('button', { name: 'Download' })).toHaveLength(1)
})

test('offline, the report can’t be shown, and can be retried', async () => {
  const api = fakeApi({ downloads: [] })
  api.control.fail('pdf.open', { code: 'offline', message: 'No network.' })
  await open(api)
  expect(screen.getByRole('alert').textContent).toContain('You’re offline')
  api.control.heal('pdf.open')
  await press('Try again')
  expect(screen.getByRole('group', { name: 'Page 1 of 3' })).toBeTruthy()
})

test('a report waiting for a connection is shown once online', async () => {
  const offline = { code: 'offline', message: 'No network.' } as const
  const api = fakeApi({ downloads: [], connection: { state: 'offline', since: 0, error: offline } })
  api.control.fail('pdf.open', offline)
  await open(api)
  expect(screen.getByRole('alert').textContent).toContain('You’re offline')
  api.control.heal('pdf.open')
  api.control.state.connection = { state: 'online', since: 0 }
  api.control.emit('connection.changed', null)
  await settle()
  expect(screen.getByRole('group', { name: 'Page 1 of 3' })).toBeTruthy()
})

test('a page that can’t be painted shows an error in its place, and the others are shown', async () => {
  const { did, openPdf } = reader()
  did.unpaintable = [2]
  await open(undefined, openPdf)
  expect(screen.getByRole('group', { name: 'Page 2 of 3' }).textContent).toContain('Couldn’t show this page')
  expect(screen.getByRole('group', { name: 'Page 1 of 3' }).querySelector('canvas')).toBeTruthy()
})

test('a failed download that can’t be tried again says so', async () => {
  const api = fakeApi({ downloads: [] })
  await open(api)
  await press('Download')
  const error = { code: 'no-space', message: 'The disk is full.' } as const
  api.control.state.downloads = api.control.state.downloads.map((one) => ({ ...one, state: 'failed' as const, error }))
  api.control.emit('downloads.changed', { id: null })
  await settle()
  api.control.fail('downloads.retry', { code: 'storage', message: 'The database is locked.' })
  await press('Download')
  expect(document.body.textContent).toContain('The database is locked.')
})

test('a downloaded file can be shown in its folder', async () => {
  await open(fakeApi({ downloads: [] }))
  screen.getByRole('button', { name: 'Download' }).focus()
  await press('Download')
  const { state } = opened.api.control
  state.downloads = state.downloads.map((one) => ({ ...one, state: 'done' as const }))
  opened.api.control.emit('downloads.changed', { id: null })
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual([`Saved in “${state.downloads[0]?.folder}”.`])
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Show in folder' }))
  await press('Show in folder')
  expect(calls('downloads.reveal').map(({ input }) => input)).toEqual([{ id: state.downloads[0]?.id }])
})

test('keys zoom in and out', async () => {
  await open()
  const percent = () => screen.getByText(/^\d+ %$/, { selector: '.percent' }).textContent
  await press('100 %')
  expect(percent()).toBe('100 %')
  await fireEvent.keyDown(window, { key: '+', ctrlKey: true })
  expect(percent()).toBe('125 %')
  await fireEvent.keyDown(window, { key: '-', ctrlKey: true })
  await fireEvent.keyDown(window, { key: '-', ctrlKey: true })
  expect(percent()).toBe('75 %')
})

test('a report too large to print suggests another program', async () => {
  const { did, openPdf } = reader(MAX_PRINTED_PAGES + 1)
  await open(undefined, openPdf)
  await press('Print…')
  expect(screen.getByRole('alert').textContent).toContain('print it from another program')
  expect(calls('pdf.print')).toEqual([])
  expect(did.painted.length).toBeLessThan(MAX_PRINTED_PAGES)
})

/** An office whose first document everyone has signed. */
function officeWithSigned(...args: Parameters<typeof fakeApi>) {
  const api = fakeApi({ downloads: [], ...args[0] })
  api.control.state.documents = api.control.state.documents.map((one) => ({
    ...one,
    people: one.people.map((person) => ({ ...person, state: 'signed' as const }))
  }))
  return api
}

test('what others still have to sign is shown without asking whether it is the signed document', async () => {
  await open(undefined, undefined, 'signed-document')
  expect(screen.queryByText('Is this the signed document?')).toBeNull()
  expect(screen.queryByRole('button', { name: 'Yes, allow downloads' })).toBeNull()
})

test('a signed document is viewed first, and can be saved once staff confirm what it is', async () => {
  await open(officeWithSigned(), undefined, 'signed-document')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Signed document')
  expect(calls('pdf.open')[0]?.input).toEqual({ reference: 'doc-0', kind: 'signed' })
  expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  await press('Yes, allow downloads')
  expect(calls('accounts.allowSigned')[0]?.input).toMatchObject({ allow: true })
  expect(screen.queryByText('Is this the signed document?')).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Download' }))
  await press('Download')
  expect(calls('downloads.start')[0]?.input).toEqual({ reference: 'doc-0', type: 'signed' })
})

test('a document rejected as the signed one can’t be saved, but can still be allowed', async () => {
  await open(officeWithSigned(), undefined, 'signed-document')
  await press('No, it’s something else')
  expect(calls('accounts.allowSigned')[0]?.input).toMatchObject({ allow: false })
  expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'No, it’s something else' })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }))
  expect(screen.getByRole('button', { name: 'Yes, allow downloads' })).toBeTruthy()
})

test('a document from another origin must be confirmed separately', async () => {
  const api = officeWithSigned({ pdfFrom: 'https://files.example.com' })
  api.control.state.accounts = api.control.state.accounts.map((one) => ({ ...one, savesSigned: 'yes' as const }))
  await open(api, undefined, 'signed-document')
  expect(screen.getByText(/from there, too/).textContent).toContain('comes from https://files.example.com')
  expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
  await press('Yes, allow downloads')
  expect(calls('accounts.allowSigned')[0]?.input).toMatchObject({ allow: true })
  expect(screen.queryByText('Is this the signed document?')).toBeNull()
  expect(screen.getByRole('button', { name: 'Download' })).toBeTruthy()
})
