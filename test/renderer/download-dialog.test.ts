import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import axe from 'axe-core'
import { afterEach, describe, expect, test } from 'vitest'
import { PLACEHOLDERS, parsePattern } from '../../src/main/core/downloads/name-pattern.ts'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import DownloadDialog from '../../src/renderer/src/screens/downloads/DownloadDialog.svelte'
import type { DownloadSubject } from '../../src/renderer/src/screens/downloads/download-subject.svelte.ts'
import { nameParts } from '../../src/renderer/src/screens/downloads/download-words.ts'
import type { DocumentPage } from '../../src/shared/contract/views.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

/** Returns three documents with an identity check and one without. */
const four = (): DocumentPage[] =>
  documents(4).map((one, index) => ({
    ...one,
    name: `Lease ${index}`,
    idVerificationRequested: index < 3,
    identity: 'none'
  }))
const query = { search: '', sort: { by: 'name' as const, descending: false }, grouped: false }

async function open(
  subject: DownloadSubject = { query },
  api: FakeApi = fakeApi({ documents: four(), downloads: [] })
) {
  opened = await openOffice(api)
  const rows = 'documents' in subject ? api.control.state.documents : undefined
  show(opened, DownloadDialog, { open: true, subject, rows })
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const last = (name: string) => calls(name).at(-1)?.input
const dialog = () => within(screen.getByRole('dialog'))
const button = (name: string | RegExp) => dialog().getByRole('button', { name })
const pattern = () => dialog().getByLabelText<HTMLInputElement>(/^File names/)
const examples = () =>
  within(dialog().getByRole('group', { name: 'Examples' }))
    .getAllByRole('listitem')
    .map((item) => item.textContent?.trim())
    .filter(Boolean)
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
async function type(value: string) {
  await fireEvent.input(pattern(), { target: { value } })
  await opened.clock.pass(300)
}

describe('before downloading', () => {
  test('the documents with an identity check and the resulting files are counted', async () => {
    await open()
    expect(dialog().getByRole('status').textContent?.replace(/\s+/g, ' ').trim()).toBe(
      '3 of 4 documents have an identity check.'
    )
    expect(button('Download 3 PDFs')).toBeTruthy()
    await fireEvent.click(dialog().getByLabelText(/^Identity data/))
    expect(button('Download 6 files')).toBeTruthy()
    await fireEvent.click(dialog().getByLabelText(/^Identity report/))
    expect(button('Download 3 records')).toBeTruthy()
    await fireEvent.click(dialog().getByLabelText(/^Identity data/))
    expect(dialog().getByText('Choose at least one.')).toBeTruthy()
    expect(button('Download').hasAttribute('disabled')).toBe(true)
  })

  test('a check that nobody has completed yet has no file, so it isn’t counted or asked for', async () => {
    const [first, ...others] = four()
    const passed = { ...(first as DocumentPage), idVerificationRequested: true, identity: 'passed' as const }
    const unfinished = others.map((one) => ({
      ...one,
      idVerificationRequested: true,
      identity: 'asked' as const,
      signers: one.signers.map((signer) => ({ ...signer, state: 'waiting' as const }))
    }))
    await open({ query }, fakeApi({ documents: [passed, ...unfinished], downloads: [] }))
    expect(button('Download 1 PDF')).toBeTruthy()
    await press('Download 1 PDF')
    expect((last('downloads.add') as { what: { references: string[] } }).what.references).toEqual([passed.reference])
  })

  test('documents with unknown identity checks are mentioned, and included', async () => {
    const [first, ...others] = four()
    const silent = others.map(({ idVerificationRequested: _, ...one }) => ({ ...one, identity: 'unknown' as const }))
    const withCheck = { ...(first as DocumentPage), idVerificationRequested: true }
    await open({ query }, fakeApi({ documents: [withCheck, ...silent], downloads: [] }))
    expect(dialog().getByRole('status').textContent?.replace(/\s+/g, ' ').trim()).toBe(
      '1 of 4 documents has an identity check. 3 more may: the service will be asked.'
    )
    await press('Download up to 4 PDFs')
    expect((last('downloads.add') as { what: { references: string[] } }).what.references).toHaveLength(4)
  })

  test('complete documents are counted for signed documents if the account may save them', async () => {
    const api = fakeApi({ documents: four(), downloads: [] })
    api.control.state.accounts = api.control.state.accounts.map((one) => ({ ...one, savesSigned: 'yes' as const }))
    const complete = api.control.state.documents.filter(({ status }) => status.family === 'complete').length
    expect(complete).toBeGreaterThan(0)
    await open({ query }, api)
    await fireEvent.click(dialog().getByLabelText('Signed document'))
    expect(
      dialog()
        .getByText(/complete\.$/)
        .textContent?.trim()
    ).toMatch(new RegExp(`^${complete} of 4 documents`))
    expect(button(`Download ${3 + complete} files`)).toBeTruthy()
    await fireEvent.click(dialog().getByLabelText(/^Identity report/))
    await press(/^Download \d+ signed document/)
    expect(last('downloads.add')).toMatchObject({ types: ['signed'] })
  })

  test('the first field gets focus even if the settings load late', async () => {
    const api = fakeApi({ documents: four(), downloads: [] })
    const answer = api.control.hold('downloads.settings')
    await open({ query }, api)
    answer()
    await waitFor(() => expect(document.activeElement).toBe(dialog().getByLabelText(/^Identity report/)))
  })

  test('all pages of a long list are counted', async () => {
    const many = documents(1200).map((one) => ({ ...one, idVerificationRequested: true, identity: 'passed' as const }))
    await open({ query }, fakeApi({ documents: many, downloads: [] }))
    expect(button('Download 1,200 PDFs')).toBeTruthy()
    expect(calls('documents.list')).toHaveLength(3)
  })

  test('a document that moves while the list is counted is included, and only once', async () => {
    const [model] = four()
    const many = Array.from({ length: 600 }, (_, index) => ({
      ...(model as DocumentPage),
      reference: `many-${index}`,
      name: `Lease ${1000 + index}`
    }))
    const api = fakeApi({ documents: many, downloads: [] })
    const firstPage = api.control.hold('documents.list')
    await open({ query }, api)
    const secondPage = api.control.hold('documents.list')
    firstPage()
    await settle()
    api.control.state.documents = many.map((one, index) => (index === 599 ? { ...one, name: 'Agreement' } : one))
    secondPage()
    await settle()
    await press(/^Download \d+ PDFs$/)
    const { references } = (last('downloads.add') as { what: { references: string[] } }).what
    expect(references.toSorted()).toEqual(many.map(({ reference }) => reference).toSorted())
  })

  test('a very long list is not counted, and is downloaded by its query', async () => {
    const list = fakeApi({ documents: four(), downloads: [] })
    const { list: read } = list.documents
    list.documents.list = async (input) => {
      const answer = await read(input)
      return answer.ok ? { ok: true, value: { ...answer.value, total: 80_000, documents: 80_000 } } : answer
    }
    await open({ query }, list)
    expect(dialog().getByText('Of 80,000 documents, all that have an identity check.')).toBeTruthy()
    await press('Download PDFs')
    expect(last('downloads.add')).toMatchObject({ what: { query } })
  })

  test('documents without an identity check can’t be downloaded', async () => {
    const none = four().map((one) => ({ ...one, idVerificationRequested: false }))
    await open({ query }, fakeApi({ documents: none, downloads: [] }))
    expect(dialog().getByText('None of these 4 documents has an identity check.')).toBeTruthy()
    expect(button('Download').hasAttribute('disabled')).toBe(true)
  })

  test('settings that couldn’t be loaded can be retried', async () => {
    const api = fakeApi({ documents: four(), downloads: [] })
    api.control.fail('downloads.settings', { code: 'storage', message: 'No.' })
    await open({ query }, api)
    api.control.heal('downloads.settings')
    await press('Try again')
    expect(button('Download 3 PDFs')).toBeTruthy()
  })
})

describe('file names', () => {
  test('are previewed for the selected documents while typing', async () => {
    const [, second] = four()
    await open({ documents: [{ accountId: 'practice', reference: second?.reference ?? '' }] })
    await type('{yyyy}/{document}')
    expect(last('downloads.preview')).toMatchObject({ pattern: '{yyyy}/{document}', type: 'pdf' })
    expect(examples()[0]).toMatch(/^2025 › Lease \d\.identity\.pdf$/)
  })

  test('are previewed only once typing pauses', async () => {
    await open()
    const before = calls('downloads.preview').length
    for (const text of ['{', '{d', '{document}']) await fireEvent.input(pattern(), { target: { value: text } })
    await opened.clock.pass(300)
    expect(calls('downloads.preview')).toHaveLength(before + 1)
  })

  test('with an invalid pattern show an error instead of examples, and block downloading', async () => {
    await open()
    expect(examples()).toHaveLength(3)
    await type('{colour}/{document}')
    expect(pattern().getAttribute('aria-invalid')).toBe('true')
    expect(document.getElementById(pattern().getAttribute('aria-describedby') ?? '')?.textContent).toContain(
      '“{colour}” is not one of the parts that a name can have.'
    )
    expect(examples()).toEqual(['Fix the pattern to see examples.'])
    expect(button('Download 3 PDFs').hasAttribute('disabled')).toBe(true)
    await type('{document}')
    expect(button('Download 3 PDFs').hasAttribute('disabled')).toBe(false)
    expect(examples()).toHaveLength(3)
    // Immediately, not only with the next preview.
    await fireEvent.input(pattern(), { target: { value: '  ' } })
    expect(examples()).toEqual(['Fix the pattern to see examples.'])
  })

  test('in both formats show both endings, or separate examples when they differ more', async () => {
    await open()
    await type('{document}')
    await fireEvent.click(dialog().getByLabelText(/^Identity data/))
    await settle()
    expect(examples()).toHaveLength(3)
    for (const name of examples()) expect(name).toMatch(/^Lease \d\.identity\.pdf and \.identity\.json$/)
    await type('{type} {document}')
    const [first, second, third] = examples()
    expect(first).toMatch(/^pdf Lease \d\.identity\.pdf$/)
    expect(second).toBe(first?.replaceAll('pdf', 'json'))
    expect(third).toMatch(/^pdf /)
    await fireEvent.click(dialog().getByLabelText(/^Identity report/))
    await settle()
    expect(examples().every((name) => /^json Lease \d\.identity\.json$/.test(name ?? ''))).toBe(true)
  })

  test('are validated before anything is added', async () => {
    await open()
    await fireEvent.input(pattern(), { target: { value: '{colour}' } })
    await fireEvent.submit(pattern().closest('form') as HTMLFormElement)
    await settle()
    expect(calls('downloads.add')).toHaveLength(0)
    expect(dialog().getByText(/“\{colour\}” is not one/)).toBeTruthy()
  })

  describe('built from parts', () => {
    const chips = () => within(dialog().getByRole('group', { name: 'Name files' })).getAllByRole('button')
    const sentence = () => chips().map((one) => one.getAttribute('aria-label') ?? one.textContent?.trim())
    /** Chooses an entry. @param at which of the chips of this name. */
    async function choose(chip: string, entry: string, at = 0) {
      const all = chips().filter((one) => (one.getAttribute('aria-label') ?? one.textContent?.trim()) === chip)
      await fireEvent.keyDown(all[at] as Element, { key: 'Enter' })
      const items = await screen.findAllByRole('menuitem', { hidden: true })
      const item = items.find((one) => one.querySelector('.words')?.textContent === entry)
      await fireEvent.click(item as Element)
      await settle()
      await settle()
    }

    test('are shown as chips, including folders', async () => {
      await open()
      await type('{yyyy}/{document} – {signer}')
      expect(sentence()).toEqual(['Year', 'Folder', 'Document', 'Dash', 'Signer', 'Add'])
    })

    test('can be changed by menus, with an immediate preview', async () => {
      await open()
      await type('{document} – {signer}')
      await choose('Dash', 'Comma')
      await choose('Add', 'Date in words')
      expect(pattern().value).toBe('{document}, {signer}, {longDate}')
      expect(examples()[0]).toMatch(/^Lease .+, .+, 26 November 2025\.identity\.pdf$/)
      await choose('Date in words', 'Move left')
      expect(pattern().value).toBe('{document}, {longDate}, {signer}')
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Date in words')
      await choose('Comma', 'Folder')
      await choose('Document', 'Matter')
      expect(pattern().value).toBe('{matter}/{longDate}, {signer}')
      await choose('Signer', 'Remove')
      expect(pattern().value).toBe('{matter}/{longDate}')
    })

    test('keep the office’s own text, which is typed under Advanced', async () => {
      await open()
      await type('Harbour Law {document}.pdf')
      expect(sentence()).toEqual(['“Harbour Law ”', 'Document', 'Add'])
      await choose('Document', 'All signers')
      expect(pattern().value).toBe('Harbour Law {signers}')
    })
  })

  test('offer exactly the parts that patterns support', () => {
    expect(nameParts.map(({ name }) => name).sort()).toEqual([...PLACEHOLDERS].sort())
    for (const { name } of nameParts) expect(parsePattern(`{document} {${name}}`).ok).toBe(true)
  })
})

describe('downloading', () => {
  test('adds the documents with a check, and reports those left out', async () => {
    await open()
    await fireEvent.click(dialog().getByLabelText(/^Identity data/))
    await fireEvent.click(dialog().getByLabelText('Keep an index file'))
    await press('Change…')
    expect(dialog().getByText('Signed papers')).toBeTruthy()
    await type('{document}')
    await press('Download 6 files')
    const { what, ...rest } = last('downloads.add') as { what: { references: string[] } }
    expect(what.references).toHaveLength(3)
    const folderId = opened.api.control.state.downloadFolders.at(-1)?.id
    expect(rest).toEqual({ types: ['pdf', 'json'], pattern: '{document}', writesIndex: false, folderId })
    expect(calls('downloads.configure')).toHaveLength(0)
    expect(opened.app.toasts.shown.at(-1)?.text).toBe(
      'Downloading 6 files. 1 document without a completed identity check was left out.'
    )
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  test('saves the options as default when ticked', async () => {
    await open()
    await fireEvent.click(dialog().getByLabelText(/^Identity data/))
    await fireEvent.click(dialog().getByLabelText('Make this my default'))
    await press('Download 6 files')
    const { what: _what, ...rest } = last('downloads.add') as { what: unknown }
    expect(last('downloads.configure')).toEqual(rest)
  })

  test('reports files that were already downloading', async () => {
    await open()
    opened.api.control.state.downloads = []
    await opened.api.downloads.start({ reference: four()[0]?.reference ?? '', type: 'pdf' })
    await press('Download 3 PDFs')
    expect(opened.app.toasts.shown.at(-1)?.text).toMatch(/^Downloading 2 files\. 1 file was already downloading\./)
  })

  test('reports a failure in the dialog and keeps the options', async () => {
    const api = fakeApi({ documents: four(), downloads: [] })
    api.control.fail('downloads.add', { code: 'storage', message: 'No.' })
    await open({ query }, api)
    await type('{document} {date}')
    await press('Download 3 PDFs')
    expect(dialog().getByText('Couldn’t start the downloads.')).toBeTruthy()
    expect(pattern().value).toBe('{document} {date}')
    expect(calls('downloads.configure')).toHaveLength(0)
  })

  test('keeps the folder when choosing another is cancelled', async () => {
    const api = fakeApi({ documents: four(), downloads: [] })
    api.downloads.chooseFolder = async () => ({ ok: true, value: null as never })
    await open({ query }, api)
    await press('Change…')
    expect(dialog().getByText('Downloads')).toBeTruthy()
    expect(dialog().queryByText('Couldn’t change the folder.')).toBeNull()
  })

  test('leaves out other accounts, even from a view that includes them', async () => {
    await open({ query: { ...query, accounts: ['harbour'] } })
    expect((last('documents.list') as { query: object }).query).not.toHaveProperty('accounts')
  })
})

test('the dialog has no accessibility violations', async () => {
  await open()
  const { violations } = await axe.run(screen.getByRole('dialog'), { rules: { 'color-contrast': { enabled: false } } })
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`)).toEqual([])
})

test('a whole view can be downloaded from the views menu', async () => {
  opened = await openOffice(fakeApi({ documents: four(), downloads: [] }))
  opened.app.router.go('documents', ['all'])
  show(opened, Documents)
  await settle()
  await fireEvent.keyDown(screen.getByRole('button', { name: 'Views' }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Download identity data…' }))
  await settle()
  expect(button('Download 3 PDFs')).toBeTruthy()
})
