/**
 * The fields of a package that differ only in path, label, help and kind of control: a table for each part of the form,
 * drawn by Fields.svelte. Fields with behaviour of their own (due date, mobile number, XML …) have components.
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

/** One field of a signer, an item, the package …; `Of` is what it is a member of. */
export interface FieldRow<Of> {
  /** The member that holds its value, and the last part of its path. */
  name: keyof Of & string
  label: string
  /** Shown quietly after the label. */
  hint?: string
  help?: string | ((of: Of, composition: Composition) => string)
  /** Help for screen readers, where the label is enough for those who see it. */
  about?: string
  warning?: (of: Of, composition: Composition) => string | undefined
  /**
   * A line of text unless it is something else. remembered: with the values used before. person: with people of the
   * address book, who are taken whole.
   */
  control?: 'text' | 'remembered' | 'person' | 'check' | 'select'
  /** What a select offers. */
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

export const itemName: Rows<ComposedItem> = [{ name: 'Name', label: 'Name', help: 'As the signers will know it.' }]

export const itemReference: Rows<ComposedItem> = [
  {
    name: 'Reference',
    label: 'Reference',
    help: (_item, { kind }) =>
      kind === forms ? 'Your provider’s own name for the form.' : 'The template’s, as in the account’s list.'
  },
  {
    name: 'FormType',
    label: 'Form type',
    hint: 'a number',
    help: 'Your provider gave it to you with the form.',
    attributes: { inputmode: 'numeric' },
    only: forms
  }
]

export const itemClientReference: Rows<ComposedItem> = [
  {
    name: 'ClientReference',
    label: 'Your reference',
    hint: optional,
    help: 'Your own number for it, such as a matter. It comes back with the document. Without one, Countersign gives one of its own, by which the document is found again.'
  }
]

export const signerName: Rows<ComposedSigner> = [
  {
    name: 'FirstName',
    label: 'First name',
    about: 'Their first name, as it should stand in the document.',
    control: 'person'
  },
  { name: 'LastName', label: 'Last name', about: 'Their last name, as it should stand in the document.' }
]

export const signerEmail: Rows<ComposedSigner> = [
  {
    name: 'Email',
    label: 'E-mail',
    about: 'Their own address, at which the service reaches them.',
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
  { name: 'UseIDData', label: 'Has no mobile phone', help: 'Answers questions instead.', control: 'check', only: forms }
]

export const signerFlags: Rows<ComposedSigner> = [
  { name: 'video', label: 'Video confirmation', help: 'Records a short video as they sign.', control: 'check' },
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
    help: 'The form can do without them: they are left out.',
    control: 'check',
    only: forms
  },
  {
    name: 'reviewBeforeSigning',
    label: 'Review before signing',
    help: 'Reads it first, then signs.',
    control: 'check',
    only: templates
  }
]

export const signerRole: Rows<ComposedSigner> = [
  {
    name: 'MiddleName',
    label: 'Middle name',
    hint: optional,
    about: 'Their middle names, where the document should have them.'
  },
  {
    name: 'SignerType',
    label: 'Signer type',
    hint: optional,
    help: 'Their role in the form, as your provider names it.',
    control: 'remembered',
    only: forms
  },
  {
    name: 'SignerReference',
    label: 'Signer in the template',
    hint: optional,
    help: 'Which of the template’s signers this is.',
    only: templates
  }
]

export const signerClientReference: Rows<ComposedSigner> = [
  {
    name: 'ClientReference',
    label: 'Your reference for this person',
    hint: optional,
    help: 'Your own number for them, such as a client number. It comes back with the document.'
  }
]

export const shareUser: Rows<ComposedShareUser> = [
  {
    name: 'FirstName',
    label: 'First name',
    about: 'The first name of the person it is shared with.',
    control: 'person'
  },
  { name: 'LastName', label: 'Last name', about: 'The last name of the person it is shared with.' },
  {
    name: 'Email',
    label: 'E-mail',
    about: 'The address of the person it is shared with.',
    control: 'person',
    attributes: { type: 'email' }
  },
  {
    name: 'MiddleName',
    label: 'Middle name',
    hint: optional,
    about: 'The middle names of the person it is shared with.'
  },
  { name: 'IsDefault', label: 'Default', help: 'Shared with them as a rule.', control: 'check' },
  { name: 'IsOwner', label: 'Owner', help: 'Counts as an owner of the document.', control: 'check' }
]

const fieldTypes: Record<FieldType, string> = {
  Text: 'A line of text',
  MultiLineText: 'Several lines of text',
  CheckBox: 'A box to tick',
  RadioButton: 'One of a few, as buttons',
  DropDownList: 'One of a list',
  DateInput: 'A date'
}

/** What a template's field is, beside its value. */
export const fieldDetails: Rows<ComposedField> = [
  { name: 'Label', label: 'Field’s label', help: 'What it is called here and on the document.' },
  { name: 'Reference', label: 'Field’s reference', help: 'As the template has it.' },
  {
    name: 'ID',
    label: 'Field’s old reference',
    help: 'The template has it beside the other.',
    shown: ({ ID }) => ID !== undefined
  },
  {
    name: 'FieldType',
    label: 'Kind of field',
    help: 'What can be put in it.',
    control: 'select',
    options: ({ FieldType: type }) => [
      ...Object.entries(fieldTypes).map(([value, label]) => ({ value, label })),
      ...(knownFieldType(type)
        ? []
        : [{ value: String(type), label: type === '' ? 'Not told by the service' : `“${type}”, as it came` }])
    ]
  },
  { name: 'ClientField', label: 'Name in your system', help: 'Where you keep it, if anywhere.' },
  { name: 'IsRequired', label: 'Must be filled in', help: 'By you, or by the person who signs.', control: 'check' },
  { name: 'ReadOnly', label: 'Signers can’t change it', help: 'What you fill in stays.', control: 'check' }
]

const embedding: FieldRow<Settings> = {
  name: 'embedded',
  label: 'Sign in this application',
  help: 'The signing pages open here, on this computer: what signing at the counter needs.',
  control: 'check'
}

export const packageHow: Rows<Composition> = [
  {
    ...embedding,
    warning: ({ embedded, items }) => {
      const faceToFace = items.flatMap(({ own, signers }) =>
        (own ? [] : signers).flatMap((signer, index) => (signer.faceToFace ? [nameOf(signer, index)] : []))
      )
      const names = [...new Set(faceToFace)]
      if (names.length === 0 || embedded) return undefined
      return `${listed(names)} ${names.length === 1 ? 'signs' : 'sign'} face to face at the counter, which needs this.`
    }
  },
  {
    name: 'Sequential',
    label: 'One after the other',
    help: 'Each person is asked once the one before has signed, in the order above.',
    control: 'check',
    only: templates
  }
]

const address = { type: 'url', placeholder: 'https://' } as const

const addresses: Rows<Settings> = [
  {
    name: 'ReturnUrl',
    label: 'Page to return to after signing',
    hint: optional,
    help: ({ embedded }) =>
      embedded
        ? 'Without one, Countersign itself notices that signing is done.'
        : 'Where the browser takes people once they have signed. Without one they stay with the service.',
    control: 'remembered',
    attributes: address
  },
  {
    name: 'NotifyUrl',
    label: 'Address that the service calls',
    hint: optional,
    help: 'For your office’s own systems: the service tells this address when something happens.',
    control: 'remembered',
    attributes: address
  }
]

/** What a form may have of its own instead of the package's. */
export const formSettings: Rows<Settings> = [embedding, ...addresses]

export const packageWhere: Rows<Composition> = [
  ...addresses,
  {
    name: 'InvitationEmailTemplateReference',
    label: 'Invitation’s e-mail template',
    hint: 'optional, by reference',
    help: 'Which of your account’s e-mails invites people. Without one, the account’s usual one does.',
    control: 'remembered',
    only: forms
  }
]
