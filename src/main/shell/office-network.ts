/**
 * The office's own network as every session goes through it: the certificate authorities that the organisation trusts beside the
 * system's, and the certificates by which accounts prove who they are.
 */
import { app, type Session } from 'electron'
import type { ClientCertificates } from '../core/accounts/client-certificates.ts'
import { AUTHORITY_INVALID, type OwnAuthorities } from '../core/service/own-authorities.ts'

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
export function certificateFor(place: string, store: readonly Electron.Certificate[]): Electron.Certificate | undefined {
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
