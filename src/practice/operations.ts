/** The reference's operations (section 4) and three additional ones that clients may find, as routes. */
import type { Hono } from 'hono'
import type { EmployerSet, UpdateEmployersRequest } from '../shared/model/index.ts'
import { answer, answerList, invalidField, parameter, Refusal } from './conventions.ts'
import { answering, type Call, dialectsOf, type Env, type PracticeDeps } from './deps.ts'
import { atTop, dateFormatIn, type Spoken, spoken } from './dialects.ts'
import { assignToNotary, documentsIn, extendDocument, findDocument, updateSigners, validation } from './documents.ts'
import { identityRecords, identityReport } from './identity/verification.ts'
import { documentsOf, remind } from './life.ts'
import { type Reader, readBody } from './reading.ts'
import * as requests from './requests.ts'
import { documentResponse, packageResponse, signerResponse, templateResponse } from './responses.ts'
import { documentsLeftIn, type Sending, sendForms, sendTemplates } from './sends.ts'
import type { PackageRecord, PracticeState } from './state.ts'

/** Registers the operations. @param record is called with each readable request before it is carried out */
export function addOperations(
  app: Hono<Env>,
  deps: PracticeDeps,
  record: (operation: string, body: unknown) => void
): void {
  const { state } = deps
  const sending = (): Sending => ({ state, now: deps.clock.now(), random: deps.random })
  const body = async <Value>(call: Call, operation: string, reader: Reader<Value>) => {
    const read = await readBody(call.req.raw, reader)
    record(operation, read)
    return read
  }
  const sent = async (bundle: PackageRecord) => {
    const documents = documentsOf(state, bundle)
    for (const document of documents) deps.notifier.tell(document, ['Sent'])
    deps.changed()
    await deps.added({ package: bundle, documents })
    return bundle
  }
  const packageAnswer = (call: Call, bundle: PackageRecord) => packageResponse(bundle, state, answering(call, state))
  /** One public client expects the signing keys at the top, next to the documents. */
  const signersAtTop = (call: Call, bundle: PackageRecord) =>
    atTop(
      documentsOf(state, bundle).flatMap((document) =>
        document.signers.map((signer) => signerResponse(document, signer, answering(call, state)))
      )
    )
  const sentAnswer = (call: Call, bundle: PackageRecord) => ({
    ...packageAnswer(call, bundle),
    ...(dialectsOf(state).has('wrapped') && { Signers: signersAtTop(call, bundle) })
  })
  /** @param sent what a send is answered with. */
  const respond = (call: Call, value: unknown, sent?: Spoken['sent']) =>
    answer(inDialects(value, sent), call.get('format'), call.get('title'))
  const inDialects = (value: unknown, sent?: Spoken['sent']) =>
    spoken(value, { dialects: dialectsOf(state), gmt: state.account.gmt, ...(sent && { sent }) })
  const documentAnswer = (call: Call, reference: string) => {
    deps.changed()
    return respond(call, documentResponse(findDocument(state, reference), answering(call, state), 'without log'))
  }

  app.post('/formdirect/sendforms2', async (call) => {
    const request = await body(call, 'SendForms2', requests.sendFormDirect)
    return respond(call, sentAnswer(call, await sent(sendForms(request, sending()))), 'package')
  })
  app.post('/formdirect/sendforms', async (call) => {
    const request = await body(call, 'SendForms', requests.sendFormDirect)
    return respond(call, packageAnswer(call, await sent(sendForms(request, sending()))).Documents, 'documents')
  })
  app.post('/formfiller/send', async (call) => {
    const request = await body(call, 'Send', requests.sendFormFiller)
    const bundle = await sent(sendTemplates(request, sending()))
    return respond(call, { ...sentAnswer(call, bundle), Signers: signersAtTop(call, bundle) }, 'package')
  })
  app.post('/formdirect/updateemployers', async (call) => {
    const set = updateEmployers(state, await body(call, 'UpdateEmployers', requests.updateEmployers))
    deps.changed()
    return respond(call, set)
  })
  app.get('/formdirect/employers', (call) => respond(call, state.employers))
  app.get('/formfiller/gettemplatelist', (call) => respond(call, state.templates.map(templateResponse)))

  app.post('/document/updatesigner', async (call) => {
    const request = await body(call, 'UpdateSigner', requests.updateSigner)
    const document = updateSigners(state, request, deps.clock.now(), deps.random)
    deps.notifier.tell(document, ['SignerUpdated'])
    return documentAnswer(call, document.reference)
  })
  app.post('/document/extend', async (call) => {
    const request = await body(call, 'Extend', requests.extend)
    const document = extendDocument(state, request, deps.clock.now())
    for (const each of documentsOf(state, state.packages[document.packageReference])) {
      deps.notifier.tell(each, ['Extended'])
    }
    return documentAnswer(call, document.reference)
  })
  app.post('/document/sendreminder', async (call) => {
    const request = await body(call, 'SendReminder', requests.sendReminder)
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
    const asked = parameter(new URL(call.req.url), 'documentlog')?.toLowerCase() ?? ''
    const withLog = ['true', '1', 'yes'].includes(asked) ? 'with log' : 'without log'
    const where = answering(call, state)
    return answerList(
      documents,
      (document) => inDialects(documentResponse(document, where, withLog)),
      call.get('format'),
      call.get('title')
    )
  })
  app.get('/document/validation/:reference', (call) =>
    respond(call, validation(findDocument(state, call.req.param('reference')), answering(call, state)))
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
    const request = await body(call, 'AssignQueueDocument', requests.assignQueueDocument)
    const assigned = assignToNotary(state, request, deps.clock.now())
    deps.changed()
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

type KeptRecord = { Reference?: string | undefined; IsDefault?: boolean | undefined }

/**
 * Operation 3 (reference sections 2.18 and 2.19): adds new records and replaces those with a known Reference. A list
 * has at most one default: the last one set. Returns the whole set, including MOJ and StandardMOJ.
 */
function updateEmployers(state: PracticeState, sent: UpdateEmployersRequest): EmployerSet {
  for (const kind of ['SuperFund', 'TFN', 'AccClaimsHistory'] as const) {
    let kept = (state.employers[kind] ?? []) as KeptRecord[]
    for (const record of (sent[kind] ?? []) as KeptRecord[]) kept = withRecord(kept, record)
    state.employers[kind] = kept as never
  }
  return state.employers
}

function withRecord(kept: KeptRecord[], record: KeptRecord): KeptRecord[] {
  const others = record.IsDefault ? kept.map((one) => ({ ...one, IsDefault: false })) : kept
  const place = others.findIndex((one) => one.Reference === record.Reference)
  return place < 0 ? [...others, record] : others.with(place, record)
}
