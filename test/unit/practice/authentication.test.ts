import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aForm, only, practice, refusal } from './practice.ts'

const hmac = {
  scheme: 'hmac',
  key: 'office-key',
  secret: 'office-secret',
  referer: 'https://office.example.com/'
} as const

/** Returns the headers as public clients make them. */
function signed(
  now: number,
  change: { date?: string; nonce?: string; secret?: string; key?: string; referer?: string } = {}
) {
  const key = change.key ?? hmac.key
  const date = change.date ?? String(Math.floor(now / 1000))
  const nonce = change.nonce ?? crypto.randomUUID().replaceAll('-', '')
  const signature = createHmac('sha256', change.secret ?? hmac.secret)
    .update(`${key}\n${date}\n${nonce}`)
    .digest('base64')
  return {
    Accept: 'application/json',
    Referer: change.referer ?? hmac.referer,
    'X-CUSTOM-API-KEY': key,
    'X-CUSTOM-DATE': date,
    'X-CUSTOM-NONCE': nonce,
    'X-CUSTOM-SIGNATURE': signature
  }
}

describe('The API key with its HMAC headers', () => {
  const ask = (office: ReturnType<typeof practice>, headers: Record<string, string>) =>
    office.ask('/Recipient/Recipients', { headers })

  it('accepts a request signed for the current time, also with a fraction of a second', async () => {
    const office = practice({ auth: hmac })
    expect((await ask(office, signed(office.now()))).status).toBe(200)
    expect((await ask(office, signed(office.now(), { date: `${office.now() / 1000}.25` }))).status).toBe(200)
    expect((await ask(office, signed(office.now(), { referer: 'https://office.example.com' }))).status).toBe(200)
  })

  it.each([
    ['another key', { key: 'other' }],
    ['another secret', { secret: 'other' }],
    ['an old date', { date: '1500000000' }],
    ['a future date', { date: '2500000000' }],
    ['an invalid date', { date: 'now' }],
    ['no nonce', { nonce: '' }],
    ['another access URL', { referer: 'https://office.example.com.evil.example/' }],
    ['another path of the access URL', { referer: 'https://office.example.com/other' }]
  ])('rejects %s', async (_what, change) => {
    const office = practice({ auth: hmac })
    expect(await refusal(await ask(office, signed(office.now(), change)))).toMatchObject({
      status: 401,
      code: 'Unauthorized'
    })
  })

  it('rejects a request without the headers, and one that was altered', async () => {
    const office = practice({ auth: hmac })
    expect((await ask(office, { Accept: 'application/json' })).status).toBe(401)
    const headers = signed(office.now())
    const signature = headers['X-CUSTOM-SIGNATURE']
    const other = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect((await ask(office, { ...headers, 'X-CUSTOM-SIGNATURE': other })).status).toBe(401)
    expect((await ask(office, { ...headers, 'X-CUSTOM-NONCE': 'x'.repeat(32) })).status).toBe(401)
  })

  it('accepts a nonce once; a forged request does not use it up', async () => {
    const office = practice({ auth: hmac })
    const headers = signed(office.now())
    expect((await ask(office, { ...headers, 'X-CUSTOM-SIGNATURE': 'x' })).status).toBe(401)
    expect((await ask(office, headers)).status).toBe(200)
    expect((await refusal(await ask(office, headers))).message).toMatch(/nonce was used/)
    office.pass(299_000)
    expect((await ask(office, headers)).status).toBe(401)
  })

  it('is not required on signing pages, whose link is the secret', async () => {
    const office = practice({ auth: hmac })
    const body = JSON.stringify({ Forms: [aForm()] })
    const headers = { ...signed(office.now()), 'Content-Type': 'application/json' }
    const sent = await (await office.ask('/FormDirect/SendForms2', { method: 'POST', headers, body })).json()
    const { signers } = only(sent as never)
    expect((await office.ask(signers[0]?.SigningKey ?? '')).status).toBe(200)
  })
})

describe('A bearer token', () => {
  const auth = { scheme: 'bearer', token: 'the-token' } as const

  it('gives access to anyone who has it and nobody else', async () => {
    const office = practice({ auth })
    const ask = (authorization?: string) =>
      office.ask(
        '/Recipient/Recipients.json',
        authorization === undefined ? {} : { headers: { Authorization: authorization } }
      )
    expect((await ask('Bearer the-token')).status).toBe(200)
    expect((await ask('bearer the-token')).status).toBe(200)
    for (const wrong of [
      undefined,
      'Bearer',
      'Bearer the-tokem',
      'Bearer the-token2',
      'Basic the-token',
      'the-token'
    ]) {
      const response = await ask(wrong)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
      expect(await refusal(response)).toMatchObject({ status: 401 })
    }
  })

  it('is checked before anything is read or changed', async () => {
    const office = practice({ auth })
    const body = JSON.stringify({ Forms: [aForm()] })
    await office.ask('/FormDirect/SendForms2', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body
    })
    expect(office.service.recorded()).toEqual([])
    expect(office.state.documents).toEqual({})
  })
})
