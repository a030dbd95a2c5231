/** The office's counter settings and the state of its staff PIN. Changes are saved immediately, one after the other. */

import { untrack } from 'svelte'
import type { AppError, Result } from '../../../../shared/contract/errors.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { CounterSettings as CounterSettingsView, PinState, StaffView } from '../../../../shared/contract/views.ts'
import { type Api, settled, together } from '../../api.ts'
import type { AppState } from '../../state/app-state.svelte.ts'
import { Pending } from '../../state/pending.svelte.ts'
import { Resource } from '../../state/resource.svelte.ts'

type CounterChange = Input<'counter.configure'>

export class CounterSettings {
  readonly #api: Api
  readonly #warn: (sentence: string) => void
  readonly #view: Resource<CounterSettingsView>
  readonly pin: Resource<PinState>
  /** The staff members, and whether the settings can be changed. */
  readonly staff: Resource<StaffView>
  /**
   * An administrator's PIN is being asked for: on request, or because a change was refused as the settings had locked
   * again.
   */
  isUnlocking = $state(false)
  readonly #pendingChanges = new Pending<Partial<CounterSettingsView>>()

  /** Loads everything and follows it for the life of the component. Create it during component initialisation. */
  constructor({ api, toasts }: AppState) {
    this.#api = api
    this.#warn = (sentence) => toasts.warn(sentence)
    this.#view = new Resource(() => api.counter.settings())
    this.pin = new Resource(() => api.counter.pin())
    this.staff = new Resource(() => api.counter.staffList())
    $effect(() => untrack(() => this.#open()))
  }

  get view(): CounterSettingsView | undefined {
    return this.#view.value && { ...this.#view.value, ...this.#pendingChanges.value }
  }
  get error() {
    return this.#view.error
  }

  /** An administrator's PIN unlocks the settings. */
  get isLocked() {
    return this.staff.value?.settings === 'locked'
  }

  /**
   * Loads everything and subscribes to changes. Also reloads on focus: displays are plugged in, and a PIN may become
   * resettable once the computer is unlocked.
   */
  #open(): () => void {
    const load = () => void this.load()
    load()
    window.addEventListener('focus', load)
    return together(
      () => window.removeEventListener('focus', load),
      this.#api.on('settings.changed', load),
      this.#api.on('counter.changed', load),
      this.#api.on('audit.changed', this.pin.scheduleReload)
    )
  }

  async load(): Promise<void> {
    await Promise.all([this.#view.load(), this.pin.load(), this.staff.load()])
  }

  /** Saves a change. If that fails, the view reverts. */
  async save(change: CounterChange): Promise<Result<CounterSettingsView>> {
    const { logo: _logo, ...shown } = change
    const definedChanges = Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))
    const result = await this.#pendingChanges.save({ ...this.#pendingChanges.value, ...definedChanges }, async () => {
      const result = await settled(this.#api.counter.configure(change))
      if (result.ok) this.#view.put(result.value)
      return result
    })
    if (!result.ok) await this.#handleRefusal(result.error)
    return result
  }

  /** Saves a change, and warns if that fails. Returns whether it was saved. */
  async saveOrWarn(change: CounterChange): Promise<boolean> {
    const result = await this.save(change)
    if (!result.ok) this.#warn(`That wasn’t saved. ${result.error.message}`)
    return result.ok
  }

  /** Opens a file dialog for a logo. Returns null if it was cancelled, an error if the picture can't be used. */
  chooseLogo(): Promise<Result<CounterSettingsView | null>> {
    return this.#applyChosen(this.#api.counter.chooseLogo())
  }

  /**
   * Opens a file dialog for pictures for the second display. Returns null if it was cancelled, an error if they can't be
   * used.
   */
  addPictures(): Promise<Result<CounterSettingsView | null>> {
    return this.#applyChosen(this.#api.counter.addPictures())
  }

  async #applyChosen(call: Promise<Result<CounterSettingsView | null>>): Promise<Result<CounterSettingsView | null>> {
    const result = await settled(call)
    if (!result.ok && result.error.code === 'cancelled') return { ok: true, value: null }
    if (!result.ok) await this.#handleRefusal(result.error)
    else if (result.value) this.#view.put(result.value)
    return result
  }

  /** Runs an action on staff or on the settings lock, and shows the resulting state. */
  async administer(act: (counter: Api['counter']) => Promise<Result<StaffView>>): Promise<Result<StaffView>> {
    const result = await settled(act(this.#api.counter))
    if (result.ok) this.staff.put(result.value)
    else await this.#handleRefusal(result.error)
    return result
  }

  /** If the settings have locked meanwhile, shows that and asks for the PIN. */
  async #handleRefusal(error: AppError): Promise<void> {
    if (error.code !== 'not-allowed') return
    await this.staff.load()
    if (this.isLocked) this.isUnlocking = true
  }

  async resetPin(): Promise<Result<PinState>> {
    const result = await settled(this.#api.counter.resetPin())
    if (result.ok) this.pin.put(result.value)
    return result
  }
}
