/** The reference's operations (section 4) and three additional ones that clients may find, as routes. */
import type { Hono } from 'hono'
import type { EmployerSet, UpdateEmployersRequest } from '../shared/model/index.ts'
import { answer, answerList, invalidField, parameter, Refusal } from './conventions.ts'
import { answerContextOf, type Call, dialectsOf, type Env, type PracticeDeps } from './deps.ts'
import { atTop, type DialectContext, dateFormatIn, toDialect } from './dialects.ts'
import {
  assignToNotary,
  documentsIn,
  extendDocument,
  findDocument,
  updateSigners,
  validationResponse
} from './documents.ts'
import { identityRecords, identityReport } from './identity/verification.ts'
import { documentsOf, remind } from './life.ts'
import { type Reader, readBody } from './reading.ts'
import * as requests from './requests.ts'
import { documentResponse, packageResponse, signerResponse, templateResponse } from './responses.ts'
import { documentsLeftIn, type SendContext, sendForms, sendTemplates } from './sends.ts'
import type { PackageRecord, PracticeState } from './state.ts'

/** Registers the operations. @param record is called with each readable request before it is carried out */
export function addOperations(
  app: Hono<Env>,
  deps: PracticeDeps,
  record: (operation: string, body: unknown) => void
): void {
  const { state } = deps
  const sendContext = (): SendContext => ({ state, now: deps.clock.now(), random: deps.random })
  const readRequest = async <Value>(call: Call, operation: string, reader: Reader<Value>) => {
    const read = await readBody(call.req.raw, reader)
    record(operation, read)
    return read
  }
  const recordSent = async (bundle: PackageRecord) => {
    const documents = documentsOf(state, bundle)
    for (const document of documents) deps.notifier.notify(document, ['Sent'])
    deps.stateChanged()
    await deps.packageSent({ package: bundle, documents })
    return bundle
  }
  const packageAnswer = (call: Call, bundle: PackageRecord) =>
    packageResponse(bundle, state, answerContextOf(call, state))
  /** One public client expects the signing keys at the top, next to the documents. */
  const signersAtTop = (call: Call, bundle: PackageRecord) =>
    atTop(
      documentsOf(state, bundle).flatMap((document) =>
        document.signers.map((signer) => signerResponse(document, signer, answerContextOf(call, state)))
      )
    )
  const sentAnswer = (call: Call, bundle: PackageRecord) => ({
    ...packageAnswer(call, bundle),
    ...(dialectsOf(state).has('wrapped') && { Signers: signersAtTop(call, bundle) })
  })
  /** @param sent what a send is answered with. */
  const respond = (call: Call, value: unknown, sent?: DialectContext['sent']) =>
    answer(inDialects(value, sent), call.get('format'), call.get('title'))
  const inDialects = (value: unknown, sent?: DialectContext['sent']) =>
    toDialect(value, { dialects: dialectsOf(state), gmt: state.account.gmt, ...(sent && { sent }) })
  const documentAnswer = (call: Call, reference: string) => {
    deps.stateChanged()
    return respond(call, documentResponse(findDocument(state, reference), answerContextOf(call, state), 'without log'))
  }

  app.post('/formdirect/sendforms2', async (call) => {
    const request = await readRequest(call, 'SendForms2', requests.sendFormDirect)
    return respond(call, sentAnswer(call, await recordSent(sendForms(request, sendContext()))), 'package')
  })
  app.post('/formdirect/sendforms', async (call) => {
    const request = await readRequest(call, 'SendForms', requests.sendFormDirect)
    return respond(
      call,
      packageAnswer(call, await recordSent(sendForms(request, sendContext()))).Documents,
      'documents'
    )
  })
  app.post('/formfiller/send', async (call) => {
    const request = await readRequest(call, 'Send', requests.sendFormFiller)
    const bundle = await recordSent(sendTemplates(request, sendContext()))
    return respond(call, { ...sentAnswer(call, bundle), Signers: signersAtTop(call, bundle) }, 'package')
  })
  app.post('/formdirect/updateemployers', async (call) => {
    const set = updateEmployers(state, await readRequest(call, 'UpdateEmployers', requests.updateEmployers))
    deps.stateChanged()
    return respond(call, set)
  })
  app.get('/formdirect/employers', (call) => respond(call, state.employers))
  app.get('/formfiller/gettemplatelist', (call) => respond(call, state.templates.map(templateResponse)))

  app.post('/document/updatesigner', async (call) => {
    const request = await readRequest(call, 'UpdateSigner', requests.updateSigner)
    const document = updateSigners(state, request, deps.clock.now(), deps.random)
    deps.notifier.notify(document, ['SignerUpdated'])
    return documentAnswer(call, document.reference)
  })
  app.post('/document/extend', async (call) => {
    const request = await readRequest(call, 'Extend', requests.extend)
    const document = extendDocument(state, request, deps.clock.now())
    for (const each of documentsOf(state, state.packages[document.packageReference])) {
      deps.notifier.notify(each, ['Extended'])
    }
    return documentAnswer(call, document.reference)
  })
  app.post('/document/sendreminder', async (call) => {
    const request = await readRequest(call, 'SendReminder', requests.sendReminder)
    const document = findDocument(state, request.DocumentReference)
    const awaited = document.signers.filter((signer) => signer.signedAt === undefined)
    const signer = request.SignerReference
      ? document.signers.find((one) => one.SignerReference === request.SignerReference)
      : awaited[0]
    if (!signer) throw new Refusal(404, 'SignerNotFound', 'The document has no such signer.')
    remind(document, signer, state.account.user, deps.clock.now())
    return documentAnswer(call, document.reference)
  })
  app.get('/document/getactivedocuments/:folder', (call) => {
    const documents = documentsIn(state, call.req.param('folder'))
    const log = parameter(new URL(call.req.url), 'documentlog')?.toLowerCase() ?? ''
    const withLog = ['true', '1', 'yes'].includes(log) ? 'with log' : 'without log'
    const context = answerContextOf(call, state)
    return answerList(
      documents,
      (document) => inDialects(documentResponse(document, context, withLog)),
      call.get('format'),
      call.get('title')
    )
  })
  app.get('/document/validation/:reference', (call) =>
    respond(call, validationResponse(findDocument(state, call.req.param('reference')), answerContextOf(call, state)))
  )

  app.get('/download/idverification/:reference/:type', async (call) => {
    const document = findDocument(state, call.req.param('reference'))
    const type = call.req.param('type').toLowerCase()
    if (type === 'json') return respond(call, await identityRecords(document))
    if (type !== 'pdf') {
      throw invalidField('IDVerificationDataType', 'UnknownType', `'IDVerificationDataType' must be pdf or json.`)
    }
    const bytes = await identityReport(document, state.account)
    const headers = {
      'Content-Type': 'application/pdf',
      'Content-Disposition': 'attachment; filename="id-verification.pdf"',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff'
    }
    return new Response(bytes, { headers })
  })

  app.on('GET', ['/recipient/getrecipients', '/recipient/recipients'], (call) => respond(call, state.recipients))
  app.post('/notary/assignqueuedocument', async (call) => {
    const request = await readRequest(call, 'AssignQueueDocument', requests.assignQueueDocument)
    const assigned = assignToNotary(state, request, deps.clock.now())
    deps.stateChanged()
    return respond(call, assigned)
  })
  app.get('/account/info', (call) =>
    respond(call, {
      Name: state.account.name,
      Email: state.account.user.Email,
      DefaultDueDate: state.account.defaultDueDays,
      MaxDueDate: state.account.maxDueDays,
      DateFormat: dateFormatIn(dialectsOf(state), state.account),
      MaxUploadSize: 20 * 1024 * 1024,
      EnabledFaceToFaceSigning: true,
      EnabledVideoConfirmation: true,
      IsAdmin: true,
      DocumentLeft: documentsLeftIn(state) ?? undefined
    })
  )
}

type StoredEmployer = { Reference?: string | undefined; IsDefault?: boolean | undefined }

/**
 * Operation 3 (reference sections 2.18 and 2.19): adds new records and replaces those with a known Reference. A list
 * has at most one default: the last one set. Returns the whole set, including MOJ and StandardMOJ.
 */
function updateEmployers(state: PracticeState, sent: UpdateEmployersRequest): EmployerSet {
  for (const kind of ['SuperFund', 'TFN', 'AccClaimsHistory'] as const) {
    let kept = (state.employers[kind] ?? []) as StoredEmployer[]
    for (const record of (sent[kind] ?? []) as StoredEmployer[]) kept = withRecord(kept, record)
    state.employers[kind] = kept as never
  }
  return state.employers
}

function withRecord(kept: StoredEmployer[], record: StoredEmployer): StoredEmployer[] {
  const others = record.IsDefault ? kept.map((one) => ({ ...one, IsDefault: false })) : kept
  const place = others.findIndex((one) => one.Reference === record.Reference)
  return place < 0 ? [...others, record] : others.with(place, record)
}
