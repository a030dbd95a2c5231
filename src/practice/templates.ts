/** The templates of a practice office: what offices in Australia and New Zealand have signed, with every type of field. */
import { field } from './form-kinds.ts'
import type { FieldRecord, TemplateRecord } from './state.ts'

type Choices = Partial<FieldRecord>

function choose(...labels: string[]): Choices {
  return { choices: labels.map((label) => ({ label, value: label })) }
}

const OPTIONAL: Choices = { required: false }

/** A signer's place in a template; who it is, the send says. */
function place(SignerReference: string, more: Record<string, boolean> = {}) {
  return { SignerReference, ...more }
}

const AUTHORITY_FIELDS = [
  field('client_name', 'Client’s full name', 'Text'),
  field('client_address', 'Residential address', 'MultiLineText'),
  field('start_date', 'Authority starts', 'DateInput'),
  field(
    'scope',
    'What we may act in',
    'DropDownList',
    choose('All matters', 'Tax only', 'Property only', 'One matter')
  ),
  field('agree_terms', 'I have read the terms of engagement', 'CheckBox')
]

/** A fresh copy of the list, so that an office may change its own. */
export function practiceTemplates(): TemplateRecord[] {
  return [
    {
      name: 'Letter of engagement',
      reference: 'tpl-engagement',
      clientReference: 'ENG',
      signers: [place('client', { ReviewBeforeSigningEnabled: true }), place('partner')],
      fields: AUTHORITY_FIELDS.map((each) => ({ ...each }))
    },
    {
      name: 'Residential tenancy agreement',
      reference: 'tpl-tenancy',
      signers: [place('tenant'), place('landlord')],
      fields: [
        field('premises', 'Address of the premises', 'MultiLineText', {
          value: '18 Example Street, Petone',
          readOnly: true
        }),
        field('rent', 'Rent per week', 'Text', { value: '$620', readOnly: true }),
        field('tenancy_start', 'Tenancy starts', 'DateInput'),
        field('tenancy_kind', 'Kind of tenancy', 'RadioButton', choose('Fixed term', 'Periodic')),
        field('pets', 'A pet lives with me', 'CheckBox', OPTIONAL),
        field('emergency_contact', 'Emergency contact', 'Text')
      ]
    },
    {
      name: 'Authority to act for a sale or purchase',
      reference: 'tpl-conveyancing',
      signers: [place('client', { VideoConfirmationEnabled: true })],
      fields: [
        field('property', 'Property', 'MultiLineText'),
        field('side', 'I am', 'RadioButton', choose('Selling', 'Buying')),
        field('settlement', 'Settlement date', 'DateInput', OPTIONAL),
        field('bank_account', 'Bank account for the proceeds', 'Text', OPTIONAL),
        field('aml_ok', 'My identity may be checked electronically', 'CheckBox')
      ]
    },
    {
      name: 'Enduring power of attorney',
      reference: 'tpl-epa',
      signers: [
        place('donor', { VideoConfirmationEnabled: true, VideoConfirmationDeepfakeEnabled: true }),
        place('attorney'),
        place('witness', { IsFaceToFaceSigning: true })
      ],
      fields: [
        field('epa_kind', 'In relation to', 'RadioButton', choose('Property', 'Personal care and welfare')),
        field('epa_start', 'Takes effect', 'DropDownList', choose('At once', 'Only if I lose capacity')),
        field('epa_limits', 'Limits of the power', 'MultiLineText', OPTIONAL)
      ]
    },
    {
      name: 'Employment agreement',
      reference: 'tpl-employment',
      signers: [place('employee'), place('employer')],
      fields: [
        field('position', 'Position', 'Text', { value: 'Office administrator', readOnly: true }),
        field('start', 'First day of work', 'DateInput'),
        field('hours', 'Hours', 'DropDownList', choose('Full time', 'Part time', 'Casual')),
        field('ird', 'IRD number', 'Text'),
        field('kiwisaver', 'KiwiSaver rate', 'RadioButton', choose('3%', '4%', '6%', '8%', '10%')),
        field('policies', 'I have read the policies', 'CheckBox')
      ]
    },
    {
      name: 'Bank account and direct debit authority',
      reference: 'tpl-direct-debit',
      signers: [place('payer')],
      fields: [
        field('account_name', 'Name of the account', 'Text'),
        field('account_number', 'Account number', 'Text'),
        field('frequency', 'How often', 'DropDownList', choose('Weekly', 'Fortnightly', 'Monthly')),
        field('first_payment', 'First payment', 'DateInput')
      ]
    },
    {
      name: 'Privacy consent',
      reference: 'tpl-privacy',
      signers: [place('person')],
      fields: [
        field('share_with', 'My information may be shared with', 'MultiLineText', OPTIONAL),
        field('contact_by', 'Contact me by', 'RadioButton', choose('E-mail', 'Phone', 'Post')),
        field('consent', 'I consent', 'CheckBox')
      ]
    },
    {
      name: 'Statutory declaration',
      reference: 'tpl-declaration',
      signers: [place('declarant', { IsFaceToFaceSigning: true }), place('witness', { IsFaceToFaceSigning: true })],
      fields: [
        field('occupation', 'Occupation', 'Text'),
        field('declare', 'I solemnly and sincerely declare that', 'MultiLineText'),
        field('declared_at', 'Declared at', 'Text')
      ]
    },
    {
      name: 'Loan agreement',
      reference: 'tpl-loan',
      signers: [place('borrower', { ReviewBeforeSigningEnabled: true }), place('guarantor'), place('lender')],
      fields: [
        field('amount', 'Amount', 'Text', { value: '$25,000.00', readOnly: true }),
        field('term', 'Term', 'DropDownList', choose('12 months', '24 months', '36 months')),
        field('repay_from', 'Repayments start', 'DateInput'),
        field('insured', 'I have taken out loan insurance', 'CheckBox', OPTIONAL)
      ]
    },
    {
      name: 'Tax return approval',
      reference: 'tpl-tax-return',
      signers: [place('taxpayer')],
      fields: [
        field('tax_year', 'Year', 'DropDownList', choose('2026', '2025', '2024')),
        field('refund_account', 'Account for a refund', 'Text', OPTIONAL),
        field('tax_true', 'The return is true and correct', 'CheckBox')
      ]
    },
    {
      name: 'Trust deed variation',
      reference: 'tpl-trust',
      signers: [place('trustee-1'), place('trustee-2')],
      fields: [
        field('trust', 'Name of the trust', 'Text'),
        field('clause', 'Clauses that change', 'MultiLineText'),
        field('effective', 'Effective from', 'DateInput')
      ]
    },
    {
      name: 'Medical records request',
      reference: 'tpl-medical',
      signers: [place('patient', { VideoConfirmationEnabled: true })],
      fields: [
        field('practice', 'Medical practice', 'Text'),
        field('dob', 'Date of birth', 'DateInput'),
        field('records', 'Records wanted', 'RadioButton', choose('All', 'Since a date', 'One visit')),
        field('records_note', 'Which date or visit', 'MultiLineText', OPTIONAL)
      ]
    },
    {
      name: 'Gift certificate for a home deposit',
      reference: 'tpl-gift',
      signers: [place('giver'), place('receiver')],
      fields: [
        field('gift_amount', 'Amount of the gift', 'Text'),
        field('gift_repay', 'It need not be repaid', 'CheckBox')
      ]
    },
    // Real lists have entries like this one.
    { name: 'Client intake (being revised)', reference: 'tpl-intake' }
  ]
}
