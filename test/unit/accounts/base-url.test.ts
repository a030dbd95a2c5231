import { expect, test } from 'vitest'
import { readTypedAddress } from '../../../src/main/core/accounts/credentials.ts'

test.each([
  ['https://sign.example.com/web/v1.4', 'https://sign.example.com/web/v1.4'],
  ['  https://sign.example.com/Web/v1.3/ ', 'https://sign.example.com/Web/v1.3'],
  ['https://SIGN.example.com/WEB//', 'https://sign.example.com/WEB'],
  ['https://sign.example.com', 'https://sign.example.com'],
  ['https://sign.example.com:8443/', 'https://sign.example.com:8443'],
  ['HTTPS://sign.example.com/a', 'https://sign.example.com/a'],
  ['http://127.0.0.1:4100/web/v1.4', 'http://127.0.0.1:4100/web/v1.4'],
  ['http://localhost:4100', 'http://localhost:4100'],
  ['http://[::1]:4100/', 'http://[::1]:4100']
])('“%s” is accepted as %s', (typed, value) => {
  expect(readTypedAddress(typed)).toEqual({ ok: true, value })
})

test.each([
  ['', /enter the service address/i],
  ['   ', /enter the service address/i],
  ['sign.example.com/web/v1.4', /start.*https/i],
  ['localhost:4100', /start.*https/i],
  ['http://sign.example.com/web/v1.4', /must start with https/i],
  ['http://localhost.example.com', /must start with https/i],
  ['http://127.0.0.1.example.com', /must start with https/i],
  ['http://192.168.1.4', /must start with https/i],
  ['ftp://sign.example.com', /start.*https/i],
  ['javascript:alert(1)', /start.*https/i],
  ['file:///etc/passwd', /isn’t complete/],
  ['https://', /isn’t complete/],
  ['https://ana:secret@sign.example.com', /name and password/],
  ['https://@sign.example.com', /name and password/],
  ['https://sign.example.com?key=1', /“\?” or “#”/],
  ['https://sign.example.com/?', /“\?” or “#”/],
  ['https://sign.example.com/#a', /“\?” or “#”/],
  ['https://sign.example.com\\@example.org', /backslashes/],
  ['https://sign.example.com/a b', /spaces/],
  ['https://sign.exam\u202eple.com', /spaces/],
  ['https:sign.example.com', /start.*https/i]
])('“%s” is refused with advice', (typed, message) => {
  const read = readTypedAddress(typed)
  expect(read).toMatchObject({ ok: false, message: expect.stringMatching(message) })
  expect(JSON.stringify(read)).not.toContain('secret')
})
