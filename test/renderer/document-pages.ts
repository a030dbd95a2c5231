/** Made-up document pages in every state that must be looked at. All addresses are example addresses. */
import type { ActionView, DocumentChange, DocumentPage, SignerView } from '../../src/shared/contract/views.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'
import { documents, NOW } from './people.ts'

const DAY = 86_400_000

/** Returns a signer who is waiting and can be corrected, with `change` applied. */
export function signerOf(change: Partial<SignerView> = {}): SignerView {
  return {
    index: 0,
    name: 'Lena Marchetti',
    firstName: 'Lena',
    middleName: '',
    lastName: 'Marchetti',
    state: 'waiting',
    canSignHere: false,
    email: 'lena.marchetti@example.com',
    mobileCountry: '64',
    mobileNumber: '021012345',
    signerReference: 'signer-6-0',
    signedStatus: 'Invitation',
    editable: true,
    faceToFace: false,
    video: false,
    deepfakeDetector: false,
    reviewBeforeSigning: false,
    identity: 'none',
    identityWords: [],
    sharedWith: [],
    others: [],
    ...change
  }
}

/** Returns a document of the made-up office with these signers, with `change` applied. */
export function pageOf(change: Partial<DocumentPage> = {}, now = NOW): DocumentPage {
  const [base] = documents(7, now).slice(6)
  if (!base) throw new Error('The made-up office has no such document.')
  const people = change.people ?? base.people
  const signers = people.map(({ name, state, canSignHere }) => ({ name, state, canSignHere }))
  return { ...base, people, signers, unread: false, ...change }
}

/** Returns a document with every kind of signer, and everything the reference says about one. */
export function fullPage(now = NOW): DocumentPage {
  return pageOf(
    {
      name: 'Loan variation and guarantee, 14 Harbour View Terrace',
      status: readDocumentStatus('2 of 5 Signed'),
      due: { at: now + 9 * DAY, offset: 780, precision: 'time' },
      hasEditUrl: true,
      hasFileUploaded: true,
      formDirectReference: 'form-loan-2025',
      matterNumber: 'M-2041',
      idVerificationRequested: true,
      identity: 'failed',
      package: [
        {
          reference: 'doc-8',
          name: 'Deed of gift Parata',
          status: readDocumentStatus('Complete')
        },
        { reference: 'doc-9', name: 'Statement of advice', status: readDocumentStatus('Awaiting notary') }
      ],
      others: [{ name: 'QueuePosition', value: '3' }],
      people: [
        signerOf({
          name: 'Mere Parata',
          firstName: 'Mere',
          lastName: 'Parata',
          email: 'mere.parata@example.com',
          state: 'signed',
          signedStatus: 'Signed',
          editable: false,
          video: true,
          deepfakeDetector: true,
          identity: 'passed',
          identityWords: [
            { field: 'IDCheckStatus', value: 'Passed' },
            { field: 'IDVerificationFaceMatchResult', value: 'Matched' },
            { field: 'IDVerificationLivenessResult', value: 'Live' }
          ],
          videoDetail: {
            isReady: true,
            isWitness: false,
            isDeepfake: true,
            witnessOwner: 'Grace Okafor',
            hasUrl: true,
            hasPassword: true,
            others: [{ name: 'Length', value: '00:02:41' }]
          }
        }),
        signerOf({
          index: 1,
          name: 'Tama Brooks',
          firstName: 'Tama',
          lastName: 'Brooks',
          email: 'tama.brooks@example.com',
          state: 'signed',
          signedStatus: 'Complete',
          editable: false,
          identity: 'failed',
          identityWords: [
            { field: 'IDCheckStatus', value: 'Failed' },
            { field: 'IDVerificationFaceMatchResult', value: 'NoMatch' },
            { field: 'IDVerificationResult', value: 'Level 2 of 3' }
          ],
          sharedWith: [
            { FirstName: 'Noah', LastName: 'Fairweather', Email: 'noah@example.org', IsDefault: true, IsOwner: false }
          ]
        }),
        signerOf({
          index: 2,
          name: 'Anahera Singh',
          firstName: 'Anahera',
          lastName: 'Singh',
          email: 'anahera.singh@example.com',
          faceToFace: true,
          canSignHere: true,
          reviewBeforeSigning: true,
          clientReference: 'HC-2006-3',
          identity: 'asked'
        }),
        signerOf({
          index: 3,
          name: 'Josef Lindqvist',
          firstName: 'Josef',
          lastName: 'Lindqvist',
          email: 'josef.lindqvist@example.com',
          signedStatus: 'Reminder1',
          video: true,
          videoDetail: { isReady: false, isOptOut: true, hasUrl: false, hasPassword: false, others: [] }
        }),
        signerOf({
          index: 4,
          name: 'Grace Okafor',
          firstName: 'Grace',
          lastName: 'Okafor',
          email: 'grace.okafor@example.org',
          signedStatus: 'AwaitingApostille',
          editable: false,
          signerType: 'Witness',
          others: [{ name: 'ApostilleOffice', value: 'Wellington' }]
        })
      ]
    },
    now
  )
}

/** Returns a document whose every text is as hostile as possible. */
export function hostilePage(now = NOW): DocumentPage {
  const markup = '<img src=x onerror=alert(1)><b>Deed</b>'
  return pageOf(
    {
      name: `${markup} ${'Agreement'.repeat(34)}`,
      status: readDocumentStatus('<script>alert(1)</script>'),
      packageReference: '../../etc/passwd',
      clientReference: '=HYPERLINK("http://example.com")',
      others: [{ name: '__proto__', value: markup.repeat(20) }],
      people: [
        signerOf({ name: 'عبد الرحمن بن محمد', firstName: 'عبد الرحمن', lastName: 'بن محمد' }),
        signerOf({
          index: 1,
          name: 'W'.repeat(300),
          email: `${'w'.repeat(60)}@example.com`,
          state: 'declined',
          signedStatus: markup,
          editable: false,
          declinedReason: `${markup}\n${'no '.repeat(200)}`
        })
      ]
    },
    now
  )
}

/** Returns an action on `page`, with `change` applied. */
export function actionOf(page: DocumentPage, change: Partial<ActionView> = {}, now = NOW): ActionView {
  return {
    id: '5b0f5e5c-7a4b-4b39-9d6f-6f9f2c6f0a01',
    accountId: page.accountId,
    reference: page.reference,
    documentName: page.name,
    request: { kind: 'extend', dueDate: '2025-12-18T17:00:00+13:00', gmt: 780 },
    state: 'done',
    createdAt: now - 300_000,
    attemptedAt: now - 299_000,
    settledAt: now - 298_000,
    ...change
  }
}

/** Returns the changes seen on `page`, newest first. */
export function changesOf(page: DocumentPage, now = NOW): DocumentChange[] {
  const of = (id: number, change: Partial<DocumentChange>): DocumentChange => ({
    id,
    accountId: page.accountId,
    reference: page.reference,
    documentName: page.name,
    kind: 'changed',
    at: now - (5 - id) * DAY,
    isOwn: false,
    ...change
  })
  return [
    of(4, { kind: 'signed', signer: page.people[1]?.name ?? 'Someone', isOwn: true }),
    of(3, { kind: 'due-changed', from: '2025-11-28T17:00:00+13:00', to: '2025-12-05T17:00:00+13:00', isOwn: true }),
    of(2, { kind: 'moved', from: 'InBox', to: 'Progress' }),
    of(1, { kind: 'arrived' })
  ]
}
