// Settings locked by the organisation's policy are marked, and can't be changed.
import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import PinForm from '../../src/renderer/src/screens/counter/PinForm.svelte'
import FirstRun from '../../src/renderer/src/screens/first-run/FirstRun.svelte'
import Accounts from '../../src/renderer/src/screens/settings/Accounts.svelte'
import NewAccount from '../../src/renderer/src/screens/settings/NewAccount.svelte'
import Settings from '../../src/renderer/src/screens/settings/Settings.svelte'
import { LOCKABLE, type Lockable, type PolicyView } from '../../src/shared/contract/policy.ts'
import type { AccountView } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { officeAccount } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

const PLACE = '/etc/countersign/policy.json'
const followed = (policy: Partial<PolicyView>): PolicyView => ({
  state: 'followed',
  place: PLACE,
  locked: [],
  accountIds: [],
  colouredIds: [],
  problems: [],
  ...policy
})

async function open(policy: Partial<PolicyView>, accounts?: readonly AccountView[]) {
  const api = fakeApi({ policy: followed(policy), ...(accounts && { accounts: [...accounts] }) })
  api.control.state.settings = { ...api.control.state.settings, startAtLogin: false }
  opened = await openOffice(api)
  opened.app.router.go('settings')
  show(opened, Settings)
  await settle()
}

/** The control that each lock disables. */
const LOCKED: readonly (readonly [setting: Lockable, role: string, name: RegExp])[] = [
  ['otherAccounts', 'button', /^Connect an account/],
  ['counter.fullScreen', 'checkbox', /^Use full screen/],
  ['counter.secondDisplay', 'checkbox', /^Use the second display/],
  ['counter.files', 'checkbox', /^Let signers give files/],
  ['counter.printAndSave', 'checkbox', /^Let staff print/],
  ['counter.lockAfter', 'combobox', /^Lock Countersign after/],
  ['counter.idle', 'combobox', /^Warn after/],
  ['counter.checklist', 'button', /^Add check/],
  ['signingOrigins', 'textbox', /^Allow another address/],
  ['dropFolders', 'button', /^Watch a folder/],
  ['downloads.folder', 'button', /^Change…/],
  ['downloads.names', 'textbox', /^File name/],
  ['backups', 'button', /^Schedule backups/],
  ['removal', 'button', /^Remove everything/],
  ['startAtLogin', 'checkbox', /^Start Countersign when I sign in/],
  ['crashReports', 'checkbox', /^Keep crash reports/],
  ['quietHours', 'checkbox', /^Quiet hours/],
  ['retention.documents', 'combobox', /^Documents removed by the service/],
  ['retention.trash', 'combobox', /^Deleted drafts/],
  ['retention.sends', 'combobox', /^Sent packages/],
  ['retention.downloads', 'combobox', /^List of downloads/],
  ['retention.identityFiles', 'combobox', /^Identity files on disk/],
  ['retention.identityNumbers', 'combobox', /^Passport and ID card numbers/],
  ['retention.verifications', 'combobox', /^Saved verifications/],
  ['retention.people', 'combobox', /^People and values/]
]

/** The locks of what no single control shows, each with the screen that says whose they are. */
const SHOWN_ELSEWHERE: readonly (readonly [setting: Lockable, shows: () => Promise<void>])[] = [
  [
    'accounts',
    async () => {
      await open({ locked: ['accounts'], accountIds: [officeAccount().id] })
      const row = screen.getByText('Set by your organisation').closest('li') as HTMLElement
      expect(
        within(row)
          .getByRole('button', { name: /^Remove/ })
          .matches(':disabled')
      ).toBe(true)
    }
  ],
  [
    'signInMethods',
    async () => {
      await open({ locked: ['signInMethods'], signInMethods: ['bearer'] })
      await fireEvent.click(screen.getByRole('button', { name: /^Connect an account/ }))
      await settle()
      screen.getByText('Your organisation decides which sign-in methods are offered.')
      expect(screen.getByRole('radio', { name: /^Bearer token/ })).toBeTruthy()
      expect(screen.queryByRole('radio', { name: /^API key/ })).toBeNull()
    }
  ],
  [
    'practiceOffice',
    async () => {
      await open({ locked: ['practiceOffice'] }, [officeAccount()])
      screen.getByText('Your organisation doesn’t offer the practice office.')
      expect(screen.queryByRole('button', { name: /^Add practice office/ })).toBeNull()
    }
  ],
  [
    'counter.pinDigits',
    async () => {
      await open({ locked: ['counter.pinDigits'], pinDigits: 6 })
      await fireEvent.click(screen.getByRole('button', { name: /^Add a staff member/ }))
      await settle()
      screen.getByText('Your organisation decides how many digits a PIN needs.')
      screen.getByText(/^6 to 12 digits/)
    }
  ]
]

test('with enrolment only, accounts can be connected by an enrolment file and no other way', async () => {
  await open({ locked: ['otherAccounts'], enrolsOnly: true })
  expect(screen.getByRole('button', { name: /^Connect an account/ }).matches(':disabled')).toBe(true)
  expect(screen.getByRole('button', { name: /^Connect with an enrolment file/ }).matches(':disabled')).toBe(false)
})

test('without an organisation account, and with other accounts locked, no enrolment file is offered', async () => {
  await open({ locked: ['otherAccounts'] })
  expect(screen.queryByRole('button', { name: /^Connect with an enrolment file/ })).toBeNull()
})

test('the organisation’s presets and views that can’t be read are reported, and the previous ones still apply', async () => {
  await open({ shared: { problem: 'This file is no longer there.', since: Date.UTC(2026, 10, 20, 12) } })
  const notice = screen.getByText('Your organisation’s presets and views couldn’t be read.').closest('section')
  expect(notice?.textContent).toContain('This file is no longer there.')
  expect(notice?.textContent).toContain('still apply.')
})

describe('a setting locked by policy', () => {
  test.each(LOCKED)('%s is visible but can’t be changed', async (setting, role, name) => {
    await open({ locked: [setting] })
    const [control] = screen.getAllByRole(role, { name })
    expect(control?.matches(':disabled')).toBe(true)
    const group = control?.closest('fieldset[aria-describedby]')
    expect(document.getElementById(group?.getAttribute('aria-describedby') ?? '')?.textContent).toContain(
      'Set by your organisation.'
    )
    expect(screen.getAllByText('Set by your organisation.')).toHaveLength(1)
  })

  test.each(SHOWN_ELSEWHERE)('%s is shown as the organisation’s', (_setting, shows) => shows())

  test('can be any: each is visible in one of these ways', () => {
    const shown = [...LOCKED, ...SHOWN_ELSEWHERE].map(([setting]) => setting)
    expect(shown.toSorted()).toEqual([...LOCKABLE].toSorted())
  })

  test('is none without a policy: each control can be used', async () => {
    await open({ state: 'none' })
    expect(screen.queryByText(/your organisation/i)).toBeNull()
    for (const [setting, role, name] of LOCKED) {
      expect(screen.getAllByRole(role, { name })[0]?.matches(':disabled'), setting).toBe(false)
    }
  })

  test('an organisation account without credentials says which ones it needs', async () => {
    for (const [scheme, needed] of [
      ['basic', 'This account needs its user name and password on this computer.'],
      ['bearer', 'This account needs its token on this computer.'],
      ['oauth', 'Someone needs to sign in to this account on this computer.']
    ] as const) {
      const account = { ...officeAccount(), scheme, hasSecret: false }
      const policy = followed({ locked: ['accounts'], accountIds: [account.id] })
      opened = await openOffice(fakeApi({ accounts: [account], policy }))
      const { unmount } = show(opened, Accounts)
      await settle()
      expect(screen.getByText(needed)).toBeTruthy()
      expect(screen.queryByText(/or connect with an enrolment file below\.$/) !== null).toBe(scheme !== 'oauth')
      unmount()
    }
  })

  test('an organisation account’s OAuth 2 settings aren’t asked for, and are used to sign in', async () => {
    const account = { ...officeAccount(), scheme: 'oauth' as const, hasSecret: false }
    const oauth = {
      grant: 'code' as const,
      clientId: 'countersign',
      issuer: 'https://login.example',
      scope: 'documents'
    }
    const policy = followed({ locked: ['accounts'], accountIds: [account.id], oauth: { [account.id]: oauth } })
    opened = await openOffice(fakeApi({ accounts: [account], policy }))
    show(opened, NewAccount as never, { account, ondone: () => undefined })
    await settle()
    expect(screen.queryByLabelText('Client ID')).toBeNull()
    expect(screen.getByText('Your organisation has set the client ID, the addresses and the scope.')).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Sign in…' }))
    await settle()
    const calls = opened.api.control.calls.filter(({ name }) => name === 'accounts.signIn')
    expect(calls.map(({ input }) => input)).toEqual([{ authentication: { scheme: 'oauth', ...oauth } }])
  })

  test('a new PIN needs the required number of digits', async () => {
    opened = await openOffice(fakeApi({ policy: followed({ locked: ['counter.pinDigits'], pinDigits: 6 }) }))
    show(opened, PinForm, { ondone: () => undefined })
    await settle()
    expect(screen.getByText('6 to 12 digits')).toBeTruthy()
    expect(screen.getByText('Your organisation decides how many digits a PIN needs.')).toBeTruthy()
    await fireEvent.input(screen.getByLabelText('New PIN'), { target: { value: '73519' } })
    await fireEvent.click(screen.getByRole('button', { name: 'Save PIN' }))
    expect(screen.getByText('Use at least 6 digits.')).toBeTruthy()
    expect(opened.api.control.calls.filter(({ name }) => name === 'counter.setPin')).toEqual([])
  })

  test('the first run hides the practice office and disables other accounts if the policy says so', async () => {
    opened = await openOffice(
      fakeApi({ accounts: [], policy: followed({ locked: ['practiceOffice', 'otherAccounts'] }) })
    )
    show(opened, FirstRun)
    await settle()
    expect(screen.queryByRole('button', { name: /practice office/ })).toBeNull()
    expect(screen.getByText('Your organisation doesn’t offer the practice office.')).toBeTruthy()
    expect(screen.getByRole('button', { name: /Connect your office’s account/ }).matches(':disabled')).toBe(true)
  })
})

describe('the policy section', () => {
  test('is hidden without a policy', async () => {
    await open({ state: 'none' })
    expect(screen.queryByRole('heading', { name: 'Organisation' })).toBeNull()
  })

  test('shows that a policy is in force and where it is', async () => {
    await open({ locked: ['quietHours'] })
    expect(screen.getByText('Your organisation’s policy is in force')).toBeTruthy()
    expect(screen.getByText(PLACE)).toBeTruthy()
  })

  test('shows a policy set by the computer’s management, and names an unused file', async () => {
    const place = 'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Countersign'
    await open({ locked: ['quietHours'], isManaged: true, place, unusedFile: PLACE })
    expect(screen.getByText(/This computer’s management sets it/)).toBeTruthy()
    expect(screen.getByText(place)).toBeTruthy()
    expect(screen.getByText('The policy file isn’t used:').textContent).toContain(PLACE)
  })

  test('names the setting that is wrong in managed settings', async () => {
    const problems = [{ message: '“removal” must be true or false.', setting: 'removal' }]
    await open({ state: 'broken', problems, locked: LOCKABLE, isManaged: true })
    expect(screen.getByText('removal')).toBeTruthy()
    expect(screen.getByText(/must be true or false/)).toBeTruthy()
  })

  test('shows the line of a policy that can’t be used, and what applies', async () => {
    const problems = [{ message: '“colour” isn’t a setting of this version of Countersign.', line: 3, column: 5 }]
    await open({ state: 'broken', problems, locked: LOCKABLE })
    expect(screen.getByText('Your organisation’s policy can’t be used.')).toBeTruthy()
    expect(screen.getByText('Line 3, column 5')).toBeTruthy()
    expect(screen.getByText(/“colour” isn’t a setting/)).toBeTruthy()
    expect(screen.getByText(/settings that a policy could lock can’t be changed/)).toBeTruthy()
  })

  test('reports a missing policy, and since when the current settings apply', async () => {
    await open({ state: 'missing', since: Date.UTC(2026, 10, 3, 10) })
    expect(screen.getByText('Your organisation’s policy is missing.')).toBeTruthy()
    expect(screen.getByText(/in force since .*3 November/)).toBeTruthy()
  })
})
