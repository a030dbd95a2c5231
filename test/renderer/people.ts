/** Made-up records for the screens: documents, templates, people. All addresses are example addresses. */
import type {
  AccountView,
  CounterEntry,
  DocumentPage,
  DocumentRow,
  DownloadView,
  SendView,
  SignerProgress,
  TemplateView,
  VerificationView
} from '../../src/shared/contract/views.ts'
import { FILE_ENDINGS } from '../../src/shared/file-endings.ts'
import { readDocumentStatus } from '../../src/shared/model/document-status.ts'

/** Wednesday 26 November 2025, 10:42 UTC: the made-up office's current time by default. */
export const NOW = Date.UTC(2025, 10, 26, 10, 42)
const DAY = 86_400_000

export const people = [
  ['Mere', 'Parata'],
  ['Tama', 'Brooks'],
  ['Anahera', 'Singh'],
  ['Josef', 'Lindqvist'],
  ['Grace', 'Okafor'],
  ['Wiremu', 'Tane'],
  ['Lena', 'Marchetti'],
  ['Noah', 'Fairweather']
] as const

const subjects = [
  'Tenancy agreement',
  'Deed of gift',
  'Superannuation choice',
  'Tax declaration',
  'Power of attorney',
  'Loan variation',
  'Statement of advice'
]
const statuses = [
  'NotStart',
  'InProgress',
  '1 of 2 Signed',
  'Complete',
  'Declined',
  'Expired',
  'Signing',
  'Awaiting notary'
]

export function practiceAccount(): AccountView {
  return {
    id: 'practice',
    name: 'Practice office',
    kind: 'practice',
    baseUrl: 'http://127.0.0.1:49152/web/v1.4',
    scheme: 'api-key',
    colour: '#b3641c',
    mark: 'PO',
    folders: ['InBox', 'Progress', 'Signed'],
    dataTypeSpelling: 'lower-then-upper',
    chosen: true,
    shown: true,
    limits: { defaultDueDays: 14 },
    savesSigned: 'unknown',
    signedFrom: [],
    hasSecret: true
  }
}

export function officeAccount(): AccountView {
  return {
    id: 'harbour',
    name: 'Harbour & Co. Conveyancing',
    kind: 'service',
    baseUrl: 'https://signing.example.com/web/v1.4',
    scheme: 'api-key',
    colour: '#2f6fb3',
    mark: 'HC',
    folders: ['InBox', 'Progress', 'Signed'],
    dataTypeSpelling: 'lower-then-upper',
    chosen: false,
    shown: false,
    limits: {},
    savesSigned: 'unknown',
    signedFrom: [],
    hasSecret: true
  }
}

/** Returns documents. @param count how many to make up, spread over the three folders. */
export function documents(count: number, now = NOW): DocumentPage[] {
  return Array.from({ length: count }, (_, index) => documentOf(index, now))
}

function documentOf(index: number, now: number): DocumentPage {
  const status = readDocumentStatus(statuses[index % statuses.length])
  const one = people[index % people.length] as (typeof people)[number]
  const two = people[(index + 3) % people.length] as (typeof people)[number]
  const done = status.family === 'complete'
  const state = (first: boolean): SignerProgress['state'] =>
    done || (first && status.of)
      ? 'signed'
      : status.family === 'declined' && first
        ? 'declined'
        : status.family === 'expired'
          ? 'expired'
          : 'waiting'
  const signers = [one, two].slice(0, index % 3 === 0 ? 1 : 2).map(([first, last], place) => ({
    name: `${first} ${last}`,
    state: state(place === 0),
    canSignHere: index % 2 === 0 && !done
  }))
  const name = `${subjects[index % subjects.length]} ${one[1]}`
  const row: DocumentRow = {
    kind: 'document',
    accountId: 'practice',
    reference: `doc-${index}`,
    name,
    folder: done ? 'Signed' : index % 4 === 0 ? 'InBox' : 'Progress',
    status,
    due: { at: now + ((index % 20) - 3) * DAY, offset: 780, precision: 'time' },
    ...(done && { lastSigned: { at: now - (index % 9) * DAY, offset: 0, precision: 'time' as const } }),
    packageReference: `package-${Math.floor(index / 2)}`,
    clientReference: `HC-${2000 + index}`,
    ...(index % 5 === 0 && { matterNumber: `M-${100 + index}` }),
    idVerificationRequested: index % 2 === 0,
    identity: index % 2 === 0 ? (done ? 'passed' : 'asked') : 'none',
    hasFileUploaded: index % 4 === 0,
    signers,
    unread: index % 7 === 0,
    changedAt: now - (index % 30) * 3_600_000
  }
  const { kind: _kind, ...shown } = row
  return {
    ...shown,
    gmt: 780,
    logsAreOld: false,
    others: [],
    hasEditUrl: index % 3 === 0,
    people: signers.map((signer, place) => ({
      ...signer,
      index: place,
      firstName: signer.name.split(' ')[0] ?? '',
      middleName: '',
      lastName: signer.name.split(' ')[1] ?? '',
      email: `${signer.name.toLowerCase().replace(' ', '.')}@example.com`,
      mobileCountry: '64',
      mobileNumber: '021012345',
      signerReference: `signer-${index}-${place}`,
      signedStatus: signer.state === 'signed' ? 'Signed' : signer.state === 'declined' ? 'Declined' : 'Invitation',
      ...(signer.state === 'declined' && { declinedReason: 'The address in clause 2 is wrong.' }),
      editable: signer.state === 'waiting',
      faceToFace: place === 0,
      video: false,
      deepfakeDetector: false,
      reviewBeforeSigning: false,
      identity: row.identity,
      identityWords:
        row.idVerificationRequested && signer.state === 'signed'
          ? [
              { field: 'IDCheckStatus', value: 'Passed' },
              { field: 'IDVerificationFaceMatchResult', value: 'Matched' }
            ]
          : [],
      sharedWith: [],
      others: []
    })),
    logs: [
      {
        Name: 'Harbour & Co.',
        Action: 'Sent',
        Role: 'Sender',
        at: { at: now - 5 * DAY, offset: 780, precision: 'time' }
      },
      {
        Name: signers[0]?.name ?? '',
        Action: 'Opened the invitation',
        Role: 'Signer',
        at: { at: now - 4 * DAY, offset: 780, precision: 'time' }
      }
    ],
    seenAt: now - 120_000,
    package: []
  }
}

export function templates(): TemplateView[] {
  return [
    {
      Name: 'Residential tenancy agreement',
      Reference: 'tpl-tenancy',
      Signers: [
        { SignerReference: 'tenant', FirstName: '', LastName: '', Email: '' },
        {
          SignerReference: 'landlord',
          FirstName: 'Grace',
          LastName: 'Okafor',
          Email: 'grace.okafor@example.org',
          IsFaceToFaceSigning: true
        }
      ],
      Fields: [
        {
          Label: 'Rent per week',
          Reference: 'rent',
          FieldType: 'Text',
          IsRequired: true,
          ReadOnly: true,
          Value: '',
          ClientField: 'rent'
        },
        {
          Label: 'Conditions',
          Reference: 'conditions',
          FieldType: 'MultiLineText',
          IsRequired: false,
          ReadOnly: false,
          Value: 'None',
          ClientField: ''
        },
        {
          Label: 'Furnished',
          Reference: 'furnished',
          FieldType: 'CheckBox',
          IsRequired: false,
          ReadOnly: false,
          Value: '',
          ClientField: ''
        },
        {
          Label: 'Start of tenancy',
          Reference: 'start',
          FieldType: 'DateInput',
          IsRequired: true,
          ReadOnly: false,
          Value: '',
          ClientField: 'start'
        }
      ]
    },
    {
      Name: 'Deed of gift',
      Reference: 'tpl-gift',
      Signers: [{ SignerReference: 'donor', FirstName: '', LastName: '', Email: '' }],
      Fields: []
    },
    { Name: 'Superannuation standard choice', Reference: 'tpl-super' },
    {
      Name: 'Power of attorney',
      Reference: 'tpl-poa',
      Signers: [{ SignerReference: 'principal' }, { SignerReference: 'witness' }],
      Fields: []
    },
    { Reference: 'tpl-without-a-name' }
  ]
}

export function sendOf(change: Partial<SendView> = {}): SendView {
  return {
    id: 'send-1',
    accountId: 'practice',
    draftId: 'draft-1',
    kind: 'form-direct',
    title: 'Tax declaration',
    who: 'Mere Parata',
    state: 'sent',
    createdAt: NOW - 70_000,
    attempt: 1,
    attemptedAt: NOW - 60_000,
    settledAt: NOW - 58_000,
    packageReference: 'package-900',
    packageStatus: 'Sent',
    documents: [{ reference: 'doc-0', name: 'Tax declaration.pdf' }],
    ...change
  }
}

export function downloads(now = NOW): DownloadView[] {
  return [
    downloadOf({ id: 'dl-1', queuedAt: now - 90_000, finishedAt: now - 84_000 }),
    downloadOf({
      id: 'dl-2',
      documentReference: 'doc-11',
      documentName: 'Power of attorney Lindqvist',
      fileName: '2025/Power of attorney Lindqvist.identity.pdf',
      state: 'running',
      bytes: 121_000,
      total: 600_000,
      queuedAt: now - 3000
    }),
    downloadOf({
      id: 'dl-3',
      documentReference: 'doc-19',
      documentName: 'Loan variation Lindqvist',
      type: 'json',
      state: 'failed',
      bytes: 0,
      queuedAt: now - 400_000,
      finishedAt: now - 399_000,
      error: { code: 'not-found', message: 'The service does not have this document.' }
    })
  ]
}

/** Returns a download, saved unless overridden; members that its state doesn't have are left out. */
export function downloadOf(change: Partial<DownloadView> = {}): DownloadView {
  const one: DownloadView = {
    id: 'dl-1',
    accountId: 'practice',
    documentReference: 'doc-3',
    documentName: 'Tax declaration Lindqvist',
    type: 'pdf',
    state: 'done',
    folder: 'Downloads',
    bytes: 482_133,
    queuedAt: NOW - 90_000,
    ...change
  }
  if (one.state === 'done') {
    one.total ??= one.bytes
    one.fileName ??= `2025/${one.documentName}${FILE_ENDINGS[one.type]}`
    one.sha256 ??= '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
    one.finishedAt ??= one.queuedAt + 6000
  }
  return one
}

/** Returns who can sign these documents here. */
export function queueOf(all: readonly DocumentPage[]): CounterEntry[] {
  return all.flatMap((document) =>
    document.signers.flatMap((signer, index) =>
      signer.canSignHere && signer.state === 'waiting'
        ? [
            {
              accountId: document.accountId,
              documentReference: document.reference,
              documentName: document.name,
              signer: index,
              signerName: signer.name,
              person: signer.name.toLowerCase(),
              ...(document.due && { due: document.due }),
              faceToFace: index === 0,
              mayNeedCamera: document.people[index]?.video ?? false,
              isToday: false
            }
          ]
        : []
    )
  )
}

/** Returns a verification of three signatures, all valid except `notValid` of them. */
export function verificationOf(change: Partial<VerificationView> = {}, notValid = 0): VerificationView {
  const { reference = 'doc-6', documentName = 'Loan variation' } = change
  const names = ['Mere Parata', 'Tama Ngata', 'Lena Marchetti']
  return {
    id: `verification of ${reference}`,
    accountId: 'practice',
    reference,
    documentName,
    at: NOW - 3_600_000,
    by: 'person',
    found: { signatures: names.length, valid: names.length - notValid, notValid },
    DocumentName: `${documentName}.pdf`,
    Signatures: names.map((User, index) => ({
      isValid: index >= notValid,
      SignatureTime: '2025-11-20T03:04:05Z',
      User
    })),
    ...change
  }
}
