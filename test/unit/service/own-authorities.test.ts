/** Certificate authorities of the organisation's own: whom they vouch for, and what they vouch for nobody by. */
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

describe('an authority of the organisation’s own', () => {
  test('vouches for a server that it signed, and it can be said which did', async () => {
    const own = vouching([aCertificate({ name: 'Another Root', isAuthority: true }), root])
    const server = aCertificate({ name: NAME, by: root, purpose: 'server' })
    expect(own.voucherFor(`https://${NAME}/web`)).toBeUndefined()
    expect(await own.vouch({ hostname: NAME, chain: [server.cert] })).toBe(true)
    expect(own.voucherFor(`https://${NAME}/web`)).toEqual(authorityIn(root.cert))
    expect(authorityIn(root.cert)).toMatchObject({ name: 'Harbour Law Root' })
  })

  test('vouches by another that it signed', async () => {
    const between = aCertificate({ name: 'Issuing', by: root, isAuthority: 0 })
    expect(await vouched([root], [aCertificate({ name: NAME, by: between }), between])).toBe(true)
    // The root may be sent along.
    expect(await vouched([root], [aCertificate({ name: NAME, by: between }), between, root])).toBe(true)
  })

  const DAY = 86_400_000
  const impostor = aCertificate({ name: root.name, isAuthority: true })
  const notAuthority = aCertificate({ name: 'Printer', by: root })
  const last = aCertificate({ name: 'Last', by: root, isAuthority: 0 })
  const below = aCertificate({ name: 'Below', by: last, isAuthority: true })
  const limited = aCertificate({ name: 'Limited', by: root, isAuthority: true, onlyFor: 'branch.example' })
  const over = aCertificate({ name: 'Old Root', isAuthority: true, to: new Date(Date.now() - DAY / 2) })

  test.each([
    ['nobody signed', [root], [aCertificate({ name: NAME })]],
    ['another of its name signed', [root], [aCertificate({ name: NAME, by: impostor })]],
    [
      'another of its name signed, and which is sent along',
      [root],
      [aCertificate({ name: NAME, by: impostor }), impostor]
    ],
    ['is another’s', [root], [aCertificate({ name: 'other.example', by: root })]],
    ['is over', [root], [aCertificate({ name: NAME, by: root, to: new Date(Date.now() - DAY / 2) })]],
    ['isn’t valid yet', [root], [aCertificate({ name: NAME, by: root, from: new Date(Date.now() + DAY / 2) })]],
    ['is for clients', [root], [aCertificate({ name: NAME, by: root, purpose: 'client' })]],
    ['is itself an authority’s', [root], [aCertificate({ name: NAME, by: root, isAuthority: true })]],
    ['someone signed who is no authority', [root], [aCertificate({ name: NAME, by: notAuthority }), notAuthority]],
    ['an authority signed that stands too far below', [root], [aCertificate({ name: NAME, by: below }), below, last]],
    [
      'an authority signed that may vouch for other names',
      [root],
      [aCertificate({ name: NAME, by: limited }), limited]
    ],
    ['an authority signed that is over', [over], [aCertificate({ name: NAME, by: over })]],
    ['it signed, while it isn’t trusted', [], [aCertificate({ name: NAME, by: root })]],
    ['has a short key', [root], [aCertificate({ name: NAME, by: root, weak: 'key' })]],
    ['is signed by SHA-1', [root], [aCertificate({ name: NAME, by: root, weak: 'signature' })]],
    ['comes with more than anyone needs', [root], [aCertificate({ name: NAME, by: root }), ...Array(9).fill(root)]]
  ])('vouches for no server whose certificate %s', async (_what, trusted, chain) => {
    expect(await vouched(trusted, chain)).toBe(false)
  })

  test('vouches for none that comes with something else than certificates', async () => {
    expect(await vouching([root]).vouch({ hostname: NAME, chain: ['made up'] })).toBe(false)
    expect(await vouching([root]).vouch({ hostname: NAME, chain: [] })).toBe(false)
  })
})

test('what a policy may name is one certificate, of an authority', () => {
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
