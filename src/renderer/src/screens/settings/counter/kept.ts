/** Keeps a change of the counter's settings, and says so where it could not be kept. */
import type { AppError } from '../../../../../shared/contract/errors.ts'
import type { Office } from '../../../state/office.svelte.ts'
import { presentError } from '../../../words/errors.ts'
import type { CounterChange, CounterSettings } from '../../counter/counter-settings.svelte.ts'

/** Answers why it was not kept. */
export async function keepOrSay(
  office: Office,
  settings: CounterSettings,
  change: CounterChange
): Promise<AppError | undefined> {
  const error = await settings.keep(change)
  if (error) office.toasts.warn(`That wasn't kept. ${presentError(error).happened}`)
  return error
}
