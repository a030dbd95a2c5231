/**
 * The office's own network as every session goes through it: the certificate authorities that the organisation trusts beside the
 * system's, the certificates by which accounts prove who they are, and the proxy with the sign-in to it.
 */
import { app, type Session } from 'electron'
import type { ClientCertificates } from '../core/accounts/client-certificates.ts'
import type { Policy } from '../core/organisation/schema.ts'
import { AUTHORITY_INVALID, type OwnAuthorities } from '../core/service/own-authorities.ts'
import type { ProxyChallenge, ProxyLogin, ProxySignIns } from '../core/service/proxy-sign-in.ts'

/** Chromium's words for "it is as you found", and for "believe it". */
const AS_FOUND = -3
const BELIEVED = 0
/** So many certificates of one server are looked at: as a chain they could be without end. */
const LONGEST_CHAIN = 10

/** To be called before the sessions are made that services and signing pages are reached in. */
export function trustOwnAuthorities(authorities: Pick<OwnAuthorities, 'vouch'>): void {
  app.on('session-created', (created: Session) => {
    created.setCertificateVerifyProc(({ hostname, certificate, errorCode }, answer) => {
      if (errorCode !== AUTHORITY_INVALID) return answer(AS_FOUND)
      void authorities
        .vouch({ hostname, chain: chainOf(certificate) })
        .then((isVouchedFor) => answer(isVouchedFor ? BELIEVED : AS_FOUND))
    })
  })
}

function chainOf(own: Electron.Certificate): string[] {
  const chain: string[] = []
  for (let next: Electron.Certificate | undefined = own; next && chain.length < LONGEST_CHAIN; next = next.issuerCert) {
    chain.push(next.data)
  }
  return chain
}

let shown: Pick<ClientCertificates, 'choose'> | undefined

/** From then on it is asked which certificate a service is shown. */
export function showCertificatesBy(certificates: Pick<ClientCertificates, 'choose'>): void {
  shown = certificates
}

/**
 * The certificate that a service of ours is shown; undefined for none.
 * @param place host and port.
 */
export function certificateFor(
  place: string,
  store: readonly Electron.Certificate[]
): Electron.Certificate | undefined {
  const chosen = shown?.choose(
    place,
    store.map(({ fingerprint, subjectName, issuerName, validExpiry }) => ({
      ...{ fingerprint, subject: subjectName, issuer: issuerName },
      // Electron counts in seconds.
      validTo: validExpiry * 1000
    }))
  )
  return store.find(({ fingerprint }) => fingerprint === chosen?.fingerprint)
}

/**
 * Leads every session that is made from now on through the proxy that the organisation has set; through the system's where it hasn't.
 * @returns what resolves once a session is led there. It rejects where it can't be: nothing goes past a proxy.
 */
export function useOwnProxy(proxy: Policy['proxy']): (own: Session) => Promise<void> {
  const led = new WeakMap<Session, Promise<void>>()
  if (proxy) {
    app.on('session-created', (created: Session) => void led.set(created, created.setProxy(proxyConfig(proxy))))
  }
  return async (own) => led.get(own)
}

function proxyConfig({ server, except = [], script }: NonNullable<Policy['proxy']>): Electron.ProxyConfig {
  if (script !== undefined) return { mode: 'pac_script', pacScript: script }
  if (server === undefined) return { mode: 'direct' }
  return { mode: 'fixed_servers', proxyRules: server, proxyBypassRules: except.join(';') }
}

let proxySignIns: Pick<ProxySignIns, 'forRequest'> | undefined

/** From then on pages get through the proxies that someone has signed in to. */
export function signInToProxiesBy(signIns: Pick<ProxySignIns, 'forRequest'>): void {
  proxySignIns = signIns
}

/**
 * What a page's way through a proxy is opened with; undefined for a website that asks, and where nobody has signed in.
 * @param isFirst whether it wasn't asked for this page's request before.
 */
export async function proxyLoginFor(challenge: ProxyChallenge, isFirst: boolean): Promise<ProxyLogin | undefined> {
  if (!isFirst || !proxySignIns) return undefined
  const answers = proxySignIns.forRequest()
  const login = await answers.answer(challenge)
  // A page's request isn't followed: what it was shown is neither proven nor refused by it.
  answers.over('failed')
  return login
}
