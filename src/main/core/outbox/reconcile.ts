/** Finds out from an account's folders what happened to its uncertain sends, and to those thought lost. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { ReconcileSchedule, SECOND_CHECK_AFTER } from '../jobs/reconcile-schedule.ts'
import { isRejectedByDatabase, writeFirstAccepted } from '../jobs/recovery.ts'
import { forEachInSlices } from '../lib/slices.ts'
import { type AmbiguityAnswer, ambiguityOf, mayStillMatch, packageOf, resolveAmbiguity } from './ambiguity.ts'
import { referencesOnly } from './attempts.ts'
import { type FolderSnapshot, type MatchContext, match, searchKeysOf, snapshotOf } from './matching.ts'
import type { OutboxParts } from './parts.ts'
import { NOW, type Send } from './send-record.ts'
import { type Age, hasLackedFolders, type SendObservation, type Verdict, verdictOf } from './verdict.ts'

export interface ReconcilerDeps
  extends Pick<
    OutboxParts,
    'db' | 'readAllFolders' | 'accountsOfSameUser' | 'time' | 'sends' | 'changes' | 'proofs' | 'returnState' | 'wake'
  > {
  /** Marks a send as arrived that was thought not to have, and whose draft was given back. */
  markArrivedLate: (send: Send, response: PackageResponse) => Send
  /** Called when the folders have shown that a send arrived, so its documents are ours. */
  answered: (send: Send) => void
  /** Whether this computer should look for a send. */
  searchesFor: (send: Send) => boolean
  /** Called when checks, or the user, have concluded what happened to a send. */
  concluded: (send: Send) => void
  /** Called when the keychain can't provide the credentials for looking. */
  keychainFailed: (accountId: string, error: AppError) => void
}

/** The result of a check of all folders; incomplete if some could not be read, or don't exist. */
interface FolderCheck {
  snapshot: FolderSnapshot
  /** When something was last logged, by the service's clock; undefined if no log says. */
  latest: number | undefined
  isComplete: boolean
  missingFolders: readonly string[]
  /** When it began, on this run's monotonic clock. */
  startedAt: number
}

export class Reconciler {
  /** Decides when to look. */
  readonly schedule: ReconcileSchedule
  readonly #deps: ReconcilerDeps
  readonly #seen = new Map<string, SendObservation>()
  /** When this run last attempted a send, and when it began searching for one, on its monotonic clock. */
  readonly #attemptedAt = new Map<string, number>()
  readonly #searchedSince = new Map<string, number>()
  /** By account: all that have the same folders, as last known. One document is never two packages of theirs. */
  readonly #sameUser = new Map<string, readonly string[]>()

  constructor(deps: ReconcilerDeps) {
    this.#deps = deps
    this.schedule = new ReconcileSchedule({
      time: deps.time,
      accounts: () => new Set(deps.sends.inState('uncertain').map(({ accountId }) => accountId)),
      uncertainJobs: (accountId) => this.#uncertainOf(accountId),
      worthwhileAt: (id) => this.#worthwhileAt(id),
      check: (accountId) => this.#checkFolders(accountId),
      mayRetry: (accountId, error) => {
        // Retrying would show the keychain's prompt each time.
        if (error.code !== 'keychain') return true
        deps.keychainFailed(accountId, error)
        return false
      }
    })
  }

  /** Records that a send leaves now. */
  recordDeparture(id: string): void {
    this.#attemptedAt.set(id, this.#deps.time.elapsed())
  }

  /** Starts looking for a send that became uncertain. Earlier checks say nothing about this attempt. */
  startSearch({ id, accountId }: Send): void {
    this.#seen.delete(id)
    this.#searchedSince.set(id, this.#deps.time.elapsed())
    this.#deps.proofs.drop(id)
    this.schedule.plan(accountId)
  }

  /** Returns what this run's looks have shown of a send, in the user's words; undefined if nothing yet. */
  messageOf(id: string): AppError | undefined {
    const before = this.#seen.get(id)
    if (before?.kind !== 'missing') return undefined
    const retryAfterMs = Math.max(0, Math.round(before.at + SECOND_CHECK_AFTER - this.#deps.time.elapsed()))
    return { ...NOT_SEEN_YET, retryAfterMs }
  }

  async resolveAmbiguity(id: string, answer: AmbiguityAnswer): Promise<void> {
    const { sends, changes, time } = this.#deps
    // This run may not have looked yet, and an account may have been added since.
    if (answer.arrived) await this.#readSameUser(sends.get(id).accountId)
    const send = sends.get(id)
    try {
      const { isClaimed } = this.#matchContextOf(send)
      this.#deps.db.transaction(() => resolveAmbiguity(sends, send, answer, { isClaimed, settledAt: time.now() }))()
      // That it's none of the documents shown says nothing about one that arrives later: before a retry, the folders are
      // read again.
      if (answer.arrived) this.#deps.answered(send)
      this.#deps.concluded(send)
      changes.send(send)
      changes.draft(send.draftId)
    } finally {
      // The user's decision may leave only one candidate for another ambiguity, so those are looked for again.
      for (const one of this.#uncertainOf(send.accountId)) if (this.#isFinal(one.id)) this.#seen.delete(one.id)
      this.schedule.plan(send.accountId)
    }
  }

  #uncertainOf(accountId: string): Send[] {
    return this.#deps.sends
      .unresolved(accountId)
      .filter((send) => send.state === 'uncertain' && this.#deps.searchesFor(send))
  }

  #worthwhileAt(id: string): number | undefined {
    if (this.#isFinal(id)) return undefined
    const before = this.#seen.get(id)
    return before ? before.at + SECOND_CHECK_AFTER : 0
  }

  /** Returns whether further looks can't help. */
  #isFinal(id: string): boolean {
    const seen = this.#seen.get(id)
    return seen?.kind === 'ambiguous' && seen.isConfirmed
  }

  async #checkFolders(accountId: string): Promise<boolean> {
    const { readAllFolders, sends, changes, time } = this.#deps
    const startedAt = time.elapsed()
    const sought = this.#uncertainOf(accountId)
    try {
      const read = await readAllFolders(accountId, () => searchKeysOf(sends, accountId))
      const { documents, latest, isComplete, missingFolders } = read
      const snapshot = await snapshotOf(documents)
      await this.#readSameUser(accountId)
      await this.#judge(accountId, sought, { snapshot, latest, isComplete, missingFolders, startedAt })
      return isComplete
    } finally {
      // The time of the next look has changed, too.
      for (const send of sought) changes.send(send)
    }
  }

  /** Judges each of these sends by what was seen. @throws what writing throws, once all the others are done. */
  async #judge(accountId: string, sought: readonly Send[], check: FolderCheck): Promise<void> {
    const failures: unknown[] = []
    await forEachInSlices(sought, ({ id }) => {
      if (this.schedule.isClosed) return
      try {
        this.#judgeOne(id, check)
      } catch (error) {
        if (!isRejectedByDatabase(error)) throw error
        failures.push(error)
      }
    })
    if (!this.schedule.isClosed) this.#findLateArrivals(accountId, check.snapshot)
    if (failures.length > 0) throw failures[0]
  }

  #judgeOne(id: string, { snapshot, latest, isComplete, missingFolders, startedAt }: FolderCheck): void {
    const { db, sends, changes, proofs } = this.#deps
    // Another check, or the user, may have concluded it while this check was running.
    const send = sends.find(id)
    if (send?.state !== 'uncertain') return
    const known = this.#matchContextOf(send)
    const found = match({ send, content: sends.requestOf(send) }, snapshot, known)
    // A check that began before the last attempt ended can only show that it arrived.
    if (found.kind !== 'found' && startedAt < (this.#searchedSince.get(id) ?? startedAt)) return
    const { verdict, seen } = verdictOf(send, {
      match: found,
      isComplete,
      missingFolders,
      startedAt,
      earlier: this.#seen.get(id),
      isStillAmbiguous: send.ambiguity !== undefined && mayStillMatch(send, send.ambiguity, known.isClaimed),
      age: this.#ageOf(send, latest)
    })
    const written = db.transaction(() => this.#write(send, verdict))()
    // This runs only if the verdict was stored; otherwise the look doesn't count.
    if (seen) this.#seen.set(id, seen)
    else this.#seen.delete(id)
    if (SHOWN_NOT_TO_HAVE_ARRIVED.has(verdict.kind)) proofs.add(id)
    if (written && written.state !== 'uncertain') this.#deps.concluded(written)
    if (written?.state === 'sent') this.#deps.answered(written)
    if (written?.state === 'ready') this.#deps.wake(send.accountId)
    else if (written && written.state !== 'uncertain') changes.draft(send.draftId)
  }

  #write(send: Send, verdict: Verdict): Send | undefined {
    const { sends, time, returnState } = this.#deps
    const conclusion = { settledAt: time.now(), ambiguity: undefined }
    switch (verdict.kind) {
      case 'nothing':
        return undefined
      case 'arrived':
        return this.#storeWithFallback(packageOf(verdict.documents), (response) =>
          sends.accepted(send, response, time.now())
        )
      case 'ambiguous': {
        const { documents, missingFolders } = verdict
        const ambiguity = ambiguityOf(sends.requestOf(send), documents, missingFolders)
        const error = hasLackedFolders(send.error) ? { ...AMBIGUOUS, code: FOLDERS_MISSING.code } : AMBIGUOUS
        return sends.change(send, { ambiguity, error: missingFolders ? FOLDERS_MISSING : error })
      }
      case 'folders-missing': {
        // What was refused isn't sent again by itself anyway, and its reason is still shown.
        const { error } = send
        if (error?.mayHaveArrived === false || hasLackedFolders(error)) return undefined
        return sends.change(send, { error: { ...FOLDERS_MISSING, next: 'Countersign checks again in a minute.' } })
      }
      case 'cleared':
        return sends.change(send, { ambiguity: undefined })
      case 'refused':
        return sends.change(send, { ...conclusion, state: 'refused' })
      case 'not-sent':
        return sends.change(send, {
          ...conclusion,
          state: 'not-sent',
          error: hasLackedFolders(send.error) ? NOT_IN_THESE_FOLDERS : NOT_THERE
        })
      case 'ready': {
        // A restored send may have a scheduled time that is still to come.
        const isToCome = send.isScheduled && send.goesAt > time.now()
        const at = isToCome ? {} : NOW
        return sends.change(send, { ...at, state: returnState(send), ambiguity: undefined, error: undefined })
      }
    }
  }

  /** Stores a response without the parts that the database rejects. */
  #storeWithFallback(response: PackageResponse, keep: (response: PackageResponse) => Send): Send {
    const storeAtomically = this.#deps.db.transaction(keep)
    return writeFirstAccepted([() => storeAtomically(response), () => storeAtomically(referencesOnly(response))])
  }

  /** Finds late arrivals by our own marks alone: sends that were thought not to have arrived but did. */
  #findLateArrivals(accountId: string, snapshot: FolderSnapshot): void {
    const { sends, proofs, changes, markArrivedLate } = this.#deps
    const notArrived = new Map(sends.notSent(accountId).map((send) => [send.id.toLowerCase(), send]))
    if (notArrived.size === 0) return
    for (const [id, documents] of snapshot.marked(notArrived)) {
      const send = notArrived.get(id)
      if (!send) continue
      this.#storeWithFallback(packageOf(documents), (response) => markArrivedLate(send, response))
      this.#deps.concluded(send)
      this.#deps.answered(send)
      proofs.drop(send.id)
      changes.send(send)
      changes.draft(send.draftId)
    }
  }

  #ageOf({ id, attemptedAt }: Send, latest: number | undefined): Age {
    const { time } = this.#deps
    const attemptedElapsed = this.#attemptedAt.get(id)
    return {
      byWall: attemptedAt === undefined ? undefined : time.now() - attemptedAt,
      measured: attemptedElapsed === undefined ? undefined : time.elapsed() - attemptedElapsed,
      byService: attemptedAt === undefined || latest === undefined ? undefined : latest - attemptedAt
    }
  }

  async #readSameUser(accountId: string): Promise<void> {
    this.#sameUser.set(accountId, (await this.#deps.accountsOfSameUser?.(accountId)) ?? [accountId])
  }

  #matchContextOf(send: Send): MatchContext {
    const { sends } = this.#deps
    const accountIds = this.#sameUser.get(send.accountId) ?? [send.accountId]
    return {
      isClaimed: (reference, packageReference) => sends.isClaimed(send, accountIds, reference, packageReference),
      others: () =>
        accountIds
          .flatMap((accountId) => sends.unresolved(accountId))
          .filter(({ id }) => id !== send.id)
          .map((other) => ({ send: other, content: sends.requestOf(other), isInFlight: other.state === 'sending' }))
    }
  }
}

const SHOWN_NOT_TO_HAVE_ARRIVED: ReadonlySet<Verdict['kind']> = new Set(['ready', 'refused', 'not-sent'])

const NOT_SEEN_YET: AppError = {
  code: 'timeout',
  message: 'It isn’t in your folders yet. Countersign checks again in a minute.',
  mayHaveArrived: true
}
const NOT_THERE: AppError = {
  code: 'timeout',
  message:
    'It isn’t in your folders. Someone may have removed it, so it wasn’t sent again automatically. Send it again if ' +
    'nobody did.'
}
const NOT_IN_THESE_FOLDERS: AppError = {
  code: 'timeout',
  message:
    'It isn’t in your folders. One of them was missing before, so it wasn’t sent again automatically. Send it again if ' +
    'it didn’t arrive.'
}
const FOLDERS_MISSING: AppError = {
  code: 'incomplete',
  message: 'The service doesn’t have all of this account’s folders, so it isn’t certain whether this arrived.',
  next: 'Correct the account’s folders in Settings, or decide here.',
  mayHaveArrived: true
}
const AMBIGUOUS: AppError = {
  code: 'conflict',
  message: 'Documents in your folders may be this package, but it isn’t certain. Compare them and choose.',
  mayHaveArrived: true
}
