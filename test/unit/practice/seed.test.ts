import { describe, expect, it } from 'vitest'
import { readState } from '../../../src/practice/state.ts'
import { DocumentResponse, decodeList, readDocumentStatus, readServiceDate } from '../../../src/shared/model/index.ts'
import { answered, practice } from './practice.ts'

describe('The demonstration office', () => {
  it('has documents of every family in every folder, which the shared model reads without a problem', async () => {
    const office = practice({ data: 'demo' })
    const counts: Record<string, number> = {}
    const families = new Set<string>()
    for (const folder of ['InBox', 'Progress', 'Signed']) {
      const decoded = decodeList(
        DocumentResponse,
        await answered(await office.get(`/Document/GetActiveDocuments/${folder}?DocumentLog=True`))
      )
      if (!decoded.ok) throw new Error(decoded.problem.message)
      expect(decoded.value.problems).toEqual([])
      counts[folder] = decoded.value.items.length
      for (const document of decoded.value.items) {
        families.add(readDocumentStatus(document.Status).family)
        expect(document.Folder).toBe(folder)
        expect(readServiceDate(document.DueDate)).toBeDefined()
        expect(document.Logs?.every((entry) => Date.parse(entry.Date ?? '') <= office.now())).toBe(true)
        expect(document.Signers?.every((signer) => /@(office\.)?example\.com$/.test(signer.Email ?? ''))).toBe(true)
      }
    }
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(25)
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(5)
    expect([...families].sort()).toEqual(['complete', 'declined', 'expired', 'in-progress', 'not-started'])
  })

  it('has something of everything to try: counters, orders, identities, uploads, matters, a doubtful signature', async () => {
    const office = practice({ data: 'demo' })
    const documents = await office.documents()
    const some = (test: (document: DocumentResponse) => boolean | undefined) =>
      documents.filter((one) => test(one)).length
    const DAY = 24 * 60 * 60 * 1000
    expect(
      some(
        (one) =>
          one.Status === 'NotStart' && one.Signers?.some((signer) => signer.SigningKey && signer.IsFaceToFaceSigning)
      )
    ).toBeGreaterThan(1)
    expect(some((one) => one.Signers?.some((signer) => signer.SignedStatus === 'Initialized'))).toBeGreaterThan(0)
    expect(some((one) => one.Signers?.some((signer) => signer.VideoConfirmationDetail))).toBeGreaterThan(0)
    expect(some((one) => one.HasFileUploaded)).toBe(1)
    expect(some((one) => one.MatterNumber !== undefined)).toBeGreaterThan(10)
    expect(some((one) => one.Status === 'NotStart' && Date.parse(one.DueDate ?? '') - office.now() < DAY)).toBe(1)
    expect(some((one) => one.Signers?.some((signer) => signer.SignedStatus === 'Reminder1'))).toBeGreaterThan(0)
    const checked = documents.filter((one) => one.Status === 'Complete' && one.IDVerificationRequested)
    expect(checked.length).toBeGreaterThan(2)
    for (const { Reference } of checked)
      expect((await office.get(`/Download/IDVerification/${Reference}/json`)).status).toBe(200)
    const validations = await Promise.all(
      documents.map(async (one) =>
        answered<{ Signatures: { isValid: boolean }[] }>(await office.get(`/Document/Validation/${one.Reference}`))
      )
    )
    expect(validations.filter((one) => one.Signatures.some((signature) => !signature.isValid))).toHaveLength(1)
  })

  it('is plain data: unchanged after being written and read again', () => {
    const { state } = practice({ data: 'demo' })
    expect(readState(JSON.stringify(state))).toEqual(state)
  })
})

describe('An office of any number of documents', () => {
  it('has exactly that many, all different', async () => {
    const office = practice({ data: 2000 })
    const documents = await office.documents()
    expect(documents).toHaveLength(2000)
    expect(new Set(documents.map((one) => one.Reference)).size).toBe(2000)
    expect(new Set(documents.map((one) => readDocumentStatus(one.Status).family)).size).toBe(5)
    expect(
      new Set(Object.values(office.state.documents).flatMap((one) => one.signers.map((signer) => signer.key))).size
    ).toBeGreaterThan(2000)
  })

  it('can be empty', async () => {
    expect(await practice({ data: 'empty' }).documents()).toEqual([])
    expect(await practice({ data: 0 }).documents()).toEqual([])
  })
})
