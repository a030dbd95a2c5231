import { describe, expect, test } from 'vitest'
import { Composing, idOf } from '../../src/renderer/src/screens/compose/composing.svelte.ts'
import { blankComposition, blankSigner, type ComposedItem } from '../../src/shared/composition/composition.ts'
import { NOW } from './people.ts'

function open() {
  const composing = new Composing(blankComposition('form-direct', 'a'), () => NOW)
  const item = composing.composition.items[0] as ComposedItem
  item.signers.push({ ...blankSigner('s2'), Email: 'mere@example.com' })
  return { composing, item }
}

const said = (composing: Composing) => [...composing.serviceMessages.keys()]

describe('what the service said of a field', () => {
  test('goes with the person it was said of', () => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers[1].Email', message: 'This address bounces.' }])
    expect(composing.control('a.signers.s2.Email').error).toBe('This address bounces.')
    item.signers.splice(1, 1)
    expect(said(composing)).toEqual([])
    expect(composing.shown.map((problem) => problem.message)).not.toContain('This address bounces.')
  })

  test('stays with its person where others are moved or removed', () => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers[1].Email', message: 'This address bounces.' }])
    item.signers.reverse()
    item.signers.pop()
    expect(said(composing)).toEqual(['a.signers.s2.Email'])
  })

  test.each<[string, (item: ComposedItem) => void]>([
    ['someone is added', (item) => item.signers.push(blankSigner('s3'))],
    ['someone is removed', (item) => item.signers.splice(0, 1)],
    ['the order is another', (item) => item.signers.reverse()],
    ['one of them is changed', (item) => Object.assign(item.signers[0] ?? {}, { Email: 'tama@example.com' })]
  ])('of a whole list is out of date once %s', (_words, change) => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers', message: 'Too few.' }])
    expect(said(composing)).toEqual(['a.signers'])
    change(item)
    expect(said(composing)).toEqual([])
  })

  test('is out of date once the field is changed by whatever, not only by typing', () => {
    const { composing } = open()
    composing.setServiceMessages([{ field: 'DueDate', message: 'Too soon.' }])
    expect(composing.control('due').error).toBe('Too soon.')
    Object.assign(composing.composition, { due: '2025-12-10T17:00', gmt: '780' })
    expect(composing.control('due').error).toBeUndefined()
  })

  test('of a list is out of date once a control in it says that it was changed', () => {
    const { composing } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers', message: 'Too few.' }])
    composing.markChanged(idOf('a.signers.s2.Email'))
    expect(said(composing)).toEqual([])
  })

  test('of someone who is no longer there is said apart', () => {
    const { composing } = open()
    const message = { field: 'a.signers.s9.Email', message: 'This address bounces.' }
    expect(composing.setServiceMessages([message])).toEqual([message])
  })
})
