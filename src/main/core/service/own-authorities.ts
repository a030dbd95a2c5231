/**
 * The organisation's own certificate authorities, set by its policy. They add to the system's trust and replace
 * nothing: a certificate is judged here only if the system's sole objection is an unknown issuer. All other checks
 * still apply.
 */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { BasicConstraints, Certificate as ParsedCertificate } from 'pkijs'

/** An authority that vouched for a server. */
export interface Authority {
  /** Text from the organisation's own certificate. */
  name: string
  /** Milliseconds since 1970 UTC. */
  validTo: number
}

/** A server's certificate that the network asks about. */
export interface PresentedChain {
  hostname: string
  /** PEM: the server's own certificate, then the others that it sent. */
  chain: readonly string[]
}

/** Chromium's code for an unknown issuer, reported only if nothing else is wrong. */
export const AUTHORITY_INVALID = -202

const SERVER = '1.3.6.1.5.5.7.3.1'
const BASIC_CONSTRAINTS = '2.5.29.19'
const MIN_RSA_BITS = 2048
/** No honest server sends more certificates than this. */
const MAX_CHAIN_LENGTH = 8

export type OwnAuthorities = ReturnType<typeof openOwnAuthorities>

/** Opens the organisation's authorities. @param pems the certificates that the organisation trusts now. */
export function openOwnAuthorities(pems: () => readonly string[], now: () => number) {
  /** The authority that last vouched for each host. */
  const vouchers = new Map<string, Authority>()

  async function voucherOf({ hostname, chain }: PresentedChain): Promise<Authority | undefined> {
    const [own] = chain
    if (own === undefined || chain.length > MAX_CHAIN_LENGTH || !isForServer(new X509Certificate(own), hostname)) return
    const pkijs = await import('pkijs')
    /** Maps pkijs's certificates to Node's. */
    const read = new Map<ParsedCertificate, X509Certificate>()
    const parsed = (pem: string) => {
      const certificate = new X509Certificate(pem)
      const made = pkijs.Certificate.fromBER(certificate.raw)
      read.set(made, certificate)
      return made
    }
    const engine = new pkijs.CertificateChainValidationEngine({
      trustedCerts: pems().map(parsed),
      // pkijs expects the server's own certificate last.
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
    /** Returns whether one of the authorities vouches for the server. Never rejects. */
    async vouch(presented: PresentedChain): Promise<boolean> {
      if (pems().length === 0) return false
      const voucher = await voucherOf(presented).catch(() => undefined)
      if (voucher) vouchers.set(presented.hostname, voucher)
      else vouchers.delete(presented.hostname)
      return voucher !== undefined
    },
    /** Returns the authority that vouched for the server at this address, if one was needed. */
    voucherFor: (address: string): Authority | undefined =>
      vouchers.get(URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? '')
  }
}

/** Reads an authority from a policy's text; undefined unless the text is exactly one CA certificate. */
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

/** Whether the certificate is valid for this host as a server's, as strictly as browsers check it. */
function isForServer(certificate: X509Certificate, hostname: string): boolean {
  const isNamed = isIP(hostname)
    ? certificate.checkIP(hostname) !== undefined
    : certificate.checkHost(hostname, { subject: 'never' }) !== undefined
  const { keyUsage } = certificate
  return isNamed && !certificate.ca && (keyUsage === undefined || keyUsage.includes(SERVER))
}

/** Checks every `pathLenConstraint`: how many authorities may be below this one. */
function isShortEnough(path: readonly ParsedCertificate[]): boolean {
  return path.every((certificate, place) => {
    const constraints = certificate.extensions?.find(({ extnID }) => extnID === BASIC_CONSTRAINTS)
    const limit = (constraints?.parsedValue as BasicConstraints | undefined)?.pathLenConstraint
    // The server's own certificate has no limit and isn't counted; those between it and this one are.
    return place === 0 || typeof limit !== 'number' || place - 1 <= limit
  })
}

function isStrong({ signatureAlgorithm }: ParsedCertificate, read: X509Certificate | undefined): boolean {
  if (!read || WEAK_SIGNATURES.has(signatureAlgorithm.algorithmId)) return false
  const { asymmetricKeyType, asymmetricKeyDetails } = read.publicKey
  return asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS
}

/** MD5 and SHA-1. */
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
