/** Requests about what happened to documents, and what of it the desktop tells. */
import type { KeptPreferences } from '../core/notifications/preferences.ts'
import { awayView, type Presence } from '../core/notifications/presence.ts'
import { chosenId } from './accounts.ts'
import type { Parts } from './parts.ts'
import type { HandlersOf } from './registration.ts'

export interface ActivityParts extends Pick<Parts, 'accounts' | 'ask'> {
  presence: Pick<Presence, 'awayOf' | 'seen'>
  settings: KeptPreferences
  /** What is wanted told is another thing from now on. */
  settingsChanged: () => void
}

export function activityHandlers(parts: ActivityParts): HandlersOf<'activity' | 'notifications'> {
  const { accounts, ask, presence, settings, settingsChanged } = parts

  return {
    'activity.list': async ({ reference, offset, limit }) => {
      const { changes, total } = await ask('activity', { accountId: chosenId(accounts), reference, offset, limit })
      return { changes, total }
    },
    'activity.away': async () => awayView(ask, chosenId(accounts), presence.awayOf(chosenId(accounts))),
    'activity.seen': async () => presence.seen(chosenId(accounts)),
    'notifications.get': async () => settings.read(),
    'notifications.set': async (wanted) => {
      const kept = settings.set(wanted)
      settingsChanged()
      return kept
    }
  }
}
