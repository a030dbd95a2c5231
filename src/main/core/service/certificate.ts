/**
 * Whose certificate a server shows, where it can't be trusted: the network says only that it isn't. Looked at over a connection of its
 * own, on which nothing is sent.
 */
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Certificate } from './errors.ts'
import type { Fetch } from './exchange.ts'
import { CertificateRefused, readNetworkFailure } from './network-failure.ts'

/** What a server's certificate says; undefined where none is shown in time. Never rejects. */
export type LookAtCertificate = (url: URL) => Promise<Certificate | undefined>

const TIMEOUT = 5_000
const LONGEST_NAME = 100

/** @param timeout in milliseconds. */
export const lookAtCertificate = (url: URL, timeout = TIMEOUT): ReturnType<LookAtCertificate> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connect({
      ...{ host, port: Number(url.port || 443) },
      // A name that is sent is one of the host's; an address has none.
      ...(isIP(host) === 0 && { servername: host }),
      // It is looked at because it isn't trusted. Nothing is sent, and what comes is not read.
      rejectUnauthorized: false
    })
    // In all: a server that trickles says something all the time.
    const late = setTimeout(() => end(), timeout)
    const end = (found?: Certificate) => {
      clearTimeout(late)
      socket.destroy()
      resolve(found)
    }
    socket.once('secureConnect', () => {
      const { subject, issuer, valid_from: from, valid_to: to } = socket.getPeerCertificate()
      const [validFrom, validTo] = [Date.parse(from), Date.parse(to)]
      const isWhole = Number.isFinite(validFrom) && Number.isFinite(validTo)
      end(isWhole ? { subject: nameIn(subject), issuer: nameIn(issuer), validFrom, validTo } : undefined)
    })
    socket.once('error', () => end())
    socket.once('close', () => end())
  })

type Names = Readonly<Partial<Record<'CN' | 'O', string | string[]>>> | undefined

/** Text from outside: one bounded line. */
function nameIn(names: Names): string {
  const [name = ''] = [names?.CN ?? names?.O ?? ''].flat()
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME - 1)}…` : plain
}

/** The same network, which also says whose certificate it refused. */
export function tellingCertificates(fetch: Fetch, look: LookAtCertificate): Fetch {
  return async (url, init) => {
    try {
      return await fetch(url, init)
    } catch (error) {
      const found = readNetworkFailure(error).code === 'tls' && !init.signal?.aborted && (await look(new URL(url)))
      throw found ? new CertificateRefused(found, error) : error
    }
  }
}
