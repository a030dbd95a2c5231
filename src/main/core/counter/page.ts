/**
 * The signing page of the turn that runs. There is never more than one, it is seen only where the session says so, and it is
 * wiped before another is opened. What a page tells after it was wiped is not heard.
 */
import { RETURN_ADDRESS } from '../../../shared/composition/request.ts'
import type { AppError } from '../../../shared/contract/index.ts'
import type { SigningAddress } from '../policy/signing-address.ts'
import type { Cleanup } from './cleanup.ts'
import type { CounterDeps } from './deps.ts'
import { errorWithoutLink, withoutLink } from './hidden-link.ts'
import type { MediaDevice, MediaRight, SigningView, ViewBounds } from './signing-view.ts'

/** What a page does that the session has to know of. No text of it holds the signing link. */
export interface PageHappenings {
  loading(): void
  /** @param origin of what is shown, where it is known */
  open(origin?: string): void
  returned(): void
  failed(error: AppError): void
  refused(what: string): void
  /** It waits for an answer: `answer` gives it. */
  asksFor(devices: readonly MediaDevice[]): void
  /** It was closed while it waited. */
  unanswered(): void
  granted(devices: readonly MediaDevice[]): void
  touched(): void
}

export interface PageTurn {
  address: Extract<SigningAddress, { ok: true }>
  documentReference: string
  zoom: number
  media: () => MediaRight
}

export type Page = ReturnType<typeof openPage>

type PageEffects = Pick<CounterDeps, 'openView' | 'allowedOrigins' | 'returnAddressOf'>

export function openPage(effects: PageEffects, leftovers: Cleanup, happened: PageHappenings) {
  let view: SigningView | undefined
  let bounds: ViewBounds | undefined
  let questions: ((granted: boolean) => void)[] = []
  /** Which page is heard; each has a number of its own. */
  let heard = 0

  function answer(granted: boolean): void {
    const waiting = questions
    questions = []
    for (const one of waiting) one(granted)
  }

  function open({ address, documentReference, zoom, media }: PageTurn): void {
    if (view || leftovers.isThere()) throw new Error('Another page is there still.')
    const { url, allowedOrigins, practiceOrigin, linkOrigin } = address
    const ofTheOffice = effects.allowedOrigins()
    const mine = ++heard
    const isHeard = () => heard === mine
    const own = effects.returnAddressOf(documentReference)
    const opened = effects.openView({
      url,
      allowedOrigins: [...new Set([...allowedOrigins, ...ofTheOffice])],
      returnAddresses: own ? [RETURN_ADDRESS, own] : [RETURN_ADDRESS],
      ...(practiceOrigin && { practiceOrigin }),
      ...(linkOrigin && !ofTheOffice.includes(linkOrigin) && { linkOrigin }),
      media: () => (isHeard() ? media() : 'never'),
      events: {
        loading: () => isHeard() && happened.loading(),
        open: (origin) => isHeard() && happened.open(originOf(origin)),
        returned: () => isHeard() && happened.returned(),
        failed: (error) => isHeard() && happened.failed(errorWithoutLink(error, url)),
        refused: (what) => isHeard() && happened.refused(withoutLink(what, url)),
        asksFor(devices, give) {
          const right = isHeard() ? media() : 'never'
          if (right !== 'ask') return give(right === 'yes')
          questions.push(give)
          happened.asksFor(devices)
        },
        granted: (devices) => isHeard() && happened.granted(devices),
        touched: () => isHeard() && happened.touched()
      }
    })
    // It may have failed while it was being made: then it is not the session's any more.
    if (isHeard()) {
      view = opened
      opened.zoom(zoom)
    } else {
      leftovers.add(opened)
      void leftovers.wipe()
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
      closed?.cover()
      const isUnanswered = questions.length > 0
      answer(false)
      if (closed) leftovers.add(closed)
      const wiping = leftovers.wipe()
      if (isUnanswered) happened.unanswered()
      return wiping
    }
  }
}

/** No more than scheme and host, whatever was told. */
function originOf(told: string | undefined): string | undefined {
  const origin = told !== undefined && URL.canParse(told) ? new URL(told).origin : 'null'
  return origin === 'null' ? undefined : origin
}
