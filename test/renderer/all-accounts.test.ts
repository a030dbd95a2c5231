import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Activity from '../../src/renderer/src/screens/activity/Activity.svelte'
import Start from '../../src/renderer/src/screens/compose/Start.svelte'
import Documents from '../../src/renderer/src/screens/documents/Documents.svelte'
import Downloads from '../../src/renderer/src/screens/downloads/Downloads.svelte'
import Drafts from '../../src/renderer/src/screens/drafts/Drafts.svelte'
import Outbox from '../../src/renderer/src/screens/outbox/Outbox.svelte'
import type { DocumentPage } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { documents, downloadOf, sendOf } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

const [ours, theirs] = documents(2) as [DocumentPage, DocumentPage]
const api = () =>
  fakeApi({
    documents: [
      { ...ours, name: 'Deed of ours' },
      { ...theirs, accountId: 'harbour', name: 'Deed of theirs' }
    ],
    sends: [
      sendOf({ id: 'one', title: 'Lease of ours' }),
      sendOf({ id: 'two', accountId: 'harbour', title: 'Lease of theirs' })
    ],
    downloads: [
      downloadOf({ id: 'one' }),
      downloadOf({ id: 'two', accountId: 'harbour', documentName: 'Report of theirs' })
    ]
  })

async function withAll(): Promise<Opened> {
  opened = await openOffice(api())
  await opened.app.choose(' all')
  await settle()
  return opened
}

const rowOf = (name: string) => screen.getByText(name).closest<HTMLElement>('[role=row]') as HTMLElement

describe('where all accounts are shown', () => {
  test('each document says whose it is, and its page is asked of its own account', async () => {
    const { app, api } = await withAll()
    app.router.go('documents', ['all'])
    show(opened, Documents)
    await settle()
    expect(within(rowOf('Deed of ours')).getByTitle('Practice office')).toBeTruthy()
    expect(within(rowOf('Deed of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
    api.control.calls.length = 0
    await fireEvent.click(screen.getByText('Deed of theirs'))
    await settle()
    expect(window.location.hash).toContain('account=harbour')
    expect(app.accounts.chosen?.id).toBe('practice')
    expect(screen.getByRole('heading', { name: 'Deed of theirs' })).toBeTruthy()
  })

  test('packages and downloads say whose they are', async () => {
    await withAll()
    opened.app.router.go('outbox')
    show(opened, Outbox)
    await settle()
    expect(within(rowOf('Lease of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
    opened.app.router.go('downloads')
    show(opened, Downloads)
    await settle()
    expect(within(rowOf('Report of theirs')).getByTitle('Harbour & Co. Conveyancing')).toBeTruthy()
  })

  test('what is composed says for which account, and another can be chosen', async () => {
    const { app } = await withAll()
    app.router.go('compose')
    show(opened, Start)
    await settle()
    const account = screen.getByLabelText<HTMLSelectElement>('Account')
    expect(account.value).toBe('practice')
    await fireEvent.change(account, { target: { value: 'harbour' } })
    await settle()
    expect(app.accounts.chosen?.id).toBe('harbour')
    expect(app.accounts.areSeveral).toBe(true)
  })
})

test('an office that shows one account sees no marks', async () => {
  opened = await openOffice(api())
  opened.app.router.go('outbox')
  show(opened, Outbox)
  show(opened, Drafts)
  show(opened, Activity)
  await settle()
  expect(screen.queryByTitle('Practice office')).toBeNull()
})
