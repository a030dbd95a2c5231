/** One document's page in every state that must be looked at: `#/documents/Progress?document=doc-6`. */
import type { ActionView, DocumentPage, SignerView } from '../../../src/shared/contract/views.ts'
import { readDocumentStatus } from '../../../src/shared/model/document-status.ts'
import { actionOf, changesOf, fullPage, hostilePage, pageOf, signerOf } from '../document-pages.ts'
import { type FakeApi, type FakeState, fakeApi } from '../fake-api.ts'
import { documents, practiceAccount, verificationOf } from '../people.ts'

const now = () => Date.now()
const DAY = 86_400_000

function withPage(page: DocumentPage, change: Partial<FakeState> = {}): FakeApi {
  const others = documents(40, now()).filter(({ reference }) => reference !== page.reference)
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    documents: [page, ...others],
    downloads: [],
    changes: changesOf(page, now()),
    ...change
  })
}

function withAction(change: Partial<ActionView>): FakeApi {
  const page = fullPage(now())
  return withPage(page, { actions: [actionOf(page, change, now())] })
}

function withStatus(status: string, people: SignerView[], change: Partial<DocumentPage> = {}): FakeApi {
  return withPage(pageOf({ status: readDocumentStatus(status), people, ...change }, now()))
}

const offline = (): FakeState['connection'] => ({
  state: 'offline',
  since: now() - 1_800_000,
  error: { code: 'offline', message: 'No network.' }
})

const twelve = () =>
  Array.from({ length: 12 }, (_, index) =>
    signerOf({ index, name: `Signer ${index + 1}`, state: index < 5 ? 'signed' : 'waiting', editable: index >= 5 })
  )

export const documentPageScenes: Record<string, () => FakeApi> = {
  document: () => withPage(fullPage(now())),
  'document-unread': () => withPage({ ...fullPage(now()), unread: true }),
  'document-hostile': () => withPage(hostilePage(now())),
  'document-many': () => withStatus('5 of 12 Signed', twelve()),
  'document-declined': () =>
    withStatus('Declined', [
      signerOf({
        state: 'declined',
        signedStatus: 'Declined',
        editable: false,
        declinedReason: 'The address in clause 2 is wrong.\nIt should be 14, not 41.'
      })
    ]),
  'document-expired': () =>
    withStatus('Expired', [signerOf({ state: 'expired', signedStatus: 'Expired' })], {
      due: { at: now() - 5 * DAY, precision: 'time' }
    }),
  'document-complete': () => {
    const page = fullPage(now())
    const people = page.people.map((person) => ({ ...person, state: 'signed' as const, editable: false }))
    const complete = { ...page, status: readDocumentStatus('Complete'), people, signers: people, folder: 'Signed' }
    return withPage(complete, { accounts: [{ ...practiceAccount(), savesSigned: 'yes' }] })
  },
  'document-verified': () =>
    withPage(fullPage(now()), {
      verifications: [
        verificationOf({ at: now() - 40 * 60_000, by: 'rule' }),
        verificationOf({ id: 'v0', at: now() - DAY })
      ]
    }),
  'document-signed-since': () =>
    withPage(fullPage(now()), { verifications: [verificationOf({ at: now() - 3 * DAY })] }),
  'document-not-valid': () =>
    withPage(fullPage(now()), { verifications: [verificationOf({ at: now() - 40 * 60_000 }, 1)] }),
  'document-altered': () => {
    const { Signatures: _, ...summary } = verificationOf({ at: now() - DAY, isAltered: true })
    return withPage(fullPage(now()), { verifications: [summary], missingVerifications: 1 })
  },
  'document-gone': () => withPage({ ...fullPage(now()), goneAt: now() - DAY }),
  'document-erased-soon': () => withPage({ ...fullPage(now()), goneAt: now() - 86 * DAY, erasedFrom: now() + 4 * DAY }),
  'document-offline': () => withPage(fullPage(now()), { connection: offline() }),
  'document-waiting': () => {
    const page = fullPage(now())
    return withPage(page, { connection: offline(), actions: [actionOf(page, { state: 'waiting' }, now())] })
  },
  'document-uncertain': () =>
    withAction({
      state: 'uncertain',
      request: { kind: 'remind', signerReference: 'signer-6-0', signerName: 'Anahera Singh' }
    }),
  'document-refused': () =>
    withAction({
      state: 'refused',
      error: {
        code: 'invalid',
        message: 'The service refused the request.',
        serviceMessage: 'DueDate is beyond the longest that this account may ask for.'
      }
    }),
  'document-bare': () =>
    withPage(pageOf({ people: [], logs: [], identity: 'none', idVerificationRequested: false }, now()), { changes: [] })
}
