/** Certificates made for tests, with any name, issuer and validity. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Wanted {
  /** Common name and DNS name. */
  name: string
  /** Name of an unknown authority. Without it, the certificate's own name. */
  issuer?: string
  from?: Date
  to?: Date
  /** The certificate that signs it. Without it, an unknown key does. */
  by?: Made
  /** May sign other certificates, with that many levels of authorities below it, or any number. */
  isAuthority?: boolean | number
  /** Its only purpose. */
  purpose?: 'server' | 'client'
  /** The only names or name suffixes that it may vouch for. */
  onlyFor?: string
  /** Outdated cryptography: a short key, or a SHA-1 signature. */
  weak?: 'key' | 'signature'
}

/** A certificate and its key, as PEM. */
export interface Made {
  name: string
  key: string
  cert: string
}

const DAY = 86_400_000

/** Makes a certificate and its key, as PEM. */
export function aCertificate({ name, issuer, from, to, by, weak, ...may }: Wanted): Made {
  const { privateKey, publicKey } = weak === 'key' ? generateKeyPairSync('rsa', { modulusLength: 1024 }) : newKeys()
  const algorithm = weak === 'signature' ? ECDSA_SHA1 : ECDSA_SHA256
  const validity = sequence(time(from ?? new Date(Date.now() - DAY)), time(to ?? new Date(Date.now() + DAY)))
  const content = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    named(by?.name ?? issuer ?? name),
    validity,
    named(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    element(0xa3, sequence(...extensionsOf(name, may)))
  )
  const stranger = issuer === undefined ? privateKey : newKeys().privateKey
  const signature = sign(weak === 'signature' ? 'sha1' : 'sha256', content, by ? createPrivateKey(by.key) : stranger)
  const der = sequence(content, algorithm, element(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    name,
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  }
}

function extensionsOf(name: string, { isAuthority, purpose, onlyFor }: Omit<Wanted, 'name'>): Buffer[] {
  const YES = element(0x01, Buffer.from([0xff]))
  const extension = (id: string, content: Buffer, ...critical: Buffer[]) =>
    sequence(oid(id), ...critical, element(0x04, content))
  const extensions = [extension('551d11', sequence(element(0x82, Buffer.from(name))))]
  if (isAuthority !== undefined && isAuthority !== false) {
    const most = typeof isAuthority === 'number' ? [integer(Buffer.from([isAuthority]))] : []
    extensions.push(extension('551d13', sequence(YES, ...most), YES))
    // Key usage: signs certificates and revocation lists.
    extensions.push(extension('551d0f', element(0x03, Buffer.from([1, 0x06])), YES))
  }
  if (purpose) extensions.push(extension('551d25', sequence(oid(purpose === 'server' ? SERVER : CLIENT))))
  if (onlyFor)
    extensions.push(extension('551d1e', sequence(element(0xa0, sequence(element(0x82, Buffer.from(onlyFor))))), YES))
  return extensions
}

const SERVER = '2b06010505070301'
const CLIENT = '2b06010505070302'

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

function element(tag: number, content: Buffer): Buffer {
  const { length } = content
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...long]), content])
}
function sequence(...parts: Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}
function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes)
}
function oid(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, 'hex'))
}
function named(name: string): Buffer {
  return sequence(element(0x31, sequence(oid('550403'), element(0x0c, Buffer.from(name)))))
}
/** UTCTime: to the second, with a two-digit year. */
function time(at: Date): Buffer {
  return element(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
}
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const ECDSA_SHA1 = sequence(oid('2a8648ce3d0401'))
