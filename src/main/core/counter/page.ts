/**
 * The signing page of the turn that runs. There is never more than one, it is seen only where the session says so, and it is
 * wiped before another is opened. What a page tells after it was wiped is not heard.
 */
import { RETURN_ADDRESS } from '../../../shared/composition/request.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import type { SigningAddress } from '../policy/signing-address.ts'
import type { CounterEffects } from './counter-effects.ts'
import { errorWithoutLink, withoutLink } from './hidden-link.ts'
import type { MediaDevice, MediaRight, SigningView, ViewBounds } from './signing-view.ts'

/** However a page resists, nobody waits for its end longer, in milliseconds. */
const LONGEST_WIPE = 10_000

/** What a page does that the session has to know of. No text of it holds the signing link. */
export interface PageHappenings {
  loading(): void
  open(): void
  returned(): void
  failed(error: AppError): void
  refused(what: string): void
  /** It waits for an answer: `answer` gives it. */
  asksFor(devices: readonly MediaDevice[]): void
  touched(): void
}

export interface PageTurn {
  address: Extract<SigningAddress, { ok: true }>
  documentReference: string
  zoom: number
  media: () => MediaRight
}

export type Page = ReturnType<typeof openPage>

type PageEffects = Pick<CounterEffects, 'openView' | 'allowedOrigins' | 'returnAddressOf' | 'schedule' | 'describe'>

export function openPage(effects: PageEffects, happened: PageHappenings) {
  let view: SigningView | undefined
  let bounds: ViewBounds | undefined
  let questions: ((granted: boolean) => void)[] = []
  /** A page that is closed, until nothing of it is left. */
  let leftover: SigningView | undefined
  /** Which page is heard; each has a number of its own. */
  let heard = 0

  function answer(granted: boolean): void {
    const waiting = questions
    questions = []
    for (const one of waiting) one(granted)
  }

  async function ended(): Promise<boolean> {
    const closed = leftover
    if (!closed) return true
    const isWiped = await settled(closed.destroy(), effects.schedule)
    if (isWiped && leftover === closed) leftover = undefined
    return isWiped
  }

  function open({ address, documentReference, zoom, media }: PageTurn): void {
    if (view || leftover) throw new Error('Another page is there still.')
    const { url, allowedOrigins, practiceOrigin } = address
    const mine = ++heard
    const isHeard = () => heard === mine
    const own = effects.returnAddressOf(documentReference)
    const opened = effects.openView({
      url,
      allowedOrigins: [...new Set([...allowedOrigins, ...effects.allowedOrigins()])],
      returnAddresses: own ? [RETURN_ADDRESS, own] : [RETURN_ADDRESS],
      ...(practiceOrigin && { practiceOrigin }),
      media: () => (isHeard() ? media() : 'never'),
      events: {
        loading: () => isHeard() && happened.loading(),
        open: () => isHeard() && happened.open(),
        returned: () => isHeard() && happened.returned(),
        failed: (error) => isHeard() && happened.failed(errorWithoutLink(error, url)),
        refused: (what) => isHeard() && happened.refused(withoutLink(what, url)),
        asksFor(devices, give) {
          const right = isHeard() ? media() : 'never'
          if (right !== 'ask') return give(right === 'yes')
          questions.push(give)
          happened.asksFor(devices)
        },
        touched: () => isHeard() && happened.touched()
      }
    })
    // It may have failed while it was being made: then it is not the session's any more.
    if (isHeard()) {
      view = opened
      opened.zoom(zoom)
    } else {
      leftover = opened
      void ended()
    }
  }

  return {
    open,
    isThere: (): boolean => view !== undefined,

    /** Where the page is to be seen, once it may be. */
    place(at: ViewBounds): void {
      bounds = at
    },
    /** Shows the page, where it is known at which bounds. */
    reveal(): void {
      if (bounds) view?.show(bounds)
    },
    hide: (): void => view?.cover(),
    zoom: (factor: number): void => view?.zoom(factor),

    /** Answers what the page waits for. */
    answer,

    print: async (): Promise<void> => view?.print(),
    pdf: async (): Promise<Uint8Array | undefined> => view?.pdf(),

    /**
     * Ends the page, which is out of sight at once. Answers whether nothing of it, or of one before, is left; where
     * something is, it may be called again.
     */
    wipe(): Promise<boolean> {
      const closed = view
      view = undefined
      bounds = undefined
      heard++
      answer(false)
      closed?.cover()
      leftover ??= closed
      return ended()
    }
  }
}

async function settled(ending: Promise<void>, schedule: CounterEffects['schedule']): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const cancel = schedule(() => late.resolve(false), LONGEST_WIPE)
  const isWiped = await Promise.race([ending.then(() => true).catch(() => false), late.promise])
  cancel()
  return isWiped
}
