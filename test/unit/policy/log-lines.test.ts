import { describe, expect, test } from 'vitest'
import { scrub, scrubDetail } from '../../../src/main/core/policy/log-lines.ts'

describe('a log line keeps', () => {
  test.each([
    'The practice office did not open.',
    'accounts.add: timeout after 30 s (attempt 2 of 3)',
    'send 3f2504e0-4f89-41d3-9a0c-0305e82c3301 is uncertain',
    'FormDirect/SendForms2: server (502)'
  ])('%s', (line) => expect(scrub(line)).toBe(line))
})

describe('a log line never holds', () => {
  test.each([
    ['an e-mail address', 'sent to ana.example@example.com', 'ana'],
    ['the path of a link', 'GET https://sign.example.com/s/k3y?t=abc failed', 'k3y'],
    ['an id within a link, which is its key', 'https://x.example/s/3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3f2504e0'],
    ['the user of a link', 'https://ana:pa55@sign.example.com/', 'pa55'],
    ['a token', 'Authorization: Bearer abcdef.ghijkl', 'abcdef'],
    ['a secret by its name', 'secret=pa55word', 'pa55word'],
    ['a key by its look', 'got QmFzZTY0U2lnbmF0dXJlVGhhdElzTG9uZw==', 'QmFz'],
    ['a folder of a person', 'EACCES: open /home/ana/Contracts/Ana.pdf', 'ana'],
    ['a folder of a person on Windows', 'open C:\\Users\\Ana\\x.pdf', 'Ana'],
    ['a telephone number', 'mobile +64 21 012 345', '012']
  ])('%s', (_what, line, secret) => expect(scrub(line)).not.toContain(secret))
})

test('a detail keeps plain values and names the type of the others', () => {
  expect(
    scrubDetail({
      request: 'drafts.save',
      count: 3,
      fields: ['composition.items.0.Name'],
      error: new Error('Ana'),
      to: 'a@example.com'
    })
  ).toEqual({
    request: 'drafts.save',
    count: 3,
    fields: ['composition.items.0.Name'],
    error: '‹object›',
    to: '‹address›'
  })
})

test('a long text is cut at the end of a word, as half an address wouldn’t be recognised', () => {
  const path = `/home/${'x'.repeat(1980)}`
  expect(scrub(`${path} wiremu.ngata@example.com`)).toBe('‹path› ')
  expect(scrub('x'.repeat(1_000_000))).toBe('')
})
