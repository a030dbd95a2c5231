/** Every failure that Node's fetch and Electron's net are known to throw, and whether the request may have arrived. */
import { describe, expect, test } from 'vitest'
import { readNetworkFailure } from '../../../src/main/core/service/network-failure.ts'

/** Returns an error as undici wraps it. */
function fetchFailed(code: string, more: Record<string, unknown> = {}): Error {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(String(more.message ?? '')), { code, ...more })
  })
}

describe('Node', () => {
  test.each([
    ['ENOTFOUND', 'dns', false],
    ['EAI_AGAIN', 'dns', false],
    ['ECONNREFUSED', 'refused', false],
    ['EACCES', 'refused', false],
    ['ENETUNREACH', 'offline', false],
    ['EHOSTUNREACH', 'offline', false],
    ['ENETDOWN', 'offline', false],
    ['ECONNRESET', 'interrupted', true],
    ['EPIPE', 'interrupted', true],
    ['ECONNABORTED', 'interrupted', true],
    ['ETIMEDOUT', 'timeout', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', false],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', true],
    ['UND_ERR_BODY_TIMEOUT', 'timeout', true],
    ['UND_ERR_SOCKET', 'interrupted', true],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'interrupted', true],
    ['UND_ERR_HEADERS_OVERFLOW', 'not-json', true],
    ['UND_ERR_ABORTED', 'cancelled', true],
    ['CERT_HAS_EXPIRED', 'tls', false],
    ['CERT_NOT_YET_VALID', 'tls', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', false],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', false],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', false],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls', false],
    ['EPROTO', 'tls', false],
    ['HPE_INVALID_CONSTANT', 'not-json', true],
    ['Z_DATA_ERROR', 'not-json', true]
  ])('%s is %s; may have arrived: %s', (reason, code, mayHaveArrived) => {
    expect(readNetworkFailure(fetchFailed(reason))).toEqual({ code, reason, mayHaveArrived })
  })

  test.each(['ETIMEDOUT', 'ECONNRESET'])('%s while connecting: the request never left', (reason) => {
    expect(readNetworkFailure(fetchFailed(reason, { syscall: 'connect' })).mayHaveArrived).toBe(false)
  })

  test('a reset during the handshake: the request never left', () => {
    const message = 'Client network socket disconnected before secure TLS connection was established'
    expect(readNetworkFailure(fetchFailed('ECONNRESET', { message })).mayHaveArrived).toBe(false)
  })

  test('a name whose addresses all refuse is refused', () => {
    const attempts = ['::1', '127.0.0.1'].map((address) => Object.assign(new Error(address), { code: 'ECONNREFUSED' }))
    const failed = new TypeError('fetch failed', { cause: new AggregateError(attempts) })
    expect(readNetworkFailure(failed)).toEqual({ code: 'refused', reason: 'ECONNREFUSED', mayHaveArrived: false })
  })
})

describe('Electron', () => {
  test.each([
    ['ERR_INTERNET_DISCONNECTED', 'offline', false],
    ['ERR_ADDRESS_UNREACHABLE', 'offline', false],
    ['ERR_NAME_NOT_RESOLVED', 'dns', false],
    ['ERR_DNS_TIMED_OUT', 'dns', false],
    ['ERR_CONNECTION_REFUSED', 'refused', false],
    ['ERR_CONNECTION_FAILED', 'refused', false],
    ['ERR_PROXY_CONNECTION_FAILED', 'refused', false],
    ['ERR_PROXY_AUTH_REQUESTED', 'refused', false],
    ['ERR_TUNNEL_CONNECTION_FAILED', 'refused', false],
    ['ERR_SOCKS_CONNECTION_FAILED', 'refused', false],
    ['ERR_PAC_SCRIPT_FAILED', 'refused', false],
    ['ERR_BLOCKED_BY_CLIENT', 'refused', false],
    ['ERR_UNSAFE_PORT', 'refused', false],
    ['ERR_CERT_DATE_INVALID', 'tls', false],
    ['ERR_CERT_AUTHORITY_INVALID', 'tls', false],
    ['ERR_SSL_PROTOCOL_ERROR', 'tls', false],
    ['ERR_BAD_SSL_CLIENT_AUTH_CERT', 'tls', false],
    ['ERR_CONNECTION_TIMED_OUT', 'timeout', false],
    ['ERR_TIMED_OUT', 'timeout', true],
    ['ERR_CONNECTION_RESET', 'interrupted', true],
    ['ERR_CONNECTION_CLOSED', 'interrupted', true],
    ['ERR_EMPTY_RESPONSE', 'interrupted', true],
    ['ERR_CONTENT_LENGTH_MISMATCH', 'interrupted', true],
    ['ERR_INCOMPLETE_CHUNKED_ENCODING', 'interrupted', true],
    ['ERR_NETWORK_CHANGED', 'interrupted', true],
    ['ERR_NETWORK_IO_SUSPENDED', 'interrupted', true],
    ['ERR_HTTP2_PROTOCOL_ERROR', 'interrupted', true],
    ['ERR_QUIC_PROTOCOL_ERROR', 'interrupted', true],
    ['ERR_FAILED', 'interrupted', true],
    ['ERR_INVALID_HTTP_RESPONSE', 'not-json', true],
    ['ERR_CONTENT_DECODING_FAILED', 'not-json', true],
    ['ERR_RESPONSE_HEADERS_TOO_BIG', 'not-json', true],
    ['ERR_TOO_MANY_REDIRECTS', 'redirected', true],
    ['ERR_ABORTED', 'cancelled', true]
  ])('net::%s is %s; may have arrived: %s', (reason, code, mayHaveArrived) => {
    expect(readNetworkFailure(new Error(`net::${reason}`))).toEqual({ code, reason, mayHaveArrived })
  })

  test('a redirect that net.fetch rejects is reported as redirected', () => {
    expect(readNetworkFailure(new Error('Redirect was cancelled')).code).toBe('redirected')
    const refused = new Error("Attempted to redirect, but redirect policy was 'error'")
    expect(readNetworkFailure(refused).code).toBe('redirected')
  })
})

describe('anything else', () => {
  test.each([
    ['an unknown error', new Error('what?')],
    ['an unknown code', fetchFailed('E_WHATEVER')],
    ['a text', 'gone'],
    ['nothing', undefined],
    ['null', null],
    ['an invalid code', fetchFailed('mia@example.com')]
  ])('%s is an interruption that may have arrived, without a reason that could leak anything', (_what, thrown) => {
    expect(readNetworkFailure(thrown)).toEqual({ code: 'interrupted', mayHaveArrived: true })
  })

  test('an error that is its own cause is handled', () => {
    const error = new Error('round')
    error.cause = error
    expect(readNetworkFailure(error).code).toBe('interrupted')
  })

  test('an aborted fetch is cancelled', () => {
    expect(readNetworkFailure(new DOMException('x', 'AbortError')).code).toBe('cancelled')
    expect(readNetworkFailure(new DOMException('x', 'TimeoutError')).code).toBe('timeout')
  })
})
