import { describe, expect, test } from 'vitest'
import { readAllowedOrigin } from '../../../src/main/core/policy/allowed-origins.ts'

describe('an origin added by an administrator', () => {
  test.each([
    ['https://sign.example.com', 'https://sign.example.com'],
    ['  https://sign.example.com  ', 'https://sign.example.com'],
    ['https://sign.example.com/', 'https://sign.example.com'],
    ['HTTPS://SIGN.Example.COM', 'https://sign.example.com'],
    ['https://sign.example.com:443', 'https://sign.example.com'],
    ['https://sign.example.com:443/', 'https://sign.example.com'],
    ['https://sign.example.com:8443', 'https://sign.example.com:8443'],
    ['https://bücher.example.com', 'https://xn--bcher-kva.example.com'],
    ['https://XN--BCHER-KVA.example.com', 'https://xn--bcher-kva.example.com'],
    ['https://ｓｉｇｎ.example.com', 'https://sign.example.com'],
    ['https://sign.example。com', 'https://sign.example.com'],
    ['https://8.8.8.8', 'https://8.8.8.8'],
    ['https://[2606:4700::1111]', 'https://[2606:4700::1111]'],
    ['https://localhost.example.com', 'https://localhost.example.com']
  ])('%s is stored as %s, and that stays the same', (typed, origin) => {
    expect(readAllowedOrigin(typed)).toEqual({ ok: true, origin })
    expect(readAllowedOrigin(origin)).toEqual({ ok: true, origin })
  })

  test.each([
    ['nothing', '', /Enter/],
    ['spaces alone', '   ', /Enter/],
    ['a host without a scheme', 'sign.example.com', /https/],
    ['without encryption', 'http://sign.example.com', /https/],
    ['a file', 'file:///C:/Windows', /https/],
    ['our own pages', 'app://countersign', /https/],
    ['a program', 'javascript:alert(1)', /https/],
    ['data', 'data:text/html,x', /https/],
    ['a page kept in memory', 'blob:https://sign.example.com/1', /https/],
    ['a scheme that begins alike', 'httpsx://sign.example.com', /https/],
    ['one slash', 'https:/sign.example.com', /https/],
    ['no host', 'https://', /complete/],
    ['no host but a port', 'https://:443', /complete/],
    ['a port that there isn’t', 'https://sign.example.com:99999', /complete/],
    ['any host', 'https://*', /each address in full/],
    ['any host below one', 'https://*.example.com', /each address in full/],
    ['any port', 'https://sign.example.com:*', /each address in full/],
    ['a name', 'https://ana@sign.example.com', /name and password/],
    ['a name and a password', 'https://ana:secret@sign.example.com', /name and password/],
    ['an empty name', 'https://@sign.example.com', /name and password/],
    ['empty name and password', 'https://:@sign.example.com', /name and password/],
    ['another host behind an @', 'https://sign.example.com@evil.example', /name and password/],
    ['a path', 'https://sign.example.com/sign', /after the domain name/],
    ['two slashes', 'https://sign.example.com//', /after the domain name/],
    ['a dot for a path', 'https://sign.example.com/.', /after the domain name/],
    ['a question', 'https://sign.example.com?x', /after the domain name/],
    ['an empty question', 'https://sign.example.com/?', /after the domain name/],
    ['a part of a page', 'https://sign.example.com#x', /after the domain name/],
    ['a backslash', 'https://sign.example.com\\@evil.example', /backslash/],
    ['a space within', 'https://sign. example.com', /spaces/],
    ['a line feed within', 'https://sign\n.example.com', /spaces/],
    ['a mark that turns the text around', 'https://sign\u202e.example.com', /spaces/],
    ['a soft hyphen', 'https://si\u00adgn.example.com', /spaces/],
    ['a dot at the end', 'https://sign.example.com.', /dot/],
    ['this machine by name', 'https://localhost', /private/],
    ['this machine', 'https://127.0.0.1:8443', /private/],
    ['this machine as a number', 'https://2130706433', /private/],
    ['this machine in octal', 'https://0177.0.0.1', /private/],
    ['this machine with full-width digits', 'https://１２７.0.0.1', /private/],
    ['this machine in IPv6', 'https://[::1]', /private/],
    ['this machine mapped into IPv6', 'https://[::ffff:7f00:1]', /private/],
    ['the router', 'https://192.168.1.1', /private/],
    ['where clouds keep credentials', 'https://169.254.169.254', /private/],
    ['a name of the office', 'https://intranet', /private/],
    ['a printer', 'https://printer.local', /private/],
    ['what is longer than a host can be', `https://${'a'.repeat(300)}.example.com`, /too long/]
  ])('is refused with %s (%s)', (_what, typed, why) => {
    const read = readAllowedOrigin(typed)
    expect(read).toMatchObject({ ok: false, message: expect.stringMatching(why) })
  })

  test('isn’t repeated in the sentence that refuses it', () => {
    const read = readAllowedOrigin('https://ana:s3cret@sign.example.com')
    expect(JSON.stringify(read)).not.toMatch(/ana|s3cret|sign/)
  })
})
