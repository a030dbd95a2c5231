/** Verifying documents of a practice service (operation 10), in each dialect that services may use. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import { DIALECTS } from '../../../src/practice/dialects.ts'
import { type Office, openOffice } from '../actions/office.ts'
import { verificationsOf } from './practice-office.ts'

let office: Office
beforeEach(async () => {
  office = await openOffice()
})
afterEach(() => office.close())

/** Returns a document that both have signed. */
async function signed(): Promise<string> {
  const [document] = await office.send()
  const reference = document?.Reference ?? ''
  const record = office.practice.state.documents[reference]
  for (const signer of record?.signers ?? []) signer.signedAt = Date.parse('2026-11-20T01:02:03Z')
  return reference
}

describe('verifying signatures (operation 10)', () => {
  test('returns each signature without the document’s address, and can be saved', async () => {
    const reference = await signed()
    const verifications = verificationsOf(office)
    expect(() => verifications.file(office.accountId, reference)).toThrow()
    const view = await verifications.verify(office.accountId, reference)
    expect(view).toMatchObject({ at: 1_000, Signatures: [{ isValid: true }, { isValid: true }] })
    expect(view).not.toHaveProperty('DocumentURL')
    const { name, bytes } = verifications.file(office.accountId, reference)
    expect(name).toMatch(/ - signatures$/)
    const written = JSON.parse(new TextDecoder().decode(bytes))
    expect(written).toMatchObject({
      Document: { Reference: reference },
      CheckedAt: '1970-01-01T00:00:01.000Z',
      AskedBy: 'person',
      SHA256: expect.stringMatching(/^[\da-f]{64}$/),
      AllValid: true,
      Signatures: [{ Signer: { FirstName: 'Aroha' } }, { Signer: { FirstName: 'Wiremu' } }]
    })
    expect(JSON.stringify(written)).not.toContain('/signed/')
  })

  test.each([
    ['all are valid', [true, true], true],
    ['one isn’t valid', [true, false, undefined], false],
    ['one has no result', [true, undefined], undefined],
    ['there are none', [], undefined]
  ])('the file reports just what is known if %s, whatever else the service adds', async (_what, valid, expected) => {
    const answer = { Signatures: valid.map((isValid) => ({ ...(isValid !== undefined && { isValid }) })) }
    const added = { AllValid: true, CheckedAt: 'never', SHA256: 'none' }
    const client = { validateSignatures: async () => ({ ...answer, ...(expected !== true && added) }) }
    const verifications = verificationsOf(office, { clientOf: async () => client })
    await verifications.verify(office.accountId, 'd-1')
    const written = JSON.parse(new TextDecoder().decode(verifications.file(office.accountId, 'd-1').bytes))
    expect(written.CheckedAt).toBe('1970-01-01T00:00:01.000Z')
    expect(written.SHA256).toHaveLength(64)
    // If it isn't known, the service's own word is kept as it came.
    expect(written.AllValid).toBe(expected ?? 'true')
  })

  test('reports a removed document as not found', async () => {
    const removed = verificationsOf(office).verify(office.accountId, 'removed')
    await expect(removed.catch((error: unknown) => Promise.reject(asAppError(error)))).rejects.toMatchObject({
      code: 'not-found'
    })
  })

  test.each(DIALECTS)('stores the answer of the dialect %s, and interprets it in the same way', async (dialect) => {
    const reference = await signed()
    office.practice.setConditions({ dialects: [dialect] })
    const view = await verificationsOf(office).verify(office.accountId, reference)
    expect(view.found).toEqual({ signatures: 2, valid: 2, notValid: 0 })
    expect((await verificationsOf(office).ofDocument(office.accountId, reference)).last).toEqual(view)
    expect(view).not.toHaveProperty('isAltered')
  })
})
