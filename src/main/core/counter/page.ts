/**
 * The signing page of the current turn. There is never more than one; it's visible only when the session says so, and
 * is wiped before another opens. Events of a wiped page are ignored, and no text that comes from a page contains the
 * signing link.
 */
import { RETURN_ADDRESS } from '../../../shared/composition/request.ts'
import type { AppError, PersonLanguage } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
import { redactionOf } from '../lib/redaction.ts'
import { type Time, within } from '../lib/time.ts'
import type { MediaDevice, MediaRight } from '../policy/permissions.ts'
import type { SigningAddress } from '../policy/signing-address.ts'
import type { CounterDeps, SigningTurn, SigningView, SigningViewEvents, ViewBounds } from './deps.ts'
import { TurnFiles } from './turn-files.ts'

/**
 * What the session needs to know about a page: the view's events, and the page's requests for devices, which wait for
 * an answer.
 */
export interface PageEvents extends Omit<SigningViewEvents, 'asksFor'> {
  asksFor(devices: readonly MediaDevice[]): void
  /** It was closed while it waited for an answer. */
  unanswered(): void
}

export interface PageTurn {
  address: Extract<SigningAddress, { ok: true }>
  documentReference: string
  zoom: number
  language: PersonLanguage
  media: () => MediaRight
  files: () => boolean
}

type PageDeps = Pick<CounterDeps, 'openView' | 'allowedOrigins' | 'returnAddressesOf' | 'turnFilesFolder'>

export class Page {
  readonly files: TurnFiles
  readonly #deps: PageDeps
  readonly #cleanup: Cleanup
  readonly #events: PageEvents
  #view: SigningView | undefined
  #bounds: ViewBounds | undefined
  #deviceRequests: ((granted: boolean) => void)[] = []
  /** The number of the page whose events count; each page has its own. */
  #pageNumber = 0

  constructor(deps: PageDeps, cleanup: Cleanup, events: PageEvents) {
    this.#deps = deps
    this.#cleanup = cleanup
    this.#events = events
    this.files = new TurnFiles(deps.turnFilesFolder)
  }

  open({ address, documentReference, zoom, language, media, files }: PageTurn): void {
    if (this.#view || this.#cleanup.isPending()) throw new Error('Another page is still there.')
    const { url, allowedOrigins, practiceOrigin, linkOrigin } = address
    const officeOrigins = this.#deps.allowedOrigins()
    const pageNumber = ++this.#pageNumber
    const isCurrent = () => this.#pageNumber === pageNumber
    const mediaNow = () => (isCurrent() ? media() : 'never')
    const documentAddresses = this.#deps.returnAddressesOf(documentReference)
    const opened = this.#deps.openView({
      url,
      allowedOrigins: [...new Set([...allowedOrigins, ...officeOrigins])],
      returnAddresses: [RETURN_ADDRESS, ...documentAddresses],
      languages: acceptLanguages(language),
      ...(practiceOrigin && { practiceOrigin }),
      ...(linkOrigin && !officeOrigins.includes(linkOrigin) && { linkOrigin }),
      media: mediaNow,
      files: () => isCurrent() && files(),
      events: this.#eventsOf(url, isCurrent, mediaNow, files)
    })
    // The page may have failed while it was being created; then it no longer belongs to the session.
    if (isCurrent()) {
      this.#view = opened
      opened.zoom(zoom)
    } else {
      this.#cleanup.add(opened)
      void this.#cleanup.wipe()
    }
  }

  #eventsOf(
    url: string,
    isCurrent: () => boolean,
    mediaNow: () => MediaRight,
    files: () => boolean
  ): SigningTurn['events'] {
    const events = this.#events
    return {
      loading: () => isCurrent() && events.loading(),
      open: (origin) => isCurrent() && events.open(originOf(origin)),
      returned: () => isCurrent() && events.returned(),
      failed: (error) => isCurrent() && events.failed(errorWithoutLink(error, url)),
      refused: (what, wanted) => isCurrent() && events.refused(hiding(url).hide(what), wanted),
      asksFor: (devices, give) => {
        const right = mediaNow()
        if (right !== 'ask') return give(right === 'yes')
        this.#deviceRequests.push(give)
        events.asksFor(devices)
      },
      asksForFile: (accept) => isCurrent() && files() && events.asksForFile(accept),
      granted: (devices) => isCurrent() && events.granted(devices),
      otherCamera: () => isCurrent() && events.otherCamera(),
      touched: () => isCurrent() && events.touched()
    }
  }

  isOpen(): boolean {
    return this.#view !== undefined
  }

  /** Sets where the page is shown, once it may be. */
  setBounds(at: ViewBounds): void {
    this.#bounds = at
  }

  /** Shows the page, if its bounds are known. */
  reveal(): void {
    if (this.#bounds) this.#view?.show(this.#bounds)
  }

  hide(): void {
    this.#view?.hide()
  }

  zoom(factor: number): void {
    this.#view?.zoom(factor)
  }

  /** Sets the language that the person reads. The page isn't reloaded: only its next requests ask for this language. */
  setLanguage(language: PersonLanguage): void {
    this.#view?.setLanguages(acceptLanguages(language))
  }

  answer(granted: boolean): void {
    const waiting = this.#deviceRequests
    this.#deviceRequests = []
    for (const one of waiting) one(granted)
  }

  /**
   * Gives the page a copy of a file.
   * @param beforeGiving called right before the page gets the file; if it throws, the page doesn't get it.
   * @param onRefused called if the page then didn't take the file.
   * @throws AppFailure as `TurnFiles.copy`; `gone` if the page no longer asks; and what `beforeGiving` throws.
   */
  async giveFile(id: string, beforeGiving: () => void, onRefused: () => void): Promise<void> {
    const view = this.#view
    const path = await this.files.copy(id)
    if (!view || view !== this.#view) fail('gone', 'The page no longer asks for a file.')
    beforeGiving()
    try {
      await view.giveFile(path)
    } catch (error) {
      onRefused()
      throw error
    }
  }

  async print(): Promise<void> {
    await this.#view?.print()
  }

  async pdf(): Promise<Uint8Array | undefined> {
    return this.#view?.pdf()
  }

  /**
   * Takes the page out of sight at once and destroys it. Returns whether nothing of it, or of an earlier page, is left;
   * if something is, call it again.
   */
  wipe(): Promise<boolean> {
    const closed = this.#view
    this.#view = undefined
    this.#bounds = undefined
    this.#pageNumber++
    closed?.hide()
    const isUnanswered = this.#deviceRequests.length > 0
    this.answer(false)
    if (closed) this.#cleanup.add(closed)
    const wiping = this.#wipeAll()
    if (isUnanswered) this.#events.unanswered()
    return wiping
  }

  /** Destroys the page first, as it may have a file open. */
  async #wipeAll(): Promise<boolean> {
    const isPageWiped = await this.#cleanup.wipe()
    return (await this.files.wipe()) && isPageWiped
  }
}

/**
 * Returns the zoom for someone who wants larger text than the office's. At most 2, unless the office's is larger: our
 * pages are designed for no more.
 */
export function enlargedZoom(officeZoom: number, textSize: number): number {
  return Math.max(officeZoom, Math.min(officeZoom * textSize, 2))
}

/** The Accept-Language value, best first. English is the fallback if a service lacks the language. */
function acceptLanguages(language: PersonLanguage): string {
  if (language === 'en') return 'en-NZ,en'
  return language === 'zh-Hans' ? 'zh-Hans,zh-CN,zh,en' : `${language},en`
}

/** The longest to wait for a page to end, however it resists, in milliseconds. */
const WIPE_TIMEOUT = 10_000

/**
 * Closed signing pages of which something may be left. They outlive their session: no other page opens before they are
 * gone.
 */
export class Cleanup {
  readonly #time: Time
  readonly #remaining = new Set<SigningView>()

  constructor(time: Time) {
    this.#time = time
  }

  /** Whether something of a page may be left. */
  isPending(): boolean {
    return this.#remaining.size > 0
  }

  /** Adds a page to be destroyed. */
  add(view: SigningView): void {
    this.#remaining.add(view)
  }

  /** Destroys the pages that are left. Returns whether none remains; if one does, call it again. */
  async wipe(): Promise<boolean> {
    const all = [...this.#remaining]
    await within(WIPE_TIMEOUT, Promise.all(all.map((view) => this.#destroy(view))), this.#time)
    return !all.some((view) => this.#remaining.has(view))
  }

  async #destroy(view: SigningView): Promise<void> {
    try {
      await view.destroy()
      this.#remaining.delete(view)
    } catch {
      // Something may be left; the next wipe tries again.
    }
  }
}

/** Reduces what the view reported to scheme and host. */
function originOf(reported: string | undefined): string | undefined {
  const origin = reported !== undefined && URL.canParse(reported) ? new URL(reported).origin : 'null'
  return origin === 'null' ? undefined : origin
}

/**
 * Removes the signing link from an error, in whole and in any part that would let someone sign: anyone who has the link
 * can sign.
 */
export function errorWithoutLink(error: AppError, link: string): AppError {
  const { hide } = hiding(link)
  const { message, next, serviceMessage, path, fields } = error
  return {
    ...error,
    message: hide(message),
    ...(next !== undefined && { next: hide(next) }),
    ...(serviceMessage !== undefined && { serviceMessage: hide(serviceMessage) }),
    ...(path !== undefined && { path: hide(path) }),
    ...(fields && { fields: fields.map((one) => ({ field: hide(one.field), message: hide(one.message) })) })
  }
}

/** These texts need no reference of a document, so even short parts are hidden. */
const hiding = (link: string) => redactionOf([link], { mark: '…', hidesShortParts: true })
