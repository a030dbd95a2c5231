/**
 * When the folders are looked at for uncertain sends: by itself, all of an account together, and sooner where a person or
 * the line gives cause. What follows of a look is in following.ts.
 */
import type { AppError } from '../../../shared/contract/index.ts'
import { backoff } from '../lib/retry.ts'
import type { Changes } from './changes.ts'
import type { OutboxEffects } from './effects.ts'
import type { Following } from './following.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'
import { sightOf } from './sight.ts'
import { tracesOf } from './traces.ts'

/** How long to wait after a first look that failed, in milliseconds. */
const FIRST_WAIT = 5_000
/** The keychain would ask the person each time. */
const NOT_BY_ITSELF = Number.POSITIVE_INFINITY

export interface LookParts {
  effects: Pick<OutboxEffects, 'readAllFolders' | 'describe' | 'elapsed' | 'random' | 'schedule'>
  sends: Sends
  changes: Changes
  following: Following
  /** Called when the credentials for looking can't be had. */
  keychainFailed: (accountId: string, error: AppError) => void
}

interface Place {
  failures: number
  /** Not before this moment, after a look that failed. */
  until: number
  running?: Promise<boolean> | undefined
  next?: Promise<boolean> | undefined
  cancel?: (() => void) | undefined
}

export type Looks = ReturnType<typeof openLooks>

export function openLooks({ effects, sends, changes, following, keychainFailed }: LookParts) {
  const { elapsed, schedule } = effects
  const places = new Map<string, Place>()
  let isOpened = false

  function placeOf(accountId: string): Place {
    const known = places.get(accountId)
    if (known) return known
    const place: Place = { failures: 0, until: 0 }
    places.set(accountId, place)
    return place
  }

  function nextAt({ id, accountId }: Send): number | undefined {
    const at = following.worthwhileAt(id)
    const { until } = placeOf(accountId)
    return at === undefined || until === NOT_BY_ITSELF ? undefined : Math.max(at, until)
  }

  const uncertainOf = (accountId: string) => sends.unresolved(accountId).filter(({ state }) => state === 'uncertain')

  /** Sees to it that the account's folders are looked at when that is due. */
  function plan(accountId: string): void {
    const place = placeOf(accountId)
    place.cancel?.()
    if (!isOpened || place.running) return
    const times = uncertainOf(accountId).flatMap((send) => nextAt(send) ?? [])
    if (times.length === 0) return
    const first = times.reduce((one, two) => Math.min(one, two))
    const wait = Math.max(0, first - elapsed())
    place.cancel = schedule(() => void ask(accountId).catch(() => undefined), wait)
  }

  /** Looks now, or right after the look that is under way. Answers whether all could be read. @throws what reading throws. */
  function ask(accountId: string): Promise<boolean> {
    const place = placeOf(accountId)
    place.cancel?.()
    if (place.running) {
      place.next ??= place.running
        .catch(() => undefined)
        .then(() => {
          place.next = undefined
          return ask(accountId)
        })
      return place.next
    }
    const running = look(accountId, place).finally(() => {
      place.running = undefined
      plan(accountId)
    })
    place.running = running
    return running
  }

  async function look(accountId: string, place: Place): Promise<boolean> {
    const begun = elapsed()
    const sought = uncertainOf(accountId)
    try {
      const tracesNow = () => tracesOf(sends, accountId)
      const { documents, latest, isComplete } = await effects.readAllFolders(accountId, tracesNow)
      const sight = await sightOf(documents)
      await following.follow(accountId, sought, { sight, latest, isComplete, begun }, () => !isOpened)
      if (isComplete) Object.assign(place, { failures: 0, until: 0 })
      else later(place)
      return isComplete
    } catch (error) {
      const said = effects.describe(error)
      if (said.code === 'keychain') {
        place.until = NOT_BY_ITSELF
        keychainFailed(accountId, said)
      } else later(place)
      throw error
    } finally {
      // When it is looked for next has changed, too.
      for (const { id, batchId } of sought) changes.send(id, batchId)
    }
  }

  function later(place: Place): void {
    place.until = elapsed() + backoff(FIRST_WAIT, ++place.failures, effects.random)
  }

  /** What failed before says nothing of now. */
  function tryNow(accountId: string): void {
    placeOf(accountId).until = 0
    plan(accountId)
  }

  return {
    /** Begins to look by itself. */
    open(): void {
      isOpened = true
      for (const accountId of new Set(sends.inState('uncertain').map((send) => send.accountId))) plan(accountId)
    },
    close(): void {
      isOpened = false
      for (const place of places.values()) place.cancel?.()
    },
    /** To be called when a send became uncertain. */
    begin(send: Send): void {
      following.begin(send.id)
      plan(send.accountId)
    },
    ask,
    /** Something was heard of the line: looks that failed are tried now. */
    lineChanged(): void {
      for (const accountId of places.keys()) tryNow(accountId)
    },
    tryNow,
    /** What a person decided may leave only one answer to another doubt: those are looked for again. */
    reconsider(accountId: string): void {
      for (const { id } of uncertainOf(accountId)) following.reconsider(id)
      plan(accountId)
    },
    /** When an uncertain send is looked for next, on this run's clock; undefined where a person must say. */
    nextAt
  }
}
