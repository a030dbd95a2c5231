/** Requests as an office would send them, with invented people. */
import type {
  AssignQueueDocumentRequest,
  SendFormDirectRequest,
  SendFormFillerRequest,
  TemplateSigner,
  UpdateEmployersRequest
} from '../../src/shared/model/index.ts'

export const mia = { FirstName: 'Mia', LastName: 'Tāne', Email: 'mia.tane@example.com' }
export const tom = { FirstName: 'Tom', LastName: 'Okafor', Email: 'tom@example.org' }

export function aFormDirectRequest(changes: Partial<SendFormDirectRequest> = {}): SendFormDirectRequest {
  return {
    Forms: [
      {
        Name: 'Kiwisaver deduction',
        FormType: 3,
        Reference: 'KS2',
        EmbedForm: false,
        ClientReference: 'draft-17',
        Signers: [
          {
            ...mia,
            MobileCountry: '64',
            MobileNumber: '021012345',
            UseIDData: true,
            IDData: [{ Label: 'Date of birth', Value: '1990-02-28', DataType: 'date' }],
            ShareUsers: [{ ...tom, IsDefault: true, IsOwner: false }]
          }
        ]
      }
    ],
    DueDate: '2031-03-01T00:00:00Z',
    GMT: '720',
    ListItems: [{ ClientField: 'branch', Item: 'Ōtautahi', Value: 'CHC' }],
    ...changes
  }
}

export function aTemplateSigner(changes: Partial<TemplateSigner> = {}): TemplateSigner {
  return { ...mia, SignerReference: 'signer-1', VideoConfirmationEnabled: false, ...changes }
}

export function aFormFillerRequest(changes: Partial<SendFormFillerRequest> = {}): SendFormFillerRequest {
  return {
    Templates: [
      {
        Name: 'Engagement letter',
        Reference: 'engagement-letter',
        Signers: [aTemplateSigner(), { ...tom, SignerReference: 'signer-2' }],
        Fields: [
          {
            Label: 'Matter',
            Value: '2031/44',
            FieldType: 'Text',
            IsRequired: true,
            ID: 'f1',
            Reference: 'f1',
            ReadOnly: false,
            ClientField: 'matter'
          }
        ],
        ClientReference: 'draft-18'
      }
    ],
    Sequential: true,
    Embedded: false,
    ...changes
  }
}

export function someEmployers(): UpdateEmployersRequest {
  return {
    SuperFund: [{ Reference: 'sf-1', Name: 'Main fund', IsDefault: true, ABN: '51824753556' }],
    TFN: [{ Reference: 'tfn-1', Name: 'Head office', BusinessPostcode: '2000' }],
    AccClaimsHistory: [{ Reference: 'acc-1', Name: 'Clinic', OrganisationName: 'Clinic Ltd' }]
  }
}

export function aNotaryAssignment(): AssignQueueDocumentRequest {
  return { PackageReference: 'p-1', DocumentReference: 'd-1', NotaryReference: 'n-1', Send: true }
}

/** A document as in the service's answers. */
export function aDocument(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    Reference: 'd-1',
    Name: 'Engagement letter.pdf',
    Status: '1 of 2 Signed',
    Folder: 'Progress',
    DueDate: '2031-03-01T00:00:00.0000000Z',
    GMT: '720',
    Signers: [{ ...mia, SignerReference: 's-1', HasSigned: false, SignedStatus: 'Invitation', Editable: true }],
    ...changes
  }
}
