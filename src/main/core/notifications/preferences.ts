/** Which news of which documents a person wants notified, and the grouping of news by document. */

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
import { openJsonMeta } from '../storage/meta.ts'
import type { DocumentNews, News } from './notification-text.ts'

export interface PreferenceDeps {
  ask: AskDocuments
  /** All accounts whose folders are polled. Changes in other accounts' documents aren't notified. */
  accounts: () => readonly { id: string }[]
  views: (accountId: string) => readonly SavedView[]
  time: Pick<Time, 'now' | 'zone'>
}

/** Returns whether the person wants this kind of news about a document. */
export type WantedCheck = (document: { accountId: string; reference: string }, kind: NotifiedKind) => Promise<boolean>

/** Creates the check for one pass; it asks only once whether a document is in the person's views. */
export function openWantedCheck(
  settings: NotificationPreferences,
  { ask, accounts, views, time }: PreferenceDeps
): WantedCheck {
  const polled = new Set(accounts().map(({ id }) => id))
  const known = new Map<string, boolean>()

  async function isInView(accountId: string, reference: string): Promise<boolean> {
    const queries = views(accountId).filter(({ tell }) => tell)
    if (queries.length === 0) return false
    const question = { accountId, reference, queries: queries.map(({ id, query }) => ({ id, query })) }
    return (await ask('matching', { ...question, now: time.now(), zone: time.zone() })).length > 0
  }

  return async ({ accountId, reference }, kind) => {
    const choice = settings.kinds[kind]
    if (choice === 'never' || !polled.has(accountId)) return false
    if (choice === 'always') return true
    const key = JSON.stringify([accountId, reference])
    const found = known.get(key) ?? (await isInView(accountId, reference))
    known.set(key, found)
    return found
  }
}

/** Groups news by document, in order of first appearance. */
export function openNewsGroups() {
  const byDocument = new Map<string, DocumentNews>()
  return {
    add({ accountId, reference, name }: { accountId: string; reference: string; name: string }, news: News): void {
      const key = JSON.stringify([accountId, reference])
      const one = byDocument.get(key) ?? { accountId, reference, name, news: [] }
      byDocument.set(key, { ...one, name, news: [...one.news, news] })
    },
    all: (): DocumentNews[] => [...byDocument.values()]
  }
}

/** The stored notification preferences; anything missing or unreadable has its default. */

const KEY = 'telling'

export const DEFAULT_PREFERENCES: NotificationPreferences = {
  kinds: {
    signed: 'never',
    completed: 'always',
    declined: 'always',
    expired: 'always',
    'due-tomorrow': 'always',
    'identity-failed': 'always',
    'waits-here': 'views',
    'not-valid': 'always',
    outbox: 'always'
  },
  quiet: null,
  sound: false
}

export type StoredPreferences = ReturnType<typeof openPreferences>

/**
 * Opens the preferences.
 * @param organisation returns the organisation's quiet hours: null for none, undefined if it doesn't set any.
 */
export function openPreferences(
  db: Db,
  organisation: () => NotificationPreferences['quiet'] | undefined = () => undefined
) {
  const kept = openJsonMeta(db)

  function read(): NotificationPreferences {
    const found = kept.read(KEY, z.record(z.string(), z.unknown())) ?? {}
    const { quiet, sound } = NotificationPreferences.shape
    const organisationQuiet = organisation()
    return {
      kinds: kindsOf(found.kinds),
      quiet:
        organisationQuiet === undefined ? quiet.catch(DEFAULT_PREFERENCES.quiet).parse(found.quiet) : organisationQuiet,
      sound: sound.catch(DEFAULT_PREFERENCES.sound).parse(found.sound)
    }
  }

  return {
    read,
    /** Stores the preferences, and returns those in effect. */
    set(settings: NotificationPreferences): NotificationPreferences {
      const isPersonal = organisation() === undefined
      // Keeps the person's own choice, for when the organisation no longer sets one.
      const { quiet } = kept.read(KEY, z.object({ quiet: z.unknown() })) ?? DEFAULT_PREFERENCES
      kept.write(KEY, isPersonal ? settings : { ...settings, quiet })
      return read()
    }
  }
}

/** Reads each kind separately: other versions may have more or fewer of them. */
function kindsOf(found: unknown): NotificationPreferences['kinds'] {
  const kinds = { ...DEFAULT_PREFERENCES.kinds }
  for (const kind of NOTIFIED_KINDS) {
    const one = z.object({ [kind]: NotificationPreferences.shape.kinds.valueType }).safeParse(found)
    const choice = one.success ? one.data[kind] : undefined
    if (choice) kinds[kind] = choice
  }
  return kinds
}
