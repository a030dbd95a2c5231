/** Certificates made as a test needs them: of this name, signed by itself or by another, good until then. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Wanted {
  /** Common name and DNS name. */
  name: string
  /** Of an authority that nobody knows; the name itself where it is left out. */
  issuer?: string
  from?: Date
  to?: Date
}

const DAY = 86_400_000

/** As PEM, with its key. */
export function aCertificate({ name, issuer, from, to }: Wanted): { key: string; cert: string } {
  const { privateKey, publicKey } = newKeys()
  const validity = sequence(time(from ?? new Date(Date.now() - DAY)), time(to ?? new Date(Date.now() + DAY)))
  const names = sequence(oid('551d11'), element(0x04, sequence(element(0x82, Buffer.from(name)))))
  const content = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ECDSA_SHA256,
    named(issuer ?? name),
    validity,
    named(name),
    publicKey.export({ format: 'der', type: 'spki' }),
    element(0xa3, sequence(names))
  )
  const signature = sign('sha256', content, issuer === undefined ? privateKey : newKeys().privateKey)
  const der = sequence(content, ECDSA_SHA256, element(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  }
}

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
/** To the second, with the year's last two digits. */
function time(at: Date): Buffer {
  return element(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
}
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
