import { expect, test } from 'vitest'
import { FolderList } from '../../src/renderer/src/state/folder-list.svelte.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { documents } from './people.ts'

function office(count = 5000) {
  const api = fakeApi({ documents: documents(count) })
  const asked = () => api.control.calls.filter((call) => call.name === 'documents.list').map((call) => call.input)
  return { api, asked, list: new FolderList(api) }
}

test('only what is in sight is read of a large folder', async () => {
  const { asked, list } = office()
  await list.open('Progress', '')
  expect(list.total).toBe(3125)
  expect(asked()).toEqual([{ folder: 'Progress', search: '', offset: 0, limit: 200 }])
  expect(list.row(0)?.folder).toBe('Progress')
  expect(list.row(1000)).toBeUndefined()
  list.need(990, 1010)
  await settle()
  expect(asked().slice(1)).toMatchObject([{ offset: 800 }, { offset: 1000 }])
  expect(list.row(990)).toBeDefined()
  expect(list.row(1010)).toBeDefined()
})

test('a long scroll reads where it ends, and not all that it passed', async () => {
  const { asked, list } = office()
  await list.open('Progress', '')
  for (let first = 0; first < 3100; first += 20) list.need(first, first + 20)
  await settle()
  expect(list.row(3100)).toBeDefined()
  expect(asked().length).toBeLessThan(8)
})

test('rows stay in sight while they are read again, and are the new ones afterwards', async () => {
  const { api, list } = office(40)
  await list.open('Progress', '')
  const name = list.row(0)?.name
  api.control.state.documents = api.control.state.documents.map((one) => ({ ...one, name: `${one.name} (2)` }))
  const reading = list.follow()
  expect(list.row(0)?.name).toBe(name)
  await reading
  expect(list.row(0)?.name).toBe(`${name} (2)`)
})

test('changes that come while the list is read are followed once, together', async () => {
  const { asked, list } = office(40)
  await list.open('Progress', '')
  await Promise.all([list.follow(), list.follow(), list.follow(), list.follow()])
  expect(asked()).toHaveLength(3)
})

test('an answer to an earlier search never replaces that of a later one', async () => {
  const { api, list } = office(40)
  api.control.delay('documents.list', 30)
  const first = list.open('Progress', 'gift')
  api.control.delay('documents.list', 1)
  await list.open('Progress', 'tenancy')
  await first
  expect(list.row(0)?.name).toMatch(/Tenancy/)
})

test('a list that can no longer be read keeps what it showed and says why', async () => {
  const { api, list } = office(40)
  await list.open('Progress', '')
  api.control.fail('documents.list', { code: 'storage', message: 'The disk is gone.' })
  await list.follow()
  expect(list.error?.code).toBe('storage')
  expect(list.row(0)).toBeDefined()
})

test('a document is missing from a search only once all its results are read', async () => {
  const { list } = office(40)
  await list.open('Progress', '')
  const first = list.row(0)?.reference ?? ''
  expect(list.lacks('elsewhere')).toBe(false)
  await list.open('Progress', list.row(0)?.name ?? '')
  expect(list.lacks(first)).toBe(false)
  expect(list.lacks('elsewhere')).toBe(true)
  await list.open('Progress', 'zebra')
  expect(list.lacks(first)).toBe(true)

  const large = office(5000).list
  await large.open('Progress', 'a')
  expect(large.total).toBeGreaterThan(200)
  expect(large.lacks('elsewhere')).toBe(false)
})
