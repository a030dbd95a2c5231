/**
 * The address of an office's signing service, as somebody typed it. What is kept is what was typed, the case of its path
 * included, without slashes at the end; what would send credentials astray is refused.
 */

export type BaseUrl =
  | { readonly ok: true; readonly value: string }
  /** One plain sentence for the person who typed it. It does not repeat what they typed. */
  | { readonly ok: false; readonly message: string }

/** Reads an address like `https://sign.example.com/web/v1.4`. `http` is taken for this computer only. */
export function readBaseUrl(typed: string): BaseUrl {
  const text = typed.trim()
  if (text === '') return refused('Enter the address of the service.')
  if (/[\s\\\p{C}]/u.test(text)) return refused('An address has no spaces and no backslashes.')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return refused('Begin the address with https://.')
  const url = URL.parse(text)
  if (url === null || url.hostname === '')
    return refused('This isn’t a complete address. It looks like https://host/web/v1.4.')
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    return refused('Leave name and password out of the address. They are entered separately.')
  }
  if (/[?#]/.test(text)) return refused('Leave out the part of the address from “?” or “#” on.')
  if (url.protocol === 'http:' && !isThisComputer(url.hostname)) {
    return refused('The address must begin with https://, or credentials could be read on the way.')
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('Begin the address with https://.')
  return { ok: true, value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

function isThisComputer(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function refused(message: string): BaseUrl {
  return { ok: false, message }
}
