/**
 * The phases of a session at the counter, and the events that lead from one to another. This one table decides how a
 * session moves and what a person may do; what it doesn't contain doesn't happen.
 */
import type { CounterCover, CounterPhase, CounterSession } from '../../../shared/contract/index.ts'

/**
 * load: a turn's page is about to be loaded. loading, open: the page's progress. cover, uncover: an overlay covers the
 * screen, or no longer does. fail: the page can't be shown. ask: the page is closed and the service is asked. settle:
 * the turn's outcome is shown. hand-over: the screen goes to the next person. finish: no turn follows. end: staff has
 * the screen.
 */
export type PhaseEvent =
  | ('load' | 'loading' | 'open' | 'cover' | 'uncover')
  | ('fail' | 'ask' | 'settle' | 'hand-over' | 'finish' | 'end')

/** What the person who has the screen may ask for. */
export type PersonAction =
  | 'begin'
  | 'not-me'
  | 'cover'
  | 'resume'
  | 'give-file'
  | 'allow-camera'
  | 'finish'
  | 'next'
  | 'retry'
  | 'zoom'

interface Phase {
  /**
   * next: a turn's page may be needed soon. there: it's loaded or loading. closed: it was closed. none: no page
   * follows.
   */
  page: 'next' | 'there' | 'closed' | 'none'
  /** Whether someone is expected to act, so that idle time counts. */
  isTimed: boolean
  /** What a person may do without an overlay; in `covered`, behind an overlay of their own. */
  person: readonly PersonAction[]
  /**
   * The phase that each event leads to; `page` stands for loading or open, whichever the page is. Events that aren't
   * listed change nothing.
   */
  on: Readonly<Partial<Record<PhaseEvent, CounterPhase | 'page'>>>
}

const ends = { finish: 'return', end: 'ended' } as const
const closes = { fail: 'failed', ask: 'asking', settle: 'between', ...ends } as const

export const PHASES: Readonly<Record<CounterPhase, Phase>> = {
  handover: {
    page: 'next',
    isTimed: true,
    person: ['begin', 'not-me'],
    on: { load: 'loading', cover: 'handover', uncover: 'handover', ...ends }
  },
  loading: {
    page: 'there',
    isTimed: true,
    person: ['cover', 'finish', 'zoom'],
    on: { open: 'open', cover: 'covered', uncover: 'loading', ...closes }
  },
  open: {
    page: 'there',
    isTimed: true,
    person: ['cover', 'finish', 'zoom'],
    on: { loading: 'loading', cover: 'covered', uncover: 'open', ...closes }
  },
  covered: {
    page: 'there',
    isTimed: true,
    person: ['cover', 'resume', 'finish', 'give-file'],
    on: { cover: 'covered', uncover: 'page', ...closes }
  },
  asking: {
    page: 'closed',
    isTimed: false,
    person: [],
    on: { settle: 'between', cover: 'asking', uncover: 'asking', ...ends }
  },
  between: {
    page: 'next',
    isTimed: true,
    person: ['next', 'retry', 'zoom'],
    on: { load: 'loading', 'hand-over': 'handover', cover: 'between', uncover: 'between', ...ends }
  },
  failed: {
    page: 'closed',
    isTimed: true,
    person: ['next', 'retry', 'zoom'],
    on: { load: 'loading', 'hand-over': 'handover', ask: 'asking', cover: 'failed', uncover: 'failed', ...ends }
  },
  return: { page: 'none', isTimed: false, person: [], on: ends },
  ended: { page: 'none', isTimed: false, person: [], on: {} }
}

/** Overlays that a person opens and can close again. */
const OWN_OVERLAYS: readonly CounterCover[] = ['moment', 'help', 'finish', 'stop', 'file']

type Moment = Pick<CounterSession, 'phase' | 'cover' | 'isLocked' | 'turns' | 'current'>

/** Whether a person may act: no overlay covers what they see. */
export const isFree = ({ cover, isLocked }: Pick<Moment, 'cover' | 'isLocked'>): boolean =>
  !isLocked && cover === undefined

/** Whether the page, or its placeholder while it loads, is visible. */
export const isShowing = ({ phase }: Pick<Moment, 'phase'>): boolean => phase === 'loading' || phase === 'open'

/** Whether a person's action fits the moment. If it doesn't, nothing changes. */
export function mayDo(action: PersonAction, moment: Moment): boolean {
  const { phase, cover, isLocked, turns, current } = moment
  // Resuming without an answer to the page's request refuses it.
  if (cover === 'camera') return action === 'resume'
  if (cover === 'consent') return action === 'resume' || action === 'allow-camera'
  if (!PHASES[phase].person.includes(action) || (action === 'give-file' && cover !== 'file')) return false
  if (phase === 'covered') return !isLocked && cover !== undefined && OWN_OVERLAYS.includes(cover)
  if (!isFree(moment)) return false
  // A page whose answer the service doesn't have yet may be opened again before anyone goes on.
  if (phase === 'between' && action === 'retry') return turns[current]?.outcome?.signed === 'not-yet'
  return true
}
