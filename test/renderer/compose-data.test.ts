import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import Compose from '../../src/renderer/src/screens/compose/Compose.svelte'
import { readXmlFile } from '../../src/renderer/src/screens/compose/data/xml-file.ts'
import { choicesOfLines } from '../../src/renderer/src/screens/compose/edits.ts'
import type { Composition } from '../../src/shared/composition/composition.ts'
import { signersInWords, titleOf } from '../../src/shared/composition/names.ts'
import { presetOf } from '../../src/shared/composition/preset.ts'
import { form, forms, signer, template, templates } from '../fixtures/compositions.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'
import { NOW } from './people.ts'

let opened: Opened

const blankField = {
  key: 'd',
  Label: '',
  Value: '',
  FieldType: 'Text' as const,
  IsRequired: false,
  Reference: '',
  ReadOnly: false,
  ClientField: ''
}

function draftOf(composition: Composition) {
  const summary = {
    kind: composition.kind,
    title: titleOf(composition),
    who: signersInWords(composition),
    updatedAt: NOW
  }
  return { id: 'draft-1', accountId: 'practice', ...summary, composition }
}

async function openDraft(composition: Composition, change: Parameters<typeof fakeApi>[0] = {}) {
  opened = await openOffice(fakeApi({ drafts: [draftOf(composition)], ...change }))
  opened.app.router.go('compose', ['draft-1'])
  show(opened, Compose)
  await settle()
  await screen.findByRole('heading', { name: /^Send (forms|documents)$/ })
}

/** Returns what is stored after the save delay. */
async function stored(): Promise<Composition> {
  await settle()
  await opened.clock.pass(300)
  return opened.api.control.state.drafts.find((draft) => draft.id === 'draft-1')?.composition as Composition
}

const box = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const list = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('combobox', { name })
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const input = (element: HTMLElement, value: string) => fireEvent.input(element, { target: { value } })
const summary = () => within(screen.getByRole('complementary', { name: 'Summary' }))

describe('What', () => {
  test('choosing a recent form fills in name, reference and type', async () => {
    const recentForms = [
      { Name: 'Tax declaration', Reference: 'form-1', FormType: '3' },
      { Name: 'Tax declaration', Reference: 'form-2', FormType: '4' }
    ]
    await openDraft(forms({ items: [form({ Name: '', Reference: '', FormType: '' })] }), { forms: recentForms })
    await input(list(/^Recent form/), 'form-2')
    await fireEvent.click(screen.getByRole('option', { name: /form-2, type 4/ }))
    expect((await stored()).items[0]).toMatchObject({ Name: 'Tax declaration', Reference: 'form-2', FormType: '4' })
    expect(screen.queryByRole('combobox', { name: /^Recent form/ })).toBeNull()
  })

  test('a template missing from the account’s list is reported, and can still be sent', async () => {
    await openDraft(templates({ items: [template({ Reference: 'tpl-withdrawn' })] }))
    expect(await summary().findByRole('button', { name: /isn’t in the account’s list/ })).toBeTruthy()
    expect(summary().queryByRole('region', { name: /left to fill in/ })).toBeNull()
  })

  test('a template list that is incomplete or may be outdated raises no warning', async () => {
    const list = { items: [], fetchedAt: NOW }
    for (const flaw of [{ unreadable: 1 }, { problem: { code: 'offline' as const, message: 'No network.' } }]) {
      const api = fakeApi({ drafts: [draftOf(templates({ items: [template({ Reference: 'tpl-unseen' })] }))] })
      api.templates.list = async () => ({ ok: true, value: { ...list, ...flaw } })
      opened = await openOffice(api)
      opened.app.router.go('compose', ['draft-1'])
      const rendered = show(opened, Compose)
      await screen.findByRole('heading', { name: 'Send documents' })
      await settle()
      expect(summary().queryByText(/isn’t in the account’s list/)).toBeNull()
      rendered.unmount()
    }
  })

  test('refreshing the list clears the warning about a template added since', async () => {
    await openDraft(templates({ items: [template({ Reference: 'tpl-new' })] }))
    expect(await summary().findByRole('button', { name: /isn’t in the account’s list/ })).toBeTruthy()
    opened.api.control.state.templates.push({ Reference: 'tpl-new', Name: 'New' } as never)
    await press('Add another template')
    await press('Refresh the list')
    await settle()
    expect(summary().queryByText(/isn’t in the account’s list/)).toBeNull()
  })

  test('signers of a template are labelled with their role, and the summary shows their addresses', async () => {
    const aroha = { FirstName: 'Aroha', LastName: 'Ngata', Email: 'aroha.ngata@example.com' }
    const people = [
      signer({ ...aroha, SignerReference: 'tenant' }),
      signer({ key: 's2', FirstName: 'Tama', LastName: '', Email: 'tama@example.com', SignerReference: 'sig_02' })
    ]
    await openDraft(templates({ items: [template({ signers: people })] }))
    expect(screen.getByRole('heading', { name: 'Tenant: Aroha Ngata' })).toBeTruthy()
    expect(screen.getByRole('heading', { name: 'Tama' })).toBeTruthy()
    expect(summary().getByText('Tenant:')).toBeTruthy()
    expect(summary().getByText('aroha.ngata@example.com')).toBeTruthy()
    expect(summary().queryByText(/sig_02/i)).toBeNull()
  })

  test('a missing template can be replaced, keeping its signers and values, and that can be undone', async () => {
    const rent = { ...blankField, Label: 'Rent', Value: '420', Reference: 'rent' }
    const people = [
      signer({ faceToFace: true }),
      signer({ key: 's2', FirstName: 'Tama', Email: 'tama@example.com', SignerReference: 'gone' })
    ]
    const listed = {
      Reference: 'tpl-2',
      Name: 'Tenancy 2026',
      Signers: [{ SignerReference: 'tenant' }, { SignerReference: 'landlord' }],
      Fields: [
        { Reference: 'rent', Label: 'Rent per week' },
        { Reference: 'bond', Label: 'Bond' }
      ]
    }
    const before = template({ Reference: 'tpl-gone', signers: people, fields: [rent] })
    await openDraft(templates({ items: [before] }), { templates: [listed] as never })
    await press('Choose from the list…')
    await fireEvent.click(await screen.findByRole('button', { name: /^Tenancy 2026/ }))
    const after = (await stored()).items[0]
    expect(after).toMatchObject({ key: 't1', Reference: 'tpl-2', Name: 'Tenancy 2026' })
    expect(after?.signers).toMatchObject([
      { FirstName: 'Mere', faceToFace: true, SignerReference: 'tenant' },
      { FirstName: 'Tama', SignerReference: 'landlord' }
    ])
    expect(after?.fields.map((one) => [one.Reference, one.Value])).toEqual([
      ['rent', '420'],
      ['bond', '']
    ])
    opened.app.toasts.shown.at(-1)?.action?.run()
    expect((await stored()).items[0]).toEqual(before)
  })

  test('a template list that never loaded raises no warning', async () => {
    const api = fakeApi({})
    api.control.fail('templates.list', { code: 'offline', message: 'No network.' })
    opened = await openOffice(api)
    show(opened, Compose)
    await settle()
    await press(/^Use a template reference/)
    await input(box('Reference'), 'tpl-unknown')
    await settle()
    expect(summary().queryByText(/isn’t in the account’s list/)).toBeNull()
  })
})

describe('When', () => {
  const date = () => screen.getByLabelText<HTMLInputElement>('Date')

  test('a zone is found by its name, and the offset follows the date', async () => {
    await openDraft(forms())
    await input(date(), '2026-01-20')
    await fireEvent.focus(list('Time zone'))
    await opened.clock.pass(1000)
    await input(list('Time zone'), 'new zealand')
    await fireEvent.click(await screen.findByRole('option', { name: /^Auckland/ }))
    expect(await stored()).toMatchObject({ due: '2026-01-20T17:00', zone: 'Pacific/Auckland', gmt: '780' })
    expect(screen.getAllByText(/Tue 20 January 2026, 17:00 New Zealand time \(04:00 UTC\)/).length).toBeGreaterThan(0)

    await input(date(), '2026-07-20')
    expect(await stored()).toMatchObject({ due: '2026-07-20T17:00', zone: 'Pacific/Auckland', gmt: '720' })
    expect(screen.getByText(/^UTC\+12:00; today it is UTC\+13:00/)).toBeTruthy()
  })

  test.each(['Enter', 'Tab'])('%s accepts the best match for a zone', async (key) => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '0', zone: 'UTC' }))
    await fireEvent.focus(list('Time zone'))
    await opened.clock.pass(1000)
    await input(list('Time zone'), 'New Zealand')
    await fireEvent.keyDown(list('Time zone'), { key })
    await fireEvent.blur(list('Time zone'))
    expect(list('Time zone').value).toBe('Auckland')
    expect(await stored()).toMatchObject({ zone: 'Pacific/Auckland', gmt: '780' })
  })

  test('an exact match for a zone ranks above zones whose offset contains it', async () => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    await fireEvent.focus(list('Time zone'))
    await opened.clock.pass(1000)
    await input(list('Time zone'), 'utc')
    await fireEvent.keyDown(list('Time zone'), { key: 'Tab' })
    expect(await stored()).toMatchObject({ zone: 'UTC', gmt: '0' })
  })

  test('an unknown zone is replaced by the previous one', async () => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    await input(list('Time zone'), 'Atlantis')
    await fireEvent.blur(list('Time zone'))
    expect(list('Time zone').value).toBe('Auckland')
    expect(screen.getByText('No time zone matches “Atlantis”. Still set to Auckland.')).toBeTruthy()
    expect(await stored()).toMatchObject({ zone: 'Pacific/Auckland', gmt: '780' })
  })

  test('an offset set by hand is kept when the date changes', async () => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    await fireEvent.change(screen.getByLabelText('UTC offset'), { target: { value: '720' } })
    expect(await stored()).toMatchObject({ gmt: '720', zone: '' })
    await input(date(), '2026-07-20')
    await input(date(), '2026-01-21')
    expect(await stored()).toMatchObject({ due: '2026-01-21T17:00', gmt: '720', zone: '' })
    expect(screen.getByText('UTC+12:00, set manually')).toBeTruthy()
  })

  test('a date without a time zone asks for one, and takes it when chosen', async () => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '', zone: '' }))
    expect(list('Time zone').value).toBe('')
    expect(screen.getByText('not set')).toBeTruthy()
    expect(screen.getAllByText('Choose a date, a time and a time zone.')).toHaveLength(2)
    await fireEvent.focus(list('Time zone'))
    await opened.clock.pass(1000)
    await input(list('Time zone'), 'New Zealand')
    await fireEvent.keyDown(list('Time zone'), { key: 'Enter' })
    expect(await stored()).toMatchObject({ due: '2026-01-20T17:00', zone: 'Pacific/Auckland', gmt: '780' })
  })

  test('clearing the date while correcting it keeps its time and zone', async () => {
    await openDraft(forms({ due: '2026-01-20T09:30', gmt: '780', zone: 'Pacific/Auckland' }))
    await input(date(), '')
    await input(date(), '2026-01-21')
    expect(await stored()).toMatchObject({ due: '2026-01-21T09:30', gmt: '780', zone: 'Pacific/Auckland' })
  })

  test('the strip of days moves on when the composer stays open overnight', async () => {
    // Opened in the last hour of the day.
    await openDraft(forms(), { now: () => new Date(2025, 10, 26, 23, 30).getTime() })
    const first = () => screen.getAllByRole('radio')[1]?.getAttribute('aria-label')
    const before = first()
    await opened.clock.pass(3_600_000)
    expect(first()).not.toBe(before)
  })

  test('a time skipped by daylight saving causes a warning', async () => {
    await openDraft(forms({ due: '2026-09-27T02:30', gmt: '720', zone: 'Pacific/Auckland' }))
    expect(summary().getByRole('button', { name: /Due date: clocks go forward that day/ })).toBeTruthy()
  })

  test('one click returns to the default of 14 days and clears the zone', async () => {
    await openDraft(forms({ due: '2026-01-20T17:00', gmt: '780', zone: 'Pacific/Auckland' }))
    await fireEvent.click(screen.getByRole('radio', { name: /Default/ }))
    expect(await stored()).toMatchObject({ due: '', gmt: '', zone: '' })
  })
})

describe('XML data', () => {
  const xml = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^XML data/ })
  const broken = '<data>\r\n  <name>Mere</nam>\r\n</data>'

  async function load(bytes: Uint8Array<ArrayBuffer>, name = 'payroll.xml', read = async () => bytes.buffer) {
    const file = new File([bytes], name)
    // jsdom's files have no arrayBuffer.
    file.arrayBuffer = read
    const picker = document.querySelector('input[type=file]') as HTMLInputElement
    Object.defineProperty(picker, 'files', { value: [file], configurable: true })
    Object.defineProperty(picker, 'value', { value: '', writable: true, configurable: true })
    await fireEvent.change(picker)
    await settle()
    await opened.clock.pass(1000)
    await settle()
  }

  test('that is still being read is part of what is sent', async () => {
    await openDraft(forms({ items: [form({ XMLData: '' })] }))
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>()
    await load(new Uint8Array(), 'payroll.xml', () => promise)
    await press(/^Send 1 form/)
    await settle()
    const { control } = opened.api
    expect(control.state.sends).toEqual([])
    resolve(new TextEncoder().encode('<data/>').buffer as ArrayBuffer)
    await opened.clock.pass(1000)
    await settle()
    expect((await stored()).items[0]?.XMLData).toBe('<data/>')
    expect(control.state.sends).toHaveLength(1)
  })

  test('is that of the file dropped last, also if an earlier one is read after it', async () => {
    await openDraft(forms({ items: [form({ XMLData: '' })] }))
    const drop = (name: string, bytes: Promise<ArrayBuffer>) => {
      const file = new File([], name)
      file.arrayBuffer = () => bytes
      opened.app.drops.dropXml(file, undefined)
    }
    const bytesOf = (text: string) => new TextEncoder().encode(text).buffer as ArrayBuffer
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>()
    drop('wrong.xml', promise)
    drop('right.xml', Promise.resolve(bytesOf('<right/>')))
    await opened.clock.pass(1000)
    await settle()
    resolve(bytesOf('<wrong/>'))
    await opened.clock.pass(1000)
    await settle()
    expect((await stored()).items[0]?.XMLData).toBe('<right/>')
  })

  test('that is still being read is kept, and nothing is sent without it, if another screen is opened', async () => {
    await openDraft(forms({ items: [form({ XMLData: '' })] }))
    const { promise, resolve } = Promise.withResolvers<ArrayBuffer>()
    await load(new Uint8Array(), 'payroll.xml', () => promise)
    await press(/^Send 1 form/)
    opened.app.router.go('compose')
    await settle()
    resolve(new TextEncoder().encode('<data/>').buffer as ArrayBuffer)
    await opened.clock.pass(1000)
    await settle()
    expect((await stored()).items[0]?.XMLData).toBe('<data/>')
    expect(opened.api.control.state.sends).toHaveLength(0)
    expect(opened.app.toasts.shown.at(-1)?.text).toContain('wasn’t sent. You left it before its XML was loaded.')
  })

  test('that can’t be read keeps the package from being sent', async () => {
    await openDraft(forms({ items: [form({ XMLData: '' })] }))
    const { promise, reject } = Promise.withResolvers<ArrayBuffer>()
    await load(new Uint8Array(), 'payroll.xml', () => promise)
    await press(/^Send 1 form/)
    reject(new Error('NotReadableError'))
    await opened.clock.pass(1000)
    await settle()
    expect(screen.getByRole('alert').textContent).toContain('“payroll.xml” can’t be loaded.')
    expect(opened.api.control.state.sends).toEqual([])
    await press(/^Send 1 form/)
    await settle()
    expect(opened.api.control.state.sends).toHaveLength(1)
  })

  test('shows the line and column of an error, and moves the cursor there', async () => {
    await openDraft(forms({ items: [form({ XMLData: broken })] }))
    await fireEvent.click(summary().getByRole('button', { name: /line 2, column 18: <\/nam> doesn’t close/ }))
    await settle()
    expect(document.activeElement).toBe(xml())
    await press('Go to the error')
    expect(xml().value.slice(0, xml().selectionEnd).endsWith('</nam>')).toBe(true)
  })

  test('loads from a UTF-16 file, and loading can be undone', async () => {
    await openDraft(forms({ items: [form({ XMLData: '<before/>' })] }))
    const text = '\ufeff<?xml version="1.0" encoding="utf-16"?><data>Māia 漢字</data>'
    const bytes = new Uint8Array(text.length * 2)
    Array.from(text, (letter, index) => new DataView(bytes.buffer).setUint16(index * 2, letter.charCodeAt(0), true))
    await load(bytes)
    expect((await stored()).items[0]?.XMLData).toBe('<?xml version="1.0" encoding="UTF-8"?><data>Māia 漢字</data>')
    expect(screen.getByText(/Converted from UTF-16LE to UTF-8/)).toBeTruthy()
    const [toast] = opened.app.toasts.shown
    expect(toast?.text).toBe('Loaded “payroll.xml”.')
    toast?.action?.run()
    expect((await stored()).items[0]?.XMLData).toBe('<before/>')
  })

  test('a file that has gone since it was chosen is refused, and another can be loaded', async () => {
    await openDraft(forms({ items: [form({ XMLData: '<before/>' })] }))
    await load(new Uint8Array(), 'gone.xml', () => Promise.reject(new Error('NotReadableError')))
    expect(screen.getByRole('alert').textContent).toContain('“gone.xml” can’t be loaded.')
    await load(new TextEncoder().encode('<after/>'))
    expect((await stored()).items[0]?.XMLData).toBe('<after/>')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('undoing a load is no longer offered once the package is left', async () => {
    await openDraft(forms({ items: [form({ XMLData: '<before/>' })] }))
    await load(new TextEncoder().encode('<after/>'))
    opened.app.router.go('compose')
    await settle()
    expect(opened.app.toasts.shown).toEqual([])
  })

  test('refuses a file that can’t be read, says what to do, and keeps the existing data', async () => {
    await openDraft(forms({ items: [form({ XMLData: '<before/>' })] }))
    await load(new TextEncoder().encode('<?xml version="1.0" encoding="klingon-8"?><data/>'), 'odd.xml')
    expect(screen.getByRole('alert').textContent).toMatch(/“odd.xml” can’t be loaded.*klingon-8.*Save it as UTF-8/s)
    expect((await stored()).items[0]?.XMLData).toBe('<before/>')
  })

  test.each([
    ['UTF-8 with a byte order mark', '\u00ef\u00bb\u00bf<a>\u00c4\u0081</a>', { text: '<a>ā</a>' }],
    ['UTF-16 without a byte order mark', '\u0000<\u0000a\u0000/\u0000>', { text: '<a/>' }],
    [
      'another encoding, as declared',
      '<?xml version="1.0" encoding=\'windows-1252\'?><a>\u00e9</a>',
      {
        text: '<?xml version="1.0" encoding=\'UTF-8\'?><a>é</a>',
        note: 'Converted from WINDOWS-1252 to UTF-8.'
      }
    ],
    [
      'UTF-8 that declares UTF-16',
      '<?xml version="1.0" encoding="utf-16"?><a/>',
      {
        text: '<?xml version="1.0" encoding="UTF-8"?><a/>',
        note: 'It says utf-16 but is UTF-8, and is sent as UTF-8.'
      }
    ],
    ['bytes that aren’t valid UTF-8', '<a>\u00e9</a>', { refusal: expect.stringContaining('isn’t valid UTF-8') }],
    ['UTF-32', '\u00ff\u00fe\u0000\u0000<\u0000\u0000\u0000', { refusal: expect.stringContaining('UTF-32') }],
    ['more than the 5 MB limit', ' '.repeat(5_000_001), { refusal: expect.stringContaining('limit is 5 MB') }],
    ['no content', '', { text: '' }]
  ])('handles a file with %s', (_what, raw, read) => {
    expect(readXmlFile(Uint8Array.from(raw, (letter) => letter.charCodeAt(0)))).toEqual(read)
  })

  test('of several megabytes is shown as a summary, and is still stored in full', async () => {
    const XMLData = `<data>${'<row>1</row>\n'.repeat(100_000)}</data>`
    await openDraft(forms({ items: [form({ XMLData })] }))
    expect(screen.queryByRole('textbox', { name: /^XML data/ })).toBeNull()
    expect(screen.getByRole('group', { name: 'XML data' }).textContent).toContain('1.3 MB')
    await input(box('Name'), 'Renamed')
    expect((await stored()).items[0]?.XMLData).toBe(XMLData)
  })
})

describe('choices in drop-down lists', () => {
  const choice = { key: 'c1', ClientField: 'shift', Item: 'Day', Value: 'D' }

  test('Enter adds the next choice for the same field', async () => {
    await openDraft(forms({ ListItems: [choice] }))
    await fireEvent.keyDown(screen.getByLabelText('Value'), { key: 'Enter' })
    await settle()
    const { ListItems } = await stored()
    expect(ListItems).toHaveLength(2)
    expect(ListItems[1]).toMatchObject({ ClientField: 'shift', Item: '', Value: '' })
    expect(document.activeElement).toBe(screen.getAllByLabelText('Choice')[1])
  })

  test('pasted lines become choices', async () => {
    await openDraft(forms({ ListItems: [choice] }))
    await fireEvent.paste(screen.getByLabelText('Choice'), {
      clipboardData: { getData: () => 'Night\tN\r\nWeekend\tW\n' }
    })
    expect((await stored()).ListItems.map(({ key: _key, ...one }) => one)).toEqual([
      { ClientField: 'shift', Item: 'Day', Value: 'D' },
      { ClientField: 'shift', Item: 'Night', Value: 'N' },
      { ClientField: 'shift', Item: 'Weekend', Value: 'W' }
    ])
  })

  test('a single pasted line stays text, and columns determine field, choice and value', () => {
    const key = () => 'k'
    expect(choicesOfLines('Night', 'shift', key)).toBeUndefined()
    expect(choicesOfLines('Day\nNight', 'shift', key)?.map((one) => [one.ClientField, one.Item, one.Value])).toEqual([
      ['shift', 'Day', 'Day'],
      ['shift', 'Night', 'Night']
    ])
    expect(choicesOfLines('team\tRed\tR', 'shift', key)).toEqual([
      { key: 'k', ClientField: 'team', Item: 'Red', Value: 'R' }
    ])
  })

  test('a long list shows 100 choices at a time, around the one in focus', async () => {
    const many = Array.from({ length: 250 }, (_, index) => ({
      ...choice,
      key: `c${index}`,
      Item: index === 170 ? '' : String(index)
    }))
    await openDraft(forms({ ListItems: many }))
    const drawn = () => [...document.querySelectorAll<HTMLElement>('[id^="at:ListItems."][id$=".Item"]')]
    expect(drawn()).toHaveLength(100)
    await fireEvent.click(summary().getByRole('button', { name: /enter the choice/ }))
    await settle()
    expect(drawn()).toHaveLength(100)
    expect(document.activeElement?.id).toBe('at:ListItems.c170.Item')
    await fireEvent.click(screen.getByText('Add a choice'))
    await settle()
    expect(drawn()).toHaveLength(100)
    expect(document.activeElement).toBe(drawn().at(-1))
    await fireEvent.click(screen.getByText('Show all'))
    expect(drawn()).toHaveLength(251)
  })

  test('no choice can be added beyond the limit of 2,000, which is shown', async () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({ ...choice, key: `c${index}`, Item: String(index) }))
    await openDraft(forms({ ListItems: many }))
    expect(screen.getByText('Add a choice').closest('button')?.disabled).toBe(true)
    expect(screen.getByText('2,000 choices at most')).toBeTruthy()
  })

  test('pasting stops at the limit and says how many lines were not added', async () => {
    const many = Array.from({ length: 1999 }, (_, index) => ({ ...choice, key: `c${index}`, Item: String(index) }))
    await openDraft(forms({ ListItems: many }))
    await fireEvent.paste(screen.getAllByLabelText('Choice')[0] as HTMLElement, {
      clipboardData: { getData: () => 'A\nB\nC' }
    })
    expect((await stored()).ListItems).toHaveLength(2000)
    expect(opened.app.toasts.shown[0]?.text).toContain('2 lines not added')
  })
})

describe('what will be sent', () => {
  const answered = () =>
    forms({
      items: [
        form({
          signers: [
            signer({ UseIDData: true, IDData: [{ key: 'q', Label: 'Born', Value: '29/02/1980', DataType: 'date' }] })
          ]
        })
      ]
    })
  const shown = () => screen.getByLabelText('The request as JSON').textContent ?? ''

  async function toggleDetails() {
    const details = screen.getByText('What will be sent').closest('details') as HTMLDetailsElement
    details.open = !details.open
    await fireEvent(details, new Event('toggle'))
    await settle()
    const forSupport = screen.queryByText('For support: the request as it is sent')?.closest('details')
    if (!forSupport) return
    forSupport.open = true
    await fireEvent(forSupport, new Event('toggle'))
    await settle()
  }

  test('shows that the reference is assigned when sent, and copying masks identity answers', async () => {
    await openDraft(answered())
    await toggleDetails()
    expect(shown()).toContain('"ClientReference": "(assigned when sent)"')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Show identity answers' }))
    expect(shown()).toContain('29/02/1980')
    await press('Copy')
    const copied = opened.api.control.calls.findLast((call) => call.name === 'system.copy')?.input as { text: string }
    expect(copied.text).toContain('"Label": "Born"')
    expect(copied.text).not.toContain('29/02/1980')
  })

  test('masks identity answers again after closing', async () => {
    await openDraft(answered())
    await toggleDetails()
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Show identity answers' }))
    await toggleDetails()
    await toggleDetails()
    expect(shown()).not.toContain('29/02/1980')
  })
})

describe('problems', () => {
  test('with a field open its details and focus them', async () => {
    const fields = ['a', 'b'].map((key) => ({ ...blankField, key, Label: key, Reference: 'same' }))
    await openDraft(templates({ items: [template({ fields })] }))
    await fireEvent.click(summary().getByRole('button', { name: /Two fields have this reference/i }))
    await settle()
    expect(document.activeElement?.id).toBe('at:t1.fields.b.Reference')
  })

  test('with a deepfake detector without video lead to the video option', async () => {
    await openDraft(forms({ items: [form({ signers: [signer({ deepfakeDetector: true })] })] }))
    await fireEvent.click(summary().getByRole('button', { name: /deepfake detector needs video/ }))
    await settle()
    expect(document.activeElement).toBe(screen.getByLabelText('Video confirmation'))
  })

  test('are counted separately as errors and suggestions, and all can be shown', async () => {
    const people = Array.from({ length: 8 }, (_, index) =>
      signer({ key: `s${index}`, FirstName: '', Email: 'a@gmial.com' })
    )
    await openDraft(forms({ items: [form({ signers: people })] }))
    expect(summary().getByRole('heading', { name: '8 things left to fill in' })).toBeTruthy()
    expect(summary().getByRole('heading', { name: '15 warnings' })).toBeTruthy()
    expect(summary().getAllByRole('button', { name: /enter the first name/ })).toHaveLength(6)
    await fireEvent.click(summary().getByRole('button', { name: 'Show 11 more' }))
    expect(summary().getAllByRole('button', { name: /enter the first name/ })).toHaveLength(8)
  })

  test('with the package name the part they are about, and lead there', async () => {
    await openDraft(forms({ NotifyUrl: 'office.example.org' }))
    await fireEvent.click(summary().getByRole('button', { name: /^Notification address: enter a web address/ }))
    await settle()
    expect(document.activeElement).toBe(list(/^Notification address/))
  })
})

describe('presets', () => {
  const composition = () =>
    forms({
      due: '2026-01-20T17:00',
      gmt: '780',
      zone: 'Pacific/Auckland',
      items: [
        form({
          signers: [
            signer({
              MobileCountry: '64',
              MobileNumber: '021012345',
              faceToFace: true,
              UseIDData: true,
              IDData: [{ key: 'q', Label: 'Born', Value: '29/02/1980', DataType: 'date' }]
            })
          ]
        })
      ]
    })
  const saved = () => opened.api.control.state.presets

  test('a package is saved as a preset without its due date and identity answers', async () => {
    await openDraft(composition())
    await press('Save as preset…')
    await input(await screen.findByRole('textbox', { name: 'Preset name' }), 'New employee')
    await press('Save preset')
    await waitFor(() => expect(saved().map((one) => one.name)).toEqual(['New employee']))
    expect(saved()[0]?.composition).toEqual(presetOf(composition(), 'keep'))
    expect(saved()[0]?.composition.due).toBe('')
    expect(JSON.stringify(saved()[0]?.composition)).not.toContain('1980')
    expect(saved()[0]?.composition.items[0]?.signers[0]).toMatchObject({ Email: 'mere.tamati@example.com' })
  })

  const office1 = { id: 'p1', name: 'New employee', kind: 'form-direct' as const, title: 'T', updatedAt: NOW }

  test('a preset with an existing name is saved as a second one, after a note', async () => {
    await openDraft(composition(), { presets: [{ ...office1, composition: forms() }] })
    await press('Save as preset…')
    await input(await screen.findByRole('textbox', { name: 'Preset name' }), 'new employee ')
    expect(screen.getByText('Another preset has this name.')).toBeTruthy()
    await press('Save preset')
    await waitFor(() => expect(saved()).toHaveLength(2))
    expect(saved().find(({ id }) => id === 'p1')?.composition).toEqual(forms())
  })

  test('pressing Enter twice saves one preset', async () => {
    await openDraft(composition())
    await press('Save as preset…')
    await input(await screen.findByRole('textbox', { name: 'Preset name' }), 'New employee')
    const dialog = document.querySelector('[role=dialog] form') as HTMLFormElement
    await Promise.all([fireEvent.submit(dialog), fireEvent.submit(dialog)])
    await settle()
    expect(saved()).toHaveLength(1)
  })

  test('a preset saved after its dialog was closed doesn’t close the next one', async () => {
    await openDraft(composition())
    const answer = opened.api.control.hold('presets.save')
    await press('Save as preset…')
    await input(await screen.findByRole('textbox', { name: 'Preset name' }), 'New employee')
    await press('Save preset')
    await press('Cancel')
    await press('Save as preset…')
    answer()
    await settle()
    expect(saved()).toHaveLength(1)
    expect(opened.app.toasts.shown.at(-1)?.text).toBe('Preset “New employee” saved.')
    expect(box('Preset name')).toBeTruthy()
  })

  test('a preset is replaced only when chosen, and that can be undone', async () => {
    await openDraft(composition(), { presets: [{ ...office1, composition: forms() }] })
    await press('Save as preset…')
    await fireEvent.change(await screen.findByLabelText('Save as'), { target: { value: 'p1' } })
    await press('Replace preset')
    await waitFor(() => expect(saved()[0]?.composition).toEqual(presetOf(composition(), 'keep')))
    expect(saved()).toHaveLength(1)
    opened.app.toasts.shown.find(({ action }) => action?.label === 'Undo')?.action?.run()
    await waitFor(() => expect(saved()[0]?.composition).toEqual(forms()))
  })

  test('a preset that can’t be saved reports the failure and keeps its name', async () => {
    await openDraft(composition())
    opened.api.control.fail('presets.save', { code: 'no-space', message: 'The disk is full.' })
    await press('Save as preset…')
    await input(await screen.findByRole('textbox', { name: 'Preset name' }), 'New employee')
    await press('Save preset')
    expect(await screen.findByText('The preset wasn’t saved.')).toBeTruthy()
    expect(box('Preset name').value).toBe('New employee')
  })

  test('starting from a preset replaces a past due date with the default of 14 days', async () => {
    const past = templates({ due: '2025-01-01T17:00', gmt: '780', zone: 'Pacific/Auckland' })
    const preset = {
      id: 'p1',
      name: 'Tenancy',
      kind: 'form-filler' as const,
      title: 'T',
      updatedAt: NOW,
      composition: past
    }
    opened = await openOffice(fakeApi({ presets: [preset] }))
    show(opened, Compose)
    await settle()
    await press(/^Tenancy/)
    await screen.findByRole('heading', { name: 'Send documents' })
    expect(box('Name').value).toBe('Residential tenancy')
    expect(screen.getAllByText(/Default \(14 days\), due/).length).toBeGreaterThan(0)
  })

  test('the start page links to the presets and to bulk send', async () => {
    const preset = { id: 'p1', name: 'Tenancy', kind: 'form-filler' as const, title: 'T', updatedAt: NOW }
    opened = await openOffice(fakeApi({ presets: [{ ...preset, composition: templates() }] }))
    show(opened, Compose)
    await settle()
    expect(screen.getByRole('link', { name: 'Manage presets' }).getAttribute('href')).toBe('#/drafts/presets')
    expect(screen.getByRole('link', { name: /^Bulk send/ }).getAttribute('href')).toBe('#/bulk')
  })
})
