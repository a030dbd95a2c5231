/** Every action, from a screen's request to the practice service's record and back, over real HTTP. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { outgoingOf } from '../../../src/main/core/actions/outgoing.ts'
import { asAppError } from '../../../src/main/core/errors/app-error.ts'
import type { SignerResponse, UpdateSignerRequest } from '../../../src/shared/model/index.ts'
import { correction, extension, type Office, openOffice, person } from './office.ts'

let office: Office
beforeEach(async () => {
  office = await openOffice()
})
afterEach(() => office.close())

const failing = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('This should have been refused.'),
    (error: unknown) => asAppError(error)
  )

describe('correcting a signer (operation 6)', () => {
  test('sends the whole signer by its reference and withdraws the old link', async () => {
    const signers = [person('Aroha', { MobileNumber: '0211234567', MobileCountry: '64' }), person('Wiremu')]
    const [document] = await office.send(1, signers)
    const reference = document?.Reference ?? ''
    const oldKey = document?.Signers?.[0]?.SigningKey
    const action = await office.start(reference, correction(document, { MobileNumber: '0217654321' }))
    expect(action).toMatchObject({ state: 'done', reference, documentName: document?.Name })
    expect(office.taken('UpdateSigner').map(({ body }) => body)).toEqual([
      {
        DocumentReference: reference,
        Signers: [
          {
            SignerReference: document?.Signers?.[0]?.SignerReference,
            FirstName: 'Ārohanui',
            LastName: 'Parata',
            Email: 'arohanui@example.com',
            MobileNumber: '0217654321',
            MobileCountry: '64',
            IsFaceToFaceSigning: false,
            VideoConfirmationEnabled: false,
            VideoConfirmationDeepfakeEnabled: false,
            ReviewBeforeSigningEnabled: false
          }
        ]
      }
    ])
    const after = await office.document(reference)
    expect(after.Signers?.[0]).toMatchObject({ FirstName: 'Ārohanui', Email: 'arohanui@example.com' })
    expect(after.Signers?.[0]?.SigningKey).not.toBe(oldKey)
    expect(office.parts.notified.soon).toBe(1)
    // The screens are notified immediately, as the next read of the folders finds nothing new.
    expect(office.parts.notified.taken).toEqual([office.accountId])
  })

  test('refuses what the service would refuse, and stores nothing', async () => {
    const [document] = await office.send()
    const reference = document?.Reference ?? ''
    for (const [wrong, code] of [
      [correction(undefined, { index: 7 }), 'gone'],
      [correction(document, { Email: 'aroha at example.com' }), 'invalid']
    ] as const) {
      expect((await failing(office.start(reference, wrong))).code).toBe(code)
    }
    const record = office.practice.state.documents[reference]
    if (record?.signers[0]) Object.assign(record.signers[0], { status: 'Signed', signedAt: 1 })
    await office.parts.mirror.refresh(office.accountId)
    expect(await failing(office.start(reference, correction(document)))).toMatchObject({ code: 'conflict' })
    expect(office.actions.list(office.accountId)).toEqual([])
    expect(office.taken('UpdateSigner')).toEqual([])
  })

  test('two signers may have one e-mail address', async () => {
    const [document] = await office.send()
    const action = await office.start(document?.Reference ?? '', correction(document, { Email: 'wiremu@example.com' }))
    expect(action.state).toBe('done')
  })
})

describe('correcting several signers together', () => {
  const hana = { FirstName: 'Hana', LastName: 'Parata', Email: 'hana@example.com', IsDefault: true }
  const nameless = { FirstName: 'Tama', LastName: '', Email: 'tama@example.com' }

  async function withCorrectedSecond(more: object) {
    const [document] = await office.send(1, [person('Aroha'), person('Wiremu', { ShareUsers: [hana] })])
    const { SignerReference = '', FirstName = '', LastName = '', Email = '' } = document?.Signers?.[1] ?? {}
    const shown = { FirstName, LastName, Email }
    const second = { index: 1, was: { SignerReference, ...shown }, ...shown, ...more }
    const { signers } = correction(document)
    return {
      reference: document?.Reference ?? '',
      request: { kind: 'correct' as const, signers: [...signers, second] }
    }
  }

  test('sends one request, with each signer’s changes and the people shared with', async () => {
    const ShareUsers = [{ ...hana, IsDefault: false }, person('Tama')]
    const { reference, request } = await withCorrectedSecond({ ShareUsers })
    expect(await office.start(reference, request)).toMatchObject({ state: 'done', request })
    expect(office.taken('UpdateSigner').map(({ body }) => body)).toMatchObject([
      { Signers: [{ FirstName: 'Ārohanui' }, { FirstName: 'Wiremu', Email: 'wiremu@example.com', ShareUsers }] }
    ])
    const after = await office.document(reference)
    expect(after.Signers).toMatchObject([{ FirstName: 'Ārohanui' }, { FirstName: 'Wiremu', ShareUsers }])
  })

  test('can remove everyone a document is shared with', async () => {
    const { reference, request } = await withCorrectedSecond({ ShareUsers: [] })
    await office.start(reference, request)
    expect((await office.document(reference)).Signers?.[1]?.ShareUsers ?? []).toEqual([])
  })

  test('refuses them together, and the folders are then read', async () => {
    const { reference, request } = await withCorrectedSecond({})
    office.line.setFault({ status: 409 }, (method) => method === 'POST')
    expect((await office.start(reference, request)).state).toBe('refused')
    expect(office.parts.notified.soon).toBe(1)
  })

  test('finds them after a lost answer, even from changes to the people shared with', async () => {
    const { reference, request } = await withCorrectedSecond({
      ShareUsers: [{ ...hana, IsDefault: false, IsOwner: true }]
    })
    office.line.setFault('lose-answer', (method) => method === 'POST')
    const { id } = await office.start(reference, request)
    await office.until(id, 'done')
  })

  test('is left to a person if only one of them was corrected', async () => {
    const { reference, request } = await withCorrectedSecond({
      ShareUsers: [{ ...hana, IsDefault: false, IsOwner: true }]
    })
    office.line.setFault('cut', (method) => method === 'POST')
    const { id } = await office.start(reference, request)
    const [first] = request.signers
    const { was, index: _, ...Signer } = first ?? expect.fail()
    const Signers = [{ ...Signer, SignerReference: was.SignerReference }]
    await office.direct('/Document/UpdateSigner', { DocumentReference: reference, Signers })
    await office.actions.check(id)
    expect(office.actions.get(id)).toMatchObject({
      state: 'uncertain',
      error: { message: expect.stringContaining('only part was done') }
    })
  })

  test('is never sent with an unnamed person to share with', async () => {
    const { reference } = await withCorrectedSecond({})
    const document = await office.document(reference)
    const [first, second] = document.Signers ?? []
    const shared = { ...document, Signers: [{ ...first, ShareUsers: [nameless] }, second ?? {}] }
    expect(refusal(() => outgoingOf(correction(shared), { document: shared, others: [] }, Date.now()))).toMatchObject({
      next: expect.stringContaining('in the correction')
    })
  })
})

describe('the signer being corrected', () => {
  const sent = () => office.taken('UpdateSigner').map(({ body }) => (body as UpdateSignerRequest).Signers)

  test('is the one shown on the screen, even if their position changed', async () => {
    const [document] = await office.send()
    const reference = document?.Reference ?? ''
    office.parts.mirror.turnSigners(reference)
    expect((await office.start(reference, correction(document))).state).toBe('done')
    expect(sent()).toMatchObject([[{ SignerReference: document?.Signers?.[0]?.SignerReference }]])
  })

  test('is the same when the correction was cancelled and is retried', async () => {
    const [document] = await office.send()
    const reference = document?.Reference ?? ''
    await office.cutLine()
    const { id } = await office.start(reference, correction(document))
    office.actions.cancel(id)
    await office.line.comeBack()
    office.parts.mirror.turnSigners(reference)
    expect((await office.actions.retry(id)).state).toBe('done')
    expect(sent()).toMatchObject([[{ SignerReference: document?.Signers?.[0]?.SignerReference }]])
  })

  test('is refused with a message if there are no references and another is at that position', () => {
    const document = { Reference: 'd', Signers: [{ ...person('Wiremu'), Editable: true }] }
    const request = correction({ Reference: 'd', Signers: [person('Aroha')] })
    const make = (Signers: SignerResponse[]) =>
      outgoingOf(request, { document: { ...document, Signers }, others: [] }, Date.now()).body
    expect(refusal(() => make(document.Signers))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Aroha Parata')
    })
    expect(make([{ ...person('Aroha'), Editable: true }])).toMatchObject({ Signers: [{ FirstName: 'Ārohanui' }] })
  })

  test('can’t be given twice', () => {
    const [document] = [{ Reference: 'd', Signers: [{ ...person(), SignerReference: 's', Editable: true }] }]
    const { signers } = correction(document)
    const twice = { kind: 'correct' as const, signers: [...signers, ...signers.map((one) => ({ ...one, index: 1 }))] }
    expect(refusal(() => outgoingOf(twice, { document, others: [] }, Date.now())).code).toBe('invalid')
  })

  test('never loses someone shared with because their name is missing', () => {
    const ShareUsers = [person('Hana'), { FirstName: 'Tama', Email: 'tama@example.com' }]
    const document = { Reference: 'd', Signers: [{ ...person(), SignerReference: 's', Editable: true, ShareUsers }] }
    const make = (more: object = {}) =>
      outgoingOf(correction(document, more), { document, others: [] }, Date.now()).body
    expect(refusal(make)).toMatchObject({ code: 'conflict', message: expect.stringContaining('shared with') })
    // If the person says whom to share with, nobody is dropped without being asked.
    expect(make({ ShareUsers: [person('Hana')] })).toMatchObject({ Signers: [{ ShareUsers: [{ FirstName: 'Hana' }] }] })
  })
})

function refusal(work: () => unknown) {
  try {
    work()
  } catch (error) {
    return asAppError(error)
  }
  return expect.fail('This should have been refused.')
}

describe('a new due date (operation 7)', () => {
  test('is sent as ISO 8601 with its offset, and GMT in minutes, for every document of the package', async () => {
    const documents = await office.send(2)
    const [first] = documents
    const request = extension(30, 720)
    expect(await office.start(first?.Reference ?? '', request)).toMatchObject({ state: 'done' })
    const [taken] = office.taken('Extend')
    expect(taken?.body).toMatchObject({ DocumentReference: first?.Reference, GMT: '720' })
    const { DueDate = '' } = (taken?.body ?? {}) as { DueDate?: string }
    expect(DueDate).toMatch(/\+12:00$/)
    expect(Date.parse(DueDate)).toBe(Date.parse(request.dueDate))
    await office.parts.mirror.refresh(office.accountId)
    for (const { Reference } of documents) {
      expect(Date.parse((await office.document(Reference)).DueDate ?? '')).toBe(Date.parse(request.dueDate))
    }
  })

  test('has GMT "0" in UTC', async () => {
    const [document] = await office.send()
    await office.start(document?.Reference ?? '', extension(30, 0))
    expect(office.taken('Extend')[0]?.body).toMatchObject({ GMT: '0', DueDate: expect.stringMatching(/Z$/) })
  })

  test('is refused if it has passed or is invalid', async () => {
    const [document] = await office.send()
    for (const dueDate of ['2020-01-01T00:00:00Z', 'next week']) {
      const wrong = { kind: 'extend' as const, dueDate, gmt: 0 }
      expect(await failing(office.start(document?.Reference ?? '', wrong))).toMatchObject({ code: 'invalid' })
    }
    expect(office.taken('Extend')).toEqual([])
  })

  test('is refused with a five-digit year, even if only its offset causes it', async () => {
    const [document] = await office.send()
    const late = { kind: 'extend' as const, dueDate: '9999-12-31T23:00:00Z', gmt: 720 }
    expect(await failing(office.start(document?.Reference ?? '', late))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('9999')
    })
    expect((await office.start(document?.Reference ?? '', { ...late, gmt: 0 })).state).toBe('done')
  })

  test('is compared with the wall clock, even after that was corrected', async () => {
    const [document] = await office.send()
    office.ahead.by = 3650 * 86_400_000
    const { state, settledAt = 0 } = await office.start(document?.Reference ?? '', extension())
    expect(state).toBe('done')
    expect(Math.abs(settledAt - office.time.now)).toBeLessThan(86_400_000)
    // What is known of documents is ordered by the clock that never goes back.
    expect(office.parts.mirror.takenAt[0]).toBeGreaterThan(office.time.now + 3000 * 86_400_000)
  })
})

describe('a notary’s queue (operation 12)', () => {
  test('receives the document with its package, and its answer is stored', async () => {
    const [document] = await office.send()
    const reference = document?.Reference ?? ''
    const action = await office.start(reference, { kind: 'notary', notaryReference: 'notary-1', send: true })
    expect(action).toMatchObject({
      state: 'done',
      notary: { PackageReference: document?.PackageReference, DocumentIDs: [reference] }
    })
    expect(office.taken('AssignQueueDocument').map(({ body }) => body)).toEqual([
      {
        PackageReference: document?.PackageReference,
        DocumentReference: reference,
        NotaryReference: 'notary-1',
        Send: true
      }
    ])
  })
})

describe('a reminder', () => {
  const reminder = (signerReference = '') => ({ kind: 'remind' as const, signerReference, signerName: 'Aroha Parata' })

  test('is sent to one signer, and shows that the account supports reminders', async () => {
    const [document] = await office.send()
    const signerReference = document?.Signers?.[0]?.SignerReference ?? ''
    const action = await office.start(document?.Reference ?? '', reminder(signerReference))
    expect(action.state).toBe('done')
    expect(office.taken('SendReminder')[0]?.body).toEqual({
      DocumentReference: document?.Reference,
      SignerReference: signerReference
    })
    expect(office.parts.rights.of(office.accountId).reminders).toBe('yes')
  })

  test('unknown to the service is refused with a message, and that is remembered', async () => {
    const [document] = await office.send()
    office.line.setFault({ status: 404 }, (method) => method === 'POST')
    const signerReference = document?.Signers?.[0]?.SignerReference ?? ''
    const action = await office.start(document?.Reference ?? '', reminder(signerReference))
    expect(action).toMatchObject({ state: 'refused', error: { code: 'not-found' } })
    await expect.poll(() => office.parts.rights.of(office.accountId).reminders).toBe('no')
    expect(await failing(office.start(document?.Reference ?? '', reminder(signerReference)))).toMatchObject({
      code: 'not-found'
    })
  })

  test('for a deleted document says nothing about whether reminders are supported', async () => {
    const [document] = await office.send()
    const reference = document?.Reference ?? ''
    delete office.practice.state.documents[reference]
    const signerReference = document?.Signers?.[0]?.SignerReference ?? ''
    expect((await office.start(reference, reminder(signerReference))).state).toBe('refused')
    await office.parts.mirror.refresh(office.accountId)
    expect(office.parts.rights.of(office.accountId).reminders).toBe('unknown')
  })
})
