/** Text on the clipboard that is removed after a while, unless someone has copied something else since. */
import { inTurn } from '../lib/slices.ts'
import { type Time, within } from '../lib/time.ts'

/** Milliseconds that it stays. */
export const COPY_LIFETIME = 30_000
/** How long a copy in progress is waited for as the application ends, in milliseconds. */
const END_TIMEOUT = 1_000

export interface BriefCopyDeps {
  clipboard: { read(): Promise<string>; write(text: string): Promise<void>; clear(): void }
  /** Whether a person's text is on the clipboard, and staff's own will be put back afterwards. */
  isUsedBySigner: () => boolean
  time: Pick<Time, 'after'>
}

export type BriefCopy = ReturnType<typeof openBriefCopy>

export function openBriefCopy({ clipboard, isUsedBySigner, time }: BriefCopyDeps) {
  /** One after the other: of two writes, the earlier one may take effect later. */
  const oneByOne = <Done>(work: () => Promise<Done>) => inTurn(clipboard, work)
  let copied: string | undefined
  let cancelClear = () => {}

  async function clear(): Promise<void> {
    // The text that was set aside comes back, so check again later.
    if (isUsedBySigner()) {
      cancelClear = time.after(COPY_LIFETIME, () => void clear())
      return
    }
    const text = copied
    copied = undefined
    if (text === undefined) return
    // If the clipboard can't be read, the text may still be ours.
    const current = await clipboard.read().catch(() => text)
    // Other text of ours may have been copied during the read.
    if (current === text && copied === undefined) clipboard.clear()
  }

  async function removeNow(): Promise<void> {
    cancelClear()
    const text = copied
    copied = undefined
    if (text !== undefined && (await clipboard.read().catch(() => text)) === text) clipboard.clear()
  }

  return {
    /** Copies text. Returns the milliseconds until it's removed. */
    copy: (text: string): Promise<number> =>
      oneByOne(async () => {
        cancelClear()
        await clipboard.write(text)
        copied = text
        cancelClear = time.after(COPY_LIFETIME, () => void clear())
        return COPY_LIFETIME
      }),

    /** Removes it at once, as the application ends. */
    async end(): Promise<void> {
      await within(END_TIMEOUT, oneByOne(removeNow), time)
    }
  }
}
