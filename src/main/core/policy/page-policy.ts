/**
 * A content security policy added to whatever policy a signing page has, so that both apply. Within the page, it
 * repeats what `decideRequest` decides on the network, for channels that a network guard could miss, and withholds what
 * only the browser can.
 */
import type { SigningGround } from './navigation.ts'

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
const WITHHELD = 'picture-in-picture=()'

/** Returns the policy: no plug-ins, and scripts connect to the page's own origins only. */
export function pagePolicy(ground: SigningGround): string {
  return [...reach(ground), "object-src 'none'", `sandbox ${SANDBOX.join(' ')}`].join('; ')
}

/**
 * Where scripts may connect, and where workers may come from. Request guards don't see sockets of shared workers
 * (electron#47857), or WebTransport at all; and `https:` would allow any host.
 */
function reach({ allowedOrigins, practiceOrigin }: SigningGround): string[] {
  const ground = [...allowedOrigins, ...(practiceOrigin === undefined ? [] : [practiceOrigin])]
  const urls = ground.map((origin) => URL.parse(origin)).filter((url) => url !== null)
  const origins = urls.map(({ origin }) => origin)
  const sockets = urls.map(({ protocol, host }) => `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`)
  return [
    `connect-src ${[...origins, ...sockets, 'data:', 'blob:'].join(' ')}`,
    `worker-src ${[...origins, 'blob:'].join(' ')}`
  ]
}

/** Adds our policy to a subresource's headers: a worker's policy comes with its script. */
export function withPartPolicy(
  headers: Record<string, string[]> | undefined,
  ground: SigningGround
): Record<string, string[]> {
  return withHeaders(headers, { [HEADER]: reach(ground).join('; ') })
}

/** Adds our policy to a document's headers. Turns off DNS prefetching for names that it only mentions. */
export function withPagePolicy(
  headers: Record<string, string[]> | undefined,
  ground: SigningGround
): Record<string, string[]> {
  return withHeaders(headers, {
    [HEADER]: pagePolicy(ground),
    'permissions-policy': WITHHELD,
    'x-dns-prefetch-control': 'off'
  })
}

function withHeaders(
  headers: Record<string, string[]> | undefined,
  laidOver: Record<string, string>
): Record<string, string[]> {
  const all = Object.entries(headers ?? {})
  const both = Object.entries(laidOver).map(([header, ours]): [string, string[]] => {
    const own = all.filter(([name]) => name.toLowerCase() === header).flatMap(([, values]) => values)
    return [header, [...own, ours]]
  })
  const others = all.filter(([name]) => !(name.toLowerCase() in laidOver))
  return { ...Object.fromEntries(others), ...Object.fromEntries(both) }
}
