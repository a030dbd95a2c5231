/** What a person wants notified of which documents, as they set it; and the news of each document, gathered. */

import { z } from 'zod'
import {
  NOTIFIED_KINDS,
  NotificationPreferences,
  type NotifiedKind,
  type SavedView
} from '../../../shared/contract/index.ts'
import type { AskDocuments } from '../documents/questions.ts'
import type { Time } from '../lib/time.ts'
import type { Db } from '../storage/connection.ts'
import { keptIn } from '../storage/meta.ts'
import type { DocumentNews, News } from './notification-text.ts'

export interface PreferenceDeps {
  ask: AskDocuments
  /** All accounts whose folders are watched. What happened to any other's documents is not told. */
  accounts: () => readonly { id: string }[]
  /** The saved views of an account. */
  views: (accountId: string) => readonly SavedView[]
  time: Pick<Time, 'now' | 'zone'>
}

/** Whether the person wants that of a document told. */
export type Wanted = (document: { accountId: string; reference: string }, kind: NotifiedKind) => Promise<boolean>

/** What the views say of a document is asked once: to be made again for each look. */
export function wantedBy(settings: NotificationPreferences, { ask, accounts, views, time }: PreferenceDeps): Wanted {
  const watched = new Set(accounts().map(({ id }) => id))
  const known = new Map<string, boolean>()

  async function isInView(accountId: string, reference: string): Promise<boolean> {
    const queries = views(accountId).filter(({ tell }) => tell)
    if (queries.length === 0) return false
    const asked = { accountId, reference, queries: queries.map(({ id, query }) => ({ id, query })) }
    return (await ask('matching', { ...asked, now: time.now(), zone: time.zone() })).length > 0
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
  const told = new Map<string, DocumentNews>()
  return {
    add({ accountId, reference, name }: { accountId: string; reference: string; name: string }, news: News): void {
      const key = JSON.stringify([accountId, reference])
      const one = told.get(key) ?? { accountId, reference, name, news: [] }
      told.set(key, { ...one, name, news: [...one.news, news] })
    },
    all: (): DocumentNews[] => [...told.values()]
  }
}

/** What a person wants told by the desktop, as kept; what isn't there, or can't be understood, is as it is at first. */

const KEY = 'telling'

export const FIRST_SETTINGS: NotificationPreferences = {
  kinds: {
    signed: 'never',
    completed: 'always',
    declined: 'always',
    expired: 'always',
    'due-tomorrow': 'always',
    'identity-failed': 'always',
    'waits-here': 'views',
    'not-valid': 'always'
  },
  quiet: null,
  sound: false
}

export type KeptPreferences = ReturnType<typeof openPreferences>

/** @param organisation the quiet hours that the organisation has set: null for none, undefined where it has set nothing. */
export function openPreferences(
  db: Db,
  organisation: () => NotificationPreferences['quiet'] | undefined = () => undefined
) {
  const kept = keptIn(db)

  function read(): NotificationPreferences {
    const found = kept.read(KEY, z.record(z.string(), z.unknown())) ?? {}
    const { quiet, sound } = NotificationPreferences.shape
    const organisations = organisation()
    return {
      kinds: kindsOf(found.kinds),
      quiet: organisations === undefined ? quiet.catch(FIRST_SETTINGS.quiet).parse(found.quiet) : organisations,
      sound: sound.catch(FIRST_SETTINGS.sound).parse(found.sound)
    }
  }

  return {
    read,
    /** Keeps them, and answers what holds from now on. */
    set(settings: NotificationPreferences): NotificationPreferences {
      const isTheirs = organisation() === undefined
      // What a person had chosen is there again once the organisation sets nothing.
      const { quiet } = kept.read(KEY, z.object({ quiet: z.unknown() })) ?? FIRST_SETTINGS
      kept.write(KEY, isTheirs ? settings : { ...settings, quiet })
      return read()
    }
  }
}

/** Each kind by itself: another version may know more of them, or fewer. */
function kindsOf(found: unknown): NotificationPreferences['kinds'] {
  const kinds = { ...FIRST_SETTINGS.kinds }
  for (const kind of NOTIFIED_KINDS) {
    const one = z.object({ [kind]: NotificationPreferences.shape.kinds.valueType }).safeParse(found)
    const choice = one.success ? one.data[kind] : undefined
    if (choice) kinds[kind] = choice
  }
  return kinds
}
