import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'
import Audit from '../../src/renderer/src/screens/audit/Audit.svelte'
import {
  checkWords,
  detailsIn,
  entryStatus,
  momentInFull,
  momentOf,
  officeCheckWords,
  summaryOf,
  zoneOf
} from '../../src/renderer/src/screens/audit/audit-words.ts'
import { fileCheckWords } from '../../src/renderer/src/words/file-check.ts'
import type { AuditEntry, AuditEvent } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { auditEntryOf } from './fakes/audit.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened?.close())

/** Returns `count` entries, newest last. */
function trail(count: number): AuditEntry[] {
  return Array.from({ length: count }, (_, index) =>
    auditEntryOf({ seq: index + 1, at: NOW - (count - index) * 60_000, signerName: `Signer ${index + 1}` })
  )
}

async function open(change: Partial<FakeState> = {}) {
  opened = await openOffice(fakeApi(change))
  opened.app.router.go('audit')
  show(opened, Audit)
  await settle()
}
const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const rows = () => screen.getAllByRole('row').slice(1)
async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

test('the newest entries come first, and only the visible ones of 10,000 are loaded and drawn', async () => {
  await open({ audit: trail(10_000) })
  expect(screen.getByText('10,000 entries')).toBeTruthy()
  expect(rows()[0]?.textContent).toContain('Signer 10000')
  expect(rows().length).toBeLessThan(60)
  expect(calls('audit.list').every(({ input }) => (input as { limit: number }).limit <= 200)).toBe(true)
  expect(calls('audit.list').length).toBeLessThan(4)
})

test('an entry is found by its words', async () => {
  await open({ audit: [...trail(9), auditEntryOf({ seq: 10, signerName: 'Wiremu Ngata' })] })
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'ngata wiremu' } })
  await opened.clock.pass(300)
  expect(rows()).toHaveLength(1)
  expect(rows()[0]?.textContent).toContain('Wiremu Ngata')
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'zebra' } })
  await opened.clock.pass(300)
  expect(screen.getByText('No entries match “zebra”.')).toBeTruthy()
  await press('Clear search')
  expect(rows()).toHaveLength(10)
})

test('a selected entry shows its details, time and zone, and Escape closes it', async () => {
  const detail = { evidence: 'Photo ID seen', place: 'other-display' }
  await open({ audit: [auditEntryOf({ what: 'handed-over', detail })] })
  await fireEvent.click(rows()[0] as HTMLElement)
  const entry = within(screen.getByRole('region', { name: 'Entry 1' }))
  expect(entry.getByText('Wednesday 26 November 2025 at 23:42:00, Pacific/Auckland (UTC+13:00)')).toBeTruthy()
  expect(entry.getByText('Photo ID seen')).toBeTruthy()
  expect(entry.getByText('second display')).toBeTruthy()
  await fireEvent.keyDown(document.body, { key: 'Escape' })
  await settle()
  expect(screen.queryByRole('region', { name: 'Entry 1' })).toBeNull()
  expect(document.activeElement?.getAttribute('role')).toBe('grid')
})

test('evidence that nobody ticked is shown as “Nothing ticked”', async () => {
  await open({ audit: [auditEntryOf({ what: 'handed-over', detail: { evidence: '', place: 'here' } })] })
  expect(rows()[0]?.textContent).toContain('Nothing ticked')
  await fireEvent.click(rows()[0] as HTMLElement)
  expect(within(screen.getByRole('region', { name: 'Entry 1' })).getByText('Nothing ticked')).toBeTruthy()
})

test('a zone named like its offset is shown once', () => {
  expect(momentInFull({ at: Date.UTC(2025, 10, 26, 10, 42), zone: 'UTC' })).toMatch(/, UTC$/)
})

test('a button leads back to the counter', async () => {
  await open({ audit: trail(1) })
  await press('Back to Counter')
  expect(opened.app.router.route.screen).toBe('counter')
})

test('a new entry appears while the trail is shown', async () => {
  await open({ audit: trail(2) })
  opened.api.control.state.audit = trail(3)
  opened.api.control.emit('audit.changed', null)
  await opened.clock.pass(1100)
  expect(rows()).toHaveLength(3)
})

test('an empty trail says so', async () => {
  await open()
  expect(screen.getByText('No entries yet')).toBeTruthy()
})

test('a trail that can’t be loaded explains why, and can be retried', async () => {
  const api = fakeApi({ audit: trail(2) })
  api.control.fail('audit.list', { code: 'storage', message: 'Not now.' })
  opened = await openOffice(api)
  show(opened, Audit)
  await settle()
  expect(screen.getByText('The audit trail couldn’t be loaded.')).toBeTruthy()
  expect(screen.queryByText('No entries yet')).toBeNull()
  api.control.heal('audit.list')
  await press('Try again')
  expect(rows()).toHaveLength(2)
})

test('verifying an intact trail reports no issues', async () => {
  await open({ audit: trail(3) })
  await press('Verify')
  expect(screen.getByText('No issues found.')).toBeTruthy()
})

test('verifying a changed trail names the entry and says what to do', async () => {
  await open({ audit: trail(3), auditCheck: { isWhole: false, brokenAt: 2 } })
  await press('Verify')
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toMatch(/Entry 2 doesn’t match the one before it, although/)
  expect(alert.textContent).toMatch(/tell your administrator/)
})

test('each kind of trail damage has its own message: edited, disk error, cut off, older copy, new database', () => {
  const wrong = { isWhole: false, entries: 3, isCutOff: true }
  const results = [
    checkWords({ ...wrong, missing: 'cut' }),
    checkWords({ ...wrong, missing: 'older-copy' }),
    checkWords({ ...wrong, missing: 'replaced' }),
    checkWords({ ...wrong, missing: 'forgotten' }),
    checkWords({ ...wrong, isCutOff: false, isDamaged: true }),
    checkWords({ ...wrong, isCutOff: false, brokenAt: 2 })
  ]
  expect(new Set(results.map(({ more }) => more)).size).toBe(6)
  expect(results.every(({ kind, more }) => kind === 'danger' && /tell your administrator/.test(more))).toBe(true)
  expect(results[0]?.more).toMatch(/Someone removed them/)
  expect(results[1]?.more).toMatch(/older copy of the database/)
  expect(results[4]?.more).toMatch(/Nothing suggests that someone changed it/)
  expect(results[5]?.title).toBe('The audit trail was changed.')
})

test('problems with other workstations’ trails are listed by name, each cause in its own words', async () => {
  const at = Date.UTC(2026, 10, 20, 21)
  const causes = ['restored', 'older-copy', 'replaced', 'forgotten', 'cut'] as const
  const office = causes.map((why) => ({ name: 'Front desk', isMe: false, why, at }))
  await open({ audit: trail(3), auditCheck: { office: [...office.slice(1), { isMe: false, why: 'rewritten', at }] } })
  await press('Verify')
  expect(screen.getByText('No issues found.')).toBeTruthy()
  const alert = screen.getByRole('alert')
  const messages = within(alert)
    .getAllByText(/November 2026/)
    .map(({ textContent }) => textContent)
  expect(new Set(messages).size).toBe(5)
  expect(messages[0]).toMatch(/^The office’s server no longer has.*Someone changed its database/)
  expect(messages[1]).toMatch(/Entries of “Front desk” were removed or changed outside Countersign/)
  expect(alert.textContent).toMatch(/Tell your administrator/)
  const restored = officeCheckWords({ isWhole: true, entries: 3, isCutOff: false, office: office.slice(0, 1) })
  expect(restored).toMatchObject({ kind: 'warn', items: [expect.stringMatching(/A backup was restored on “/)] })
  expect(officeCheckWords({ isWhole: true, entries: 3, isCutOff: false })).toBeUndefined()
})

test('a problem found by the check at start-up is shown until dismissed', async () => {
  const auditAtStart = { isWhole: false, entries: 2, after: 8, isCutOff: false, brokenAt: 9 }
  await open({ audit: trail(3), auditAtStart })
  expect(screen.getByRole('alert').textContent).toMatch(/Entry 9 doesn’t match/)
  await press('Dismiss')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a clean check at start-up shows nothing, and a problem found later appears', async () => {
  await open({ audit: trail(3), auditAtStart: { isWhole: true, entries: 2, isCutOff: false } })
  expect(screen.queryByText('No issues found.')).toBeNull()
  opened.api.control.state.auditAtStart = { isWhole: false, entries: 2, isCutOff: true, missing: 'older-copy' }
  opened.api.control.emit('audit.changed', null)
  await settle()
  expect(screen.getByRole('alert').textContent).toMatch(/older copy/)
})

async function fromMenu(name: RegExp) {
  await fireEvent.keyDown(screen.getByRole('button', { name: 'Export' }), { key: 'Enter' })
  await fireEvent.click(await screen.findByRole('menuitem', { name }))
  await settle()
}

test('checking an exported file reports what was changed in it', async () => {
  const key = { fingerprint: 'AB12 CD34', isOurs: true }
  const auditFile = {
    label: 'trail.json',
    verdict: 'changed' as const,
    key,
    entries: 40,
    bytes: { from: 8192, to: 9215 },
    near: { from: 22, to: 24 }
  }
  await open({ audit: trail(3), auditFile })
  await fromMenu(/Check a file/)
  const alert = screen.getByRole('alert')
  expect(alert.textContent).toMatch(/“trail\.json” was changed\./)
  expect(alert.textContent).toMatch(/between entries 22 and 24 \(bytes 8,192 to 9,215\)\. Signed by this computer\./)
})

test('checking a file tells an authentic one from one with another key, without a signature or not in the trail', () => {
  const file = { label: 'trail.csv', verdict: 'genuine' as const, entries: 1, exportedAt: '2026-11-21T10:00:00+13:00' }
  const ours = { fingerprint: 'AB12', isOurs: true }
  expect(fileCheckWords({ ...file, key: ours, isInTrail: true }).kind).toBe('ok')
  const other = fileCheckWords({ ...file, key: { fingerprint: 'CD34', isOurs: false }, isInTrail: false })
  expect(other).toMatchObject({ kind: 'warn', more: expect.stringMatching(/another key: CD34\. Compare/) })
  const lacking = fileCheckWords({ ...file, key: ours, isInTrail: false })
  expect(lacking).toMatchObject({ kind: 'warn', more: expect.stringMatching(/no longer has its newest entry/) })
  expect(fileCheckWords({ label: 'trail.csv', verdict: 'unsigned' }).more).toMatch(/“trail\.csv\.signature”/)
  expect(fileCheckWords({ label: 'trail.csv', verdict: 'signature' }).kind).toBe('danger')
})

test('the signing key’s fingerprint is shown and can be saved', async () => {
  await open({ audit: trail(3) })
  await fromMenu(/Signing key/)
  const dialog = within(await screen.findByRole('dialog', { name: 'Signing key' }))
  expect(dialog.getByText(/^3F2A 91C4 /)).toBeTruthy()
  await fireEvent.click(dialog.getByRole('button', { name: 'Save public key…' }))
  await settle()
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Saved as “Countersign audit key.pem”.'])
})

test('the signing key’s fingerprint is printed, and a printing failure is reported', async () => {
  await open({ audit: trail(3) })
  await fromMenu(/Signing key/)
  const dialog = within(await screen.findByRole('dialog', { name: 'Signing key' }))
  const print = async () => {
    await fireEvent.click(dialog.getByRole('button', { name: 'Print' }))
    await settle()
  }
  await print()
  expect(calls('audit.printKey')).toHaveLength(1)
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['The fingerprint was sent to the printer.'])
  opened.api.control.fail('audit.printKey', { code: 'internal', message: 'There is no printer.' })
  await print()
  expect(dialog.getByText('The fingerprint wasn’t printed.')).toBeTruthy()
  expect(opened.app.toasts.shown).toHaveLength(1)
})

test('the trail is exported to a file, and a cancelled export shows nothing', async () => {
  await open({ audit: trail(3) })
  const save = async () => {
    await fireEvent.keyDown(screen.getByRole('button', { name: 'Export' }), { key: 'Enter' })
    await fireEvent.click(await screen.findByRole('menuitem', { name: /JSON/ }))
    await settle()
  }
  const write = opened.api.audit.export
  opened.api.audit.export = async (input) => ({ ...(await write(input)), value: null }) as never
  await save()
  expect(opened.app.toasts.shown).toEqual([])
  opened.api.audit.export = write
  await save()
  expect(calls('audit.export').at(-1)?.input).toEqual({ format: 'json' })
  expect(opened.app.toasts.shown.map(({ text }) => text)).toEqual(['Saved as “Audit trail.json”.'])
})

test('times are shown in the recording workstation’s zone, not this computer’s', () => {
  const entry = auditEntryOf({ at: Date.UTC(2025, 6, 1, 23, 5, 9), zone: 'Europe/London' })
  expect(momentOf(entry).trim()).toMatch(/2 Jul 2025 00:05:09$/)
  expect(zoneOf(entry)).toBe('UTC+01:00')
  expect(momentInFull({ ...entry, zone: 'Asia/Kolkata' })).toBe(
    'Wednesday 2 July 2025 at 04:35:09, Asia/Kolkata (UTC+05:30)'
  )
})

test('every event has its own label, and an unknown event is shown by its name', () => {
  const events: AuditEvent[] = [
    'session-started',
    'handed-over',
    'page-opened',
    'camera-allowed',
    'camera-refused',
    'left',
    'idle',
    'unlocked',
    'pin-wrong',
    'page-printed',
    'page-saved',
    'files-opened',
    'file-given',
    'file-not-taken',
    'turn-ended',
    'session-ended',
    'session-interrupted',
    'pin-set',
    'pin-reset',
    'pin-wait-ended',
    'staff-added',
    'staff-changed',
    'staff-removed',
    'staff-chosen',
    'package-released',
    'package-refused',
    'settings-unlocked',
    'settings-changed',
    'trail-exported',
    'signing-key-made',
    'account-added',
    'account-changed',
    'account-removed',
    'entries-lost',
    'office-locked',
    'office-unlocked',
    'identity-data-fetched',
    'appointment-saved',
    'appointment-removed',
    'appointment-arrived',
    'appointment-called',
    'appointment-marked',
    'appointment-matched',
    'appointment-missed',
    'appointment-undone',
    'appointments-imported'
  ]
  const words = events.map((what) => entryStatus({ what, detail: {} }).word)
  expect(new Set(words).size).toBe(events.length)
  expect(words.filter((word) => word.includes('-'))).toEqual([])
  expect(entryStatus({ what: 'tea-made' as AuditEvent, detail: {} }).word).toBe('tea-made')
  expect(entryStatus({ what: 'turn-ended', detail: { outcome: 'declined' } }).word).toBe('Declined')
})

test('looking isn’t called downloading, and a release rule is told with what it was', () => {
  const wordOf = (what: AuditEvent, detail: Record<string, string>) => entryStatus({ what, detail }).word
  expect(wordOf('signed-document-fetched', { as: 'preview' })).toBe('Document viewed')
  expect(wordOf('signed-document-fetched', { type: 'pdf' })).toBe('Signed document downloaded')
  expect(wordOf('staff-changed', { releaseBefore: '-', release: '0' })).toBe('Release rule changed')
  expect(wordOf('staff-changed', { name: 'Anna Lee' })).toBe('Staff member changed')
  const entry = { seq: 1, at: 0, zone: 'Pacific/Auckland', staff: 'Grace' }
  const rule = { ...entry, what: 'staff-changed' as const, detail: { releaseBefore: '-', release: '0' } }
  expect(summaryOf(rule)).toBe('none → all packages')
  expect(summaryOf({ ...entry, what: 'identity-data-fetched', detail: { type: 'pdf', by: 'person' } })).toBe(
    'PDF; by hand'
  )
  const refused = { package: 'Deed of gift', sentBy: 'Anna Lee', why: 'Wrong e-mail' }
  expect(summaryOf({ ...entry, what: 'package-refused', detail: refused })).toBe('Deed of gift; Wrong e-mail')
})

test('an appointment entry shows its number and what was noted', () => {
  const entry = { seq: 1, at: 0, zone: 'Pacific/Auckland', staff: 'Grace', what: 'appointment-marked' as const }
  expect(summaryOf({ ...entry, detail: { number: '6', to: 'here' } })).toBe('Number 6; at the counter')
})

test('details have plain labels, and unknown details are shown too', () => {
  const detail = { seconds: '312', outcome: 'signed', by: 'blur', tried: '2', colour: 'green' }
  expect(detailsIn({ what: 'turn-ended', detail, zone: 'Pacific/Auckland' })).toEqual([
    { name: 'By', value: 'another window came to the front' },
    { name: 'Result', value: 'Signed' },
    { name: 'Blocked actions', value: '2' },
    { name: 'Duration', value: '5 minutes' },
    { name: 'Colour', value: 'green' }
  ])
  const missing = { entries: '3', from: '2026-11-21T10:42:07+13:00', until: 'long ago' }
  expect(detailsIn({ what: 'entries-lost', detail: missing, zone: 'Pacific/Auckland' })).toEqual([
    { name: 'Not recorded', value: '3' },
    { name: 'From', value: '21 Nov 2026 10:42:07' },
    { name: 'Until', value: 'long ago' }
  ])
})

test.each([
  ['data-restored', { before: '412' }, { name: 'Entries before', value: '412' }],
  ['account-changed', { before: 'Harbour' }, { name: 'Previous name', value: 'Harbour' }],
  ['appointment-called', { number: '6' }, { name: 'Number', value: '6' }],
  ['receipt-made', { number: 'R-2026-0412' }, { name: 'Receipt number', value: 'R-2026-0412' }]
] as const)('in %s, %j has its own label', (what, detail, named) => {
  expect(detailsIn({ what: what as AuditEvent, detail, zone: 'Pacific/Auckland' })).toEqual([named])
})
