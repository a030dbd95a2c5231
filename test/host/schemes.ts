// Chromium won't intercept a scheme it doesn't know, so `app://host/path` is carried as `http://host.app.localhost/path`:
// a secure context with an origin of its own, so that storage, CSP `'self'` and relative addresses work as they should.
// Everything the application is told carries the address as it is in Electron.

const known = new Set<string>()
const privileged = new Set<string>()

/** Remembers that addresses of `scheme` are carried. */
export function carryScheme(scheme: string): void {
  known.add(scheme)
}

/** Remembers that `scheme` is one of the application's own, whether or not someone serves it yet. */
export function markPrivileged(scheme: string): void {
  privileged.add(scheme)
}

export function isPrivileged(scheme: string): boolean {
  return privileged.has(scheme)
}

/** The scheme of an address, in lower case and without its colon; '' for none. */
export function schemeOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? ''
}

/** The address as Chromium gets it. */
export function toCarried(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url)
  if (!match || !known.has(match[1]?.toLowerCase() ?? '')) return url
  const [, scheme = '', host, rest] = match
  return `http://${host || 'x'}.${scheme.toLowerCase()}.localhost${rest?.startsWith('/') ? rest : `/${rest}`}`
}

/** The scheme that an address of Chromium's carries, if it does. */
export function carriedScheme(url: string): string | undefined {
  const scheme = /^http:\/\/[^/?#@:]*\.([a-z0-9+-]+)\.localhost(?=[/?#]|$)/i.exec(url)?.[1]?.toLowerCase()
  return scheme && known.has(scheme) ? scheme : undefined
}

/** The address as the application knows it; others pass through. */
export function toApp(url: string): string {
  if (url.startsWith('blob:')) return `blob:${toApp(url.slice(5))}`
  const scheme = carriedScheme(url)
  if (!scheme) return url
  return url.replace(/^http:\/\/([^/?#]*)\.[a-z0-9+-]+\.localhost/i, (_, host: string) => `${scheme}://${host}`)
}
