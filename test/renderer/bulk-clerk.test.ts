/** Bulk send: sheets that are dropped or pasted, and corrected in the table. */
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import type { Bulk } from '../../src/renderer/src/screens/bulk/bulk.svelte.ts'
import { kindOfDropped } from '../../src/renderer/src/state/drops.svelte.ts'
import type { ScreenName } from '../../src/renderer/src/state/router.svelte.ts'
import { matchColumns } from '../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../src/shared/composition/bulk-targets.ts'
import { MAX_SHEET_BYTES } from '../../src/shared/contract/index.ts'
import { form, forms } from '../fixtures/compositions.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { madeUpBulk } from './fakes/bulk.ts'
import { madeUpPresets } from './fakes/drafts.ts'
import { type Opened, openOffice } from './office.ts'
import { NOW, officeAccount, practiceAccount } from './people.ts'

beforeAll(loadScreens)

let opened: Opened
afterEach(() => opened.close())

async function open(at: ScreenName = 'drafts', change: Partial<FakeState> = {}, rest: string[] = [], query = {}) {
  opened = await openOffice(fakeApi({ presets: madeUpPresets(NOW), bulk: madeUpBulk(NOW), ...change }))
  opened.app.router.go(at, rest, query)
  render(App, { props: { app: opened.app } })
  await settle()
}

const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name).map(({ input }) => input)
const warned = () => opened.app.toasts.shown.map(({ text }) => text).join(' ')
const zone = () => document.querySelector('.zone .headline')?.textContent
const ready = () => screen.getByText(/^of \S+ rows? ready$/).textContent?.trim()
const step = () =>
  screen.getAllByRole('heading', { level: 2 }).find((one) => one.closest('[aria-current=step]'))?.textContent

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
function file(name: string, type = '', size = 4) {
  const made = new File(['a,b\n'], name, { type })
  // jsdom's files have no arrayBuffer.
  made.arrayBuffer ??= async () => new Uint8Array(4).buffer
  Object.defineProperty(made, 'size', { value: size })
  return made
}

/** As in Chromium: the name is withheld until the drop. */
function carried(files: File[], isDropped: boolean) {
  const items = files.map((one) => ({ kind: 'file', type: one.type, getAsFile: () => (isDropped ? one : null) }))
  return { types: ['Files'], items, files: isDropped ? files : [], dropEffect: '' }
}
async function over(...files: File[]) {
  const dataTransfer = carried(files, false)
  const isRefused = await fireEvent.dragOver(document.body, { dataTransfer })
  await settle()
  return { effect: dataTransfer.dropEffect, isTaken: !isRefused }
}
async function drop(...files: File[]) {
  const isLeft = await fireEvent.drop(document.body, { dataTransfer: carried(files, true) })
  await settle()
  return !isLeft
}
async function paste(text: string, target: Element = document.body) {
  await fireEvent.paste(target, { clipboardData: { getData: (type: string) => (type === 'text/plain' ? text : '') } })
  await settle()
}

describe('dragging a file over the window', () => {
  test('says what dropping it will do, and opens bulk send with its rows', async () => {
    await open('drafts')
    expect((await over(file('clients.xlsx', XLSX))).effect).toBe('copy')
    expect(zone()).toBe('Drop to bulk send from this spreadsheet')
    expect(await drop(file('clients.xlsx', XLSX))).toBe(true)
    expect(zone()).toBeUndefined()
    expect(opened.app.router.route.screen).toBe('bulk')
    expect(calls('bulk.openDropped')).toMatchObject([{ fileName: 'clients.xlsx', bytes: { byteLength: 4 } }])
    expect(step()).toBe('What to send')
    expect(warned()).toBe('Now choose what to send.')
  })

  test('refuses a spreadsheet, with the reason, when the role doesn’t allow bulk send', async () => {
    await open('drafts')
    const { control } = opened.api
    expect((await over(file('clients.xlsx', XLSX))).effect).toBe('copy')
    const why = 'Only clerks, managers and administrators can do this.'
    control.state.lock = { isLocked: false, opensBySignIn: false, closed: { bulk: why }, refused: { 'bulk.send': why } }
    control.emit('lock.changed', null)
    await settle()
    // Also for a file already held over the window when someone else unlocks it.
    expect(zone()).toBe('You can’t drop this file here')
    expect((await over(file('clients.xlsx', XLSX))).effect).toBe('none')
    await drop(file('clients.xlsx', XLSX))
    expect(warned()).toBe(`You can’t drop “clients.xlsx” here. ${why}`)
    expect(opened.app.router.route.screen).toBe('drafts')
  })

  test('continues with the columns when what to send is already chosen', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await drop(file('clients.csv', 'text/csv'))
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^clients.csv: 200 rows/)).toBeTruthy()
  })

  test('brings its rows also if another screen is opened while they are read', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    const reading = opened.api.control.hold('bulk.openDropped')
    await drop(file('clients.csv', 'text/csv'))
    opened.app.router.go('settings', ['appearance'])
    await settle()
    reading()
    await settle()
    expect(warned()).toBe('')
    opened.app.router.go('bulk')
    await settle()
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^clients.csv: 200 rows/)).toBeTruthy()
    expect(calls('bulk.close')).toEqual([])
  })

  test('hides the drop zone when the pointer leaves', async () => {
    await open()
    await over(file('clients.csv', 'text/csv'))
    await fireEvent.dragLeave(document.body, { relatedTarget: null })
    await settle()
    expect(zone()).toBeUndefined()
  })

  test.each([
    ['contract.pdf', 'application/pdf', 'PDF files can’t be sent'],
    ['logo.png', 'image/png', 'Pictures can’t be used here'],
    ['payroll.xml', 'text/xml', 'An XML file fills in a form'],
    ['letter.docx', 'application/msword', 'can’t be used here']
  ])(
    'explains why a file that isn’t a spreadsheet can’t be dropped, and opens nothing: %s',
    async (name, type, words) => {
      await open()
      expect((await over(file(name, type))).effect).toBe('none')
      expect(zone()).toContain(words)
      expect(await drop(file(name, type))).toBe(true)
      expect(warned()).toContain(words)
      expect(opened.app.router.route.screen).toBe('drafts')
    }
  )

  test('refuses more than one file at a time', async () => {
    await open()
    await drop(file('a.csv', 'text/csv'), file('b.csv', 'text/csv'))
    expect(warned()).toContain('one file at a time')
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test('refuses a file that is too large without reading it', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    const large = file('clients.csv', 'text/csv', MAX_SHEET_BYTES + 1)
    large.arrayBuffer = () => Promise.reject(new Error('It was read.'))
    await drop(large)
    expect(screen.getAllByText(/51 MB; the limit is 50 MB/).length).toBeGreaterThan(0)
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test.each(['handed over', 'locked'])(
    'is ignored, and doesn’t navigate to the file, while the screen is %s',
    async (how) => {
      await open()
      if (how === 'locked') {
        opened.api.control.state.lock = { isLocked: true, opensBySignIn: true }
        opened.api.control.emit('lock.changed', null)
        await settle()
      } else Object.defineProperty(opened.app, 'isOfficeHidden', { value: true })
      expect(await over(file('clients.csv', 'text/csv'))).toEqual({ effect: 'none', isTaken: true })
      expect(zone()).toBeUndefined()
      // Otherwise the window would navigate to it.
      expect(await drop(file('clients.csv', 'text/csv'))).toBe(true)
      expect(opened.app.drops.rowsFile).toBeUndefined()
      expect(calls('bulk.openDropped')).toEqual([])
    }
  )

  test('fills in the form being composed from an XML file', async () => {
    const composition = forms({ items: [form()] })
    const summary = { kind: composition.kind, title: 'Tax file declaration', who: 'Mere Tamati', updatedAt: NOW }
    const draft = { id: 'd', accountId: 'practice', ...summary, composition }
    await open('compose', { drafts: [draft] }, ['d'])
    await screen.findByRole('heading', { name: 'Send forms' })
    await over(file('payroll.xml', 'text/xml'))
    expect(zone()).toBe('Drop to fill in the form from this XML file')
    const xml = file('payroll.xml', 'text/xml')
    xml.arrayBuffer = async () => new TextEncoder().encode('<data/>').buffer as ArrayBuffer
    await drop(xml)
    await opened.clock.pass(1000)
    await settle()
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^XML data/ }).value).toBe('<data/>')
  })
})

test('a dropped file’s kind is recognised by its extension, or by its type while the name is unknown', () => {
  expect(kindOfDropped('application/vnd.ms-excel')).toBe('rows')
  expect(kindOfDropped('application/vnd.ms-excel', 'clients.csv')).toBe('rows')
  expect(kindOfDropped('', 'drafts.countersign')).toBe('drafts')
  expect(kindOfDropped('')).toBe('unknown')
  expect(kindOfDropped('', 'folder')).toBe('other')
})

describe('rows on the clipboard', () => {
  test('can be pasted onto the screen', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await paste('Name\tE-mail\nMere\tmere@example.com')
    expect(calls('bulk.paste')).toEqual([{ text: 'Name\tE-mail\nMere\tmere@example.com' }])
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^Pasted rows: 200 rows/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Change: Spreadsheet' }))
    await settle()
    expect(screen.getByText('Pasted rows')).toBeTruthy()
  })

  test('can be pasted with a button', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await fireEvent.click(screen.getByRole('button', { name: 'Paste rows' }))
    await settle()
    expect(calls('bulk.paste')).toEqual([{}])
  })

  test('are not intercepted when pasted into a field', async () => {
    await open('bulk')
    await fireEvent.click(screen.getByRole('radio', { name: /^Form/ }))
    await paste('a\tb\nc\td', screen.getByLabelText('Form name'))
    expect(calls('bulk.paste')).toEqual([])
  })
})

async function toCheck(change: Partial<FakeState> = {}) {
  await open('bulk', change, [], { preset: 'office-1' })
  for (const name of ['Choose a file…', 'Continue', 'Check 200 rows']) {
    await fireEvent.click(screen.getByRole('button', { name }))
    await settle()
  }
}
const cell = (name: string) => within(screen.getByRole('grid', { name: 'Rows' })).getByLabelText<HTMLInputElement>(name)
async function type(name: string, value: string, key: string) {
  await fireEvent.input(cell(name), { target: { value } })
  await fireEvent.keyDown(cell(name), { key })
  await settle()
}

describe('correcting a cell', () => {
  test('starts from its row, and Enter moves to the next cell with an error', async () => {
    await toCheck()
    const grid = screen.getByRole('grid', { name: 'Rows' })
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    await fireEvent.keyDown(grid, { key: 'Enter' })
    await settle()
    const table = within(grid)
    expect(document.activeElement).toBe(table.getByLabelText('E-mail, row 17'))
    await fireEvent.input(document.activeElement as Element, { target: { value: 'tama@example.com' } })
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' })
    await settle()
    expect(calls('bulk.correct')).toEqual([{ id: 'sheet-1', row: 17, column: 2, value: 'tama@example.com' }])
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Surname, row 58')
    // It stays where it was, showing its old and new values.
    expect(table.getByText(/E-mail: “.*\.example\.com” → “tama@example\.com”/)).toBeTruthy()
    expect(ready()).toBe('192 of 200 rows ready')
    expect(screen.getByRole('button', { name: 'Send 192 packages' })).toBeTruthy()
  })

  test('moves on to other errors in the same row first', async () => {
    await toCheck()
    await type('Surname, row 58', 'Okafor', 'Tab')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('E-mail, row 58')
  })

  test('of a chosen row leaves the next cell as the file has it', async () => {
    await toCheck()
    await fireEvent.click(cell('Surname, row 58').closest('[role=row]') as Element)
    await settle()
    const row = within(screen.getByRole('region', { name: /^Row 58/ }))
    await fireEvent.input(row.getByLabelText('Surname, row 58'), { target: { value: 'Okafor' } })
    await fireEvent.keyDown(row.getByLabelText('Surname, row 58'), { key: 'Enter' })
    await settle()
    expect(row.getByLabelText<HTMLInputElement>('E-mail, row 58').value).toBe('')
  })

  test('keeps the focus on a cell that is still wrong, and a second Enter moves on', async () => {
    await toCheck()
    await type('E-mail, row 17', 'still wrong', 'Enter')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('E-mail, row 17')
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' })
    await settle()
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Surname, row 58')
  })

  test('keeps what is typed on while the earlier text is being saved', async () => {
    await toCheck()
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama', 'Enter')
    await fireEvent.input(cell('E-mail, row 17'), { target: { value: 'tama@example.com' } })
    correcting()
    await settle()
    expect(cell('E-mail, row 17').value).toBe('tama@example.com')
    await fireEvent.blur(cell('E-mail, row 17'))
    await settle()
    expect(calls('bulk.correct').at(-1)).toMatchObject({ row: 17, value: 'tama@example.com' })
  })

  test('can be taken back by typing while it is being saved', async () => {
    await toCheck()
    const before = cell('E-mail, row 17').value
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await type('E-mail, row 17', before, 'Enter')
    correcting()
    await settle()
    expect(calls('bulk.correct')).toMatchObject([{ value: 'tama@example.com' }, { value: before }])
    expect(cell('E-mail, row 17').value).toBe(before)
  })

  test('is cancelled by Escape', async () => {
    await toCheck()
    const before = cell('E-mail, row 17').value
    cell('E-mail, row 17').focus()
    await type('E-mail, row 17', 'something else', 'Escape')
    expect(cell('E-mail, row 17').value).toBe(before)
    expect(document.activeElement).toBe(screen.getByRole('grid', { name: 'Rows' }))
    expect(calls('bulk.correct')).toEqual([])
  })

  test('lets Tab leave the table after the last row', async () => {
    await toCheck()
    cell('Sign by, row 176').focus()
    await settle()
    await fireEvent.keyDown(screen.getByRole('grid').querySelector('[aria-label="Sign by, row 176"]') as Element, {
      key: 'Tab'
    })
    await settle()
    expect(screen.getByRole('grid').contains(document.activeElement)).toBe(false)
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 3, name: /^Row 176/ }))
  })

  test('can be undone to the file’s value', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByText(/→ “tama@example\.com”/))
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo corrections' }))
    await settle()
    expect(calls('bulk.correct').at(-1)).toEqual({ id: 'sheet-1', row: 17, column: 2, value: null })
    expect(screen.getAllByLabelText('E-mail, row 17').length).toBeGreaterThan(0)
  })

  test('undoes all corrections of a row together', async () => {
    await toCheck()
    await type('Surname, row 58', 'Okafor', 'Enter')
    await type('E-mail, row 58', 'mere@example.com', 'Enter')
    await fireEvent.click(screen.getByText(/→ “mere@example\.com”/))
    await settle()
    const before = calls('bulk.correct').length
    // Another row is opened before the first answer arrives.
    const release = opened.api.control.hold('bulk.correct')
    await fireEvent.click(screen.getByRole('button', { name: 'Undo corrections' }))
    await fireEvent.click(cell('E-mail, row 17').closest('[role=row]') as Element)
    release()
    await settle()
    const undone = calls('bulk.correct').slice(before) as { row: number; value: unknown }[]
    expect(undone).toMatchObject([
      { row: 58, column: 1, value: null },
      { row: 58, column: 2, value: null }
    ])
  })

  test('delays the batch until it is saved, and requires sending again if the rows ready have changed', async () => {
    await toCheck()
    const release = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send 191 packages' })
    expect(send.disabled).toBe(true)
    // Submitting the form directly: the disabled button isn't the only safeguard.
    await fireEvent.submit(send.form as HTMLFormElement)
    await settle()
    expect(calls('bulk.send')).toEqual([])
    release()
    await settle()
    expect(calls('bulk.send')).toEqual([])
    expect(screen.getByText(/^A correction changed which rows are ready/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Send 192 packages' }))
    await settle()
    expect(calls('bulk.send')).toHaveLength(1)
  })

  test('stops the batch from being sent when it fails', async () => {
    await toCheck()
    const release = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.api.control.fail('bulk.correct', { code: 'internal', message: 'It broke.' })
    await fireEvent.submit(screen.getByRole<HTMLButtonElement>('button', { name: /^Send 191/ }).form as HTMLFormElement)
    release()
    await settle()
    expect(calls('bulk.send')).toEqual([])
    expect(screen.getByText(/^A cell couldn’t be corrected/)).toBeTruthy()
    opened.api.control.heal('bulk.correct')
    await fireEvent.keyDown(cell('E-mail, row 17'), { key: 'Enter' })
    await settle()
    expect(ready()).toBe('192 of 200 rows ready')
  })

  test('that is answered late doesn’t replace the results of a check that was begun since', async () => {
    const bulk = madeUpBulk(NOW)
    await toCheck({
      bulk: { ...bulk, check: { ...bulk.check, withoutCountry: 40 } },
      settings: { theme: 'system', zoom: 1, countryCode: { code: '64', isGuessed: true } }
    })
    const { control } = opened.api
    const correcting = control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    const checking = control.hold('bulk.check')
    await fireEvent.click(screen.getByRole('button', { name: 'Use +64 for all' }))
    await settle()
    correcting()
    await settle()
    control.state.bulk.check = { ...control.state.bulk.check, withoutCountry: 0 }
    checking()
    await settle()
    expect(ready()).toBe('192 of 200 rows ready')
    expect(screen.getByText('Mobile numbers without a country code get +64.')).toBeTruthy()
  })

  test('is asked about before another sheet replaces it, also if it was answered after the check was discarded', async () => {
    const bulk = madeUpBulk(NOW)
    const sheet = bulk.sheet && { ...bulk.sheet, dateDoubts: [{ column: 4, example: '03/04/2027' }] }
    await toCheck({ bulk: { ...bulk, sheet } })
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByRole('button', { name: 'Read as 4 March 2027' }))
    await settle()
    correcting()
    await settle()
    await drop(file('other.csv', 'text/csv'))
    expect(screen.getByRole('dialog', { name: 'Use another sheet?' })).toBeTruthy()
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test('survives a visit to the settings', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.app.router.go('settings', ['appearance'])
    await settle()
    opened.app.router.go('bulk')
    await settle()
    expect(step()).toBe('Check and send')
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    expect(calls('bulk.close')).toEqual([])
    // Nor is it lost to a sheet started then, before the question is answered.
    opened.app.router.go('drafts')
    await settle()
    await drop(file('other.csv', 'text/csv'))
    expect(screen.getByRole('dialog', { name: 'Use another sheet?' })).toBeTruthy()
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test.each(['settings', 'bulk'] as const)('is discarded when the account is changed in %s', async (where) => {
    await toCheck({ accounts: [{ ...practiceAccount(), chosen: true }, officeAccount()] })
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.app.router.go(where)
    await settle()
    await opened.app.choose(officeAccount().id)
    await settle()
    expect(calls('bulk.close')).toEqual([{ id: 'sheet-1' }])
    expect(opened.app.suspendedBulk).toBeUndefined()
  })

  test('survives a new package, which begins in another account only if no sheet was left', async () => {
    const accounts = [practiceAccount(), { ...officeAccount(), beginsPackages: true as const }]
    await toCheck({ accounts: accounts.map((one) => ({ ...one, shown: true })) })
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.app.router.go('compose')
    await settle()
    expect(opened.app.accounts.chosen?.id).toBe('practice')
    opened.app.router.go('bulk')
    await settle()
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    expect(calls('bulk.close')).toEqual([])
    await fireEvent.click(screen.getByRole('button', { name: /^Send \d+ packages$/ }))
    await settle()
    opened.app.router.go('compose')
    await settle()
    expect(opened.app.accounts.chosen?.id).toBe('harbour')
  })

  test('asks for confirmation before another sheet replaces corrected rows', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await drop(file('other.csv', 'text/csv'))
    const question = within(screen.getByRole('dialog', { name: 'Use another sheet?' }))
    await fireEvent.click(question.getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(calls('bulk.openDropped')).toEqual([])
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    await drop(file('other.csv', 'text/csv'))
    await fireEvent.click(screen.getByRole('button', { name: 'Use another sheet' }))
    await settle()
    expect(calls('bulk.openDropped')).toHaveLength(1)
    expect(step()).toBe('Columns')
  })

  test('is asked about before another sheet replaces it, also if it was made while that was read', async () => {
    await toCheck()
    const { hold, state } = opened.api.control
    const opening = hold('bulk.openDropped')
    await drop(file('other.csv', 'text/csv'))
    const correcting = hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    if (state.bulk.sheet) state.bulk.sheet = { ...state.bulk.sheet, id: 'sheet-2' }
    opening()
    await settle()
    expect(step()).toBe('Check and send')
    correcting()
    await settle()
    const question = within(screen.getByRole('dialog', { name: 'Use another sheet?' }))
    await fireEvent.click(question.getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(calls('bulk.close')).toEqual([{ id: 'sheet-2' }])
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    await drop(file('other.csv', 'text/csv'))
    await fireEvent.click(screen.getByRole('button', { name: 'Use another sheet' }))
    await settle()
    // Nobody is asked twice.
    expect(calls('bulk.close').at(-1)).toEqual({ id: 'sheet-1' })
    expect(step()).toBe('Columns')
  })

  test('that fails as its sheet is gone leaves another one that was opened meanwhile', async () => {
    await toCheck()
    const opening = opened.api.control.hold('bulk.openDropped')
    await drop(file('other.csv', 'text/csv'))
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    const { state } = opened.api.control
    if (state.bulk.sheet) state.bulk.sheet = { ...state.bulk.sheet, id: 'sheet-2' }
    opening()
    opened.api.control.fail('bulk.correct', { code: 'gone', message: 'This file is no longer open.' })
    correcting()
    await settle()
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^other\.csv/)).toBeTruthy()
  })

  test('can’t be made in a sheet of the file while another is read', async () => {
    await toCheck()
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByRole('button', { name: 'Change: Spreadsheet' }))
    await fireEvent.change(screen.getByLabelText('Sheet'), { target: { value: 'June' } })
    await settle()
    expect(calls('bulk.sheet')).toEqual([])
    const reading = opened.api.control.hold('bulk.sheet')
    correcting()
    await settle()
    expect(calls('bulk.sheet')).toEqual([{ id: 'sheet-1', sheet: 'June' }])
    expect(screen.queryByRole('button', { name: 'Change: Check and send' })).toBeNull()
    reading()
    await settle()
    expect(step()).toBe('Spreadsheet')
  })

  test('is asked about before another sheet is opened, even while it is being saved', async () => {
    await toCheck()
    const correcting = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await drop(file('other.csv', 'text/csv'))
    correcting()
    await settle()
    expect(screen.getByRole('dialog', { name: 'Use another sheet?' })).toBeTruthy()
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test('is included in the downloaded sheet', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByRole('button', { name: 'Download corrected sheet…' }))
    await settle()
    expect(warned()).toContain('Your own file is as it was')
  })
})

test('a row opens a preview of the package that it will send', async () => {
  await toCheck()
  await fireEvent.click(screen.getByRole('radio', { name: /^All rows/ }))
  await settle()
  const grid = screen.getByRole('grid', { name: 'Rows' })
  await fireEvent.keyDown(grid, { key: 'Home' })
  await fireEvent.keyDown(grid, { key: 'Enter' })
  await settle()
  expect(calls('bulk.package').at(-1)).toEqual({ id: 'sheet-1', row: 1 })
  const heading = screen.getByRole('heading', { level: 3, name: /^Row 1,/ })
  expect(document.activeElement).toBe(heading)
  const row = within(heading.parentElement as HTMLElement)
  expect(row.getByText('This row will send')).toBeTruthy()
  expect(row.getByText('tama.okafor1@example.com')).toBeTruthy()
  expect(row.getByText(/^Default|December|November/)).toBeTruthy()
  expect(row.getByText('What will be sent')).toBeTruthy()
})

test('reasons are shown whole: rows with findings have room for them', async () => {
  await toCheck()
  const [, first] = within(screen.getByRole('grid', { name: 'Rows' })).getAllByRole('row')
  expect(first?.style.height).toBe('72px')
  const why = document.getElementById(cell('E-mail, row 17').getAttribute('aria-describedby') ?? '')
  expect(getComputedStyle(why as HTMLElement).whiteSpace).toBe('normal')
  // Among many rows most are ready, and one line is enough.
  await fireEvent.click(screen.getByRole('radio', { name: /^All rows/ }))
  await settle()
  const [, ready] = within(screen.getByRole('grid', { name: 'Rows' })).getAllByRole('row')
  expect(ready?.style.height).toBe('36px')
})

describe('rows left out of a batch', () => {
  async function send() {
    await fireEvent.click(screen.getByRole('button', { name: /^Send \d+ packages$/ }))
    await settle()
    return opened.api.control.state.batches[0]
  }
  async function fixLeftOut(name: string | undefined) {
    await fireEvent.click(screen.getByRole('button', { name: `Show rows left out of ${name}` }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Fix and send…' }))
    await settle()
  }
  /** Leaves a sheet with corrections, for another package than that of the batch, and continues with the rows left out. */
  async function fixBesideCorrections() {
    await toCheck()
    const batch = await send()
    opened.app.router.go('bulk', [], { preset: 'office-2' })
    await settle()
    for (const name of ['Choose a file…', 'Continue', 'Check 200 rows']) {
      await fireEvent.click(screen.getByRole('button', { name }))
      await settle()
    }
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.app.router.go('outbox', [], { batch: batch?.id ?? '' })
    await settle()
    return batch
  }

  test('can be fixed and sent with the package that it was made of, also after work in another account', async () => {
    const accounts = [practiceAccount(), officeAccount()].map((one) => ({ ...one, shown: true }))
    await toCheck({ accounts })
    const batch = await send()
    expect(window.location.hash).toBe(`#/outbox?batch=${batch?.id}`)
    await opened.app.workIn('harbour')
    await opened.app.workIn('practice')
    await settle()
    await fixLeftOut(batch?.name)
    expect(calls('bulk.openLeftOut')).toEqual([{ batchId: batch?.id }])
    expect(screen.getByText(/rows left out\.csv/)).toBeTruthy()
    // The package is known, and its columns are matched.
    expect(screen.getByRole('button', { name: /^Check \d+ rows$/ })).toBeTruthy()
  })

  test('leave a corrected sheet with its own package if the user keeps it', async () => {
    const batch = await fixBesideCorrections()
    const packageOfSheet = (opened.app.suspendedBulk?.bulk as Bulk | undefined)?.base?.name
    await fixLeftOut(batch?.name)
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(packageOfSheet).not.toBe(opened.app.lastBatch?.base.name)
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    expect(screen.getByText(new RegExp(`${packageOfSheet}`))).toBeTruthy()
  })

  test('don’t get the package of a sheet that they replace: if theirs isn’t known, it has to be chosen', async () => {
    const batch = await fixBesideCorrections()
    opened.app.lastBatch = undefined
    await fixLeftOut(batch?.name)
    await fireEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Use another sheet' }))
    await settle()
    expect(calls('bulk.openLeftOut')).toHaveLength(1)
    expect(step()).toBe('What to send')
    expect(warned()).toContain('Now choose what to send.')
  })
})

describe('how a sheet is read', () => {
  test('can be changed when its first row is data', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await fireEvent.click(screen.getByRole('button', { name: 'Choose a file…' }))
    await settle()
    await fireEvent.change(screen.getByLabelText('First row is'), { target: { value: 'data' } })
    await settle()
    expect(calls('bulk.sheet')).toEqual([{ id: 'sheet-1', sheet: 'May', firstRow: 'data' }])
    expect(screen.getByText('201 rows, 8 columns')).toBeTruthy()
    expect(screen.getByRole('columnheader', { name: 'A' })).toBeTruthy()
  })

  const doubtful = (): Partial<FakeState> => {
    const bulk = madeUpBulk(NOW)
    const dateDoubts = [{ column: 4, example: '03/04/2027' }]
    return { bulk: { ...bulk, sheet: bulk.sheet && { ...bulk.sheet, dateDoubts } } }
  }

  test('shows how ambiguous dates are read, and lets staff swap day and month', async () => {
    await toCheck(doubtful())
    expect(calls('bulk.check').at(-1)).not.toHaveProperty('dateOrders')
    expect(screen.getByText(/03\/04\/2027 is read as 3 April 2027/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Read as 4 March 2027' }))
    await settle()
    expect(calls('bulk.check').at(-1)).toMatchObject({ dateOrders: [{ column: 4, order: 'month-first' }] })
    expect(screen.getByText(/03\/04\/2027 is read as 4 March 2027/)).toBeTruthy()
  })

  function lastTime({ bulk }: Partial<FakeState>): Partial<FakeState> {
    const [preset] = madeUpPresets(NOW).filter(({ id }) => id === 'office-1')
    const mapping = preset ? matchColumns(bulkTargets(preset.composition), bulk?.sheet?.columns ?? []) : []
    const remembered = { mapping, dateOrders: [{ column: 4, order: 'month-first' as const }], at: NOW }
    return { bulk: { ...madeUpBulk(NOW), ...bulk, remembered } }
  }

  test('is remembered', async () => {
    await open('bulk', lastTime(doubtful()), [], { preset: 'office-1' })
    for (const name of ['Choose a file…', 'Continue']) {
      await fireEvent.click(screen.getByRole('button', { name }))
      await settle()
    }
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Month first/ }).checked).toBe(true)
  })

  test('invalidates an earlier check if the remembered date order arrives late', async () => {
    const change = lastTime(doubtful())
    await open('bulk', change, [], { preset: 'office-1' })
    const release = opened.api.control.hold('bulk.remembered')
    await fireEvent.click(screen.getByRole('button', { name: 'Choose a file…' }))
    await settle()
    for (const name of ['Continue', 'Check 200 rows']) {
      await fireEvent.click(screen.getByRole('button', { name }))
      await settle()
    }
    expect(screen.getByRole('button', { name: /^Send \d+ packages/ })).toBeTruthy()
    release()
    await settle()
    expect(screen.queryByRole('button', { name: /^Send \d+ packages/ })).toBeNull()
    expect(step()).toBe('Columns')
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Month first/ }).checked).toBe(true)
  })

  test('ignores the remembered date order when the sheet’s own dates are unambiguous', async () => {
    await toCheck(lastTime({ bulk: madeUpBulk(NOW) }))
    expect(calls('bulk.check').at(-1)).not.toHaveProperty('dateOrders')
  })
})

test('the practice office offers a sample sheet, which is checked immediately', async () => {
  await open('bulk', { accounts: [{ ...practiceAccount(), chosen: true }] })
  await fireEvent.click(screen.getByRole('button', { name: 'Try it with a sample sheet' }))
  await settle()
  expect(calls('bulk.trySample')).toEqual([{}])
  expect(step()).toBe('Check and send')
  expect(screen.getByText(/^Preset “Client engagement letter”/)).toBeTruthy()
})

test('the sample is checked only once the remembered reading has been loaded', async () => {
  await open('bulk', { accounts: [{ ...practiceAccount(), chosen: true }] })
  const release = opened.api.control.hold('bulk.remembered')
  await fireEvent.click(screen.getByRole('button', { name: 'Try it with a sample sheet' }))
  await settle()
  expect(calls('bulk.check')).toEqual([])
  release()
  await settle()
  expect(calls('bulk.check')).toHaveLength(1)
  expect(step()).toBe('Check and send')
})

test('other accounts offer no sample sheet', async () => {
  await open('bulk', { accounts: [{ ...officeAccount(), chosen: true }] })
  expect(screen.queryByRole('button', { name: 'Try it with a sample sheet' })).toBeNull()
})
