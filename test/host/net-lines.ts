// Connections of net.request that Node's own fetch doesn't make as Chromium does: to a server whose certificate the
// application judges (setCertificateVerifyProc) or that wants a client certificate, and through a proxy. One request
// per connection.
import { X509Certificate } from 'node:crypto'
import { request as ask } from 'node:http'
import { connect as connectPlainly, type Socket } from 'node:net'
import { connect, rootCertificates, type TLSSocket } from 'node:tls'
import type * as Electron from 'electron'
import { Agent } from 'undici'
import { host } from './host.ts'
import { netErrorNumber, netErrorOfNode } from './net-errors.ts'
import type { Session } from './session.ts'
import { notEmulated, preventable } from './strict.ts'

/** Asks for the user name and password of a proxy; resolves to undefined to go without. */
export type AskLogin = (info: Electron.AuthInfo) => Promise<readonly [user: string, password: string] | undefined>

/** A certificate in the system's store, with its key, as PEM. */
export interface OwnCertificate {
  readonly cert: string
  readonly key: string
}

/**
 * Thrown when a request gives up signing in to a proxy that answered 407: the response has a head, but its body can't
 * be read.
 */
export class ProxyRefused extends Error {}

/**
 * Returns the agent for one request, if Node's own connection would differ from Chromium's. Close it once the request
 * is answered.
 */
export function agentFor(session: Session, url: URL, login: AskLogin): Agent | undefined {
  const proxy = session.proxyFor(url)
  if (url.protocol !== 'https:') return proxy ? notEmulated('http through a proxy') : undefined
  if (!proxy && !session.verifyProc && host.ownCertificates.length === 0) return undefined
  return new Agent({
    connect: (_options, done) => {
      openConnection(session, url, proxy, login).then(
        (socket) => done(null, socket),
        (error: Error) => done(error, null)
      )
    }
  })
}

async function openConnection(
  session: Session,
  url: URL,
  proxy: string | undefined,
  login: AskLogin
): Promise<TLSSocket> {
  const open = () => (proxy ? tunnelThrough(proxy, url, login, session.proxyLogins) : connectPlain(url))
  const clientCertificate = host.ownCertificates.length > 0 ? await chooseCertificate(session, url, open) : undefined
  const socket = await secure(await open(), url, clientCertificate)
  if (await isTrusted(session, url, socket)) return socket
  socket.destroy()
  throw new Error(`net::${certificateError(socket) === 'OK' ? 'ERR_FAILED' : certificateError(socket)}`)
}

function connectPlain(url: URL): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connectPlainly(portOf(url), nameOf(url), () => resolve(socket)).once('error', reject)
  return promise
}

async function tunnelThrough(proxy: string, url: URL, login: AskLogin, logins: Map<string, string>): Promise<Socket> {
  for (;;) {
    const to = `${url.hostname}:${portOf(url)}`
    const request = ask({
      host: hostIn(proxy),
      port: portIn(proxy),
      method: 'CONNECT',
      path: to,
      agent: false,
      headers: { host: to, ...(logins.has(proxy) && { 'proxy-authorization': logins.get(proxy) }) }
    })
    const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; status: number; challenge: string }>()
    request.once('error', () => reject(new Error('net::ERR_PROXY_CONNECTION_FAILED')))
    request.once('connect', ({ statusCode = 0, headers }, socket) =>
      resolve({ socket, status: statusCode, challenge: headers['proxy-authenticate'] ?? '' })
    )
    request.end()
    const { socket, status, challenge } = await promise
    if (status === 200) return socket
    socket.destroy()
    if (status !== 407) throw new Error('net::ERR_TUNNEL_CONNECTION_FAILED')
    if (!/^basic /i.test(challenge)) notEmulated(`a proxy that asks by '${challenge}'`)
    logins.delete(proxy)
    const credentials = await login({
      isProxy: true,
      scheme: 'basic',
      host: hostIn(proxy),
      port: portIn(proxy),
      realm: /realm="([^"]*)"/.exec(challenge)?.[1] ?? ''
    })
    if (!credentials) throw new ProxyRefused()
    logins.set(proxy, `Basic ${Buffer.from(credentials.join(':')).toString('base64')}`)
  }
}

/**
 * Returns the client certificate that the application chooses if the server insists on one. Servers that merely ask for
 * one go unnoticed.
 */
async function chooseCertificate(
  session: Session,
  url: URL,
  open: () => Promise<Socket>
): Promise<OwnCertificate | undefined> {
  const hostAndPort = `${nameOf(url)}:${portOf(url)}`
  const certificate = session.chosenCertificates.get(hostAndPort)
  if (certificate) return certificate
  const isInsisting = await secure(await open(), url, undefined, 'TLSv1.2').then(
    (socket) => void socket.destroy(),
    (error: Error) => /alert/i.test(error.message)
  )
  if (!isInsisting) return undefined
  const { promise, resolve } = Promise.withResolvers<Electron.Certificate | undefined>()
  const all = host.ownCertificates.map(({ cert }) => asElectron([new X509Certificate(cert)]))
  const event = preventable({})
  host.emit('select-client-certificate', event, null, hostAndPort, all, resolve)
  const chosen = event.defaultPrevented ? await promise : all[0]
  const own = host.ownCertificates[all.findIndex(({ fingerprint }) => fingerprint === chosen?.fingerprint)]
  // Chromium's name for a server that insists on a certificate and got none.
  if (!own) throw new Error('net::ERR_BAD_SSL_CLIENT_AUTH_CERT')
  // Chromium remembers the choice for as long as the session lives.
  session.chosenCertificates.set(hostAndPort, own)
  return own
}

function secure(
  socket: Socket,
  url: URL,
  clientCertificate?: OwnCertificate,
  maxVersion?: 'TLSv1.2'
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const name = nameOf(url)
  const tlsSocket = connect({
    socket,
    host: name,
    rejectUnauthorized: false,
    ...clientCertificate,
    ...(/^[\d.]+$|:/.test(name) ? {} : { servername: name }),
    ...(maxVersion && { maxVersion })
  })
  tlsSocket.once('secureConnect', () => resolve(tlsSocket))
  tlsSocket.once('error', reject)
  tlsSocket.once('close', () => reject(new Error('net::ERR_CONNECTION_CLOSED')))
  return promise
}

async function isTrusted(session: Session, url: URL, socket: TLSSocket): Promise<boolean> {
  const result = certificateError(socket)
  if (!session.verifyProc) return result === 'OK'
  const chain: X509Certificate[] = []
  for (let next = socket.getPeerX509Certificate(); next && chain.length < 20; next = next.issuerCertificate) {
    if (chain.some(({ fingerprint256 }) => fingerprint256 === next?.fingerprint256)) break
    chain.push(next)
  }
  const { promise, resolve } = Promise.withResolvers<number>()
  const certificate = asElectron(chain)
  session.verifyProc(
    {
      hostname: nameOf(url),
      certificate,
      validatedCertificate: certificate,
      isIssuedByKnownRoot: chain.some((one) => rootCertificates.includes(one.toString())),
      verificationResult: result === 'OK' ? 'OK' : `net::${result}`,
      errorCode: result === 'OK' ? 0 : netErrorNumber(result)
    },
    resolve
  )
  const verdict = await promise
  return verdict === -3 ? result === 'OK' : verdict === 0
}

/**
 * Returns Chromium's name for what is wrong with the certificate. Of several problems it's the worst, and an unknown
 * issuer is worse than a wrong name or date.
 */
function certificateError(socket: TLSSocket): string {
  return socket.authorized ? 'OK' : netErrorOfNode(Object.assign(new Error(), { code: socket.authorizationError }))
}

function asElectron([leaf, ...others]: readonly X509Certificate[]): Electron.Certificate {
  if (!leaf) throw new Error('test host: a server without a certificate')
  const part = (text: string, name: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? ''
  const principal = (text: string): Electron.CertificatePrincipal => ({
    commonName: part(text, 'CN'),
    organizations: [part(text, 'O')].filter(Boolean),
    organizationUnits: [],
    locality: part(text, 'L'),
    state: part(text, 'ST'),
    country: part(text, 'C')
  })
  return {
    data: leaf.toString(),
    subject: principal(leaf.subject),
    issuer: principal(leaf.issuer),
    serialNumber: leaf.serialNumber,
    subjectName: part(leaf.subject, 'CN'),
    issuerName: part(leaf.issuer, 'CN'),
    validStart: Date.parse(leaf.validFrom) / 1000,
    validExpiry: Date.parse(leaf.validTo) / 1000,
    fingerprint: `sha256/${Buffer.from(leaf.fingerprint256.replaceAll(':', ''), 'hex').toString('base64')}`,
    issuerCert: (others.length > 0 ? asElectron(others) : undefined) as Electron.Certificate
  }
}

const nameOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')
const portOf = ({ port }: URL) => Number(port || 443)
const hostIn = (proxy: string) => proxy.replace(/:\d+$/, '')
const portIn = (proxy: string) => Number(/:(\d+)$/.exec(proxy)?.[1] ?? 80)
