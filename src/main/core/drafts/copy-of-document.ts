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
import { keyOf } from './person-key.ts'

/** Makes the draft. @param sent the composition of its package, if it was sent from this workstation. */
export function copyOfDocument(document: DocumentResponse, sent: Composition | undefined): Composition {
  const composition = sent ?? composedOf(document)
  return { ...composition, items: itemsOf(composition, document), due: '', gmt: '', zone: '' }
}

/** Picks this document's item from a package with several, if that is unambiguous; otherwise all. */
function itemsOf({ items }: Composition, document: DocumentResponse): ComposedItem[] {
  const same = items.filter(({ Name }) => Name === document.Name)
  return same.length === 1 ? same.map((item) => ({ ...item, signers: correctedSigners(item, document) })) : items
}

const PERSON = ['FirstName', 'MiddleName', 'LastName', 'Email', 'MobileCountry', 'MobileNumber'] as const

/** Returns an item's signers as the service has them by now: a name or an address may have been corrected since. */
function correctedSigners({ signers }: ComposedItem, { Signers = [] }: DocumentResponse): ComposedSigner[] {
  if (Signers.length !== signers.length) return signers
  return signers.map((signer, index) => {
    const current = Signers[index]
    if (!current || !isSamePerson(signer, current)) return signer
    const said = PERSON.flatMap((name) => (current[name]?.trim() ? [[name, current[name]]] : []))
    return { ...signer, ...Object.fromEntries(said) }
  })
}

/** A correction changes a person's name or address; with both others it is someone else. */
function isSamePerson(signer: ComposedSigner, current: SignerResponse): boolean {
  const { FirstName = '', LastName = '', Email = '' } = current
  const [before, now] = [keyOf(signer), keyOf({ FirstName, LastName, Email })]
  return before.nameKey === now.nameKey || before.emailKey === now.emailKey
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
