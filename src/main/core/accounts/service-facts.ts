/**
 * What is known about an account's service, stored with the account: which of the two send operations it has, and its
 * limits and conventions (`Account/Info`, which isn't in the reference, and which many services don't have).
 */
import type { AccountInfo } from '../../../shared/model/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { isFresh, type Time, within } from '../lib/time.ts'
import type { ServiceClient } from '../service/index.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export interface ServiceFacts {
  /** Forms are sent by operation 2, since the service doesn't have operation 1. */
  formsBy?: 'SendForms' | undefined
  /** Its last answer; missing if it has never answered. */
  info?: AccountInfo | undefined
  /** Time of the last request, in milliseconds since 1970 UTC. */
  askedAt?: number | undefined
}

/** Maximum age before the service is asked again, in milliseconds: a day, as its conventions hardly change. */
export const MAX_FACTS_AGE = 24 * 60 * 60_000
/** Maximum age of limits that other workstations' sends also use up, in milliseconds. */
const MAX_LIMITS_AGE = 10 * 60_000

/** How long reading a folder waits for the service's first answer about its conventions, in milliseconds. */
const FIRST_ANSWER_TIMEOUT = 5_000

export interface ServiceFactsDeps {
  db: Db
  time: Pick<Time, 'now' | 'after'>
  changed: (accountId: string) => void
}

export type ServiceFactsStore = ReturnType<typeof openServiceFacts>

export function openServiceFacts({ db, time, changed }: ServiceFactsDeps) {
  const meta = openMeta(db)
  const known = new Map<string, ServiceFacts>()
  const inFlight = new Map<string, Promise<void>>()
  /** Accounts whose remaining documents are outdated, since something was sent or was refused for lack of them. */
  const outdatedLimits = new Set<string>()
  /** How often an account's facts were invalidated. */
  const generations = new Map<string, number>()
  const keyOf = (accountId: string) => `service-facts:${accountId}:`

  function of(accountId: string): ServiceFacts {
    const facts =
      known.get(accountId) ?? (parsedJson(meta.read(keyOf(accountId)) ?? '{}') as ServiceFacts | undefined) ?? {}
    known.set(accountId, facts)
    return facts
  }

  function note(accountId: string, news: ServiceFacts): void {
    const facts = { ...of(accountId), ...news }
    known.set(accountId, facts)
    meta.write(keyOf(accountId), JSON.stringify(facts))
    changed(accountId)
  }

  async function requestInfo(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<void> {
    const generation = generations.get(accountId)
    const isCurrent = () => generations.get(accountId) === generation
    const hadOutdatedLimits = outdatedLimits.delete(accountId)
    try {
      // A service without this operation isn't asked more often either, except for limits that a send has outdated.
      const info = await client.getAccountInfo()
      if (isCurrent()) note(accountId, { info, askedAt: time.now() })
    } catch {
      // Known facts stay valid, and the problem will show when the account is used. Outdated limits are asked for again.
      if (hadOutdatedLimits) outdatedLimits.add(accountId)
      if (isCurrent()) known.set(accountId, { ...of(accountId), askedAt: time.now() })
    }
  }

  function startRequest(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<void> {
    const request = requestInfo(accountId, client).finally(() => {
      if (inFlight.get(accountId) === request) inFlight.delete(accountId)
    })
    inFlight.set(accountId, request)
    return request
  }

  /** Returns known facts, requested again if older than `maxAge` milliseconds. Never rejects. */
  async function ensureFresh(
    accountId: string,
    client: Pick<ServiceClient, 'getAccountInfo'>,
    maxAge: number
  ): Promise<ServiceFacts> {
    const { askedAt } = of(accountId)
    if (askedAt !== undefined && isFresh(time, askedAt, maxAge)) return of(accountId)
    await (inFlight.get(accountId) ?? startRequest(accountId, client))
    return of(accountId)
  }

  return {
    of,
    note,
    /** As `note`, but never fails what was done: the facts apply at least to this run. */
    learn(accountId: string, news: ServiceFacts): void {
      try {
        note(accountId, news)
      } catch {
        known.set(accountId, { ...of(accountId), ...news })
      }
    },

    ensureFresh,

    /** As `ensureFresh`, for what each send uses up: the remaining documents. */
    async limits(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<ServiceFacts> {
      if (!outdatedLimits.has(accountId)) return ensureFresh(accountId, client, MAX_LIMITS_AGE)
      // The answer to an earlier request may not count what was sent since.
      await inFlight.get(accountId)
      return ensureFresh(accountId, client, 0)
    },
    /** Must be called when something was sent, or refused because nothing is left. */
    markLimitsOutdated: (accountId: string): void => void outdatedLimits.add(accountId),

    /**
     * Returns how the account's user writes dates; undefined if the service doesn't say. Returns the known value at
     * once and refreshes an old one in the background; waits briefly only before the first answer. Never rejects.
     */
    async dateFormat(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<string | undefined> {
      const asking = ensureFresh(accountId, client, MAX_FACTS_AGE)
      if (of(accountId).askedAt === undefined) await within(FIRST_ANSWER_TIMEOUT, asking, time)
      return of(accountId).info?.DateFormat
    },

    /** Must be called when the account is removed or its service changes: answers in flight are then ignored. */
    forget(accountId: string): void {
      generations.set(accountId, (generations.get(accountId) ?? 0) + 1)
      inFlight.delete(accountId)
      known.delete(accountId)
      meta.erase(keyOf(accountId))
    }
  }
}
