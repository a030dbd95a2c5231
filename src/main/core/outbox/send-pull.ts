/** Reads the office's outbox from its server, and stores it as rows among this workstation's own: see `SharedSends`. */
import { isDeepStrictEqual } from 'node:util'
import type { AppError, OutboxPause } from '../../../shared/contract/index.ts'
import type { OutboxState, SendChange } from '../office/send-store.ts'
import { awaitsRelease, isDecided, NEVER, type Release } from './releases.ts'
import type { Send, SentRequest } from './send-record.ts'
import { readOutcome, readSharedBody, releaseIn, type SharedBody } from './shared-content.ts'
import type { SharedPart } from './shared-part.ts'
import type { KnownSend } from './shared-rows.ts'

interface PullDeps extends SharedPart {
  isBeingUndone: (id: string) => boolean
}

export function openSendPull(deps: PullDeps) {
  const { db, sends, times, time, pauses, sharedDrafts, rows, changes } = deps
  const { ask, officeIdOf, stateOf, returnState, isBeingUndone, restartSearch } = deps

  function applyOutboxState(accountId: string, { concurrency, perMinute, pausedBy, pausedFor }: OutboxState): void {
    const since = Math.round(time.now() - pausedFor)
    const pause = pausedBy && { since, ...PAUSES[pausedBy] }
    if (pauses.applyOfficeState(accountId, { concurrency, perMinute }, pause)) changes.outbox()
  }

  /**
   * Reads all changes since the last read; returns whether some sends may have to go to the office again.
   * @param newest the newest change that the office has.
   */
  async function pull(accountId: string, officeId: string, newest: number): Promise<boolean> {
    const account = stateOf(accountId)
    let mustPushAgain = false
    let bodiesAfter = account.hasReadAll ? (rows.account(accountId)?.cursor ?? 0) : 0
    if (account.hasReadAll && bodiesAfter === newest) return false
    account.hasReadAll = false
    for (;;) {
      const cursor = rows.account(accountId)?.cursor ?? 0
      const page = await ask((office) => office.changes(officeId, cursor, bodiesAfter))
      // The account left the office meanwhile. Stored here, another workstation's package would be sent from here, too.
      if (officeIdOf(accountId) !== officeId) return false
      // Something is to be read again: see `readAgain`.
      if (cursor !== (rows.account(accountId)?.cursor ?? 0)) {
        bodiesAfter = 0
        continue
      }
      const last = page.at(-1)
      if (!last) {
        account.hasReadAll = true
        return mustPushAgain
      }
      const changed = db.transaction(() => {
        rows.setCursor(last.seq, accountId)
        return page.flatMap((change) => applyChange(accountId, change) ?? [])
      })()
      notifyChanged(changed)
      mustPushAgain ||= changed.some(({ state }) => state === 'ready' || state === 'cancelled')
    }
  }

  function notifyChanged(changed: readonly Send[]): void {
    for (const send of changed) {
      changes.send(send)
      changes.draft(send.draftId)
      if (send.state === 'uncertain') restartSearch(send)
    }
  }

  /** Stores what the office says of a send; returns the send if something about it changed here. */
  function applyChange(accountId: string, change: SendChange): Send | undefined {
    const { id, state, revision, epoch } = change
    let known = rows.find(id)
    // This was read before something that was done here since.
    if (known && (revision < known.revision || epoch < known.epoch)) return undefined
    const isNewer = !known || known.state !== state || known.epoch !== epoch || known.revision < revision
    const found = sends.find(id)
    // Retention has erased it here: its content doesn't come back, and that it was sent stays known.
    if (!found && known?.state === 'sent') {
      rows.keep({ ...known, revision, epoch })
      return undefined
    }
    const local = found && storeDismissals(state === 'ready' ? found : storeRelease(found, change), change)
    const send = local ?? addFrom(accountId, change)
    if (known && send && isDecisionRepeated(send, known, change)) known = { ...known, goesAt: send.goesAt }
    // A restored server lacks the decision made here, or got the send again from a workstation that doesn't know of it.
    // With the time of a send that waits for a release, the office counts as lacking it, and it is pushed again.
    const lacksDecision = isDecided(found?.release) && !isDecided(releaseIn(change))
    const goesAt = lacksDecision ? NEVER : (send?.goesAt ?? 0)
    rows.keep({ goesAt, ...known, id, accountId, state, revision, epoch })
    if (send && change.draft !== undefined) sends.setSentDraft(send, change.draft, change.of)
    if (!send || !isNewer || isBeingUndone(id)) return undefined
    // The office decides what a result from here means once it has it, but nothing changes that the send has arrived.
    const outcomes = rows.outcomesOf(id)
    if (outcomes.length > 0 && (state !== 'sent' || outcomes.some(({ kind }) => kind === 'accepted'))) return undefined
    // To the office alone, sends made here before this workstation left and rejoined belong to another workstation.
    const isMine = change.isMine || (local !== undefined && local.workstation === undefined)
    const isChangedElsewhere = isMine ? (known?.revision ?? 0) < revision : true
    if (state === 'held' || state === 'cancelled') {
      // The office may have said whether its draft continues while the send was still waiting here.
      if (send.draftId !== undefined) sharedDrafts?.syncSoon(accountId)
      // A send that is back with us stays as it is here; another's that never left is theirs alone.
      if (send.state === 'sent') return undefined
      if (!isChangedElsewhere) {
        // It was shown not to have arrived, and is no longer in doubt (see `claim` and `conclude`). It is pushed again as
        // new, and the office then says why it isn't accepted.
        const isOpen = OPEN_STATES.has(send.state)
        if (state !== 'cancelled' || change.mayHaveArrived || !isOpen) return undefined
        const asNew = { firstAttemptedAt: undefined, error: undefined, ambiguity: undefined }
        return sends.change(send, { ...asNew, state: 'ready' })
      }
      if (isMine && state === 'held') return undefined
      if (!isMine && change.attempt === 0) {
        sends.remove(send)
        return send
      }
      return send.state === 'cancelled' ? undefined : sends.change(send, { state: 'cancelled', settledAt: time.now() })
    }
    if (send.state === 'sent') return undefined
    const outcome = readOutcome(change.answer)
    const outcomeError = outcome && outcome.kind !== 'accepted' ? outcome.error : undefined
    const attempted = {
      attempt: change.attempt,
      firstAttemptedAt: change.mayHaveArrived ? (send.firstAttemptedAt ?? send.attemptedAt ?? time.now()) : undefined
    }
    // Sending was undone here a moment ago, which isn't told yet. A claim meanwhile, possibly by this workstation,
    // doesn't change that.
    const wasUndone = send.state === 'cancelled' && (known?.state === 'ready' || known?.state === 'sending')
    if (wasUndone && (state === 'ready' || state === 'sending')) return undefined
    switch (state) {
      case 'ready': {
        if (send.state !== 'ready') {
          const asWaiting = { ...attempted, error: undefined, ambiguity: undefined }
          const again = sends.change(send, { ...asWaiting, state: returnState(send) })
          return applyDecision(again, change) ?? applyTimeToCome(again, known, change)
        }
        if (!local) return send
        const isNewRevision = known?.state === 'ready' && known.revision < revision
        return applyDecision(local, change) ?? (isNewRevision ? applyTime(local, known, change) : undefined)
      }
      case 'sending':
        if (send.state === 'sending') return undefined
        return sends.change(send, { ...attempted, state, attemptedAt: time.now(), error: undefined })
      case 'sent':
        return sends.accepted(send, outcome?.kind === 'accepted' ? outcome.response : { Documents: [] }, time.now())
      case 'uncertain':
        // After another attempt it is searched for from the start.
        if (send.state === 'uncertain' && known?.epoch === epoch) {
          applyTimeToCome(send, known, change)
          return undefined
        }
        return sends.change(applyTimeToCome(send, known, change), {
          ...attempted,
          // Of an attempt that was read only afterwards, it is known that it isn't older than the package.
          firstAttemptedAt: send.firstAttemptedAt ?? send.attemptedAt ?? Math.min(send.createdAt, time.now()),
          attemptedAt: send.attemptedAt ?? send.createdAt,
          state,
          error: outcomeError ?? HOLDER_GONE
        })
      case 'refused':
      case 'not-sent': {
        if (send.state === state) return undefined
        return sends.change(send, {
          ...attempted,
          state,
          settledAt: time.now(),
          ambiguity: undefined,
          ...(outcomeError && { error: outcomeError })
        })
      }
    }
  }

  /**
   * Returns a decision about a release made at another workstation; undefined if it isn't new. The content is read only
   * if the send waits for a release. An untold local decision about a whole batch yields to the office's.
   */
  function decisionOf(send: Send, change: Pick<SendChange, 'content'>): Release | undefined {
    const isDecisionUnsynced = send.release !== undefined && rows.find(send.id)?.goesAt !== send.goesAt
    const release = awaitsRelease(send.release) || isDecisionUnsynced ? releaseIn(change) : undefined
    if (isDecisionUnsynced && !isDecided(release)) return undefined
    return isDeepStrictEqual(release, send.release) ? undefined : release
  }

  /**
   * Whether the office, which had lost a decision that is known here (see `reconcileRestored`), has it from another
   * workstation. From then on it also gives the time.
   */
  function isDecisionRepeated(send: Send, known: KnownSend, change: Pick<SendChange, 'content'>): boolean {
    if (known.goesAt !== NEVER || send.release === undefined || awaitsRelease(send.release)) return false
    return isDeepStrictEqual(releaseIn(change), send.release)
  }

  /** Stores who released a send, whatever happened to it since. */
  function storeRelease(send: Send, change: Pick<SendChange, 'content'>): Send {
    const release = decisionOf(send, change)
    return release === undefined || awaitsRelease(release) ? send : sends.change(send, { release })
  }

  /** Stores what a person at another workstation said of an uncertain send: where it isn't. */
  function storeDismissals(
    send: Send,
    { content, mayHaveArrived }: Pick<SendChange, 'content' | 'mayHaveArrived'>
  ): Send {
    const body = mayHaveArrived && content ? readSharedBody(content) : undefined
    const dismissed = [...new Set([...send.dismissed, ...(body?.dismissed ?? [])])]
    const dismissedFolders = [...new Set([...send.dismissedFolders, ...(body?.dismissedFolders ?? [])])]
    const isNew = dismissed.length > send.dismissed.length || dismissedFolders.length > send.dismissedFolders.length
    return isNew ? sends.change(send, { dismissed, dismissedFolders }) : send
  }

  /** Applies a release, or a refusal, made at another workstation. */
  function applyDecision(send: Send, change: SendChange): Send | undefined {
    const release = decisionOf(send, change)
    if (!release) return undefined
    const goesAt = dueAt(change.goesIn)
    const known = rows.find(send.id)
    if (known) rows.keep({ ...known, goesAt })
    times.schedule(send.id)
    return sends.change(send, { release, goesAt, isScheduled: goesAt > 0 })
  }

  /** Applies another time, unless one that was chosen here is still to be pushed, or only a decision gives the time. */
  function applyTime(send: Send, known: KnownSend | undefined, change: SendChange): Send | undefined {
    const { goesIn, content } = change
    if (known?.goesAt !== send.goesAt || awaitsRelease(send.release)) return undefined
    // Chosen to the minute: the moment that reading takes isn't shown.
    const goesAt = Math.round(dueAt(goesIn) / 1000) * 1000
    // The same time, pushed again after a lost answer.
    if (Math.abs(goesAt - send.goesAt) < 1000) return undefined
    const isScheduled = goesAt > 0 && ((content && readSharedBody(content)?.isScheduled) ?? true)
    rows.change(send.accountId, send.id, { goesAt })
    times.schedule(send.id)
    return sends.change(send, { goesAt, isScheduled })
  }

  /**
   * Applies another time of a send that is looked for, or waits again. After a restore it may still be to come: see
   * `reconcileRestored`.
   */
  function applyTimeToCome(send: Send, known: KnownSend | undefined, change: SendChange): Send {
    const isToCome = change.goesIn > 0 || send.goesAt > time.now()
    return (isToCome ? applyTime(send, known, change) : undefined) ?? send
  }

  /** By this computer's clock; 0 for immediately. */
  const dueAt = (goesIn: number): number => (goesIn > 0 ? Math.round(time.now() + goesIn) : 0)

  function addFrom(accountId: string, change: SendChange): Send | undefined {
    const { id, state, content, maker, isMine, goesIn } = change
    const body = content && state !== 'held' && state !== 'cancelled' ? readSharedBody(content) : undefined
    return body && storeDismissals(add(accountId, id, body, isMine ? undefined : maker, goesIn), change)
  }

  function add(accountId: string, id: string, body: SharedBody, workstation?: string, goesIn = 0): Send {
    const { composition, createdAt, isScheduled, draftId, release, ...content } = body
    const goesAt = dueAt(goesIn)
    if (goesAt > 0 && !isScheduled) times.allowUndo(id, goesIn)
    return sends.add({
      ...(content as SentRequest),
      id,
      accountId,
      composition,
      createdAt,
      isScheduled: isScheduled && goesAt > 0,
      goesAt,
      state: 'ready',
      ...(workstation !== undefined && { workstation }),
      ...(release && { release }),
      ...(draftId !== undefined && { sentDraft: draftId }),
      // If the draft has local edits that weren't sent, it stays on its own.
      ...(draftId !== undefined && !sharedDrafts?.hasUnsyncedEdits(draftId, composition) && { draftId })
    })
  }

  return { applyOutboxState, pull, notifyChanged, applyChange, add, storeRelease }
}

/** States of a send that may still leave, by itself or by a person. */
const OPEN_STATES: ReadonlySet<Send['state']> = new Set(['ready', 'uncertain', 'sending', 'not-sent'])

export const HOLDER_GONE: AppError = {
  code: 'timeout',
  message: 'Its workstation stopped answering while sending this. Countersign is looking for it in your folders.',
  mayHaveArrived: true
}

const PAUSES: Record<NonNullable<OutboxState['pausedBy']>, Pick<OutboxPause, 'by' | 'error'>> = {
  person: { by: 'person' },
  service: {
    by: 'service',
    error: {
      code: 'refused',
      message: 'The service refused packages from this office. The workstation that sent them shows why.'
    }
  },
  restored: {
    by: 'person',
    error: {
      code: 'conflict',
      message:
        'The office’s server was restored to an earlier time. Countersign is looking in your folders for anything sent since.',
      next: 'Resume once every workstation has connected.'
    }
  }
}
