/**
 * Validates origins that an administrator adds to those a signing page may show: plain public ones over https. The
 * result is the origin as browsers write it, to be compared as a whole, never by prefix.
 */
import { isPrivateHost } from './private-networks.ts'

export type AllowedOrigin =
  | { readonly ok: true; readonly origin: string }
  /** A plain sentence for the user, which doesn't repeat the input. */
  | { readonly ok: false; readonly message: string }

/** Maximum length of a host (RFC 1035), with `https://` and a port. */
const MAX_ORIGIN_LENGTH = 270

/** Validates a typed origin like `https://sign.example.com`. */
export function readAllowedOrigin(typed: string): AllowedOrigin {
  const text = typed.trim()
  if (text === '') return rejection('Enter an address such as https://sign.example.com.')
  if (text.length > MAX_ORIGIN_LENGTH) return rejection('This address is too long.')
  if (/[\s\\\p{C}]/u.test(text)) return rejection('An address can’t contain spaces or backslashes.')
  if (text.includes('*')) return rejection('Enter each address in full, without “*”.')
  if (!/^https:\/\//i.test(text)) return rejection('Start the address with https://.')
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    return rejection('This address isn’t complete. Example: https://sign.example.com')
  // The parser drops an empty user name and password.
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return rejection('Leave the user name and password out of the address.')
  }
  if (/[?#]/.test(text) || !/^[^/]*\/\/[^/]+\/?$/.test(text)) {
    return rejection('Leave out everything after the domain name.')
  }
  // A trailing dot would make it a different origin from the pages'.
  if (url.hostname.endsWith('.')) return rejection('Leave out the dot at the end.')
  if (isPrivateHost(url.hostname)) {
    return rejection('This address is on a private network. Signing pages can only open public addresses.')
  }
  return { ok: true, origin: url.origin }
}

function rejection(message: string): AllowedOrigin {
  return { ok: false, message }
}
