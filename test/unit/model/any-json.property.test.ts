/** For any JSON, decoding returns a value or a problem with its place, and never throws. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import * as model from '../../../src/shared/model/index.ts'

const { decode, decodeList } = model

const schemas = Object.entries({
  AccountInfo: model.AccountInfo,
  AssignQueueDocumentResponse: model.AssignQueueDocumentResponse,
  CompletionRecipient: model.CompletionRecipient,
  DocumentLog: model.DocumentLog,
  DocumentResponse: model.DocumentResponse,
  EmployerSet: model.EmployerSet,
  ErrorResponse: model.ErrorResponse,
  IDVerificationRecord: model.IDVerificationRecord,
  ListedField: model.ListedField,
  ListedTemplate: model.ListedTemplate,
  NotificationRecipient: model.NotificationRecipient,
  PackageResponse: model.PackageResponse,
  Recipients: model.Recipients,
  SignerResponse: model.SignerResponse,
  ValidationResult: model.ValidationResult,
  VerifiedSigner: model.VerifiedSigner,
  VerifySignature: model.VerifySignature,
  VideoConfirmationDetail: model.VideoConfirmationDetail,
  SendFormDirectRequest: model.SendFormDirectRequest,
  SendFormFillerRequest: model.SendFormFillerRequest,
  UpdateEmployersRequest: model.UpdateEmployersRequest,
  UpdateSignerRequest: model.UpdateSignerRequest,
  ExtendRequest: model.ExtendRequest,
  AssignQueueDocumentRequest: model.AssignQueueDocumentRequest,
  SendReminderRequest: model.SendReminderRequest
} satisfies Record<string, z.ZodType>)

const goodDocument = {
  Reference: 'd-1',
  Name: 'a.pdf',
  Status: '1 of 2 Signed',
  GMT: '720',
  HasFileUploaded: true,
  Signers: [
    {
      FirstName: 'Mia',
      SignedStatus: 6,
      HasSigned: 'True',
      ShareUsers: [{ Email: 'tom@example.org', IsOwner: false }],
      VideoConfirmationDetail: { IsVideoReady: true }
    }
  ],
  Logs: [{ Action: 'Opened', Date: '/Date(0)/' }]
}
const goodAnswers = [
  goodDocument,
  { PackageReference: 'p-1', Documents: [goodDocument], Signers: goodDocument.Signers },
  { ResponseStatus: { Message: 'no', Errors: [{ FieldName: 'a', Message: 'b' }] } },
  { Signatures: [{ isValid: true, Signer: { FirstName: 'Mia' } }], DocumentName: 'a' },
  { NotificationRecipients: [{ IsReviewer: true }], CompletionRecipients: null },
  { SuperFund: [{ Reference: 'r', Name: 'n', IsDefault: true }], MOJ: [] },
  { Reference: 't', Fields: [{ FieldType: 3, ClientField: true }], Signers: [{ IsFaceToFaceSigning: '1' }] },
  { IsPassed: true, Attentions: [{ Name: 'a', Detail: 'b' }] },
  { DocumentIDs: ['a'], PackageStatus: 'x' }
]

/** Any JSON, from `{}` to nested garbage, including members with the model's own names. */
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  fc.dictionary(
    fc.constantFrom(
      'Reference',
      'signers',
      'Documents',
      'Errors',
      'ResponseStatus',
      '__proto__',
      'constructor',
      'IsDefault'
    ),
    fc.jsonValue()
  ),
  fc.constantFrom(...goodAnswers).chain(mutated)
)

/** A valid answer with random values in up to three places. */
function mutated(good: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(good)
  return fc
    .array(fc.tuple(fc.constantFrom(...places), fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((json, [place, value]) => replaced(json, place, value), good))
}

function placesIn(json: unknown, above: (string | number)[] = []): (string | number)[][] {
  if (json === null || typeof json !== 'object') return [above]
  const steps: (string | number)[] = Array.isArray(json) ? [...json.keys()] : Object.keys(json)
  return [
    above,
    ...steps.flatMap((step) => placesIn((json as Record<string | number, unknown>)[step], [...above, step]))
  ]
}

function replaced(json: unknown, [step, ...rest]: (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  if (json === null || typeof json !== 'object') return json
  const copy = (Array.isArray(json) ? [...json] : { ...json }) as Record<string | number, unknown>
  copy[step] = replaced(copy[step], rest, value)
  return copy
}

describe('arbitrary JSON', () => {
  test.each(schemas)('is read as %s or reported as a problem, and never throws', (_name, schema) => {
    fc.assert(
      fc.property(anyJson, (json) => {
        const read = decode(schema, json)
        if (read.ok) expect(read.value).toBeDefined()
        else expect(read.problem).toEqual({ path: expect.any(String), message: expect.stringMatching(/./) })
      }),
      { numRuns: 300 }
    )
  })

  test.each(schemas)('in a list of %s, has every item either read or reported as a problem', (_name, schema) => {
    fc.assert(
      fc.property(fc.array(anyJson, { maxLength: 6 }), (json) => {
        const read = decodeList(schema, json)
        expect(read.ok).toBe(true)
        if (read.ok) expect(read.value.items.length + read.value.problems.length).toBe(json.length)
      }),
      { numRuns: 100 }
    )
  })

  test('added to a valid answer doesn’t prevent reading it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().map((name) => `x-${name}`),
          fc.jsonValue().filter((value) => value !== null)
        ),
        (extra) => {
          const read = decode(model.DocumentResponse, { ...extra, ...goodDocument })
          expect(read.ok && read.value).toMatchObject(extra)
        }
      )
    )
  })
})

describe('arbitrary text', () => {
  test('is either a date or not, and a date stays the same when written and read again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
        ),
        (spelled) => {
          const read = model.readServiceDate(spelled)
          if (!read) return
          expect(model.readServiceDate(new Date(read.at).toISOString())?.at ?? read.at).toBe(read.at)
        }
      )
    )
  })

  test('every time between 1900 and 2200 survives ISO 8601 and the framework’s own format', () => {
    const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(moment, (date) => {
        expect(model.readServiceDate(date.toISOString())?.at).toBe(date.getTime())
        expect(model.readServiceDate(`/Date(${date.getTime()}+1300)/`)?.at).toBe(date.getTime())
      })
    )
  })
})
