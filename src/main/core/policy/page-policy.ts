/**
 * A content policy that is laid over whatever policy a signing page brings: both hold. It repeats within the page what
 * `decideRequest` decides on the network, for the ways out that a network guard could miss, and takes from the page what
 * only the browser itself can.
 */
import type { SigningGround } from './navigation.ts'

const HEADER = 'content-security-policy'

/**
 * All that a page does is let be, for our guards to decide and to tell of, but for what is missing here: `allow-modals`.
 * Without it there is no printing by the page, no box of alert, confirm or prompt, and no asking before the page is left;
 * frames that a page makes for itself inherit that.
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

/** A film in a window of the system's would lie over everything, our frame too; no permission is asked for it. */
const WITHHELD = 'picture-in-picture=()'

/** There are no plug-ins, and scripts speak to the page's own ground alone. */
export function pagePolicy(ground: SigningGround): string {
  return [...reach(ground), "object-src 'none'", `sandbox ${SANDBOX.join(' ')}`].join('; ')
}

/**
 * What scripts may speak to, and where workers may come from. No guard of requests sees the socket of a worker that pages share
 * (electron#47857), or WebTransport anywhere; and `https:` would be an address of anyone's.
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

/** The headers of a part of a page with our policy beside its own: the script of a worker brings the worker's. */
export function withPartPolicy(
  headers: Record<string, string[]> | undefined,
  ground: SigningGround
): Record<string, string[]> {
  return withHeaders(headers, { [HEADER]: reach(ground).join('; ') })
}

/** The headers of a document's answer with our policy beside its own. Names are looked up for nothing that it only mentions. */
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
