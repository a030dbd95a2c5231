/** Packages in every state of the composer that must be looked at. */
import {
  blankSigner,
  type ComposedField,
  type Composition,
  rememberedChoice
} from '../../../src/shared/composition/composition.ts'
import type { DraftView } from '../../../src/shared/contract/views.ts'
import { FIELD_TYPES } from '../../../src/shared/model/form-filler.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'
import { addressBook } from '../fakes/remembered.ts'
import { templates as listed, people } from '../people.ts'

const now = () => Date.now()
const LONG = 'Wilhelmina Anastasia Tangihaehae-Featherstonehaugh of the Northern Conveyancing Partnership'

function draftOf(composition: Composition): DraftView {
  return {
    id: 'draft-1',
    accountId: 'practice',
    kind: composition.kind,
    title: 'Residential tenancy',
    who: 'Mere Tamati',
    updatedAt: now() - 300_000,
    composition
  }
}

function office(composition: Composition): FakeApi {
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    drafts: [draftOf(composition)],
    people: addressBook(120),
    remembered: {
      SignerType: ['Employee', 'Employer', 'Witness'],
      'IDData.Label': ['Mother’s maiden name'],
      [rememberedChoice('TPL-1', 'field-3')]: ['Weekly', 'Fortnightly', 'Monthly'],
      [rememberedChoice('TPL-1', 'field-4')]: ['Auckland', 'Wellington', 'Christchurch']
    }
  })
}

const types = FIELD_TYPES.filter((type) => type !== undefined)

/** Returns fields of every type, in turn. */
function fields(count: number): ComposedField[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `d${index}`,
    Label: index === 7 ? LONG : `Field ${index + 1}`,
    Value: index === 5 ? '2025-12-05' : index === 11 ? '31/12/2025' : '',
    FieldType: types[index % types.length] as ComposedField['FieldType'],
    IsRequired: index % 2 === 0,
    Reference: `field-${index}`,
    ReadOnly: index % 5 === 0,
    ClientField: ''
  }))
}

const twelve = () =>
  Array.from({ length: 12 }, (_, index) => {
    const [first, last] = people[index % people.length] as (typeof people)[number]
    return signer({
      key: `s${index}`,
      FirstName: index === 2 ? LONG : first,
      LastName: index === 2 ? LONG : last,
      Email: `${first}.${last}${index}@example.com`.toLowerCase(),
      video: index === 1,
      deepfakeDetector: index === 1
    })
  })

const full = () =>
  signer({
    MobileCountry: '64',
    MobileNumber: '021 555 010',
    faceToFace: true,
    video: true,
    UseIDData: true,
    SignerType: 'Employee',
    IDData: [
      { key: 'q1', Label: 'Date of birth', Value: '1980-02-29', DataType: 'date' },
      { key: 'q2', Label: 'Passport number', Value: '', DataType: 'text' }
    ],
    ShareUsers: [
      { key: 'u1', FirstName: 'Tama', MiddleName: '', LastName: 'Brooks', Email: '', IsDefault: true, IsOwner: false }
    ]
  })

export const composingScenes: Record<string, () => FakeApi> = {
  'one-signer': () => office(forms({ items: [form({ signers: [blankSigner('s1')] })] })),
  'full-signer': () => office(forms({ items: [form({ signers: [full()] })] })),
  'twelve-signers': () => office(templates({ items: [template({ signers: twelve() })], Sequential: true })),
  'forty-fields': () => office(templates({ items: [template({ fields: fields(40) })] })),
  'no-fields': () => office(templates()),
  'two-thousand-templates': () =>
    fakeApi({
      now,
      templates: Array.from({ length: 2000 }, (_, index) => ({
        ...listed()[index % 5],
        Name: `${index} ${listed()[index % 5]?.Name ?? LONG}`,
        Reference: `tpl-${index}`
      }))
    }),
  'offline-templates': () => {
    const api = fakeApi({ now, connection: { state: 'offline', since: now() - 1_800_000 } })
    api.templates.list = async () => ({
      ok: true,
      value: {
        items: listed(),
        fetchedAt: now() - 26 * 3_600_000,
        unreadable: 2,
        problem: { code: 'offline', message: 'No network.' }
      }
    })
    return api
  }
}
