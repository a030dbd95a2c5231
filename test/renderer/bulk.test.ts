import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import Bulk from '../../src/renderer/src/screens/bulk/Bulk.svelte'
import type { ColumnMapping } from '../../src/shared/composition/bulk-columns.ts'
import { bulkTargets } from '../../src/shared/composition/bulk-targets.ts'
import type { BulkCheck } from '../../src/shared/contract/views.ts'
import { type FakeState, fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { madeUpBulk } from './fakes/bulk.ts'
import { madeUpDrafts, madeUpPresets } from './fakes/drafts.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened
afterEach(() => opened.close())

async function open(query: Record<string, string> = {}, change: Partial<FakeState> = {}) {
  opened = await openOffice(
    fakeApi({ presets: madeUpPresets(NOW), drafts: madeUpDrafts(3, NOW), bulk: madeUpBulk(NOW), ...change })
  )
  opened.app.router.go('bulk', [], query)
  const rendered = show(opened, Bulk)
  await settle()
  return rendered
}

const calls = (name: string) => opened.api.control.calls.filter((call) => call.name === name)
const ready = () => screen.getByText(/^of \S+ rows? ready$/).textContent?.trim()
const step = () =>
  screen.getAllByRole('heading', { level: 2 }).find((one) => one.closest('[aria-current=step]'))?.textContent
const fills = (column: string) => screen.getByRole('combobox', { name: `Field for “${column}”` }) as HTMLInputElement
/** Returns which columns were mapped to what in the last check of the rows. */
function filled(): ColumnMapping {
  const input = calls('bulk.check').at(-1)?.input as { mapping: ColumnMapping } | undefined
  return input?.mapping ?? []
}

async function press(name: string | RegExp) {
  await fireEvent.click(screen.getByRole('button', { name }))
  await settle()
}

async function chooseSheet() {
  await press('Choose a file…')
}

async function toColumns(query: Record<string, string> = { preset: 'office-1' }, change: Partial<FakeState> = {}) {
  const rendered = await open(query, change)
  await chooseSheet()
  await press('Continue')
  return rendered
}

async function toCheck(change: Partial<FakeState> = {}) {
  const rendered = await toColumns({ preset: 'office-1' }, change)
  await press('Check 200 rows')
  return rendered
}

/** Returns the made-up sheet as if checking it had found this. */
function found(change: Partial<BulkCheck>): Partial<FakeState> {
  const bulk = madeUpBulk(NOW)
  return { bulk: { ...bulk, check: { ...bulk.check, ...change } } }
}

describe('choosing what to send', () => {
  test('lists presets first, then shows the choice, which can be changed', async () => {
    await open()
    expect(step()).toBe('What to send')
    await press(/^Tenancy, two tenants/)
    expect(step()).toBe('Spreadsheet')
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Spreadsheet' }))
    expect(screen.getByText(/^Preset “Tenancy, two tenants”: 1 document, 1 signer/)).toBeTruthy()
    await press('Change: What to send')
    expect(step()).toBe('What to send')
  })

  test('finds a draft by its words', async () => {
    await open()
    await fireEvent.click(screen.getByRole('radio', { name: /^Draft/ }))
    await settle()
    await fireEvent.input(screen.getByLabelText('Search drafts'), { target: { value: 'tax' } })
    await opened.clock.pass(200)
    await press(/^Tax file declaration/)
    expect(screen.getByText(/^Draft “Tax file declaration”/)).toBeTruthy()
  })

  test('lists templates when the office has no presets', async () => {
    await open({}, { presets: [] })
    await press(/^Residential tenancy agreement/)
    expect(screen.getByText(/^Template “Residential tenancy agreement”: 1 document, 2 signers/)).toBeTruthy()
  })

  test('allows a form for several signers, whose names come from the sheet', async () => {
    await open()
    await fireEvent.click(screen.getByRole('radio', { name: /^Form/ }))
    await fireEvent.input(screen.getByLabelText('Form name'), { target: { value: 'Choice of fund' } })
    await fireEvent.change(screen.getByLabelText('Signers'), { target: { value: '2' } })
    await press('Use this form')
    await chooseSheet()
    await press('Continue')
    expect(screen.getByText(/Signer 2: first name.* have no column yet/)).toBeTruthy()
  })

  test('takes a preset or draft from the address', async () => {
    await open({ draft: 'made-2' })
    expect(step()).toBe('Spreadsheet')
    expect(screen.getByText(/^Draft “Tax file declaration”/)).toBeTruthy()
  })

  test('refuses a draft that is being edited on another workstation, and says where', async () => {
    const office = { isMine: false, canBeMine: false, editingBy: 'Counter 2', versions: 0, edition: 1 }
    const [first, ...others] = madeUpDrafts(3, NOW)
    await open({}, { drafts: first ? [{ ...first, office }, ...others] : others })
    await fireEvent.click(screen.getByRole('radio', { name: /^Draft/ }))
    await settle()
    await press(/Being edited at Counter 2/)
    expect(screen.getByText(/couldn’t be opened. Choose something else/)).toBeTruthy()
    expect(step()).toBe('What to send')
  })

  test('reports a preset that no longer exists, and allows another choice', async () => {
    await open({ preset: 'elsewhere' })
    expect(screen.getByText(/couldn’t be opened. Choose something else/)).toBeTruthy()
    expect(step()).toBe('What to send')
  })
})

describe('the sheet', () => {
  test('shows its name, size, first rows and notes about how it was read', async () => {
    await open({ preset: 'office-1' })
    await chooseSheet()
    expect(screen.getByText('Tenants May.xlsx')).toBeTruthy()
    expect(screen.getByText('200 rows, 8 columns')).toBeTruthy()
    expect(screen.getByText(/are read with the day first/)).toBeTruthy()
    const sample = screen.getByRole('region', { name: 'First rows of the sheet' })
    expect(within(sample).getAllByRole('row')).toHaveLength(6)
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Continue' }))
  })

  test('can be switched to another sheet of the same file', async () => {
    await open({ preset: 'office-1' })
    await chooseSheet()
    await fireEvent.change(screen.getByLabelText('Sheet'), { target: { value: 'June' } })
    await settle()
    expect(calls('bulk.sheet').map(({ input }) => input)).toEqual([{ id: 'sheet-1', sheet: 'June' }])
  })

  test('can be started from a sample for Excel or as CSV', async () => {
    await open({ preset: 'office-1' })
    await press('Save for Excel…')
    await press('Save as CSV…')
    expect(calls('bulk.saveSample').map(({ input }) => (input as { format: string }).format)).toEqual(['xlsx', 'csv'])
    expect(opened.app.toasts.shown.map(({ text }) => text).join()).toContain('Saved “Sample.csv”')
  })

  test('names a file that can’t be used and the one still in use', async () => {
    await open({ preset: 'office-1' })
    await chooseSheet()
    const message = 'A quotation mark in row 12 is never closed.'
    opened.api.control.fail('bulk.open', { code: 'bad-file', message, subject: 'June.csv' })
    await press('Choose another file…')
    expect(screen.getByText('“June.csv” can’t be used. “Tenants May.xlsx, May” is still in use.')).toBeTruthy()
    expect(screen.getByText('200 rows, 8 columns')).toBeTruthy()
  })

  test('explains why a file can’t be used, and another can be chosen', async () => {
    await open({ preset: 'office-1' })
    opened.api.control.fail('bulk.open', { code: 'bad-file', message: 'A quotation mark in row 12 is never closed.' })
    await chooseSheet()
    expect(screen.getByText('A quotation mark in row 12 is never closed.')).toBeTruthy()
    opened.api.control.heal('bulk.open')
    await chooseSheet()
    expect(screen.getByText('Tenants May.xlsx')).toBeTruthy()
  })

  test('stays unchanged when choosing a file is cancelled', async () => {
    await open({ preset: 'office-1' }, { bulk: { ...madeUpBulk(NOW), sheet: null } })
    await chooseSheet()
    expect(step()).toBe('Spreadsheet')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('without rows can’t be continued with', async () => {
    const bulk = madeUpBulk(NOW)
    await open(
      { preset: 'office-1' },
      { bulk: { ...bulk, sheet: bulk.sheet && { ...bulk.sheet, rows: 0, sample: [] } } }
    )
    await chooseSheet()
    expect(screen.getByText('This sheet has no rows below its headings.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull()
  })

  /** Leaves the screen and returns with a query. */
  async function comeBack(unmount: () => void, query: Record<string, string>) {
    unmount()
    opened.app.router.go('settings')
    await settle()
    opened.app.router.go('bulk', [], query)
    show(opened, Bulk)
    await settle()
  }

  test.each([{}, { preset: 'office-1' }])('is kept when returning to the screen', async (query) => {
    const { unmount } = await open({ preset: 'office-1' })
    await chooseSheet()
    await comeBack(unmount, query as Record<string, string>)
    expect(step()).toBe('Columns')
    expect(screen.getByText(/^Tenants May.xlsx, sheet “May”: 200 rows/)).toBeTruthy()
    expect(fills('Surname').value).toBe('Signer 1: last name')
    expect(calls('bulk.close')).toEqual([])
  })

  test('without corrections is closed when a different send is started', async () => {
    const { unmount } = await open({ preset: 'office-1' })
    await chooseSheet()
    await comeBack(unmount, { draft: 'made-2' })
    expect(step()).toBe('Spreadsheet')
    expect(calls('bulk.close').map(({ input }) => input)).toEqual([{ id: 'sheet-1' }])
  })
})

describe('the columns', () => {
  test('are matched by name, and the number matched is shown', async () => {
    await toColumns()
    expect(fills('First name').value).toBe('Signer 1: first name')
    expect(fills('Surname').value).toBe('Signer 1: last name')
    expect(fills('Sign by').value).toBe('Due date')
    expect(fills('Notes').value).toBe('')
    expect(screen.getByText(/^6 of 8 columns matched/)).toBeTruthy()
    const asReference = '“Matter” is sent as your reference. Documents shows it under Matter.'
    expect(screen.getByText(asReference)).toBeTruthy()
    await fireEvent.input(fills('Matter'), { target: { value: '' } })
    await fireEvent.blur(fills('Matter'))
    expect(screen.queryByText(asReference)).toBeNull()
  })

  test('can be matched with the keyboard: a few letters, an arrow, Enter', async () => {
    await toColumns()
    const field = fills('Notes')
    await fireEvent.input(field, { target: { value: 'middle' } })
    await fireEvent.keyDown(field, { key: 'ArrowDown' })
    await fireEvent.keyDown(field, { key: 'Enter' })
    expect(fills('Notes').value).toBe('Signer 1: middle name')
    await press('Check 200 rows')
    expect(filled()).toContainEqual({ target: expect.stringContaining('MiddleName'), column: 7 })
  })

  test('give up a target that is assigned to another column', async () => {
    await toColumns()
    const field = fills('Notes')
    await fireEvent.input(field, { target: { value: 'Signer 1: e-mail' } })
    await fireEvent.blur(field)
    expect(fills('Notes').value).toBe('Signer 1: e-mail')
    expect(fills('E-mail').value).toBe('')
  })

  test('restore the target after unknown text is typed, and clear it when the field is emptied', async () => {
    await toColumns()
    await fireEvent.input(fills('Surname'), { target: { value: 'rubbish' } })
    await fireEvent.blur(fills('Surname'))
    expect(fills('Surname').value).toBe('Signer 1: last name')
    await fireEvent.input(fills('Surname'), { target: { value: '' } })
    await fireEvent.blur(fills('Surname'))
    await press('Check 200 rows')
    expect(filled().map(({ column }) => column)).not.toContain(1)
  })

  test('list required values that are missing, and signers who are the same in every package', async () => {
    await toColumns({ draft: 'made-2' })
    expect(screen.getByText('The same in every package: Grace Okafor.')).toBeTruthy()
    expect(screen.queryByText(/^Nothing fills/)).toBeNull()
  })
})

describe('the check', () => {
  test('counts the rows ready, and lists those with errors first, with their columns', async () => {
    await toCheck()
    expect(step()).toBe('Check and send')
    expect(ready()).toBe('191 of 200 rows ready')
    const filters = within(screen.getByRole('radiogroup', { name: 'Rows shown' })).getAllByRole('radio')
    expect(filters.map((one) => one.closest('label')?.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'All rows 200',
      'With errors 5',
      'With warnings 9',
      'Duplicates 4'
    ])
    expect(screen.getAllByRole('row')).toHaveLength(6)
    expect(screen.getAllByText(/^This isn’t an e-mail address/)).toHaveLength(2)
    expect((screen.getByLabelText('E-mail, row 17') as HTMLInputElement).value).toMatch(/\.example\.com$/)
  })

  test('shows all problems of the selected row', async () => {
    await toCheck()
    const grid = screen.getByRole('grid', { name: 'Rows' })
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    const row = screen.getByRole('heading', { level: 3, name: /^Row 58/ }).parentElement as HTMLElement
    expect(within(row).getByText('Enter an e-mail address.')).toBeTruthy()
  })

  test('shows duplicate rows and what they repeat', async () => {
    await toCheck()
    await fireEvent.click(screen.getByRole('radio', { name: /Duplicates/ }))
    await settle()
    expect(screen.getByText('Same as row 23')).toBeTruthy()
    expect(screen.getAllByText(/^Already sent on 14 Nov/)).toHaveLength(2)
  })

  test('counts duplicates as ready once they are to be sent', async () => {
    await toCheck()
    await fireEvent.click(screen.getByRole('radio', { name: /^Send them too/ }))
    expect(ready()).toBe('195 of 200 rows ready')
    expect(screen.getByRole('button', { name: 'Send 195 packages' })).toBeTruthy()
  })

  test('shows what a row repeats before its other problems', async () => {
    const bulk = madeUpBulk(NOW)
    const problems = [{ at: 'due', severity: 'warning' as const, message: 'It is soon.' }]
    const rows = bulk.rows.map((row) => (row.duplicateOf ? { ...row, problems } : row))
    await toCheck({ bulk: { ...bulk, rows } })
    await fireEvent.click(screen.getByRole('radio', { name: /Duplicates/ }))
    await settle()
    expect(screen.getByText('Same as row 23')).toBeTruthy()
    expect(screen.getAllByText('and 1 more')).toHaveLength(4)
  })

  test('counts only errors in “and N more” beside an error', async () => {
    const bulk = madeUpBulk(NOW)
    const warning = { at: 'mobile', severity: 'warning' as const, message: 'Add the country code.' }
    await toCheck({
      bulk: { ...bulk, rows: bulk.rows.map((row) => ({ ...row, problems: [...row.problems, warning] })) }
    })
    expect(screen.getByRole('textbox', { name: 'E-mail, row 17' })).toBeTruthy()
    // Only row 58 lacks a second thing.
    expect(screen.getAllByText(/^and \d+ more$/).map(({ textContent }) => textContent)).toEqual(['and 1 more'])
  })

  test('warns when the first rows of the e-mail column contain no e-mail addresses', async () => {
    const bulk = madeUpBulk(NOW)
    if (!bulk.sheet) throw new Error('There is no made-up sheet.')
    const column = bulk.sheet.columns.indexOf('E-mail')
    const sample = bulk.sheet.sample.map((cells) => cells.with(column, '021 555 0100'))
    const swapped = { ...bulk, sheet: { ...bulk.sheet, sample } }
    const rendered = await toColumns({ preset: 'office-1' }, { bulk: swapped })
    expect(screen.getByText('The first rows of “E-mail” have no e-mail addresses.')).toBeTruthy()
    rendered.unmount()
    opened.close()
    await toColumns()
    expect(screen.queryByText(/no e-mail addresses/)).toBeNull()
  })

  test('exports the rows with errors', async () => {
    await toCheck()
    await press('Export 5 rows with errors…')
    expect(opened.app.toasts.shown[0]?.text).toContain('Exported “Rows to fix.csv”')
  })

  test('is invalidated when the mapping changes', async () => {
    await toCheck()
    await press('Change: Columns')
    await fireEvent.input(fills('Notes'), { target: { value: '' } })
    await fireEvent.input(fills('Mobile'), { target: { value: '' } })
    await fireEvent.blur(fills('Mobile'))
    expect(screen.queryByRole('button', { name: 'Continue: Check and send' })).toBeNull()
    await press('Check 200 rows')
    expect(calls('bulk.check')).toHaveLength(2)
  })

  test('reports a failed check, and can be run again', async () => {
    await toColumns()
    opened.api.control.fail('bulk.check', { code: 'invalid', message: 'The columns no longer match the package.' })
    await press('Check 200 rows')
    expect(screen.getByText('The columns no longer match the package.')).toBeTruthy()
    opened.api.control.heal('bulk.check')
    await press('Check again')
    expect(screen.getByText('With errors')).toBeTruthy()
  })

  test('asks for the file again when it is no longer open', async () => {
    await toColumns()
    opened.api.control.fail('bulk.check', { code: 'gone', message: 'This file is no longer open.' })
    await press('Check 200 rows')
    expect(screen.getByText('The file is no longer open.')).toBeTruthy()
    expect(step()).toBe('Spreadsheet')
  })
})

describe('the mapping from last time', () => {
  const lastTime = () => {
    const bulk = madeUpBulk(NOW)
    const [preset] = madeUpPresets(NOW).filter(({ id }) => id === 'office-1')
    const targets = preset ? bulkTargets(preset.composition) : []
    const target = targets.find(({ label }) => label === 'Signer 1: last name')?.target ?? ''
    return { bulk: { ...bulk, remembered: { mapping: [{ target, column: 7 }], dateOrders: [], at: NOW - 86_400_000 } } }
  }

  test('is applied and announced, and can be replaced by matching the headings', async () => {
    await toColumns(undefined, lastTime())
    expect(screen.getByText(/^Columns matched as last time/)).toBeTruthy()
    expect(fills('Notes').value).toBe('Signer 1: last name')
    expect(fills('Surname').value).toBe('')
    await press('Match by headings')
    expect(screen.queryByText(/^Columns matched as last time/)).toBeNull()
    expect(fills('Surname').value).toBe('Signer 1: last name')
  })

  test('is no longer announced once a column is matched by hand', async () => {
    await toColumns(undefined, lastTime())
    const notes = fills('Notes')
    await fireEvent.input(notes, { target: { value: '' } })
    await fireEvent.blur(notes)
    await settle()
    expect(screen.queryByText(/^Columns matched as last time/)).toBeNull()
  })
})

describe('sending', () => {
  const sent = () => calls('bulk.send').map(({ input }) => input)

  test('queues all rows without errors or duplicates, and shows the batch in the Outbox', async () => {
    await toCheck()
    await press('Send 191 packages')
    expect(sent()).toEqual([{ id: 'sheet-1', name: 'Tenants May', duplicates: 'leave-out', alike: 'leave-out' }])
    expect(window.location.hash).toBe('#/outbox?batch=batch-1')
  })

  test('includes duplicates when chosen, under another batch name', async () => {
    await toCheck()
    await fireEvent.click(screen.getByRole('radio', { name: /Send them too/ }))
    await fireEvent.input(screen.getByLabelText('Batch name'), { target: { value: 'Tenants' } })
    await press('Send 195 packages')
    expect(sent()).toEqual([{ id: 'sheet-1', name: 'Tenants', duplicates: 'send', alike: 'leave-out' }])
  })

  describe('mobile numbers without a country code', () => {
    const usual = (isGuessed: boolean) => ({
      settings: { theme: 'system' as const, zoom: 1, countryCode: { code: '64', isGuessed } }
    })
    const codes = () => calls('bulk.check').map(({ input }) => (input as { countryCode?: string }).countryCode)

    test('can all get this computer’s country code', async () => {
      await toCheck({ ...found({ withoutCountry: 40 }), ...usual(true) })
      expect(codes()).toEqual([undefined])
      await press('Use +64 for all')
      expect(codes()).toEqual([undefined, '64'])
    })

    test('that don’t fit the country are counted, and another country can be chosen', async () => {
      await toCheck({ ...found({ withoutCountry: 40 }), ...usual(true) })
      await press('Use +64 for all')
      expect(screen.getByText('40 rows have numbers that aren’t mobile numbers in that country.')).toBeTruthy()
      expect(screen.queryByRole('button', { name: 'Use +64 for all' })).toBeNull()
      await fireEvent.change(screen.getByLabelText('Country of these numbers'), { target: { value: '61' } })
      await press('Use +61 for all')
      expect(codes()).toEqual([undefined, '64', '61'])
    })

    test('get the country chosen last, also while the rows are still checked with another', async () => {
      await toCheck({ ...found({ withoutCountry: 40 }), ...usual(true) })
      const checking = opened.api.control.hold('bulk.check')
      await press('Use +64 for all')
      await fireEvent.change(screen.getByLabelText('Country of these numbers'), { target: { value: '61' } })
      await press('Use +61 for all')
      opened.api.control.state.bulk.check = { ...opened.api.control.state.bulk.check, withoutCountry: 0 }
      checking()
      await settle()
      expect(codes()).toEqual([undefined, '64', '61'])
      expect(screen.getByText('Mobile numbers without a country code get +61.')).toBeTruthy()
    })

    test('automatically get the country code set for the office, with a note', async () => {
      await toCheck({ ...found({ withoutCountry: 0 }), ...usual(false) })
      expect(codes()).toEqual(['64'])
      expect(screen.getByText('Mobile numbers without a country code get +64.')).toBeTruthy()
    })
  })

  test('counts duplicates of rows for people who recently got this once', async () => {
    await toCheck(found({ alike: 3, alikeDuplicates: 1 }))
    expect(ready()).toBe('189 of 200 rows ready')
    await fireEvent.click(screen.getByRole('radio', { name: /^Send them too/ }))
    expect(ready()).toBe('192 of 200 rows ready')
    await fireEvent.click(screen.getByRole('radio', { name: /^Send anyway/ }))
    expect(ready()).toBe('195 of 200 rows ready')
  })

  test('requires a decision about people who recently got this with other data', async () => {
    await toCheck(found({ alike: 29 }))
    const question = screen.getByRole('group', {
      name: '29 of these people got this in the last 24 hours, with other data'
    })
    expect(screen.getByText('162')).toBeTruthy()
    await press('Send')
    expect(sent()).toEqual([])
    expect(within(question).getAllByRole('radio')[0]).toBe(document.activeElement)
    expect(screen.getByText('Choose one before you send.')).toBeTruthy()
    await fireEvent.click(within(question).getByRole('radio', { name: /Leave them out/ }))
    expect(screen.getByRole('button', { name: 'Send 162 packages' })).toBeTruthy()
    await fireEvent.click(within(question).getByRole('radio', { name: /Send anyway/ }))
    await press('Send 191 packages')
    expect(sent()).toMatchObject([{ duplicates: 'leave-out', alike: 'send' }])
  })

  test('keeps the batch’s name and time when the columns are changed and the rows checked again', async () => {
    await toCheck()
    await fireEvent.input(screen.getByLabelText('Batch name'), { target: { value: 'Spring' } })
    await fireEvent.click(screen.getByRole('radio', { name: 'Later' }))
    await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2025-12-01' } })
    await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '09:30' } })
    await press('Change: Columns')
    await press('Check 200 rows')
    await press('Send up to 191 packages')
    expect(sent()).toMatchObject([{ name: 'Spring', at: new Date(2025, 11, 1, 9, 30).getTime() }])
  })

  test('names the batch after the sheet that is used', async () => {
    await toCheck()
    await fireEvent.input(screen.getByLabelText('Batch name'), { target: { value: 'Spring' } })
    await press('Change: Spreadsheet')
    await fireEvent.change(screen.getByLabelText('Sheet'), { target: { value: 'June' } })
    await settle()
    await press('Continue')
    await press('Check 200 rows')
    expect(screen.getByLabelText<HTMLInputElement>('Batch name').value).toBe('Tenants May, June')
  })

  test('requires a batch name', async () => {
    await toCheck()
    await fireEvent.input(screen.getByLabelText('Batch name'), { target: { value: ' ' } })
    await press('Send 191 packages')
    expect(screen.getByText(/^Enter a name for the batch/)).toBeTruthy()
    expect(sent()).toEqual([])
  })

  test('can be scheduled, but not for a time in the past', async () => {
    await toCheck()
    await fireEvent.click(screen.getByRole('radio', { name: 'Later' }))
    await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2025-11-20' } })
    // Rows have their own due dates: how many will still be in the future then isn't known yet.
    await press('Send up to 191 packages')
    expect(screen.getByText(/^That time has passed/)).toBeTruthy()
    expect(sent()).toEqual([])
    await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2025-12-01' } })
    await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '09:30' } })
    await press('Send up to 191 packages')
    expect(sent()).toMatchObject([{ at: new Date(2025, 11, 1, 9, 30).getTime() }])
  })

  test('can’t be scheduled after the due date shared by all packages', async () => {
    const [preset] = madeUpPresets(NOW).filter(({ id }) => id === 'office-1')
    if (!preset) throw new Error('There is no preset.')
    const composition = { ...preset.composition, due: '2025-12-20T17:00', gmt: '0', zone: '' }
    await toCheck({ presets: [{ ...preset, composition }] })
    await press('Change: Columns')
    const due = fills('Sign by')
    await fireEvent.input(due, { target: { value: '' } })
    await fireEvent.blur(due)
    await settle()
    await press('Check 200 rows')
    await fireEvent.click(screen.getByRole('radio', { name: 'Later' }))
    await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2025-12-24' } })
    await press('Send 191 packages')
    expect(screen.getByText(/^They’re due/)).toBeTruthy()
    expect(sent()).toEqual([])
  })

  /** Sends, and lets the test decide when the answer arrives. */
  async function sendSlowly() {
    let answer = (_result: unknown) => {}
    const real = opened.api.bulk.send
    opened.api.bulk.send = () => new Promise((resolve) => (answer = resolve as never))
    await press('Send 191 packages')
    return { real, answer: (result: unknown) => answer(result) }
  }

  test('continues after leaving the page, keeps its sheet open, and doesn’t navigate when done', async () => {
    const { unmount } = await toCheck()
    const { real, answer } = await sendSlowly()
    unmount()
    opened.app.router.go('documents')
    await settle()
    expect(calls('bulk.close')).toEqual([])
    answer(await real({ id: 'sheet-1', name: 'Tenants', duplicates: 'leave-out', alike: 'leave-out' }))
    await settle()
    expect(calls('bulk.close')).toHaveLength(1)
    expect(window.location.hash).toContain('#/documents')
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('The batch is in the Outbox.')
  })

  describe('while the rows are checked again', () => {
    async function checkWhileSending() {
      await toCheck(found({ withoutCountry: 40 }))
      const { real, answer } = await sendSlowly()
      await fireEvent.change(screen.getByLabelText('Country of these numbers'), { target: { value: '64' } })
      await press('Use +64 for all')
      expect(calls('bulk.check')).toHaveLength(1)
      return { real, answer }
    }

    test('shows the batch, and they aren’t', async () => {
      const { real, answer } = await checkWhileSending()
      answer(await real({ id: 'sheet-1', name: 'Tenants', duplicates: 'leave-out', alike: 'leave-out' }))
      await settle()
      expect(window.location.hash).toBe('#/outbox?batch=batch-1')
      expect(calls('bulk.check')).toHaveLength(1)
    })

    test('shows its failure, with the new results', async () => {
      const { answer } = await checkWhileSending()
      answer({ ok: false, error: { code: 'no-space', message: 'The disk is full.' } })
      await settle()
      expect(calls('bulk.check').at(-1)?.input).toMatchObject({ countryCode: '64' })
      expect(screen.getByText('The batch wasn’t created. Nothing was sent.')).toBeTruthy()
    })
  })

  test('is refused while a check is under way', async () => {
    await toCheck(found({ withoutCountry: 40 }))
    const checking = opened.api.control.hold('bulk.check')
    await fireEvent.change(screen.getByLabelText('Country of these numbers'), { target: { value: '64' } })
    await press('Use +64 for all')
    await press('Send 191 packages')
    expect(screen.getByText(/^The rows have changed/)).toBeTruthy()
    checking()
    await settle()
    expect(sent()).toEqual([])
  })

  test('shows a failure on whichever screen is open', async () => {
    const { unmount } = await toCheck()
    const { answer } = await sendSlowly()
    unmount()
    answer({ ok: false, error: { code: 'no-space', message: 'The disk is full.' } })
    await settle()
    const toast = opened.app.toasts.shown.at(-1)
    expect(calls('bulk.close')).toEqual([])
    expect(toast?.kind).toBe('danger')
    expect(toast?.text).toMatch(/^The batch wasn’t created. Nothing was sent./)
  })

  test('offline, says that the service can’t be reached, and is still possible', async () => {
    await toCheck({ connection: { state: 'offline', since: NOW } })
    expect(screen.getByText('The service can’t be reached.')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Send 191 packages' })).toBeTruthy()
  })

  test('reports a failure and says that nothing was sent', async () => {
    await toCheck()
    opened.api.control.fail('bulk.send', { code: 'no-space', message: 'The disk is full.' })
    await press('Send 191 packages')
    expect(screen.getByText('The batch wasn’t created. Nothing was sent.')).toBeTruthy()
    expect(window.location.hash).toContain('#/bulk')
  })

  test('is not offered when no rows are ready', async () => {
    await toCheck(found({ ready: 0, withErrors: 200, duplicates: 0 }))
    expect(screen.getByText('No rows are ready.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^Send/ })).toBeNull()
  })

  test('doesn’t ask about duplicates when there are none', async () => {
    await toCheck(found({ ready: 195, duplicates: 0 }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Send 195 packages' })).toBeTruthy())
    expect(screen.queryByRole('radio', { name: /Leave/ })).toBeNull()
  })
})
