/**
 * What an account's service has shown of itself, kept with the account: which of the two sends it has, and what it says of the
 * account's limits and habits (`Account/Info`, which the reference doesn't list and many services don't have).
 */
import type { AccountInfo } from '../../../shared/model/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import { type Time, within } from '../lib/time.ts'
import type { ServiceClient } from '../service/index.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export interface ServiceFacts {
  /** Forms go by operation 2: the service doesn't have operation 1. */
  formsBy?: 'SendForms' | undefined
  /** What it said last; absent if it has never said anything. */
  info?: AccountInfo | undefined
  /** When it was asked last, in milliseconds since 1970 UTC. */
  askedAt?: number | undefined
}

/** How old its word may be before the service is asked again, in milliseconds: a day, as its habits hardly change. */
export const A_DAY = 24 * 60 * 60_000
/** For what other desks' sends take from, too. */
const SOME_MINUTES = 10 * 60_000

/** How long a folder that was read waits for the service's first word of its habits, in milliseconds. */
const FIRST_WORD = 5_000

export interface ServiceFactsDeps {
  db: Db
  time: Pick<Time, 'now' | 'after'>
  /** Called when something else is known of an account's service. */
  changed: (accountId: string) => void
}

export type ServiceFactsOf = ReturnType<typeof openServiceFacts>

export function openServiceFacts({ db, time, changed }: ServiceFactsDeps) {
  const meta = openMeta(db)
  const known = new Map<string, ServiceFacts>()
  const underWay = new Map<string, Promise<void>>()
  /** Accounts of which it said how much is left before something was sent, or refused for want of it. */
  const outdated = new Set<string>()
  /** How often what is known of an account was forgotten. */
  const turns = new Map<string, number>()
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

  async function ask(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<void> {
    const turn = turns.get(accountId)
    const isMine = () => turns.get(accountId) === turn
    try {
      // A service that doesn't say is asked as seldom as one that does.
      const info = await client.getAccountInfo()
      if (isMine()) note(accountId, { info, askedAt: time.now() })
    } catch {
      // What was known holds; whatever is wrong shows in what the account is used for.
      if (isMine()) known.set(accountId, { ...of(accountId), askedAt: time.now() })
    }
  }

  function asked(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<void> {
    const asking = ask(accountId, client).finally(() => {
      if (underWay.get(accountId) === asking) underWay.delete(accountId)
    })
    underWay.set(accountId, asking)
    return asking
  }

  /** What is known, asked for where it is older than `most` milliseconds. Never rejects. */
  async function fresh(
    accountId: string,
    client: Pick<ServiceClient, 'getAccountInfo'>,
    most: number
  ): Promise<ServiceFacts> {
    const { askedAt } = of(accountId)
    const age = askedAt === undefined ? Number.POSITIVE_INFINITY : time.now() - askedAt
    // A clock that was put back tells nothing.
    if (age >= 0 && age < most) return of(accountId)
    await (underWay.get(accountId) ?? asked(accountId, client))
    return of(accountId)
  }

  return {
    of,
    note,
    /** As `note`, where what was done must not fail for it: it holds for this run at least. */
    learn(accountId: string, news: ServiceFacts): void {
      try {
        note(accountId, news)
      } catch {
        known.set(accountId, { ...of(accountId), ...news })
      }
    },

    fresh,

    /** As `fresh`, for what each send takes from: the documents that are left. */
    limits(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<ServiceFacts> {
      return fresh(accountId, client, outdated.delete(accountId) ? 0 : SOME_MINUTES)
    },
    /** To be called when something was sent, or refused because nothing is left. */
    spent: (accountId: string): void => void outdated.add(accountId),

    /**
     * How the account's user writes dates; undefined if the service doesn't say. What is known is answered at once, and asked
     * for beside where it is old; only before its first word there is a wait, and a short one. Never rejects.
     */
    async dateFormat(accountId: string, client: Pick<ServiceClient, 'getAccountInfo'>): Promise<string | undefined> {
      const asking = fresh(accountId, client, A_DAY)
      if (of(accountId).askedAt === undefined) await within(FIRST_WORD, asking, time)
      return of(accountId).info?.DateFormat
    },

    /** To be called when the account leads to another service, or is gone: an answer that is under way says nothing any more. */
    forget(accountId: string): void {
      turns.set(accountId, (turns.get(accountId) ?? 0) + 1)
      underWay.delete(accountId)
      known.delete(accountId)
      meta.erase(keyOf(accountId))
    }
  }
}
