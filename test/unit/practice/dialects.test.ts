import { describe, expect, it } from 'vitest'
import { DIALECTS, type Dialect, REFUSALS, readDialects } from '../../../src/practice/dialects.ts'
import { itemOfTemplate } from '../../../src/renderer/src/screens/compose/edits.ts'
import { blankComposition, toFormFillerRequest } from '../../../src/shared/composition/index.ts'
import {
  DocumentResponse,
  decode,
  decodeList,
  ListedTemplate,
  PackageResponse,
  readServiceDate
} from '../../../src/shared/model/index.ts'
import { answered, practice } from './practice.ts'

const someone = { FirstName: 'Aroha', LastName: 'Ngata', Email: 'aroha@example.com', EnabledFaceToFaceSigning: true }
const form = { Name: 'Consent', FormType: 1, Reference: 'consent', Signers: [someone], EmbedForm: true }
const sendIn = async (...dialects: Dialect[]) => {
  const office = practice()
  office.state.conditions = { dialects }
  const response = await office.post(`/FormDirect/${dialects.includes('v13') ? 'SendForms' : 'SendForms2'}`, {
    Forms: [form],
    DueDate: '2026-07-01T04:00:00Z',
    GMT: '720'
  })
  const answer = (await answered(response)) as Record<string, unknown> & { Documents: Record<string, unknown>[] }
  const documents = Array.isArray(answer) ? (answer as Record<string, unknown>[]) : answer.Documents
  const listed = await answered<Record<string, unknown>[]>(await office.get('/Document/GetActiveDocuments/InBox'))
  return { office, answer, sent: documents[0] ?? {}, listed: listed[0] ?? {} }
}
type Signers = Record<string, unknown>[]

describe('a dialect', () => {
  it('is named in a comma-separated list, and unknown names are rejected', () => {
    expect(readDialects('sparse, day-first')).toEqual(['sparse', 'day-first'])
    expect(readDialects('sparse,french')).toBeUndefined()
  })

  it('sparse leaves out what is optional, and keeps the link of a send', async () => {
    const { answer, sent, listed } = await sendIn('sparse')
    expect(Object.keys(answer)).toEqual(['PackageReference', 'Documents'])
    expect(Object.keys(listed)).toEqual(['Reference', 'Name', 'Signers', 'Status', 'PackageReference'])
    expect(Object.keys((sent.Signers as Signers)[0] ?? {})).toEqual([
      'FirstName',
      'LastName',
      'Email',
      'SignerReference',
      'SignedStatus',
      'SigningKey'
    ])
  })

  it('link-on-send gives the link only in the answer to the send', async () => {
    const { sent, listed } = await sendIn('link-on-send')
    expect((sent.Signers as Signers)[0]).toHaveProperty('SigningKey')
    expect((listed.Signers as Signers)[0]).not.toHaveProperty('SigningKey')
  })

  it('v13 has no SendForms2 and nothing outside the reference, and writes as its framework does', async () => {
    const { office, sent } = await sendIn('v13')
    const absent = [
      await office.post('/FormDirect/SendForms2', { Forms: [form] }),
      await office.get('/Account/Info'),
      await office.get('/Recipient/GetRecipients'),
      await office.post('/Document/SendReminder', {})
    ]
    expect(absent.map(({ status }) => status)).toEqual([405, 405, 405, 405])
    expect((await office.get('/Recipient/Recipients')).status).toBe(200)
    expect(sent.DueDate).toBe(`/Date(${Date.parse('2026-07-01T04:00:00Z')}+1200)/`)
    expect((sent.Signers as Signers)[0]).toMatchObject({ SignedStatus: 1, HasSigned: 'False' })
  })

  it('day-first writes dates in the order of the account’s DateFormat', async () => {
    const { office, listed } = await sendIn('day-first')
    expect(listed.DueDate).toBe('01/07/2026')
    const logged = await answered<{ Logs: { Date: string }[] }[]>(
      await office.get('/Document/GetActiveDocuments/InBox?DocumentLog=true')
    )
    expect(logged[0]?.Logs[0]?.Date).toMatch(/^15\/06\/2026 \d\d:\d\d:\d\d$/)
    expect(await answered(await office.get('/Account/Info'))).toMatchObject({ DateFormat: 'dd/MM/yyyy' })
  })

  it('day-first also reads the dates of requests in that order', async () => {
    const { office, listed } = await sendIn('day-first')
    const request = { DocumentReference: listed.Reference, DueDate: '05/07/2026' }
    expect(await answered(await office.post('/Document/Extend', request))).toMatchObject({ DueDate: '05/07/2026' })
  })

  it('dates-iso writes the time with its offset', async () => {
    const { listed } = await sendIn('dates-iso')
    expect(listed.DueDate).toBe('2026-07-01T16:00:00.0000000+12:00')
  })

  it('wrapped uses the reference’s literal types, and puts the links at the top', async () => {
    const { answer, sent, listed } = await sendIn('wrapped')
    expect(sent.Signers).toMatchObject({ Email: someone.Email, SignedStatus: false })
    expect(sent.Signers).not.toHaveProperty('SigningKey')
    expect(answer.Signers).toHaveProperty('SigningKey')
    expect(listed.Signers).toHaveProperty('SigningKey')
  })

  it('plain-bodies refuses in a plain sentence', async () => {
    const { office } = await sendIn('plain-bodies')
    const refused = await office.get('/Document/Validation/none')
    expect([refused.status, refused.headers.get('content-type')]).toEqual([404, 'text/plain'])
    expect(await refused.text()).toMatch(/^The document was not found/)
  })

  it('extra-members lists fields with its own type and IDs, and accepts them back', async () => {
    const { office } = await sendIn('extra-members')
    const listed = decodeList(ListedTemplate, await answered(await office.get('/FormFiller/GetTemplateList')))
    const templates = listed.ok ? listed.value.items : []
    const odd = templates.find(({ Fields }) => Fields?.some(({ FieldType }) => FieldType === 'RichText'))
    if (!odd) throw new Error('No template has such a field.')
    let keys = 0
    const item = itemOfTemplate(odd, () => `k${++keys}`)
    const { Templates } = toFormFillerRequest({ ...blankComposition('form-filler', 'c'), items: [item] }, () => 'ours')
    const sent = Templates[0]?.Fields ?? []
    const typesAndIds = (fields: { FieldType?: string | number | undefined; ID?: string | undefined }[]) =>
      fields.map(({ FieldType, ID }) => [FieldType, ID])
    expect(typesAndIds(sent)).toEqual(typesAndIds(odd.Fields ?? []))
    expect(sent[0]?.ID).toBe(`17/${sent[0]?.Reference}`)
    const request = { Templates: [{ Reference: odd.Reference, Signers: [someone], Fields: sent }] }
    await answered(await office.post('/FormFiller/Send', request))
    const template = Object.values(office.state.documents).find(({ kind }) => kind === 'template')
    const own = office.state.templates.find(({ reference }) => reference === odd.Reference)
    expect(template?.fields.map(({ type }) => type)).toEqual(own?.fields?.map(({ type }) => type))
  })

  it('full has the members that others leave out, and refuses an unknown template or form', async () => {
    const { office, listed } = await sendIn('full')
    expect(listed.EditUrl).toMatch(/^http:/)
    const template = { Name: 'Lease', Reference: 'not-there', Signers: [someone], Fields: [] }
    expect((await office.post('/FormFiller/Send', { Templates: [template] })).status).toBe(404)
    const unknown = { ...form, Reference: 'unknown-17' }
    for (const path of ['SendForms2', 'SendForms']) {
      expect((await office.post(`/FormDirect/${path}`, { Forms: [form, unknown] })).status).toBe(404)
    }
  })

  it.each(DIALECTS.flatMap((one) => DIALECTS.map((other) => [one, other] as const)))(
    '%s with %s says the same to a reader of the reference',
    async (one, other) => {
      const { answer, listed } = await sendIn(one, other)
      const read = decode(Array.isArray(answer) ? DocumentResponse.array() : PackageResponse, answer)
      expect(read.ok).toBe(true)
      const documents = decodeList(DocumentResponse, [listed])
      expect(documents).toMatchObject({ ok: true, value: { problems: [] } })
      const [document] = documents.ok ? documents.value.items : []
      expect(document?.Signers?.map(({ Email }) => Email)).toEqual([someone.Email])
      if (document?.DueDate) expect(readServiceDate(document.DueDate, 720)).toBeDefined()
    }
  )
})

describe('a bad day', () => {
  it.each(REFUSALS)('%s refuses every operation, and no signing page', async (refusal) => {
    const { office, sent } = await sendIn()
    office.state.conditions = { refusal }
    const status = refusal === 'maintenance' ? 503 : Number(refusal)
    const response = await office.get('/Document/GetActiveDocuments/InBox')
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '5' : null)
    const link = new URL(String((sent.Signers as Signers)[0]?.SigningKey))
    expect((await office.get(link.pathname)).status).toBe(200)
  })

  it('can limit the plan, and each send uses it up', async () => {
    const office = practice()
    const send = () => office.post('/FormDirect/SendForms2', { Forms: [form] })
    const left = async () => (await answered<{ DocumentLeft?: number }>(await office.get('/Account/Info'))).DocumentLeft
    expect(await left()).toBeUndefined()
    office.service.setConditions({ documentsLeft: 1 })
    expect([await left(), (await send()).status, await left(), (await send()).status]).toEqual([1, 200, 0, 426])
    office.service.setConditions({})
    expect([await left(), (await send()).status]).toEqual([undefined, 200])
  })

  it('can change the clock, as the Date header shows', async () => {
    const { office } = await sendIn()
    office.state.conditions = { clockAhead: -600 }
    const date = (await office.get('/Account/Info')).headers.get('date')
    expect(Date.parse(date ?? '')).toBe(Math.floor(office.now() / 1000) * 1000 - 600_000)
  })
})
