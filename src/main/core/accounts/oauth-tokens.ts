/**
 * The tokens of one account that signs in by OAuth 2: always one that is good for a while, refreshed once for all callers, and kept
 * before anyone uses it, so that a crash loses no refresh token that the service has changed.
 */
import type { Time } from '../lib/time.ts'
import { ServiceError } from '../service/errors.ts'
import type { Grant, OAuthService } from './oauth-service.ts'
import { troubled } from './oauth-service.ts'

/** With the access token and, where known, when it is over and when it is time for another, in milliseconds since 1970 UTC. */
export interface Tokens {
  refresh?: string | undefined
  access?: string | undefined
  until?: number | undefined
  renewAt?: number | undefined
}

export interface OAuthTokensDeps {
  grant: 'code' | 'client'
  /** Made when it is first needed. Rejects with ServiceError. */
  service: () => Promise<Pick<OAuthService, 'refresh' | 'clientCredentials' | 'revoke'>>
  /** Rejects where they can't be kept now. Not called for a client that signs in by itself. */
  keep: (tokens: Tokens) => Promise<void>
  /** Someone has to sign in again; or has. */
  changed?: (() => void) | undefined
  time: Pick<Time, 'now'>
}

export type OAuthTokens = ReturnType<typeof openOAuthTokens>

/** So long before a token is over another is asked for, in milliseconds; of a short life, a quarter of it. */
const EARLY = 60_000

/** @param known the refresh token that was used: many services give one once, and it goes on. */
export function tokensOf({ access, refresh: given, lifetime }: Grant, now: number, known?: string): Tokens {
  const refresh = given ?? known
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(lifetime !== undefined && { until: now + lifetime, renewAt: now + lifetime - Math.min(EARLY, lifetime / 4) })
  }
}

export function openOAuthTokens(kept: Tokens, { grant, service, keep, changed, time }: OAuthTokensDeps) {
  let tokens: Tokens = kept
  /** Fetched, and not kept yet. */
  let unkept: Tokens | undefined
  let renewing: Promise<string> | undefined
  let over: ServiceError | undefined

  const isBefore = (moment = Number.POSITIVE_INFINITY) => tokens.access !== undefined && time.now() < moment

  async function renewed(): Promise<string> {
    if (over) throw over
    try {
      unkept ??= await fetched()
      if (grant === 'code') await keepFirst(unkept)
      tokens = unkept
      unkept = undefined
      return tokens.access ?? ''
    } catch (error) {
      // A client's secret may be put right at the service; what a person gave comes back by them alone.
      if (error instanceof ServiceError && error.signIn === 'over') {
        over = error
        changed?.()
      }
      throw error
    }
  }

  async function fetched(): Promise<Tokens> {
    const { refresh } = tokens
    if (grant === 'client') return tokensOf(await (await service()).clientCredentials(), time.now())
    if (refresh === undefined) throw troubled('over')
    return tokensOf(await (await service()).refresh(refresh), time.now(), refresh)
  }

  async function keepFirst(next: Tokens): Promise<void> {
    try {
      await keep(next)
    } catch {
      throw troubled(undefined, { code: 'keychain' })
    }
  }

  function renew(): Promise<string> {
    renewing ??= renewed().finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function token(): Promise<string> {
    if (over) throw over
    if (!unkept && isBefore(tokens.renewAt)) return tokens.access ?? ''
    try {
      return await renew()
    } catch (error) {
      // The sign-in service may be back before it is over.
      if (over || unkept || !isBefore(tokens.until ?? Number.NEGATIVE_INFINITY)) throw error
      return tokens.access ?? ''
    }
  }

  return {
    /** One that is good for a while. @throws ServiceError whose request to the signing service never left. */
    token,

    /**
     * The service took this token no longer. Answers whether there is another.
     * @throws ServiceError as `token`.
     */
    async refused(used: string): Promise<boolean> {
      if (tokens.access === used && !renewing) tokens = { refresh: tokens.refresh }
      return (await token()) !== used
    },

    /** Whether nothing more is asked until someone signs in again. */
    isOver: (): boolean => over !== undefined,

    /** Ends at the service what the tokens let in. Answers whether it did; true where there is nothing to end. Never rejects. */
    async revoke(): Promise<boolean> {
      const { refresh, access } = unkept ?? tokens
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
