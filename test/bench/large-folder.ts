/** Answers of a folder of any size: three signers each, a log on every tenth. */

/** How many of its documents change in each round. */
export const CHANGED = 10

/** Returns the folder's answer in each round; from one to the next ten of its documents are signed once more. */
export function openAnswer(size: number): (round: number) => Uint8Array<ArrayBuffer> {
  const items = Array.from({ length: size }, (_, index) => JSON.stringify(documentOf(index)))
  const bytes = new TextEncoder().encode(`[${items.join(',')}]`)
  const step = Math.floor(size / CHANGED)
  const counts: number[] = []
  let at = 1
  for (const [index, item] of items.entries()) {
    if (index % step === 0 && counts.length < CHANGED) counts.push(at + item.indexOf(STATUS) + STATUS.indexOf('0'))
    at += item.length + 1
  }
  return (round) => {
    const copy = bytes.slice()
    for (const place of counts) copy[place] = 0x30 + (round % 4)
    return copy
  }
}

const STATUS = '"Status":"0 of 3 Signed"'

function documentOf(index: number) {
  const at = '2026-11-20T03:15:00Z'
  return {
    Reference: `8f2c1e40-0000-4000-8000-${String(index).padStart(12, '0')}`,
    Name: `Agreement for sale ${index}.pdf`,
    Signers: [0, 1, 2].map((signer) => ({
      FirstName: 'Ana',
      LastName: `Example ${index % 977}`,
      Email: `ana.${index}.${signer}@example.com`,
      MobileNumber: '0210000000',
      MobileCountry: '64',
      SignerReference: `s-${index}-${signer}`,
      IsFaceToFaceSigning: false,
      VideoConfirmationEnabled: false,
      HasSigned: false,
      Editable: true,
      SignedStatus: 'Invitation',
      SignerType: 'Signer'
    })),
    Status: '0 of 3 Signed',
    DueDate: '2026-12-24T17:00:00+13:00',
    GMT: '780',
    LastSignedDate: at,
    Folder: 'Progress',
    HasFileUploaded: index % 5 === 0,
    PackageReference: `package-${Math.floor(index / 2)}`,
    ClientReference: `M-${index}`,
    EditUrl: `https://service.example/edit/${index}`,
    IDVerificationRequested: false,
    MatterNumber: `2026/${index}`,
    ...(index % 10 === 0 && {
      Logs: ['Sent', 'Invited', 'Opened', 'Signed'].map((Action) => ({
        Name: 'Ana',
        Action,
        Date: at,
        GMT: '0',
        Role: 'Signer'
      }))
    })
  }
}
