import { beforeEach, expect, test } from 'vitest'
import { form, forms, templates } from '../../fixtures/compositions.ts'
import { failureOf, type Office, openOffice } from './office.ts'

let office: Office
beforeEach(() => {
  office = openOffice()
})

const names = (account = 'a') => office.presets.list(account).map(({ name }) => name)

test('a preset is listed by its name, and opens as it was saved', () => {
  const saved = office.presets.save('a', 'Usual tenancy', templates({ Sequential: true }))
  expect(saved).toEqual({
    id: saved.id,
    name: 'Usual tenancy',
    kind: 'form-filler',
    title: 'Residential tenancy',
    updatedAt: office.time.now
  })
  expect(office.presets.list('a')).toEqual([saved])
  expect(office.presets.get(saved.id)).toEqual({ ...saved, composition: templates({ Sequential: true }) })
  expect(office.changes).toEqual(['presets'])
})

test('presets are sorted by name, ignoring case and comparing numbers', () => {
  for (const name of ['Lease 10', 'lease 2', 'Āwhina', 'Zoo']) office.presets.save('a', name, forms())
  expect(names()).toEqual(['Āwhina', 'lease 2', 'Lease 10', 'Zoo'])
})

test('a preset belongs to its account', () => {
  const { id } = office.presets.save('a', 'Ours', forms())
  expect(names('b')).toEqual([])
  expect(office.presets.accountOf(id)).toBe('a')
  expect(failureOf(() => office.presets.save('b', 'Theirs', forms(), id)).code).toBe('gone')
  expect(names()).toEqual(['Ours'])
})

test('saving a preset again changes it, and it can be renamed', () => {
  const { id } = office.presets.save('a', 'Usual', forms())
  office.presets.save('a', 'Usual', forms({ items: [form({ Name: 'Loan' })] }), id)
  expect(office.presets.get(id)).toMatchObject({ name: 'Usual', title: 'Loan' })
  expect(office.presets.rename(id, 'Unusual')).toMatchObject({ id, name: 'Unusual', title: 'Loan' })
  expect(names()).toEqual(['Unusual'])
})

test('preset names are made unique, ignoring case', () => {
  office.presets.save('a', 'Usual', forms())
  expect(office.presets.save('a', 'USUAL', forms()).name).toBe('USUAL (2)')
  const third = office.presets.save('a', 'Third', forms())
  expect(office.presets.rename(third.id, 'usual').name).toBe('usual (3)')
  expect(office.presets.rename(third.id, 'usual (3)').name).toBe('usual (3)')
})

test('a removed preset can’t be used any more', () => {
  const { id } = office.presets.save('a', 'Usual', forms())
  office.presets.remove(id)
  expect(names()).toEqual([])
  for (const call of [
    () => office.presets.remove(id),
    () => office.presets.get(id),
    () => office.presets.rename(id, 'x'),
    () => office.presets.save('a', 'x', forms(), id)
  ]) {
    expect(failureOf(call).code).toBe('gone')
  }
})

test('a preset that this version can’t read reports so, and stays listed', () => {
  const { id } = office.presets.save('a', 'Usual', forms())
  office.db.exec(`UPDATE presets SET body = '[]'`)
  expect(failureOf(() => office.presets.get(id))).toMatchObject({
    code: 'storage',
    message: expect.stringContaining('preset')
  })
  expect(names()).toEqual(['Usual'])
})
