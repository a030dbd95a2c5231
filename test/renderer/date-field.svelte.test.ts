// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import DateField from '../../src/renderer/src/ui/DateField.svelte'
import { readTypedDay, writtenDay } from '../../src/renderer/src/words/dates.ts'

afterEach(cleanup)

describe('a date as the office writes it', () => {
  test.each([
    ['en-NZ', '11 December 2026'],
    ['en-AU', '11 December 2026'],
    ['en-GB', '11 December 2026'],
    ['en-US', 'December 11, 2026']
  ])('is formatted in %s', (locale, written) => {
    expect(writtenDay('2026-12-11', locale)).toBe(written)
    expect(readTypedDay(written, '2026-11-24', locale)).toBe('2026-12-11')
  })
  test.each([
    ['11/12/2026', '2026-12-11'],
    ['2026-12-11', '2026-12-11'],
    ['11 dec', '2026-12-11'],
    ['11/12', '2026-12-11'],
    ['11.12', '2026-12-11'],
    ['3 Feb', '2027-02-03'],
    ['Fri 11 December 2026', '2026-12-11'],
    ['31/2/2027', undefined],
    ['soon', undefined]
  ])('%s is read as %s on 24 November 2026', (typed, day) => {
    expect(readTypedDay(typed, '2026-11-24')).toBe(day)
  })
  test('12/11 is 11 December in the United States', () => {
    expect(readTypedDay('12/11', '2026-11-24', 'en-US')).toBe('2026-12-11')
  })
})

describe('the date field', () => {
  function field(value = '2026-12-11') {
    let day = $state(value)
    const props = {
      label: 'Day',
      min: '2026-11-24',
      max: '2026-12-31',
      get value() {
        return day
      },
      set value(to) {
        day = to
      }
    }
    render(DateField, { props })
    return { props, input: screen.getByLabelText<HTMLInputElement>('Day') }
  }
  const type = (input: HTMLInputElement, value: string) => fireEvent.input(input, { target: { value } })

  test('shows the date in words, and accepts a complete date immediately', async () => {
    const { props, input } = field()
    expect(input.value).toBe('11 December 2026')
    await type(input, '14/12/2026')
    expect(props.value).toBe('2026-12-14')
    await fireEvent.blur(input)
    expect(input.value).toBe('14 December 2026')
  })
  test('accepts an abbreviated date on blur or Enter', async () => {
    const { props, input } = field()
    await type(input, '15 dec')
    expect(props.value).toBe('2026-12-11')
    await fireEvent.keyDown(input, { key: 'Enter' })
    expect(props.value).toBe('2026-12-15')
    await type(input, '16/12')
    await fireEvent.blur(input)
    expect([props.value, input.value]).toEqual(['2026-12-16', '16 December 2026'])
  })
  test('reports an invalid date, keeps the text, and clears the value', async () => {
    const { props, input } = field()
    await type(input, '31/2/2027')
    await fireEvent.blur(input)
    expect([props.value, input.value]).toEqual(['', '31/2/2027'])
    expect(input.getAttribute('aria-invalid')).toBe('true')
    screen.getByText('“31/2/2027” isn’t a date. Enter one such as 24 November 2026.')
    await type(input, '')
    expect(screen.queryByText(/isn’t a date/)).toBeNull()
  })
  test('changes by days and months with the keys, within the limits', async () => {
    const { props, input } = field()
    await fireEvent.keyDown(input, { key: 'ArrowUp' })
    expect(props.value).toBe('2026-12-12')
    await fireEvent.keyDown(input, { key: 'PageUp' })
    expect(props.value).toBe('2026-12-31')
    await fireEvent.keyDown(input, { key: 'PageDown' })
    await fireEvent.keyDown(input, { key: 'PageDown' })
    expect(props.value).toBe('2026-11-24')
  })
  test('opens a calendar by key, in which a date can be chosen', async () => {
    const { props, input } = field()
    await fireEvent.keyDown(input, { key: 'ArrowDown', altKey: true })
    await expect.poll(() => document.activeElement?.textContent?.trim()).toBe('11')
    const day = await screen.findByRole('button', { name: /18 December 2026/ })
    await fireEvent.click(day)
    expect(props.value).toBe('2026-12-18')
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  })
})
