/**
 * The session of one signer's page: in memory, shared with nobody, granted nothing, held to its ground request by
 * request, and wiped at the end.
 */
import { randomUUID } from 'node:crypto'
import { type Session, session } from 'electron'
import { type Decision, decideRequest, type RefusalReason, type SigningGround } from '../core/policy/navigation.ts'
import { withPagePolicy } from '../core/policy/page-policy.ts'
import { type Lookup, mayReach } from '../core/policy/private-networks.ts'
import { lockSession } from './lock-down.ts'

export interface SessionEvents {
  /** A document asked for a return address; it was not asked for on the network. */
  returned(): void
  /** A document or a part of it was refused. */
  refused(url: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): void
  /** Something else was denied, named as in `lockSession`. */
  denied(what: string): void
}

/** Makes a session that no other page has had or will have. */
export function openSigningSession(
  ground: SigningGround,
  events: SessionEvents,
  lookupOf: (opened: Session) => Lookup = lookupIn
): Session {
  // Without "persist:" a partition lives in memory; the name is never used twice.
  const opened = session.fromPartition(`signing-${randomUUID()}`)
  lockSession(opened, events.denied)
  opened.setSpellCheckerEnabled(false)
  const lookup = lookupOf(opened)
  // The second guard beside the navigation events: it holds on the network itself, so that of what is refused
  // nothing leaves, redirects of redirects included.
  opened.webRequest.onBeforeRequest((details, respond) => {
    void decide(details, ground, lookup).then((decision) => {
      respond({ cancel: decision.kind !== 'allow' })
      if (decision.kind === 'returned') events.returned()
      if (decision.kind === 'refuse') events.refused(details.url, decision.reason, partOf(details.resourceType))
    })
  })
  opened.webRequest.onHeadersReceived((details, respond) => {
    if (partOf(details.resourceType) === 'content') respond({})
    else respond({ responseHeaders: withPagePolicy(details.responseHeaders, ground) })
  })
  return opened
}

/** Wipes what the page kept and ends its connections. Never rejects. */
export async function wipe(used: Session): Promise<void> {
  await Promise.allSettled([
    used.closeAllConnections(),
    used.clearStorageData(),
    used.clearCache(),
    used.clearAuthCache(),
    used.clearHostResolverCache()
  ])
}

async function decide(
  details: Electron.OnBeforeRequestListenerDetails,
  ground: SigningGround,
  lookup: Lookup
): Promise<Decision> {
  const decision = decideRequest(details, ground)
  if (decision.kind !== 'look-up') return decision
  return (await mayReach(decision.url, lookup)) ? { kind: 'allow' } : { kind: 'refuse', reason: 'private-network' }
}

function partOf(type: Electron.OnBeforeRequestListenerDetails['resourceType']): 'page' | 'frame' | 'content' {
  if (type === 'mainFrame') return 'page'
  return type === 'subFrame' ? 'frame' : 'content'
}

/** Asks the browser's own resolver, so that what is judged is what is connected to. */
function lookupIn(opened: Session): Lookup {
  return async (hostname) => {
    const route = await opened.resolveProxy(`https://${hostname}/`)
    if (!/^\s*DIRECT\b/i.test(route)) return 'elsewhere'
    const { endpoints } = await opened.resolveHost(hostname)
    return endpoints.map(({ address }) => address)
  }
}
