/**
 * What is done to documents, from the moment a person asks for it to what came of it: each reaches the service once at
 * most, unless a person says again. Every step is on the disk before it has an effect outside.
 */
import type { ActionRequest, ActionState, ActionView, AppError } from '../../../shared/contract/index.ts'
import type { DocumentResponse } from '../../../shared/model/index.ts'
import { firstAccepted } from '../jobs/recording.ts'
import { fail } from '../lib/failure.ts'
import { within } from '../lib/retry.ts'
import { type Action, canBeChecked, concernsSame, mayWait, targetOf, viewOf } from './action-record.ts'
import { openActionRecords } from './action-records.ts'
import type { Ending } from './attempt.ts'
import { beforeOf } from './before.ts'
import { openDepartures, subjectOf } from './departures.ts'
import type { ActionEffects } from './effects.ts'
import { readAfresh } from './fresh-look.ts'
import { openLooks } from './looks.ts'
import { outgoingOf } from './outgoing.ts'
import { ALREADY_DONE, behind, busyWith, INTERRUPTED, NEVER_LEFT, NO_REMINDERS, NOT_CHECKABLE } from './words.ts'

/** How long an answer to the screen waits for the service's, in milliseconds; the action goes on after it. */
const PATIENCE = 8_000
/** How long what ended is kept, in milliseconds. */
const DAY = 86_400_000
const KEPT = 30 * DAY
/** How long to wait before writing is tried again, in milliseconds. */
const WRITE_AGAIN = 5_000

export type Actions = ReturnType<typeof openActions>

export function openActions(effects: ActionEffects) {
  const { db, ask, clock, moment, rights } = effects
  const records = openActionRecords(db)
  const changed = (id: string) => effects.changed([id])
  const looks = openLooks({ effects, records, changed, concluded: ended })
  const departures = openDepartures({ effects, records, changed, ended, left: looks.left })
  let isClosed = false

  /** Writes down what came of an attempt, and sees to what follows of it. */
  async function ended(action: Action, ending: Ending): Promise<void> {
    const written = writeDown(action, ending)
    if (!written) return
    changed(action.id)
    const { accountId } = action
    if (written.state === 'uncertain') looks.plan(accountId)
    if (action.request.kind === 'remind') learnOfReminders(action, ending)
    if (ending.kind !== 'done') return
    // The mirror follows by itself; what it shows until then is only older.
    if (ending.document) {
      await ask('takeOne', { accountId, document: ending.document, now: moment(), isOwn: true }).catch(() => undefined)
      effects.taken(accountId)
    }
    effects.soon(accountId)
  }

  function writeDown(action: Action, ending: Ending): Action | undefined {
    const change = changeOf(action, ending)
    try {
      // What the database won't take of an answer is left out.
      return firstAccepted([
        () => records.change(action.id, change),
        () => records.change(action.id, { ...change, notary: undefined })
      ])
    } catch {
      // It stays "running" on the disk, which a restart reads as uncertain: nothing false is shown.
      if (!isClosed) effects.schedule(() => void ended(action, ending), WRITE_AGAIN)
      return undefined
    }
  }

  function changeOf(action: Action, ending: Ending): Parameters<typeof records.change>[1] {
    const settledAt = clock()
    const settled = { settledAt, isInDoubt: false }
    switch (ending.kind) {
      case 'done':
        return { ...settled, state: 'done', error: undefined, notary: ending.notary }
      case 'unsupported':
        return { ...settled, state: 'refused', error: NO_REMINDERS }
      case 'line':
      case 'refused':
        // A look has shown it, or nothing is in doubt.
        if (!action.isInDoubt || action.state === 'uncertain') {
          return { ...settled, state: 'refused', error: ending.error }
        }
        return { state: 'uncertain', error: { ...ending.error, mayHaveArrived: true } }
      case 'uncertain':
        return { state: 'uncertain', isInDoubt: true, error: ending.error }
    }
  }

  /** A service that has no reminders answers as one does that has not this document: only the folders tell them apart. */
  function learnOfReminders({ accountId, reference }: Action, { kind }: Ending): void {
    if (kind === 'done') rights.learn(accountId, { reminders: 'yes' })
    if (kind !== 'unsupported' || rights.of(accountId).reminders !== 'unknown') return
    void readAfresh(effects, accountId, new Set([reference]))
      .then((shown) => {
        if (shown.has(reference)) rights.learn(accountId, { reminders: 'no' })
      })
      .catch(() => undefined)
  }

  /** Forgets what ended long ago. */
  function pruneDaily(): void {
    if (isClosed) return
    records.prune(clock() - KEPT)
    effects.schedule(pruneDaily, DAY)
  }

  function known(id: string): Action {
    return records.find(id) ?? fail('gone', 'This is not known here any more.')
  }

  /** @throws AppFailure `busy` while its like is open, or another that it would overtake. */
  function refuseBusy(accountId: string, request: ActionRequest, document: DocumentResponse, id: string): void {
    const other = records.openOne(accountId, request.kind, targetOf(request, document))
    if (other && other.id !== id) fail('busy', busyWith(other))
    const ahead = [...records.ofAccount(accountId, 'running'), ...records.ofAccount(accountId, 'waiting')]
    const overtaken = ahead.find((one) => one.id !== id && concernsSame(one, request, document))
    if (overtaken) fail('busy', behind(overtaken))
  }

  /** What forbids an action before it is written down. @throws AppFailure */
  async function allowed(accountId: string, reference: string, request: ActionRequest) {
    if (request.kind === 'remind' && rights.of(accountId).reminders === 'no') fail('not-found', NO_REMINDERS.message)
    const subject = await subjectOf(effects, accountId, reference)
    outgoingOf(request, subject, clock())
    return subject.document
  }

  /** Has it leave; answers what came of it, or how far it is after a while. */
  async function leaves(action: Pick<Action, 'id' | 'accountId'>): Promise<ActionView> {
    await within(PATIENCE, departures.goFresh(action), { after: (delay, task) => effects.schedule(task, delay) })
    return viewOf(known(action.id))
  }

  /** Ends one by a person's word. */
  function settledAs(action: Action, state: ActionState, error?: AppError): ActionView {
    const after = records.change(action.id, { state, error, settledAt: clock(), isInDoubt: false })
    changed(action.id)
    return viewOf(after ?? action)
  }

  return {
    /**
     * Does something to a document. The same id twice does it once and answers what is known of it.
     * @throws AppFailure where it can't be done at all (then nothing is kept), and `busy` while its like is open, or
     * another on the document waits or is on its way: what was asked for first is done first.
     */
    async start(
      accountId: string,
      { id, reference, request }: { id: string; reference: string; request: ActionRequest }
    ): Promise<ActionView> {
      const pressedBefore = () => {
        const before = records.find(id)
        if (before && before.accountId !== accountId) fail('gone', 'This belongs to another account.')
        return before && viewOf(before)
      }
      const before = pressedBefore()
      if (before) return before
      const document = await allowed(accountId, reference, request)
      const meanwhile = pressedBefore()
      if (meanwhile) return meanwhile
      refuseBusy(accountId, request, document, id)
      const action = {
        ...{ id, accountId, request },
        documentName: document.Name ?? document.Reference,
        before: beforeOf(request, document),
        createdAt: clock()
      }
      records.add(action, document)
      changed(id)
      return leaves(action)
    },

    /** Newest first; of one document, or of all. */
    list: (accountId: string, reference?: string): ActionView[] => records.list(accountId, reference).map(viewOf),

    get: (id: string): ActionView => viewOf(known(id)),

    /** Takes back what waits. @throws AppFailure `busy` where it is on its way, `conflict` where it has ended. */
    cancel(id: string): ActionView {
      const action = known(id)
      if (action.state === 'cancelled') return viewOf(action)
      if (action.state === 'running') fail('busy', 'It is on its way already, so it can’t be taken back.')
      if (action.state !== 'waiting') fail('conflict', 'It doesn’t wait any more, so it can’t be taken back.')
      // It was asked for once more, and the first time is still in doubt.
      if (action.isInDoubt) {
        const after = records.change(id, { state: 'uncertain' })
        changed(id)
        looks.plan(action.accountId)
        return viewOf(after ?? action)
      }
      return settledAs(action, 'cancelled')
    },

    /** Asks the service what became of an uncertain one. @throws what reading the folders throws. */
    async check(id: string): Promise<ActionView> {
      const action = known(id)
      if (action.state !== 'uncertain') return viewOf(action)
      if (!canBeChecked(action)) fail('conflict', NOT_CHECKABLE)
      await looks.lookAnew(action.accountId)
      return viewOf(known(id))
    },

    /** Does one once more that was refused, taken back or is uncertain; that may be the second time. */
    async again(id: string): Promise<ActionView> {
      const action = known(id)
      if (action.state === 'waiting' || action.state === 'running') return viewOf(action)
      if (action.state === 'done') fail('conflict', ALREADY_DONE)
      const { accountId, request } = action
      const document = await allowed(accountId, action.reference, request)
      const now = known(id)
      if (now.state !== action.state) return viewOf(now)
      refuseBusy(accountId, request, document, id)
      records.change(id, {
        state: 'waiting',
        isInDoubt: action.state === 'uncertain',
        before: beforeOf(request, document),
        error: undefined,
        settledAt: undefined
      })
      changed(id)
      return leaves(action)
    },

    /** A person says what became of an uncertain one. */
    settle(id: string, happened: boolean): ActionView {
      const action = known(id)
      if (action.state !== 'uncertain') return viewOf(action)
      effects.soon(action.accountId)
      return settledAs(action, happened ? 'done' : 'cancelled')
    },

    /** To be called once at the start: what a crash left on its way may have arrived. */
    takeUpInterrupted(): void {
      for (const { id } of records.inState('running')) {
        records.change(id, { state: 'uncertain', isInDoubt: true, error: INTERRUPTED })
      }
      for (const action of records.inState('waiting')) {
        if (mayWait(action)) continue
        if (action.isInDoubt) records.change(action.id, { state: 'uncertain', error: INTERRUPTED })
        else records.change(action.id, { state: 'refused', error: NEVER_LEFT, settledAt: clock() })
      }
    },

    /** Begins to let go what waits, and to look for what is uncertain. */
    open(): void {
      departures.lineChanged()
      looks.lineChanged()
      pruneDaily()
    },

    /** Something was heard of the line, or the computer woke up. */
    lineChanged(): void {
      departures.lineChanged()
      looks.lineChanged()
    },

    /** For the question on leaving: of all accounts. */
    pending: (): { waiting: number; running: number; uncertain: number } => ({
      waiting: records.count('waiting'),
      running: records.count('running'),
      uncertain: records.count('uncertain')
    }),

    /** Lets nothing more leave, and waits for what is under way, `limit` milliseconds at most. */
    async close(limit: number): Promise<void> {
      isClosed = true
      await within(
        limit,
        Promise.all([departures.close(), looks.close()]).then(() => undefined),
        { after: (delay, task) => effects.schedule(task, delay) }
      )
    }
  }
}
