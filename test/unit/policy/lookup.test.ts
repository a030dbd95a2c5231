import { expect, test } from 'vitest'
import { blockReason } from '../../../src/main/core/policy/private-networks.ts'
import { lookupIn } from '../../../src/main/shell/dns-lookup.ts'

/** A session with given proxies and addresses. Chromium answers in the format of `ProxyList::ToDebugString`. */
const session = (route: string, addresses: readonly string[] | 'unknown') => ({
  resolveProxy: async () => route,
  async resolveHost() {
    if (addresses === 'unknown') throw new Error('net::ERR_NAME_NOT_RESOLVED')
    return { endpoints: addresses.map((address) => ({ address, family: 'ipv4' as const })) }
  }
})

test('a name is judged by where this machine would connect, even if that is only the last of several proxies', async () => {
  for (const [route, addresses, found] of [
    ['DIRECT', ['10.0.0.1'], ['10.0.0.1']],
    ['PROXY a:8080', ['10.0.0.1'], 'elsewhere'],
    ['PROXY a:8080;HTTPS b:443', ['10.0.0.1'], 'elsewhere'],
    ['PROXY a:8080;DIRECT', ['10.0.0.1'], ['10.0.0.1']],
    ['PROXY a:8080; SOCKS5 b:1080; direct', ['93.184.215.14'], ['93.184.215.14']],
    ['DIRECT;PROXY a:8080', ['10.0.0.1'], ['10.0.0.1']],
    // Only the proxies can resolve the name, so nothing bypasses them.
    ['PROXY a:8080;DIRECT', 'unknown', 'elsewhere'],
    // The policy names a script that can't be read: nothing can be reached.
    ['', ['10.0.0.1'], 'elsewhere'],
    ['PROXY direct.example:8080', ['10.0.0.1'], 'elsewhere']
  ] as const) {
    expect(await lookupIn(session(route, addresses))('sign.example.com'), route).toEqual(found)
  }
  await expect(lookupIn(session('DIRECT', 'unknown'))('sign.example.com')).rejects.toThrow()
  const page = new URL('https://sign.example.com/')
  const judged = (route: string) => blockReason(page, lookupIn(session(route, ['192.168.1.1'])))
  expect(await judged('PROXY a:8080;DIRECT')).toBe('private-network')
  expect(await judged('PROXY a:8080')).toBeUndefined()
})
