/**
 * What in the Outbox needs someone, each thing once: a pause by the service, packages that weren't sent or released,
 * and those that wait for a release by the person who works here.
 */
import { z } from 'zod'
import type { OutboxView, SendView } from '../../../shared/contract/index.ts'
import type { Db } from '../storage/connection.ts'
import { openJsonMeta } from '../storage/meta.ts'

export interface OutboxNews {
  /** Identifies it, so that it is notified once. */
  key: string
  accountId: string
  kind: 'paused' | 'not-sent' | 'not-released' | 'to-release'
  /** The package's name; blank for a pause. */
  name: string
  /** Why, in the user's words; for `to-release`, who prepared it. */
  detail: string
}

export interface OutboxNewsDeps {
  db: Db
  accounts: () => readonly { id: string }[]
  state: (accountId: string) => Pick<OutboxView, 'pause'>
  /** Returns the newest packages that need attention. */
  attention: (accountId: string, limit: number) => readonly SendView[]
  /** Returns a package; undefined if it isn't there any more. */
  find: (id: string) => SendView | undefined
  /** Returns the name of who works here now; blank if staff have no names. */
  who: () => string
}

export interface OutboxNewsSource {
  /** Returns what hasn't been notified, and every current key. */
  unnotified: () => { news: OutboxNews[]; current: readonly string[] }
  markNotified: (current: readonly string[]) => void
}

const KEY = 'outbox-notified'
/** Packages looked at in each account. */
const MAX_PACKAGES = 50

export function openOutboxNews({ db, accounts, state, attention, find, who }: OutboxNewsDeps): OutboxNewsSource {
  const stored = openJsonMeta(db)
  const readNotified = (): ReadonlySet<string> => new Set(stored.read(KEY, z.array(z.string())))

  function pauseOf(accountId: string): OutboxNews[] {
    const { pause } = state(accountId)
    if (pause?.by !== 'service' || pause.until !== undefined) return []
    const detail = pause.error?.message ?? ''
    // All accounts wait for the one keychain, each since it last needed it.
    const key = pause.error?.code === 'keychain' ? `paused keychain ${detail}` : `paused ${accountId} ${pause.since}`
    return [{ key, accountId, kind: 'paused', name: '', detail }]
  }

  /** Whether a package that isn't among the newest still needs someone for the same reason. */
  function isCurrent(key: string): boolean {
    const send = find(key.slice(key.indexOf(' ') + 1))
    return send !== undefined && newsOfSend(send, who())?.key === key
  }

  return {
    unnotified() {
      const notified = readNotified()
      const all = accounts().flatMap(({ id }) => [
        ...pauseOf(id),
        ...attention(id, MAX_PACKAGES).flatMap((send) => newsOfSend(send, who()) ?? [])
      ])
      const byKey = new Map(all.toReversed().map((one) => [one.key, one]))
      const older = [...notified].filter((key) => !byKey.has(key) && isCurrent(key))
      const news = all.filter((one) => byKey.get(one.key) === one && !notified.has(one.key))
      return { news, current: [...byKey.keys(), ...older] }
    },
    markNotified(current) {
      const notified = readNotified()
      if (current.length === notified.size && current.every((key) => notified.has(key))) return
      stored.write(KEY, current)
    }
  }
}

/** Returns undefined for uncertain packages, which are looked for automatically, and for what its own person decided. */
function newsOfSend(
  { id, accountId, title: name, state, error, release }: SendView,
  who: string
): OutboxNews | undefined {
  if (state === 'refused' || state === 'not-sent')
    return { key: `not-sent ${id}`, accountId, kind: 'not-sent', name, detail: error?.message ?? '' }
  if (state !== 'ready' || !release) return undefined
  const { by, refused } = release
  if (refused) {
    if (refused.by === who && who !== '') return undefined
    const detail = `${refused.by || 'Someone'}: “${refused.reason}”`
    return { key: `not-released ${id}`, accountId, kind: 'not-released', name, detail }
  }
  if (by === who && who !== '') return undefined
  return { key: `to-release ${id}`, accountId, kind: 'to-release', name, detail: by && `prepared by ${by}` }
}
