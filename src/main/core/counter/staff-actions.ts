/** What staff does after their PIN, or from their own screen while the person has the second display. */
import type { CounterSession } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import type { Camera } from './camera.ts'
import type { CounterDeps } from './deps.ts'
import type { Overlays } from './overlays.ts'
import type { Page } from './page.ts'
import type { SessionState } from './session-state.ts'
import type { Turns } from './turns.ts'

export type StaffAction = 'cover' | 'continue' | 'end' | 'allow-camera' | 'refuse-camera' | 'print' | 'save'
/** desk: the office's own window. person: the window on the second display. */
export type AskedFrom = 'desk' | 'person'

export interface StaffParts {
  effects: Pick<CounterDeps, 'settings' | 'savePage'>
  record: SessionState
  page: Page
  covers: Overlays
  camera: Camera
  turns: Turns
  ended: () => void
}

export function openStaffActions({ effects, record, page, covers, camera, turns, ended }: StaffParts) {
  let isEnding = false

  const isAllowed = (from: AskedFrom) =>
    record.state.cover === 'staff' || (from === 'desk' && record.state.place === 'other-display')

  function mustBeAllowed(from: AskedFrom): void {
    if (!isAllowed(from)) fail('not-allowed', 'That is for staff: please give the PIN first.')
  }

  async function end(from: AskedFrom): Promise<void> {
    isEnding = true
    await turns.stop()
    // Where the screen was left meanwhile, what they were allowed is over.
    if (record.state.phase === 'return' && isAllowed(from)) ended()
  }

  function mustBeKeepable(): void {
    if (!effects.settings().mayKeepPages) fail('not-allowed', 'Signing pages may not be printed or saved here.')
    if (!page.isThere()) fail('gone', 'There is no page just now.')
  }

  async function print(): Promise<void> {
    mustBeKeepable()
    const { current } = record.state
    await page.print()
    record.noteTurn('page-printed', current)
  }

  async function save(from: AskedFrom): Promise<void> {
    mustBeKeepable()
    const { current } = record.state
    const bytes = await page.pdf()
    if (!bytes) return
    try {
      // Staff may have gone, and the page with them, while it was being drawn.
      mustBeAllowed(from)
      if (record.state.current !== current || !page.isThere()) fail('gone', 'There is no page just now.')
      const isSaved = await effects.savePage(bytes, `${record.turnOf(current).documentName}.pdf`)
      if (isSaved) record.noteTurn('page-saved', current)
    } finally {
      bytes.fill(0)
    }
  }

  function cover(): void {
    const before = record.state
    covers.cover('away', 'locked', 'desk')
    if (before !== record.state && before.cover !== 'away') record.noteTurn('left', before.current, { by: 'staff' })
  }

  async function carryOut(deed: StaffAction, from: AskedFrom): Promise<void> {
    switch (deed) {
      case 'cover':
        return cover()
      case 'continue':
        camera.refuse('staff')
        covers.uncover()
        return
      case 'allow-camera':
        if (camera.allow()) covers.uncover()
        return
      case 'refuse-camera':
        camera.refuse('staff')
        covers.uncover()
        return
      case 'end':
        return end(from)
      case 'print':
        return print()
      case 'save':
        return save(from)
    }
  }

  return {
    /** Whether staff has said that the session ends: nobody else has the screen then. */
    isEnding: (): boolean => isEnding,

    /** @throws AppFailure `not-allowed`, `gone`, and what printing or saving failed by. */
    async staff(deed: StaffAction, from: AskedFrom): Promise<CounterSession> {
      if (record.state.phase === 'ended') return record.state
      mustBeAllowed(from)
      await carryOut(deed, from)
      return record.state
    }
  }
}
