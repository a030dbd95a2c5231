import { expect, test } from 'vitest'
import { pagePolicy, withPagePolicy } from '../../../src/main/core/policy/page-policy.ts'

const service = { allowedOrigins: ['https://sign.example.com'], returnAddresses: [] }

test('a page of the service may speak over encrypted sockets only', () => {
  expect(pagePolicy(service)).toBe("connect-src https: http: wss: data: blob:; object-src 'none'")
})

test('a page of the practice office may also speak to the practice office', () => {
  const policy = pagePolicy({ ...service, practiceOrigin: 'http://127.0.0.1:4100' })
  expect(policy).toContain('wss: data: blob: ws://127.0.0.1:4100;')
})

test('the page’s own policy stays beside ours, however its header is written', () => {
  const headers = { 'Content-Type': ['text/html'], 'Content-Security-Policy': ["default-src 'self'", 'img-src https:'] }
  expect(withPagePolicy(headers, service)).toEqual({
    'Content-Type': ['text/html'],
    'content-security-policy': ["default-src 'self'", 'img-src https:', pagePolicy(service)]
  })
  expect(withPagePolicy(undefined, service)).toEqual({ 'content-security-policy': [pagePolicy(service)] })
})
