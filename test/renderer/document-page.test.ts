import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test, vi } from 'vitest'
import CommandDialogs from '../../src/renderer/src/screens/documents/CommandDialogs.svelte'
import DocumentPage from '../../src/renderer/src/screens/documents/DocumentPage.svelte'
import { DocumentCommands } from '../../src/renderer/src/screens/documents/document-commands.svelte.ts'
import { momentInWords, whenInWords } from '../../src/renderer/src/words/dates.ts'
import type { DownloadView, DocumentPage as Page } from '../../src/shared/contract/views.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'
import { actionOf, changesOf, fullPage, hostilePage, pageOf, signerOf } from './document-pages.ts'
import { type FakeApi, type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { downloadOf, NOW, verificationOf } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

const officeWith = (page: Page, change: Partial<FakeState> = {}) =>
  fakeApi({ documents: [page], downloads: [], changes: changesOf(page), ...change })

async function open(page: Page | FakeApi = pageOf(), props: Record<string, unknown> = {}) {
  const api = 'control' in page ? page : officeWith(page)
  opened = await openOffice(api)
  const commands = new DocumentCommands(opened.app)
  show(opened, DocumentPage, { accountId: 'practice', reference: 'doc-6', commands, onclose: () => {}, ...props })
  show(opened, CommandDialogs, { commands })
  await settle()
}

const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const article = () => screen.getByRole('article')
async function press(name: string | RegExp) {
  await fireEvent.click(button(name))
  await settle()
}
/** Chooses what isn’t among the document’s buttons. */
async function choose(entry: string | RegExp) {
  await fireEvent.keyDown(button('More actions'), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name: entry }))
  await settle()
}
const offline = { connection: { state: 'offline' as const, since: NOW } }

test('the header shows the status, the progress, and the due date with its zone', async () => {
  await open(fullPage())
  expect(screen.getByRole('heading', { level: 2 }).textContent).toContain('Loan variation')
  expect(screen.getAllByText('2 of 5 signed').length).toBeGreaterThan(0)
  expect(screen.getByRole('img', { name: /^2 of 5 signed. Mere Parata: signed; / })).toBeTruthy()
  expect(article().textContent).toContain(momentInWords(fullPage().due?.at ?? 0))
  expect(screen.getByText(/in 9 days/)).toBeTruthy()
})

test('an ambiguous due date is shown as the service wrote it, with a note', async () => {
  const { due: _, ...page } = pageOf()
  await open({ ...page, dueWritten: '03/01/2031', isDueAmbiguous: true })
  expect(article().textContent).toMatch(/Due “03\/01\/2031” – day and month could be swapped/)
})

test('headings are nested without skipping levels', async () => {
  await open(fullPage())
  const levels = [...article().querySelectorAll('h2, h3, h4')].map((heading) => Number(heading.tagName[1]))
  expect(levels[0]).toBe(2)
  levels.forEach((level, index) => {
    expect(level - (levels[index - 1] ?? level)).toBeLessThanOrEqual(1)
  })
})

test('a document is marked as read after one second', async () => {
  await open({ ...pageOf(), unread: true })
  expect(screen.getByText('Changed since you last looked')).toBeTruthy()
  await opened.clock.pass(900)
  expect(calls('documents.markRead')).toHaveLength(0)
  await opened.clock.pass(200)
  expect(calls('documents.markRead')[0]?.input).toEqual({
    some: { documents: [{ accountId: 'practice', reference: 'doc-6' }] },
    read: true
  })
  expect(screen.queryByText('Changed since you last looked')).toBeNull()
})

test('a document stays unread while the window is hidden', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  await open({ ...pageOf(), unread: true })
  await opened.clock.pass(5000)
  hidden.mockRestore()
  expect(calls('documents.markRead')).toHaveLength(0)
})

test('a document marked as unread stays so while it is open', async () => {
  await open()
  await press('Mark as unread')
  expect(calls('documents.markRead')[0]?.input).toMatchObject({ read: false })
  await opened.clock.pass(5000)
  expect(calls('documents.markRead')).toHaveLength(1)
})

test('each signer is shown with address, mobile, signing options and the service’s notes', async () => {
  await open(fullPage())
  const [mere, , anahera, josef, grace] = within(
    screen.getByRole('heading', { name: 'Signers' }).parentElement as HTMLElement
  )
    .getAllByRole('heading', { level: 4 })
    .map((heading) => heading.closest('li') as HTMLElement)
  expect(mere?.textContent).toContain('mere.parata@example.com')
  expect(mere?.textContent).toContain('+64 21 012 345')
  expect(anahera?.textContent).toContain('Face to face')
  expect(anahera?.textContent).toContain('Reviews before signing')
  expect(josef?.textContent).toContain('First reminder sent')
  expect(josef?.textContent).toContain('The signer opted out of video.')
  expect(grace?.textContent).toContain('“AwaitingApostille”')
  expect(grace?.textContent).toContain('ApostilleOffice')
})

test('a declined document shows the reason once', async () => {
  const people = [signerOf({ state: 'declined', signedStatus: 'Declined', declinedReason: 'The address is wrong.' })]
  await open(pageOf({ people, status: readDocumentStatus('Declined') }))
  expect(screen.getByText(/The address is wrong\./).textContent).toBe('“The address is wrong.”')
  expect(screen.queryByRole('button', { name: /Extend due date/ })).toBeNull()
})

test('what was declined says so first, with the next step, and is due no more', async () => {
  const declined = signerOf({ state: 'declined', signedStatus: 'Declined', declinedReason: 'Not yet.' })
  const people = [
    signerOf({ state: 'signed', signedStatus: 'Signed' }),
    { ...declined, index: 1, name: 'Edwin Hollis' }
  ]
  await open(pageOf({ people, signers: people, status: readDocumentStatus('Declined') }))
  const page = screen.getByRole('article')
  expect(page.textContent).toContain('Edwin Hollis declined to sign.')
  expect(page.textContent).toContain('“Not yet.”')
  expect(page.textContent).toContain('1 of 2 had signed.')
  expect(page.querySelector('header')?.textContent).not.toMatch(/\bDue\b/)
  expect(page.textContent).not.toContain('Signatures may be missing')
  await press('Send a new copy…')
  expect(calls('documents.correctedCopy')).toHaveLength(1)
})

test('identity results are explained, and unknown ones shown as received', async () => {
  await open(fullPage())
  expect(screen.getByText('NoMatch')).toBeTruthy()
  expect(screen.getByText('The face couldn’t be matched to the identity document.')).toBeTruthy()
  expect(screen.getByText('Level 2 of 3')).toBeTruthy()
})

test('a video password is in the page only while it is shown', async () => {
  await open(fullPage())
  expect(document.body.innerHTML).not.toContain('kauri-42')
  await press('Show password')
  expect(calls('documents.videoPassword')[0]?.input).toEqual({ reference: 'doc-6', signer: 0 })
  expect(screen.getByText('kauri-42')).toBeTruthy()
  await opened.clock.pass(20_000)
  expect(document.body.innerHTML).not.toContain('kauri-42')
  await press('Show password')
  await press('Hide password')
  expect(document.body.innerHTML).not.toContain('kauri-42')
})

test('a video opens in the browser', async () => {
  await open(fullPage())
  await press('Watch video')
  expect(calls('documents.openInBrowser')[0]?.input).toEqual({ reference: 'doc-6', page: { videoOf: 0 } })
})

test('the package’s other documents are links with their status', async () => {
  await open(fullPage())
  const link = screen.getByRole('link', { name: 'Deed of gift Parata' })
  expect(link.getAttribute('href')).toContain('document=doc-8')
  expect(link.closest('li')?.textContent).toContain('Complete')
})

test('the history combines changes and own actions, newest first', async () => {
  const page = fullPage()
  await open(officeWith(page, { actions: [actionOf(page)] }))
  const section = screen.getByRole('heading', { name: 'History on this computer' }).parentElement as HTMLElement
  const entries = within(section)
    .getAllByRole('listitem')
    .map((one) => one.textContent ?? '')
  expect(entries).toHaveLength(5)
  expect(entries[0]).toContain('Extend the due date')
  expect(entries[0]).toContain(', done')
  expect(entries[1]).toContain('Tama Brooks signed.')
  expect(entries[1]).not.toContain('by this office')
  expect(entries[2]).toContain('by this office')
})

test('references can be copied', async () => {
  await open(fullPage())
  await press('Copy matter')
  expect(calls('system.copy')[0]?.input).toEqual({ text: 'M-2041' })
})

test('unknown members from the service are shown', async () => {
  await open(fullPage())
  expect(screen.getByText('QueuePosition')).toBeTruthy()
})

test('markup in names and texts stays text', async () => {
  await open(hostilePage())
  expect(article().querySelector('img[src], script, b')).toBeNull()
  expect(screen.getByRole('heading', { level: 2 }).textContent).toContain('<img src=x onerror=alert(1)>')
})

test('a document removed from the service says so, and offers no actions', async () => {
  await open({ ...fullPage(), goneAt: NOW - 86_400_000, erasedFrom: Date.UTC(2026, 11, 3) })
  expect(screen.getByText('Removed from the service.')).toBeTruthy()
  expect(screen.getByText(/erased from this computer on or after Thursday 3 December 2026/)).toBeTruthy()
  for (const name of [/Extend due date/, /Open at the counter/, /^Correct/, /^Remind/, /Assign to a notary/])
    expect(screen.queryByRole('button', { name })).toBeNull()
})

test('only signers the service lets be corrected offer a correction', async () => {
  await open(fullPage())
  expect(screen.getAllByRole('button', { name: /^Correct / }).map((one) => one.getAttribute('aria-label'))).toEqual([
    'Correct Anahera Singh…',
    'Correct Josef Lindqvist…'
  ])
})

test('a signer who can sign here has a link to the counter', async () => {
  await open(fullPage())
  await press('Open at the counter for Anahera Singh')
  const { screen: where, query } = opened.app.router.route
  expect([where, query.get('document'), query.get('signer')]).toEqual(['counter', 'doc-6', '2'])
})

test('reminders are offered only if the account has them', async () => {
  await open(
    officeWith(fullPage(), {
      rights: { reminders: 'no', readsEmployers: 'no', signedDocuments: 'unknown', signedFrom: [] }
    })
  )
  expect(screen.queryByRole('button', { name: /^Remind/ })).toBeNull()
})

test('a reminder is offered first among the document’s actions', async () => {
  await open(officeWith(fullPage()))
  const [remind, extend] = ['Remind…', 'Extend due date…'].map((name) => screen.getByRole('button', { name }))
  expect(remind?.compareDocumentPosition(extend as Element)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

test('someone whose turn hasn’t come isn’t reminded, and the page says who signs first', async () => {
  const page = fullPage()
  const [first, ...others] = page.people.filter(({ signerReference }) => signerReference)
  const waiting = { state: 'waiting' as const }
  const people = [
    { ...(first as (typeof page.people)[number]), ...waiting, name: 'Fatima Bennett', signedStatus: 'Invitation' },
    {
      ...(others[0] ?? (first as (typeof page.people)[number])),
      ...waiting,
      index: 9,
      name: 'Liam Ruatapu',
      signedStatus: 'Initialized'
    }
  ]
  await open(officeWith({ ...page, people }))
  const remind = button('Remind Liam Ruatapu…')
  expect(remind.hasAttribute('disabled')).toBe(true)
  expect(document.getElementById(remind.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'Invited after Fatima Bennett has signed.'
  )
  expect(button('Remind Fatima Bennett…').hasAttribute('disabled')).toBe(false)
})

test('offline, extending and correcting are available, and other actions explain why not', async () => {
  await open(officeWith(fullPage(), offline))
  expect(button(/Extend due date/).hasAttribute('disabled')).toBe(false)
  expect(button('Correct Anahera Singh…').hasAttribute('disabled')).toBe(false)
  for (const name of ['Remind Anahera Singh…', 'Watch video']) {
    const one = button(name)
    expect(one.hasAttribute('disabled')).toBe(true)
    expect(document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent).toContain('offline')
  }
  await fireEvent.keyDown(button('More actions'), { key: 'Enter' })
  for (const name of [/^Verify signatures/, /^Assign to a notary/, /^Open in browser/, /^Remind/]) {
    const one = await screen.findByRole('menuitem', { name })
    expect([one.getAttribute('aria-disabled'), one.textContent]).toEqual(['true', expect.stringContaining('offline')])
  }
})

test('verifying is disabled until someone has signed', async () => {
  await open(pageOf())
  await fireEvent.keyDown(button('More actions'), { key: 'Enter' })
  const verify = await screen.findByRole('menuitem', { name: /^Verify signatures/ })
  expect(verify.getAttribute('aria-disabled')).toBe('true')
  expect(verify.textContent).toContain('Nothing to verify yet: nobody has signed.')
})

describe('only the next step stands out', () => {
  const primary = () => [...article().querySelectorAll('.button.primary')].map((one) => one.textContent?.trim())
  const of = (status: string, change: Partial<Page> = {}) => ({
    ...fullPage(),
    status: readDocumentStatus(status),
    ...change
  })
  const signed = fullPage().people.map((one) => ({ ...one, state: 'signed' as const, canSignHere: false }))

  test.each<[string, Page, string[]]>([
    ['a reminder while someone hasn’t signed', fullPage(), ['Remind…']],
    ['the signatures once everyone has', of('Complete', { people: signed }), ['Verify signatures']],
    [
      'another date once it has expired',
      of('Expired', { people: [signerOf({ state: 'expired' })] }),
      ['Extend due date…']
    ],
    [
      'a new copy if someone declined',
      of('Declined', { people: [signerOf({ state: 'declined' })] }),
      ['Send a new copy…']
    ],
    ['nothing once it is gone', of('Complete', { people: signed, goneAt: NOW }), []]
  ])('%s', async (_, page, expected) => {
    await open(page)
    expect(primary()).toEqual(expected)
  })

  test('nothing once the signatures are verified', async () => {
    await open(officeWith(of('Complete', { people: signed }), { verifications: [verificationOf()] }))
    expect(primary()).toEqual([])
    expect(button('Verify again')).toBeTruthy()
  })

  test('and a verification from the menu is visible while it runs', async () => {
    await open(fullPage())
    let finish = () => {}
    const validate = opened.api.documents.validate
    opened.api.documents.validate = async (input) => {
      await new Promise<void>((done) => (finish = done))
      return validate(input)
    }
    await choose(/^Verify signatures/)
    expect(screen.getByText('Verifying…').closest('[role=status]')).toBeTruthy()
    finish()
    await settle()
    expect(screen.queryByText('Verifying…')).toBeNull()
  })
})

test('verifying shows each signature’s signer, time and validity, and the result can be saved', async () => {
  await open(fullPage())
  await choose(/^Verify signatures/)
  expect(screen.getByText('All 5 signatures are valid')).toBeTruthy()
  expect(screen.getAllByText('Valid')).toHaveLength(5)
  expect(screen.getAllByText(momentInWords(Date.parse('2025-11-20T03:04:05Z')))).toHaveLength(5)
  await press('Save result…')
  expect(calls('documents.saveValidation')[0]?.input).toEqual({ reference: 'doc-6' })
  expect(screen.getByText('Saved as signatures.json.')).toBeTruthy()
})

test('an earlier verification is shown with its time, without asking the service', async () => {
  await open(officeWith(fullPage(), { verifications: [verificationOf()] }))
  expect(screen.getByRole('heading', { name: 'All 3 signatures are valid' })).toBeTruthy()
  expect(article().textContent).toContain(`Verified by the service ${whenInWords(NOW - 3_600_000, NOW)}`)
  expect(screen.getByText('Signatures verified: all 3 valid.')).toBeTruthy()
  expect(calls('documents.validate')).toHaveLength(0)
  await press('Save result…')
  expect(screen.getByText('Saved as signatures.json.')).toBeTruthy()
})

test('a verification older than the latest signature warns that there may be more', async () => {
  const page = fullPage()
  const [change] = changesOf(page)
  if (!change) return expect.fail('Nothing happened to it.')
  const since = /^Someone may have signed since/
  const verifications = [verificationOf()]
  const signedAt = (at: number) => ({ ...change, kind: 'signed' as const, at })
  const api = officeWith(page, { verifications, changes: [signedAt(NOW - 2 * 3_600_000)] })
  await open(api)
  expect(screen.queryByText(since)).toBeNull()
  api.control.state.changes = [signedAt(NOW - 60_000)]
  api.control.emit('activity.changed', null)
  await settle()
  expect(screen.getByText(since)).toBeTruthy()
})

test('verifying again adds a second entry to the history', async () => {
  await open(officeWith(fullPage(), { verifications: [verificationOf({ by: 'rule' }, 1)] }))
  expect(article().textContent).toContain('Verified automatically by the service')
  await choose(/^Verify again/)
  expect(screen.getByRole('heading', { name: 'All 5 signatures are valid' })).toBeTruthy()
  expect(screen.getByText('Signatures verified: all 5 valid.')).toBeTruthy()
  expect(screen.getByText('Signatures verified: 1 of 3 not valid.')).toBeTruthy()
  expect(screen.getByText(', by a rule')).toBeTruthy()
})

test('a verification by a rule appears, and other documents’ verifications are not loaded', async () => {
  const api = officeWith(fullPage())
  await open(api)
  api.control.state.verifications = [verificationOf({}, 1)]
  const before = calls('documents.verifications').length
  api.control.emit('verifications.changed', { accountId: 'practice', reference: 'doc-7' })
  await settle()
  expect(calls('documents.verifications')).toHaveLength(before)
  api.control.emit('verifications.changed', { accountId: 'practice', reference: 'doc-6' })
  await settle()
  expect(screen.getByRole('heading', { name: '1 of 3 signatures is not valid' })).toBeTruthy()
})

test('a failed verification leaves the last one shown', async () => {
  const api = officeWith(fullPage(), { verifications: [verificationOf()] })
  api.control.fail('documents.validate', { code: 'not-found', message: 'No such document.' })
  await open(api)
  await choose(/^Verify again/)
  expect(screen.getByText('The service no longer has this document.')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'All 3 signatures are valid' })).toBeTruthy()
})

test('an altered verification says nothing about the signatures, and can’t be saved', async () => {
  const { Signatures: _, ...summary } = verificationOf({ isAltered: true })
  await open(officeWith(fullPage(), { verifications: [summary] }))
  expect(screen.getByRole('heading', { name: 'This saved verification was changed' })).toBeTruthy()
  expect(screen.getByText(/no longer matches the audit trail/)).toBeTruthy()
  expect(screen.queryByText(/signatures are valid|all 3 valid/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Save result…' })).toBeNull()
})

test('missing verifications are reported', async () => {
  await open(officeWith(fullPage(), { missingVerifications: 2 }))
  expect(screen.getByText('2 verifications of this document are missing.')).toBeTruthy()
})

test('verifications are shown even if the document can’t be loaded', async () => {
  const api = officeWith(fullPage(), { verifications: [verificationOf()] })
  api.control.fail('documents.get', { code: 'gone', message: 'It isn’t among those that were read.' })
  await open(api)
  expect(screen.getByText('Couldn’t load this document.')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'All 3 signatures are valid' })).toBeTruthy()
})

test('a document the service no longer has is explained by its retention period', async () => {
  const api = officeWith(fullPage())
  api.control.fail('documents.validate', { code: 'not-found', message: 'No such document.' })
  await open(api)
  await choose(/^Verify signatures/)
  expect(screen.getByText('The service no longer has this document.')).toBeTruthy()
  expect(screen.getByText(/retention period ends/)).toBeTruthy()
})

test('the log shows roles as the service wrote them, and additional data', async () => {
  const [log, ...logs] = fullPage().logs
  const entry = { ...log, Role: 'Notary PUBLIC', others: [{ name: 'Channel', value: 'kiosk' }] }
  await open({ ...fullPage(), logs: [entry, ...logs] })
  expect(screen.getByText(/Notary PUBLIC$/)).toBeTruthy()
  expect(screen.getByText('kiosk')).toBeTruthy()
})

test('what isn’t signed by everyone yet isn’t called the signed document', async () => {
  await open(officeWith(fullPage()))
  expect(screen.getByRole('button', { name: 'View document as signed so far' })).toBeTruthy()
  expect(screen.getByText('Not everyone has signed yet.')).toBeTruthy()
  expect(screen.queryByText(/^To download it/)).toBeNull()
})

test('a signed document can be viewed, and downloaded if the account allows it', async () => {
  const waiting = fullPage()
  const page = { ...waiting, people: waiting.people.map((one) => ({ ...one, state: 'signed' as const })) }
  const api = officeWith(page)
  await open(api)
  expect(screen.queryByRole('button', { name: 'Download signed document' })).toBeNull()
  expect(screen.getByText(/^To download it/)).toBeTruthy()
  const { accounts } = api.control.state
  api.control.state.accounts = accounts.map((account) => ({ ...account, savesSigned: 'yes' as const }))
  await opened.app.accounts.load()
  await settle()
  await press('Download signed document')
  expect(calls('downloads.start')[0]?.input).toEqual({ reference: page.reference, type: 'signed' })
  expect(screen.getAllByText('Signed document')).toHaveLength(2)
  await press('View signed document')
  expect(window.location.hash).toBe(`#/signed-document/${page.reference}`)
})

describe('the first download', () => {
  const first = () => {
    const api = officeWith(fullPage())
    api.control.state.downloadSettings = { ...api.control.state.downloadSettings, isFolderChosen: false }
    return api
  }

  test('asks once where to save, then continues', async () => {
    const api = first()
    await open(api)
    await press('Download report (PDF)')
    const dialog = within(await screen.findByRole('dialog', { name: 'Where should downloads be saved?' }))
    expect(dialog.getByText('Downloads')).toBeTruthy()
    expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'Save here' }))
    expect(calls('downloads.start')).toEqual([])
    await fireEvent.click(dialog.getByRole('button', { name: 'Change…' }))
    await settle()
    await fireEvent.click(dialog.getByRole('button', { name: 'Save here' }))
    await settle()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(api.control.state.downloadSettings).toMatchObject({
      isFolderChosen: true,
      folder: { label: 'Signed papers' }
    })
    expect(calls('downloads.start').map(({ input }) => input)).toEqual([{ reference: 'doc-6', type: 'pdf' }])
    api.control.state.downloads = []
    api.control.emit('downloads.changed', { id: null })
    await opened.clock.pass(1000)
    await press('Download report (PDF)')
    await settle()
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(calls('downloads.start')).toHaveLength(2)
  })

  test('doesn’t start when cancelled, and can be requested again', async () => {
    await open(first())
    for (const _ of [1, 2]) {
      await press('Download report (PDF)')
      const dialog = within(await screen.findByRole('dialog'))
      await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
      await settle()
    }
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(calls('downloads.start')).toEqual([])
    expect(button('Download report (PDF)').getAttribute('aria-busy')).toBeNull()
  })

  test('stays at the question with an error if the folder can’t be saved', async () => {
    const api = first()
    await open(api)
    api.control.fail('downloads.configure', { code: 'storage', message: 'No.' })
    await press('Download report (PDF)')
    await fireEvent.click(await screen.findByRole('button', { name: 'Save here' }))
    await settle()
    expect(screen.getByText('Couldn’t change the folder.')).toBeTruthy()
    expect(calls('downloads.start')).toEqual([])
  })
})

test('no signed document is offered before anyone has signed', async () => {
  await open(pageOf({ people: [signerOf({ state: 'waiting' })] }))
  expect(screen.queryByText('Signed document')).toBeNull()
})

test('a pending identity check has nothing to download', async () => {
  const people = [signerOf({ identityWords: [{ field: 'IDCheckStatus', value: 'Requested' }] })]
  await open(pageOf({ people }))
  expect(button('Download report (PDF)').hasAttribute('disabled')).toBe(true)
  expect(screen.getByText('No signer has completed an identity check yet.')).toBeTruthy()
})

test('a document without an identity check says that none was requested', async () => {
  await open(
    pageOf({
      idVerificationRequested: false,
      identity: 'none',
      people: [signerOf({ identity: 'none', identityWords: [] })]
    })
  )
  expect(screen.getByText('No identity check was requested for this document.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Download report (PDF)' })).toBeNull()
})

test('if the service doesn’t say whether one was requested, the report can be downloaded', async () => {
  const { idVerificationRequested: _, ...silent } = pageOf({
    identity: 'unknown',
    people: [signerOf({ identity: 'unknown', identityWords: [] })]
  })
  await open(silent)
  expect(screen.getByText(/^It isn’t known whether an identity check was requested/)).toBeTruthy()
  expect(button('Download report (PDF)').hasAttribute('disabled')).toBe(false)
})

test('a reported check is offered even if the service says that none was requested', async () => {
  await open(pageOf({ idVerificationRequested: false, people: [signerOf({ identity: 'passed' })] }))
  expect(button('Download report (PDF)').hasAttribute('disabled')).toBe(false)
})

test('the identity PDF is downloaded with progress, and can be shown in its folder', async () => {
  const api = officeWith(fullPage())
  await open(api)
  const changeDownload = async (change: Partial<DownloadView>) => {
    api.control.state.downloads = api.control.state.downloads.map((one) => ({ ...one, ...change }))
    api.control.emit('downloads.changed', { id: api.control.state.downloads[0]?.id ?? '' })
    await opened.clock.pass(1000)
  }
  await press('Download report (PDF)')
  expect(calls('downloads.start')[0]?.input).toEqual({ reference: 'doc-6', type: 'pdf' })
  await opened.clock.pass(1000)
  expect(button('Waiting…').getAttribute('aria-busy')).toBe('true')
  await changeDownload({ state: 'running', bytes: 120_000, total: 482_133 })
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25')
  expect(screen.getByText('120 KB of 482 KB')).toBeTruthy()
  await changeDownload({ state: 'done', bytes: 482_133, fileName: '2025/Deed.identity.pdf', finishedAt: NOW })
  expect(screen.getByText('Downloads › 2025 › Deed.identity.pdf')).toBeTruthy()
  await press('Show in folder')
  expect(calls('downloads.reveal')).toHaveLength(1)
})

test('a download can be requested offline, and waits for a connection', async () => {
  await open(officeWith(fullPage(), offline))
  expect(button('Download report (PDF)').hasAttribute('disabled')).toBe(false)
})

test('a failed download explains why, and can be started again', async () => {
  const failed = downloadOf({
    id: 'dl-9',
    documentReference: 'doc-6',
    state: 'failed',
    error: { code: 'not-found', message: 'The service does not have it.' }
  })
  await open(officeWith(fullPage(), { downloads: [downloadOf({ documentReference: 'doc-1' }), failed] }))
  expect(screen.getByText(/Refresh and try again/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Show in folder' })).toBeNull()
  await press('Download again')
  expect(calls('downloads.retry')[0]?.input).toEqual({ ids: ['dl-9'] })
})

test('a document that can’t be loaded offers a retry', async () => {
  const api = officeWith(pageOf())
  api.control.fail('documents.get', { code: 'storage', message: 'The disk is gone.' })
  await open(api)
  expect(screen.getByText('Couldn’t load this document.')).toBeTruthy()
  api.control.heal('documents.get')
  await press('Try again')
  expect(screen.getByText('lena.marchetti@example.com')).toBeTruthy()
})

test('single-letter shortcuts work on the page, but not in text fields', async () => {
  await open(fullPage())
  await fireEvent.keyDown(screen.getByRole('heading', { level: 2 }), { key: 'v' })
  await settle()
  expect(calls('documents.validate')).toHaveLength(1)
  await fireEvent.keyDown(screen.getByRole('heading', { level: 2 }), { key: 'd' })
  await settle()
  const dialog = screen.getByRole('dialog')
  await fireEvent.keyDown(within(dialog).getByLabelText('New date'), { key: 'v' })
  await settle()
  expect(calls('documents.validate')).toHaveLength(1)
})

test('the page follows changes to the document', async () => {
  const api = officeWith(pageOf())
  const folders: string[] = []
  await open(api, { onfound: (_document: unknown, folder: string) => folders.push(folder) })
  api.control.state.documents = [pageOf({ status: readDocumentStatus('Complete'), folder: 'Signed' })]
  api.control.emit('documents.changed', { accountId: 'practice', version: 2 })
  await settle()
  expect(screen.getAllByText('Complete').length).toBeGreaterThan(0)
  expect(folders).toHaveLength(1)
})
