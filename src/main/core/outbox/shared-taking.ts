/** Reads the office's outbox from its server, and stores it as rows among this workstation's own: see `SharedSends`. */
import { isDeepStrictEqual } from 'node:util'
import type { AppError, OutboxPause } from '../../../shared/contract/index.ts'
import type { AskOutbox, OutboxState, SendChange } from '../office/sends.ts'
import type { OutboxDeps } from './deps.ts'
import type { LeavingDeps } from './leaving.ts'
import { isHeld, type Release } from './releases.ts'
import type { Send, SentRequest } from './send-record.ts'
import type { Changes } from './send-view.ts'
import { bodyOf, type SharedBody, saidBy } from './shared-content.ts'
import type { openSharedRows } from './shared-rows.ts'

interface TakingDeps extends Pick<LeavingDeps, 'db' | 'sends' | 'times' | 'pauses'>, Pick<OutboxDeps, 'time'> {
  sharedDrafts: OutboxDeps['sharedDrafts']
  rows: ReturnType<typeof openSharedRows>
  changes: Changes
  asked: AskOutbox
  /** An account's current state with the office. `hasAll`: whether this run has read every send up to the cursor. */
  stateOf: (accountId: string) => { hasAll: boolean }
  /** Whether sending is being undone at the moment. */
  isKeptBack: (id: string) => boolean
  /** Restarts looking for a send. */
  lookAgain: (send: Send) => void
}

export function openTaking(deps: TakingDeps) {
  const { db, sends, times, time, pauses, sharedDrafts, rows, changes, asked, stateOf, isKeptBack, lookAgain } = deps

  /** Applies the settings and pause of the office's outbox. */
  function takeState(accountId: string, { concurrency, perMinute, pausedBy, pausedFor }: OutboxState): void {
    const since = Math.round(time.now() - pausedFor)
    const pause = pausedBy && { since, ...PAUSES[pausedBy] }
    if (pauses.follow(accountId, { concurrency, perMinute }, pause)) changes.outbox()
  }

  /**
   * Reads all changes since the last read; returns whether some sends may have to go to the office again.
   * @param newest the newest change that the office has.
   */
  async function read(accountId: string, officeId: string, newest: number): Promise<boolean> {
    const account = stateOf(accountId)
    let isGivenAgain = false
    const had = account.hasAll ? (rows.account(accountId)?.cursor ?? 0) : 0
    if (account.hasAll && had === newest) return false
    account.hasAll = false
    for (;;) {
      const cursor = rows.account(accountId)?.cursor ?? 0
      const page = await asked((office) => office.changes(officeId, cursor, had))
      const last = page.at(-1)
      if (!last) {
        account.hasAll = true
        return isGivenAgain
      }
      const taken = db.transaction(() => {
        rows.readTo(last.rev, accountId)
        return page.flatMap((change) => take(accountId, change) ?? [])
      })()
      news(taken)
      isGivenAgain ||= taken.some(({ state }) => state === 'ready' || state === 'cancelled')
    }
  }

  /** Reports sends that have changed here. */
  function news(changed: readonly Send[]): void {
    for (const send of changed) {
      changes.send(send)
      changes.draft(send.draftId)
      if (send.state === 'uncertain') lookAgain(send)
    }
  }

  /** Stores what the office says of a send; returns the send if something about it changed here. */
  function take(accountId: string, change: SendChange): Send | undefined {
    const { id, state, round, epoch } = change
    const known = rows.find(id)
    // This was read before something that was done here since.
    if (known && (round < known.round || epoch < known.epoch)) return undefined
    const isNews = !known || known.state !== state || known.epoch !== epoch || known.round < round
    const found = sends.find(id)
    const here = found && state !== 'ready' ? released(found, change) : found
    const send = here ?? addFrom(accountId, change)
    rows.keep({
      goesAt: send?.goesAt ?? 0,
      ...known,
      id,
      accountId,
      state,
      round,
      epoch,
      ...(change.of && { of: change.of })
    })
    if (!send || !isNews || rows.hasEnd(id) || isKeptBack(id)) return undefined
    // To the office alone, sends made here before this workstation left and rejoined belong to another workstation.
    const isMine = change.isMine || (here !== undefined && here.desk === undefined)
    const isOthers = isMine ? (known?.round ?? 0) < round : true
    if (state === 'held' || state === 'cancelled') {
      // The office may have said whether its draft continues while the send was still waiting here.
      if (send.draftId !== undefined) sharedDrafts?.soon(accountId)
      // A send that is back with us stays as it is here; another's that never left is theirs alone.
      if (send.state === 'sent') return undefined
      if (!isOthers) {
        // It was shown not to have arrived, and is no longer claimed as in doubt (see `claim`). It is given again as
        // new, and the office then says why it isn't accepted.
        const isOpen = send.state === 'ready' || send.state === 'uncertain' || send.state === 'sending'
        if (state !== 'cancelled' || change.isInDoubt || !isOpen) return undefined
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
    const said = saidBy(change.answer)
    const saidError = said && said.kind !== 'accepted' ? said.error : undefined
    const attempted = {
      attempt: change.attempt,
      firstAttemptedAt: change.isInDoubt ? (send.firstAttemptedAt ?? send.attemptedAt ?? time.now()) : undefined
    }
    // Sending was undone here a moment ago, which isn't told yet. A claim meanwhile, possibly by this workstation,
    // doesn't change that.
    const isTakenBack = send.state === 'cancelled' && (known?.state === 'ready' || known?.state === 'sending')
    if (isTakenBack && (state === 'ready' || state === 'sending')) return undefined
    switch (state) {
      case 'ready':
        if (send.state === 'ready') return here ? decided(here, change) : send
        return sends.change(send, { ...attempted, state, error: undefined, ambiguity: undefined })
      case 'sending':
        if (send.state === 'sending') return undefined
        return sends.change(send, { ...attempted, state, attemptedAt: time.now(), error: undefined })
      case 'sent':
        return sends.accepted(apart(send), said?.kind === 'accepted' ? said.response : { Documents: [] }, time.now())
      case 'uncertain':
        if (send.state === 'uncertain') return undefined
        return sends.change(send, {
          ...attempted,
          firstAttemptedAt: attempted.firstAttemptedAt ?? time.now(),
          state,
          error: saidError ?? HOLDER_GONE
        })
      case 'refused':
      case 'not-sent': {
        if (send.state === state) return undefined
        return sends.change(send, {
          ...attempted,
          state,
          settledAt: time.now(),
          ambiguity: undefined,
          ...(saidError && { error: saidError })
        })
      }
    }
  }

  /**
   * Returns a decision about a release made at another workstation; undefined if it isn't new. The content is read only
   * if the send waits for a release. An untold local decision about a whole batch yields to the office's.
   */
  function decisionOf(send: Send, { content }: Pick<SendChange, 'content'>): Release | undefined {
    const isDecisionUntold = send.release !== undefined && rows.find(send.id)?.goesAt !== send.goesAt
    const release = (isHeld(send.release) || isDecisionUntold) && content ? bodyOf(content)?.release : undefined
    if (isDecisionUntold && release?.released === undefined && release?.refused === undefined) return undefined
    return isDeepStrictEqual(release, send.release) ? undefined : release
  }

  /** Stores who released a send, whatever happened to it since. */
  function released(send: Send, change: Pick<SendChange, 'content'>): Send {
    const release = decisionOf(send, change)
    return release === undefined || isHeld(release) ? send : sends.change(send, { release })
  }

  /** Applies a release, or a refusal, made at another workstation. */
  function decided(send: Send, change: SendChange): Send | undefined {
    const release = decisionOf(send, change)
    if (!release) return undefined
    const goesAt = dueAt(change.goesIn)
    const known = rows.find(send.id)
    if (known) rows.keep({ ...known, goesAt })
    times.schedule(send.id)
    return sends.change(send, { release, goesAt, isScheduled: goesAt > 0 })
  }

  /** Detaches a draft that has other content by now, so that it isn't deleted with what was sent of it. */
  function apart(send: Send): Send {
    const { draftId } = send
    const isApart = draftId !== undefined && sharedDrafts?.goesApart(draftId, sends.compositionOf(send))
    return isApart ? sends.change(send, { draftId: undefined }) : send
  }

  /** By this computer's clock; 0 for immediately. */
  const dueAt = (goesIn: number): number => (goesIn > 0 ? Math.round(time.now() + goesIn) : 0)

  function addFrom(accountId: string, { id, state, content, maker, isMine, goesIn }: SendChange): Send | undefined {
    const body = content && state !== 'held' && state !== 'cancelled' ? bodyOf(content) : undefined
    return body && add(accountId, id, body, isMine ? undefined : maker, goesIn)
  }

  function add(accountId: string, id: string, body: SharedBody, desk?: string, goesIn = 0): Send {
    const { composition, createdAt, isScheduled, draftId, release, ...content } = body
    const goesAt = dueAt(goesIn)
    if (goesAt > 0 && !isScheduled) times.allowUndo(id, goesIn)
    return sends.add({
      ...(content as SentRequest),
      ...{ id, accountId, composition, createdAt, isScheduled: isScheduled && goesAt > 0, goesAt, state: 'ready' },
      ...(desk !== undefined && { desk }),
      ...(release && { release }),
      // If the draft has local edits that weren't sent, it stays on its own.
      ...(draftId !== undefined && !sharedDrafts?.hasUntoldEdits(draftId, composition) && { draftId })
    })
  }

  return { takeState, read, news, take, add, released, apart }
}

export const HOLDER_GONE: AppError = {
  code: 'timeout',
  message: 'It was being sent when its workstation stopped answering. It is looked for in your folders.',
  mayHaveArrived: true
}

/** Why the whole office's outbox is paused. */
const PAUSES: Record<NonNullable<OutboxState['pausedBy']>, Pick<OutboxPause, 'by' | 'error'>> = {
  person: { by: 'person' },
  service: {
    by: 'service',
    error: {
      code: 'refused',
      message: 'The service refused packages of this office. The workstation that was told says why.'
    }
  },
  restored: {
    by: 'person',
    error: {
      code: 'conflict',
      message:
        'The office’s server was put back to an earlier moment. What may have been sent since is looked for in your folders.',
      next: 'Resume once every workstation has been connected.'
    }
  }
}
