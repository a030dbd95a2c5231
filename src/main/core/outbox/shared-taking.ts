/** Reads what an office's server says of its outbox, and writes it down as rows among this workstation's own: see `SharedSends`. */
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
  /** How an account stands with the office just now. `hasAll`: whether every send was read in this run up to the cursor. */
  stateOf: (accountId: string) => { hasAll: boolean }
  /** Whether a person takes it back just now. */
  isKeptBack: (id: string) => boolean
  /** Looks are to be made once more. */
  lookAgain: (send: Send) => void
}

export function openTaking(deps: TakingDeps) {
  const { db, sends, times, time, pauses, sharedDrafts, rows, changes, asked, stateOf, isKeptBack, lookAgain } = deps

  /** How the office's outbox stands. */
  function takeState(accountId: string, { concurrency, perMinute, pausedBy, pausedFor }: OutboxState): void {
    const since = Math.round(time.now() - pausedFor)
    const pause = pausedBy && { since, ...PAUSES[pausedBy] }
    if (pauses.follow(accountId, { concurrency, perMinute }, pause)) changes.outbox()
  }

  /**
   * Reads all that changed since it was read last; whether some of it may have to go to the office again.
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

  /** These are other than before here. */
  function news(changed: readonly Send[]): void {
    for (const send of changed) {
      changes.send(send)
      changes.draft(send.draftId)
      if (send.state === 'uncertain') lookAgain(send)
    }
  }

  /** Writes down what the office says of a send; answers it where something of it is new here. */
  function take(accountId: string, change: SendChange): Send | undefined {
    const { id, state, round, epoch } = change
    const known = rows.find(id)
    // Read before something that was done here since.
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
    // What was made here before this workstation left and joined again is another's to the office alone.
    const isMine = change.isMine || (here !== undefined && here.desk === undefined)
    const isOthers = isMine ? (known?.round ?? 0) < round : true
    if (state === 'held' || state === 'cancelled') {
      // Whether its draft goes on, the office may have said while it still waited here.
      if (send.draftId !== undefined) sharedDrafts?.soon(accountId)
      // What is with us again stays as it is here; another's that never left is theirs alone.
      if (send.state === 'sent') return undefined
      if (!isOthers) {
        // It was shown not to have arrived, and isn't taken as one in doubt any more (see `claim`): given once more it is told why.
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
    // Taken back here a moment ago, which is still to be told: that it was claimed meanwhile, as from here, changes nothing of that.
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
   * What another of staff decided of it elsewhere; undefined where that isn't news. Of what waits for nobody the content isn't read. What
   * was decided here of a whole batch, and isn't told yet, comes second.
   */
  function decisionOf(send: Send, { content }: Pick<SendChange, 'content'>): Release | undefined {
    const isDecisionUntold = send.release !== undefined && rows.find(send.id)?.goesAt !== send.goesAt
    const release = (isHeld(send.release) || isDecisionUntold) && content ? bodyOf(content)?.release : undefined
    if (isDecisionUntold && release?.released === undefined && release?.refused === undefined) return undefined
    return isDeepStrictEqual(release, send.release) ? undefined : release
  }

  /** Who released it is known from then on, whatever became of it since. */
  function released(send: Send, change: Pick<SendChange, 'content'>): Send {
    const release = decisionOf(send, change)
    return release === undefined || isHeld(release) ? send : sends.change(send, { release })
  }

  /** Another of staff has released it at another workstation, or refused to. */
  function decided(send: Send, change: SendChange): Send | undefined {
    const release = decisionOf(send, change)
    if (!release) return undefined
    const goesAt = dueAt(change.goesIn)
    const known = rows.find(send.id)
    if (known) rows.keep({ ...known, goesAt })
    times.schedule(send.id)
    return sends.change(send, { release, goesAt, isScheduled: goesAt > 0 })
  }

  /** A draft in which something else is by now isn't erased with what was sent of it. */
  function apart(send: Send): Send {
    const { draftId } = send
    const isApart = draftId !== undefined && sharedDrafts?.goesApart(draftId, sends.compositionOf(send))
    return isApart ? sends.change(send, { draftId: undefined }) : send
  }

  /** By the clock here; 0 for at once. */
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
      // What was written here is no part of it: that draft goes on.
      ...(draftId !== undefined && !sharedDrafts?.hasUntoldEdits(draftId, composition) && { draftId })
    })
  }

  return { takeState, read, news, take, add, released }
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
