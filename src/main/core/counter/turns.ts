/**
 * The turns of a session, one after the other: each begins with the service's newest answer, ends with its page wiped, and
 * leaves to the service what became of it.
 */
import type { AppError, CounterOutcome } from '../../../shared/contract/index.ts'
import type { CounterDeps } from './deps.ts'
import { errorWithoutLink } from './hidden-link.ts'
import { type Following, nextSigner } from './next-signer.ts'
import { askOutcome, type Ending } from './outcome.ts'
import type { Overlays } from './overlays.ts'
import type { Page } from './page.ts'
import { type PreparedTurn, prepareTurn } from './prepare-turn.ts'
import type { SessionState } from './session-state.ts'

const NOT_OPENED: AppError = { code: 'cancelled', message: 'The page was never opened, so nothing was signed on it.' }
const NOT_WIPED: AppError = {
  code: 'internal',
  message: 'The page before could not be closed, so no other is opened. Staff: end this, and start Countersign again.'
}
const OVER: AppError = { code: 'cancelled', message: 'The session ended before this page was opened.' }

export interface TurnParts {
  effects: CounterDeps
  record: SessionState
  page: Page
  covers: Overlays
  /** The last turn is over, or no other is wanted. */
  over: () => void
}

export type Turns = ReturnType<typeof openTurns>

export function openTurns({ effects, record, page, covers, over }: TurnParts) {
  /** Whether another turn may follow the one that runs. */
  let goesOn = true
  let underWay: Promise<void> = Promise.resolve()

  const turnOf = (index: number) => record.turnOf(index)

  function asked(index: number) {
    const { documentReference, signer } = turnOf(index)
    return { accountId: record.accountId, documentReference, signer, identity: record.factsOf(index).identity }
  }

  /** Loads the page of a turn; the person it belongs to has the screen. */
  async function begin(index: number): Promise<void> {
    const isNewest = record.moveOn()
    const wiping = page.wipe()
    covers.begin()
    record.setOutcome(index, undefined)
    record.become({
      ...{ phase: 'loading', current: index, origin: '', refused: [], asksFor: [], error: undefined },
      warningUntil: undefined
    })
    const isWiped = await wiping
    if (!isNewest()) return
    if (!isWiped) {
      notBegun(index, NOT_WIPED)
      return
    }
    try {
      const ready = await prepareTurn(effects, record, index, isNewest)
      if (!isNewest()) return
      if ('signed' in ready) await settle(index, ready, { isSure: false })
      else open(index, ready)
    } catch (error) {
      if (isNewest()) notBegun(index, effects.describe(error))
    }
  }

  function open(index: number, ready: PreparedTurn): void {
    const origin = new URL(ready.address.url).origin
    record.become({ origin })
    record.hasBegun(index)
    record.noteTurn('page-opened', index, { origin })
    try {
      page.open({
        address: ready.address,
        documentReference: turnOf(index).documentReference,
        zoom: record.state.zoom,
        media() {
          if (!ready.mayNeedCamera) return 'never'
          return record.state.allowsCamera ? 'yes' : 'ask'
        }
      })
    } catch (error) {
      failed(errorWithoutLink(effects.describe(error), ready.address.url))
      return
    }
    if (covers.isShowing()) page.reveal()
  }

  /** The turn can't begin: the person is told, and goes on to the next, or tries again. */
  function notBegun(index: number, error: AppError): void {
    if (!record.factsOf(index).hasBegun) {
      const outcome: CounterOutcome = { signed: 'skipped', error }
      record.setOutcome(index, outcome)
    }
    record.become({ phase: 'failed', error, asksFor: [], warningUntil: undefined, ...covers.lasting() })
  }

  /** The page can't be shown any more: it is wiped at once, and what is left is a screen of ours. */
  function failed(error: AppError): void {
    record.moveOn()
    void page.wipe()
    record.become({ phase: 'failed', error, asksFor: [], warningUntil: undefined, ...covers.lasting() })
  }

  /** Wipes the page and asks the service what became of the turn. */
  function finish(ending: Ending): Promise<void> {
    underWay = finished(ending)
    return underWay
  }

  async function finished(ending: Ending): Promise<void> {
    const isNewest = record.moveOn()
    const index = record.state.current
    const { hasBegun } = record.factsOf(index)
    // Out of sight before anybody is told that it is closed.
    const wiping = page.wipe()
    record.become({
      ...{ phase: 'asking', asksFor: [], error: undefined, warningUntil: undefined },
      ...covers.lasting()
    })
    const isWiped = await wiping
    const skipped: CounterOutcome = { signed: 'skipped', error: NOT_OPENED }
    const outcome = hasBegun ? await askOutcome(effects, asked(index), ending) : skipped
    if (isNewest()) await settle(index, outcome, { isSure: ending === 'finished' }, isWiped ? {} : { wiped: 'no' })
  }

  /**
   * What became of a turn whose page is wiped, and what follows.
   * @param isSure the person said that they have signed: where the service doesn't say so, they are offered the way back.
   */
  async function settle(
    index: number,
    outcome: CounterOutcome,
    { isSure }: { isSure: boolean },
    detail: Record<string, string> = {}
  ): Promise<void> {
    const isNewest = record.moveOn()
    const following = await nextSigner(effects, record, index, outcome)
    if (!isNewest()) return
    record.setOutcome(index, outcome)
    noteEnd(index, outcome, detail)
    const isOpenYet = outcome.signed === 'not-yet' && (isSure || following.next !== undefined)
    // Who comes after one who may still go back is told only once they have gone on.
    const isOver = !goesOn || (!isOpenYet && passOver(following) === undefined)
    if (isOver) end()
    else record.become({ phase: 'between', error: undefined, ...covers.lasting() })
  }

  /** Writes down who isn't offered the screen, and why. Answers who is. */
  function passOver({ next, passedOver }: Following): number | undefined {
    for (const { index, error } of passedOver) {
      const outcome: CounterOutcome = { signed: 'skipped', error }
      record.setOutcome(index, outcome)
      noteEnd(index, outcome, { because: error.message })
    }
    return next
  }

  function noteEnd(index: number, outcome: CounterOutcome, detail: Record<string, string> = {}): void {
    const tried = index === record.state.current ? record.state.refused.length : 0
    record.noteTurn('turn-ended', index, {
      outcome: outcome.signed,
      ...(tried > 0 && { tried: String(tried) }),
      ...(outcome.error && { error: outcome.error.code }),
      ...detail
    })
  }

  const isSamePerson = (one: number, other: number) => turnOf(one).person === turnOf(other).person

  function handOver(index: number): void {
    record.moveOn()
    record.become({
      ...{ phase: 'handover', current: index, origin: '', refused: [], asksFor: [], error: undefined },
      ...{ zoom: effects.zoom(), warningUntil: undefined },
      ...covers.lasting()
    })
  }

  /** All turns that have no outcome never began, or are known no better. */
  function end(): void {
    record.moveOn()
    const { error } = record.state
    for (const [index, { outcome }] of record.state.turns.entries()) {
      if (outcome) continue
      const isCurrent = index === record.state.current
      const skipped: CounterOutcome = { signed: 'skipped', error: (isCurrent && error) || OVER }
      record.setOutcome(index, skipped)
      noteEnd(index, skipped)
    }
    over()
  }

  return {
    begin,
    finish,
    failed,
    end,

    /** From what became of a document, or a turn that failed, to the next. */
    async next(): Promise<void> {
      const { phase, current } = record.state
      if (phase !== 'between' && phase !== 'failed') return
      const { outcome } = turnOf(current)
      if (!outcome) return finish('stopped')
      const isNewest = record.moveOn()
      const following = await nextSigner(effects, record, current, outcome)
      // Where the screen was left meanwhile, nothing follows before staff has come.
      if (!isNewest() || !covers.isFree()) return
      // What failed, and was tried again several times, is written down once.
      if (phase === 'failed') noteEnd(current, outcome)
      const follows = passOver(following)
      if (follows === undefined) end()
      else if (isSamePerson(current, follows)) await begin(follows)
      else handOver(follows)
    },

    /** No other turn follows. Resolves once the service was asked about the one that runs. */
    async stop(): Promise<void> {
      goesOn = false
      const { phase, current } = record.state
      if (phase === 'return' || phase === 'ended') return
      const { hasBegun } = record.factsOf(current)
      if (phase === 'asking') return underWay
      const isOpen = phase === 'loading' || phase === 'open' || phase === 'covered'
      if (isOpen || (phase === 'failed' && hasBegun && !turnOf(current).outcome)) return finish('stopped')
      const { outcome } = turnOf(current)
      if (phase === 'failed' && outcome) noteEnd(current, outcome)
      end()
    }
  }
}
