/** A sheet that is dropped or pasted, and corrected in the table. */
import { fireEvent, render, screen, within } from '@testing-library/svelte'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import App from '../../src/renderer/src/App.svelte'
import { loadScreens } from '../../src/renderer/src/frame/screens.ts'
import { kindOfDropped } from '../../src/renderer/src/state/drops.svelte.ts'
import type { ScreenName } from '../../src/renderer/src/state/router.svelte.ts'
import { matchColumns } from '../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../src/shared/composition/bulk-targets.ts'
import { MOST_SHEET_BYTES } from '../../src/shared/contract/index.ts'
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

describe('a file over the window', () => {
  test('says what dropping it will do, and opens bulk send with what is in it', async () => {
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

  test('of rows says why nothing comes of it where the role of who works here refuses that', async () => {
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

  test('goes on to the columns where it is known what to send', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await drop(file('clients.csv', 'text/csv'))
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^clients.csv: 200 rows/)).toBeTruthy()
  })

  test('goes away with the pointer', async () => {
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
  ])('that is no table says so in words, and nothing is opened: %s', async (name, type, words) => {
    await open()
    expect((await over(file(name, type))).effect).toBe('none')
    expect(zone()).toContain(words)
    expect(await drop(file(name, type))).toBe(true)
    expect(warned()).toContain(words)
    expect(opened.app.router.route.screen).toBe('drafts')
  })

  test('among others is refused: a sheet at a time', async () => {
    await open()
    await drop(file('a.csv', 'text/csv'), file('b.csv', 'text/csv'))
    expect(warned()).toContain('one file at a time')
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test('that is too large isn’t even read', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    const large = file('clients.csv', 'text/csv', MOST_SHEET_BYTES + 1)
    large.arrayBuffer = () => Promise.reject(new Error('It was read.'))
    await drop(large)
    expect(screen.getAllByText(/51 MB; the limit is 50 MB/).length).toBeGreaterThan(0)
    expect(calls('bulk.openDropped')).toEqual([])
  })

  test.each(['handed over', 'locked'])(
    'is neither shown nor taken, nor gone to, while the screen is %s',
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

  test('goes to the form that is composed, if it is XML', async () => {
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

test('a file is known by its ending, and until that is told by its type', () => {
  expect(kindOfDropped('application/vnd.ms-excel')).toBe('rows')
  expect(kindOfDropped('application/vnd.ms-excel', 'clients.csv')).toBe('rows')
  expect(kindOfDropped('', 'drafts.countersign')).toBe('drafts')
  expect(kindOfDropped('')).toBe('unknown')
  expect(kindOfDropped('', 'folder')).toBe('other')
})

describe('rows on the clipboard', () => {
  test('are pasted on the screen, or by a button', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await paste('Name\tE-mail\nMere\tmere@example.com')
    expect(calls('bulk.paste')).toEqual([{ text: 'Name\tE-mail\nMere\tmere@example.com' }])
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^Pasted rows: 200 rows/)).toBeTruthy()
    await fireEvent.click(screen.getByRole('button', { name: 'Change: Spreadsheet' }))
    await settle()
    expect(screen.getByText('Pasted rows')).toBeTruthy()
  })

  test('come by a button from the clipboard itself', async () => {
    await open('bulk', {}, [], { preset: 'office-1' })
    await fireEvent.click(screen.getByRole('button', { name: 'Paste rows' }))
    await settle()
    expect(calls('bulk.paste')).toEqual([{}])
  })

  test('stay a field’s own in a field', async () => {
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

describe('a cell that is wrong', () => {
  test('is entered from its row, and Enter leads from one to the next', async () => {
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
    const [ready] = within(screen.getByRole('list', { name: 'Results' })).getAllByRole('listitem')
    expect(ready?.textContent).toContain('192')
    expect(screen.getByRole('button', { name: 'Send 192 packages' })).toBeTruthy()
  })

  test('leads to what else is wrong in its row first', async () => {
    await toCheck()
    await type('Surname, row 58', 'Okafor', 'Tab')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('E-mail, row 58')
  })

  test('that is still wrong keeps the focus, and another Enter goes on', async () => {
    await toCheck()
    await type('E-mail, row 17', 'still wrong', 'Enter')
    expect(document.activeElement?.getAttribute('aria-label')).toBe('E-mail, row 17')
    await fireEvent.keyDown(document.activeElement as Element, { key: 'Enter' })
    await settle()
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Surname, row 58')
  })

  test('is left as it was by Escape', async () => {
    await toCheck()
    const before = cell('E-mail, row 17').value
    cell('E-mail, row 17').focus()
    await type('E-mail, row 17', 'something else', 'Escape')
    expect(cell('E-mail, row 17').value).toBe(before)
    expect(document.activeElement).toBe(screen.getByRole('grid', { name: 'Rows' }))
    expect(calls('bulk.correct')).toEqual([])
  })

  test('of the last row lets Tab out of the table', async () => {
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

  test('can be put back to what the file says', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByText(/→ “tama@example\.com”/))
    await settle()
    await fireEvent.click(screen.getByRole('button', { name: 'Undo corrections' }))
    await settle()
    expect(calls('bulk.correct').at(-1)).toEqual({ id: 'sheet-1', row: 17, column: 2, value: null })
    expect(screen.getAllByLabelText('E-mail, row 17').length).toBeGreaterThan(0)
  })

  test('with others in its row is put back to what the file says, all of them', async () => {
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

  test('holds the batch until it is corrected, and what was seen to go is what goes', async () => {
    await toCheck()
    const release = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send 191 packages' })
    expect(send.disabled).toBe(true)
    // However it is submitted: the disabled button isn't the only safeguard.
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

  test('that couldn’t be corrected keeps the batch from going', async () => {
    await toCheck()
    const release = opened.api.control.hold('bulk.correct')
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.api.control.fail('bulk.correct', { code: 'internal', message: 'It broke.' })
    await fireEvent.submit(screen.getByRole<HTMLButtonElement>('button', { name: /^Send 191/ }).form as HTMLFormElement)
    release()
    await settle()
    expect(calls('bulk.send')).toEqual([])
    expect(screen.getByText(/^A cell couldn’t be corrected/)).toBeTruthy()
  })

  test('that was corrected is still so after the country was chosen in the settings', async () => {
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

  test.each(['settings', 'bulk'] as const)('goes with its account, chosen in %s', async (where) => {
    await toCheck({ accounts: [{ ...practiceAccount(), chosen: true }, officeAccount()] })
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    opened.app.router.go(where)
    await settle()
    await opened.app.choose(officeAccount().id)
    await settle()
    expect(calls('bulk.close')).toEqual([{ id: 'sheet-1' }])
    expect(opened.app.suspendedBulk).toBeUndefined()
  })

  test('that was corrected isn’t lost to another sheet without a question', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await drop(file('other.csv', 'text/csv'))
    const asked = within(screen.getByRole('dialog', { name: 'Use another sheet?' }))
    await fireEvent.click(asked.getByRole('button', { name: 'Cancel' }))
    await settle()
    expect(calls('bulk.openDropped')).toEqual([])
    expect(screen.getByText(/→ “tama@example\.com”/)).toBeTruthy()
    await drop(file('other.csv', 'text/csv'))
    await fireEvent.click(screen.getByRole('button', { name: 'Use another sheet' }))
    await settle()
    expect(calls('bulk.openDropped')).toHaveLength(1)
    expect(step()).toBe('Columns')
  })

  test('is in the sheet that is saved', async () => {
    await toCheck()
    await type('E-mail, row 17', 'tama@example.com', 'Enter')
    await fireEvent.click(screen.getByRole('button', { name: 'Download corrected sheet…' }))
    await settle()
    expect(warned()).toContain('Your own file is as it was')
  })
})

test('a row opens the package that it will send, in the words of the composer', async () => {
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

describe('how a sheet is read', () => {
  test('can be changed where its first row is data', async () => {
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

  test('says which of day and month comes first where it could be either, and asks', async () => {
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

  test('as last time, told late, makes the check before it void', async () => {
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

  test('is not taken from last time where the sheet itself tells', async () => {
    await toCheck(lastTime({ bulk: madeUpBulk(NOW) }))
    expect(calls('bulk.check').at(-1)).not.toHaveProperty('dateOrders')
  })
})

test('the practice office has a sample to try it with, checked at once', async () => {
  await open('bulk', { accounts: [{ ...practiceAccount(), chosen: true }] })
  await fireEvent.click(screen.getByRole('button', { name: 'Try it with a sample sheet' }))
  await settle()
  expect(calls('bulk.practise')).toEqual([{}])
  expect(step()).toBe('Check and send')
  expect(screen.getByText(/^Preset “Client engagement letter”/)).toBeTruthy()
})

test('the sample is checked once it is known how such a sheet was read last', async () => {
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

test('no other account has one', async () => {
  await open('bulk', { accounts: [{ ...officeAccount(), chosen: true }] })
  expect(screen.queryByRole('button', { name: 'Try it with a sample sheet' })).toBeNull()
})
