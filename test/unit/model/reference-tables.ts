/**
 * The field tables of the reference's section 2 as data: name, type, and whether required. `sent` and `answered` map
 * the model's schema names to their tables.
 */
export type FieldType = 'string' | 'boolean' | 'integer' | 'array' | 'object' | 'email' | 'enumeration'
export type Table = Record<string, `${FieldType}${'' | '!'}`>

/** 2.5 */
const userInfo: Table = { FirstName: 'string!', MiddleName: 'string', LastName: 'string!', Email: 'email!' }

/** 2.4 */
const invitee: Table = {
  MobileNumber: 'string',
  MobileCountry: 'string',
  ShareUsers: 'array',
  ClientReference: 'string'
}

/** 2.11, its own fields */
const templateSigner: Table = {
  SignerReference: 'string',
  IsFaceToFaceSigning: 'boolean',
  VideoConfirmationEnabled: 'boolean',
  VideoConfirmationDeepfakeEnabled: 'boolean',
  ReviewBeforeSigningEnabled: 'boolean'
}

const employer: Table = { Reference: 'string!', Name: 'string!', IsDefault: 'boolean' }
const texts = (...names: string[]): Table => Object.fromEntries(names.map((name) => [name, 'string' as const]))

const employers = {
  SuperFund: {
    ...employer,
    ...texts('ABN', 'BusinessName', 'BusinessABN', 'SuperFundName', 'SuperFundABN', 'USI', 'Phone', 'SuperFundWebsite')
  },
  TFN: {
    ...employer,
    ...texts('ABN', 'BusinessName', 'BusinessAddress', 'BusinessSuburb', 'BusinessState', 'BusinessPostcode'),
    ...texts('BusinessEmail', 'ContactPerson', 'ContactPhone')
  },
  AccClaimsHistory: {
    ...employer,
    ...texts('OrganisationName', 'ContactPersonName', 'ContactPersonPhone', 'ContactPersonEmail')
  },
  MOJ: {
    ...employer,
    ...texts('ThirdPartyCustomerID', 'ThirdPartyName', 'ThirdPartyReference', 'ReportType', 'ServiceType')
  },
  StandardMOJ: {
    ...employer,
    ...texts('ThirdPartyName', 'ThirdPartyActingFor', 'ThirdPartyReference', 'ThirdPartyReturnAddressName'),
    ...texts('ThirdPartyStreet', 'ThirdPartySuburb', 'ThirdPartyTown', 'ThirdPartyState', 'ThirdPartyPostCode'),
    ...texts('ThirdPartyCountry')
  }
} satisfies Record<string, Table>

/** What we send: exactly these fields. */
export const sent: Record<string, Table> = {
  SendFormDirectRequest: {
    Forms: 'array!',
    DueDate: 'string',
    GMT: 'string',
    InvitationEmailTemplateReference: 'string',
    ListItems: 'array'
  },
  Form: {
    Name: 'string!',
    FormType: 'integer!',
    Reference: 'string!',
    Signers: 'array!',
    EmbedForm: 'boolean!',
    ReturnUrl: 'string',
    NotifyUrl: 'string',
    XMLData: 'string',
    EmployerReference: 'string',
    ClientReference: 'string'
  },
  FormSigner: {
    SignerType: 'string',
    UseIDData: 'boolean',
    IDData: 'array',
    EnabledFaceToFaceSigning: 'boolean',
    Optional: 'boolean',
    VideoConfirmation: 'boolean',
    EnableDeepfakeDetector: 'boolean',
    ...invitee,
    ...userInfo
  },
  ShareUser: { ...userInfo, IsDefault: 'boolean', IsOwner: 'boolean' },
  AuthInfo: { Label: 'string!', Value: 'string!', DataType: 'enumeration!' },
  DropDownListItem: { ClientField: 'string!', Item: 'string!', Value: 'string!' },
  SendFormFillerRequest: {
    Templates: 'array!',
    DueDate: 'string',
    GMT: 'string',
    Embedded: 'boolean',
    ReturnUrl: 'string',
    Sequential: 'boolean',
    NotifyUrl: 'string'
  },
  Template: {
    Name: 'string!',
    Reference: 'string!',
    Signers: 'array!',
    Fields: 'array!',
    ClientReference: 'string'
  },
  TemplateSigner: { ...templateSigner, ...invitee, ...userInfo },
  Field: {
    Label: 'string!',
    Value: 'string!',
    FieldType: 'enumeration!',
    IsRequired: 'boolean!',
    ID: 'string!',
    Reference: 'string!',
    ReadOnly: 'boolean!',
    // The reference types this as boolean but describes a field name; clients send text.
    ClientField: 'string!'
  },
  SuperFundInfo: employers.SuperFund,
  TFNInfo: employers.TFN,
  AccClaimsHistoryInfo: employers.AccClaimsHistory,
  UpdateEmployersRequest: { SuperFund: 'array', TFN: 'array', AccClaimsHistory: 'array' },
  UpdateSignerRequest: { DocumentReference: 'string!', Signers: 'array!' },
  ExtendRequest: { DocumentReference: 'string!', DueDate: 'string!', GMT: 'string' },
  AssignQueueDocumentRequest: {
    PackageReference: 'string!',
    DocumentReference: 'string!',
    NotaryReference: 'string!',
    Send: 'boolean'
  }
}

/** What the service answers: at least these fields. The key is the path to the schema (`DocumentResponse.Signers`). */
export const answered: Record<string, Table> = {
  PackageResponse: {
    QueueReference: 'string',
    PackageReference: 'string',
    PackageName: 'string',
    PackageStatus: 'string',
    Documents: 'array'
  },
  DocumentResponse: {
    Reference: 'string!',
    Name: 'string!',
    FormDirectReference: 'string',
    Signers: 'array!',
    Status: 'string',
    DueDate: 'string',
    GMT: 'string',
    LastSignedDate: 'string',
    Folder: 'string',
    Logs: 'array',
    HasFileUploaded: 'boolean',
    PackageReference: 'string',
    ClientReference: 'string',
    EditUrl: 'string',
    IDVerificationRequested: 'boolean',
    MatterNumber: 'string'
  },
  'DocumentResponse.Signers': {
    HasSigned: 'boolean',
    Editable: 'boolean',
    SignedStatus: 'string',
    DeclinedReason: 'string',
    VideoConfirmationDetail: 'object',
    IDCheckStatus: 'string',
    IDVerificationStatus: 'string',
    IDVerificationResult: 'string',
    IDVerificationFaceMatchResult: 'string',
    IDVerificationLivenessResult: 'string',
    SigningKey: 'string',
    ...templateSigner,
    ...invitee,
    ...userInfo
  },
  'DocumentResponse.Signers.ShareUsers': { ...userInfo, IsDefault: 'boolean', IsOwner: 'boolean' },
  'DocumentResponse.Signers.VideoConfirmationDetail': {
    Name: 'string',
    ShortUrl: 'string',
    IsVideoReady: 'boolean',
    Password: 'string',
    Email: 'string',
    IsWitness: 'boolean',
    IsVideoDisabled: 'boolean',
    IsVideoOptOut: 'boolean',
    WitnessOwner: 'string',
    IsVideoConfirmationDeepfake: 'boolean'
  },
  'DocumentResponse.Logs': { Name: 'string', Action: 'string', Date: 'string', GMT: 'string', Role: 'string' },
  ListedTemplate: {
    Name: 'string!',
    Reference: 'string!',
    Signers: 'array!',
    Fields: 'array!',
    ClientReference: 'string'
  },
  'ListedTemplate.Signers': { ...templateSigner, ...invitee, ...userInfo },
  'ListedTemplate.Fields': {
    Label: 'string!',
    Value: 'string!',
    FieldType: 'string!',
    IsRequired: 'boolean!',
    ID: 'string!',
    Reference: 'string!',
    ReadOnly: 'boolean!',
    ClientField: 'string!'
  },
  EmployerSet: { SuperFund: 'array', TFN: 'array', AccClaimsHistory: 'array', MOJ: 'array', StandardMOJ: 'array' },
  'EmployerSet.SuperFund': employers.SuperFund,
  'EmployerSet.TFN': employers.TFN,
  'EmployerSet.AccClaimsHistory': employers.AccClaimsHistory,
  'EmployerSet.MOJ': employers.MOJ,
  'EmployerSet.StandardMOJ': employers.StandardMOJ,
  Recipients: { NotificationRecipients: 'array', CompletionRecipients: 'array' },
  'Recipients.NotificationRecipients': {
    IsReviewer: 'boolean',
    IsDefaultReviewer: 'boolean',
    RecipientReference: 'string',
    IsDefault: 'boolean',
    ...texts('FirstName', 'MiddleName', 'LastName', 'Email')
  },
  'Recipients.CompletionRecipients': {
    RecipientReference: 'string',
    IsDefault: 'boolean',
    ...texts('FirstName', 'MiddleName', 'LastName', 'Email')
  },
  ValidationResult: { Signatures: 'array', DocumentURL: 'string', DocumentName: 'string' },
  'ValidationResult.Signatures': { isValid: 'boolean', SignatureTime: 'string', User: 'string', Signer: 'object' },
  'ValidationResult.Signatures.Signer': {
    ...texts('FirstName', 'LastName', 'Email', 'SignerType', 'MobileNumber', 'MobileCountry'),
    HasSigned: 'boolean',
    ...texts('Title', 'Reason', 'Company')
  },
  IDVerificationRecord: {
    ...texts('ExamingDate', 'DocClass', 'PortraitImage', 'FrontIDImage', 'BackIDImage', 'SelectedIDImage'),
    SelectedFrontIDImage: 'boolean',
    ...texts('FirstName', 'MiddleName', 'LastName', 'DOB', 'DocumentNumber', 'ExpirationDate', 'IssuingState'),
    ...texts('Country', 'FaceMatchResult', 'FaceMatchScore', 'FaceErrorMessage'),
    IsPassed: 'boolean',
    ...texts('UserFirstName', 'UserMiddleName', 'UserLastName'),
    Attentions: 'array',
    DocId: 'string'
  },
  'IDVerificationRecord.Attentions': { Name: 'string', Detail: 'string' },
  AssignQueueDocumentResponse: {
    PackageReference: 'string',
    PackageName: 'string',
    PackageStatus: 'string',
    DocumentIDs: 'array'
  }
}
