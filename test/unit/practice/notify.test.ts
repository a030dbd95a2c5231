import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { aForm, aSigner, only, practice } from './practice.ts'

/** A receiver of NotifyUrl calls on a free port. */
async function receiver(answer: (respond: () => void) => void = (respond) => respond()) {
  const heard: { path?: string; type?: string; body: unknown }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => {
      text += piece
    })
    request.on('end', () => {
      heard.push({ path: request.url ?? '', type: request.headers['content-type'] ?? '', body: JSON.parse(text) })
      answer(() => response.writeHead(302, { Location: '/elsewhere' }).end('ignored'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

describe('The NotifyUrl', () => {
  it('is called in order for each event of its document, and follows no redirect', async () => {
    const { heard, url } = await receiver()
    const office = practice({ notify: fetch })
    const { document, signers } = only(await office.sendForms(aForm({ NotifyUrl: url })))
    await office.ask(signers[0]?.SigningKey ?? '')
    await office.post('/Document/Extend', { DocumentReference: document.Reference, DueDate: '2026-08-01' })
    await office.service.whenNotified()
    await office.sign(signers[0]?.SigningKey)
    await office.service.whenNotified()
    expect(heard.map((one) => one.path)).toEqual(heard.map(() => '/hook'))
    expect(heard[0]).toEqual({
      path: '/hook',
      type: 'application/json',
      body: { PackageReference: document.PackageReference, DocumentReference: document.Reference, Event: 'Sent' }
    })
    const events = heard.map((one) => (one.body as { Event: string }).Event)
    expect(events.slice(0, 3).sort()).toEqual(['Extended', 'Opened', 'Sent'])
    expect(events.slice(3)).toEqual(['Signed', 'Complete'])
  })

  it('of each form is called for that form only, and not for a form without one', async () => {
    const { heard, url } = await receiver()
    const other = await receiver()
    const office = practice({ notify: fetch })
    const sentForms = [aForm({ NotifyUrl: url }), aForm(), aForm({ NotifyUrl: other.url })]
    const { Documents } = await office.sendForms(...sentForms)
    await office.service.whenNotified()
    const documentsOf = (calls: typeof heard) =>
      calls.map(({ body }) => (body as { DocumentReference: string }).DocumentReference)
    expect([documentsOf(heard), documentsOf(other.heard)]).toEqual([
      [Documents?.[0]?.Reference],
      [Documents?.[2]?.Reference]
    ])
  })

  it('is called when a signer declines and when the document expires, too', async () => {
    const { heard, url } = await receiver()
    const office = practice({ notify: fetch })
    const { signers } = only(await office.sendForms(aForm({ NotifyUrl: url })))
    await office.submit(`${signers[0]?.SigningKey}/decline`, { reason: 'No' })
    await office.sendForms(aForm({ NotifyUrl: url }))
    office.passDays(15)
    office.service.passTime()
    await office.service.whenNotified()
    const events = heard.map((one) => (one.body as { Event: string }).Event)
    expect(events.sort()).toEqual(['Declined', 'Expired', 'Sent', 'Sent'])
  })

  it('never delays or fails the request that it reports', async () => {
    const { heard, url } = await receiver(() => {})
    const office = practice({ notify: fetch })
    expect((await office.post('/FormDirect/SendForms2', { Forms: [aForm({ NotifyUrl: url })] })).status).toBe(200)
    expect(
      (await office.post('/FormDirect/SendForms2', { Forms: [aForm({ NotifyUrl: 'http://127.0.0.1:1/' })] })).status
    ).toBe(200)
    await expect.poll(() => heard.length).toBe(1)
  })

  it('is called only if it is a web address', async () => {
    const called: string[] = []
    const notify = (async (url: URL) => {
      called.push(String(url))
      return new Response()
    }) as unknown as typeof fetch
    const office = practice({ notify })
    for (const NotifyUrl of ['file:///etc/passwd', 'ftp://a.example/', 'javascript:alert(1)', 'nowhere', '']) {
      await office.sendForms(aForm({ NotifyUrl, Signers: [aSigner()] }))
    }
    await office.sendForms(aForm({ NotifyUrl: 'https://office.example.com/hook' }))
    await office.service.whenNotified()
    expect(called).toEqual(['https://office.example.com/hook'])
  })
})
