import { expect, test } from 'vitest'
import { FolderList } from '../../src/renderer/src/screens/documents/folder-list.svelte.ts'
import type { DocumentQuery } from '../../src/shared/contract/document-query.ts'
import type { DocumentRow, FolderRow } from '../../src/shared/contract/views.ts'
import { fakeApi } from './fake-api.ts'
import { settle } from './fake-clock.ts'
import { documents } from './people.ts'

const progress = (change: Partial<DocumentQuery> = {}): DocumentQuery => ({
  folder: 'Progress',
  search: '',
  sort: { by: 'due', descending: false },
  grouped: false,
  ...change
})
const documentAt = (list: FolderList, index: number): DocumentRow | undefined => {
  const row: FolderRow | undefined = list.row(index)
  return row?.kind === 'document' ? row : undefined
}

function office(count = 5000) {
  const api = fakeApi({ documents: documents(count) })
  const requests = () => api.control.calls.filter((call) => call.name === 'documents.list').map((call) => call.input)
  return { api, requests, list: new FolderList(api) }
}

test('only the visible part of a large folder is loaded', async () => {
  const { requests, list } = office()
  await list.open(progress())
  expect(list.total).toBe(3125)
  expect(list.documents).toBe(3125)
  expect(requests()).toEqual([{ query: progress(), expanded: [], offset: 0, limit: 100 }])
  expect(documentAt(list, 0)?.folder).toBe('Progress')
  expect(list.row(1000)).toBeUndefined()
  list.ensureLoaded(990, 1010)
  await settle()
  expect(requests().slice(1)).toMatchObject([{ offset: 900 }, { offset: 1000 }])
  expect(list.row(990)).toBeDefined()
  expect(list.row(1010)).toBeDefined()
})

test('a long scroll loads its end, not everything it passes', async () => {
  const { requests, list } = office()
  await list.open(progress())
  for (let first = 0; first < 3100; first += 20) list.ensureLoaded(first, first + 20)
  await settle()
  expect(list.row(3100)).toBeDefined()
  expect(requests().length).toBeLessThan(8)
})

test('rows stay visible while reloading, then are replaced', async () => {
  const { api, list } = office(40)
  await list.open(progress())
  const name = documentAt(list, 0)?.name
  const before = list.version
  api.control.state.documents = api.control.state.documents.map((one) => ({ ...one, name: `${one.name} (2)` }))
  const reading = list.reloadAfterChange()
  expect(documentAt(list, 0)?.name).toBe(name)
  await reading
  expect(documentAt(list, 0)?.name).toBe(`${name} (2)`)
  expect(list.version).toBeGreaterThan(before)
})

test('changes during a reload cause one further reload', async () => {
  const { requests, list } = office(40)
  await list.open(progress())
  await Promise.all([
    list.reloadAfterChange(),
    list.reloadAfterChange(),
    list.reloadAfterChange(),
    list.reloadAfterChange()
  ])
  expect(requests()).toHaveLength(3)
})

test('a change before the list was opened loads nothing', async () => {
  const { requests, list } = office(40)
  await list.reloadAfterChange()
  expect(requests()).toEqual([])
})

test('a late answer to an earlier search never replaces a later one', async () => {
  const { api, list } = office(40)
  const answer = api.control.hold('documents.list')
  const first = list.open(progress({ search: 'gift' }))
  api.control.free('documents.list')
  await list.open(progress({ search: 'tenancy' }))
  answer()
  await first
  expect(documentAt(list, 0)?.name).toMatch(/Tenancy/)
})

test('the list stays until the new search is answered', async () => {
  const { api, list } = office(40)
  await list.open(progress())
  const name = documentAt(list, 0)?.name
  const answer = api.control.hold('documents.list')
  const searching = list.open(progress({ search: 'gift' }))
  await settle()
  expect(documentAt(list, 0)?.name).toBe(name)
  answer()
  await searching
  expect(documentAt(list, 0)?.name).toMatch(/gift/)
})

test('a list that can’t be reloaded keeps its rows and reports the error', async () => {
  const { api, list } = office(40)
  await list.open(progress())
  api.control.fail('documents.list', { code: 'storage', message: 'The disk is gone.' })
  await list.reloadAfterChange()
  expect(list.error?.code).toBe('storage')
  expect(list.row(0)).toBeDefined()
})

test('a document counts as missing from a search only once all results are loaded', async () => {
  const { list } = office(40)
  await list.open(progress())
  const first = documentAt(list, 0)
  expect(list.lacks({ accountId: 'practice', reference: 'elsewhere' })).toBe(true)
  await list.open(progress({ search: first?.name ?? '' }))
  expect(list.lacks(first as DocumentRow)).toBe(false)
  await list.open(progress({ search: 'zebra' }))
  expect(list.lacks(first as DocumentRow)).toBe(true)

  const large = office(5000).list
  await large.open(progress({ search: 'a' }))
  expect(large.total).toBeGreaterThan(100)
  expect(large.lacks({ accountId: 'practice', reference: 'elsewhere' })).toBe(false)
})

test('documents of different accounts with the same reference are kept apart', async () => {
  const [ours] = documents(1).map((one) => ({ ...one, folder: 'Progress' }))
  if (!ours) throw new Error('The made-up office has no document.')
  const api = fakeApi({ documents: [{ ...ours, accountId: 'harbour', name: 'A. Theirs' }, ours] })
  const list = new FolderList(api)
  await list.open(progress({ accounts: ['harbour'], sort: { by: 'name', descending: false } }))
  expect(list.total).toBe(2)
  expect(list.rowOfDocument({ accountId: 'practice', reference: ours.reference })?.name).toBe(ours.name)
  expect(list.rowOfDocument({ accountId: 'harbour', reference: ours.reference })?.name).toBe('A. Theirs')
  expect(list.lacks({ accountId: 'elsewhere', reference: ours.reference })).toBe(true)
})

test('a package expands and collapses in place, without changing the number of documents', async () => {
  const { list } = office(40)
  await list.open({ ...progress({ grouped: true }), sort: { by: 'reference', descending: false } })
  const at = Array.from({ length: list.total }, (_, index) => list.row(index)).findIndex(
    (row) => row?.kind === 'package'
  )
  const line = list.row(at)
  if (line?.kind !== 'package') throw new Error('The made-up office has no such package.')
  const [total, all] = [list.total, list.documents]
  await list.expand(line.packageReference, true)
  expect(list.row(at)).toMatchObject({ kind: 'package', isExpanded: true })
  expect(list.row(at + 1)).toMatchObject({
    kind: 'document',
    isInPackage: true,
    packageReference: line.packageReference
  })
  expect([list.total, list.documents]).toEqual([total + line.documents, all])
  await list.expand(line.packageReference, false)
  expect(list.total).toBe(total)
})
