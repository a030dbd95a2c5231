/**
 * The phases of a session at the counter and the events that lead from one to another: the one table by which a session moves,
 * and by which it is decided what a person may do. What the table doesn't name doesn't happen.
 */
import type { CounterCover, CounterPhase, CounterSession } from '../../../shared/contract/index.ts'

/**
 * load: the page of a turn is to be loaded. loading, open: how far the page says it is. cover, uncover: something lies over the
 * screen, or no longer does. fail: the page can't be shown. ask: the page is closed and the service is asked. settle: the
 * turn's outcome is shown. hand-over: the screen goes to the next person. finish: no turn follows. end: staff has the screen.
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
  /** next: a turn's page may soon be needed. there: it is. closed: it is not. none: no page comes any more. */
  page: 'next' | 'there' | 'closed' | 'none'
  /** Whether someone is expected to act, so that it counts when nobody touches anything. */
  isTimed: boolean
  /** What a person may do while nothing lies over the screen; in `covered`, behind an overlay of their own. */
  person: readonly PersonAction[]
  /** The phase that an event leads to; `page` is loading or open, as the page is. An event that isn't here changes nothing. */
  on: Readonly<Partial<Record<PhaseEvent, CounterPhase | 'page'>>>
}

const ends = { finish: 'return', end: 'ended' } as const
const closes = { fail: 'failed', ask: 'asking', settle: 'between', ...ends } as const

export const PHASES: Readonly<Record<CounterPhase, Phase>> = {
  handover: {
    ...{ page: 'next', isTimed: true, person: ['begin', 'not-me'] },
    on: { load: 'loading', cover: 'handover', uncover: 'handover', ...ends }
  },
  loading: {
    ...{ page: 'there', isTimed: true, person: ['cover', 'finish', 'zoom'] },
    on: { open: 'open', cover: 'covered', uncover: 'loading', ...closes }
  },
  open: {
    ...{ page: 'there', isTimed: true, person: ['cover', 'finish', 'zoom'] },
    on: { loading: 'loading', cover: 'covered', uncover: 'open', ...closes }
  },
  covered: {
    ...{ page: 'there', isTimed: true, person: ['cover', 'resume', 'finish', 'give-file'] },
    on: { cover: 'covered', uncover: 'page', ...closes }
  },
  asking: {
    ...{ page: 'closed', isTimed: false, person: [] },
    on: { settle: 'between', cover: 'asking', uncover: 'asking', ...ends }
  },
  between: {
    ...{ page: 'next', isTimed: true, person: ['next', 'retry', 'zoom'] },
    on: { load: 'loading', 'hand-over': 'handover', cover: 'between', uncover: 'between', ...ends }
  },
  failed: {
    ...{ page: 'closed', isTimed: true, person: ['next', 'retry', 'zoom'] },
    on: { load: 'loading', 'hand-over': 'handover', ask: 'asking', cover: 'failed', uncover: 'failed', ...ends }
  },
  return: { page: 'none', isTimed: false, person: [], on: ends },
  ended: { page: 'none', isTimed: false, person: [], on: {} }
}

/** The overlays that a person asked for, and takes away again. */
const OWN_OVERLAYS: readonly CounterCover[] = ['moment', 'help', 'finish', 'stop', 'file']

type Moment = Pick<CounterSession, 'phase' | 'cover' | 'isLocked' | 'turns' | 'current'>

/** A person may act: nothing lies over what they see. */
export const isFree = ({ cover, isLocked }: Pick<Moment, 'cover' | 'isLocked'>): boolean =>
  !isLocked && cover === undefined

/** Whether the page, or what takes its place while it loads, is to be seen. */
export const isShowing = ({ phase }: Pick<Moment, 'phase'>): boolean => phase === 'loading' || phase === 'open'

/** Whether a person's wish fits the moment; one that doesn't changes nothing. */
export function mayDo(action: PersonAction, moment: Moment): boolean {
  const { phase, cover, isLocked, turns, current } = moment
  // To go on from the page's question is to say no to it.
  if (cover === 'camera') return action === 'resume'
  if (cover === 'consent') return action === 'resume' || action === 'allow-camera'
  if (!PHASES[phase].person.includes(action) || (action === 'give-file' && cover !== 'file')) return false
  if (phase === 'covered') return !isLocked && cover !== undefined && OWN_OVERLAYS.includes(cover)
  if (!isFree(moment)) return false
  // What the service doesn't have yet may be opened again, before anyone goes on.
  if (phase === 'between' && action === 'retry') return turns[current]?.outcome?.signed === 'not-yet'
  return true
}
