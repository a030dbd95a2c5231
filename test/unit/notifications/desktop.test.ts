import { expect, onTestFinished, test } from 'vitest'
import { documentsInMemory } from '../../../src/main/core/documents/mirror/database.ts'
import { openDocumentsWorker } from '../../../src/main/core/documents/worker.ts'
import { DocumentQuery } from '../../../src/shared/contract/index.ts'
import { MINUTE, office, view } from './office.ts'

/** The office with the real worker, whose folder answers come from the test. */
async function realOffice() {
  const workstation = office()
  const db = documentsInMemory()
  const worker = openDocumentsWorker({ db, time: { now: workstation.time.clock } })
  onTestFinished(() => void worker.close())
  workstation.worker.ask = worker.ask

  async function answers(folder: string, documents: object[]) {
    const bytes = new TextEncoder().encode(JSON.stringify(documents))
    const begun = workstation.time.clock()
    const read = { accountId: 'office', folder, begun, now: workstation.time.clock(), withLogs: false }
    expect(await worker.ask('take', { ...read, bytes })).toMatchObject({ kind: 'taken', documents: documents.length })
    workstation.worker.reads()
  }
  return Object.assign(workstation, { answers })
}

const deed = (reference: string, status: string, due = '2026-11-30T10:00:00') => ({
  Reference: reference,
  Name: `Deed ${reference}`,
  Status: status,
  DueDate: due,
  Signers: [{ FirstName: 'Ann', LastName: 'Example', Email: 'ann@example.com', HasSigned: status === 'Complete' }]
})

test('folder changes are notified once, not for the first reading, and by view if configured', async () => {
  const workstation = await realOffice()
  workstation.settings.kinds.completed = 'views'
  workstation.settings.kinds.signed = 'never'
  workstation.views = [{ ...view('b', true), query: DocumentQuery.parse({ search: 'Deed b' }) }]
  const notifier = await workstation.open()
  await workstation.answers('InBox', [
    deed('a', 'InProgress'),
    deed('b', 'InProgress'),
    deed('c', 'InProgress', '2026-11-22T10:00:00')
  ])
  await workstation.answers('Signed', [])
  await workstation.goOn(MINUTE)
  expect(workstation.shown).toMatchObject([{ title: 'Due tomorrow', body: 'Deed c' }])

  await workstation.answers('InBox', [deed('a', 'Complete'), deed('b', 'Complete'), deed('c', 'Declined')])
  await workstation.goOn(MINUTE)
  expect(workstation.shown.slice(1).map(({ title, body }) => [body, title])).toEqual([
    [expect.stringContaining('Deed b'), 'Everyone has signed'],
    [expect.stringContaining('Deed c'), expect.stringContaining('eclined')]
  ])
  await workstation.goOn(MINUTE)
  await notifier.stop()

  await workstation.open()
  await workstation.answers('InBox', [deed('a', 'Complete'), deed('b', 'Expired'), deed('c', 'Expired')])
  await workstation.answers('Signed', [])
  await workstation.goOn(MINUTE)
  expect(workstation.failures).toEqual([])
  expect(workstation.shown.slice(3)).toMatchObject([
    { title: 'While you were away', body: '2 documents changed: 2 expired' }
  ])
})
