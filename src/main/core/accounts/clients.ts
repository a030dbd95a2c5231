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
import { type ReadCertificate, readCertificate, withCertificateDetails } from '../service/certificate.ts'
import type { UnreadableAnswer } from '../service/documents.ts'
import {
  createAuthentication,
  createServiceClient,
  type Fetch,
  isServiceError,
  type ServiceClient
} from '../service/index.ts'
import { clockAhead } from '../service/refusal.ts'
import { DEFAULT_FOLDERS } from './account.ts'
import type { Accounts } from './accounts.ts'
import { clientCredentials, type OAuthCredentials } from './credentials.ts'
import { openOAuthService } from './oauth-service.ts'
import { type OAuthTokens, openOAuthTokens, type Tokens } from './oauth-tokens.ts'
import type { ServiceFactsStore } from './service-facts.ts'

/** Wraps `fetch` to log each request; undefined for an account that isn't stored yet. */
type RequestObserver = (fetch: Fetch, accountId: string | undefined) => Fetch

export interface ClientDeps {
  accounts: Accounts
  facts: Pick<ServiceFactsStore, 'of' | 'learn' | 'markLimitsOutdated'>
  fetch: Fetch
  /** Returns an untrusted server's certificate; by default over a separate connection. */
  lookAtCertificate?: ReadCertificate
  lookup?: Lookup | undefined
  /** Called when an account's request didn't reach its service. */
  unreached?: (accountId: string) => void
  signedOut?: (accountId: string) => void
  /** Logs requests; optional. */
  observe?: RequestObserver | undefined
  time: Pick<Time, 'now' | 'random' | 'after'>
}

export type Clients = ReturnType<typeof openClients>

export function openClients({ accounts, facts, lookup, time, unreached, signedOut, ...deps }: ClientDeps) {
  const baseFetch = withCertificateDetails(deps.fetch, deps.lookAtCertificate ?? readCertificate)
  const { observe = (fetch) => fetch } = deps
  /** How far this computer's clock was ahead of each account's service at its last answer, in milliseconds. */
  const clockOffsets = new Map<string, number>()
  const clients = new Map<string, { baseUrl: string; client: Promise<ServiceClient>; isStale: boolean }>()

  /**
   * Tokens of accounts with OAuth 2. They outlive a client: two refreshing in parallel would invalidate each other's
   * sign-in.
   */
  const tokensByAccount = new Map<string, { revision: number; tokens: OAuthTokens }>()

  /** @param revision of the sign-in, taken before the credentials were read. */
  function tokensOf(id: string, revision: number, signIn: OAuthCredentials): OAuthTokens {
    const known = tokensByAccount.get(id)
    if (known?.revision === revision) return known.tokens
    const tokens = openTokens(
      signIn,
      (next) => accounts.storeTokens(id, revision, next),
      () => signedOut?.(id),
      id
    )
    tokensByAccount.set(id, { revision, tokens })
    return tokens
  }

  function openTokens(
    signIn: OAuthCredentials,
    keep: (tokens: Tokens) => Promise<void>,
    changed?: () => void,
    id?: string
  ) {
    const fetch = observe(baseFetch, id)
    let service: ReturnType<typeof openOAuthService> | undefined
    return openOAuthTokens(signIn.tokens ?? {}, {
      grant: signIn.grant,
      keep,
      changed,
      time,
      service: () => {
        service ??= openOAuthService(signIn, { fetch, now: time.now }, signIn.endpoints).catch((error: unknown) => {
          service = undefined
          throw error
        })
        return service
      }
    })
  }

  const isCurrentAddress = (id: string, baseUrl: string) =>
    accounts.list().some((account) => account.id === id && account.baseUrl === baseUrl)

  /** Requests that were aborted here say nothing about the network, and other hosts nothing about the service. */
  const reportingFetch = (id: string, baseUrl: string): Fetch => {
    const fetch = observe(baseFetch, id)
    return async (url, init, operation) => {
      // A caller may still hold the client from before the account's address changed; it retries after what looks like
      // a failed connection.
      if (!isCurrentAddress(id, baseUrl)) throw new Error('net::ERR_CONNECTION_FAILED')
      try {
        const response = await fetch(url, init, operation)
        if (response.status === 402 || response.status === 426) facts.markLimitsOutdated(id)
        const ahead = clockAhead(response.headers.get('date'), time.now())
        if (ahead !== undefined && isCurrentAddress(id, baseUrl)) clockOffsets.set(id, ahead)
        return response
      } catch (error) {
        if (!init.signal?.aborted && URL.parse(url)?.origin === URL.parse(baseUrl)?.origin) unreached?.(id)
        throw error
      }
    }
  }

  async function createClient(id: string, baseUrl: string): Promise<ServiceClient> {
    const revision = accounts.credentialsRevision(id)
    const credentials = clientCredentials(await accounts.credentialsOf(id), (signIn) => tokensOf(id, revision, signIn))
    const { jsonByQuery, dataTypeSpelling } = accounts.get(id)
    return createServiceClient({
      baseUrl,
      authentication: createAuthentication(credentials, { clock: time.now }),
      fetch: reportingFetch(id, baseUrl),
      lookup,
      clock: time.now,
      random: time.random,
      jsonByQuery,
      dataTypeSpelling,
      quirks: {
        dateFormat: () => facts.of(id).info?.DateFormat,
        formsBy: () => facts.of(id).formsBy,
        onFormsBy: (operation) => facts.learn(id, { formsBy: operation === 'SendForms' ? operation : undefined })
      },
      onJsonByQuery() {
        if (isCurrentAddress(id, baseUrl)) void accounts.update(id, { jsonByQuery: true }).catch(() => undefined)
      }
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
    if (clients.get(id)?.baseUrl !== baseUrl) forget(id)
    const entry = getOrMake(clients, id, () => ({ baseUrl, client: createClient(id, baseUrl), isStale: false }))
    try {
      const client = await entry.client
      if (!entry.isStale) return client
    } catch (error) {
      // A locked keychain may be unlocked next time.
      if (clients.get(id) === entry) clients.delete(id)
      if (!entry.isStale) throw error
    }
    // The account was changed while the keychain was read: don't send to the previous address.
    return of(id)
  }

  /** Must be called when an account's credentials change, or it is removed. */
  function forget(id: string): void {
    const entry = clients.get(id)
    if (entry) entry.isStale = true
    clients.delete(id)
    clockOffsets.delete(id)
  }

  return {
    of,

    /**
     * Tests an account before it is stored. @throws AppFailure for invalid input or unavailable keychain entries, and
     * as `testService`.
     */
    async test({
      folders,
      storeTokens = async () => undefined,
      ...typed
    }: Parameters<Accounts['credentialsToTest']>[0] & {
      folders?: readonly string[] | undefined
      /** Called if tokens are renewed during the test. */
      storeTokens?: ((tokens: Tokens) => Promise<void>) | undefined
    }) {
      const baseUrl = accounts.normaliseAddress(typed.baseUrl)
      const { id = '', authentication } = typed
      const revision = accounts.credentialsRevision(id)
      const credentials = clientCredentials(await accounts.credentialsToTest({ ...typed, baseUrl }), (signIn) =>
        // Only one object may renew stored tokens.
        authentication ? openTokens(signIn, storeTokens) : tokensOf(id, revision, signIn)
      )
      return testService({ baseUrl, credentials, folders }, { fetch: observe(baseFetch, undefined), time })
    },

    forget,

    /** How far this computer's clock is ahead of the account's service, in milliseconds; undefined if unknown. */
    clockAhead: (id: string): number | undefined => clockOffsets.get(id),

    /** Whether no requests are made for this account until someone signs in again. */
    isSignedOut: (id: string): boolean => {
      const known = tokensByAccount.get(id)
      return known?.revision === accounts.credentialsRevision(id) && known.tokens.isSignedOut()
    },

    /**
     * Returns a function that revokes the account's sign-in. Call `prepareRevocation` before the account is removed or its sign-in
     * replaced, and the function afterwards. That returns whether it was revoked: true if there was none, false if the
     * service didn't confirm within `REVOCATION_TIMEOUT`, though it may still. Never rejects.
     */
    async prepareRevocation(id: string): Promise<() => Promise<boolean>> {
      const nothingToRevoke = async () => true
      if (accounts.get(id).scheme !== 'oauth') return nothingToRevoke
      const revision = accounts.credentialsRevision(id)
      // A sign-in that is missing from the keychain, or locked in it, can't be revoked here; the user may remove the
      // account anyway.
      const signIn = await accounts.credentialsOf(id).catch(() => undefined)
      if (signIn?.scheme !== 'oauth') return nothingToRevoke
      const tokens = tokensOf(id, revision, signIn)
      const { revoke } = tokens
      return async () => {
        if (tokensByAccount.get(id)?.tokens === tokens) tokensByAccount.delete(id)
        let isRevoked = false
        const revocation = revoke().then((answer) => {
          isRevoked = answer
        })
        await within(REVOCATION_TIMEOUT, revocation, time)
        return isRevoked
      }
    }
  }
}

/** In milliseconds. Nobody should wait longer for a hanging sign-in service; a later answer is ignored. */
export const REVOCATION_TIMEOUT = 3000

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
async function testService(
  { baseUrl, credentials, folders = DEFAULT_FOLDERS }: Trial,
  { fetch, time }: TrialDeps
): Promise<{ documents: number; missing: string[] }> {
  const client = createServiceClient({
    baseUrl,
    fetch,
    clock: time.now,
    random: time.random,
    authentication: createAuthentication(credentials, { clock: time.now })
  })
  const missing: string[] = []
  let documents = 0
  let firstError: unknown
  for (const folder of folders) {
    try {
      const { count } = await client.readActiveDocuments(
        folder,
        {},
        async (bytes): Promise<Counted | UnreadableAnswer> => {
          const scan = await inSlices(scanList(bytes))
          return scan ? { kind: 'taken', count: scan.count } : emptyOrUnread(bytes)
        }
      )
      documents += count
    } catch (error) {
      if (!isServiceError(error) || (error.code !== 'not-found' && error.code !== 'invalid')) throw error
      firstError ??= error
      missing.push(folder)
    }
  }
  if (missing.length === folders.length) throw firstError
  return { documents, missing }
}

interface Counted {
  kind: 'taken'
  count: number
}

/** `null` is an empty list; other JSON means that this is a different service. */
function emptyOrUnread(bytes: Uint8Array): Counted | UnreadableAnswer {
  const text = new TextDecoder().decode(bytes.subarray(0, 64)).trim()
  if (text === 'null') return { kind: 'taken', count: 0 }
  return /^[{["\d]/.test(text) ? { kind: 'unexpected-shape', path: '', said: {} } : { kind: 'not-json' }
}
