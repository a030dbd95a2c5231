/**
 * The session of one signer's page: in memory, shared with nobody, granted only what its turn permits, confined to its
 * ground request by request, and wiped at the end. Electron never frees a session, so after many signers one that was
 * seen to be empty is reused.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Session, session } from 'electron'
import { type Decision, decideRequest, type RefusalReason, type SigningScope } from '../core/policy/navigation.ts'
import { withPagePolicy, withSubresourcePolicy } from '../core/policy/page-policy.ts'
import { blockReason, type Lookup } from '../core/policy/private-networks.ts'
import { lookupIn } from './dns-lookup.ts'
import { lockSession, type Permits } from './session-policy.ts'
import { SESSIONS_BEFORE_REUSE, SessionPool } from './session-pool.ts'

export interface SessionEvents {
  /** A document asked for a return address; no request was sent. */
  returned(): void
  /** A document, or a part of one, was refused. */
  refused(url: string, reason: RefusalReason, part: 'page' | 'frame' | 'content'): void
  /** Something else was denied, named as in `lockSession`. */
  denied(what: string): void
}

// Partitions without "persist:" live in memory.
const pool = new SessionPool<Session>(SESSIONS_BEFORE_REUSE, () => session.fromPartition(`signing-${randomUUID()}`))

/** Takes a session that no page uses and that holds nothing of any page. Nothing leaves it until `admit`. */
export function openSigningSession(): Session {
  const opened = pool.take()
  lockSession(opened, () => {})
  blockRequests(opened)
  opened.setSpellCheckerEnabled(false)
  return opened
}

/** Gives the session to one turn's page: what it's granted, where it may go, and who gets its events. */
export function admit(
  opened: Session,
  { ground, permits, session: events }: { ground: SigningScope; permits: Permits; session: SessionEvents },
  lookupOf: (opened: Session) => Lookup = lookupIn
): void {
  lockSession(opened, events.denied, permits)
  const lookup = lookupOf(opened)
  // The second guard, in addition to the navigation events. It works on the network itself, so that nothing is sent for
  // what is refused, including redirects of redirects.
  opened.webRequest.onBeforeRequest((details, respond) => {
    void decide(details, ground, lookup).then((decision) => {
      respond({ cancel: decision.kind !== 'allow' })
      if (decision.kind === 'returned') events.returned()
      if (decision.kind === 'refuse') events.refused(details.url, decision.reason, partOf(details.resourceType))
    })
  })
  opened.webRequest.onHeadersReceived((details, respond) => {
    const isPart = partOf(details.resourceType) === 'content'
    respond({ responseHeaders: (isPart ? withSubresourcePolicy : withPagePolicy)(details.responseHeaders, ground) })
  })
}

/** Ends a session whose page is gone: wipes what it stored, closes its connections and shuts it. Never rejects. */
export async function closeSigningSession(used: Session): Promise<void> {
  lockSession(used, () => {})
  blockRequests(used)
  // The session outlives the turn, and would keep this listener's references.
  used.webRequest.onHeadersReceived(null)
  pool.giveBack(used, (await wipe(used)) && (await isSeenEmpty(used)))
}

function blockRequests(closed: Session): void {
  closed.webRequest.onBeforeRequest((_details, respond) => respond({ cancel: true }))
}

/** @returns whether all of it succeeded. */
async function wipe(used: Session): Promise<boolean> {
  const done = await Promise.allSettled([
    used.closeAllConnections(),
    used.clearData(),
    used.clearStorageData(),
    used.clearCache(),
    used.clearCodeCaches({}),
    used.clearAuthCache(),
    used.clearHostResolverCache(),
    used.clearSharedDictionaryCache()
  ])
  return done.every(({ status }) => status === 'fulfilled')
}

/**
 * Checks everything that Electron lets us look at. Gives what ends by itself after the wipe, such as a worker, a
 * moment.
 */
async function isSeenEmpty(used: Session): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt++) {
    if (attempt > 0) await pause(100)
    try {
      const [cookies, cached, dictionaries] = await Promise.all([
        used.cookies.get({}),
        used.getCacheSize(),
        used.getSharedDictionaryUsageInfo()
      ])
      const workers = Object.keys(used.serviceWorkers.getAllRunning())
      if (cookies.length + cached + dictionaries.length + workers.length === 0) return true
    } catch {
      return false
    }
  }
  return false
}

async function decide(
  details: Electron.OnBeforeRequestListenerDetails,
  ground: SigningScope,
  lookup: Lookup
): Promise<Decision> {
  const decision = decideRequest(details, ground)
  if (decision.kind !== 'look-up') return decision
  const reason = await blockReason(decision.url, lookup)
  return reason ? { kind: 'refuse', reason } : { kind: 'allow' }
}

function partOf(type: Electron.OnBeforeRequestListenerDetails['resourceType']): 'page' | 'frame' | 'content' {
  if (type === 'mainFrame') return 'page'
  return type === 'subFrame' ? 'frame' : 'content'
}
