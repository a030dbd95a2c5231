/** What a file's name is made of, from what the folders showed of its document. */
import { fullName, readGmt, readServiceDate } from '../../../shared/model/index.ts'
import type { MirroredDocument } from '../documents/questions.ts'
import type { NameParts } from './name-pattern.ts'

export interface Named {
  account: string
  reference: string
  /** As it was called when it was put in line; for one that isn't known any more. */
  name: string
  type: NameParts['type']
  /** Stands for a date that isn't known; the same whenever it is asked, so that the name is. */
  otherwise: number
  zone: string
}

/** @param mirrored undefined where the document isn't known any more. */
export function namePartsOf(
  { account, reference, name, type, otherwise, zone }: Named,
  mirrored: MirroredDocument | undefined
): NameParts {
  const document = mirrored?.document
  const gmt = readGmt(document?.GMT)
  const date = readServiceDate(document?.LastSignedDate, gmt)?.at ?? otherwise
  const due = readServiceDate(document?.DueDate, gmt)?.at
  return {
    ...{ account, reference, type, date, zone },
    document: document?.Name?.trim() || name,
    signers: (document?.Signers ?? []).map(fullName).filter((one) => one !== ''),
    ...(document?.PackageReference && { package: document.PackageReference }),
    ...(document?.MatterNumber && { matter: document.MatterNumber }),
    ...(document?.ClientReference && { clientReference: document.ClientReference }),
    ...(due !== undefined && { due })
  }
}
