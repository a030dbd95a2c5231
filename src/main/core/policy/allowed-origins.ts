/**
 * Which origins an administrator may add to those that a signing page may show: plain public ones over https. What is kept
 * is the origin as a browser writes it, so that it is compared by its whole and never by its beginning.
 */
import { isPrivateHost } from './private-networks.ts'

export type AllowedOrigin =
  | { readonly ok: true; readonly origin: string }
  /** One plain sentence for the person who typed it. It does not repeat what they typed. */
  | { readonly ok: false; readonly message: string }

/** What a host has at most (RFC 1035), with `https://` and a port. */
const LONGEST = 270

/** Reads an origin like `https://sign.example.com`, as someone typed it. */
export function allowedOrigin(typed: string): AllowedOrigin {
  const text = typed.trim()
  if (text === '') return refused('Enter an address such as https://sign.example.com.')
  if (text.length > LONGEST) return refused('This address is too long.')
  if (/[\s\\\p{C}]/u.test(text)) return refused('An address can’t contain spaces or backslashes.')
  if (text.includes('*')) return refused('Enter each address in full, without “*”.')
  if (!/^https:\/\//i.test(text)) return refused('Start the address with https://.')
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    return refused('This address isn’t complete. Example: https://sign.example.com')
  // The parser forgets an empty name and password.
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) {
    return refused('Leave the user name and password out of the address.')
  }
  if (/[?#]/.test(text) || !/^[^/]*\/\/[^/]+\/?$/.test(text)) {
    return refused('Leave out everything after the domain name.')
  }
  // The dot that may end a name in full would make it another origin than the one that pages have.
  if (url.hostname.endsWith('.')) return refused('Leave out the dot at the end.')
  if (isPrivateHost(url.hostname)) {
    return refused('This address is on a private network. Signing pages can only open public addresses.')
  }
  return { ok: true, origin: url.origin }
}

function refused(message: string): AllowedOrigin {
  return { ok: false, message }
}
