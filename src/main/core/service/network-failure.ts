/**
 * Translates what a failed `fetch` throws, in Node (codes of undici and the system) or Electron's net (`net::ERR_…`),
 * into one of our codes, and judges whether the request may have reached the service.
 */
import type { Certificate, ServiceErrorCode } from './errors.ts'

export interface NetworkFailure {
  code: ServiceErrorCode
  mayHaveArrived: boolean
  /** The network's own code, if it gave one. */
  reason?: string
  /** The certificate that was refused. */
  certificate?: Certificate
}

/** A connection refused because of its certificate. `cause` is the network's own error. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused'
  readonly certificate: Certificate

  constructor(certificate: Certificate, cause: unknown) {
    super('The certificate is not acceptable.', { cause })
    this.certificate = certificate
  }
}

type Verdict = readonly [ServiceErrorCode, 'never left' | 'may have arrived']

/* Reasons for these verdicts: name resolution, connecting and the TLS handshake all happen before the first byte of the
   request, so if they fail it never left. A connection that breaks later may have carried all of it, even if no answer
   came: the service then sends the package and we never hear of it. */
const BY_CODE = new Map<string, Verdict>([
  ['ENOTFOUND', ['dns', 'never left']],
  ['EAI_AGAIN', ['dns', 'never left']],
  ['EAI_FAIL', ['dns', 'never left']],
  ['EAI_NODATA', ['dns', 'never left']],
  ['EAI_NONAME', ['dns', 'never left']],
  ['ECONNREFUSED', ['refused', 'never left']],
  ['EACCES', ['refused', 'never left']],
  ['EPERM', ['refused', 'never left']],
  ['ENETUNREACH', ['offline', 'never left']],
  ['ENETDOWN', ['offline', 'never left']],
  ['EHOSTUNREACH', ['offline', 'never left']],
  ['EHOSTDOWN', ['offline', 'never left']],
  ['EADDRNOTAVAIL', ['offline', 'never left']],
  ['ECONNRESET', ['interrupted', 'may have arrived']],
  ['ECONNABORTED', ['interrupted', 'may have arrived']],
  ['ENOTCONN', ['interrupted', 'may have arrived']],
  // Part of the body wasn't accepted, but the service may have acted on the rest.
  ['EPIPE', ['interrupted', 'may have arrived']],
  // A timeout while connecting is recognised by its system call; see `failedWhileConnecting`.
  ['ETIMEDOUT', ['timeout', 'may have arrived']],
  ['UND_ERR_CONNECT_TIMEOUT', ['timeout', 'never left']],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', 'may have arrived']],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', 'may have arrived']],
  ['UND_ERR_SOCKET', ['interrupted', 'may have arrived']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['interrupted', 'may have arrived']],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', ['too-large', 'may have arrived']],
  ['UND_ERR_HEADERS_OVERFLOW', ['not-json', 'may have arrived']],
  ['UND_ERR_ABORTED', ['cancelled', 'may have arrived']],
  ['UND_ERR_INVALID_ARG', ['invalid', 'never left']],
  ['UND_ERR_PRX_TLS', ['tls', 'never left']],
  ['ABORT_ERR', ['cancelled', 'may have arrived']],
  ['EPROTO', ['tls', 'never left']],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', ['tls', 'never left']],
  ['SELF_SIGNED_CERT_IN_CHAIN', ['tls', 'never left']],
  ['HOSTNAME_MISMATCH', ['tls', 'never left']],
  ['INVALID_CA', ['tls', 'never left']],
  ['INVALID_PURPOSE', ['tls', 'never left']],
  ['PATH_LENGTH_EXCEEDED', ['tls', 'never left']],
  ['CRL_HAS_EXPIRED', ['tls', 'never left']],
  ['CRL_NOT_YET_VALID', ['tls', 'never left']],

  ['ERR_INTERNET_DISCONNECTED', ['offline', 'never left']],
  ['ERR_ADDRESS_UNREACHABLE', ['offline', 'never left']],
  ['ERR_ADDRESS_INVALID', ['offline', 'never left']],
  ['ERR_NETWORK_ACCESS_DENIED', ['refused', 'never left']],
  ['ERR_NAME_NOT_RESOLVED', ['dns', 'never left']],
  ['ERR_NAME_RESOLUTION_FAILED', ['dns', 'never left']],
  ['ERR_ICANN_NAME_COLLISION', ['dns', 'never left']],
  ['ERR_CONNECTION_REFUSED', ['refused', 'never left']],
  ['ERR_CONNECTION_FAILED', ['refused', 'never left']],
  ['ERR_TUNNEL_CONNECTION_FAILED', ['refused', 'never left']],
  ['ERR_MANDATORY_PROXY_CONFIGURATION_FAILED', ['refused', 'never left']],
  ['ERR_NO_SUPPORTED_PROXIES', ['refused', 'never left']],
  ['ERR_UNSAFE_PORT', ['refused', 'never left']],
  ['ERR_DISALLOWED_URL_SCHEME', ['refused', 'never left']],
  ['ERR_UNKNOWN_URL_SCHEME', ['refused', 'never left']],
  ['ERR_ACCESS_DENIED', ['refused', 'never left']],
  ['ERR_CONNECTION_TIMED_OUT', ['timeout', 'never left']],
  ['ERR_TIMED_OUT', ['timeout', 'may have arrived']],
  ['ERR_CONNECTION_RESET', ['interrupted', 'may have arrived']],
  ['ERR_CONNECTION_CLOSED', ['interrupted', 'may have arrived']],
  ['ERR_CONNECTION_ABORTED', ['interrupted', 'may have arrived']],
  ['ERR_SOCKET_NOT_CONNECTED', ['interrupted', 'may have arrived']],
  ['ERR_EMPTY_RESPONSE', ['interrupted', 'may have arrived']],
  ['ERR_CONTENT_LENGTH_MISMATCH', ['interrupted', 'may have arrived']],
  ['ERR_INCOMPLETE_CHUNKED_ENCODING', ['interrupted', 'may have arrived']],
  ['ERR_FAILED', ['interrupted', 'may have arrived']],
  // The machine changed networks or went to sleep half-way.
  ['ERR_NETWORK_CHANGED', ['interrupted', 'may have arrived']],
  ['ERR_NETWORK_IO_SUSPENDED', ['interrupted', 'may have arrived']],
  ['ERR_ABORTED', ['cancelled', 'may have arrived']],
  ['ERR_TOO_MANY_REDIRECTS', ['redirected', 'may have arrived']],
  ['ERR_UNSAFE_REDIRECT', ['redirected', 'may have arrived']],
  ['ERR_INVALID_REDIRECT', ['redirected', 'may have arrived']],
  ['ERR_BAD_SSL_CLIENT_AUTH_CERT', ['tls', 'never left']]
])

const BY_FAMILY: readonly (readonly [RegExp, Verdict])[] = [
  [/^ERR_(CERT|SSL|TLS)_/, ['tls', 'never left']],
  [/^(CERT|UNABLE_TO|ERROR_IN_CERT|ERROR_IN_CRL)_/, ['tls', 'never left']],
  [/^ERR_DNS_/, ['dns', 'never left']],
  [/^ERR_(PROXY|SOCKS|PAC|BLOCKED|HTTPS_PROXY)_/, ['refused', 'never left']],
  [/^ERR_(HTTP2|SPDY|QUIC)_/, ['interrupted', 'may have arrived']],
  // There was an answer, but not in readable HTTP or a readable encoding.
  [
    /^(HPE_|Z_|ERR_(INVALID|CONTENT_DECODING|RESPONSE_HEADERS|UNEXPECTED|ENCODING|DECODE))/,
    ['not-json', 'may have arrived']
  ]
]

/** Classifies a failure. Unknown ones are `interrupted` and may have arrived, to be cautious. */
export function readNetworkFailure(thrown: unknown): NetworkFailure {
  if (!(thrown instanceof CertificateRefused)) return readFailure(thrown)
  return { ...readFailure(thrown.cause), certificate: thrown.certificate }
}

function readFailure(thrown: unknown): NetworkFailure {
  const chain = causes(thrown)
  // Electron's net rejects a manual redirect with this message instead of resolving.
  if (chain.some((error) => /redirect was cancelled|policy was 'error'/i.test(error.message))) {
    return { code: 'redirected', mayHaveArrived: true }
  }
  // Node refuses the ports that browsers refuse, without an error code.
  if (chain.some((error) => error.message === 'bad port')) return { code: 'refused', mayHaveArrived: false }
  for (const error of chain) {
    const reason = reasonOf(error)
    const verdict = reason && (BY_CODE.get(reason) ?? BY_FAMILY.find(([family]) => family.test(reason))?.[1])
    if (!reason || !verdict) continue
    const [code, arrival] = verdict
    return { code, reason, mayHaveArrived: arrival === 'may have arrived' && !failedWhileConnecting(error) }
  }
  // The answer isn't HTTP at all; undici doesn't always set a code for that.
  if (chain.some((error) => error.name === 'HTTPParserError')) return { code: 'not-json', mayHaveArrived: true }
  if (chain.some((error) => error.name === 'AbortError')) return { code: 'cancelled', mayHaveArrived: true }
  if (chain.some((error) => error.name === 'TimeoutError')) return { code: 'timeout', mayHaveArrived: true }
  return { code: 'interrupted', mayHaveArrived: true }
}

interface Thrown {
  name: string
  message: string
  code?: unknown
  syscall?: unknown
}

/** A reset or timeout in `connect` or the handshake happens before anything could be sent. */
function failedWhileConnecting(error: Thrown): boolean {
  return error.syscall === 'connect' || /before secure TLS connection was established/i.test(error.message)
}

function reasonOf(error: Thrown): string | undefined {
  if (typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(error.code)) return error.code
  return /\bnet::(ERR_[A-Z0-9_]{2,60})\b/.exec(error.message)?.[1]
}

/**
 * Returns the error, its causes, and the single attempts of a connection tried at several addresses; at most a dozen.
 */
function causes(thrown: unknown): Thrown[] {
  const found: Thrown[] = []
  const queue: unknown[] = [thrown]
  while (queue.length > 0 && found.length < 12) {
    const next = queue.shift()
    if (!(next instanceof Object)) continue
    const { name, message, code, syscall, cause, errors } = next as Record<string, unknown>
    found.push({ name: String(name ?? ''), message: String(message ?? ''), code, syscall })
    queue.push(cause, ...(Array.isArray(errors) ? errors : []))
  }
  return found
}
