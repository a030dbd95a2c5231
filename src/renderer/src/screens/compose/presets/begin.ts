/** Begins a package from a preset, wherever it was chosen: as a draft of its own, which is opened. */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { AppState } from '../../../state/app-state.svelte.ts'
import type { Presets } from '../../../state/presets.svelte.ts'
import { forCounter } from '../edits.ts'

/** In the address of a package: someone is waiting at the counter to sign it as soon as it is sent; `name` beside it is theirs. */
export const FOR_COUNTER = { for: 'counter' }

export const DUE_PASSED = "The preset's due date has passed: 14 days it is."

/**
 * Returns why it could not be begun, if it could not.
 * @param walkIn whether someone is waiting at the counter to sign it.
 */
export async function beginFromPreset(
  app: AppState,
  presets: Presets,
  id: string,
  walkIn: 'walk-in' | undefined = undefined
): Promise<AppError | undefined> {
  const name = app.router.route.query.get('name') ?? ''
  const begun = await presets.begin(id, app.clock.now(), walkIn && ((composition) => forCounter(composition, name)))
  if ('error' in begun) return begun.error
  if (begun.due === 'passed') app.toasts.say(DUE_PASSED)
  app.router.go('compose', [begun.draftId], walkIn && FOR_COUNTER)
  return undefined
}
