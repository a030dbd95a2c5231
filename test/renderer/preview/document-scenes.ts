/** The document list in every state that must be looked at. */
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { documents, officeAccount, practiceAccount } from '../people.ts'

const now = () => Date.now()
const usual = (change: Parameters<typeof fakeApi>[0] = {}) =>
  fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    documents: documents(120, now()),
    views: [
      { id: 'v1', name: 'Declined or expired', query: query({ families: ['declined', 'expired'] }), tell: true },
      { id: 'v2', name: 'Tenancies due this week', query: query({ search: 'tenancy', dueWithinDays: 7 }), tell: false },
      { id: 'v3', name: 'Nobody looked at these for a while', query: query({ unread: true }), tell: false }
    ],
    ...change
  })

function query(change: object) {
  return { search: '', sort: { by: 'due' as const, descending: false }, grouped: false, ...change }
}

export const documentScenes: Record<string, () => FakeApi> = {
  'documents-views': () => usual(),
  'documents-5000': () => usual({ documents: documents(5000, now()) }),
  'documents-100000': () => usual({ documents: documents(100_000, now()) }),
  /** Taller than a page can be at any zoom: the scroll bar's range is a scaled-down version of the list's. */
  'documents-150000': () => usual({ documents: documents(150_000, now()) }),
  'documents-own-folders': () => {
    const folders = ['Eingang', 'In Arbeit', 'Abgelegt', 'Zurückgewiesen von Mandanten']
    return usual({
      accounts: [
        { ...practiceAccount(), folders },
        { ...officeAccount(), chosen: false }
      ],
      documents: documents(60, now()).map((one, index) => ({ ...one, folder: folders[index % 4] ?? '' }))
    })
  },
  'documents-unreadable': () => {
    const api = usual()
    const { list } = api.documents
    api.documents.list = async (input) => {
      const answer = await list(input)
      if (!answer.ok) return answer
      const unreadable = {
        count: 23,
        documents: [
          { folder: 'Progress', path: '[7].Signers[0].HasSigned', reference: 'doc-7', name: 'Deed of gift Singh' },
          { folder: 'InBox', path: '[12].DueDate', reference: 'a/../b <i>' },
          { folder: 'Signed', path: '[3]' }
        ]
      }
      return { ok: true, value: { ...answer.value, unreadable } }
    }
    return api
  },
  'documents-hostile': () =>
    usual({
      documents: documents(30, now()).map((one, index) => ({
        ...one,
        name:
          ['<img src=x onerror=alert(1)>', '=HYPERLINK("https://example.com")', 'x'.repeat(180), '', 'ﺍﺗﻔﺎﻗﻴﺔ'][
            index % 5
          ] ?? '',
        reference: index % 3 === 0 ? `a/../b c ${index}` : one.reference,
        ...(index % 4 === 0 && { goneAt: now() - 86_400_000 })
      }))
    })
}
