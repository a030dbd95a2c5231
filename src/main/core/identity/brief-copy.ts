/** Text on the clipboard that is removed after a while, unless someone has copied something else since. */
import type { Time } from '../lib/time.ts'

/** Milliseconds that it stays. */
export const BRIEF = 30_000

export interface BriefCopyDeps {
  clipboard: { read(): Promise<string>; write(text: string): Promise<void>; clear(): void }
  /** Whether a person's text is on the clipboard, and staff's own will be put back afterwards. */
  isAside: () => boolean
  time: Pick<Time, 'after'>
}

export type BriefCopy = ReturnType<typeof openBriefCopy>

export function openBriefCopy({ clipboard, isAside, time }: BriefCopyDeps) {
  let copied: string | undefined
  let stop = () => {}

  async function clear(): Promise<void> {
    // The text that was set aside comes back, so check again later.
    if (isAside()) {
      stop = time.after(BRIEF, () => void clear())
      return
    }
    const text = copied
    copied = undefined
    if (text === undefined) return
    // If the clipboard can't be read, the text may still be ours.
    const there = await clipboard.read().catch(() => text)
    // Other text of ours may have been copied during the read.
    if (there === text && copied === undefined) clipboard.clear()
  }

  return {
    /** Copies text. Returns the milliseconds until it's removed. */
    async copy(text: string): Promise<number> {
      stop()
      await clipboard.write(text)
      copied = text
      stop = time.after(BRIEF, () => void clear())
      return BRIEF
    },

    /** Removes it at once, as the application ends. */
    async end(): Promise<void> {
      stop()
      const text = copied
      copied = undefined
      if (text !== undefined && (await clipboard.read().catch(() => text)) === text) clipboard.clear()
    }
  }
}
