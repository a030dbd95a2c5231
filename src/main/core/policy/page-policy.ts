/**
 * A content security policy added to whatever policy a signing page has, so that both apply. Within the page, it
 * repeats what `decideRequest` decides on the network, for channels that a network guard could miss, and withholds what
 * only the browser can.
 */
import type { SigningScope } from './navigation.ts'

const HEADER = 'content-security-policy'

/**
 * Allows everything a page does, for our guards to decide and report, except `allow-modals`. Without that, the page
 * can't print, show alert, confirm or prompt boxes, or ask before it is left; frames that it creates inherit this.
 */
const SANDBOX = [
  'allow-downloads',
  'allow-forms',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-same-origin',
  'allow-scripts',
  'allow-storage-access-by-user-activation',
  'allow-top-navigation'
]

/** A picture-in-picture window would cover everything, including our frame, and needs no permission. */
const PERMISSIONS_POLICY = 'picture-in-picture=()'

/** Returns the policy: no plug-ins, and scripts connect to the page's own origins only. */
export function pagePolicy(scope: SigningScope): string {
  return [...connectionDirectives(scope), "object-src 'none'", `sandbox ${SANDBOX.join(' ')}`].join('; ')
}

/**
 * Where scripts may connect, and where workers may come from. Request guards don't see sockets of shared workers
 * (electron#47857), or WebTransport at all; and `https:` would allow any host.
 */
function connectionDirectives({ allowedOrigins, practiceOrigin }: SigningScope): string[] {
  const allowed = [...allowedOrigins, ...(practiceOrigin === undefined ? [] : [practiceOrigin])]
  const urls = allowed.map((origin) => URL.parse(origin)).filter((url) => url !== null)
  const origins = urls.map(({ origin }) => origin)
  const sockets = urls.map(({ protocol, host }) => `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`)
  return [
    `connect-src ${[...origins, ...sockets, 'data:', 'blob:'].join(' ')}`,
    `worker-src ${[...origins, 'blob:'].join(' ')}`
  ]
}

/** Adds our policy to a subresource's headers: a worker's policy comes with its script. */
export function withSubresourcePolicy(
  headers: Record<string, string[]> | undefined,
  scope: SigningScope
): Record<string, string[]> {
  return withHeaders(headers, { [HEADER]: connectionDirectives(scope).join('; ') })
}

/** Adds our policy to a document's headers. Turns off DNS prefetching for names that it only mentions. */
export function withPagePolicy(
  headers: Record<string, string[]> | undefined,
  scope: SigningScope
): Record<string, string[]> {
  return withHeaders(headers, {
    [HEADER]: pagePolicy(scope),
    'permissions-policy': PERMISSIONS_POLICY,
    'x-dns-prefetch-control': 'off'
  })
}

function withHeaders(
  headers: Record<string, string[]> | undefined,
  additions: Record<string, string>
): Record<string, string[]> {
  const all = Object.entries(headers ?? {})
  const merged = Object.entries(additions).map(([header, ours]): [string, string[]] => {
    const own = all.filter(([name]) => name.toLowerCase() === header).flatMap(([, values]) => values)
    return [header, [...own, ours]]
  })
  const others = all.filter(([name]) => !(name.toLowerCase() in additions))
  return { ...Object.fromEntries(others), ...Object.fromEntries(merged) }
}
