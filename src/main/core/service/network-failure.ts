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

type Verdict = readonly [code: ServiceErrorCode, arrival: 'never left' | 'may have arrived']

/* Reasons for these verdicts: name resolution, connecting and the TLS handshake all happen before the first byte of the
   request, so if they fail it never left. A connection that breaks later may have carried all of it, even if no answer
   came: the service then sends the package and we never hear of it. */
// @wc-ignore
const CODES: readonly (readonly [...Verdict, names: string])[] = [
  [
    'dns',
    'never left',
    `ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME ERR_NAME_NOT_RESOLVED ERR_NAME_RESOLUTION_FAILED
    ERR_ICANN_NAME_COLLISION`
  ],
  [
    'refused',
    'never left',
    `ECONNREFUSED EACCES EPERM ERR_NETWORK_ACCESS_DENIED ERR_CONNECTION_REFUSED ERR_CONNECTION_FAILED
    ERR_TUNNEL_CONNECTION_FAILED ERR_MANDATORY_PROXY_CONFIGURATION_FAILED ERR_NO_SUPPORTED_PROXIES ERR_UNSAFE_PORT
    ERR_DISALLOWED_URL_SCHEME ERR_UNKNOWN_URL_SCHEME ERR_ACCESS_DENIED`
  ],
  [
    'offline',
    'never left',
    `ENETUNREACH ENETDOWN EHOSTUNREACH EHOSTDOWN EADDRNOTAVAIL ERR_INTERNET_DISCONNECTED ERR_ADDRESS_UNREACHABLE
    ERR_ADDRESS_INVALID`
  ],
  ['timeout', 'never left', 'UND_ERR_CONNECT_TIMEOUT ERR_CONNECTION_TIMED_OUT'],
  ['invalid', 'never left', 'UND_ERR_INVALID_ARG'],
  [
    'tls',
    'never left',
    `UND_ERR_PRX_TLS EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA
    INVALID_PURPOSE PATH_LENGTH_EXCEEDED CRL_HAS_EXPIRED CRL_NOT_YET_VALID ERR_BAD_SSL_CLIENT_AUTH_CERT`
  ],
  // EPIPE: part of the body wasn't accepted, but the service may have acted on the rest. NETWORK_CHANGED, IO_SUSPENDED:
  // the machine changed networks or went to sleep half-way.
  [
    'interrupted',
    'may have arrived',
    `ECONNRESET ECONNABORTED ENOTCONN EPIPE UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH ERR_CONNECTION_RESET
    ERR_CONNECTION_CLOSED ERR_CONNECTION_ABORTED ERR_SOCKET_NOT_CONNECTED ERR_EMPTY_RESPONSE
    ERR_CONTENT_LENGTH_MISMATCH ERR_INCOMPLETE_CHUNKED_ENCODING ERR_FAILED ERR_NETWORK_CHANGED
    ERR_NETWORK_IO_SUSPENDED`
  ],
  // ETIMEDOUT while connecting is recognised by its system call; see `failedWhileConnecting`.
  ['timeout', 'may have arrived', 'ETIMEDOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT ERR_TIMED_OUT'],
  ['too-large', 'may have arrived', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'],
  ['not-json', 'may have arrived', 'UND_ERR_HEADERS_OVERFLOW'],
  ['cancelled', 'may have arrived', 'UND_ERR_ABORTED ABORT_ERR ERR_ABORTED'],
  ['redirected', 'may have arrived', 'ERR_TOO_MANY_REDIRECTS ERR_UNSAFE_REDIRECT ERR_INVALID_REDIRECT']
]
const BY_CODE = new Map<string, Verdict>(
  CODES.flatMap(([code, arrival, names]) => names.split(/\s+/).map((name) => [name, [code, arrival]] as const))
)

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
