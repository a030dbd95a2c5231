/**
 * A turn's camera and microphone grants and pending requests. Staff is asked one question at a time; after a refusal, a
 * page can't ask again right away. All grants end with the turn.
 */
import type { SigningScope } from './navigation.ts'
import { decidePermission, devicesOf, type MediaDevice, type MediaRight, type PermissionQuery } from './permissions.ts'

export interface MediaEffects {
  /** Monotonic clock, in milliseconds. */
  now(): number
  ask(devices: readonly MediaDevice[], answer: (granted: boolean) => void): void
  /** Called when the page gets some devices for the first time. */
  granted(devices: readonly MediaDevice[]): void
  /** Whether the system allows this application to use the devices; it may prompt the user. */
  systemAllows(devices: readonly MediaDevice[]): Promise<boolean>
}

interface PendingRequest {
  query: PermissionQuery
  grant(granted: boolean): void
}

/** How long after a refusal further requests are refused without asking, in milliseconds. */
export const QUIET_MS = 10_000

export class MediaGrants {
  readonly #scope: SigningScope
  readonly #media: () => MediaRight
  readonly #effects: MediaEffects
  readonly #granted = new Set<string>()
  #pending: PendingRequest[] = []
  #question: readonly MediaDevice[] | undefined
  #quietUntil = Number.NEGATIVE_INFINITY
  #hasEnded = false

  constructor(scope: SigningScope, media: () => MediaRight, effects: MediaEffects) {
    this.#scope = scope
    this.#media = media
    this.#effects = effects
  }

  /**
   * Handles a page's request.
   * @returns false if refused at once; `grant` is not called then. Otherwise it is called once, now or later.
   */
  request(query: PermissionQuery, grant: (granted: boolean) => void): boolean {
    const decision = this.#decide(query)
    if (decision === 'refuse') return false
    if (decision === 'grant') this.#conclude({ query, grant })
    else if (this.#effects.now() < this.#quietUntil) return false
    else this.#enqueue({ query, grant })
    return true
  }

  /** Whether the page already has the devices. Until then, it only learns that some exist. */
  isGranted(query: PermissionQuery): boolean {
    if (this.#decide(query) === 'refuse') return false
    return keysOf(query).every((key) => this.#granted.has(key))
  }

  /** Refuses all pending requests, and everything from now on. */
  end(): void {
    this.#hasEnded = true
    this.#granted.clear()
    this.#question = undefined
    for (const { grant } of this.#pending.splice(0)) grant(false)
  }

  #decide(query: PermissionQuery) {
    return this.#hasEnded ? 'refuse' : decidePermission(query, this.#scope, this.#media())
  }

  #enqueue(request: PendingRequest): void {
    this.#pending.push(request)
    if (this.#question) return
    const question = devicesOf(request.query.mediaTypes) ?? []
    this.#question = question
    this.#effects.ask(question, (granted) => {
      // An answer to an earlier question doesn't apply to this one.
      if (this.#question === question) this.#applyAnswer(question, granted)
    })
  }

  #applyAnswer(question: readonly MediaDevice[], granted: boolean): void {
    this.#question = undefined
    const pending = this.#pending.splice(0)
    if (!granted) {
      this.#quietUntil = this.#effects.now() + QUIET_MS
      for (const { grant } of pending) grant(false)
      return
    }
    for (const each of pending) {
      // A page that requested more than staff was asked about has to ask again.
      const isCovered = devicesOf(each.query.mediaTypes)?.every((device) => question.includes(device))
      if (isCovered && this.#decide(each.query) !== 'refuse') this.#conclude(each)
      else if (!this.request(each.query, each.grant)) each.grant(false)
    }
  }

  #conclude({ query, grant }: PendingRequest): void {
    this.#effects.systemAllows(devicesOf(query.mediaTypes) ?? []).then(
      (isAllowed) => {
        const isGranted = isAllowed && this.#decide(query) !== 'refuse'
        const isNew = isGranted && !keysOf(query).every((key) => this.#granted.has(key))
        if (isGranted) for (const key of keysOf(query)) this.#granted.add(key)
        grant(isGranted)
        if (isNew) this.#effects.granted(devicesOf(query.mediaTypes) ?? [])
      },
      () => grant(false)
    )
  }
}

function keysOf({ url, mediaTypes }: PermissionQuery): string[] {
  return (devicesOf(mediaTypes) ?? []).map((device) => `${device} ${new URL(url).origin}`)
}
