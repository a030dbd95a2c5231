import { describe, expect, it } from 'vitest'
import { aForm, anotherSigner, aSigner, aTemplate, only, practice } from './practice.ts'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** As long as a small picture, and starting like a JPEG file. */
const STILL = `data:image/jpeg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD${'ABCDEFGHIJ012345'.repeat(40)}`

async function linkFor(office: ReturnType<typeof practice>, signer: object = {}, form: object = {}) {
  const { signers, document } = only(await office.sendForms(aForm({ Signers: [aSigner(signer)], ...form })))
  return { link: signers[0]?.SigningKey ?? '', reference: document.Reference }
}

/** Returns the page's name from its body. */
async function pageOf(response: Response): Promise<string | undefined> {
  return /<body data-page="([\w-]+)">/.exec(await response.text())?.[1]
}

/** Begins to post a form, whose end isn't sent yet. */
function beginPost(office: ReturnType<typeof practice>, path: string, fields: Record<string, string>) {
  const end = Promise.withResolvers<void>()
  const bytes = new TextEncoder().encode(new URLSearchParams(fields).toString())
  const body = new ReadableStream({
    async pull(controller) {
      await end.promise
      controller.enqueue(bytes)
      controller.close()
    }
  })
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = office.ask(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  return {
    finish() {
      end.resolve()
      return answer
    }
  }
}
const SIGNATURE = { 'signature-kind': 'typed', 'signature-name': 'Aroha Parata', agree: 'true' }

describe('A signing page', () => {
  it('shows the document with its office, fields and signers, and loads nothing from elsewhere', async () => {
    const office = practice()
    const { link } = await linkFor(office)
    const response = await office.ask(link)
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*form-action 'self'; base-uri 'none'$/
    )
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const page = await response.text()
    expect(page).toContain('<title>Letter · Hart &amp; Moreau Practice Office</title>')
    expect(page).toContain('Phone number in the daytime')
    expect(page).toContain('Your signature')
    expect(page).not.toMatch(/<script>|style="|https?:\/\/(?!www\.w3)/)
  })

  it('serves its own style, script and fonts, under its base path', async () => {
    const office = practice()
    const answer = await (await office.post('/web/v1.4/FormDirect/SendForms2', { Forms: [aForm()] })).json()
    const page = await (await office.ask(only(answer as never).signers[0]?.SigningKey ?? '')).text()
    expect(page).toContain('href="/web/v1.4/assets/sign.css"')
    for (const [name, type] of [
      ['sign.css', 'text/css; charset=utf-8'],
      ['sign.js', 'text/javascript; charset=utf-8'],
      ['camera.js', 'text/javascript; charset=utf-8'],
      ['allura.woff2', 'font/woff2'],
      ['public-sans-regular.ttf', 'font/ttf']
    ]) {
      const asset = await office.ask(`/web/v1.4/assets/${name}`)
      expect([asset.status, asset.headers.get('content-type')]).toEqual([200, type])
    }
  })

  it('signs with plain forms, and thanks the signer', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office)
    const response = await office.sign(link, { 'field-0': '04 555 0100' })
    expect([response.status, response.headers.get('location')]).toEqual([302, `${new URL(link).pathname}/done`])
    expect(await (await office.ask(`${link}/done`)).text()).toContain('Thank you, Aroha')
    expect(office.state.documents[reference]?.fields[0]?.value).toBe('04 555 0100')
    expect(await pageOf(await office.ask(link))).toBe('signed')
    expect((await office.sign(link)).status).toBe(409)
  })

  it.each([
    ['signs', 'document', SIGNATURE, {}],
    ['signs after a review', 'review', SIGNATURE, {}],
    ['declines', 'decline', { reason: 'Not now.' }, {}],
    ['confirms by video', 'video', { without: 'true' }, { VideoConfirmation: true }]
  ])('no longer %s once its link was withdrawn while the form was sent', async (_, step, fields, signer) => {
    const office = practice()
    const { link, reference } = await linkFor(office, signer)
    const posted = beginPost(office, `${link}/${step}`, fields)
    const corrected = { DocumentReference: reference, Signers: [aSigner({ Email: 'aroha@example.org' })] }
    expect((await office.post('/Document/UpdateSigner', corrected)).status).toBe(200)
    const before = JSON.stringify(office.state.documents[reference])
    expect((await posted.finish()).status).toBe(404)
    expect(JSON.stringify(office.state.documents[reference])).toBe(before)
  })

  it('redirects to the ReturnUrl after signing and declining, but only if it is a web address', async () => {
    const office = practice()
    const form = { ReturnUrl: 'https://office.example.com/back?a=1' }
    const { link } = await linkFor(office, {}, form)
    expect((await office.ask(link)).headers.get('content-security-policy')).toContain(
      `form-action 'self' https://office.example.com;`
    )
    const signed = await office.sign(link)
    expect([signed.status, signed.headers.get('location')]).toEqual([302, form.ReturnUrl])
    const other = await linkFor(office, {}, form)
    const declined = await office.submit(`${other.link}/decline`, { reason: 'No.' })
    expect([declined.status, declined.headers.get('location')]).toEqual([302, form.ReturnUrl])
    for (const ReturnUrl of ['javascript:alert(1)', 'file:///etc/passwd', 'not an address']) {
      const odd = await linkFor(office, {}, { ReturnUrl })
      expect((await office.sign(odd.link)).headers.get('location')).toMatch(/\/done$/)
    }
  })

  it('accepts a drawn signature and shows it, and rejects anything else in its place', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office)
    for (const drawing of [
      '',
      'data:image/svg+xml;base64,AAAA',
      'data:image/png;base64,"><script>',
      `data:image/png;base64,${'A'.repeat(500_000)}`
    ]) {
      const response = await office.sign(link, {
        'signature-kind': 'drawn',
        'signature-name': '',
        'signature-drawing': drawing
      })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('Type or draw your signature.')
    }
    expect((await office.sign(link, { 'signature-kind': 'drawn', 'signature-drawing': PIXEL })).status).toBe(302)
    const document = office.state.documents[reference]
    expect(await (await office.ask(`/view/${document?.viewKey}`)).text()).toContain(`src="${PIXEL}"`)
  })

  it('names what is missing, keeps what was filled in, and signs nothing', async () => {
    const office = practice()
    const { signers, document } = only(
      await office.sendTemplates({}, { Reference: 'tpl-tenancy', Signers: [aSigner()] })
    )
    const link = signers[0]?.SigningKey
    const response = await office.submit(`${link}/document`, {
      'field-5': 'Hana',
      'field-2': 'tomorrow',
      'field-3': 'Forever'
    })
    expect(response.status).toBe(400)
    const page = await response.text()
    for (const mistake of ['Enter a date', 'Choose one from the list.', 'Type or draw your signature.', 'Tick the box'])
      expect(page).toContain(mistake)
    expect(page).toContain('value="Hana"')
    expect(page).toMatch(/id="field-2"[^>]*aria-invalid="true" aria-describedby="field-2-wrong"/)
    expect((await office.document(document.Reference)).Status).toBe('Filling')
  })

  it('keeps what was signed: the next signer reads it and cannot change it', async () => {
    const office = practice()
    const { signers, document } = only(
      await office.sendTemplates(
        { Sequential: true },
        aTemplate({
          Fields: [
            {
              Label: 'Sum',
              Value: '',
              FieldType: 'Text',
              IsRequired: true,
              ID: 's',
              Reference: 's',
              ReadOnly: false,
              ClientField: 's'
            },
            {
              Label: 'Place',
              Value: 'Petone',
              FieldType: 'Text',
              IsRequired: true,
              ID: 'p',
              Reference: 'p',
              ReadOnly: true,
              ClientField: 'p'
            }
          ]
        })
      )
    )
    await office.sign(signers[0]?.SigningKey, { 'field-0': '100', 'field-1': 'Elsewhere' })
    expect(await (await office.ask(signers[1]?.SigningKey ?? '')).text()).not.toContain('name="field-0"')
    await office.sign(signers[1]?.SigningKey, { 'field-0': '1000' })
    expect(office.state.documents[document.Reference]?.fields.map((field) => field.value)).toEqual(['100', 'Petone'])
  })

  it('shows a review before signing if requested', async () => {
    const office = practice()
    const { signers } = only(
      await office.sendTemplates(
        {},
        { Reference: 'tpl-tax-return', Signers: [aSigner({ ReviewBeforeSigningEnabled: true })] }
      )
    )
    const link = signers[0]?.SigningKey
    const agreed = { 'signature-kind': 'typed', 'signature-name': 'Aroha', agree: 'true' }
    expect((await office.submit(`${link}/review`, agreed)).headers.get('location')).toMatch(/\/document$/)
    const filled = await office.submit(`${link}/document`, { 'field-0': '2025', 'field-2': 'true', ...agreed })
    expect([filled.status, filled.headers.get('location')]).toEqual([303, `${new URL(link ?? '').pathname}/review`])
    const review = await office.ask(`${link}/review`)
    expect(await pageOf(review.clone())).toBe('review')
    expect(await review.text()).toContain('2025')
    expect((await office.submit(`${link}/review`, {})).status).toBe(400)
    expect((await office.submit(`${link}/review`, agreed)).headers.get('location')).toMatch(/\/done$/)
  })

  it('remembers that a file was uploaded', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office, {}, { Name: 'Medical records', Reference: 'm' })
    const form = new FormData()
    for (const [name, value] of Object.entries({ 'signature-kind': 'typed', 'signature-name': 'A', agree: 'true' }))
      form.set(name, value)
    form.set('file', new File(['scan'], 'referral.pdf'))
    expect((await office.ask(`${link}/document`, { method: 'POST', body: form })).status).toBe(302)
    expect((await office.document(reference)).HasFileUploaded).toBe(true)
  })

  it('requires a reason for declining', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office)
    expect(await pageOf(await office.ask(`${link}/decline`))).toBe('decline')
    expect((await office.submit(`${link}/decline`, { reason: '  ' })).status).toBe(400)
    expect((await office.document(reference)).Status).toBe('NotStart')
    await office.submit(`${link}/decline`, { reason: 'No' })
    expect(await pageOf(await office.ask(link))).toBe('declined')
  })

  it('reveals nothing about whose link a wrong key might be', async () => {
    const office = practice()
    await linkFor(office)
    for (const key of ['x', 'undefined', '__proto__', 'a'.repeat(43)]) {
      const response = await office.ask(`/sign/${key}`)
      expect(response.status).toBe(404)
      expect(await response.text()).not.toContain('Aroha')
    }
  })
})

describe('An identity step', () => {
  const questions = {
    UseIDData: true,
    IDData: [
      { Label: 'Date of birth', Value: '09/03/1984', DataType: 'date' },
      { Label: 'Licence', Value: 'AB 123', DataType: 'text' }
    ]
  }

  it('precedes the document, and accepts the right answers in any usual spelling', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office, questions)
    const before = await office.ask(link)
    const page = await before.text()
    expect(page).toContain('Date of birth')
    expect(page).not.toMatch(/AB 123|1984|Your signature/)
    expect(await pageOf(await office.sign(link))).toBe('identity')
    expect((await office.document(reference)).Status).toBe('NotStart')
    const answered = await office.submit(`${link}/identity`, { 'answer-0': '1984-03-09', 'answer-1': 'ab123' })
    expect(answered.headers.get('location')).toMatch(/\/document$/)
    expect(await pageOf(await office.ask(`${link}/document`))).toBe('document')
    expect((await office.sign(link)).status).toBe(302)
  })

  it('locks after three wrong answers, until a reminder', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office, questions)
    const wrong = { 'answer-0': '1984-03-10', 'answer-1': 'ab123' }
    const right = { 'answer-0': '1984-03-09', 'answer-1': 'AB 123' }
    expect(await (await office.submit(`${link}/identity`, wrong)).text()).toContain('2 tries left')
    expect(await (await office.submit(`${link}/identity`, {})).text()).toContain('One try left')
    expect(await pageOf(await office.submit(`${link}/identity`, wrong))).toBe('locked')
    expect(await pageOf(await office.submit(`${link}/identity`, right))).toBe('locked')
    expect(await pageOf(await office.ask(`${link}/document`))).toBe('locked')
    await office.post('/Document/SendReminder', { DocumentReference: reference })
    expect((await office.submit(`${link}/identity`, right)).status).toBe(303)
  })

  it('locks after three wrong answers, also if more are sent at the same time', async () => {
    const office = practice()
    const { link } = await linkFor(office, questions)
    const wrong = { 'answer-0': '1984-03-10', 'answer-1': 'ab123' }
    const right = { 'answer-0': '1984-03-09', 'answer-1': 'AB 123' }
    const posts = [wrong, wrong, wrong, right].map((answers) => beginPost(office, `${link}/identity`, answers))
    for (const post of posts) await (await post.finish()).text()
    expect(await pageOf(await office.ask(`${link}/document`))).toBe('locked')
  })

  it('is repeated after half an hour', async () => {
    const office = practice()
    const { link } = await linkFor(office, questions)
    await office.submit(`${link}/identity`, { 'answer-0': '1984-03-09', 'answer-1': 'AB 123' })
    office.pass(31 * 60_000)
    expect(await pageOf(await office.ask(`${link}/document`))).toBe('identity')
  })

  it('accepts a picture if the signer provides one, but does not ask for it', async () => {
    const office = practice()
    const { link, reference } = await linkFor(office, questions)
    const page = await office.ask(link)
    expect(page.headers.get('permissions-policy')).toContain('camera=(self)')
    expect(await page.text()).toContain('data-testid="camera-start"')
    const answers = { 'answer-0': '1984-03-09', 'answer-1': 'AB 123' }
    await office.submit(`${link}/identity`, { ...answers, picture: STILL })
    const stored = office.state.documents[reference]
    expect(stored?.logs.at(-1)?.action).toBe('Showed their identity and face')
    expect(JSON.stringify(stored)).not.toContain(STILL.slice(40, 80))
    expect((await office.ask(`${link}/document`)).headers.get('permissions-policy')).toContain('camera=()')
  })
})

describe('A video confirmation', () => {
  async function withVideo(more: object = {}) {
    const office = practice()
    const { link, reference } = await linkFor(office, { VideoConfirmation: true, ...more })
    const detail = async () => (await office.document(reference)).Signers?.[0]?.VideoConfirmationDetail
    const send = (fields: Record<string, string>) => office.submit(`${link}/video`, fields)
    return { office, link, reference, detail, send }
  }

  it('requires a camera picture and the signer’s confirmation, and is then complete', async () => {
    const { office, link, reference, detail, send } = await withVideo({ EnableDeepfakeDetector: true })
    expect(await detail()).toMatchObject({
      Name: 'Aroha Parata',
      IsVideoReady: false,
      IsVideoOptOut: false,
      IsVideoConfirmationDeepfake: true
    })
    const page = await office.ask(link)
    expect(page.headers.get('permissions-policy')).toContain('camera=(self)')
    expect(await pageOf(page.clone())).toBe('video')
    expect(await page.text()).toContain('/assets/camera.js')
    for (const wrong of [
      {},
      { confirm: 'true' },
      { picture: STILL },
      { confirm: 'true', picture: PIXEL },
      { confirm: 'true', picture: `${STILL}"><script>` },
      { confirm: 'true', picture: STILL.replace('/9j/', `/9j/${'A'.repeat(600_000)}`) }
    ])
      expect([(await send(wrong)).status, (await detail())?.IsVideoReady]).toEqual([400, false])
    expect(await pageOf(await office.sign(link))).toBe('video')
    expect((await send({ confirm: 'true', picture: STILL })).status).toBe(303)
    expect((await detail())?.IsVideoReady).toBe(true)
    expect(JSON.stringify(office.state.documents[reference])).not.toContain(STILL.slice(40, 80))
    expect((await office.sign(link)).status).toBe(302)
  })

  it('can be skipped, and then nothing says that the person was verified', async () => {
    const { office, link, reference, detail, send } = await withVideo()
    expect(await (await office.ask(link)).text()).toContain('data-testid="video-without"')
    expect((await send({ without: 'true' })).status).toBe(303)
    expect(await detail()).toMatchObject({ IsVideoReady: false, IsVideoOptOut: true })
    expect((await office.sign(link)).status).toBe(302)
    const [signer] = (await office.document(reference)).Signers ?? []
    expect(signer).toMatchObject({ HasSigned: true, IDVerificationStatus: 'Pending' })
    expect(signer).not.toHaveProperty('IDVerificationFaceMatchResult')
    expect((await office.get(`/Download/IDVerification/${reference}/json`)).status).toBe(404)
  })

  it('cannot be skipped if a detector is required: staff should help', async () => {
    const { office, link, detail, send } = await withVideo({ EnableDeepfakeDetector: true })
    const page = await (await office.ask(link)).text()
    expect(page).not.toContain('data-testid="video-without"')
    expect(page).toContain('Please ask staff')
    expect((await send({ without: 'true', confirm: 'true' })).status).toBe(400)
    expect(await detail()).toMatchObject({ IsVideoReady: false, IsVideoOptOut: false })
  })

  it('is required again once the signer was corrected into someone else', async () => {
    const { office, reference, detail, send } = await withVideo()
    await send({ without: 'true' })
    const { SignerReference, ...signer } = (await office.document(reference)).Signers?.[0] ?? {}
    const corrected = { ...signer, SignerReference, Email: 'another@example.com' }
    await office.post('/Document/UpdateSigner', { DocumentReference: reference, Signers: [corrected] })
    expect(await detail()).toMatchObject({ Email: 'another@example.com', IsVideoOptOut: false })
  })
})

describe('Face to face', () => {
  it('leaves handing over the screen to the office, and asks for identity each time the link is opened', async () => {
    const office = practice()
    const { link } = await linkFor(office, { EnabledFaceToFaceSigning: true, UseIDData: true })
    const first = await office.ask(link)
    // At the counter the office has already asked who is there.
    expect(await first.clone().text()).not.toContain('hand the screen')
    expect(await pageOf(first)).toBe('identity')
    await office.submit(`${link}/identity`, { 'answer-0': 'aroha.parata@example.com' })
    expect(await pageOf(await office.ask(`${link}/document`))).toBe('document')
    expect(await pageOf(await office.ask(link))).toBe('identity')
  })
})

describe('Hostile text', () => {
  const evil = `<img src=x onerror=alert(1)>"'&</title></textarea><script>alert(2)</script>`

  it('is shown as text on every page', async () => {
    const office = practice()
    const signer = aSigner({
      FirstName: evil,
      LastName: evil,
      SignerType: evil,
      UseIDData: true,
      EnabledFaceToFaceSigning: true,
      VideoConfirmation: true,
      IDData: [{ Label: evil, Value: 'x', DataType: 'text' }]
    })
    const sent = await office.post('/FormDirect/SendForms2', {
      Forms: [
        aForm({
          Name: evil,
          Reference: evil,
          XMLData: `<a>${evil.replaceAll('<', '&lt;')}</a>`,
          Signers: [signer, anotherSigner({ FirstName: evil })]
        })
      ],
      ListItems: [{ ClientField: evil, Item: evil, Value: evil }]
    })
    const { document, signers } = only((await sent.json()) as never)
    const [link = '', other = ''] = signers.map((one) => one.SigningKey)
    const pages = [await office.ask(link), await office.ask(`${link}/document`)]
    pages.push(
      await office.submit(`${link}/identity`, { 'answer-0': 'y' }),
      await office.submit(`${link}/identity`, { 'answer-0': 'x' })
    )
    pages.push(
      await office.ask(`${link}/document`),
      await office.submit(`${link}/video`, { confirm: 'true', picture: STILL })
    )
    pages.push(await office.ask(`${link}/document`), await office.ask(`${link}/decline`))
    pages.push(await office.sign(link, { 'field-0': evil, 'field-1': evil, 'signature-name': '' }))
    pages.push(
      await office.sign(link, { 'signature-name': evil }),
      await office.ask(`${link}/done`),
      await office.ask(link)
    )
    pages.push(
      await office.ask(other),
      await office.submit(`${other}/decline`, { reason: evil }),
      await office.ask(other)
    )
    pages.push(await office.ask(`/view/${office.state.documents[document.Reference]?.viewKey}`))
    pages.push(
      await office.ask('/Document/GetActiveDocuments/Progress?DocumentLog=1'),
      await office.ask(`/Document/Validation/${document.Reference}`)
    )
    let shown = 0
    for (const response of pages) {
      const page = await response.text()
      expect(page).not.toMatch(/<img src=x|<script>|<\/title><\/textarea>/)
      if (page.includes('&lt;img src=x')) shown++
    }
    expect(shown).toBeGreaterThan(10)
  })
})
