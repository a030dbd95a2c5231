/** The service address as people type it. */
import { describe, expect, test } from 'vitest'
import { createServiceClient, readBaseUrl } from '../../../src/main/core/service/index.ts'
import { noAuthentication } from '../../contract/client-factory.ts'

describe('a base URL', () => {
  test.each([
    ['https://api.example.org/web/v1.4', 'https://api.example.org/web/v1.4'],
    [' https://api.example.org/Web/v1.4/ ', 'https://api.example.org/Web/v1.4'],
    ['https://API.example.org', 'https://api.example.org'],
    ['https://api.example.org:443///', 'https://api.example.org'],
    ['http://127.0.0.1:4100/web?x=1#y', 'http://127.0.0.1:4100/web']
  ])('%j is accepted', (typed, href) => expect(readBaseUrl(typed).href).toBe(href))

  test.each([
    '',
    'api.example.org',
    'ftp://api.example.org',
    'file:///web',
    'javascript:alert(1)',
    'https://u:p@api.example.org',
    'https://'
  ])('%j is rejected', (typed) => {
    expect(() => readBaseUrl(typed)).toThrow(TypeError)
    const options = { baseUrl: typed, authentication: noAuthentication, fetch, clock: Date.now, random: Math.random }
    expect(() => createServiceClient(options)).toThrow(TypeError)
  })
})
