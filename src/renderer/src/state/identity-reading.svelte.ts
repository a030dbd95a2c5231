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
const TOLD_EVERY = 20_000

/** A picture that is loading, loaded or unavailable. */
export type PictureAddress =
  | { state: 'coming' }
  | { state: 'there'; url: string }
  | { state: 'failed'; error: AppError }

type Addresses = Pick<typeof URL, 'createObjectURL' | 'revokeObjectURL'>

export class OpenIdentity {
  readonly reference: string
  readonly reading = new Action<IdentityReading>()
  readonly saving = new Action<SavedFile | null>()
  #cleared = $state<IdentityClearing>()
  readonly #pictures = new SvelteMap<string, PictureAddress>()
  readonly #api: Api
  readonly #clock: Clock
  readonly #addresses: Addresses
  #toldAt = Number.NEGATIVE_INFINITY
  #isLeft = false

  constructor(api: Api, reference: string, clock: Clock, addresses: Addresses = URL) {
    this.#api = api
    this.#clock = clock
    this.#addresses = addresses
    this.reference = reference
  }

  /** Why the check was wiped. Undefined once it is loaded again. */
  get cleared() {
    return this.#cleared
  }

  /** Loads the check, or loads it again. */
  async load(): Promise<void> {
    if (this.reading.busy) return
    this.#drop()
    this.#cleared = undefined
    const value = await this.reading.run(() => this.#api.identity.read({ reference: this.reference }))
    this.#toldAt = this.#clock.monotonic()
    // The page was left during the load: nothing will use the result any more.
    if (value && this.#isLeft) this.#drop()
  }

  /** Returns a picture as a URL for this page. It is loaded by `need`. */
  picture(record: number, name: IdentityPictureName): PictureAddress {
    return this.#pictures.get(`${record} ${name}`) ?? { state: 'coming' }
  }

  /** Loads a picture, once. */
  async need(record: number, name: IdentityPictureName): Promise<void> {
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
    this.#pictures.set(key, { state: 'there', url: this.#addresses.createObjectURL(new Blob([bytes], { type })) })
  }

  async save(record: number, name: IdentityPictureName): Promise<SavedFile | null | undefined> {
    const reading = this.reading.value?.id
    if (reading === undefined) return undefined
    return this.saving.run(() => this.#api.identity.savePicture({ reading, record, name }))
  }

  /** Reports that someone is using the page, so that the check isn't wiped. */
  used(): void {
    const reading = this.reading.value?.id
    const now = this.#clock.monotonic()
    if (reading === undefined || now - this.#toldAt < TOLD_EVERY) return
    this.#toldAt = now
    void settled(this.#api.identity.keep({ reading })).then((answer) => {
      if (!answer.ok && answer.error.code === 'gone') this.#wasCleared(reading, 'idle')
    })
  }

  /** Follows wipes by the main process. Returns a function to call when the page is left. */
  open(): () => void {
    const stop = this.#api.on('identity.cleared', ({ reading, why }) => this.#wasCleared(reading, why))
    return () => {
      stop()
      this.#isLeft = true
      this.#drop()
    }
  }

  #wasCleared(reading: string, why: IdentityClearing): void {
    if (this.reading.value?.id !== reading) return
    this.#cleared = why
    this.#drop()
  }

  /** Drops the check here and in the main process. */
  #drop(): void {
    const reading = this.reading.value?.id
    for (const picture of this.#pictures.values()) {
      if (picture.state === 'there') this.#addresses.revokeObjectURL(picture.url)
    }
    this.#pictures.clear()
    this.saving.clear()
    if (reading === undefined) return
    this.reading.clear()
    if (this.#cleared === undefined) void settled(this.#api.identity.close({ reading }))
  }
}
