/** The page's question for camera and microphone: it waits behind a cover until staff says yes, or anybody says no. */
import type { Overlays } from './overlays.ts'
import type { Page } from './page.ts'
import type { SessionState } from './session-state.ts'
import type { MediaDevice } from './signing-view.ts'

export type Camera = ReturnType<typeof openCamera>

export function openCamera({ record, page, covers }: { record: SessionState; page: Page; covers: Overlays }) {
  const isAsked = () => record.state.asksFor.length > 0

  /** Answers whether there was a question. */
  function answered(granted: boolean, by: 'person' | 'staff'): boolean {
    if (!isAsked()) return false
    const { asksFor, current } = record.state
    record.noteTurn(granted ? 'camera-allowed' : 'camera-refused', current, { devices: asksFor.join(', '), by })
    record.become({ asksFor: [], allowsCamera: granted })
    page.answer(granted)
    return true
  }

  return {
    asked(devices: readonly MediaDevice[]): void {
      record.become({ asksFor: [...new Set([...record.state.asksFor, ...devices])] })
      // Where staff has to come, or is there, they see the question then.
      if (covers.lasting().cover === undefined) covers.cover('camera', 'locked')
    },

    /** The page got devices. */
    granted(devices: readonly MediaDevice[]): void {
      const { current, origin } = record.state
      record.noteTurn('camera-allowed', current, { devices: devices.join(', '), origin, by: 'page got it' })
    },

    /** The page was closed while it waited: that was a no, which nobody gave. */
    closed(): void {
      const { asksFor, current } = record.state
      record.noteTurn('camera-refused', current, { devices: asksFor.join(', '), by: 'the page was closed' })
    },

    /** Yes, for the rest of the session. Only staff can say so. */
    allow: (): boolean => answered(true, 'staff'),

    /** Going on without an answer is a no. */
    refuse: (by: 'person' | 'staff'): boolean => answered(false, by)
  }
}
