/** Records in other forms than the reference's are read anyway; what can't be read is reported. */
import { expect, test } from 'vitest'
import { clientOf } from '../../contract/client-factory.ts'
import { type Answering, body, json, serve } from '../../contract/hand-written-service.ts'

const record = { DocClass: 'Passport', IsPassed: 'True', FirstName: 'Aroha' }
const read = { DocClass: 'Passport', IsPassed: true, FirstName: 'Aroha' }
const from = async (answering: Answering) => clientOf((await serve(answering)).url).getIDVerification('d-1')

test.each<[string, Answering]>([
  ['a list', json([record])],
  ['one record', json(record)],
  ['text that holds a list', json(JSON.stringify([record]))],
  ['text that holds one record', json(JSON.stringify(record))],
  ['a list called a page', body(JSON.stringify([record]), 200, { 'content-type': 'text/html' })]
])('%s is read', async (_form, answering) => {
  expect(await from(answering)).toEqual({ items: [read], problems: [] })
})

test('member names are found in any case', async () => {
  expect((await from(json({ docClass: 'Passport', ISPASSED: 1 }))).items).toEqual([
    { DocClass: 'Passport', IsPassed: true }
  ])
})

test('a record with every member missing is accepted', async () => {
  expect(await from(json([{}]))).toEqual({ items: [{}], problems: [] })
})

test('a record with members of the wrong type is reported with its place, and the others are kept', async () => {
  const { items, problems } = await from(json([record, { FirstName: { a: 1 } }, 7, { IsPassed: 'perhaps' }]))
  expect(items).toEqual([read])
  expect(problems.map(({ path }) => path)).toEqual(['[1].FirstName', '[2]', '[3].IsPassed'])
})

test('unknown members are kept as they are', async () => {
  expect((await from(json([{ ...record, Mood: ['calm'] }]))).items).toEqual([{ ...read, Mood: ['calm'] }])
})
