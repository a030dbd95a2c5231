/** Text on the clipboard that goes from there by itself, unless someone has copied something else since. */
import type { Time } from '../lib/time.ts'

/** Milliseconds that it stays. */
export const BRIEF = 30_000

export interface BriefCopyDeps {
  clipboard: { read(): Promise<string>; write(text: string): Promise<void>; clear(): void }
  /** Someone else's text is on the clipboard, and staff's own will be put back there afterwards. */
  isAside: () => boolean
  time: Pick<Time, 'after'>
}

export type BriefCopy = ReturnType<typeof openBriefCopy>

export function openBriefCopy({ clipboard, isAside, time }: BriefCopyDeps) {
  let copied: string | undefined
  let stop = () => {}

  async function clear(): Promise<void> {
    // What was put aside comes back: looked for again then.
    if (isAside()) {
      stop = time.after(BRIEF, () => void clear())
      return
    }
    const text = copied
    copied = undefined
    if (text === undefined) return
    // Where it can't be read it may still be ours.
    const there = await clipboard.read().catch(() => text)
    // Something else of ours may have been copied while it was read.
    if (there === text && copied === undefined) clipboard.clear()
  }

  return {
    /** Puts text there. Answers after how many milliseconds it goes. */
    async copy(text: string): Promise<number> {
      stop()
      await clipboard.write(text)
      copied = text
      stop = time.after(BRIEF, () => void clear())
      return BRIEF
    },

    /** At once, as the application ends. */
    async end(): Promise<void> {
      stop()
      const text = copied
      copied = undefined
      if (text !== undefined && (await clipboard.read().catch(() => text)) === text) clipboard.clear()
    }
  }
}
