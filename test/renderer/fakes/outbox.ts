/** The made-up office's outbox: sends, what holds them, and batches. */
import { blankComposition, fingerprintOf, repeatedPackage } from '../../../src/shared/composition/index.ts'
import type { OutboxView, SendCounts, SendState, SendView } from '../../../src/shared/contract/views.ts'
import type { FakeControl } from '../fake-api.ts'
import { sendOf } from '../people.ts'
import { byId, Failure, type FakeOffice, type HandlersOf, pageOf } from './office.ts'

const shown: Record<'all' | 'attention' | 'waiting' | 'sent', readonly SendState[]> = {
  all: ['ready', 'sending', 'sent', 'refused', 'uncertain', 'not-sent', 'cancelled'],
  attention: ['refused', 'uncertain', 'not-sent'],
  waiting: ['ready', 'sending'],
  sent: ['sent']
}

export function fakeOutbox({ state, emit, isShown, newId }: FakeOffice): HandlersOf<'sends' | 'outbox' | 'batches'> {
  function put(send: SendView): SendView {
    return putSend({ state, emit }, send)
  }

  const shownAccounts = () => state.accounts.map(({ id }) => id).filter(isShown)

  /** Accounts are paused as `state.outbox.paused` says, if set, otherwise all as its `pause` says. */
  function outbox(): OutboxView {
    const counts = countsOf(state.sends)
    const held = state.sends.filter(({ hold }) => hold === 'release')
    const refused = held.filter(({ release }) => release?.refused).length
    const releases = { undecided: held.length - refused, refused }
    const { paused, pause, ...others } = state.outbox
    const rest = { ...others, ...(held.length > 0 && { releases }) }
    if (!paused || shownAccounts().length < 2) return { ...rest, counts, ...(pause && { pause }) }
    const areAll = shownAccounts().every((id) => paused.some(({ accountId }) => accountId === id))
    const [first] = paused
    return { ...rest, counts, paused, ...(areAll && first && { pause: first.pause }) }
  }

  function changeBatch(id: string, change: Partial<(typeof state.batches)[number]>) {
    const batch = { ...byId(state.batches, id), ...change }
    state.batches = state.batches.map((one) => (one.id === id ? batch : one))
    emit('batches.changed', { id })
    return batch
  }

  return {
    'sends.start': ({ draftId, at, edition }) => {
      const draft = byId(state.drafts, draftId)
      if (!isShown(draft.accountId)) throw new Failure('gone')
      if (draft.office && edition !== undefined && edition !== draft.office.edition) throw new Failure('conflict')
      const send = sendOf({
        id: newId('send'),
        accountId: draft.accountId,
        draftId,
        kind: draft.kind,
        title: draft.title,
        who: draft.who,
        state: 'ready',
        hold: at ? 'time' : 'undo',
        goesAt: at ?? state.now() + state.outbox.settings.undoSeconds * 1000,
        createdAt: state.now(),
        attempt: 0,
        documents: []
      })
      delete send.packageReference
      delete send.packageStatus
      delete send.attemptedAt
      delete send.settledAt
      emit('drafts.changed', { id: draftId })
      return put(send)
    },
    'sends.now': ({ id }) => leave({ state, emit }, id),
    'sends.reschedule': ({ id, at }) => {
      const send = byId(state.sends, id)
      if (send.hold !== 'time') throw new Failure('busy')
      return put({ ...send, goesAt: at })
    },
    'sends.release': ({ id }) => {
      const send = byId(state.sends, id)
      return put({ ...send, hold: 'turn', release: { by: send.release?.by ?? '', released: 'Ana Reweti' } })
    },
    'sends.refuse': ({ id, reason }) => {
      const send = byId(state.sends, id)
      return put({ ...send, release: { by: send.release?.by ?? '', refused: { by: 'Ana Reweti', reason } } })
    },
    'sends.undo': ({ id }) => {
      const send = byId(state.sends, id)
      if (send.state !== 'ready') throw new Failure('busy')
      state.sends = state.sends.filter((one) => one.id !== id)
      emit('sends.changed', { ids: [id] })
      emit('outbox.changed', null)
      const { composition: _composition, ...summary } = byId(state.drafts, send.draftId ?? '')
      return summary
    },
    'sends.list': ({ show, batchId, search, ...page }) => {
      const words = search.toLowerCase().split(/\s+/).filter(Boolean)
      const fitting = state.sends.filter(
        (send) =>
          (shown[show].includes(send.state) || (show === 'attention' && send.hold === 'release')) &&
          (batchId === undefined || send.batchId === batchId) &&
          words.every((word) => `${send.title} ${send.who}`.toLowerCase().includes(word))
      )
      return { rows: pageOf(fitting, page), total: fitting.length }
    },
    'sends.get': ({ id }) => byId(state.sends, id),
    'sends.composition': ({ id }) => {
      const { draftId, kind } = byId(state.sends, id)
      const draft = state.drafts.find((one) => one.id === draftId)
      return state.sent[id] ?? draft?.composition ?? blankComposition(kind, 'sent')
    },
    'sends.reconcile': ({ id }) => {
      const { error: _error, ...send } = byId(state.sends, id)
      return put({ ...send, state: 'sent', settledAt: state.now(), ...state.nextSend })
    },
    'sends.resolve': (input) => {
      const { ambiguity: _ambiguity, error: _error, ...send } = byId(state.sends, input.id)
      const found = input.arrived ? byId(state.sends, input.id).ambiguity?.found : undefined
      const documents = input.arrived
        ? input.documents.map((reference) => ({
            reference,
            name: found?.find((one) => one.reference === reference)?.name ?? reference
          }))
        : []
      return put({ ...send, documents, state: input.arrived ? 'sent' : 'not-sent', settledAt: state.now() })
    },
    'sends.retry': ({ id }) => {
      const { error: _error, settledAt: _settledAt, ...send } = byId(state.sends, id)
      return put({ ...send, state: 'ready', hold: 'turn' })
    },
    'sends.toDraft': ({ id }) => {
      const send = byId(state.sends, id)
      const { composition: _composition, ...summary } = byId(state.drafts, send.draftId ?? '')
      return summary
    },
    'sends.duplicate': ({ id, keeps }) => {
      const send = byId(state.sends, id)
      const composition = repeatedPackage(state.sent[id] ?? blankComposition(send.kind, 'sent'), keeps, state.now())
      const who = keeps === 'people and data' ? send.who : ''
      const summary = {
        id: newId('draft'),
        accountId: send.accountId,
        kind: send.kind,
        title: send.title,
        who,
        updatedAt: state.now()
      }
      state.drafts = [{ ...summary, composition }, ...state.drafts]
      emit('drafts.changed', { id: summary.id })
      return summary
    },
    'sends.sameSent': ({ composition }) => {
      const same = Object.entries(state.sent).find(
        ([, sent]) => fingerprintOf(sent) === fingerprintOf({ ...composition, zone: composition.zone ?? '' })
      )
      const send = same && state.sends.find((one) => one.id === same[0])
      return send ? { at: send.settledAt ?? send.createdAt, state: send.state } : null
    },
    'outbox.state': outbox,
    'outbox.pause': () => {
      const pause = { by: 'person', since: state.now() } as const
      const others = (state.outbox.paused ?? []).filter(({ accountId }) => !isShown(accountId))
      const paused = [...others, ...shownAccounts().map((accountId) => ({ accountId, pause }))]
      state.outbox = { ...state.outbox, ...(paused.length === shownAccounts().length && { pause }), paused }
      emit('outbox.changed', null)
      return outbox()
    },
    'outbox.resume': () => {
      const { pause: _pause, paused = [], ...rest } = state.outbox
      const left = paused.filter(({ accountId }) => !isShown(accountId))
      state.outbox = { ...rest, ...(left.length > 0 && { paused: left }) }
      emit('outbox.changed', null)
      return outbox()
    },
    'outbox.configure': (change) => {
      const settings = { ...state.outbox.settings }
      if (change.concurrency !== undefined) settings.concurrency = change.concurrency
      if (change.perMinute !== undefined) settings.perMinute = change.perMinute
      if (change.undoSeconds !== undefined) settings.undoSeconds = change.undoSeconds
      state.outbox = { ...state.outbox, settings }
      emit('outbox.changed', null)
      return outbox()
    },
    'batches.list': () => state.batches,
    'batches.pause': ({ id }) => changeBatch(id, { state: 'paused' }),
    'batches.release': ({ id }) => {
      const { release: _release, ...batch } = changeBatch(id, {})
      state.batches = state.batches.map((one) => (one.id === id ? batch : one))
      return batch
    },
    'batches.resume': ({ id }) => changeBatch(id, { state: 'going' }),
    'batches.cancel': ({ id }) => {
      const { counts } = byId(state.batches, id)
      return changeBatch(id, {
        state: 'done',
        counts: { ...counts, ready: 0, cancelled: counts.cancelled + counts.ready }
      })
    },
    'batches.retry': ({ id }) => {
      const { counts } = byId(state.batches, id)
      const retried = counts.notSent + counts.refused
      return changeBatch(id, {
        state: 'going',
        counts: { ...counts, notSent: 0, refused: 0, ready: counts.ready + retried }
      })
    },
    'batches.leftOut': ({ id, ...page }) => {
      const { leftOut } = byId(state.batches, id)
      const rows = Array.from({ length: leftOut }, (_, index) => ({
        row: index * 3 + 4,
        problems: [index % 2 === 0 ? 'E-mail: Enter an e-mail address, such as name@example.com.' : 'Same as row 2.']
      }))
      return { rows: pageOf(rows, page), total: leftOut }
    },
    'batches.exportFailed': () => ({ label: 'Rows to fix.csv' })
  }
}

type Hand = Pick<FakeControl, 'state' | 'emit'>

/** Replaces a send and raises the events. */
export function putSend({ state, emit }: Hand, send: SendView): SendView {
  state.sends = [send, ...state.sends.filter((one) => one.id !== send.id)]
  emit('sends.changed', { ids: [send.id] })
  emit('outbox.changed', null)
  return send
}

/** Sends a send: it becomes what `nextSend` says, or `sent` by default. */
export function leave({ state, emit }: Hand, id: string): SendView {
  const { hold: _hold, goesAt: _goesAt, ...send } = byId(state.sends, id)
  const draft = state.drafts.find((one) => one.id === send.draftId)
  const left: SendView = {
    ...send,
    state: 'sent',
    attempt: send.attempt + 1,
    attemptedAt: state.now(),
    settledAt: state.now(),
    documents: (draft?.composition.items ?? []).map((item, index) => ({
      reference: `doc-${index * 2}`,
      name: `${item.Name}.pdf`,
      hasLink: true
    })),
    ...state.nextSend
  }
  if (left.state === 'sent') {
    if (draft) state.sent[id] = draft.composition
    left.packageReference ??= 'package-900'
    state.drafts = state.drafts.filter((one) => one.id !== send.draftId)
  }
  if (send.draftId) emit('drafts.changed', { id: send.draftId })
  return putSend({ state, emit }, left)
}

/** Sends everything whose time has come. */
export function leaveDue(hand: Hand): void {
  if (hand.state.outbox.pause) return
  const now = hand.state.now()
  const due = hand.state.sends.filter(
    (send) => send.state === 'ready' && send.goesAt !== undefined && send.goesAt <= now
  )
  for (const { id } of due) leave(hand, id)
}

export function countsOf(sends: readonly SendView[]): SendCounts {
  const count = (state: SendState) => sends.filter((send) => send.state === state).length
  return {
    ready: count('ready'),
    sending: count('sending'),
    sent: count('sent'),
    refused: count('refused'),
    uncertain: count('uncertain'),
    notSent: count('not-sent'),
    cancelled: count('cancelled')
  }
}
