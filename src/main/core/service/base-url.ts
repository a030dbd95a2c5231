/** The address of the service as people type it. */

/** Reads a base URL; a slash at its end is taken off. @throws TypeError where it isn't an absolute http or https URL. */
export function readBaseUrl(text: string): { href: string } {
  const url = URL.parse(text.trim())
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('The base URL must begin with https:// or http://')
  // fetch refuses addresses with a user in them, and they would turn up in the wrong places.
  if (url.username || url.password) throw new TypeError('The base URL must not contain a user name or password')
  return { href: url.origin + url.pathname.replace(/\/+$/, '') }
}
