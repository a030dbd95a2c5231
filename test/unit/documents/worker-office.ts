/** A desk whose folders answer what a test says, and whose looks begin one after the other. */

import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { type DocumentDesk, openDocumentDesk } from '../../../src/main/core/documents/worker.ts'

export type Members = Record<string, unknown>
type Asked = Pick<DocumentDesk, 'ask'>
const START = Date.parse('2026-11-21T00:00:00Z')

export const lease = (Reference: string, members: Members = {}): Members => ({
  Reference,
  Name: `${Reference}.pdf`,
  Status: '0 of 1',
  DueDate: '2027-03-01',
  Signers: [{ FirstName: 'Ana', LastName: 'Example', Email: 'ana@example.com', SignedStatus: 'Invitation' }],
  ...members
})

export function deskOffice(db = documentsInMemory()) {
  let now = START
  const clock = () => now
  let desk: Asked = openDocumentDesk({ db, clock })
  const tick = (by = 1000) => {
    now += by
    return now
  }
  return {
    db,
    clock,
    ask: ((name, ask) => desk.ask(name, ask)) as DocumentDesk['ask'],
    /** As after the application was started again. */
    startAgain: (other: Asked = openDocumentDesk({ db, clock })) => {
      desk = other
    },
    tick,
    look(folder: string, items: unknown, { accountId = 'office', begun = tick(), withLogs = false } = {}) {
      const bytes = new TextEncoder().encode(JSON.stringify(items))
      return desk.ask('take', { accountId, folder, begun, now: tick(100), withLogs, bytes })
    },
    acts: (document: Members, accountId = 'office') =>
      desk.ask('takeOne', { accountId, document: document as { Reference: string }, now: tick(), isOwn: true }),
    async changes() {
      const all = await desk.ask('changesAfter', { after: 0, limit: 10_000 })
      return all.map(({ reference, kind, isOwn }) => `${reference} ${kind}${isOwn ? ' own' : ''}`)
    },
    counts: (accountId = 'office') => desk.ask('counts', { accountId, queries: [], now, zone: 'UTC' }),
    get: (reference: string) => desk.ask('get', { accountId: 'office', reference })
  }
}
