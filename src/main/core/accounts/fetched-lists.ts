/** Lists that rarely change (templates, recipients): fetched on demand, and stored for offline use. */
import type { Fetched, RecipientView, TemplateView } from '../../../shared/contract/index.ts'
import { CompletionRecipient, NotificationRecipient } from '../../../shared/model/index.ts'
import { asAppError } from '../errors/app-error.ts'
import { withOthers } from '../lib/other-members.ts'
import { isFresh, type Time } from '../lib/time.ts'
import type { ServiceClient } from '../service/index.ts'
import type { Db } from '../storage/connection.ts'
import { openMeta } from '../storage/meta.ts'

export interface FetchedListDeps {
  db: Db
  clientOf: (accountId: string) => Promise<ServiceClient>
  time: Pick<Time, 'now'>
}

/** Age above which a stored list is fetched again, in milliseconds. */
const MAX_AGE = 10 * 60_000

export type FetchedLists = ReturnType<typeof openFetchedLists>

export function openFetchedLists({ db, clientOf, time }: FetchedListDeps) {
  const meta = openMeta(db)
  /** How often an account's lists were invalidated. */
  const generations = new Map<string, number>()
  let requestCount = 0
  /** The number of the request whose answer is stored, by key. */
  const storedRequests = new Map<string, number>()

  const readKept = <Item>(key: string): Fetched<Item> => {
    const text = meta.read(key)
    return text ? JSON.parse(text) : { items: [] }
  }

  async function list<Item>(
    accountId: string,
    name: string,
    demand: { refresh: boolean },
    fetch: (client: ServiceClient) => Promise<{ items: Item[]; problems: readonly unknown[] }>
  ): Promise<Fetched<Item>> {
    const key = `fetched:${accountId}:${name}`
    const kept = readKept<Item>(key)
    if (!demand.refresh && kept.fetchedAt !== undefined && isFresh(time, kept.fetchedAt, MAX_AGE)) return kept
    const generation = generations.get(accountId)
    const request = ++requestCount
    /** Whether the request was for another service or user than now. */
    const isOutdated = () => generations.get(accountId) !== generation
    const isLaterStored = () => (storedRequests.get(key) ?? 0) > request
    try {
      const { items, problems } = await fetch(await clientOf(accountId))
      if (isOutdated()) return list(accountId, name, demand, fetch)
      if (isLaterStored()) return readKept(key)
      const fetched: Fetched<Item> = {
        items,
        fetchedAt: time.now(),
        ...(problems.length > 0 && { unreadable: problems.length })
      }
      meta.write(key, JSON.stringify(fetched))
      storedRequests.set(key, request)
      return fetched
    } catch (error) {
      if (isOutdated()) return list(accountId, name, demand, fetch)
      return isLaterStored() ? readKept(key) : { ...kept, problem: asAppError(error) }
    }
  }

  /** Parsed once, not at each keystroke. */
  let parsedRecipients = { text: '', items: [] as RecipientView[] }

  return {
    /** Returns the stored recipients without a request, since names are completed at each keystroke. */
    storedRecipients(accountId: string): RecipientView[] {
      const text = meta.read(`fetched:${accountId}:recipients`) ?? ''
      if (text !== parsedRecipients.text)
        parsedRecipients = { text, items: text ? (JSON.parse(text) as Fetched<RecipientView>).items : [] }
      return parsedRecipients.items
    },

    /** Must be called when the account is removed, or its service or user changes. */
    forget(accountId: string): void {
      generations.set(accountId, (generations.get(accountId) ?? 0) + 1)
      for (const name of ['templates', 'recipients']) meta.erase(`fetched:${accountId}:${name}`)
    },

    templates: (accountId: string, demand: { refresh: boolean }): Promise<Fetched<TemplateView>> =>
      list(accountId, 'templates', demand, (client) => client.getTemplateList()),

    recipients: (accountId: string, demand: { refresh: boolean }): Promise<Fetched<RecipientView>> =>
      list(accountId, 'recipients', demand, async (client) => {
        const { items, problems } = await client.getRecipients()
        return {
          problems,
          items: items.map((entry) => ({
            notification: (entry.NotificationRecipients ?? []).map((one) => withOthers(NotificationRecipient, one)),
            completion: (entry.CompletionRecipients ?? []).map((one) => withOthers(CompletionRecipient, one))
          }))
        }
      })
  }
}
