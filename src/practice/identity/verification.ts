/** A document's ID-verification data (operation 9, reference section 2.22): as records and as a report. */
import { fullName } from '../../shared/model/index.ts'
import { Refusal } from '../conventions.ts'
import { toIso } from '../dates.ts'
import type { Account, DocumentRecord } from '../state.ts'
import { cardBack, cardFront } from './card.ts'
import { png } from './drawing.ts'
import { type Examination, examinedAt, findingsOf, hasIdentityData } from './findings.ts'
import { drawPortrait } from './portrait.ts'
import { createReport } from './report.ts'

/** Returns a record for each identified signer; 404 if there are none. */
export async function identityRecords(document: DocumentRecord) {
  return (await examine(document)).map(recordOf)
}

/** Returns the report as PDF; 404 if no signer was identified. */
export async function identityReport(document: DocumentRecord, account: Account): Promise<Uint8Array<ArrayBuffer>> {
  return createReport(document, account, await examine(document))
}

async function examine(document: DocumentRecord): Promise<Examination[]> {
  const signers = document.signers.filter(hasIdentityData)
  if (signers.length === 0) {
    throw new Refusal(404, 'IDVerificationNotFound', 'There is no ID verification data of this document.')
  }
  return Promise.all(
    signers.map(async (signer) => {
      const at = examinedAt(signer) ?? document.createdAt
      const findings = findingsOf(signer, at)
      return {
        signer,
        at,
        findings,
        portrait: await png(drawPortrait(fullName(signer), 'camera')),
        front: await png(cardFront(signer, findings)),
        back: await png(cardBack(signer, findings))
      }
    })
  )
}

function recordOf({ signer, at, findings, ...pictures }: Examination) {
  const front = pictures.front.toString('base64')
  return {
    ExamingDate: toIso(at),
    DocClass: findings.docClass,
    PortraitImage: pictures.portrait.toString('base64'),
    FrontIDImage: front,
    BackIDImage: pictures.back.toString('base64'),
    SelectedIDImage: front,
    SelectedFrontIDImage: true,
    FirstName: signer.FirstName.toUpperCase(),
    MiddleName: signer.MiddleName?.toUpperCase() ?? '',
    LastName: signer.LastName.toUpperCase(),
    DOB: findings.born,
    DocumentNumber: findings.number,
    ExpirationDate: findings.expires,
    IssuingState: findings.issuer,
    Country: findings.country,
    FaceMatchResult: findings.passed ? 'Passed' : 'Failed',
    FaceMatchScore: findings.faceMatch.toFixed(4),
    FaceErrorMessage: findings.passed ? '' : 'The faces are not alike enough.',
    IsPassed: findings.passed,
    UserFirstName: signer.FirstName,
    UserMiddleName: signer.MiddleName ?? '',
    UserLastName: signer.LastName,
    Attentions: findings.attentions,
    DocId: `idv-${signer.SignerReference}`
  }
}
