import { fireEvent, screen, within } from '@testing-library/svelte'
import { describe, expect, test } from 'vitest'
import { Composing } from '../../src/renderer/src/screens/compose/composing.svelte.ts'
import TemplateFields from '../../src/renderer/src/screens/compose/data/TemplateFields.svelte'
import type { ComposedField } from '../../src/shared/composition/composition.ts'
import { rememberedChoice } from '../../src/shared/composition/composition.ts'
import { template, templates } from '../fixtures/compositions.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { type Opened, openOffice, show } from './office.ts'

let composing: Composing

const box = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

async function type(input: HTMLInputElement, value: string) {
  input.focus()
  await fireEvent.input(input, { target: { value } })
  await settle()
}

describe('template fields', () => {
  const fieldOf = (change: Partial<ComposedField> = {}): ComposedField => ({
    key: 'd1',
    Label: 'Rent',
    Value: '',
    FieldType: 'Text',
    IsRequired: false,
    Reference: 'rent',
    ReadOnly: false,
    ClientField: '',
    ...change
  })

  async function openFields(fields: ComposedField[], remembered: Record<string, string[]> = {}) {
    const opened = await openOffice(fakeApi({ remembered }))
    composing = new Composing(templates({ items: [template({ fields })] }), () => opened.clock.now())
    show(opened, TemplateFields, { composing, item: composing.composition.items[0] })
    await settle()
    return opened
  }
  const value = () => composing.snapshot().items[0]?.fields[0]?.Value

  test('a ticked checkbox is true, and a value in another spelling is recognised', async () => {
    await openFields([fieldOf({ FieldType: 'CheckBox', Value: 'Yes' })])
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Rent' }).checked).toBe(true)
    expect(value()).toBe('Yes')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Rent' }))
    expect(value()).toBe('false')
  })

  test('radio buttons offer earlier choices, the template’s value, and another', async () => {
    await openFields([fieldOf({ FieldType: 'RadioButton', Value: 'Daily' })], {
      [rememberedChoice('TPL-1', 'rent')]: ['Weekly', 'Monthly']
    })
    const radio = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name })
    expect(radio('Daily').checked).toBe(true)
    await fireEvent.click(radio('Monthly'))
    expect(value()).toBe('Monthly')
    expect(radio('Daily')).toBeTruthy()
    await fireEvent.click(radio('Another…'))
    await type(box('Another choice for Rent'), 'Yearly')
    expect(value()).toBe('Yearly')
    expect(radio('Another…').checked).toBe(true)
    await fireEvent.click(radio('None'))
    expect(value()).toBe('')
  })

  describe('editing the choices of radio buttons', () => {
    const at = rememberedChoice('TPL-1', 'rent')
    let opened: Opened

    async function openChoices(choices: string[], chosen = '') {
      opened = await openFields([fieldOf({ FieldType: 'RadioButton', Value: chosen })], { [at]: choices })
      await press(choices.length > 0 ? 'Edit choices: Rent' : 'List the choices: Rent')
      await settle()
    }
    const rows = () => within(screen.getByRole('dialog')).getAllByRole<HTMLInputElement>('textbox')
    const radios = () => screen.queryAllByRole('radio').map((one) => one.closest('label')?.textContent)
    const saved = () => opened.api.control.state.remembered[at]
    async function save() {
      await press('Save choices')
      await settle()
    }

    test('reorders, renames, removes and adds choices', async () => {
      await openChoices(['Weekly', 'Fortnightly', 'Monthly'])
      await press('Move Monthly up')
      expect(document.activeElement?.getAttribute('aria-label')).toBe('Move Monthly up')
      await press('Remove Fortnightly')
      await type(rows()[0] as HTMLInputElement, 'Each week')
      await press('Add a choice')
      await settle()
      expect(document.activeElement).toBe(rows().at(-1))
      await type(rows().at(-1) as HTMLInputElement, 'Yearly')
      await save()
      expect(saved()).toEqual(['Each week', 'Monthly', 'Yearly'])
      expect(radios()).toEqual(['Each week', 'Monthly', 'Yearly', 'Another…', 'None'])
      expect(screen.queryByRole('dialog')).toBeNull()
    })

    test('renames the selected value too, and keeps it when its choice is removed', async () => {
      await openChoices(['Weekly', 'Monthly'], 'Weekly')
      await type(rows()[0] as HTMLInputElement, 'Each week')
      await save()
      expect(value()).toBe('Each week')
      await press('Edit choices: Rent')
      await settle()
      await press('Remove Each week')
      await save()
      expect(radios()).toEqual(['Monthly', 'Another…', 'None'])
      expect(value()).toBe('Each week')
      expect(box('Another choice for Rent').value).toBe('Each week')
    })

    test('starts from an empty list, and accepts pasted lines', async () => {
      await openChoices([])
      await fireEvent.paste(rows()[0] as HTMLElement, {
        clipboardData: { getData: () => 'Weekly\nFortnightly\nMonthly' }
      })
      await settle()
      await save()
      await fireEvent.click(screen.getByRole('radio', { name: 'Fortnightly' }))
      expect(value()).toBe('Fortnightly')
    })

    test('reports a duplicate at its place', async () => {
      await openChoices(['Weekly', 'Monthly'])
      await type(rows()[1] as HTMLInputElement, 'Weekly ')
      await save()
      expect(screen.getByText('This choice is in the list already.')).toBeTruthy()
      expect(saved()).toEqual(['Weekly', 'Monthly'])
    })

    test('stays open with an error if saving fails', async () => {
      await openChoices(['Weekly'])
      opened.api.control.fail('remembered.keepChoices', { code: 'storage', message: 'The disk is full.' })
      await save()
      expect(screen.getByText('Couldn’t save the choices.')).toBeTruthy()
      expect(rows()).toHaveLength(1)
    })
  })

  test('a drop-down list suggests values used before', async () => {
    await openFields([fieldOf({ FieldType: 'DropDownList' })], { [rememberedChoice('TPL-1', 'rent')]: ['Weekly'] })
    await type(box('Rent optional'), 'w')
    await fireEvent.keyDown(box('Rent optional'), { key: 'ArrowDown' })
    await fireEvent.keyDown(box('Rent optional'), { key: 'Enter' })
    expect(value()).toBe('Weekly')
  })

  test('a date is stored as the service writes it, and shown in words', async () => {
    await openFields([fieldOf({ FieldType: 'DateInput' })])
    expect(box('Rent optional').type).toBe('date')
    await type(box('Rent optional'), '2025-12-05')
    expect(value()).toBe('2025-12-05')
    expect(screen.getByText('Friday 5 December 2025')).toBeTruthy()
  })

  test('a date in another format is kept as text', async () => {
    await openFields([fieldOf({ FieldType: 'DateInput', Value: '31/12/2025' })])
    expect(box('Rent optional').value).toBe('31/12/2025')
    expect(value()).toBe('31/12/2025')
  })

  test('an unknown field type is reported and kept until another is chosen', async () => {
    await openFields([
      fieldOf({ FieldType: 'Barcode', ID: '17' }),
      fieldOf({ key: 'd2', Label: 'Code', FieldType: '' })
    ])
    expect(screen.getByText(/Unknown field type “Barcode”, sent unchanged/)).toBeTruthy()
    expect(screen.getByText(/Unknown field type, sent as text/)).toBeTruthy()
    await type(box('Rent optional'), '9400')
    await press('Show field details')
    expect(screen.getAllByLabelText('Old field reference').map((one) => (one as HTMLInputElement).value)).toEqual([
      '17'
    ])
    const [kind] = screen.getAllByLabelText<HTMLSelectElement>('Field type')
    expect(kind?.selectedOptions[0]?.textContent).toBe('“Barcode” (from the service)')
    expect(composing.snapshot().items[0]?.fields[0]).toMatchObject({ FieldType: 'Barcode', Value: '9400', ID: '17' })
    await fireEvent.change(kind as HTMLSelectElement, { target: { value: 'MultiLineText' } })
    await settle()
    expect(screen.queryByText(/Barcode/)).toBeNull()
    expect(composing.snapshot().items[0]?.fields[0]).toMatchObject({ FieldType: 'MultiLineText', ID: '17' })
  })

  test('a field that signers can’t change can be filled in by the office', async () => {
    await openFields([fieldOf({ ReadOnly: true, IsRequired: true })])
    await type(box('Rent required, signers can’t change it'), '420')
    expect(value()).toBe('420')
  })

  test('a field can be added by hand and removed', async () => {
    await openFields([])
    await press('Add a field')
    await settle()
    expect(document.activeElement).toBe(box('Field label'))
    await type(box('Field label'), 'Bond')
    await type(box('Field reference'), 'bond')
    expect(composing.snapshot().items[0]?.fields[0]).toMatchObject({ Label: 'Bond', Reference: 'bond' })
    await press('Remove “Bond”')
    await settle()
    expect(composing.snapshot().items[0]?.fields).toEqual([])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add a field' }))
  })

  test('a field’s details are hidden until requested', async () => {
    await openFields([fieldOf()])
    expect(screen.queryByLabelText('Field reference')).toBeNull()
    await press('Show field details')
    await type(box('Field reference'), 'rent-2')
    expect(composing.snapshot().items[0]?.fields[0]?.Reference).toBe('rent-2')
  })
})
