/** The identity check page in every state that must be looked at: `#/identity/doc-6`. */
import { findingsOf } from '../../../src/practice/identity/findings.ts'
import type {
  IdentityPictureName,
  IdentityRecordView,
  IdentityTexts,
  SignerView
} from '../../../src/shared/contract/views.ts'
import { readDocumentStatus } from '../../../src/shared/model/document-status.ts'
import { pageOf, signerOf } from '../document-pages.ts'
import { type FakeApi, type FakeState, fakeApi } from '../fake-api.ts'
import { identityRecordOf, identityTexts, pictureOf } from '../fakes/identity.ts'
import { documents } from '../people.ts'

const now = () => Date.now()
const DAY = 86_400_000
const day = (at: number) => new Date(at).toISOString().slice(0, 10)

const people = [
  { FirstName: 'Mere', MiddleName: 'Aroha', LastName: 'Parata' },
  { FirstName: 'Tama', LastName: 'Brooks' },
  { FirstName: 'Anahera', LastName: 'Singh' }
]

/** Returns who each of the three people is to the practice office. */
const whoIs = (index: number) =>
  ({ Email: 'someone@example.com', ...(people[index] ?? people[0]) }) as Parameters<typeof findingsOf>[0]

/** Loads the practice office's drawing of each person from files: a browser can't draw them the same way. */
async function pictureFile(index: number, name: IdentityPictureName): Promise<Uint8Array<ArrayBuffer>> {
  const file = new URL(
    `./pictures/${index}-${name === 'portrait' || name === 'back' ? name : 'front'}.png`,
    import.meta.url
  )
  return new Uint8Array(await (await fetch(file)).arrayBuffer())
}

/** Returns the texts on a person's card. */
function cardTexts(index: number): IdentityTexts {
  const { docClass, number, born, expires, issuer, country } = findingsOf(whoIs(index), now())
  return { documentClass: docClass, documentNumber: number, born, expires, issuingState: issuer, country }
}

function scene(records: IdentityRecordView[], change: Partial<FakeState> = {}, drawnAs = [0, 1, 2]): FakeApi {
  const page = pageOf(
    {
      name: 'Loan variation and guarantee, 14 Harbour View Terrace',
      status: readDocumentStatus('Complete'),
      idVerificationRequested: true,
      people: people.map(({ FirstName, LastName }, index) => checked(index, FirstName, LastName))
    },
    now()
  )
  const others = documents(40, now()).filter(({ reference }) => reference !== page.reference)
  const api = fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    documents: [page, ...others],
    downloads: [],
    identity: records,
    ...change
  })
  api.identity.picture = async ({ record, name }) => ({
    ok: true,
    value: { type: 'image/png', bytes: await pictureFile(drawnAs[record] ?? 0, name) }
  })
  return api
}

function checked(index: number, firstName: string, lastName: string): SignerView {
  return signerOf({
    index,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    state: 'signed',
    editable: false,
    identity: index === 1 ? 'failed' : 'passed',
    identityWords: [
      { field: 'IDCheckStatus', value: 'Completed' },
      { field: 'IDVerificationResult', value: index === 1 ? 'Failed' : 'Passed' },
      { field: 'IDVerificationFaceMatchResult', value: index === 1 ? 'Failed' : 'Passed' },
      { field: 'IDVerificationLivenessResult', value: 'Passed' }
    ]
  })
}

const texts = (change: IdentityTexts): IdentityTexts => ({ ...identityTexts, ...change })
const first = () =>
  identityRecordOf({ texts: texts({ ...cardTexts(0), examined: new Date(now() - 2 * DAY).toISOString() }) })
const second = () =>
  identityRecordOf({
    isPassed: false,
    texts: {
      ...cardTexts(1),
      examined: day(now() - 2 * DAY),
      firstName: 'TAMA',
      middleName: 'WIREMU',
      lastName: 'BROOKES',
      expires: day(now() - 40 * DAY),
      faceMatchResult: 'Failed',
      faceMatchScore: '0.5412',
      faceError: 'The faces are not alike enough.',
      userFirstName: 'Tama',
      userLastName: 'Brooks'
    },
    attentions: [
      { name: 'Face match', detail: 'The face and the card’s picture are not alike enough.' },
      { name: 'Expiry', detail: 'The card had expired.' }
    ],
    others: [{ name: 'ChipRead', value: 'false' }]
  })
const third = () =>
  identityRecordOf({
    texts: {
      ...cardTexts(2),
      examined: new Date(now() - DAY).toISOString(),
      firstName: 'ANAHERA',
      lastName: 'SINGH',
      born: '04/05/1975',
      expires: day(now() + 20 * DAY),
      faceMatchResult: 'Level B',
      faceMatchScore: '88.1',
      userFirstName: 'Anāhera',
      userLastName: 'Singh'
    },
    attentions: [{ name: 'Expiry', detail: 'The card expires within a month.' }]
  })

const offline = (): FakeState['connection'] => ({
  state: 'offline',
  since: now() - 1_800_000,
  error: { code: 'offline', message: 'No network.' }
})

function failing(code: 'offline' | 'not-found' | 'server', change: Partial<FakeState> = {}): FakeApi {
  const api = scene([], change)
  api.control.fail('identity.read', { code, message: 'The signing service did not answer.' })
  return api
}

export const identityScenes: Record<string, () => FakeApi> = {
  identity: () => scene([first()]),
  'identity-failed': () => scene([second()], {}, [1]),
  'identity-two': () => scene([first(), second()]),
  'identity-three': () => scene([first(), second(), third()]),
  'identity-bare': () => scene([unsaid(identityRecordOf({ texts: {}, pictures: [] }))]),
  'identity-hostile': () =>
    scene([
      identityRecordOf({
        pictures: [
          {
            name: 'portrait',
            isShown: false,
            why: 'The service sent a drawing with code (SVG) instead of a photograph. It isn’t opened.'
          },
          pictureOf({ name: 'front', width: 640, height: 404, isCutOff: true }),
          {
            name: 'back',
            isShown: false,
            why: 'This picture’s size is given as 60,000 × 60,000 pixels, which is too large to show.'
          }
        ],
        texts: texts({
          lastName: `${'Parata'.repeat(40)}<img src=x onerror=alert(1)>`,
          faceMatchScore: 'very alike',
          faceMatchResult: '<b>Tier 4</b>',
          expires: 'next year',
          born: 'عام ١٩٨٤'
        }),
        attentions: [{ name: '<script>alert(1)</script>', detail: 'long '.repeat(200) }],
        others: [{ name: '__proto__', value: '<b>x</b>'.repeat(100) }]
      })
    ]),
  'identity-none': () => scene([]),
  'identity-gone': () => failing('not-found'),
  'identity-offline': () => failing('offline', { connection: offline() }),
  'identity-error': () => failing('server'),
  'identity-slow': () => {
    const api = scene([])
    api.control.hold('identity.read')
    return api
  },
  'identity-left-out': () => scene([first()], { identityLeftOut: 1 })
}

function unsaid({ isPassed: _passed, selectedFront: _front, ...record }: IdentityRecordView): IdentityRecordView {
  return record
}
