import { expect, test } from 'vitest'
import { pagePolicy, withPagePolicy, withSubresourcePolicy } from '../../../src/main/core/policy/page-policy.ts'

const service = { allowedOrigins: ['https://sign.example.com'], returnAddresses: [] }

test('a page’s scripts can connect only to its allowed origins, as can its workers, which load from nowhere else', () => {
  const reach =
    'connect-src https://sign.example.com wss://sign.example.com data: blob:; worker-src https://sign.example.com blob:'
  expect(pagePolicy(service).startsWith(`${reach}; object-src 'none'; sandbox `)).toBe(true)
  expect(withSubresourcePolicy({ 'Content-Type': ['text/javascript'] }, service)).toEqual({
    'Content-Type': ['text/javascript'],
    'content-security-policy': [reach]
  })
})

test('a page can’t open dialogs, print or delay its closing; our guards decide the rest', () => {
  const sandbox = /sandbox ([^;]*)/.exec(pagePolicy(service))?.[1]?.split(' ')
  expect(sandbox).not.toContain('allow-modals')
  expect(sandbox).toEqual(
    expect.arrayContaining([
      'allow-forms',
      'allow-popups',
      'allow-same-origin',
      'allow-scripts',
      'allow-top-navigation'
    ])
  )
})

test('a page of the practice office can also connect to the practice office', () => {
  const policy = pagePolicy({ ...service, practiceOrigin: 'http://127.0.0.1:4100' })
  expect(policy).toContain('http://127.0.0.1:4100 wss://sign.example.com ws://127.0.0.1:4100 data: blob:;')
})

test('the page’s own policy is kept beside ours, however its header is written', () => {
  const headers = { 'Content-Type': ['text/html'], 'Content-Security-Policy': ["default-src 'self'", 'img-src https:'] }
  expect(withPagePolicy(headers, service)).toEqual({
    'Content-Type': ['text/html'],
    'content-security-policy': ["default-src 'self'", 'img-src https:', pagePolicy(service)],
    'permissions-policy': ['picture-in-picture=()'],
    'x-dns-prefetch-control': ['off']
  })
  expect(withPagePolicy({ 'Permissions-Policy': ['camera=()'] }, service)).toEqual({
    'content-security-policy': [pagePolicy(service)],
    'permissions-policy': ['camera=()', 'picture-in-picture=()'],
    'x-dns-prefetch-control': ['off']
  })
  expect(Object.keys(withPagePolicy(undefined, service))).toEqual([
    'content-security-policy',
    'permissions-policy',
    'x-dns-prefetch-control'
  ])
})
