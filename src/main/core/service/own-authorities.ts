/**
 * The organisation's own certificate authorities, by its policy. They add to what the system trusts and replace nothing: only where the
 * system finds nothing wrong but that it doesn't know the issuer is a certificate judged here, by all that would be wrong with it otherwise.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { BasicConstraints, Certificate as ParsedCertificate } from 'pkijs'

/** That an authority vouched for a server by. */
export interface Authority {
  /** Whose it is: text of the organisation's own. */
  name: string
  /** Milliseconds since 1970 UTC. */
  validTo: number
}

/** What the network asks about a server's certificate. */
export interface Shown {
  hostname: string
  /** PEM, the server's own first, then those that it sent along. */
  chain: readonly string[]
}

/** Chromium's number for an issuer that the system doesn't know, and for nothing else that is wrong. */
export const AUTHORITY_INVALID = -202

const SERVER = '1.3.6.1.5.5.7.3.1'
const BASIC_CONSTRAINTS = '2.5.29.19'
const LEAST_RSA = 2048
/** A server that sends more of them has another reason than to be believed. */
const LONGEST_CHAIN = 8

export type OwnAuthorities = ReturnType<typeof openOwnAuthorities>

/** @param pems those that the organisation trusts now. */
export function openOwnAuthorities(pems: () => readonly string[], now: () => number) {
  /** By which each host was believed last. */
  const vouchers = new Map<string, Authority>()

  async function voucherOf({ hostname, chain }: Shown): Promise<Authority | undefined> {
    const [own] = chain
    if (own === undefined || chain.length > LONGEST_CHAIN || !isForServer(new X509Certificate(own), hostname)) return
    const pkijs = await import('pkijs')
    /** The same certificate, as each library has it. */
    const read = new Map<ParsedCertificate, X509Certificate>()
    const parsed = (pem: string) => {
      const certificate = new X509Certificate(pem)
      const made = pkijs.Certificate.fromBER(certificate.raw)
      read.set(made, certificate)
      return made
    }
    const engine = new pkijs.CertificateChainValidationEngine({
      trustedCerts: pems().map(parsed),
      // The server's own comes last.
      certs: [...chain.slice(1), own].map(parsed),
      checkDate: new Date(now())
    })
    const { result, certificatePath = [] } = await engine.verify()
    const root = certificatePath.at(-1)
    if (!result || !root || !isShortEnough(certificatePath)) return
    if (!certificatePath.every((one) => isStrong(one, read.get(one)))) return
    return { name: nameIn(read.get(root)), validTo: root.notAfter.value.getTime() }
  }

  return {
    /** Whether one of them vouches for the server. Never rejects. */
    async vouch(shown: Shown): Promise<boolean> {
      if (pems().length === 0) return false
      const voucher = await voucherOf(shown).catch(() => undefined)
      if (voucher) vouchers.set(shown.hostname, voucher)
      else vouchers.delete(shown.hostname)
      return voucher !== undefined
    },
    /** The one that vouched for the server of this address, if it was needed. */
    voucherFor: (address: string): Authority | undefined =>
      vouchers.get(URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? '')
  }
}

/** What a text of a policy has, where it is one certificate, of an authority. */
export function authorityIn(pem: string): Authority | undefined {
  if (pem.split('-----BEGIN ').length !== 2) return undefined
  try {
    const certificate = new X509Certificate(pem)
    if (!certificate.ca) return undefined
    return { name: nameIn(certificate), validTo: Date.parse(certificate.validTo) }
  } catch {
    return undefined
  }
}

/** Of what says otherwise, and of what a browser would say no to, nothing is believed. */
function isForServer(certificate: X509Certificate, hostname: string): boolean {
  const isNamed = isIP(hostname)
    ? certificate.checkIP(hostname) !== undefined
    : certificate.checkHost(hostname, { subject: 'never' }) !== undefined
  const { keyUsage } = certificate
  return isNamed && !certificate.ca && (keyUsage === undefined || keyUsage.includes(SERVER))
}

/** An authority may say how many others may stand below it. */
function isShortEnough(path: readonly ParsedCertificate[]): boolean {
  return path.every((certificate, place) => {
    const constraints = certificate.extensions?.find(({ extnID }) => extnID === BASIC_CONSTRAINTS)
    const most = (constraints?.parsedValue as BasicConstraints | undefined)?.pathLenConstraint
    // Of the server's own nothing counts; those between it and this one do.
    return place === 0 || typeof most !== 'number' || place - 1 <= most
  })
}

function isStrong({ signatureAlgorithm }: ParsedCertificate, read: X509Certificate | undefined): boolean {
  if (!read || WEAK_SIGNATURES.has(signatureAlgorithm.algorithmId)) return false
  const { asymmetricKeyType, asymmetricKeyDetails } = read.publicKey
  return asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA
}

/** By MD5 and SHA-1. */
const WEAK_SIGNATURES: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1'
])

function nameIn(certificate: X509Certificate | undefined): string {
  const lines = certificate?.subject.split('\n') ?? []
  const named = lines.find((line) => line.startsWith('CN=')) ?? lines.find((line) => line.startsWith('O='))
  return (named ?? '').replace(/^\w+=/, '')
}
