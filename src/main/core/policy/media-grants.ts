/**
 * A turn's camera and microphone grants and pending requests. Staff is asked one question at a time; after a refusal, a
 * page can't ask again right away. All grants end with the turn.
 */
import type { SigningGround } from './navigation.ts'
import { type AskedPermission, decidePermission, devicesOf, type MediaDevice, type MediaRight } from './permissions.ts'

export interface MediaEffects {
  /** Monotonic clock, in milliseconds. */
  now(): number
  /** Asks staff. */
  ask(devices: readonly MediaDevice[], answer: (granted: boolean) => void): void
  /** Called when the page gets some devices for the first time. */
  granted(devices: readonly MediaDevice[]): void
  /** Whether the system allows this application to use the devices; it may prompt the user. */
  systemAllows(devices: readonly MediaDevice[]): Promise<boolean>
}

interface Waiting {
  asked: AskedPermission
  grant(granted: boolean): void
}

/** How long after a refusal further requests are refused without asking, in milliseconds. */
export const QUIET_MS = 10_000

export class MediaGrants {
  readonly #ground: SigningGround
  readonly #media: () => MediaRight
  readonly #effects: MediaEffects
  readonly #granted = new Set<string>()
  #waiting: Waiting[] = []
  #question: readonly MediaDevice[] | undefined
  #quietUntil = Number.NEGATIVE_INFINITY
  #hasEnded = false

  constructor(ground: SigningGround, media: () => MediaRight, effects: MediaEffects) {
    this.#ground = ground
    this.#media = media
    this.#effects = effects
  }

  /**
   * Handles a page's request.
   * @returns false if refused at once; `grant` is not called then. Otherwise it is called once, now or later.
   */
  request(asked: AskedPermission, grant: (granted: boolean) => void): boolean {
    const decision = this.#decide(asked)
    if (decision === 'refuse') return false
    if (decision === 'grant') this.#settle({ asked, grant })
    else if (this.#effects.now() < this.#quietUntil) return false
    else this.#wait({ asked, grant })
    return true
  }

  /** Whether the page already has the devices. Until then, it only learns that some exist. */
  holds(asked: AskedPermission): boolean {
    if (this.#decide(asked) === 'refuse') return false
    return keysOf(asked).every((key) => this.#granted.has(key))
  }

  /** Refuses all pending requests, and everything from now on. */
  end(): void {
    this.#hasEnded = true
    this.#granted.clear()
    this.#question = undefined
    for (const { grant } of this.#waiting.splice(0)) grant(false)
  }

  #decide(asked: AskedPermission) {
    return this.#hasEnded ? 'refuse' : decidePermission(asked, this.#ground, this.#media())
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (this.#question) return
    const question = devicesOf(waiting.asked.mediaTypes) ?? []
    this.#question = question
    this.#effects.ask(question, (granted) => {
      // An answer to an earlier question doesn't apply to this one.
      if (this.#question === question) this.#answered(question, granted)
    })
  }

  #answered(question: readonly MediaDevice[], granted: boolean): void {
    this.#question = undefined
    const waiting = this.#waiting.splice(0)
    if (!granted) {
      this.#quietUntil = this.#effects.now() + QUIET_MS
      for (const { grant } of waiting) grant(false)
      return
    }
    for (const each of waiting) {
      // A page that requested more than staff was asked about has to ask again.
      const isMeant = devicesOf(each.asked.mediaTypes)?.every((device) => question.includes(device))
      if (isMeant && this.#decide(each.asked) !== 'refuse') this.#settle(each)
      else if (!this.request(each.asked, each.grant)) each.grant(false)
    }
  }

  #settle({ asked, grant }: Waiting): void {
    this.#effects.systemAllows(devicesOf(asked.mediaTypes) ?? []).then(
      (isAllowed) => {
        const isGranted = isAllowed && this.#decide(asked) !== 'refuse'
        const isNew = isGranted && !keysOf(asked).every((key) => this.#granted.has(key))
        if (isGranted) for (const key of keysOf(asked)) this.#granted.add(key)
        grant(isGranted)
        if (isNew) this.#effects.granted(devicesOf(asked.mediaTypes) ?? [])
      },
      () => grant(false)
    )
  }
}

function keysOf({ url, mediaTypes }: AskedPermission): string[] {
  return (devicesOf(mediaTypes) ?? []).map((device) => `${device} ${new URL(url).origin}`)
}
