/** What a person wants told of which documents; and the news of each, gathered. */
import type { SavedView, TellableKind, TellingSettings } from '../../../shared/contract/index.ts'
import type { AskDesk } from '../documents/questions.ts'
import type { News, Told } from './notification-text.ts'

export interface WantedEffects {
  ask: AskDesk
  /** All accounts whose folders are watched. What happened to any other's documents is not told. */
  accounts: () => readonly { id: string }[]
  /** The saved views of an account. */
  views: (accountId: string) => readonly SavedView[]
  /** The IANA name of this workstation's zone, as it is now. */
  zone: () => string
  clock: () => number
}

/** Whether the person wants that of a document told. */
export type Wanted = (document: { accountId: string; reference: string }, kind: TellableKind) => Promise<boolean>

/** What the views say of a document is asked once: to be made anew for each look. */
export function wantedBy(settings: TellingSettings, { ask, accounts, views, zone, clock }: WantedEffects): Wanted {
  const watched = new Set(accounts().map(({ id }) => id))
  const known = new Map<string, boolean>()

  async function isInView(accountId: string, reference: string): Promise<boolean> {
    const queries = views(accountId).filter(({ tell }) => tell)
    if (queries.length === 0) return false
    const asked = { accountId, reference, queries: queries.map(({ id, query }) => ({ id, query })) }
    return (await ask('matching', { ...asked, now: clock(), zone: zone() })).length > 0
  }

  return async ({ accountId, reference }, kind) => {
    const choice = settings.kinds[kind]
    if (choice === 'never' || !watched.has(accountId)) return false
    if (choice === 'always') return true
    const key = JSON.stringify([accountId, reference])
    const found = known.get(key) ?? (await isInView(accountId, reference))
    known.set(key, found)
    return found
  }
}

/** News by document, in the order in which each came first. */
export function gathering() {
  const told = new Map<string, Told>()
  return {
    add({ accountId, reference, name }: { accountId: string; reference: string; name: string }, news: News): void {
      const key = JSON.stringify([accountId, reference])
      const one = told.get(key) ?? { accountId, reference, name, news: [] }
      told.set(key, { ...one, name, news: [...one.news, news] })
    },
    all: (): Told[] => [...told.values()]
  }
}
