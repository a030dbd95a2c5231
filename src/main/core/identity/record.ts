/** One record of an identity check: what the screens show of it, and separately the bytes of its pictures. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  IdentityPictureName,
  IdentityRecordView,
  IdentityTexts,
  OtherMember,
  RefusedPictureView
} from '../../../shared/contract/index.ts'
import type { IDVerificationRecord } from '../../../shared/model/index.ts'
import { type Picture, readPicture } from './picture.ts'

export type ShownPicture = Extract<Picture, { isShown: true }>

export interface ReadRecord {
  view: IdentityRecordView
  pictures: Map<IdentityPictureName, ShownPicture>
}

/** In characters. Longer texts aren't facts from a card, and drawing one in full would freeze the page. */
const MAX_TEXT_LENGTH = 2000
const MAX_ATTENTIONS = 200
const MAX_OTHERS = 100

const pictureMembers = [
  ['portrait', 'PortraitImage'],
  ['front', 'FrontIDImage'],
  ['back', 'BackIDImage'],
  ['selected', 'SelectedIDImage']
] as const satisfies readonly (readonly [IdentityPictureName, keyof IDVerificationRecord])[]

const textMembers = {
  examined: 'ExamingDate',
  documentClass: 'DocClass',
  firstName: 'FirstName',
  middleName: 'MiddleName',
  lastName: 'LastName',
  born: 'DOB',
  documentNumber: 'DocumentNumber',
  expires: 'ExpirationDate',
  issuingState: 'IssuingState',
  country: 'Country',
  faceMatchResult: 'FaceMatchResult',
  faceMatchScore: 'FaceMatchScore',
  faceError: 'FaceErrorMessage',
  userFirstName: 'UserFirstName',
  userMiddleName: 'UserMiddleName',
  userLastName: 'UserLastName',
  documentId: 'DocId'
} as const satisfies Record<keyof IdentityTexts, keyof IDVerificationRecord>

/** Every member that the API reference names. */
const knownMembers: ReadonlySet<string> = new Set([
  ...pictureMembers.map(([, member]) => member),
  ...Object.values(textMembers),
  'SelectedFrontIDImage',
  'IsPassed',
  'Attentions'
])

/** Reads one record, yielding to other work between its pictures. */
export async function readRecord(record: IDVerificationRecord): Promise<ReadRecord> {
  const pictures: ReadRecord['pictures'] = new Map()
  const views: IdentityRecordView['pictures'] = []
  for (const [name, member] of pictureMembers) {
    const text = record[member]
    if (text === undefined || text.trim() === '') continue
    const picture = readPicture(text)
    await nextTurn()
    if (picture.isShown) {
      views.push(pictureView(name, picture, pictures))
      pictures.set(name, picture)
    } else {
      views.push({ name, ...picture } satisfies RefusedPictureView)
    }
  }
  const view: IdentityRecordView = {
    texts: textsOf(record),
    ...(record.IsPassed !== undefined && { isPassed: record.IsPassed }),
    ...(record.SelectedFrontIDImage !== undefined && { selectedFront: record.SelectedFrontIDImage }),
    pictures: views,
    ...attentionsOf(record),
    others: othersOf(record)
  }
  return { view, pictures }
}

/** Overwrites the bytes of its pictures. */
export function wipeRecord({ pictures }: ReadRecord): void {
  for (const { bytes } of pictures.values()) bytes.fill(0)
  pictures.clear()
}

function pictureView(
  name: IdentityPictureName,
  { type, width, height, bytes, isCutOff }: ShownPicture,
  before: ReadRecord['pictures']
): IdentityRecordView['pictures'][number] {
  const same = [...before].find(([, other]) => Buffer.compare(other.bytes, bytes) === 0)?.[0]
  return {
    name,
    isShown: true,
    type,
    width,
    height,
    bytes: bytes.byteLength,
    ...(isCutOff && { isCutOff }),
    ...(same && { sameAs: same })
  }
}

function textsOf(record: IDVerificationRecord): IdentityTexts {
  const texts = Object.entries(textMembers).flatMap(([name, member]) => {
    const text = record[member]?.trim()
    return text ? [[name, shortened(text)] as const] : []
  })
  return Object.fromEntries(texts)
}

/** Includes members that the API reference doesn't name: they may be all that an attention says. */
function attentionsOf({
  Attentions = []
}: IDVerificationRecord): Pick<IdentityRecordView, 'attentions' | 'moreAttentions'> {
  const attentions = Attentions.map(({ Name = '', Detail = '', ...others }) => {
    const more = Object.entries(others).map(([name, value]) => `${name}: ${asText(value)}`)
    return { name: shortened(Name.trim()), detail: shortened([Detail.trim(), ...more].filter(Boolean).join(' · ')) }
  }).filter(({ name, detail }) => name !== '' || detail !== '')
  const more = attentions.length - MAX_ATTENTIONS
  return { attentions: attentions.slice(0, MAX_ATTENTIONS), ...(more > 0 && { moreAttentions: more }) }
}

function othersOf(record: IDVerificationRecord): OtherMember[] {
  return Object.entries(record)
    .filter(([name, value]) => !knownMembers.has(name) && value !== undefined)
    .slice(0, MAX_OTHERS)
    .map(([name, value]) => ({
      name: name.slice(0, 200),
      value: shortened(asText(value))
    }))
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function shortened(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  return `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length.toLocaleString('en-GB')} characters in all)`
}
