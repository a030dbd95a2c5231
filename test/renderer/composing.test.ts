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

const messagePaths = (composing: Composing) => [...composing.serviceMessages.keys()]

describe('a service message about a field', () => {
  test('disappears with the signer it belongs to', () => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers[1].Email', message: 'This address bounces.' }])
    expect(composing.control('a.signers.s2.Email').error).toBe('This address bounces.')
    item.signers.splice(1, 1)
    expect(messagePaths(composing)).toEqual([])
    expect(composing.shown.map((problem) => problem.message)).not.toContain('This address bounces.')
  })

  test('follows its signer when others are moved or removed', () => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers[1].Email', message: 'This address bounces.' }])
    item.signers.reverse()
    item.signers.pop()
    expect(messagePaths(composing)).toEqual(['a.signers.s2.Email'])
  })

  test.each<[string, (item: ComposedItem) => void]>([
    ['a signer is added', (item) => item.signers.push(blankSigner('s3'))],
    ['a signer is removed', (item) => item.signers.splice(0, 1)],
    ['the order changes', (item) => item.signers.reverse()],
    ['a signer is edited', (item) => Object.assign(item.signers[0] ?? {}, { Email: 'tama@example.com' })]
  ])('about a whole list is cleared when %s', (_words, change) => {
    const { composing, item } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers', message: 'Too few.' }])
    expect(messagePaths(composing)).toEqual(['a.signers'])
    change(item)
    expect(messagePaths(composing)).toEqual([])
  })

  test('is cleared when the field changes, even without typing', () => {
    const { composing } = open()
    composing.setServiceMessages([{ field: 'DueDate', message: 'Too soon.' }])
    expect(composing.control('due').error).toBe('Too soon.')
    Object.assign(composing.composition, { due: '2025-12-10T17:00', gmt: '780' })
    expect(composing.control('due').error).toBeUndefined()
  })

  test('about a list is cleared when a control in it reports a change', () => {
    const { composing } = open()
    composing.setServiceMessages([{ field: 'Forms[0].Signers', message: 'Too few.' }])
    composing.markChanged(idOf('a.signers.s2.Email'))
    expect(messagePaths(composing)).toEqual([])
  })

  test('about a signer who no longer exists is returned as unplaced', () => {
    const { composing } = open()
    const message = { field: 'a.signers.s9.Email', message: 'This address bounces.' }
    expect(composing.setServiceMessages([message])).toEqual([message])
  })
})
