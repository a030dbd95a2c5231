import { describe, expect, test } from 'vitest'
import { checkExternalLink } from '../../../src/main/core/policy/external-links.ts'
import { checkSigningAddress, signingAddressMessage } from '../../../src/main/core/policy/signing-address.ts'

const service = { kind: 'service', baseUrl: 'https://api.example.com/web/v1.4' } as const
const practice = { kind: 'practice', baseUrl: 'http://127.0.0.1:4100' } as const

describe('a signing link', () => {
  test('to a web address is accepted, and allows its own origin and the service’s', () => {
    expect(checkSigningAddress(' https://sign.example.com/s/abc?x=1 ', service)).toEqual({
      ok: true,
      url: 'https://sign.example.com/s/abc?x=1',
      allowedOrigins: ['https://sign.example.com', 'https://api.example.com'],
      linkOrigin: 'https://sign.example.com'
    })
  })

  test('to the host that the office typed isn’t looked up', () => {
    expect(checkSigningAddress('https://api.example.com/s/abc', service)).toEqual({
      ok: true,
      url: 'https://api.example.com/s/abc',
      allowedOrigins: ['https://api.example.com']
    })
  })

  test('to a practice service on this computer is accepted only for that service’s account', () => {
    const link = 'http://127.0.0.1:4100/sign/abc'
    expect(checkSigningAddress(link, practice)).toEqual({
      ok: true,
      url: link,
      allowedOrigins: [],
      practiceOrigin: 'http://127.0.0.1:4100'
    })
    expect(checkSigningAddress(link, service)).toEqual({ ok: false, reason: 'not-encrypted' })
    expect(checkSigningAddress(link, { kind: 'service', baseUrl: 'http://127.0.0.1:4100/web/v1.4' }).ok).toBe(true)
    expect(checkSigningAddress(link, { kind: 'service', baseUrl: 'http://127.0.0.1:4101' }).ok).toBe(false)
    expect(checkSigningAddress('http://localhost:4100/sign/abc', practice).ok).toBe(false)
  })

  test('to an address in the office’s network is accepted if the service itself is there', () => {
    const inOffice = { kind: 'service', baseUrl: 'https://signing.corp/web/v1.4' } as const
    expect(checkSigningAddress('https://signing.corp/s/abc', inOffice)).toMatchObject({ ok: true })
    expect(checkSigningAddress('https://other.corp/s/abc', inOffice)).toEqual({ ok: false, reason: 'private-network' })
    expect(checkSigningAddress('https://signing.corp:8443/s', inOffice)).toEqual({
      ok: false,
      reason: 'private-network'
    })
  })

  test.each([
    ['', 'not-an-address'],
    ['abc', 'not-an-address'],
    ['//sign.example.com/x', 'not-an-address'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['app://countersign/index.html', 'scheme'],
    ['about:blank', 'scheme'],
    ['blob:https://sign.example.com/x', 'scheme'],
    ['view-source:https://sign.example.com', 'scheme'],
    ['http://sign.example.com/', 'not-encrypted'],
    ['http://localhost:4100/', 'not-encrypted'],
    ['https://ana:secret@sign.example.com/', 'credentials'],
    ['https://127.0.0.1/', 'private-network'],
    ['https://localhost/', 'private-network'],
    ['https://192.168.1.1/', 'private-network'],
    ['https://2130706433/', 'private-network'],
    ['https://[::1]/', 'private-network'],
    ['https://intranet/', 'private-network']
  ])('%j is refused: %s', (link, reason) => {
    expect(checkSigningAddress(link, service)).toEqual({ ok: false, reason })
  })

  test.each(['http://127.0.0.1:4101/x', 'http://localhost:4100/x', 'http://127.0.0.1/x', 'http://[::1]:4100/x'])(
    '%s isn’t the practice office’s link',
    (link) => expect(checkSigningAddress(link, practice).ok).toBe(false)
  )

  test('is refused with a sentence that doesn’t repeat it', () => {
    for (const reason of ['not-an-address', 'scheme', 'not-encrypted', 'credentials', 'private-network'] as const) {
      expect(signingAddressMessage(reason)).toMatch(/link.*\.$/)
    }
  })
})

describe('a link for the system’s browser', () => {
  test('is opened if it is a plain web address', () => {
    expect(checkExternalLink('https://sign.example.com/edit?x=1')).toEqual({
      ok: true,
      href: 'https://sign.example.com/edit?x=1'
    })
  })

  test('may lead to the account’s own host in the office’s network, and to the practice office', () => {
    expect(checkExternalLink('https://signing.corp/edit', { host: 'signing.corp' }).ok).toBe(true)
    expect(checkExternalLink('https://wiki.corp/edit', { host: 'signing.corp' }).ok).toBe(false)
    expect(checkExternalLink('http://127.0.0.1:4100/edit', { practiceOrigin: 'http://127.0.0.1:4100' }).ok).toBe(true)
    expect(checkExternalLink('http://127.0.0.1:4101/edit', { practiceOrigin: 'http://127.0.0.1:4100' }).ok).toBe(false)
    expect(checkExternalLink('http://sign.example.com/', { practiceOrigin: 'http://sign.example.com' }).ok).toBe(false)
  })

  test.each([
    ['', 'not-an-address'],
    ['calc.exe', 'not-an-address'],
    ['\\\\server\\share\\run.exe', 'not-an-address'],
    ['file:///C:/Windows/System32/calc.exe', 'scheme'],
    ['C:\\Windows\\System32\\calc.exe', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['ms-msdt:/id PCWDiagnostic', 'scheme'],
    ['search-ms:query=x&crumb=location:\\\\server', 'scheme'],
    ['smb://server/share', 'scheme'],
    ['vscode://file/etc/passwd', 'scheme'],
    ['mailto:ana@example.com', 'scheme'],
    ['app://countersign/index.html', 'scheme'],
    ['http://sign.example.com/', 'scheme'],
    ['https://ana:secret@sign.example.com/', 'credentials'],
    ['https://192.168.1.1/', 'private-network'],
    ['https://0x7f000001/', 'private-network'],
    [`https://sign.example.com/${'a'.repeat(3000)}`, 'too-long']
  ])('%j is refused: %s', (link, reason) => {
    expect(checkExternalLink(link)).toEqual({ ok: false, reason })
  })
})
