// Chromium's network errors by name and number, as Electron reports them for a failed load or fetch.

const numbers: Readonly<Record<string, number>> = {
  ERR_FAILED: -2,
  ERR_ABORTED: -3,
  ERR_INVALID_ARGUMENT: -4,
  ERR_FILE_NOT_FOUND: -6,
  ERR_TIMED_OUT: -7,
  ERR_ACCESS_DENIED: -10,
  ERR_BLOCKED_BY_CLIENT: -20,
  ERR_NETWORK_CHANGED: -21,
  ERR_BLOCKED_BY_RESPONSE: -27,
  ERR_BLOCKED_BY_CSP: -30,
  ERR_CONNECTION_CLOSED: -100,
  ERR_CONNECTION_RESET: -101,
  ERR_CONNECTION_REFUSED: -102,
  ERR_CONNECTION_ABORTED: -103,
  ERR_CONNECTION_FAILED: -104,
  ERR_NAME_NOT_RESOLVED: -105,
  ERR_INTERNET_DISCONNECTED: -106,
  ERR_SSL_PROTOCOL_ERROR: -107,
  ERR_ADDRESS_INVALID: -108,
  ERR_ADDRESS_UNREACHABLE: -109,
  ERR_SSL_VERSION_OR_CIPHER_MISMATCH: -113,
  ERR_CONNECTION_TIMED_OUT: -118,
  ERR_CERT_COMMON_NAME_INVALID: -200,
  ERR_CERT_DATE_INVALID: -201,
  ERR_CERT_AUTHORITY_INVALID: -202,
  ERR_CERT_INVALID: -207,
  ERR_INVALID_URL: -300,
  ERR_DISALLOWED_URL_SCHEME: -301,
  ERR_UNKNOWN_URL_SCHEME: -302,
  ERR_TOO_MANY_REDIRECTS: -310,
  ERR_UNSAFE_REDIRECT: -311,
  ERR_UNSAFE_PORT: -312,
  ERR_INVALID_RESPONSE: -320,
  ERR_EMPTY_RESPONSE: -324,
  ERR_INVALID_HTTP_RESPONSE: -370
}

/** Returns the number of an error, named with or without `net::`; ERR_FAILED's if the error isn't in the table. */
export function netErrorNumber(name: string): number {
  return numbers[name.replace(/^net::/, '')] ?? -2
}

/** Returns the error that webContents.loadURL rejects with. */
export function loadError(name: string, url: string): Error & { code: string; errno: number; url: string } {
  const code = name.replace(/^net::/, '')
  const errno = netErrorNumber(code)
  return Object.assign(new Error(`${code} (${errno}) loading '${url}'`), { code, errno, url })
}

const nodeErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  EPIPE: 'ERR_CONNECTION_RESET',
  UND_ERR_SOCKET: 'ERR_EMPTY_RESPONSE',
  ENOTFOUND: 'ERR_NAME_NOT_RESOLVED',
  EAI_AGAIN: 'ERR_NAME_NOT_RESOLVED',
  ETIMEDOUT: 'ERR_CONNECTION_TIMED_OUT',
  UND_ERR_CONNECT_TIMEOUT: 'ERR_CONNECTION_TIMED_OUT',
  UND_ERR_HEADERS_TIMEOUT: 'ERR_TIMED_OUT',
  UND_ERR_BODY_TIMEOUT: 'ERR_TIMED_OUT',
  EHOSTUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  EADDRNOTAVAIL: 'ERR_ADDRESS_INVALID',
  EACCES: 'ERR_ACCESS_DENIED',
  EPROTO: 'ERR_SSL_PROTOCOL_ERROR',
  CERT_HAS_EXPIRED: 'ERR_CERT_DATE_INVALID',
  CERT_NOT_YET_VALID: 'ERR_CERT_DATE_INVALID',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'ERR_CERT_AUTHORITY_INVALID',
  SELF_SIGNED_CERT_IN_CHAIN: 'ERR_CERT_AUTHORITY_INVALID',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'ERR_CERT_AUTHORITY_INVALID',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'ERR_CERT_AUTHORITY_INVALID',
  ERR_TLS_CERT_ALTNAME_INVALID: 'ERR_CERT_COMMON_NAME_INVALID'
}

/** Returns the name that Electron's net module has for a failure of Node's fetch. */
export function netErrorOfNode(error: unknown): string {
  for (let inner: unknown = error; inner instanceof Error; inner = inner.cause) {
    const code = (inner as NodeJS.ErrnoException).code ?? ''
    const name = nodeErrors[code] ?? (code.startsWith('HPE_') ? 'ERR_INVALID_HTTP_RESPONSE' : undefined)
    if (name) return name
    if (code.startsWith('ERR_SSL_')) return 'ERR_SSL_PROTOCOL_ERROR'
    if (inner instanceof AggregateError && inner.errors[0] instanceof Error) return netErrorOfNode(inner.errors[0])
    if (inner.message === 'bad port') return 'ERR_UNSAFE_PORT'
    if (inner.message === 'redirect count exceeded') return 'ERR_TOO_MANY_REDIRECTS'
  }
  return 'ERR_FAILED'
}
