import { describe, expect, it } from 'vitest'
import { aForm, aTemplate, JSON_HEADERS, only, practice, refusal } from './practice.ts'

/** Every operation of the reference's section 4, with a valid body or parameters. */
async function operations() {
  const office = practice({ data: 'empty' })
  const { document, signers } = only(
    await office.sendForms(
      aForm({ Signers: [{ FirstName: 'A', LastName: 'B', Email: 'a@example.com', UseIDData: true }] })
    )
  )
  await office.submit(`${signers[0]?.SigningKey}/identity`, { 'answer-0': 'a@example.com' })
  const reference = document.Reference
  const posts: [string, unknown][] = [
    ['/FormDirect/SendForms2', { Forms: [aForm()] }],
    ['/FormDirect/SendForms', { Forms: [aForm()] }],
    ['/FormDirect/UpdateEmployers', { TFN: [{ Reference: 'e', Name: 'E' }] }],
    ['/FormFiller/Send', { Templates: [aTemplate()] }],
    [
      '/Document/UpdateSigner',
      { DocumentReference: reference, Signers: [{ FirstName: 'A', LastName: 'C', Email: 'a@example.com' }] }
    ],
    ['/Document/Extend', { DocumentReference: reference, DueDate: '2026-07-30' }],
    [
      '/Notary/AssignQueueDocument',
      { PackageReference: document.PackageReference, DocumentReference: reference, NotaryReference: 'n' }
    ]
  ]
  const gets = [
    '/FormFiller/GetTemplateList',
    '/Document/GetActiveDocuments/InBox',
    `/Download/IDVerification/${reference}/json`,
    `/Document/Validation/${reference}`,
    '/Recipient/GetRecipients',
    '/Recipient/Recipients'
  ]
  return { office, reference, posts, gets }
}

async function expectJson(path: string, response: Response) {
  const type = response.headers.get('content-type')
  expect([path, response.status, type]).toEqual([path, 200, 'application/json; charset=utf-8'])
  await response.json()
}

describe('The conventions hold for every operation', () => {
  it('answers JSON when Accept asks for it, under any base path and in any case', async () => {
    const { office, posts, gets } = await operations()
    const spellings = [
      (path: string) => path,
      (path: string) => `/web/v1.4${path}`,
      (path: string) => `/Web/v1.3${path.toLowerCase()}`,
      (path: string) => `/a/b/c${path.replace(/^\/\w+/, (room) => room.toUpperCase())}`
    ]
    for (const spell of spellings) {
      for (const path of gets) await expectJson(path, await office.get(spell(path)))
      for (const [path, body] of posts) await expectJson(path, await office.post(spell(path), body))
    }
  })

  it('answers JSON for the .json suffix and for ?format=json, whatever Accept says', async () => {
    const { office, posts, gets } = await operations()
    const headers = { Accept: 'text/html', 'Content-Type': 'application/json' }
    for (const spell of [
      (path: string) => `${path}.json`,
      (path: string) => `${path}?format=json`,
      (path: string) => `${path}?Format=JSON`
    ]) {
      for (const path of gets) {
        const response = await office.ask(spell(path), { headers })
        expect([path, response.status, response.headers.get('content-type')]).toEqual([
          path,
          200,
          'application/json; charset=utf-8'
        ])
      }
      for (const [path, body] of posts) {
        const response = await office.ask(spell(path), { method: 'POST', headers, body: JSON.stringify(body) })
        expect([path, response.status, response.headers.get('content-type')]).toEqual([
          path,
          200,
          'application/json; charset=utf-8'
        ])
      }
    }
  })

  it('answers a page if nobody asks for JSON', async () => {
    const { office, posts, gets } = await operations()
    for (const accept of [undefined, 'text/html', '*/*', 'text/html,application/json;q=0.5']) {
      const headers: Record<string, string> = {
        'Content-Type': 'application/json',
        ...(accept ? { Accept: accept } : {})
      }
      for (const path of gets) {
        const response = await office.ask(path, { headers })
        expect([path, response.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
        expect(await response.text()).toMatch(/^<!doctype html>/)
      }
      for (const [path, body] of posts) {
        const response = await office.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })
        expect([path, response.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
      }
    }
  })

  it('wraps an answer in a JSONP callback', async () => {
    const { office, gets } = await operations()
    for (const path of gets) {
      const response = await office.ask(`${path}?callback=office.take`)
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      const script = await response.text()
      const wrapped = /^office\.take\((.*)\)$/s.exec(script)
      expect(JSON.parse(wrapped?.[1] ?? '')).toEqual(await (await office.get(path)).json())
    }
  })

  it('refuses a callback that is more than a name', async () => {
    const office = practice()
    for (const name of ['alert(1)//', 'a b', '<script>', 'a;b', '1a', 'a..b', 'a'.repeat(200)]) {
      const response = await office.ask(`/Recipient/Recipients?callback=${encodeURIComponent(name)}`)
      expect((await refusal(response)).code).toBe('InvalidCallback')
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    }
  })

  it('answers the PDF as bytes, whatever format is requested', async () => {
    const { office, reference } = await operations()
    const response = await office.ask(`/Download/IDVerification/${reference}/pdf`, {
      headers: { Accept: 'application/json' }
    })
    expect(response.headers.get('content-type')).toBe('application/pdf')
  })

  it('keeps to its registered base path, in any case', async () => {
    const office = practice({ basePath: '/web/v1.4' })
    expect((await office.get('/Web/V1.4/Recipient/Recipients')).status).toBe(200)
    expect((await office.get('/Recipient/Recipients')).status).toBe(404)
    expect((await office.get('/web/v1.4/x/Recipient/Recipients')).status).toBe(404)
  })

  it('accepts a registered base path with any leading and trailing slashes', async () => {
    for (const basePath of ['web/v1.4', '/web/v1.4/', 'web/v1.4/']) {
      expect((await practice({ basePath }).get('/web/v1.4/Recipient/Recipients')).status).toBe(200)
    }
    for (const basePath of ['/', '']) {
      expect((await practice({ basePath }).get('/Recipient/Recipients')).status).toBe(200)
      expect((await practice({ basePath }).get('/web/Recipient/Recipients')).status).toBe(404)
    }
  })

  it('tells a wrong method from an unknown operation', async () => {
    const office = practice()
    expect(await refusal(await office.get('/FormDirect/SendForms2'))).toMatchObject({ status: 405 })
    expect(await refusal(await office.get('/Nothing/Here'))).toMatchObject({ status: 404, code: 'NotFound' })
    expect(await refusal(await office.get('/'))).toMatchObject({ status: 404 })
  })

  it('streams a large folder as one well-formed list, also in a callback', async () => {
    const office = practice({ data: 1500 })
    const list = (await (await office.get('/Document/GetActiveDocuments/Signed')).json()) as { Reference: string }[]
    expect(list.length).toBeGreaterThan(500)
    expect(new Set(list.map((one) => one.Reference)).size).toBe(list.length)
    const script = await (await office.ask('/Document/GetActiveDocuments/Signed?callback=take')).text()
    expect(JSON.parse(script.slice('take('.length, -1))).toEqual(list)
  })

  it('refuses bodies that are not JSON, and says so', async () => {
    const office = practice()
    const send = (body: string, type = 'application/json') =>
      office.ask('/FormDirect/SendForms2', { method: 'POST', headers: { ...JSON_HEADERS, 'Content-Type': type }, body })
    expect(await refusal(await send('{"Forms":'))).toMatchObject({ status: 400, code: 'SerializationException' })
    expect(await refusal(await send(''))).toMatchObject({ status: 400, code: 'SerializationException' })
    expect(await refusal(await send('{}', 'text/plain'))).toMatchObject({ status: 415 })
    expect(await refusal(await send('[]'))).toMatchObject({ status: 400, code: 'InvalidType' })
    expect(await refusal(await send(`{"x":"${'y'.repeat(33 * 1024 * 1024)}"}`))).toMatchObject({ status: 413 })
  })
})
