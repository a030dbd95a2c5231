/** Requests about documents' activity, and about desktop notifications of it. */

import type { ActivityEntry, DocumentChange } from '../../shared/contract/index.ts'
import type { StoredPreferences } from '../core/notifications/preferences.ts'
import { awayView, combinedAway, type Presence } from '../core/notifications/presence.ts'
import { shownIds } from './covered-accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

export interface ActivityParts extends Pick<Parts, 'accounts' | 'ask'> {
  /** Name of the batch that a document was sent with from here. */
  batchOf: (reference: string) => string | undefined
  presence: Pick<Presence, 'awayOf' | 'markSeen'>
  settings: StoredPreferences
  /** Called when the notification preferences change. */
  settingsChanged: () => void
}

export function activityHandlers(parts: ActivityParts): HandlersOf<'activity' | 'notifications'> {
  const { accounts, ask, batchOf, presence, settings, settingsChanged } = parts
  const withBatch = (change: DocumentChange): ActivityEntry => {
    const batch = change.kind === 'arrived' && change.isOwn ? batchOf(change.reference) : undefined
    return batch === undefined ? change : { ...change, batch }
  }

  return {
    'activity.list': async (input) => {
      const [accountId, ...others] = shownIds(accounts)
      const whose = input.reference === undefined ? { accountId, others } : { accountId }
      const { changes, total } = await ask('activity', { ...whose, ...input })
      return { changes: changes.map(withBatch), total }
    },
    'activity.away': async () => {
      const views = shownIds(accounts).map((id) => awayView(ask, id, presence.awayOf(id)))
      return (await Promise.all(views)).reduce(combinedAway)
    },
    'activity.seen': async () => shownIds(accounts).forEach(presence.markSeen),
    'notifications.get': async () => settings.read(),
    'notifications.set': async (wanted) => {
      const kept = settings.set(wanted)
      settingsChanged()
      return kept
    }
  }
}
