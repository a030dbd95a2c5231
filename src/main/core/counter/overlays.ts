/**
 * What lies over the page, or over a screen of ours that was left. The one place that shows a page: only while its phase is
 * loading or open and nobody has locked the screen.
 */
import type { CounterCover, CounterPhase, CounterSession, CoveredBy } from '../../../shared/contract/index.ts'
import type { Page } from './page.ts'
import type { SessionState } from './session-state.ts'

/** The covers that a person asked for, and takes away again. */
export const OWN_COVERS: readonly CounterCover[] = ['moment', 'help', 'finish', 'stop']
/** Overlays that stay whatever the page does meanwhile: somebody has to come, or has come. */
const LASTING: readonly (CounterCover | undefined)[] = ['away', 'idle', 'not-me', 'staff']
/** Where there is nothing to cover, since staff alone can go on, or has. */
const UNCOVERABLE: readonly CounterPhase[] = ['return', 'ended']

export type Overlays = ReturnType<typeof openOverlays>

export function openOverlays({ record, page }: { record: SessionState; page: Page }) {
  /** How far the page is, behind a cover too. */
  let pagePhase: 'loading' | 'open' = 'loading'

  const isShowing = () => record.state.phase === 'loading' || record.state.phase === 'open'

  return {
    isShowing,

    /** A person may act: nothing lies over what they see. */
    isFree: (): boolean => !record.state.isLocked && record.state.cover === undefined,

    /** What of the cover stays when the phase changes underneath. */
    lasting(): Pick<CounterSession, 'isLocked'> & {
      cover: CounterCover | undefined
      coveredBy: CoveredBy | undefined
    } {
      const { cover, coveredBy, isLocked } = record.state
      return LASTING.includes(cover)
        ? { cover, coveredBy, isLocked }
        : { cover: undefined, coveredBy: undefined, isLocked: false }
    },

    /**
     * @param locked whether staff alone can take it away.
     * @param by what brought it about, where that says more than the cover.
     */
    cover(why: CounterCover, locked: 'locked' | 'not locked', by?: CoveredBy): CounterSession {
      const { phase } = record.state
      if (UNCOVERABLE.includes(phase)) return record.state
      page.hide()
      return record.become({
        phase: isShowing() ? 'covered' : phase,
        cover: why,
        // Staff who comes is told what there was before them.
        ...(why !== 'staff' && { coveredBy: by ?? why }),
        isLocked: locked === 'locked',
        warningUntil: undefined
      })
    },

    uncover(): CounterSession {
      const { phase } = record.state
      if (UNCOVERABLE.includes(phase)) return record.state
      const state = record.become({
        phase: phase === 'covered' ? pagePhase : phase,
        cover: undefined,
        coveredBy: undefined,
        isLocked: false,
        asksFor: [],
        warningUntil: undefined
      })
      if (isShowing()) page.reveal()
      return state
    },

    /** The page of a new turn is about to be loaded. */
    begin(): void {
      pagePhase = 'loading'
    },

    /** The page says how far it is. A cover stays where it is. */
    pageIs(phase: 'loading' | 'open'): void {
      const before = pagePhase
      pagePhase = phase
      if (!isShowing() || record.state.phase === phase) return
      if (before !== phase || record.state.phase !== phase) record.become({ phase })
      page.reveal()
    }
  }
}
