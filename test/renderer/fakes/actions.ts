/** The made-up office's actions on documents, and the details it has about them outside the list. */

import { blankComposition } from '../../../src/shared/composition/composition.ts'
import type { KeptByAnother } from '../../../src/shared/composition/preset.ts'
import type { ActionView } from '../../../src/shared/contract/index.ts'
import { documentOf } from './documents.ts'
import { byId, Failure, type FakeOffice, type HandlersOf } from './office.ts'

type Handled = HandlersOf<'actions'> &
  Pick<
    HandlersOf<'documents' | 'accounts'>,
    | 'documents.openInBrowser'
    | 'documents.videoPassword'
    | 'documents.copyLink'
    | 'documents.correctedCopy'
    | 'documents.duplicate'
    | 'accounts.rights'
  >

/** Changes the due date of the whole package, as the service does. */
function extend(office: FakeOffice, reference: string, at: number) {
  const { packageReference } = documentOf(office, reference)
  office.state.documents = office.state.documents.map((one) =>
    one.reference === reference || (packageReference && one.packageReference === packageReference)
      ? { ...one, due: { at, precision: 'time' } }
      : one
  )
}

function notaryOf(office: FakeOffice, reference: string) {
  const { packageReference = '', name } = documentOf(office, reference)
  return {
    PackageReference: packageReference,
    PackageName: name,
    PackageStatus: 'WaitingForNotary',
    DocumentIDs: [reference]
  }
}

export function fakeActions(office: FakeOffice): Handled {
  const { state, emit } = office

  function put(action: ActionView): ActionView {
    state.actions = [action, ...state.actions.filter(({ id }) => id !== action.id)]
    emit('actions.changed', { ids: [action.id] })
    return action
  }
  function copyOf(reference: string, keeps: KeptByAnother) {
    const { name, signers } = documentOf(office, reference)
    const who = keeps === 'people and data' ? signers.map((signer) => signer.name).join(', ') : ''
    const summary = {
      id: `copy of ${reference}`,
      accountId: office.chosen().id,
      title: name,
      who,
      updatedAt: state.now()
    }
    const draft = { ...summary, kind: 'form-direct' as const }
    state.drafts = [...state.drafts, { ...draft, composition: blankComposition('form-direct', 'copy') }]
    return draft
  }
  const ended = (id: string, change: Partial<ActionView>) => put({ ...byId(state.actions, id), ...change })

  return {
    'actions.start': ({ id, reference, request }) => {
      const existing = state.actions.find((one) => one.id === id)
      if (existing) return existing
      const { name } = documentOf(office, reference)
      if (request.kind === 'extend' && state.connection.state !== 'offline' && !state.nextAction.state) {
        extend(office, reference, Date.parse(request.dueDate))
      }
      const isOffline = state.connection.state === 'offline'
      return put({
        id,
        accountId: office.chosen().id,
        request,
        reference,
        documentName: name,
        state: isOffline ? 'waiting' : 'done',
        createdAt: state.now(),
        ...(!isOffline && { attemptedAt: state.now(), settledAt: state.now() }),
        ...(!isOffline && request.kind === 'notary' && { notary: notaryOf(office, reference) }),
        ...state.nextAction
      })
    },
    'actions.list': ({ reference }) =>
      state.actions.filter((one) => reference === undefined || one.reference === reference),
    'actions.cancel': ({ id }) => ended(id, { state: 'cancelled', settledAt: state.now() }),
    'actions.check': ({ id }) => ended(id, { state: 'done', settledAt: state.now() }),
    'actions.retry': ({ id }) => {
      const { error: _error, ...action } = byId(state.actions, id)
      return put({ ...action, state: 'done', settledAt: state.now() })
    },
    'actions.resolve': ({ id, happened }) =>
      ended(id, { state: happened ? 'done' : 'cancelled', settledAt: state.now() }),
    'accounts.rights': () => state.rights,
    'documents.openInBrowser': () => null as never,
    'documents.videoPassword': () => ({ password: 'kauri-42' }),
    'documents.copyLink': ({ reference }) => {
      if (documentOf(office, reference).accountId !== office.chosen().id) throw new Failure('gone')
      return null as never
    },
    'documents.correctedCopy': ({ reference }) => copyOf(reference, 'people and data'),
    'documents.duplicate': ({ reference, keeps }) => copyOf(reference, keeps)
  }
}
