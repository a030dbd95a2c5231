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

/** Unencrypted sockets lead to the practice service only, and there are no plug-ins. */
export function pagePolicy(ground: SigningGround): string {
  const practice =
    ground.practiceOrigin && URL.canParse(ground.practiceOrigin) ? new URL(ground.practiceOrigin) : undefined
  const sockets = practice ? [`ws://${practice.host}`] : []
  // Unencrypted requests are left to the network's guard, which can tell the clerk of them.
  return [
    `connect-src ${['https:', 'http:', 'wss:', 'data:', 'blob:', ...sockets].join(' ')}`,
    "object-src 'none'",
    `sandbox ${SANDBOX.join(' ')}`
  ].join('; ')
}

/** The headers of a document's answer with our policy beside its own. */
export function withPagePolicy(
  headers: Record<string, string[]> | undefined,
  ground: SigningGround
): Record<string, string[]> {
  const laidOver: Record<string, string> = { [HEADER]: pagePolicy(ground), 'permissions-policy': WITHHELD }
  const all = Object.entries(headers ?? {})
  const both = Object.entries(laidOver).map(([header, ours]): [string, string[]] => {
    const own = all.filter(([name]) => name.toLowerCase() === header).flatMap(([, values]) => values)
    return [header, [...own, ours]]
  })
  const others = all.filter(([name]) => !(name.toLowerCase() in laidOver))
  return { ...Object.fromEntries(others), ...Object.fromEntries(both) }
}
