import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import ActivityScreen from '../../src/renderer/src/screens/activity/Activity.svelte'
import { Activity } from '../../src/renderer/src/screens/activity/activity.svelte.ts'
import { type FakeApi, fakeApi } from './fake-api.ts'
import { FakeClock, settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'
import { changesOf } from './preview/day-scenes.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(api: FakeApi) {
  opened = await openOffice(api)
  show(opened, ActivityScreen)
  await settle()
}

test('what happened stands under its day, each leading to its document', async () => {
  const changes = changesOf(NOW, 60)
  await open(fakeApi({ changes }))
  expect(screen.getAllByRole('region').length).toBeGreaterThan(1)
  expect(screen.getAllByRole('listitem')).toHaveLength(60)
  const [first] = changes
  expect(screen.getAllByRole('link', { name: first?.documentName ?? '' })[0]?.getAttribute('href')).toContain(
    `document=${first?.reference}`
  )
})

test('what was done from this computer says so', async () => {
  await open(fakeApi({ changes: changesOf(NOW, 9) }))
  expect(screen.getAllByText('from this computer')).toHaveLength(1)
})

test('earlier ones come when they are asked for', async () => {
  await open(fakeApi({ changes: changesOf(NOW, 230) }))
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  const more = () => fireEvent.click(screen.getByRole('button', { name: 'Show earlier' }))
  await more()
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(200)
  await more()
  await settle()
  expect(screen.getAllByRole('listitem')).toHaveLength(230)
  expect(screen.queryByRole('button', { name: 'Show earlier' })).toBeNull()
})

test('a reading that is overtaken asks for no more pages', async () => {
  const api = fakeApi({ changes: changesOf(NOW, 330) })
  const activity = new Activity(api, new FakeClock(NOW))
  await activity.load()
  await activity.more()
  const answer = api.control.hold('activity.list')
  const overtaken = activity.more()
  api.control.free('activity.list')
  await activity.load()
  const asked = () => api.control.calls.filter(({ name }) => name === 'activity.list').length
  const before = asked()
  answer()
  await overtaken
  expect(asked()).toBe(before)
  expect(activity.list.value?.changes).toHaveLength(200)
})

test('what was done and is not settled stands above, by itself', async () => {
  await open(
    fakeApi({
      actions: [
        {
          id: 'a-1',
          accountId: 'practice',
          request: { kind: 'remind', signerReference: 's-1', signerName: 'Mere Parata' },
          reference: 'doc-1',
          documentName: 'Deed of gift',
          state: 'uncertain',
          createdAt: NOW
        },
        {
          id: 'a-2',
          accountId: 'practice',
          request: { kind: 'remind', signerReference: 's-2', signerName: 'Tama Whaanga' },
          reference: 'doc-2',
          documentName: 'Loan variation',
          state: 'done',
          createdAt: NOW
        }
      ]
    })
  )
  const unsettled = screen.getByRole('region', { name: 'Not settled yet' })
  expect(within(unsettled).getByText('Uncertain')).toBeTruthy()
  expect(within(unsettled).getByRole('link', { name: 'Deed of gift' })).toBeTruthy()
  expect(within(unsettled).queryByText('Loan variation')).toBeNull()
})

test('before anything happened there is one sentence and one way on', async () => {
  await open(fakeApi())
  expect(screen.getByText('Nothing has happened yet.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'See the documents' }))
  expect(opened.app.router.route.screen).toBe('documents')
})
