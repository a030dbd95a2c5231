import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import { extensionOf } from '../../src/renderer/src/screens/documents/extension.ts'
import { isIdentityOutstanding } from '../../src/renderer/src/screens/documents/identity-words.ts'
import { momentInWords, offsetAt } from '../../src/renderer/src/words/dates.ts'
import type { DocumentPage } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi = fakeApi(), folder = 'Progress', query: Record<string, string> = {}) {
  opened = await openOffice(api)
  opened.office.router.go('documents', [folder], query)
  show(opened, Documents)
  await settle()
}

/** One document of the made-up office, changed. */
function withOne(reference: string, change: Partial<DocumentPage>): FakeApi {
  return fakeApi({ documents: documents(40).map((one) => (one.reference === reference ? { ...one, ...change } : one)) })
}

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('gridcell')[0]?.textContent?.trim())
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}

test('the folders are tabs with their counts', async () => {
  await open()
  const folders = within(screen.getByRole('navigation', { name: 'Folders' })).getAllByRole('link')
  expect(folders.map((link) => link.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
    'InBox 10',
    'In progress 25',
    'Signed 5'
  ])
})

test('a search begins when typing pauses, not at every letter', async () => {
  await open()
  const before = calls('documents.list').length
  const field = screen.getByRole('searchbox')
  for (const text of ['g', 'gi', 'gif', 'gift']) {
    await fireEvent.input(field, { target: { value: text } })
    await opened.clock.pass(100)
  }
  expect(calls('documents.list').length).toBe(before)
  await opened.clock.pass(200)
  expect(calls('documents.list').at(-1)?.input).toMatchObject({ search: 'gift' })
  expect(names().every((name) => name?.includes('gift'))).toBe(true)
})

test('every row names its signers', async () => {
  await open()
  const [row] = screen.getAllByRole('row').slice(1)
  const one = opened.api.control.state.documents.find((each) => each.name === names()[0] && each.folder === 'Progress')
  expect(row?.textContent).toContain(one?.signers.map((signer) => signer.name).join(', '))
})

test('the order of a folder is said in words', async () => {
  await open()
  expect(screen.getByText('Next due first')).toBeTruthy()
  opened.office.router.go('documents', ['Signed'])
  await settle()
  expect(screen.getByText('Last signed first')).toBeTruthy()
})

test('an open document that a search leaves out stays open and says so', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  expect(screen.queryByText(/not among the results/)).toBeNull()
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'gift' } })
  await opened.clock.pass(300)
  await settle()
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Statement of advice Marchetti')
  expect(screen.getByText('This document is not among the results of “gift”.')).toBeTruthy()
  await press('Clear the search')
  expect(screen.queryByText(/not among the results/)).toBeNull()
  expect(names()).toHaveLength(25)
})

test('an empty folder that was never read is not called empty', async () => {
  const api = fakeApi({ documents: [], connection: { state: 'refused', since: NOW } })
  api.documents.list = async () => ({
    ok: true,
    value: { rows: [], total: 0, counts: {}, problem: { code: 'unauthorised', message: 'No.' } }
  })
  await open(api, 'InBox')
  expect(screen.queryByText('No documents in the InBox.')).toBeNull()
  expect(screen.getByText('Not known: the account was not accepted.')).toBeTruthy()
  await press('Open Settings')
  expect(opened.office.router.route.screen).toBe('settings')
})

test('signatures are verified only once there is one', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  expect(button('Verify signatures').hasAttribute('disabled')).toBe(true)
  expect(screen.getByText('Nothing to verify yet: nobody has signed.')).toBeTruthy()
})

test('an identity check that is still to be made has nothing to download', async () => {
  const [person] = documents(7)[6]?.people ?? []
  if (!person) throw new Error('The made-up office has no such signer.')
  const identity = [
    { label: 'Identity check', value: 'Requested' },
    { label: 'Verification', value: 'Pending' }
  ]
  await open(withOne('doc-6', { people: [{ ...person, identity }] }), 'Progress', { document: 'doc-6' })
  expect(button('Download identity PDF').hasAttribute('disabled')).toBe(true)
  expect(screen.getByText('Nothing to download yet: no signer’s identity check is completed.')).toBeTruthy()
})

test('one completed identity check, or a word that we don’t know, can be downloaded', () => {
  const saying = (...values: string[]) => [{ identity: values.map((value) => ({ label: 'Verification', value })) }]
  expect(isIdentityOutstanding(saying('Requested', 'Not started'))).toBe(true)
  expect(isIdentityOutstanding([...saying('Pending'), ...saying('Completed')])).toBe(false)
  expect(isIdentityOutstanding(saying('Examined by hand'))).toBe(false)
  expect(isIdentityOutstanding(saying())).toBe(false)
})

test('the quick choice of a new due date that holds is shown as chosen', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  await press(/Extend due date/)
  const chosen = () => screen.queryByRole('button', { pressed: true })?.textContent?.trim()
  expect(chosen()).toBe('1 week later')
  await press('4 weeks later')
  expect(chosen()).toBe('4 weeks later')
  await fireEvent.input(screen.getByLabelText('New day'), { target: { value: '2027-01-15' } })
  expect(chosen()).toBeUndefined()
})

test('a search that finds nothing says so and can be cleared', async () => {
  await open(fakeApi(), 'InBox', { search: 'zebra' })
  expect(screen.getByText(/No document here has all these words: “zebra”/)).toBeTruthy()
  await press('Clear the search')
  expect(names()).toHaveLength(10)
})

test('arrows choose a document and its page stands beside the list', async () => {
  await open()
  const grid = screen.getByRole('grid')
  await fireEvent.keyDown(grid, { key: 'ArrowDown' })
  await settle()
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(names()[0])
  expect(screen.getByRole('grid')).toBeTruthy()
  await fireEvent.keyDown(window, { key: 'Escape' })
  await settle()
  expect(screen.queryByRole('heading', { level: 2 })).toBeNull()
  expect(document.activeElement).toBe(screen.getByRole('grid'))
})

test('documents that arrows pass quickly are not read', async () => {
  await open()
  const grid = screen.getByRole('grid')
  for (let step = 0; step < 6; step++) await fireEvent.keyDown(grid, { key: 'ArrowDown' })
  await opened.clock.pass(200)
  expect(calls('documents.get')).toHaveLength(2)
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe(names()[5])
})

test('a slash goes to the search field', async () => {
  await open()
  await fireEvent.keyDown(window, { key: '/' })
  expect(document.activeElement).toBe(screen.getByRole('searchbox'))
})

test('offline the list says when it was last true', async () => {
  await open(fakeApi({ connection: { state: 'offline', since: NOW } }))
  const at = new Date(NOW - 120_000)
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
  expect(screen.getByText(`Offline. As of ${time}, 26 November`)).toBeTruthy()
})

test('a refresh that failed is told beside what was last known', async () => {
  const api = fakeApi()
  api.control.fail('documents.refresh', { code: 'offline', message: 'No network.' })
  await open(api)
  await press('Refresh')
  expect(screen.getByText('The newest state of this folder could not be read.')).toBeTruthy()
  expect(names()).not.toHaveLength(0)
})

test('documents that could not be read are counted, with details to copy', async () => {
  const api = fakeApi()
  const { list } = api.documents
  api.documents.list = async (input) => {
    const answer = await list(input)
    return answer.ok
      ? { ok: true, value: { ...answer.value, unreadable: { count: 3, path: '[7].Signers[0]' } } }
      : answer
  }
  await open(api)
  expect(screen.getByText('3 documents of the newest answer could not be read.')).toBeTruthy()
  await press('Copy details')
  expect(calls('system.copy')[0]?.input).toMatchObject({ text: expect.stringContaining('[7].Signers[0]') })
})

test('a link that does not know the folder still finds its document, and the list follows', async () => {
  await open(fakeApi(), 'InBox', { document: 'doc-3' })
  expect(screen.getByRole('heading', { level: 2 }).textContent).toBe('Tax declaration Lindqvist')
  expect(opened.office.router.route.rest).toEqual(['Signed'])
})

test('a document that left the service says so, and is neither extended nor signed', async () => {
  await open(withOne('doc-6', { goneAt: NOW - 86_400_000 }), 'Progress', { document: 'doc-6' })
  expect(screen.getByText('The service no longer has this document.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Extend due date/ })).toBeNull()
  expect(screen.queryByRole('button', { name: /Open at the counter/ })).toBeNull()
})

test('who can sign here is led to the counter', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  await press('Open at the counter for Lena Marchetti')
  const { screen: where, query } = opened.office.router.route
  expect([where, query.get('document'), query.get('signer')]).toEqual(['counter', 'doc-6', '0'])
})

test('a new due date is sent as ISO 8601 with the zone, and what the service made of it is told', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  await press(/Extend due date/)
  await fireEvent.input(screen.getByLabelText('New day'), { target: { value: '2026-01-15' } })
  await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '17:00' } })
  await press('Extend to 15 January 2026')
  const at = new Date(2026, 0, 15, 17, 0).getTime()
  const sent = calls('documents.extend')[0]?.input as { dueDate: string; gmt: number }
  expect(sent).toMatchObject({ reference: 'doc-6', gmt: offsetAt(at) })
  expect(sent.dueDate).toMatch(/^2026-01-15T17:00:00[+-]\d\d:\d\d$/)
  expect(Date.parse(sent.dueDate)).toBe(at)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByText('The due date was changed.')).toBeTruthy()
  expect(screen.getByText(`It is now ${momentInWords(at)}.`)).toBeTruthy()
})

test('the dialog names every document of the package that the new date moves', async () => {
  const other = [{ reference: 'doc-8', name: 'Deed of gift Parata' }]
  await open(withOne('doc-6', { package: other }), 'Progress', { document: 'doc-6' })
  await press(/Extend due date/)
  const dialog = screen.getByRole('dialog')
  expect(within(dialog).getByText('It moves all 2 documents of the package:')).toBeTruthy()
  expect(within(dialog).getByText('Deed of gift Parata')).toBeTruthy()
})

test('a due date that has passed is not sent', async () => {
  await open(fakeApi(), 'Progress', { document: 'doc-6' })
  await press(/Extend due date/)
  await fireEvent.input(screen.getByLabelText('New day'), { target: { value: '2020-01-15' } })
  expect(screen.getByText(/This moment has passed/)).toBeTruthy()
  await press('Extend')
  expect(calls('documents.extend')).toHaveLength(0)
})

test('an extension that failed keeps the dialog with what was chosen', async () => {
  const api = fakeApi()
  api.control.fail('documents.extend', { code: 'forbidden', message: 'No.' })
  await open(api, 'Progress', { document: 'doc-6' })
  await press(/Extend due date/)
  await press(/^Extend to/)
  expect(screen.getByText('The due date was not confirmed.')).toBeTruthy()
  expect(screen.getByRole('dialog')).toBeTruthy()
})

test('verifying shows each signature with who, when and whether it is valid', async () => {
  await open(fakeApi(), 'Signed', { document: 'doc-11' })
  await press('Verify signatures')
  expect(screen.getByText('All 2 signatures are valid')).toBeTruthy()
  expect(screen.getAllByText('Valid')).toHaveLength(2)
  expect(screen.getAllByText(momentInWords(Date.parse('2025-11-20T03:04:05Z')))).toHaveLength(2)
})

test('a document that the service no longer holds is explained by its retention', async () => {
  const api = fakeApi()
  api.control.fail('documents.validate', { code: 'not-found', message: 'No such document.' })
  await open(api, 'Signed', { document: 'doc-11' })
  await press('Verify signatures')
  expect(screen.getByText('The service does not have this document to verify.')).toBeTruthy()
  expect(screen.getByText(/retention period is over/)).toBeTruthy()
})

test('the identity PDF is downloaded in place and then shown in its folder', async () => {
  const api = fakeApi({ downloads: [] })
  await open(api, 'Progress', { document: 'doc-6' })
  await press('Download identity PDF')
  expect(calls('downloads.start')[0]?.input).toEqual({ reference: 'doc-6', type: 'pdf' })
  expect(screen.getByRole('progressbar')).toBeTruthy()
  api.control.state.downloads = api.control.state.downloads.map((one) => ({ ...one, state: 'done', bytes: 482_133 }))
  api.control.emit('downloads.changed', { id: api.control.state.downloads[0]?.id ?? '' })
  await settle()
  await press('Show in folder')
  expect(calls('downloads.reveal')).toHaveLength(1)
})

test('a document page that can not be read offers to try again', async () => {
  const api = fakeApi()
  api.control.fail('documents.get', { code: 'storage', message: 'The disk is gone.' })
  await open(api, 'Progress', { document: 'doc-6' })
  expect(screen.getByText("The document can't be shown.")).toBeTruthy()
  api.control.heal('documents.get')
  await press('Try again')
  expect(screen.getByText('lena.marchetti@example.com')).toBeTruthy()
})

test('a day and a time are the same moment in the due date that is sent', () => {
  for (const [day, time] of [
    ['2026-07-01', '09:30'],
    ['2026-12-31', '23:59'],
    ['2028-02-29', '00:00']
  ] as const) {
    const extension = extensionOf(day, time)
    expect(Date.parse(extension?.dueDate ?? '')).toBe(new Date(`${day}T${time}`).getTime())
    expect(extension?.at).toBe(new Date(`${day}T${time}`).getTime())
  }
  for (const day of ['2026-02-30', '', '12026-01-01', '2026-13-01']) expect(extensionOf(day, '10:00')).toBeUndefined()
  expect(extensionOf('2026-01-01', '25:00')).toBeUndefined()
})
