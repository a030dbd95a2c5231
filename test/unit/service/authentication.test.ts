/** Signatures as public clients of the service make them. */
import { describe, expect, test } from 'vitest'
import { createAuthentication, type OutgoingRequest } from '../../../src/main/core/service/index.ts'

const key = { key: 'KEY', secret: 'SECRET', accessUrl: 'https://office.example.org' }
const fixed = { clock: () => 1_700_000_000_999, nonce: () => '0123456789abcdef0123456789abcdef' }

function aRequest(): OutgoingRequest {
  return { method: 'GET', url: new URL('https://service.example.org/web/v1.4/x'), headers: new Headers() }
}

describe('API key authentication', () => {
  test('signs exactly like a signature computed by hand', async () => {
    const request = aRequest()
    await createAuthentication({ scheme: 'api-key', ...key }, fixed).sign(request)
    expect(Object.fromEntries(request.headers)).toEqual({
      'x-custom-api-key': 'KEY',
      'x-custom-date': '1700000000',
      'x-custom-nonce': '0123456789abcdef0123456789abcdef',
      // printf 'KEY\n1700000000\n0123456789abcdef0123456789abcdef' | openssl dgst -sha256 -hmac SECRET -binary | base64
      'x-custom-signature': 'zDC0NyoW6WdzPAqfv/Ai5zktECrPxC6C6dCV8vWE1sQ=',
      referer: 'https://office.example.org/'
    })
  })

  test('never uses a nonce twice', async () => {
    const authentication = createAuthentication({ scheme: 'api-key', ...key }, { clock: Date.now })
    const nonces = new Set<string | null>()
    for (let call = 0; call < 1000; call++) {
      const request = aRequest()
      await authentication.sign(request)
      nonces.add(request.headers.get('x-custom-nonce'))
    }
    expect(nonces.size).toBe(1000)
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/)
  })

  test('leaves a password in the access URL out of the Referer', async () => {
    const request = aRequest()
    const accessUrl = 'https://user:pass@office.example.org/a#b'
    await createAuthentication({ scheme: 'api-key', ...key, accessUrl }, fixed).sign(request)
    expect(request.headers.get('referer')).toBe('https://office.example.org/a')
  })

  test('can’t sign with an invalid access URL', () => {
    const authentication = createAuthentication({ scheme: 'api-key', ...key, accessUrl: 'office' }, fixed)
    expect(() => authentication.sign(aRequest())).toThrow()
  })
})

describe('the secrets that must not be shown', () => {
  test('are listed by each scheme', async () => {
    expect(createAuthentication({ scheme: 'none' }, fixed).secrets).toEqual([])
    expect(createAuthentication({ scheme: 'api-key', ...key }, fixed).secrets).toEqual(['SECRET', 'KEY'])
    const bearer = createAuthentication({ scheme: 'bearer', token: () => 'TOK', apiKey: key }, fixed)
    await bearer.sign(aRequest())
    expect(bearer.secrets).toEqual(['TOK', 'SECRET', 'KEY'])
  })
})
