/**
 * Builds the draft for sending a document again after it was declined or expired: from its original composition, or
 * else from what the service knows about it. The draft is meant to be corrected first, and contains nothing outdated,
 * such as a due date.
 */
import {
  blankComposition,
  blankItem,
  blankSigner,
  type ComposedItem,
  type ComposedSigner,
  type Composition,
  typedCode
} from '../../../shared/composition/index.ts'
import type { DocumentResponse, SignerResponse } from '../../../shared/model/index.ts'

/** Makes the draft. @param sent the composition of its package, if it was sent from this workstation. */
export function copyOfDocument(document: DocumentResponse, sent: Composition | undefined): Composition {
  const composition = sent ?? composedOf(document)
  return { ...composition, items: itemsOf(composition, document), due: '', gmt: '', zone: '' }
}

/** Picks this document's item from a package with several, if that is unambiguous; otherwise all. */
function itemsOf({ items }: Composition, document: DocumentResponse): ComposedItem[] {
  const same = items.filter(({ Name }) => Name === document.Name)
  return same.length === 1 ? same : items
}

function composedOf(document: DocumentResponse): Composition {
  const { Name = '', FormDirectReference, ClientReference = '', Signers = [] } = document
  const kind = FormDirectReference ? 'form-direct' : 'form-filler'
  const item: ComposedItem = {
    ...blankItem('copy-1'),
    Name,
    Reference: FormDirectReference ?? '',
    ClientReference,
    ...(Signers.length > 0 && { signers: Signers.map(signerOf) })
  }
  return { ...blankComposition(kind, 'copy'), items: [item] }
}

function signerOf(signer: SignerResponse, index: number): ComposedSigner {
  const blank = blankSigner(`copy-1-${index + 1}`)
  return {
    ...blank,
    FirstName: signer.FirstName ?? '',
    MiddleName: signer.MiddleName ?? '',
    LastName: signer.LastName ?? '',
    Email: signer.Email ?? '',
    MobileNumber: signer.MobileNumber ?? '',
    MobileCountry: typedCode(signer.MobileCountry ?? ''),
    ClientReference: signer.ClientReference ?? '',
    SignerType: signer.SignerType ?? '',
    SignerReference: signer.SignerReference ?? '',
    faceToFace: signer.IsFaceToFaceSigning ?? signer.EnabledFaceToFaceSigning ?? false,
    video: signer.VideoConfirmationEnabled ?? false,
    deepfakeDetector: signer.VideoConfirmationDeepfakeEnabled ?? false,
    reviewBeforeSigning: signer.ReviewBeforeSigningEnabled ?? false
  }
}
