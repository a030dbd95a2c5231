/** The composer with everything its collapsed sections contain: data, dates, presets, and their problems. */
import { blankSigner, type ComposedItem, type Composition } from '../../../src/shared/composition/composition.ts'
import { signersInWords, titleOf } from '../../../src/shared/composition/names.ts'
import type { DraftView, PresetView } from '../../../src/shared/contract/views.ts'
import { form, forms, signer, template, templates } from '../../fixtures/compositions.ts'
import { type FakeApi, fakeApi } from '../fake-api.ts'

const now = () => Date.now()
const day = (away: number) => new Date(Date.now() + away * 86_400_000).toISOString().slice(0, 10)

function draftOf(composition: Composition): DraftView {
  return {
    id: 'draft-1',
    accountId: 'practice',
    kind: composition.kind,
    title: titleOf(composition),
    who: signersInWords(composition),
    updatedAt: now() - 5 * 60_000,
    composition
  }
}

function presetOf(name: string, composition: Composition): PresetView {
  return {
    id: name,
    name,
    kind: composition.kind,
    title: titleOf(composition),
    updatedAt: now() - 86_400_000,
    composition
  }
}

function office(composition: Composition, change: Parameters<typeof fakeApi>[0] = {}): FakeApi {
  return fakeApi({
    now,
    connection: { state: 'online', since: now() - 3_600_000 },
    drafts: [draftOf(composition)],
    remembered: {
      EmployerReference: ['EMP-204', 'EMP-7'],
      ReturnUrl: ['https://office.example.org/signed'],
      NotifyUrl: ['https://office.example.org/told'],
      InvitationEmailTemplateReference: ['warm-welcome']
    },
    forms: [
      { Name: 'Tax file number declaration', Reference: 'form-tfn-2025', FormType: '3' },
      { Name: 'Superannuation choice', Reference: 'form-super-9', FormType: '7' }
    ],
    presets: [
      presetOf('New employee', forms()),
      presetOf('Tenancy with two tenants', templates()),
      presetOf('Year end: declaration of trust for the family of a long-standing client', forms())
    ],
    ...change
  })
}

const fullForm: Partial<ComposedItem> = {
  EmployerReference: 'EMP-204',
  ClientReference: 'MATTER-7719',
  XMLData:
    '<?xml version="1.0"?>\n<declaration>\n  <employee>\n    <name>Mere Tamati</nam>\n  </employee>\n</declaration>'
}

function fullForms(): Composition {
  return forms({
    items: [
      form({
        ...fullForm,
        signers: [
          signer({
            faceToFace: true,
            video: true,
            deepfakeDetector: true,
            MobileCountry: '64',
            MobileNumber: '21012345',
            UseIDData: true,
            IDData: [{ key: 'q', Label: 'Date of birth', Value: '29/02/1980', DataType: 'date' }]
          }),
          { ...blankSigner('s2'), FirstName: 'Wiremu', LastName: 'Tamati', Email: 'wiremu@gmial.com' }
        ]
      }),
      form({
        key: 'f2',
        Name: 'Superannuation choice',
        Reference: 'form-super-9',
        FormType: '7',
        own: { embedded: true, ReturnUrl: 'https://office.example.org/super', NotifyUrl: '' }
      })
    ],
    due: `${day(9)}T17:00`,
    gmt: '780',
    zone: 'Pacific/Auckland',
    NotifyUrl: 'office.example.org/told',
    ListItems: [
      { key: 'c1', ClientField: 'shift', Item: 'Day', Value: 'D' },
      { key: 'c2', ClientField: 'shift', Item: 'Night', Value: 'N' },
      { key: 'c3', ClientField: 'shift', Item: 'Night', Value: 'N2' }
    ]
  })
}

export const dataScenes: Record<string, () => FakeApi> = {
  /** A package of forms with content in every section. */
  'data-forms': () => office(fullForms()),
  'data-blank': () => office(forms({ items: [form({ Name: '', Reference: '', FormType: '' })] })),
  /** Five megabytes of XML. */
  'data-large': () =>
    office(
      forms({
        items: [
          form({ XMLData: `<data>\n${'  <row id="12"><name>Mere Tamati</name></row>\n'.repeat(100_000)}</data>` })
        ]
      })
    ),
  /** Two thousand choices, the maximum for a package. */
  'data-choices': () =>
    office(
      forms({
        ListItems: Array.from({ length: 2000 }, (_, index) => ({
          key: `c${index}`,
          ClientField: `field-${index % 9}`,
          Item: `Choice ${index}`,
          Value: String(index)
        }))
      })
    ),
  /** A template that is no longer in the account's list. */
  'data-gone': () =>
    office(templates({ items: [template({ Reference: 'tpl-withdrawn' })], Sequential: true, embedded: true }))
}
