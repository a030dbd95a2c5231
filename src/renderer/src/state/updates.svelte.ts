/** Updates of Countersign itself, for the screens that show them. */
import type { UpdatesView } from '../../../shared/contract/updates.ts'
import { Action } from './action.svelte.ts'
import type { AppState } from './app-state.svelte.ts'
import { Resource } from './resource.svelte.ts'

const WEEK = 7 * 86_400_000

class AppUpdates extends Resource<UpdatesView> {
  readonly installing = new Action<void>()
  readonly #app: Pick<AppState, 'api' | 'clock'>

  constructor(app: Pick<AppState, 'api' | 'clock'>) {
    super(() => app.api.updates.get())
    this.#app = app
  }

  /** The age of this version in whole weeks. Undefined if unknown. */
  get weeksOld(): number | undefined {
    const builtAt = this.value?.builtAt
    return builtAt === undefined ? undefined : Math.max(0, Math.floor((this.#app.clock.now() - builtAt) / WEEK))
  }

  /** Quits the application, which restarts as the update. */
  install(): Promise<void> {
    return this.installing.run(() => this.#app.api.updates.install())
  }
}

/** Loads the updates and follows them for the life of the component. Call it during component initialisation. */
export function useUpdates(app: Pick<AppState, 'api' | 'clock'>): AppUpdates {
  return new AppUpdates(app).whileShown(app.api, 'updates.changed')
}
