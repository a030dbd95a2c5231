/** The organisation's own certificate authorities: which servers they vouch for, and which certificates never count. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { authorityIn, openOwnAuthorities } from '../../../src/main/core/service/own-authorities.ts'
import { aCertificate, type Made } from '../../contract/certificates.ts'

const NAME = 'sign.office.example'
const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
const vouching = (trusted: readonly Made[], now = Date.now()) =>
  openOwnAuthorities(
    () => trusted.map(({ cert }) => cert),
    () => now
  )
const vouched = (trusted: readonly Made[], chain: readonly Made[], hostname = NAME) =>
  vouching(trusted).vouch({ hostname, chain: chain.map(({ cert }) => cert) })

describe('an organisation’s certificate authority', () => {
  test('vouches for a server that it signed, and can be named', async () => {
    const own = vouching([aCertificate({ name: 'Another Root', isAuthority: true }), root])
    const server = aCertificate({ name: NAME, by: root, purpose: 'server' })
    expect(own.voucherFor(`https://${NAME}/web`)).toBeUndefined()
    expect(await own.vouch({ hostname: NAME, chain: [server.cert] })).toBe(true)
    expect(own.voucherFor(`https://${NAME}/web`)).toEqual(authorityIn(root.cert))
    expect(authorityIn(root.cert)).toMatchObject({ name: 'Harbour Law Root' })
  })

  test('vouches through an intermediate that it signed', async () => {
    const between = aCertificate({ name: 'Issuing', by: root, isAuthority: 0 })
    expect(await vouched([root], [aCertificate({ name: NAME, by: between }), between])).toBe(true)
    // The server may send the root as well.
    expect(await vouched([root], [aCertificate({ name: NAME, by: between }), between, root])).toBe(true)
  })

  test('vouches for no chain containing anything other than certificates', async () => {
    expect(await vouching([root]).vouch({ hostname: NAME, chain: ['made up'] })).toBe(false)
    expect(await vouching([root]).vouch({ hostname: NAME, chain: [] })).toBe(false)
  })
})

test('a policy’s entry must be a single certificate of an authority', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const server = aCertificate({ name: NAME, by: root })
  for (const text of [
    '',
    'made up',
    server.cert,
    `${root.cert}${root.cert}`,
    String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
  ]) {
    expect(authorityIn(text), text).toBeUndefined()
  }
})
