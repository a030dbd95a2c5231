/** The made-up office's verifications: every signature is valid, unless the test sets something else. */
import type { SignatureTally, VerificationView } from '../../../src/shared/contract/views.ts'
import { documentOf } from './documents.ts'
import { byId, Failure, type FakeOffice, type HandlersOf } from './office.ts'

type Handled = HandlersOf<'verifications'> &
  Pick<HandlersOf<'documents'>, 'documents.validate' | 'documents.verifications' | 'documents.saveValidation'>

const isOpen = ({ found }: { found: SignatureTally }) => found.notValid > 0

export function fakeVerifications(office: FakeOffice): Handled {
  const { state, emit } = office
  const changed = (reference: string) => emit('verifications.changed', { accountId: office.chosen().id, reference })
  const of = (reference: string) => state.verifications.filter((one) => one.reference === reference)
  const summaries = (some: readonly VerificationView[]) =>
    some.map(({ Signatures: _, DocumentName: __, others: ___, ...summary }) => summary)

  return {
    'documents.validate': ({ reference }) => {
      const document = documentOf(office, reference)
      const made: VerificationView = {
        id: office.newId('verification'),
        accountId: document.accountId,
        reference,
        documentName: document.name,
        at: state.now(),
        by: 'person',
        found: { signatures: document.people.length, valid: document.people.length, notValid: 0 },
        DocumentName: document.name,
        Signatures: document.people.map((person) => ({
          isValid: true,
          SignatureTime: '2025-11-20T03:04:05Z',
          User: person.name,
          Signer: {
            FirstName: person.firstName,
            LastName: person.lastName,
            Email: person.email ?? '',
            HasSigned: true
          }
        }))
      }
      state.verifications = [made, ...state.verifications]
      changed(reference)
      return made
    },
    'documents.verifications': ({ reference }) => {
      const [last] = of(reference)
      const verifications = summaries(of(reference))
      return { ...(last && { last }), verifications, total: verifications.length, missing: state.missingVerifications }
    },
    'documents.saveValidation': ({ reference }) => {
      if (of(reference).length === 0) throw new Failure('gone')
      return { label: 'signatures.json' }
    },
    'verifications.list': ({ since, notValid, search = '', offset = 0, limit }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const found = state.verifications.filter(
        (one) =>
          one.at >= since &&
          (!notValid || isOpen(one)) &&
          words.every((word) => one.documentName.toLowerCase().includes(word))
      )
      return { verifications: summaries(found.slice(offset, offset + limit)), total: found.length }
    },
    'verifications.open': ({ limit }) => {
      const found = state.verifications.filter((one) => isOpen(one) && !state.dismissedVerifications.includes(one.id))
      return { verifications: summaries(found.slice(0, limit)), total: found.length }
    },
    'verifications.dismiss': ({ id }) => {
      const { reference } = byId(state.verifications, id)
      state.dismissedVerifications = [...state.dismissedVerifications, ...of(reference).map((one) => one.id)]
      changed(reference)
      return null as never
    }
  }
}
