import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import CommandDialogs from '../../src/renderer/src/screens/documents/CommandDialogs.svelte'
import DocumentPage from '../../src/renderer/src/screens/documents/DocumentPage.svelte'
import { DocumentCommands } from '../../src/renderer/src/screens/documents/document-commands.svelte.ts'
import ExtendDialog from '../../src/renderer/src/screens/documents/ExtendDialog.svelte'
import { extensionOf } from '../../src/renderer/src/screens/documents/extension.ts'
import { momentInWords, offsetAt } from '../../src/renderer/src/words/dates.ts'
import type { ActionView, DocumentPage as Page } from '../../src/shared/contract/views.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'
import { actionOf, fullPage, pageOf, signerOf } from './document-pages.ts'
import { type FakeApi, type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

const officeWith = (page: Page, change: Partial<FakeState> = {}) =>
  fakeApi({
    documents: [page, ...documents(40).filter(({ reference }) => reference !== 'doc-6')],
    downloads: [],
    ...change
  })

async function open(api: FakeApi = officeWith(fullPage())) {
  opened = await openOffice(api)
  const commands = new DocumentCommands(opened.app)
  show(opened, DocumentPage, { reference: 'doc-6', commands, onclose: () => {} })
  show(opened, CommandDialogs, { commands })
  await settle()
}

interface Started {
  id: string
  reference: string
  request: { kind: string; dueDate: string; gmt: number; signers: Record<string, unknown>[] }
}
const started = () =>
  opened.api.control.calls.filter(({ name }) => name === 'actions.start').map(({ input }) => input as Started)
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const button = (name: string | RegExp) => screen.getByRole('button', { name })
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
async function type(label: string, value: string) {
  await fireEvent.input(screen.getByLabelText(new RegExp(`^${label}`)), { target: { value } })
  await settle()
}
const offline = { connection: { state: 'offline' as const, since: NOW } }

test('a new due date is sent as ISO 8601 with its offset in minutes, and the result is shown', async () => {
  await open()
  await press(/Extend due date/)
  await type('New date', '2026-01-15')
  await type('Time$', '17:00')
  const at = new Date(2026, 0, 15, 17, 0).getTime()
  expect(screen.getByRole('dialog').textContent).toContain('Thursday 15 January 2026 at 17:00.')
  // Its title and buttons aren't landmarks of the page.
  expect(screen.getByRole('dialog').querySelector('header, footer')).toBeNull()
  await press('Extend to 15 January 2026')
  const [one] = started()
  expect(one).toMatchObject({ reference: 'doc-6', request: { kind: 'extend', gmt: offsetAt(at) } })
  expect(one?.request.dueDate).toMatch(/^2026-01-15T17:00:00[+-]\d\d:\d\d$/)
  expect(Date.parse(one?.request.dueDate ?? '')).toBe(at)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(screen.getByText(/^Due date changed to /)).toBeTruthy()
  expect(
    screen.getByText(new RegExp(`^Due date changed to ${momentInWords(at).replace(/[()+]/g, '\\$&')}`))
  ).toBeTruthy()
})

/** Chooses a time zone that this computer can't be in. */
async function chooseZone(name: string) {
  const zone = screen.getByLabelText(/^Time zone/)
  await fireEvent.focus(zone)
  await opened.clock.pass(1000)
  await fireEvent.input(zone, { target: { value: name } })
  await fireEvent.keyDown(zone, { key: 'Enter' })
  await settle()
}

test('a new due date uses the chosen time zone and its offset on that day', async () => {
  await open()
  await press(/Extend due date/)
  await type('New date', '2026-07-15')
  await type('Time$', '17:00')
  await chooseZone('tokyo')
  const dialog = screen.getByRole('dialog').textContent
  expect(dialog).toMatch(/Wednesday 15 July 2026 at 17:00 \(UTC\+09:00\)\./)
  expect(dialog).toMatch(/Japan standard time\.\s+That is 08:00 here;/)
  await press('Extend to 15 July 2026')
  expect(started()[0]?.request).toEqual({ kind: 'extend', dueDate: '2026-07-15T17:00:00+09:00', gmt: 540 })
})

test('a due date without a time moves by whole days, to the end of the local business day', async () => {
  // Midnight on 12 January in its own zone; the local day may be the one before or after.
  const due = { at: Date.UTC(2026, 0, 12) - 14 * 3_600_000, offset: 14 * 60, precision: 'day' as const }
  await open(officeWith(pageOf({ due })))
  await press(/Extend due date/)
  expect(screen.getByText('Currently due Monday 12 January 2026.')).toBeTruthy()
  await press('Extend to 19 January 2026')
  expect(Date.parse(started()[0]?.request.dueDate ?? '')).toBe(new Date(2026, 0, 19, 17, 0).getTime())
})

test.each([
  [{}, 'Current due date unknown.'],
  [{ dueWritten: '05/12/2026', isDueAmbiguous: true }, 'Currently due “05/12/2026”.']
])('a due date that is unknown or ambiguous is described as such: %j', async (change, words) => {
  const { due: _, ...page } = pageOf()
  await open(officeWith({ ...page, ...change }))
  await press(/Extend due date/)
  expect(screen.getByText(words)).toBeTruthy()
})

test('an unknown time zone blocks the new due date until corrected, even when Enter is pressed', async () => {
  await open()
  await press(/Extend due date/)
  await chooseZone('Atlantis')
  expect(screen.getByText(/No time zone matches “Atlantis”/)).toBeTruthy()
  expect(button(/^Extend to/).hasAttribute('disabled')).toBe(true)
  await chooseZone('tokyo')
  expect(button(/^Extend to/).hasAttribute('disabled')).toBe(false)
  expect(started()).toHaveLength(0)
})

test('retrying a refused due date keeps the time zone it was requested in', async () => {
  const page = fullPage()
  const request = { kind: 'extend' as const, dueDate: '2026-07-15T17:00:00+05:45', gmt: 345 }
  const error = { code: 'invalid' as const, message: 'Refused.' }
  await open(officeWith(page, { actions: [actionOf(page, { state: 'refused', error, request })] }))
  await press('Edit and try again…')
  expect((screen.getByLabelText(/^Time$/) as HTMLInputElement).value).toBe('17:00')
  expect((screen.getByLabelText(/^Time zone/) as HTMLInputElement).value).toBe('UTC+05:45')
  await press(/^Extend to/)
  expect(started()[0]?.request).toEqual(request)
})

test('the extension dialog lists every document of the package that it affects', async () => {
  await open()
  await press(/Extend due date/)
  const dialog = screen.getByRole('dialog')
  expect(dialog.textContent).toMatch(/Applies to all 3 documents in\s+the package/)
  expect(within(dialog).getByText('Deed of gift Parata')).toBeTruthy()
})

test('the quick choice that matches the new due date is shown as pressed', async () => {
  await open()
  await press(/Extend due date/)
  const chosen = () => screen.queryByRole('button', { pressed: true })?.textContent?.trim()
  expect(chosen()).toBe('1 week later')
  await press('2 weeks later')
  expect(chosen()).toBe('2 weeks later')
  await type('New date', '2027-01-15')
  expect(chosen()).toBeUndefined()
})

test('a due date in the past is not sent', async () => {
  await open()
  await press(/Extend due date/)
  await type('New date', '2020-01-15')
  expect(screen.getByText(/Choose a time in the future/)).toBeTruthy()
  await press('Extend')
  expect(started()).toHaveLength(0)
})

test('a double click extends once, and retrying after a failed request reuses the same id', async () => {
  const api = officeWith(fullPage())
  api.control.fail('actions.start', { code: 'internal', message: 'No answer.' })
  await open(api)
  await press(/Extend due date/)
  const extend = button(/^Extend to/)
  await Promise.all([fireEvent.click(extend), fireEvent.click(extend)])
  await settle()
  expect(started()).toHaveLength(1)
  expect(screen.getByText('The due date couldn’t be changed.')).toBeTruthy()
  api.control.heal('actions.start')
  await press(/^Extend to/)
  const [first, second] = started()
  expect(second?.id).toBe(first?.id)
  // A dialog goes once its closing animation has run.
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('extending several documents sends one action per package and leaves out closed documents', async () => {
  const rows = documents(40)
  const [a, b, other] = [rows[6], rows[7], rows[8]] as [Page, Page, Page]
  const declined = pageOf({ reference: 'doc-x', status: readDocumentStatus('Declined') })
  const chosen = [
    { ...a, status: readDocumentStatus('InProgress') },
    { ...b, status: readDocumentStatus('InProgress') },
    other,
    declined
  ]
  opened = await openOffice(fakeApi())
  const done: ActionView[] = []
  show(opened, ExtendDialog, {
    documents: chosen.map(({ package: _package, ...row }) => row),
    open: true,
    onstarted: (actions: ActionView[]) => done.push(...actions)
  })
  await settle()
  expect(screen.getByRole('dialog', { name: 'Extend the due date of 2 packages' })).toBeTruthy()
  expect(screen.getByText('1 document left out: declined.')).toBeTruthy()
  await press(/^Extend to/)
  expect(started().map(({ reference }) => reference)).toEqual([a.reference, other.reference])
  expect(new Set(started().map(({ id }) => id)).size).toBe(2)
  expect(done).toHaveLength(2)
})

test('a due date can be set for a document that two accounts show', async () => {
  const [one] = documents(40).filter(({ folder }) => folder === 'Progress') as [Page]
  const { package: _, ...row } = one
  opened = await openOffice(fakeApi())
  show(opened, ExtendDialog, { documents: [row, { ...row, accountId: 'second' }], open: true })
  await settle()
  expect(within(screen.getByRole('dialog')).getAllByRole('listitem')).toHaveLength(2)
})

test('a correction lists its changes before sending, and contains only that signer', async () => {
  await open()
  await press('Correct Anahera Singh…')
  expect(screen.getByText('No changes yet.')).toBeTruthy()
  expect(button('Correct Anahera').hasAttribute('disabled')).toBe(true)
  await type('E-mail', 'anahera@example.org')
  await type('Mobile', '021 555 010')
  await fireEvent.click(screen.getByLabelText('Video confirmation'))
  const what = screen.getByRole('region', { name: 'What changes' })
  expect(what.textContent).toContain('3 changes')
  expect(what.querySelector('del')?.textContent).toBe('anahera.singh@example.com')
  expect(what.querySelector('ins')?.textContent).toBe('anahera@example.org')
  expect(what.textContent).toContain('may keep working until the due date')
  await press('Correct Anahera')
  expect(started()[0]?.request.signers).toEqual([
    {
      index: 2,
      was: {
        SignerReference: 'signer-6-0',
        FirstName: 'Anahera',
        LastName: 'Singh',
        Email: 'anahera.singh@example.com'
      },
      FirstName: 'Anahera',
      LastName: 'Singh',
      Email: 'anahera@example.org',
      MobileNumber: '021555010',
      VideoConfirmationEnabled: true
    }
  ])
  expect(screen.getByText('Details of Anahera Singh corrected.')).toBeTruthy()
})

test('a corrected address is said until the signer has been reminded', async () => {
  const person = signerOf({ name: 'Anahera Singh', email: 'anahera@example.com', signerReference: 'signer-a' })
  const page = pageOf({ people: [person] })
  const { index, firstName: FirstName, lastName: LastName } = person
  const was = { SignerReference: 'signer-a', FirstName, LastName, Email: 'anahera@exmaple.com' }
  const signers = [{ index, was, FirstName, LastName, Email: 'anahera@example.com' }]
  const corrected = actionOf(page, { request: { kind: 'correct', signers } })
  const correctionNotice = () => screen.queryByText(/^Corrected from anahera@exmaple.com\./)
  await open(officeWith(page, { actions: [corrected] }))
  expect(correctionNotice()?.textContent ?? '').toContain('A reminder sends the link to the new address.')
  const request = { kind: 'remind' as const, signerReference: 'signer-a', signerName: 'Anahera Singh' }
  opened.api.control.state.actions = [actionOf(page, { id: 'a-reminder', request }), corrected]
  opened.api.control.emit('actions.changed', { ids: ['a-reminder'] })
  await settle()
  expect(correctionNotice()).toBeNull()
})

test('retrying a refused correction finds the same signer after the list was reordered', async () => {
  const people = fullPage().people.map((one, index) => ({ ...one, signerReference: `signer-${index}`, editable: true }))
  const page = {
    ...fullPage(),
    people: people.map((one, index) => ({ ...one, index: people.length - 1 - index })).toReversed()
  }
  const [first] = people
  const { firstName: FirstName = '', lastName: LastName = '', email: Email = '' } = first ?? {}
  const was = { SignerReference: 'signer-0', FirstName, LastName, Email }
  const signers = [{ index: 0, was, FirstName, LastName, Email: 'another@example.org' }]
  const error = { code: 'invalid' as const, message: 'Refused.' }
  await open(
    officeWith(page, { actions: [actionOf(page, { state: 'refused', error, request: { kind: 'correct', signers } })] })
  )
  await press('Edit and try again…')
  expect(screen.getByRole('dialog', { name: `Correct ${first?.name}` })).toBeTruthy()
  await press(`Correct ${FirstName}`)
  expect(started()[0]?.request.signers).toMatchObject([
    { index: people.length - 1, was: { SignerReference: 'signer-0' }, Email: 'another@example.org' }
  ])
})

describe('correcting several signers together', () => {
  const grace = { FirstName: 'Grace', LastName: 'Okafor', Email: 'grace@example.org', IsDefault: true }
  const signers = () => [
    signerOf({ signerReference: 's-0', sharedWith: [grace] }),
    signerOf({
      index: 1,
      name: 'Tama Brooks',
      firstName: 'Tama',
      lastName: 'Brooks',
      email: 'tama@example.com',
      signerReference: 's-1'
    })
  ]
  const part = (name: string) => within(screen.getByRole('group', { name }))
  const typeIn = async (name: string, label: string, value: string) => {
    await fireEvent.input(part(name).getByLabelText(new RegExp(`^${label}`)), { target: { value } })
    await settle()
  }
  const what = () => screen.getByRole('region', { name: 'What changes' }).textContent?.replace(/\s+/g, ' ')
  const unfold = async (name: string) => {
    await fireEvent.click(part(name).getByText('Shared with'))
    const details = part(name).getByText('Shared with').closest('details') as HTMLDetailsElement
    details.open = true
    await fireEvent(details, new Event('toggle'))
    await settle()
  }
  async function both() {
    const people = signers()
    await open(officeWith(pageOf({ people })))
    const [first] = people
    await press(`Correct ${first?.name}…`)
    await press('Also correct Tama Brooks')
    expect(part('Tama Brooks').getByLabelText('First name')).toBe(document.activeElement)
    return first?.name ?? ''
  }

  test('lists the changes for each signer and sends them in one action', async () => {
    const first = await both()
    expect(screen.getByRole('dialog', { name: 'Correct 2 signers' })).toBeTruthy()
    await typeIn('Tama Brooks', 'E-mail', 'tama.brooks@example.org')
    expect(what()).toContain(`${first}: no changes`)
    expect(button('Correct Tama')).toBeTruthy()
    await typeIn(first, 'Mobile', '021 555 010')
    expect(what()).toMatch(/2 changes.*sent to tama@example.com.*All corrections are sent together/)
    expect(screen.getByText(/: mobile of .*; e-mail of Tama Brooks$/)).toBeTruthy()
    await press('Correct 2 signers')
    expect(started()[0]?.request.signers).toMatchObject([
      { index: 0, was: { SignerReference: 's-0' }, MobileNumber: '021555010' },
      { index: 1, was: { SignerReference: 's-1' }, Email: 'tama.brooks@example.org' }
    ])
  })

  test('warns that a signer with a counter link needs a new one after an address change', async () => {
    const people = [signerOf({ canSignHere: true }), signerOf({ index: 1, name: 'Tama Brooks', canSignHere: false })]
    await open(officeWith(pageOf({ people })))
    await press(`Correct ${people[0]?.name}…`)
    await type('E-mail', 'new@example.org')
    expect(what()).toContain(`${people[0]?.name} can’t sign at the counter until the service gives a new link`)
    await press('Cancel')
    await press('Correct Tama Brooks…')
    await type('E-mail', 'tama@example.org')
    expect(what()).toContain('watch who signs.')
    expect(what()).not.toContain('at the counter')
  })

  test('can leave a signer out again, and omits an unchanged signer', async () => {
    const first = await both()
    await typeIn('Tama Brooks', 'E-mail', 'tama.brooks@example.org')
    await press(`Leave out ${first}`)
    expect(screen.getByRole('dialog', { name: 'Correct Tama Brooks' })).toBeTruthy()
    await press('Correct Tama')
    expect(started()[0]?.request.signers).toHaveLength(1)
  })

  test('warns at both signers when they would get the same address', async () => {
    const first = await both()
    await typeIn(first, 'E-mail', 'one@example.org')
    await typeIn('Tama Brooks', 'E-mail', 'one@example.org')
    expect(screen.getAllByText(/has this address too/)).toHaveLength(2)
  })

  test('retries a refused correction for both, and says that some may have been changed', async () => {
    const page = pageOf({ people: signers() })
    const corrected = page.people.map(({ index, firstName, lastName, email = '', signerReference = '' }) => {
      const names = { FirstName: firstName, LastName: lastName }
      return {
        index,
        was: { SignerReference: signerReference, ...names, Email: email },
        ...names,
        Email: `new-${index}@example.org`
      }
    })
    const request = { kind: 'correct' as const, signers: corrected }
    const error = { code: 'invalid' as const, message: 'Refused.' }
    await open(officeWith(page, { actions: [actionOf(page, { state: 'refused', error, request })] }))
    expect(screen.getByText(/some signers may have been changed/)).toBeTruthy()
    await press('Edit and try again…')
    await press('Correct 2 signers')
    expect(started()[0]?.request.signers).toEqual(corrected)
  })

  test('adds, changes and removes people shared with, and lists each change before sending', async () => {
    const [person] = signers()
    await open(officeWith(pageOf({ people: [person as NonNullable<typeof person>] })))
    const name = person?.name ?? ''
    await press(`Correct ${name}…`)
    await unfold(name)
    await press('Add a person')
    expect(document.activeElement).toBe(part('Shared with person 2').getByLabelText('First name'))
    expect(what()).toContain('No changes yet.')
    await typeIn('Shared with person 2', 'First name', 'Hemi')
    expect(screen.getByText('Enter the last name.')).toBeTruthy()
    await typeIn('Shared with Hemi', 'Last name', 'Tane')
    await typeIn('Shared with Hemi', 'E-mail', 'hemi@example.org')
    await fireEvent.click(part('Shared with Grace').getByLabelText('Owner'))
    await settle()
    expect(what()).toContain('not shared →to Hemi Tane (hemi@example.org)')
    expect(what()).toContain(
      'Grace Okafor (grace@example.org, default) →to Grace Okafor (grace@example.org, default, owner)'
    )
    await press('Stop sharing with Grace')
    expect(what()).toContain('Grace Okafor (grace@example.org, default) →to not shared')
    expect(what()).toContain('The service decides whether sharing stops')
    await press(`Correct ${person?.firstName}`)
    expect(started()[0]?.request.signers[0]?.ShareUsers).toEqual([
      { FirstName: 'Hemi', LastName: 'Tane', Email: 'hemi@example.org' }
    ])
  })

  test('says that the service decides when it doesn’t report sharing or editability', async () => {
    const { sharedWith: _, ...person } = signerOf({ editable: 'perhaps' })
    await open(officeWith(pageOf({ people: [person] })))
    await press(`Correct ${person.name}…`)
    expect(screen.getByText(/may no longer be correctable: the service decides/)).toBeTruthy()
    expect(screen.getByText('unknown')).toBeTruthy()
    await unfold(person.name)
    expect(screen.getByText(/The service decides whether people you add here join them/)).toBeTruthy()
  })

  test('cycles an unknown signing option through on, off and unknown', async () => {
    const { faceToFace: _, video: _video, ...person } = signerOf({ reviewBeforeSigning: true })
    await open(officeWith(pageOf({ people: [person] })))
    await press(`Correct ${person.name}…`)
    const video = screen.getByLabelText<HTMLInputElement>('Video confirmation')
    expect(screen.getByLabelText<HTMLInputElement>('Review before signing').indeterminate).toBe(false)
    const turned = async () => {
      await fireEvent.click(video)
      await settle()
      return [video.indeterminate, video.checked, what()]
    }
    expect([video.indeterminate, video.checked]).toEqual([true, false])
    expect(await turned()).toEqual([false, true, expect.stringContaining('unknown →to yes')])
    expect(await turned()).toEqual([false, false, expect.stringContaining('unknown →to no')])
    expect(await turned()).toEqual([true, false, expect.stringContaining('No changes yet.')])
    await turned()
    await turned()
    await press(`Correct ${person.firstName}`)
    const [sent = {}] = started()[0]?.request.signers ?? []
    expect(sent).toMatchObject({ VideoConfirmationEnabled: false })
    expect(Object.keys(sent)).not.toContain('IsFaceToFaceSigning')
  })

  test('unfolds a shared person without a last name, and blocks until it is entered', async () => {
    const people = [signerOf({ sharedWith: [{ FirstName: 'Grace', Email: 'grace@example.org' }] })]
    await open(officeWith(pageOf({ people })))
    await press(`Correct ${people[0]?.name}…`)
    await type('Mobile', '021 555 010')
    expect(screen.getByText('Enter the last name.')).toBeTruthy()
    const correct = () => button(`Correct ${people[0]?.firstName}`)
    expect(correct().hasAttribute('disabled')).toBe(true)
    await typeIn('Shared with Grace', 'Last name', 'Okafor')
    expect(correct().hasAttribute('disabled')).toBe(false)
  })

  test('requires video confirmation for the deepfake detector', async () => {
    const [person] = signers()
    await open(
      officeWith(
        pageOf({ people: [{ ...(person as NonNullable<typeof person>), video: false, deepfakeDetector: false }] })
      )
    )
    await press(`Correct ${person?.name}…`)
    await fireEvent.click(screen.getByLabelText('Deepfake detector'))
    await settle()
    expect(screen.getByText(/deepfake detector needs video confirmation/)).toBeTruthy()
    await fireEvent.click(screen.getByLabelText('Video confirmation'))
    await settle()
    expect(what()).toContain('2 changes')
  })
})

test('an invalid address blocks a correction, while another signer’s address only causes a warning', async () => {
  await open()
  await press('Correct Anahera Singh…')
  await type('E-mail', 'anahera')
  expect(screen.getByText(/This isn’t an e-mail address/)).toBeTruthy()
  expect(button('Correct Anahera').hasAttribute('disabled')).toBe(true)
  await type('E-mail', 'Tama.Brooks@example.com')
  expect(screen.getByText(/Tama Brooks has this address too/)).toBeTruthy()
  expect(button('Correct Anahera').hasAttribute('disabled')).toBe(false)
})

test('assigning to a notary explains both options and shows the resulting status', async () => {
  await open()
  await choose(/Assign to a notary/)
  expect(button('Assign').hasAttribute('disabled')).toBe(true)
  await type('Notary’s reference', ' NOT-4471 ')
  await fireEvent.click(screen.getByLabelText(/Invite now, without tagging/))
  await press('Assign and invite')
  expect(started()[0]?.request).toEqual({ kind: 'notary', notaryReference: 'NOT-4471', send: true })
  expect(screen.getByText('WaitingForNotary')).toBeTruthy()
  expect(screen.getByText('Assigned to notary NOT-4471.')).toBeTruthy()
})

test('notary references used before are suggested', async () => {
  const page = fullPage()
  const request = { kind: 'notary' as const, notaryReference: 'NOT-0007', send: false }
  await open(
    officeWith(page, { actions: [actionOf(page, { request })], remembered: { NotaryReference: ['NOT-0008'] } })
  )
  await choose(/Assign to a notary/)
  await type('Notary’s reference', 'not')
  expect(screen.getAllByRole('option').map((one) => one.textContent)).toEqual(['NOT-0008', 'NOT-0007'])
})

test('a reminder names its recipient and is sent once', async () => {
  await open()
  await press('Remind Anahera Singh…')
  // As where everyone on a document is reminded.
  const dialog = screen.getByRole('dialog', { name: 'Send a reminder?' })
  const who = within(within(dialog).getByRole('list', { name: 'Who gets a reminder' })).getAllByRole('listitem')
  expect(who.map(({ textContent }) => textContent)).toEqual([expect.stringContaining('anahera.singh@example.com')])
  await press('Send reminder')
  expect(started()).toHaveLength(1)
  expect(started()[0]?.request).toEqual({
    kind: 'remind',
    signerReference: 'signer-6-0',
    signerName: 'Anahera Singh'
  })
  expect(screen.getByText('Reminder sent to Anahera Singh.')).toBeTruthy()
})

test('offline, an extension waits for a connection, says so, and can be cancelled', async () => {
  await open(officeWith(fullPage(), offline))
  await press(/Extend due date/)
  expect(screen.getByText(/will be done automatically once you’re back online/)).toBeTruthy()
  await press(/^Extend to/)
  expect(screen.getByText(/: waiting for a connection\.$/)).toBeTruthy()
  await press('Undo')
  expect(calls('actions.cancel')).toHaveLength(1)
  expect(screen.getByText(/: cancelled\.$/)).toBeTruthy()
})

test('undoing several actions cancels each that still waits, although the first was sent meanwhile', async () => {
  const actions = ['a', 'b', 'c'].map((id) => actionOf(fullPage(), { id, state: 'waiting' }))
  const api = fakeApi({ actions })
  opened = await openOffice(api)
  const cancel = api.actions.cancel
  api.actions.cancel = async (input) => {
    const answer = await cancel(input)
    return input.id === 'a' ? { ok: false, error: { code: 'busy', message: 'It is being sent.' } } : answer
  }
  const { toasts } = opened.app
  new DocumentCommands(opened.app).reportStarted(actions)
  expect(toasts.undo()).toBe(true)
  await settle()
  expect(calls('actions.cancel').map(({ input }) => input)).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }])
  expect(toasts.shown.map(({ text }) => text)).toEqual(['Not everything could be undone. It is being sent.'])
})

test('a refused action shows the service’s reason, and can be edited and retried', async () => {
  const page = fullPage()
  const error = { code: 'invalid' as const, message: 'Refused.', serviceMessage: 'Too late a date.' }
  await open(officeWith(page, { actions: [actionOf(page, { state: 'refused', error })] }))
  expect(screen.getByText(/^The service says: “Too late a date.”/)).toBeTruthy()
  await press('Edit and try again…')
  expect((screen.getByLabelText('New date') as HTMLInputElement).value).toBe('18 December 2025')
  await press(/^Extend to/)
  expect(started()[0]?.id).not.toBe(actionOf(page).id)
  expect(screen.queryByText(/Too late a date/)).toBeNull()
})

test('a refused action can be retried unchanged', async () => {
  const page = fullPage()
  const error = { code: 'server' as const, message: 'Broken.' }
  await open(officeWith(page, { actions: [actionOf(page, { state: 'refused', error })] }))
  await press('Try again')
  expect(calls('actions.retry')[0]?.input).toEqual({ id: actionOf(page).id })
})

test('what another workstation did first is told as that, and isn’t tried again', async () => {
  const page = fullPage()
  const message = 'Front desk changed this due date at 08:56, so nothing was done here.'
  const error = { code: 'conflict' as const, message, next: 'Look at the document.' }
  const { attemptedAt: _attemptedAt, ...refused } = actionOf(page, { state: 'refused', error })
  await open(officeWith(page, { actions: [refused] }))
  expect(screen.getByText(message)).toBeTruthy()
  expect(screen.queryByText(/hasn’t changed|wasn’t changed/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Dismiss' })).toBeTruthy()
})

test('an action whose answer was lost is shown as not confirmed, and repeating it needs confirmation', async () => {
  const page = fullPage()
  const request = { kind: 'remind' as const, signerReference: 'signer-6-0', signerName: 'Anahera Singh' }
  const uncertain = () => officeWith(page, { actions: [actionOf(page, { state: 'uncertain', request })] })
  await open(uncertain())
  expect(screen.getByText('Reminder to Anahera Singh: not confirmed.')).toBeTruthy()
  expect(screen.getByText(/may or may not have been done/)).toBeTruthy()
  await press('Do it again…')
  expect(calls('actions.retry')).toHaveLength(0)
  expect(within(screen.getByRole('dialog')).getByText(/would remind the signer twice/)).toBeTruthy()
  await press('Do it again')
  expect(calls('actions.retry')).toHaveLength(1)
})

test('an uncertain action can be checked, or settled by staff', async () => {
  const page = fullPage()
  const actions = [
    actionOf(page, { state: 'uncertain' }),
    actionOf(page, { id: crypto.randomUUID(), state: 'uncertain' })
  ]
  await open(officeWith(page, { actions }))
  await fireEvent.click(screen.getAllByRole('button', { name: 'Check now' })[0] as HTMLElement)
  await settle()
  expect(calls('actions.check')).toHaveLength(1)
  await press('It wasn’t done')
  expect(calls('actions.resolve')[0]?.input).toMatchObject({ happened: false })
})

test('a running action is updated when it finishes elsewhere', async () => {
  const page = fullPage()
  const api = officeWith(page, { actions: [actionOf(page, { state: 'running' })] })
  await open(api)
  expect(screen.getByText(/in progress…/)).toBeTruthy()
  api.control.state.actions = [actionOf(page)]
  api.control.emit('actions.changed', { ids: [actionOf(page).id] })
  await settle()
  expect(screen.getByText(/^Due date changed to /)).toBeTruthy()
  await press('Dismiss')
  expect(screen.queryByText(/^Due date changed to /)).toBeNull()
})

test('markup in names stays text in the dialogs', async () => {
  const people = [signerOf({ name: '<b>Lena</b>', firstName: '<b>Lena</b>', editable: true })]
  await open(officeWith(pageOf({ people, name: '<img src=x>' })))
  await press('Correct <b>Lena</b>…')
  expect(screen.getByRole('dialog').querySelector('b, img')).toBeNull()
})

test('a date and a time are sent as the same moment', async () => {
  await open()
  for (const [day, time] of [
    ['2026-07-01', '09:30'],
    ['2026-12-31', '23:59'],
    ['2028-02-29', '00:00']
  ] as const) {
    const extension = extensionOf(day, time)
    expect(Date.parse(extension?.dueDate ?? '')).toBe(new Date(`${day}T${time}`).getTime())
    expect(extension?.at).toBe(new Date(`${day}T${time}`).getTime())
  }
  // In a time zone: a time skipped by daylight saving becomes the next hour, and of a time that occurs twice the first
  // counts.
  expect(extensionOf('2026-09-27', '02:30', 'Pacific/Auckland')?.dueDate).toBe('2026-09-27T03:30:00+13:00')
  expect(extensionOf('2026-04-05', '02:30', 'Pacific/Auckland')?.dueDate).toBe('2026-04-05T02:30:00+13:00')
  for (const day of ['2026-02-30', '', '12026-01-01', '2026-13-01']) expect(extensionOf(day, '10:00')).toBeUndefined()
  expect(extensionOf('2026-01-01', '25:00')).toBeUndefined()
})
