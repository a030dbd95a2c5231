/** Attacks from another computer in the office's network: the rows of docs/attacks.md. */
import { expect } from 'vitest'
import { readTypedAddress } from '../../../src/main/core/accounts/credentials.ts'
import { readPolicy } from '../../../src/main/core/organisation/reading.ts'
import { openOwnAuthorities } from '../../../src/main/core/service/own-authorities.ts'
import type { ProxySignIns } from '../../../src/main/core/service/proxy-sign-in.ts'
import { aCertificate, type Made } from '../../contract/certificates.ts'
import { officeNetwork } from '../../e2e/attacks/tables/office-network.ts'
import { opened as certificates, OFFICE, one, PLACE, store } from '../accounts/client-certificate-office.ts'
import { GRACE, OFFICE as PROXY, signedIn } from '../service/proxy-office.ts'
import { attempts } from './attempts.ts'

const DAY = 86_400_000
const NAME = 'sign.office.example'
const inDays = (days: number) => new Date(Date.now() + days * DAY)
const root = aCertificate({ name: 'Harbour Law Root', isAuthority: true })
const impostor = aCertificate({ name: root.name, isAuthority: true })
const last = aCertificate({ name: 'Last', by: root, isAuthority: 0 })

/** Checks that a server with this chain isn't trusted. */
async function expectNotVouched(chain: readonly Made[], trusted: readonly Made[] = [root]): Promise<void> {
  const own = openOwnAuthorities(() => trusted.map(({ cert }) => cert), Date.now)
  expect(await own.vouch({ hostname: NAME, chain: chain.map(({ cert }) => cert) })).toBe(false)
}

/** Returns the store, with a certificate chosen for the office's service. */
function chosen() {
  const made = certificates()
  made.certificates.store('office', OFFICE.baseUrl, one('a'))
  return made
}

/** Checks that after a sign-in to the office's proxy another proxy gets no credentials. */
async function expectNotGiven(challenge: Partial<typeof PROXY>): Promise<void> {
  const { signIns } = await signedIn()
  expect(await signIns.forRequest().answer({ ...PROXY, ...challenge })).toBeUndefined()
}

/** A second proxy that a request may reach after the first refuses it. */
const NEXT = { ...PROXY, host: 'next.office.example' }

/** Checks that of several concurrent requests only one shows the office's proxy unproven credentials. */
async function expectShownOnce(signIns: ProxySignIns): Promise<void> {
  const requests = Array.from({ length: 6 }, () => signIns.forRequest())
  const [first, ...others] = requests.map((request) => request.answer(PROXY))
  let shown = 0
  for (const answer of others) void answer.then((login) => login && shown++)
  await first
  await new Promise((resolve) => setImmediate(resolve))
  expect(shown).toBe(0)
  for (const request of requests) request.finish('failed')
}

const NAMED = ['sign.office.example']
const expectNotPlain = (typed: string) => {
  expect(readTypedAddress('http://sign.office.example/web', NAMED).ok).toBe(true)
  expect(readTypedAddress(typed, NAMED).ok).toBe(false)
}

attempts(officeNetwork, {
  'have an authority of the same name vouch for it': () =>
    expectNotVouched([aCertificate({ name: NAME, by: impostor }), impostor]),
  'have an authority vouch that nobody named': () => expectNotVouched([aCertificate({ name: NAME, by: root })], [last]),
  'show the certificate of another server': () => expectNotVouched([aCertificate({ name: 'other.example', by: root })]),
  'show a certificate that is over': () => expectNotVouched([aCertificate({ name: NAME, by: root, to: inDays(-0.5) })]),
  'show a certificate that isn’t valid yet': () =>
    expectNotVouched([aCertificate({ name: NAME, by: root, from: inDays(0.5) })]),
  'show a certificate of a client': () => expectNotVouched([aCertificate({ name: NAME, by: root, purpose: 'client' })]),
  'show the certificate of an authority as its own': () =>
    expectNotVouched([aCertificate({ name: NAME, by: root, isAuthority: true })]),
  'have a server vouch for it': () => {
    const server = aCertificate({ name: 'Printer', by: root })
    return expectNotVouched([aCertificate({ name: NAME, by: server }), server])
  },
  'have an authority vouch that stands too far below': () => {
    const below = aCertificate({ name: 'Below', by: last, isAuthority: true })
    return expectNotVouched([aCertificate({ name: NAME, by: below }), below, last])
  },
  'have an authority vouch beyond its names': () => {
    const limited = aCertificate({ name: 'Limited', by: root, isAuthority: true, onlyFor: 'branch.example' })
    return expectNotVouched([aCertificate({ name: NAME, by: limited }), limited])
  },
  'have an authority vouch that is over': () => {
    const over = aCertificate({ name: 'Old Root', isAuthority: true, to: inDays(-0.5) })
    return expectNotVouched([aCertificate({ name: NAME, by: over })], [over])
  },
  'show a short key': () => expectNotVouched([aCertificate({ name: NAME, by: root, weak: 'key' })]),
  'show a signature that can be forged': () =>
    expectNotVouched([aCertificate({ name: NAME, by: root, weak: 'signature' })]),
  'send certificates without end': () =>
    expectNotVouched([aCertificate({ name: NAME, by: root }), ...Array<Made>(9).fill(root)]),

  'be shown the certificate at another host': () => {
    expect(chosen().certificates.choose('sign.example.com.evil.example:443', store)).toBeUndefined()
  },
  'be shown the certificate at another port': () => {
    expect(chosen().certificates.choose('sign.example.com:8443', store)).toBeUndefined()
  },
  'be shown the certificate after an account was led there': () => {
    const { certificates, list } = chosen()
    list[0] = { ...OFFICE, baseUrl: 'https://other.example.com' }
    expect(certificates.choose('other.example.com:443', store)).toBeUndefined()
  },
  'be shown one of another issuer in place of one that is gone': () => {
    expect(chosen().certificates.choose(PLACE, [one('f', { issuer: 'Another' })])).toBeUndefined()
  },
  'be shown the certificate without encryption': () => {
    const { certificates, list } = chosen()
    list[0] = { ...OFFICE, baseUrl: 'http://127.0.0.1:4100' }
    certificates.store('office', 'http://127.0.0.1:4100', one('a'))
    expect(certificates.choose('127.0.0.1:4100', store)).toBeUndefined()
  },

  'be given the proxy’s password as a website': () => expectNotGiven({ isProxy: false }),
  'be given the password as another proxy': () => expectNotGiven({ host: 'proxy.other.example' }),
  'be given the password at another port': () => expectNotGiven({ port: 3128 }),
  'be given a password again that it refused': async () => {
    const { signIns } = await signedIn()
    const request = signIns.forRequest()
    await request.answer(PROXY)
    expect(await request.answer(PROXY)).toBeUndefined()
  },
  'have a wrong password shown until its user is locked out': async () => {
    const { signIns } = await signedIn()
    await expectShownOnce(signIns)
  },
  'be given the password of the proxy before it in a list': async () => {
    const { signIns } = await signedIn()
    const request = signIns.forRequest()
    expect(await request.answer(PROXY)).toEqual(GRACE)
    expect(await request.answer(NEXT)).toBeUndefined()
    // The person is asked to sign in to that proxy, by its name.
    expect(signIns.waiting()).toEqual({ proxy: 'next.office.example:8080', wasRefused: false })
  },
  'be given the password under a name that only looks like the proxy’s': async () => {
    for (const host of [
      'proxy.office.example.',
      'xproxy.office.example',
      'proxy.office.example:8080',
      'office.example'
    ])
      await expectNotGiven({ host })
  },
  'be given a password again once it had taken it': async () => {
    const { signIns } = await signedIn()
    const first = signIns.forRequest()
    await first.answer(PROXY)
    first.finish('answered')
    const request = signIns.forRequest()
    expect(await request.answer(PROXY)).toEqual(GRACE)
    for (let time = 0; time < 3; time++) expect(await request.answer(PROXY)).toBeUndefined()
    expect(await signIns.forRequest().answer(PROXY)).toBeUndefined()
  },
  'have a password taken for right that another proxy didn’t ask for': async () => {
    const { signIns } = await signedIn()
    const other = signIns.forRequest()
    await other.answer(NEXT)
    other.finish('failed')
    await signIns.signIn({ user: 'grace', password: 'another' })
    // The first proxy refuses by closing the connection; the next lets the request through.
    const request = signIns.forRequest()
    await request.answer(PROXY)
    await request.answer(NEXT)
    request.finish('answered')
    await expectShownOnce(signIns)
  },
  'hold up all requests by one that was given up': async () => {
    const { signIns } = await signedIn()
    const [first, second, last] = [signIns.forRequest(), signIns.forRequest(), signIns.forRequest()]
    await first.answer(PROXY)
    const waiting = second.answer(PROXY)
    second.finish('failed')
    first.finish('failed')
    expect(await waiting).toBeUndefined()
    expect(await last.answer(PROXY)).toEqual(GRACE)
  },

  'be gone past, by what the policy names as the proxy': () => {
    const problems = (proxy: object) => {
      const read = readPolicy(Buffer.from(JSON.stringify({ proxy })))
      return read.ok ? [] : read.problems
    }
    expect(problems({ server: 'proxy.office.example:8080' })).toEqual([])
    for (const server of [
      'proxy:8080,direct://',
      'proxy:8080;direct://',
      'direct://',
      'https=proxy:8080',
      'proxy:8080 '
    ])
      expect(problems({ server })).not.toEqual([])
  },

  'have a service reached without encryption': () => expectNotPlain('http://sign.example.com/web'),
  'pass for a host that may be, by a name below it': () => expectNotPlain('http://evil.sign.office.example/web'),
  'pass for a host that may be, by a name that begins with it': () =>
    expectNotPlain('http://sign.office.example.evil.example/web'),
  'pass for a host that may be, in place of a user’s name': () =>
    expectNotPlain('http://sign.office.example@evil.example/web')
})
