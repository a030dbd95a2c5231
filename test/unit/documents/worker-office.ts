/** A worker whose folder answers come from the test, with reads that begin one after another. */

import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { type DocumentsWorker, openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'

export type Members = Record<string, unknown>
type Asking = Pick<DocumentsWorker, 'ask'>
const START = Date.parse('2026-11-21T00:00:00Z')

interface ReadOptions {
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

/** Documents of every kind that an overview counts; some differ in each round. */
export function someOffice(round: number, count: number): Members[] {
  const one = <Value>(values: readonly Value[], at: number) => values[at % values.length]
  return Array.from({ length: count }, (_, at) => {
    const seed = at % 3 === round % 3 ? at + round : at
    return lease(`D-${at}`, {
      Status: one(['0 of 2 Signed', 'Complete', 'Declined', 'Expired', '', 'NotStart'], seed),
      DueDate: one(['2026-11-22', '2026-11-24T03:00:00Z', '2026-11-20T00:00:00Z', undefined], seed >> 1),
      LastSignedDate: one(['2026-11-02T00:00:00Z', '2026-10-20T00:00:00Z', undefined], seed),
      ...(at % 4 > 0 && { PackageReference: `P-${at >> 2}` }),
      ...(seed % 5 === 0 && { IDVerificationRequested: true }),
      Signers: [
        {
          FirstName: 'Ana',
          LastName: 'Example',
          Email: 'ana@example.com',
          SignedStatus: 'Invitation',
          ...(seed % 7 === 0 && { SigningKey: 'https://sign.example.com/x' }),
          ...(seed % 6 === 0 && { IDVerificationResult: 'Failed' })
        }
      ]
    })
  })
}

export function workerOffice(db = documentsInMemory()) {
  let now = START
  const clock = () => now
  let worker: Asking = openDocumentsWorker({ db, time: { now: clock } })
  const tick = (by = 1000) => {
    now += by
    return now
  }
  return {
    db,
    clock,
    ask: ((name, ask) => worker.ask(name, ask)) as DocumentsWorker['ask'],
    /** As after a restart of the application. */
    startAgain: (other: Asking = openDocumentsWorker({ db, time: { now: clock } })) => {
      worker = other
    },
    tick,
    read(
      folder: string,
      items: unknown,
      { accountId = 'office', begun = tick(), withLogs = false, dateFormat }: ReadOptions = {}
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
