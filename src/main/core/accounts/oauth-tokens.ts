/**
 * The tokens of one account with OAuth 2: always returns one that is valid for a while, refreshes once for concurrent
 * callers, and stores new tokens before use, so that a crash never loses a rotated refresh token.
 */
import type { Time } from '../lib/time.ts'
import { ServiceError } from '../service/errors.ts'
import type { Grant, OAuthService } from './oauth-service.ts'
import { signInError } from './oauth-service.ts'

/** An access token with its expiry and renewal times, if known, in milliseconds since 1970 UTC. */
export interface Tokens {
  refresh?: string | undefined
  access?: string | undefined
  until?: number | undefined
  renewAt?: number | undefined
}

export interface OAuthTokensDeps {
  grant: 'code' | 'client'
  /** Opened on first use. Rejects with ServiceError. */
  service: () => Promise<Pick<OAuthService, 'refresh' | 'clientCredentials' | 'revoke'>>
  /** Rejects if the tokens can't be stored now. Not called for client credentials. */
  keep: (tokens: Tokens) => Promise<void>
  /** Someone has to sign in again, or has done so. */
  changed?: (() => void) | undefined
  time: Pick<Time, 'now'>
}

export type OAuthTokens = ReturnType<typeof openOAuthTokens>

/** How long before expiry a token is renewed, in milliseconds; for short-lived tokens, a quarter of their life. */
const RENEWAL_LEAD = 60_000

/**
 * Converts a grant. @param known the refresh token that was used: many services issue it only once, and it stays valid.
 */
export function tokensOf({ access, refresh: given, lifetime }: Grant, now: number, known?: string): Tokens {
  const refresh = given ?? known
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(lifetime !== undefined && {
      until: now + lifetime,
      renewAt: now + lifetime - Math.min(RENEWAL_LEAD, lifetime / 4)
    })
  }
}

export function openOAuthTokens(stored: Tokens, { grant, service, keep, changed, time }: OAuthTokensDeps) {
  let tokens: Tokens = stored
  /** Fetched, but not stored yet. */
  let unstored: Tokens | undefined
  let renewing: Promise<string> | undefined
  let signedOutError: ServiceError | undefined
  /** No client may renew them any more: nobody would know the token that this brings. */
  let isRevoked = false

  const isUsableUntil = (moment = Number.POSITIVE_INFINITY) => tokens.access !== undefined && time.now() < moment

  async function renewAndStore(): Promise<string> {
    if (signedOutError) throw signedOutError
    if (isRevoked) throw signInError('over')
    try {
      unstored ??= await fetchTokens()
      if (grant === 'code') await storeBeforeUse(unstored)
      tokens = unstored
      unstored = undefined
      return tokens.access ?? ''
    } catch (error) {
      // A client secret may be fixed at the service, but a user's grant can only be renewed by signing in again.
      if (grant === 'code' && error instanceof ServiceError && error.signIn === 'over') {
        signedOutError = error
        changed?.()
      }
      throw error
    }
  }

  async function fetchTokens(): Promise<Tokens> {
    const { refresh } = tokens
    if (grant === 'client') return tokensOf(await (await service()).clientCredentials(), time.now())
    if (refresh === undefined) throw signInError('over')
    return tokensOf(await (await service()).refresh(refresh), time.now(), refresh)
  }

  async function storeBeforeUse(next: Tokens): Promise<void> {
    try {
      await keep(next)
    } catch {
      throw signInError(undefined, { code: 'keychain' })
    }
  }

  function renewOnce(): Promise<string> {
    renewing ??= renewAndStore().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function token(): Promise<string> {
    if (signedOutError) throw signedOutError
    if (!unstored && isUsableUntil(tokens.renewAt)) return tokens.access ?? ''
    try {
      return await renewOnce()
    } catch (error) {
      // The sign-in service may recover before the token expires.
      if (signedOutError || unstored || !isUsableUntil(tokens.until ?? Number.NEGATIVE_INFINITY)) throw error
      return tokens.access ?? ''
    }
  }

  return {
    /** Returns a token that is valid for a while. @throws ServiceError, with no request sent to the signing service. */
    token,

    /**
     * Called when the service rejects this token. Returns whether there is another.
     * @throws ServiceError as `token`.
     */
    async renewAfterRefusal(used: string): Promise<boolean> {
      if (tokens.access === used && !renewing) tokens = { refresh: tokens.refresh }
      return (await token()) !== used
    },

    /** Whether nothing is requested until someone signs in again. */
    isSignedOut: (): boolean => signedOutError !== undefined,

    /** Revokes the tokens at the service. Returns whether it did; true if there is nothing to revoke. Never rejects. */
    async revoke(): Promise<boolean> {
      isRevoked = true
      // The service may have replaced the token already, and would then revoke nothing.
      await renewing?.catch(() => undefined)
      const { refresh, access } = unstored ?? tokens
      const token = refresh ?? access
      if (token === undefined) return true
      try {
        return await (await service()).revoke(token)
      } catch {
        return false
      }
    }
  }
}
