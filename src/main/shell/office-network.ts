/**
 * The office's own network, for every session: the certificate authorities that the organisation trusts in addition to
 * the system's, the client certificates of accounts, and the proxy with its sign-in.
 */
import { app, type Session } from 'electron'
import type { ClientCertificates } from '../core/accounts/client-certificates.ts'
import type { Policy } from '../core/organisation/schema.ts'
import { AUTHORITY_INVALID, type OwnAuthorities } from '../core/service/own-authorities.ts'
import type { ProxyChallenge, ProxyLogin, ProxySignIns } from '../core/service/proxy-sign-in.ts'

/** Chromium's codes for "use your own result" and "trusted". */
const KEEP_RESULT = -3
const TRUSTED = 0
/** The most certificates of one server's chain that are looked at: it could be endless. */
const MAX_CHAIN_LENGTH = 10

/**
 * Trusts the organisation's authorities. Must be called before the sessions for services and signing pages are created.
 */
export function trustOwnAuthorities(authorities: Pick<OwnAuthorities, 'vouch'>): void {
  app.on('session-created', (created: Session) => {
    created.setCertificateVerifyProc(({ hostname, certificate, errorCode }, answer) => {
      if (errorCode !== AUTHORITY_INVALID) return answer(KEEP_RESULT)
      void authorities
        .vouch({ hostname, chain: chainOf(certificate) })
        .then((isVouchedFor) => answer(isVouchedFor ? TRUSTED : KEEP_RESULT))
    })
  })
}

function chainOf(certificate: Electron.Certificate): string[] {
  const chain: string[] = []
  for (
    let next: Electron.Certificate | undefined = certificate;
    next && chain.length < MAX_CHAIN_LENGTH;
    next = next.issuerCert
  ) {
    chain.push(next.data)
  }
  return chain
}

let clientCertificates: Pick<ClientCertificates, 'choose'> | undefined

export function useClientCertificates(certificates: Pick<ClientCertificates, 'choose'>): void {
  clientCertificates = certificates
}

/** The certificate that a service of ours is shown; undefined for none. @param hostAndPort host and port. */
export function certificateFor(
  hostAndPort: string,
  store: readonly Electron.Certificate[]
): Electron.Certificate | undefined {
  const chosen = clientCertificates?.choose(
    hostAndPort,
    store.map(({ fingerprint, subjectName, issuerName, validExpiry }) => ({
      fingerprint,
      subject: subjectName,
      issuer: issuerName,
      // Electron counts in seconds.
      validTo: validExpiry * 1000
    }))
  )
  return store.find(({ fingerprint }) => fingerprint === chosen?.fingerprint)
}

/**
 * Directs every session created from now on through the organisation's proxy, or the system's if it has set none.
 * @returns a function that resolves once a session uses it. It rejects if that's impossible: nothing may bypass a
 * proxy.
 */
export function useOrganisationProxy(proxy: Policy['proxy']): (own: Session) => Promise<void> {
  const proxied = new WeakMap<Session, Promise<void>>()
  if (proxy) {
    app.on('session-created', (created: Session) => void proxied.set(created, created.setProxy(proxyConfig(proxy))))
  }
  return async (own) => proxied.get(own)
}

function proxyConfig({ server, except = [], script }: NonNullable<Policy['proxy']>): Electron.ProxyConfig {
  if (script !== undefined) return { mode: 'pac_script', pacScript: script }
  if (server === undefined) return { mode: 'direct' }
  return { mode: 'fixed_servers', proxyRules: server, proxyBypassRules: except.join(';') }
}

let proxySignIns: Pick<ProxySignIns, 'forRequest'> | undefined

export function useProxySignIns(signIns: Pick<ProxySignIns, 'forRequest'>): void {
  proxySignIns = signIns
}

/**
 * Returns the sign-in for a page's request through a proxy; undefined if it's a website that asks, or if nobody has
 * signed in.
 * @param isFirst whether this page's request hasn't been asked for a sign-in before.
 */
export async function proxyLoginFor(challenge: ProxyChallenge, isFirst: boolean): Promise<ProxyLogin | undefined> {
  if (!isFirst || !proxySignIns) return undefined
  const answers = proxySignIns.forRequest()
  const login = await answers.answer(challenge)
  // A page's request isn't followed up, so it neither proves nor refutes the sign-in.
  answers.finish('failed')
  return login
}
