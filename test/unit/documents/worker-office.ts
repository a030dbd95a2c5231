/** A worker whose folders answer what a test says, and whose looks begin one after the other. */

import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { type DocumentsWorker, openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'

export type Members = Record<string, unknown>
type Asked = Pick<DocumentsWorker, 'ask'>
const START = Date.parse('2026-11-21T00:00:00Z')

interface Look {
  accountId?: string
  begun?: number
  withLogs?: boolean
  dateFormat?: string | undefined
}

export const lease = (Reference: string, members: Members = {}): Members => ({
  Reference,
  Name: `${Reference}.pdf`,
  Status: '0 of 1',
  DueDate: '2027-03-01',
  Signers: [{ FirstName: 'Ana', LastName: 'Example', Email: 'ana@example.com', SignedStatus: 'Invitation' }],
  ...members
})

export function workerOffice(db = documentsInMemory()) {
  let now = START
  const clock = () => now
  let worker: Asked = openDocumentsWorker({ db, time: { now: clock } })
  const tick = (by = 1000) => {
    now += by
    return now
  }
  return {
    db,
    clock,
    ask: ((name, ask) => worker.ask(name, ask)) as DocumentsWorker['ask'],
    /** As after the application was started again. */
    startAgain: (other: Asked = openDocumentsWorker({ db, time: { now: clock } })) => {
      worker = other
    },
    tick,
    look(
      folder: string,
      items: unknown,
      { accountId = 'office', begun = tick(), withLogs = false, dateFormat }: Look = {}
    ) {
      const bytes = new TextEncoder().encode(JSON.stringify(items))
      return worker.ask('take', { accountId, folder, begun, now: tick(100), withLogs, bytes, dateFormat })
    },
    acts: (document: Members, accountId = 'office') =>
      worker.ask('takeOne', { accountId, document: document as { Reference: string }, now: tick(), isOwn: true }),
    async changes() {
      const all = await worker.ask('changesAfter', { after: 0, limit: 10_000 })
      return all.map(({ reference, kind, isOwn }) => `${reference} ${kind}${isOwn ? ' own' : ''}`)
    },
    counts: (accountId = 'office') => worker.ask('counts', { accountId, queries: [], now, zone: 'UTC' }),
    get: (reference: string) => worker.ask('get', { accountId: 'office', reference })
  }
}
