import { describe, expect, test } from 'vitest'
import { blockReason, isPrivateAddress, isPrivateHost } from '../../../src/main/core/policy/private-networks.ts'

/** Returns the host as in a URL, which is how the product asks. */
const hostOf = (written: string) => new URL(`http://${written}/`).hostname

describe('private hosts', () => {
  test.each([
    ['this machine', '127.0.0.1'],
    ['this machine, another of its addresses', '127.8.9.1'],
    ['this machine by name', 'localhost'],
    ['this machine by name, ended with a dot', 'localhost.'],
    ['a name below this machine’s', 'app.localhost'],
    ['this machine in capitals', 'LOCALHOST'],
    ['this machine as one decimal number', '2130706433'],
    ['this machine as one hexadecimal number', '0x7f000001'],
    ['this machine in octal', '0177.0.0.1'],
    ['this machine in two parts', '127.1'],
    ['this machine with full-width digits', '１２７.０.０.１'],
    ['this machine, percent-encoded', '%31%32%37.0.0.1'],
    ['this machine, ended with a dot', '127.0.0.1.'],
    ['any address of this machine', '0.0.0.0'],
    ['any address, shortened', '0'],
    ['ten', '10.1.2.3'],
    ['one-seven-two', '172.16.0.1'],
    ['the end of one-seven-two', '172.31.255.255'],
    ['the router', '192.168.1.1'],
    ['the router as a number', '3232235777'],
    ['link-local, where clouds keep credentials', '169.254.169.254'],
    ['the provider’s own', '100.64.0.1'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '192.0.2.1'],
    ['multicast', '224.0.0.251'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['loopback of IPv6', '[::1]'],
    ['loopback of IPv6 in full', '[0:0:0:0:0:0:0:1]'],
    ['unspecified of IPv6', '[::]'],
    ['link-local of IPv6', '[fe80::1]'],
    ['unique-local', '[fd12:3456::1]'],
    ['old site-local', '[fec0::1]'],
    ['multicast of IPv6', '[ff02::fb]'],
    ['this machine mapped into IPv6', '[::ffff:127.0.0.1]'],
    ['the router mapped into IPv6, in hexadecimal', '[::ffff:c0a8:101]'],
    ['the router as IPv4-compatible', '[::192.168.1.1]'],
    ['the router translated', '[::ffff:0:192.168.1.1]'],
    ['ten through NAT64', '[64:ff9b::10.0.0.1]'],
    ['a NAT64 of one’s own', '[64:ff9b:1::1]'],
    ['the router through 6to4', '[2002:c0a8:101::1]'],
    ['Teredo', '[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
    ['documentation of IPv6', '[2001:db8::1]'],
    ['the newer documentation of IPv6', '[3fff::1]'],
    ['a name of the office', 'intranet'],
    ['a printer', 'printer.local'],
    ['a cloud’s own', 'metadata.google.internal'],
    ['home', 'nas.home.arpa'],
    ['lan', 'router.lan'],
    ['corp', 'wiki.corp']
  ])('%s (%s)', (_what, written) => {
    expect(isPrivateHost(hostOf(written))).toBe(true)
  })

  test('an empty host', () => {
    expect(isPrivateHost('')).toBe(true)
    expect(isPrivateHost('.')).toBe(true)
  })
})

describe('public hosts', () => {
  test.each([
    'sign.example.com',
    'sign.example.com.',
    'localhost.example.com',
    'local.example',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '193.0.0.1',
    '[2606:4700::1111]',
    '[2a00:1450:4001::1]',
    '[::ffff:8.8.8.8]',
    '[64:ff9b::8.8.8.8]',
    '[2002:808:808::1]'
  ])('%s', (written) => {
    expect(isPrivateHost(hostOf(written))).toBe(false)
  })
})

test('an address with a zone is judged without it, and an invalid address counts as private', () => {
  expect(isPrivateAddress('fe80::1%eth0')).toBe(true)
  expect(isPrivateAddress('2606:4700::1111%eth0')).toBe(false)
  expect(isPrivateAddress('sign.example.com')).toBe(true)
  expect(isPrivateAddress('')).toBe(true)
})

describe('a public name', () => {
  const reach = (address: string, found: readonly string[] | 'elsewhere') =>
    blockReason(new URL(address), async () => found)

  test('can be reached if all its addresses are public', async () => {
    expect(await reach('https://cdn.example.net/', ['93.184.215.14', '2606:4700::1111'])).toBeUndefined()
  })

  test.each([
    ['this machine', ['127.0.0.1']],
    ['the router beside a public address', ['93.184.215.14', '192.168.1.1']],
    ['this machine over IPv6', ['::1']],
    ['this machine mapped', ['::ffff:127.0.0.1']]
  ])('can’t if it resolves to %s', async (_where, found) => {
    expect(await reach('https://cdn.example.net/', found)).toBe('private-network')
  })

  test('can’t if it isn’t resolved', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'))
    expect(await blockReason(new URL('https://cdn.example.net/'), lookup)).toBe('not-found')
    expect(await reach('https://cdn.example.net/', [])).toBe('not-found')
  })

  test('can if a proxy resolves it, unless it is plainly private', async () => {
    expect(await reach('https://cdn.example.net/', 'elsewhere')).toBeUndefined()
    expect(await reach('https://router.lan/', 'elsewhere')).toBe('private-network')
  })

  test('isn’t looked up if it is already an address', async () => {
    const lookup = () => Promise.reject(new Error('must not be asked'))
    expect(await blockReason(new URL('https://8.8.8.8/'), lookup)).toBeUndefined()
    expect(await blockReason(new URL('https://[2606:4700::1111]/'), lookup)).toBeUndefined()
    expect(await blockReason(new URL('https://10.0.0.1/'), lookup)).toBe('private-network')
  })
})
