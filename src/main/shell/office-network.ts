/**
 * The office's own network as every session goes through it: the certificate authorities that the organisation trusts beside the
 * system's.
 */
import { app, type Session } from 'electron'
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
