/**
 * The fields of a package that differ only in path, label, help and kind of control: one table for each part of the
 * form, rendered by Fields.svelte. Fields with special behaviour (due date, mobile number, XML …) have their own
 * components.
 */
import type { HTMLInputAttributes } from 'svelte/elements'
import {
  type ComposedField,
  type ComposedItem,
  type ComposedShareUser,
  type ComposedSigner,
  type Composition,
  type Settings,
  settingsOf
} from '../../../../shared/composition/composition.ts'
import { type FieldType, knownFieldType } from '../../../../shared/model/form-filler.ts'
import { listed } from '../../words/counts.ts'
import { nameOf } from './describe.ts'

/** One field of a signer, item, package …; `Of` is the type it belongs to. */
export interface FieldRow<Of> {
  /** The property that holds its value, also the last part of its path. */
  name: keyof Of & string
  label: string
  /** Shown in grey after the label. */
  hint?: string
  help?: string | ((of: Of, composition: Composition) => string)
  /** Help for screen readers only, if the label is enough visually. */
  about?: string
  warning?: (of: Of, composition: Composition) => string | undefined
  /**
   * Defaults to a text field. remembered: suggests values used before. role: suggests the templates' roles. person:
   * suggests people from the address book, who fill in all their fields.
   */
  control?: 'text' | 'remembered' | 'role' | 'person' | 'check' | 'select'
  options?: (of: Of) => readonly { value: string; label: string }[]
  attributes?: Pick<HTMLInputAttributes, 'type' | 'inputmode' | 'placeholder'>
  /** Only for forms, or only for templates. */
  only?: Composition['kind']
  shown?: (of: Of) => boolean
}

type Rows<Of> = readonly FieldRow<Of>[]

const forms = 'form-direct'
const templates = 'form-filler'
const optional = 'optional'

export const itemName: Rows<ComposedItem> = [{ name: 'Name', label: 'Name', help: 'Shown to the signers.' }]

export const itemReference: Rows<ComposedItem> = [
  {
    name: 'Reference',
    label: 'Reference',
    help: (_item, { kind }) => (kind === forms ? 'From your provider.' : 'As in your account’s template list.')
  },
  {
    name: 'FormType',
    label: 'Form type',
    hint: 'a number',
    help: 'From your provider.',
    attributes: { inputmode: 'numeric' },
    only: forms
  }
]

export const itemClientReference: Rows<ComposedItem> = [
  {
    name: 'ClientReference',
    label: 'Your reference',
    hint: optional,
    help: 'Your own number, such as a matter. It comes back with the document. Assigned automatically if blank.'
  }
]

export const signerName: Rows<ComposedSigner> = [
  {
    name: 'FirstName',
    label: 'First name',
    about: 'First name, as it should appear on the document.',
    control: 'person'
  },
  { name: 'LastName', label: 'Last name', about: 'Last name, as it should appear on the document.' }
]

export const signerEmail: Rows<ComposedSigner> = [
  {
    name: 'Email',
    label: 'E-mail',
    about: 'The signer’s own address.',
    control: 'person',
    attributes: { type: 'email' }
  }
]

export const signerIdentity: Rows<ComposedSigner> = [
  {
    name: 'faceToFace',
    label: 'Face to face',
    help: ({ key, faceToFace }, composition) => {
      const item = composition.items.find(({ signers }) => signers.some((signer) => signer.key === key))
      const isHere = faceToFace && item && settingsOf(composition, item).embedded
      return isHere ? 'Signing opens in this application.' : 'Signs here, with you.'
    },
    control: 'check'
  },
  {
    name: 'UseIDData',
    label: 'No mobile phone',
    help: 'Answers identity questions instead.',
    control: 'check',
    only: forms
  }
]

export const signerFlags: Rows<ComposedSigner> = [
  { name: 'video', label: 'Video confirmation', help: 'Records a short video while they sign.', control: 'check' },
  {
    name: 'deepfakeDetector',
    label: 'Deepfake detector',
    help: 'Checks that the video is genuine.',
    control: 'check',
    shown: ({ video }) => video
  },
  {
    name: 'Optional',
    label: 'Optional',
    help: 'The form doesn’t need this signer.',
    control: 'check',
    only: forms
  },
  {
    name: 'reviewBeforeSigning',
    label: 'Review before signing',
    help: 'Reads the document first, then signs.',
    control: 'check',
    only: templates
  }
]

export const signerRole: Rows<ComposedSigner> = [
  {
    name: 'MiddleName',
    label: 'Middle name',
    hint: optional,
    about: 'Middle names, if they should appear on the document.'
  },
  {
    name: 'SignerType',
    label: 'Signer type',
    hint: optional,
    help: 'The role in the form, as your provider names it.',
    control: 'remembered',
    only: forms
  },
  {
    name: 'SignerReference',
    label: 'Role in the template',
    hint: optional,
    help: 'Which of the template’s signers this is.',
    control: 'role',
    only: templates
  }
]

export const signerClientReference: Rows<ComposedSigner> = [
  {
    name: 'ClientReference',
    label: 'Your reference for this signer',
    hint: optional,
    help: 'Such as a client number. It comes back with the document.'
  }
]

export const shareUser: Rows<ComposedShareUser> = [
  {
    name: 'FirstName',
    label: 'First name',
    about: 'First name of the person it’s shared with.',
    control: 'person'
  },
  { name: 'LastName', label: 'Last name', about: 'Last name of the person it’s shared with.' },
  {
    name: 'Email',
    label: 'E-mail',
    about: 'Address of the person it’s shared with.',
    control: 'person',
    attributes: { type: 'email' }
  },
  {
    name: 'MiddleName',
    label: 'Middle name',
    hint: optional,
    about: 'Middle names of the person it’s shared with.'
  },
  { name: 'IsDefault', label: 'Default', help: 'Shared with them by default.', control: 'check' },
  { name: 'IsOwner', label: 'Owner', help: 'An owner of the document.', control: 'check' }
]

const fieldTypes: Record<FieldType, string> = {
  Text: 'Single line',
  MultiLineText: 'Multiple lines',
  CheckBox: 'Checkbox',
  RadioButton: 'Radio buttons',
  DropDownList: 'Drop-down list',
  DateInput: 'Date'
}

/** Returns the name of a field's type; one that only the service knows, as it gave it. */
export function fieldTypeInWords(type: ComposedField['FieldType']): string {
  const known = knownFieldType(type)
  if (known) return fieldTypes[known]
  return type === '' ? 'Unknown' : `“${type}” (from the service)`
}

/** The definition of a template's field, without its value. */
export const fieldDetails: Rows<ComposedField> = [
  { name: 'Label', label: 'Field label', help: 'Shown here and on the document.' },
  { name: 'Reference', label: 'Field reference', help: 'As in the template.' },
  {
    name: 'ID',
    label: 'Old field reference',
    help: 'The template has this one too.',
    shown: ({ ID }) => ID !== undefined
  },
  {
    name: 'FieldType',
    label: 'Field type',
    about: 'What can be put in it.',
    control: 'select',
    options: ({ FieldType: type }) => [
      ...Object.entries(fieldTypes).map(([value, label]) => ({ value, label })),
      ...(knownFieldType(type) ? [] : [{ value: String(type), label: fieldTypeInWords(type) }])
    ]
  },
  { name: 'ClientField', label: 'Name in your system', help: 'What your own software calls it.' },
  { name: 'IsRequired', label: 'Required', help: 'By you or by the signer.', control: 'check' },
  { name: 'ReadOnly', label: 'Signers can’t change it', help: 'What you fill in stays.', control: 'check' }
]

const embeddedField: FieldRow<Settings> = {
  name: 'embedded',
  label: 'Sign in this application',
  help: 'Signing opens on this computer. Needed at the counter.',
  control: 'check'
}

export const packageSigningFields: Rows<Composition> = [
  {
    ...embeddedField,
    warning: ({ embedded, items }) => {
      const faceToFace = items.flatMap(({ own, signers }) =>
        (own ? [] : signers).flatMap((signer, index) => (signer.faceToFace ? [nameOf(signer, index)] : []))
      )
      const names = [...new Set(faceToFace)]
      if (names.length === 0 || embedded) return undefined
      return names.length === 1
        ? `${listed(names)} signs face to face. Unless this is on, they can’t sign at the counter.`
        : `${listed(names)} sign face to face. Unless this is on, they can’t sign at the counter.`
    }
  },
  {
    name: 'Sequential',
    label: 'Signers sign in order',
    help: 'Each signer is invited once the one before has signed.',
    control: 'check',
    only: templates
  }
]

const address = { type: 'url', placeholder: 'https://' } as const

const addresses: Rows<Settings> = [
  {
    name: 'ReturnUrl',
    label: 'Redirect after signing',
    hint: optional,
    help: ({ embedded }) =>
      embedded
        ? 'If blank, Countersign notices when signing is finished.'
        : 'The page that opens once someone has signed. If blank, they stay on the service’s page.',
    control: 'remembered',
    attributes: address
  },
  {
    name: 'NotifyUrl',
    label: 'Notification address',
    hint: optional,
    help: 'For your own software. The service calls this address when something happens.',
    control: 'remembered',
    attributes: address
  }
]

/** Settings that a form can override. */
export const formSettings: Rows<Settings> = [embeddedField, ...addresses]

export const packageAddressFields: Rows<Composition> = [
  ...addresses,
  {
    name: 'InvitationEmailTemplateReference',
    label: 'Invitation e-mail template',
    hint: optional,
    help: 'The reference of the e-mail that invites signers. If blank, your account’s default is used.',
    control: 'remembered',
    only: forms
  }
]
