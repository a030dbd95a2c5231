import { describe, expect, it } from 'vitest'
import { findingsOf } from '../../../src/practice/identity/findings.ts'
import { aForm, anotherSigner, answered, aSigner, aTemplate, only, practice } from './practice.ts'

const HANA = aSigner({ FirstName: 'Hana', LastName: 'Weka', Email: 'hana.weka@practice.example' })
const TAMA = anotherSigner({ FirstName: 'Tama', LastName: 'Tui', Email: 'tama.tui@practice.example' })
const statusOf = async (office: ReturnType<typeof practice>, reference: string) =>
  (await office.document(reference)).Status

describe('The volunteers of the practice office', () => {
  it('open and sign automatically, so that a document is complete within two minutes', async () => {
    const events: string[] = []
    const office = practice({
      notify: async (_url, init) => {
        events.push(JSON.parse(String(init?.body)).Event ?? String(init?.body))
        return new Response()
      }
    })
    const { document } = only(
      await office.sendForms(
        aForm({ EmbedForm: false, Signers: [HANA, TAMA], NotifyUrl: 'https://office.example.com/told' })
      )
    )
    expect(await statusOf(office, document.Reference)).toBe('NotStart')
    office.pass(25_000)
    expect(await statusOf(office, document.Reference)).toBe('Filling')
    office.pass(35_000)
    expect(await statusOf(office, document.Reference)).toBe('Complete')
    await office.service.whenNotified()
    expect(events.length).toBeGreaterThan(2)
  })

  it('sign in order, one after the other', async () => {
    const office = practice()
    const sent = await office.sendTemplates({ Sequential: true, Embedded: false }, aTemplate({ Signers: [HANA, TAMA] }))
    const reference = only(sent).document.Reference
    office.pass(60_000)
    expect(await statusOf(office, reference)).toBe('1 of 2 Signed')
    office.pass(60_000)
    expect(await statusOf(office, reference)).toBe('Complete')
  })

  it('leave other signers alone, and never sign at the counter or in an embedded form', async () => {
    const office = practice()
    const mixed = only(await office.sendForms(aForm({ EmbedForm: false, Signers: [HANA, anotherSigner()] }))).document
      .Reference
    const counter = only(
      await office.sendTemplates({ Embedded: false }, aTemplate({ Signers: [{ ...HANA, IsFaceToFaceSigning: true }] }))
    ).document.Reference
    const embedded = only(await office.sendTemplates({}, aTemplate({ Signers: [HANA] }))).document.Reference
    office.passDays(1)
    expect(await statusOf(office, mixed)).toBe('1 of 2 Signed')
    expect(await statusOf(office, counter)).toBe('NotStart')
    expect(await statusOf(office, embedded)).toBe('NotStart')
  })

  it('have identity checks that pass', () => {
    for (const person of [HANA, TAMA])
      expect(findingsOf(person as never, Date.now())).toMatchObject({ passed: true, attentions: [] })
  })

  it('show their identity if required', async () => {
    const office = practice()
    const signer = { ...HANA, VideoConfirmationEnabled: true }
    const { Reference } = only(
      await office.sendTemplates({ Embedded: false }, aTemplate({ Signers: [signer] }))
    ).document
    office.pass(60_000)
    expect(await statusOf(office, Reference)).toBe('Complete')
    expect((await office.get(`/Download/IDVerification/${Reference}/json`)).status).toBe(200)
  })
})

describe('The mailbox', () => {
  const key = 'a-secret-key'
  const page = async (office: ReturnType<typeof practice>, with_ = key) => {
    const answer = await office.ask(`/mailbox/${with_}`)
    return { status: answer.status, text: await answer.text() }
  }

  it('lists each open invitation, with a link that opens as its signer', async () => {
    const office = practice({ mailboxKey: key })
    const { document } = only(
      await office.sendForms(aForm({ EmbedForm: false, Signers: [aSigner(), anotherSigner()] }))
    )
    await office.sendTemplates({ Embedded: true }, aTemplate({ Signers: [aSigner()] }))
    const { status, text } = await page(office)
    expect(status).toBe(200)
    expect(text.split('/sign/').length - 1).toBe(2)
    expect(text).toContain(document.Name)
    const link = /href="([^"]*\/sign\/[^"]+)"/.exec(text)?.[1] ?? ''
    expect((await office.ask(link)).status).toBe(200)
    for (const { key: own } of office.state.documents[document.Reference]?.signers ?? [])
      await office.sign(`/sign/${own}`)
    expect((await page(office)).text).toContain('No invitations are waiting.')
  })

  it('opens only with its key, and does not exist without one', async () => {
    expect((await page(practice({ mailboxKey: key }), 'another-key')).status).toBe(404)
    const without = practice()
    await without.sendForms(aForm({ EmbedForm: false }))
    expect((await page(without)).status).toBe(404)
    expect((await page(without, 'undefined')).text).not.toContain('/sign/')
  })

  it('shows names containing markup as text', async () => {
    const office = practice({ mailboxKey: key })
    await office.sendForms(aForm({ EmbedForm: false, Signers: [aSigner({ FirstName: '<script>alert(1)</script>' })] }))
    expect((await page(office)).text).not.toContain('<script>alert')
  })
})

it('a practice office answers a request as usual after its volunteers have acted', async () => {
  const office = practice()
  await office.sendForms(aForm({ EmbedForm: false, Signers: [HANA] }))
  office.pass(60_000)
  expect(answered(await office.get('/Document/GetActiveDocuments/Signed'))).toBeTruthy()
})
