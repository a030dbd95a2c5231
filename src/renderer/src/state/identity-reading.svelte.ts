/**
 * One document's identity check while its page is open: the records, and its pictures as object URLs of this page. All
 * of it is dropped when the page is left, and whenever the main process reports that it was wiped.
 */
import { SvelteMap } from 'svelte/reactivity'
import type { AppError } from '../../../shared/contract/errors.ts'
import type {
  IdentityClearing,
  IdentityPictureName,
  IdentityReading,
  SavedFile
} from '../../../shared/contract/views.ts'
import { type Api, settled } from '../api.ts'
import { Action } from './action.svelte.ts'
import type { Clock } from './clock.ts'

/** Minimum milliseconds between reports that someone is using the page. */
const KEEP_ALIVE_INTERVAL = 20_000

/** A picture that is loading, loaded or unavailable. */
export type PictureState = { state: 'coming' } | { state: 'there'; url: string } | { state: 'failed'; error: AppError }

export class OpenIdentity {
  readonly reference: string
  readonly reading = new Action<IdentityReading>()
  readonly saving = new Action<SavedFile | null>()
  #clearedReason = $state<IdentityClearing>()
  readonly #pictures = new SvelteMap<string, PictureState>()
  readonly #api: Api
  readonly #clock: Clock
  #keptAliveAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(api: Api, reference: string, clock: Clock) {
    this.#api = api
    this.#clock = clock
    this.reference = reference
  }

  /** Why the check was wiped. Undefined once it is loaded again. */
  get clearedReason() {
    return this.#clearedReason
  }

  /** Loads the check, or loads it again. */
  async load(): Promise<void> {
    if (this.reading.busy) return
    this.#drop()
    this.#clearedReason = undefined
    const value = await this.reading.run(() => this.#api.identity.read({ reference: this.reference }))
    this.#keptAliveAt = this.#clock.monotonic()
    // The page was left during the load: nothing will use the result any more.
    if (value && this.#isClosed) this.#drop()
  }

  /** Returns a picture as a URL for this page. It is loaded by `loadPicture`. */
  picture(record: number, name: IdentityPictureName): PictureState {
    return this.#pictures.get(`${record} ${name}`) ?? { state: 'coming' }
  }

  /** Loads a picture, once. */
  async loadPicture(record: number, name: IdentityPictureName): Promise<void> {
    const reading = this.reading.value?.id
    const key = `${record} ${name}`
    if (reading === undefined || this.#pictures.has(key)) return
    this.#pictures.set(key, { state: 'coming' })
    const answer = await settled(this.#api.identity.picture({ reading, record, name }))
    if (this.reading.value?.id !== reading) return
    if (!answer.ok) {
      this.#pictures.set(key, { state: 'failed', error: answer.error })
      return
    }
    const { type, bytes } = answer.value
    this.#pictures.set(key, { state: 'there', url: URL.createObjectURL(new Blob([bytes], { type })) })
  }

  async save(record: number, name: IdentityPictureName): Promise<SavedFile | null | undefined> {
    const reading = this.reading.value?.id
    if (reading === undefined) return undefined
    return this.saving.run(() => this.#api.identity.savePicture({ reading, record, name }))
  }

  /** Reports that someone is using the page, so that the check isn't wiped. */
  keepAlive(): void {
    const reading = this.reading.value?.id
    const now = this.#clock.monotonic()
    if (reading === undefined || now - this.#keptAliveAt < KEEP_ALIVE_INTERVAL) return
    this.#keptAliveAt = now
    void settled(this.#api.identity.keep({ reading })).then((answer) => {
      if (!answer.ok && answer.error.code === 'gone') this.#onCleared(reading, 'idle')
    })
  }

  /** Follows wipes by the main process. Returns a function to call when the page is left. */
  open(): () => void {
    const stop = this.#api.on('identity.cleared', ({ reading, why }) => this.#onCleared(reading, why))
    return () => {
      stop()
      this.#isClosed = true
      this.#drop()
    }
  }

  #onCleared(reading: string, why: IdentityClearing): void {
    if (this.reading.value?.id !== reading) return
    this.#clearedReason = why
    this.#drop()
  }

  /** Drops the check here and in the main process. */
  #drop(): void {
    const reading = this.reading.value?.id
    for (const picture of this.#pictures.values()) {
      if (picture.state === 'there') URL.revokeObjectURL(picture.url)
    }
    this.#pictures.clear()
    this.saving.clear()
    if (reading === undefined) return
    this.reading.clear()
    if (this.#clearedReason === undefined) void settled(this.#api.identity.close({ reading }))
  }
}
