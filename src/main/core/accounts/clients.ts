/**
 * Each account's service client: created on first use, and again when address or credentials change. Also tests an
 * account before it is stored.
 */
import { fail } from '../lib/failure.ts'
import { scanList } from '../lib/json-scanning.ts'
import { getOrMake } from '../lib/objects.ts'
import { inSlices } from '../lib/slices.ts'
import { type Time, within } from '../lib/time.ts'
import type { Lookup } from '../policy/private-networks.ts'
import type { Credentials } from '../service/authentication.ts'
import { type LookAtCertificate, lookAtCertificate, tellingCertificates } from '../service/certificate.ts'
import type { Unread } from '../service/documents.ts'
import {
  createAuthentication,
  createServiceClient,
  type Fetch,
  isServiceError,
  type ServiceClient
} from '../service/index.ts'
import { clockAhead } from '../service/refusal.ts'
import { USUAL_FOLDERS } from './account.ts'
import type { Accounts } from './accounts.ts'
import { clientCredentials, type OAuthCredentials } from './credentials.ts'
import { openOAuthService } from './oauth-service.ts'
import { type OAuthTokens, openOAuthTokens, type Tokens } from './oauth-tokens.ts'
import type { ServiceFactsOf } from './service-facts.ts'

/** Wraps `fetch` to log each request; undefined for an account that isn't stored yet. */
type Observed = (fetch: Fetch, accountId: string | undefined) => Fetch

export interface ClientDeps {
  accounts: Accounts
  facts: Pick<ServiceFactsOf, 'of' | 'learn' | 'spent'>
  fetch: Fetch
  /** Returns an untrusted server's certificate; by default over a separate connection. */
  lookAtCertificate?: LookAtCertificate
  lookup?: Lookup | undefined
  /** Called when an account's request didn't reach its service. */
  unreached?: (accountId: string) => void
  /** Called when an account needs to be signed in to again. */
  signedOut?: (accountId: string) => void
  /** Logs requests; optional. */
  observed?: Observed | undefined
  time: Pick<Time, 'now' | 'random' | 'after'>
}

export type Clients = ReturnType<typeof openClients>

export function openClients({ accounts, facts, lookup, time, unreached, signedOut, ...deps }: ClientDeps) {
  const told = tellingCertificates(deps.fetch, deps.lookAtCertificate ?? lookAtCertificate)
  const { observed = (fetch) => fetch } = deps
  /** How far this computer's clock was ahead of each account's service at its last answer, in milliseconds. */
  const clocks = new Map<string, number>()
  const made = new Map<string, { baseUrl: string; client: Promise<ServiceClient>; isOver: boolean }>()

  /**
   * Tokens of accounts with OAuth 2. They outlive a client: two refreshing in parallel would invalidate each other's
   * sign-in.
   */
  const kept = new Map<string, { number: number; tokens: OAuthTokens }>()

  /** @param number of the sign-in, taken before the credentials were read. */
  function tokensOf(id: string, number: number, signIn: OAuthCredentials): OAuthTokens {
    const known = kept.get(id)
    if (known?.number === number) return known.tokens
    const tokens = openTokens(
      signIn,
      (next) => accounts.keepTokens(id, number, next),
      () => signedOut?.(id),
      id
    )
    kept.set(id, { number, tokens })
    return tokens
  }

  function openTokens(
    signIn: OAuthCredentials,
    keep: (tokens: Tokens) => Promise<void>,
    changed?: () => void,
    id?: string
  ) {
    const fetch = observed(told, id)
    let service: ReturnType<typeof openOAuthService> | undefined
    return openOAuthTokens(signIn.tokens ?? {}, {
      ...{ grant: signIn.grant, keep, changed, time },
      service: () => {
        service ??= openOAuthService(signIn, { fetch, now: time.now }, signIn.endpoints).catch((error: unknown) => {
          service = undefined
          throw error
        })
        return service
      }
    })
  }

  const leadsTo = (id: string, baseUrl: string) =>
    accounts.list().some((account) => account.id === id && account.baseUrl === baseUrl)

  /** Requests that were aborted here say nothing about the network, and other hosts nothing about the service. */
  const reporting =
    (id: string, baseUrl: string, fetch = observed(told, id)): Fetch =>
    async (url, init, operation) => {
      // A caller may still hold the client from before the account's address changed; it retries after what looks like
      // a failed connection.
      if (!leadsTo(id, baseUrl)) throw new Error('net::ERR_CONNECTION_FAILED')
      try {
        const response = await fetch(url, init, operation)
        if (response.status === 402 || response.status === 426) facts.spent(id)
        const ahead = clockAhead(response.headers.get('date'), time.now())
        if (ahead !== undefined) clocks.set(id, ahead)
        return response
      } catch (error) {
        if (!init.signal?.aborted && URL.parse(url)?.origin === URL.parse(baseUrl)?.origin) unreached?.(id)
        throw error
      }
    }

  async function make(id: string, baseUrl: string): Promise<ServiceClient> {
    const number = accounts.signInNumber(id)
    const credentials = clientCredentials(await accounts.secretsOf(id), (signIn) => tokensOf(id, number, signIn))
    const { jsonByQuery, dataTypeSpelling } = accounts.get(id)
    return createServiceClient({
      baseUrl,
      authentication: createAuthentication(credentials, { clock: time.now }),
      fetch: reporting(id, baseUrl),
      lookup,
      clock: time.now,
      random: time.random,
      jsonByQuery,
      dataTypeSpelling,
      habits: {
        dateFormat: () => facts.of(id).info?.DateFormat,
        formsBy: () => facts.of(id).formsBy,
        onFormsBy: (operation) => facts.learn(id, { formsBy: operation === 'SendForms' ? operation : undefined })
      },
      onJsonByQuery: () => void accounts.update(id, { jsonByQuery: true }).catch(() => undefined)
    })
  }

  /**
   * Returns the account's client. @throws AppFailure `no-account`, `refused` if the practice office isn't running,
   * `keychain`.
   */
  async function of(id: string): Promise<ServiceClient> {
    const { baseUrl } = accounts.get(id)
    if (!baseUrl)
      return fail('refused', 'The practice office isn’t running.', {
        next: 'Restart Countersign.',
        mayHaveArrived: false
      })
    if (made.get(id)?.baseUrl !== baseUrl) forget(id)
    const entry = getOrMake(made, id, () => ({ baseUrl, client: make(id, baseUrl), isOver: false }))
    try {
      const client = await entry.client
      if (!entry.isOver) return client
    } catch (error) {
      // A locked keychain may be unlocked next time.
      if (made.get(id) === entry) made.delete(id)
      if (!entry.isOver) throw error
    }
    // The account was changed while the keychain was read: don't send to the previous address.
    return of(id)
  }

  /** Must be called when an account's credentials change, or it is removed. */
  function forget(id: string): void {
    const entry = made.get(id)
    if (entry) entry.isOver = true
    made.delete(id)
  }

  return {
    of,

    /**
     * Tests an account before it is stored. @throws AppFailure for invalid input or unavailable keychain entries, and
     * as `tryService`.
     */
    async try({
      folders,
      keepTokens = async () => undefined,
      ...typed
    }: Parameters<Accounts['credentialsFor']>[0] & {
      folders?: readonly string[] | undefined
      /** Called if tokens are renewed during the test. */
      keepTokens?: ((tokens: Tokens) => Promise<void>) | undefined
    }) {
      const baseUrl = accounts.addressIn(typed.baseUrl)
      const { id = '', authentication } = typed
      const number = accounts.signInNumber(id)
      const credentials = clientCredentials(await accounts.credentialsFor({ ...typed, baseUrl }), (signIn) =>
        // Only one object may renew stored tokens.
        authentication ? openTokens(signIn, keepTokens) : tokensOf(id, number, signIn)
      )
      return tryService({ baseUrl, credentials, folders }, { fetch: observed(told, undefined), time })
    },

    forget,

    /** How far this computer's clock is ahead of the account's service, in milliseconds; 0 if unknown. */
    clockAhead: (id: string): number => clocks.get(id) ?? 0,

    /** Whether no requests are made for this account until someone signs in again. */
    isSignedOut: (id: string): boolean => {
      const known = kept.get(id)
      return known?.number === accounts.signInNumber(id) && known.tokens.isOver()
    },

    /**
     * Returns a function that revokes the account's sign-in. Call `ending` before the account is removed or its sign-in
     * replaced, and the function afterwards. That returns whether it was revoked: true if there was none, false if the
     * service didn't confirm within `ENDING_LIMIT`, though it may still. Never rejects.
     */
    async ending(id: string): Promise<() => Promise<boolean>> {
      const nothing = async () => true
      if (accounts.get(id).scheme !== 'oauth') return nothing
      const number = accounts.signInNumber(id)
      // A sign-in that is missing from the keychain, or locked in it, can't be revoked here; the user may remove the
      // account anyway.
      const signIn = await accounts.secretsOf(id).catch(() => undefined)
      if (signIn?.scheme !== 'oauth') return nothing
      const tokens = tokensOf(id, number, signIn)
      const { revoke } = tokens
      return async () => {
        if (kept.get(id)?.tokens === tokens) kept.delete(id)
        let isEnded = false
        const ended = revoke().then((answer) => {
          isEnded = answer
        })
        await within(ENDING_LIMIT, ended, time)
        return isEnded
      }
    }
  }
}

/** In milliseconds. Nobody should wait longer for a hanging sign-in service; a later answer is ignored. */
export const ENDING_LIMIT = 3000

interface Trial {
  baseUrl: string
  credentials: Credentials
  folders?: readonly string[] | undefined
}

interface TrialDeps {
  fetch: Fetch
  time: Pick<Time, 'now' | 'random'>
}

/**
 * Tests an account before it is stored: requests its folders exactly as the account would. Chooses, stores and changes
 * nothing, and touches no other account.
 * @returns the number of documents in the folders, and the folders that the service doesn't have.
 * @throws ServiceError if a folder can't be read for another reason, or none exists.
 */
async function tryService(
  { baseUrl, credentials, folders = USUAL_FOLDERS }: Trial,
  { fetch, time }: TrialDeps
): Promise<{ documents: number; missing: string[] }> {
  const client = createServiceClient({
    ...{ baseUrl, fetch, clock: time.now, random: time.random },
    authentication: createAuthentication(credentials, { clock: time.now })
  })
  const missing: string[] = []
  let documents = 0
  let first: unknown
  for (const folder of folders) {
    try {
      const { count } = await client.readActiveDocuments(folder, {}, async (bytes): Promise<Counted | Unread> => {
        const scan = await inSlices(scanList(bytes))
        return scan ? { kind: 'taken', count: scan.count } : notAList(bytes)
      })
      documents += count
    } catch (error) {
      if (!isServiceError(error) || (error.code !== 'not-found' && error.code !== 'invalid')) throw error
      first ??= error
      missing.push(folder)
    }
  }
  if (missing.length === folders.length) throw first
  return { documents, missing }
}

interface Counted {
  kind: 'taken'
  count: number
}

/** `null` is an empty list; other JSON means that this is a different service. */
function notAList(bytes: Uint8Array): Counted | Unread {
  const text = new TextDecoder().decode(bytes.subarray(0, 64)).trim()
  if (text === 'null') return { kind: 'taken', count: 0 }
  return /^[{["\d]/.test(text) ? { kind: 'unexpected-shape', path: '', said: {} } : { kind: 'not-json' }
}
