/**
 * A content policy that is laid over whatever policy a signing page brings: both hold. It repeats within the page what
 * `decideRequest` decides on the network, for the ways out that a network guard could miss.
 */
import type { SigningGround } from './navigation.ts'

const HEADER = 'content-security-policy'

/** Unencrypted sockets lead to the practice service only, and there are no plug-ins. */
export function pagePolicy(ground: SigningGround): string {
  const practice =
    ground.practiceOrigin && URL.canParse(ground.practiceOrigin) ? new URL(ground.practiceOrigin) : undefined
  const sockets = practice ? [`ws://${practice.host}`] : []
  // Unencrypted requests are left to the network's guard, which can tell the clerk of them.
  return [
    `connect-src ${['https:', 'http:', 'wss:', 'data:', 'blob:', ...sockets].join(' ')}`,
    "object-src 'none'"
  ].join('; ')
}

/** The headers of a document's answer with our policy beside its own. */
export function withPagePolicy(
  headers: Record<string, string[]> | undefined,
  ground: SigningGround
): Record<string, string[]> {
  const own = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === HEADER)
  const others = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== HEADER)
  return { ...Object.fromEntries(others), [HEADER]: [...own.flatMap(([, values]) => values), pagePolicy(ground)] }
}
