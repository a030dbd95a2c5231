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
  const asked = () => api.control.calls.filter((call) => call.name === 'documents.list').map((call) => call.input)
  return { api, asked, list: new FolderList(api) }
}

test('only what is in sight is read of a large folder', async () => {
  const { asked, list } = office()
  await list.open(progress())
  expect(list.total).toBe(3125)
  expect(list.documents).toBe(3125)
  expect(asked()).toEqual([{ query: progress(), expanded: [], offset: 0, limit: 100 }])
  expect(documentAt(list, 0)?.folder).toBe('Progress')
  expect(list.row(1000)).toBeUndefined()
  list.ensureLoaded(990, 1010)
  await settle()
  expect(asked().slice(1)).toMatchObject([{ offset: 900 }, { offset: 1000 }])
  expect(list.row(990)).toBeDefined()
  expect(list.row(1010)).toBeDefined()
})

test('a long scroll reads where it ends, and not all that it passed', async () => {
  const { asked, list } = office()
  await list.open(progress())
  for (let first = 0; first < 3100; first += 20) list.ensureLoaded(first, first + 20)
  await settle()
  expect(list.row(3100)).toBeDefined()
  expect(asked().length).toBeLessThan(8)
})

test('rows stay in sight while they are read again, and are the new ones afterwards', async () => {
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

test('changes that come while the list is read are followed once, together', async () => {
  const { asked, list } = office(40)
  await list.open(progress())
  await Promise.all([
    list.reloadAfterChange(),
    list.reloadAfterChange(),
    list.reloadAfterChange(),
    list.reloadAfterChange()
  ])
  expect(asked()).toHaveLength(3)
})

test('a change before anything was asked for asks for nothing', async () => {
  const { asked, list } = office(40)
  await list.reloadAfterChange()
  expect(asked()).toEqual([])
})

test('an answer to an earlier search never replaces that of a later one', async () => {
  const { api, list } = office(40)
  const answer = api.control.hold('documents.list')
  const first = list.open(progress({ search: 'gift' }))
  api.control.free('documents.list')
  await list.open(progress({ search: 'tenancy' }))
  answer()
  await first
  expect(documentAt(list, 0)?.name).toMatch(/Tenancy/)
})

test('what is shown stays until the newer search is answered', async () => {
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

test('a list that can no longer be read keeps what it showed and says why', async () => {
  const { api, list } = office(40)
  await list.open(progress())
  api.control.fail('documents.list', { code: 'storage', message: 'The disk is gone.' })
  await list.reloadAfterChange()
  expect(list.error?.code).toBe('storage')
  expect(list.row(0)).toBeDefined()
})

test('a document is missing from a search only once all its results are read', async () => {
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

test('a document of another account is not taken for one of the same reference', async () => {
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

test('a package opens and closes in its place, and counts its documents either way', async () => {
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
