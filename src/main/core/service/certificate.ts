/**
 * Reads the certificate of a server that isn't trusted; the network stack only says that it isn't. Uses a separate
 * connection on which nothing is sent.
 */
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Certificate } from './errors.ts'
import type { Fetch } from './exchange.ts'
import { CertificateRefused, readNetworkFailure } from './network-failure.ts'

/** Reads a server's certificate; undefined if none arrives in time. Never rejects. */
export type ReadCertificate = (url: URL) => Promise<Certificate | undefined>

const TIMEOUT = 5_000
const MAX_NAME_LENGTH = 100

/** Reads the certificate in a TLS handshake of its own. @param timeout in milliseconds. */
export const readCertificate = (url: URL, timeout = TIMEOUT): ReturnType<ReadCertificate> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connect({
      host,
      port: Number(url.port || 443),
      // SNI takes host names only, not addresses.
      ...(isIP(host) === 0 && { servername: host }),
      // The server is known to be untrusted. Nothing is sent, and nothing it sends is read.
      rejectUnauthorized: false
    })
    // Limits the whole handshake; an idle timeout wouldn't stop a server that trickles bytes.
    const timer = setTimeout(() => finish(), timeout)
    const finish = (found?: Certificate) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(found)
    }
    socket.once('secureConnect', () => {
      const { subject, issuer, valid_from: from, valid_to: to } = socket.getPeerCertificate()
      const [validFrom, validTo] = [Date.parse(from), Date.parse(to)]
      const hasDates = Number.isFinite(validFrom) && Number.isFinite(validTo)
      finish(hasDates ? { subject: nameIn(subject), issuer: nameIn(issuer), validFrom, validTo } : undefined)
    })
    socket.once('error', () => finish())
    socket.once('close', () => finish())
  })

type Names = Readonly<Partial<Record<'CN' | 'O', string | string[]>>> | undefined

/** Reduces text from outside to one bounded line. */
function nameIn(names: Names): string {
  const [name = ''] = [names?.CN ?? names?.O ?? ''].flat()
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH - 1)}…` : plain
}

/** Wraps a `fetch` so that TLS errors include the certificate that was refused. */
export function withCertificateDetails(fetch: Fetch, read: ReadCertificate): Fetch {
  return async (url, init) => {
    try {
      return await fetch(url, init)
    } catch (error) {
      const found = readNetworkFailure(error).code === 'tls' && !init.signal?.aborted && (await read(new URL(url)))
      throw found ? new CertificateRefused(found, error) : error
    }
  }
}
