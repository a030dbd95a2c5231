/**
 * Signing pages that were closed and of which something may be left. They outlive their session: nobody is shown another page
 * before the last one is gone.
 */
import type { CounterDeps } from './deps.ts'
import type { SigningView } from './signing-view.ts'

/** However a page resists, nobody waits for its end longer, in milliseconds. */
const LONGEST_WIPE = 10_000

export type Cleanup = ReturnType<typeof openCleanup>

export function openCleanup({ schedule }: Pick<CounterDeps, 'schedule'>) {
  const left = new Set<SigningView>()

  async function isWiped(view: SigningView): Promise<boolean> {
    const late = Promise.withResolvers<boolean>()
    const cancel = schedule(() => late.resolve(false), LONGEST_WIPE)
    const ending = destroyed(view)
    const isGone = await Promise.race([ending, late.promise])
    cancel()
    if (isGone) left.delete(view)
    return isGone
  }

  return {
    isThere: (): boolean => left.size > 0,

    /** A page that is closed from now on. */
    add: (view: SigningView): void => void left.add(view),

    /** Wipes what is left. Answers whether nothing is any more; where something is, it may be called again. */
    async wipe(): Promise<boolean> {
      const all = await Promise.all([...left].map(isWiped))
      return all.every(Boolean)
    }
  }
}

async function destroyed(view: SigningView): Promise<boolean> {
  try {
    await view.destroy()
    return true
  } catch {
    return false
  }
}
