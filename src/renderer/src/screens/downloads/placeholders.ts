/** The parts that a file's name can have, as a person is offered them; `core/downloads/name-values.ts` says what each becomes. */
export interface NamePart {
  /** Written in the pattern between braces. */
  name: string
  label: string
  about: string
}

export const nameParts: readonly NamePart[] = [
  { name: 'document', label: 'Document', about: 'the name of the document' },
  { name: 'signer', label: 'Signer', about: 'who signs first, and how many others' },
  { name: 'signers', label: 'All signers', about: 'all who sign, with commas between them' },
  { name: 'date', label: 'Date', about: 'the day on which it was last signed' },
  { name: 'yyyy', label: 'Year', about: 'the year in which it was last signed' },
  { name: 'mm', label: 'Month', about: 'the month in which it was last signed, as two digits' },
  { name: 'dd', label: 'Day', about: 'the day of the month on which it was last signed, as two digits' },
  { name: 'time', label: 'Time', about: 'the time of day at which it was last signed' },
  { name: 'due', label: 'Due date', about: 'the day on which it was due' },
  { name: 'matter', label: 'Matter', about: 'the matter number' },
  { name: 'package', label: 'Package', about: 'the reference of its package' },
  { name: 'clientReference', label: 'Your reference', about: 'the reference that your office gave it' },
  { name: 'reference', label: 'Reference', about: 'the reference that the service gave it' },
  { name: 'account', label: 'Account', about: 'the name of this account' },
  { name: 'type', label: 'Kind', about: 'pdf or json' }
]
