import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import Today from '../../src/renderer/src/screens/today/Today.svelte'
// Normally loaded only when shown; loaded in advance here.
import '../../src/renderer/src/screens/today/UpdateNotice.svelte'
import type { UpdateState, UpdatesView } from '../../src/shared/contract/updates.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

const WEEK = 7 * 86_400_000
let opened: Opened
afterEach(() => opened?.close())

async function open(part: typeof Settings | typeof Today, updates: UpdatesView) {
  opened = await openOffice(fakeApi({ updates }))
  if (part === Settings) opened.app.router.go('settings', ['updates'])
  show(opened, part)
  await settle()
  // Waits for what is loaded only then.
  await settle()
}
const section = () => within(screen.getByRole('region', { name: 'Updates' }))
async function press(name: string) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}
const ready: UpdateState = { state: 'ready', newer: '0.2.0', atQuit: true }

test.each<[UpdateState, RegExp]>([
  [{ state: 'off', why: 'not-set' }, /Automatic updates are off.*administrator can turn them on/],
  [{ state: 'off', why: 'organisation' }, /Your organisation installs updates/],
  [{ state: 'off', why: 'by-hand' }, /Install newer versions the way this one was installed/],
  [{ state: 'none' }, /No update found yet/],
  [{ state: 'checking' }, /Checking for updates…/],
  [{ state: 'waiting', for: 'counter', newer: '0.2.0' }, /0\.2\.0 is available.*once nobody is signing/],
  [{ state: 'waiting', for: 'sending', newer: '0.2.0' }, /once everything under way is sent/],
  [{ state: 'waiting', for: 'downloads', newer: '0.2.0' }, /once the downloads are finished/],
  [{ state: 'downloading', newer: '0.2.0', done: 50, total: 100 }, /Downloading Countersign 0\.2\.0/],
  [ready, /0\.2\.0 is ready to install.*when you close Countersign/],
  [{ ...ready, atQuit: false }, /may ask for an administrator’s password/]
])('Settings describe the state %j', async (update, message) => {
  await open(Settings, { update, builtAt: NOW - 5 * WEEK })
  expect(screen.getByRole('region', { name: 'Updates' }).textContent?.replace(/\s+/g, ' ')).toMatch(message)
  expect(section().getByText(/This version is 5 weeks old\./)).toBeTruthy()
})

test('a check shows that the version is up to date, and a rejected update shows why', async () => {
  await open(Settings, { update: { state: 'none' } })
  await press('Check for updates')
  opened.api.control.emit('updates.changed', null)
  await settle()
  expect(section().getByText('Countersign is up to date')).toBeTruthy()
  opened.api.control.state.updates = {
    update: { state: 'none' },
    problem: { code: 'bad-file', message: 'Not signed.' }
  }
  opened.api.control.emit('updates.changed', null)
  await settle()
  expect(section().getByText('Not signed.')).toBeTruthy()
})

test('a ready update is installed on request, unless main is busy', async () => {
  await open(Settings, { update: ready })
  opened.api.control.fail('updates.install', { code: 'busy', message: 'A package is being sent.' })
  await press('Restart to update')
  expect(section().getByText('A package is being sent.', { selector: 'p' })).toBeTruthy()
  opened.api.control.heal('updates.install')
  await press('Restart to update')
  expect(opened.api.control.calls.filter(({ name }) => name === 'updates.install')).toHaveLength(2)
})

test('Today offers a ready update once per version', async () => {
  await open(Today, { update: ready })
  expect(screen.getByText('Countersign 0.2.0 is ready to install.')).toBeTruthy()
  await press('Later')
  expect(screen.queryByText(/is ready to install/)).toBeNull()
  opened.api.control.state.updates = { update: { ...ready, newer: '0.3.0' } }
  opened.api.control.emit('updates.changed', null)
  await settle()
  expect(screen.getByText('Countersign 0.3.0 is ready to install.')).toBeTruthy()
})

test('Today shows the age of a version without updates from eight weeks on', async () => {
  await open(Today, { update: { state: 'off', why: 'not-set' }, builtAt: NOW - 7 * WEEK })
  expect(screen.queryByText(/weeks old/)).toBeNull()
  opened.close()
  await open(Today, { update: { state: 'off', why: 'not-set' }, builtAt: NOW - 12 * WEEK })
  expect(screen.getByText('This version of Countersign is 12 weeks old.')).toBeTruthy()
  await press('Dismiss')
  expect(screen.queryByText(/weeks old/)).toBeNull()
})
