// Chromium doesn't intercept schemes that it doesn't know, so `app://host/path` is carried as
// `http://host.app.localhost/path`: a secure context with its own origin, so that storage, CSP `'self'` and relative
// addresses work as they should. The application only ever sees the address as it is in Electron.

const registered = new Set<string>()
const privileged = new Set<string>()

/** Registers `scheme` as one whose addresses are carried. */
export function carryScheme(scheme: string): void {
  registered.add(scheme)
}

/** Registers `scheme` as one of the application's own, whether or not it has a handler yet. */
export function markPrivileged(scheme: string): void {
  privileged.add(scheme)
}

export function isPrivileged(scheme: string): boolean {
  return privileged.has(scheme)
}

/** Returns the scheme of an address in lower case, without its colon; '' for none. */
export function schemeOf(url: string): string {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? ''
}

/** Returns the address as Chromium gets it. */
export function toCarried(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url)
  if (!match || !registered.has(match[1]?.toLowerCase() ?? '')) return url
  const [, scheme = '', host, rest] = match
  return `http://${host || 'x'}.${scheme.toLowerCase()}.localhost${rest?.startsWith('/') ? rest : `/${rest}`}`
}

/** Returns the scheme that an address of Chromium's carries, if any. */
export function carriedScheme(url: string): string | undefined {
  const scheme = /^http:\/\/[^/?#@:]*\.([a-z0-9+-]+)\.localhost(?=[/?#]|$)/i.exec(url)?.[1]?.toLowerCase()
  return scheme && registered.has(scheme) ? scheme : undefined
}

/** Returns the address as the application knows it; any other address is unchanged. */
export function toApp(url: string): string {
  if (url.startsWith('blob:')) return `blob:${toApp(url.slice(5))}`
  const scheme = carriedScheme(url)
  if (!scheme) return url
  return url.replace(/^http:\/\/([^/?#]*)\.[a-z0-9+-]+\.localhost/i, (_, host: string) => `${scheme}://${host}`)
}
