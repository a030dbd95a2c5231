/**
 * The signing page of the current turn. There is never more than one; it's visible only when the session says so, and
 * is wiped before another opens. Events of a wiped page are ignored, and no text that comes from a page contains the
 * signing link.
 */
import { RETURN_ADDRESS } from '../../../shared/composition/request.ts'
import type { AppError, PersonLanguage } from '../../../shared/contract/index.ts'
import { fail } from '../lib/failure.ts'
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

type PageDeps = Pick<CounterDeps, 'openView' | 'allowedOrigins' | 'returnAddressesOf' | 'filesPlace'>

export class Page {
  /** The files that staff opened for the current turn. */
  readonly files: TurnFiles
  readonly #deps: PageDeps
  readonly #cleanup: Cleanup
  readonly #events: PageEvents
  #view: SigningView | undefined
  #bounds: ViewBounds | undefined
  #questions: ((granted: boolean) => void)[] = []
  /** The number of the page whose events count; each page has its own. */
  #heard = 0

  constructor(deps: PageDeps, cleanup: Cleanup, events: PageEvents) {
    this.#deps = deps
    this.#cleanup = cleanup
    this.#events = events
    this.files = new TurnFiles(deps.filesPlace)
  }

  open({ address, documentReference, zoom, language, media, files }: PageTurn): void {
    if (this.#view || this.#cleanup.isPending()) throw new Error('Another page is still there.')
    const { url, allowedOrigins, practiceOrigin, linkOrigin } = address
    const ofTheOffice = this.#deps.allowedOrigins()
    const mine = ++this.#heard
    const isHeard = () => this.#heard === mine
    const mediaNow = () => (isHeard() ? media() : 'never')
    const own = this.#deps.returnAddressesOf(documentReference)
    const opened = this.#deps.openView({
      url,
      allowedOrigins: [...new Set([...allowedOrigins, ...ofTheOffice])],
      returnAddresses: [RETURN_ADDRESS, ...own],
      languages: acceptLanguages(language),
      ...(practiceOrigin && { practiceOrigin }),
      ...(linkOrigin && !ofTheOffice.includes(linkOrigin) && { linkOrigin }),
      media: mediaNow,
      files: () => isHeard() && files(),
      events: this.#eventsOf(url, isHeard, mediaNow, files)
    })
    // The page may have failed while it was being created; then it no longer belongs to the session.
    if (isHeard()) {
      this.#view = opened
      opened.zoom(zoom)
    } else {
      this.#cleanup.add(opened)
      void this.#cleanup.wipe()
    }
  }

  #eventsOf(
    url: string,
    isHeard: () => boolean,
    mediaNow: () => MediaRight,
    files: () => boolean
  ): SigningTurn['events'] {
    const events = this.#events
    return {
      loading: () => isHeard() && events.loading(),
      open: (origin) => isHeard() && events.open(originOf(origin)),
      returned: () => isHeard() && events.returned(),
      failed: (error) => isHeard() && events.failed(errorWithoutLink(error, url)),
      refused: (what, wanted) => isHeard() && events.refused(withoutLink(what, url), wanted),
      asksFor: (devices, give) => {
        const right = mediaNow()
        if (right !== 'ask') return give(right === 'yes')
        this.#questions.push(give)
        events.asksFor(devices)
      },
      asksForFile: (accept) => isHeard() && files() && events.asksForFile(accept),
      granted: (devices) => isHeard() && events.granted(devices),
      otherCamera: () => isHeard() && events.otherCamera(),
      touched: () => isHeard() && events.touched()
    }
  }

  isThere(): boolean {
    return this.#view !== undefined
  }

  /** Sets where the page is shown, once it may be. */
  place(at: ViewBounds): void {
    this.#bounds = at
  }

  /** Shows the page, if its bounds are known. */
  reveal(): void {
    if (this.#bounds) this.#view?.show(this.#bounds)
  }

  hide(): void {
    this.#view?.cover()
  }

  zoom(factor: number): void {
    this.#view?.zoom(factor)
  }

  /** Sets the language that the person reads. The page isn't reloaded: only its next requests ask for this language. */
  speak(language: PersonLanguage): void {
    this.#view?.speak(acceptLanguages(language))
  }

  /** Answers the page's pending requests for devices. */
  answer(granted: boolean): void {
    const waiting = this.#questions
    this.#questions = []
    for (const one of waiting) one(granted)
  }

  /**
   * Gives the page a copy of a file.
   * @param noted called right before the page gets the file; if it throws, the page doesn't get it.
   * @param refused called if the page then didn't take the file.
   * @throws AppFailure as `TurnFiles.copy`; `gone` if the page no longer asks; and what `noted` throws.
   */
  async giveFile(id: string, noted: () => void, refused: () => void): Promise<void> {
    const view = this.#view
    const path = await this.files.copy(id)
    if (!view || view !== this.#view) fail('gone', 'The page no longer asks for a file.')
    noted()
    try {
      await view.giveFile(path)
    } catch (error) {
      refused()
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
    this.#heard++
    closed?.cover()
    const isUnanswered = this.#questions.length > 0
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
export function enlarged(ofOffice: number, textSize: number): number {
  return Math.max(ofOffice, Math.min(ofOffice * textSize, 2))
}

/** The Accept-Language value, best first. English is the fallback if a service lacks the language. */
function acceptLanguages(language: PersonLanguage): string {
  if (language === 'en') return 'en-NZ,en'
  return language === 'zh-Hans' ? 'zh-Hans,zh-CN,zh,en' : `${language},en`
}

/** The longest to wait for a page to end, however it resists, in milliseconds. */
const LONGEST_WIPE = 10_000

/**
 * Closed signing pages of which something may be left. They outlive their session: no other page opens before they are
 * gone.
 */
export class Cleanup {
  readonly #time: Time
  readonly #left = new Set<SigningView>()

  constructor(time: Time) {
    this.#time = time
  }

  /** Whether something of a page may be left. */
  isPending(): boolean {
    return this.#left.size > 0
  }

  /** Adds a page to be destroyed. */
  add(view: SigningView): void {
    this.#left.add(view)
  }

  /** Destroys the pages that are left. Returns whether none remains; if one does, call it again. */
  async wipe(): Promise<boolean> {
    const all = [...this.#left]
    await within(LONGEST_WIPE, Promise.all(all.map((view) => this.#destroy(view))), this.#time)
    return !all.some((view) => this.#left.has(view))
  }

  async #destroy(view: SigningView): Promise<void> {
    try {
      await view.destroy()
      this.#left.delete(view)
    } catch {
      // Something may be left; the next wipe tries again.
    }
  }
}

/** Reduces what the view reported to scheme and host. */
function originOf(told: string | undefined): string | undefined {
  const origin = told !== undefined && URL.canParse(told) ? new URL(told).origin : 'null'
  return origin === 'null' ? undefined : origin
}

const HIDDEN = '…'
/**
 * In characters. A shorter part of an address may occur inside an ordinary word: it's hidden only where it stands
 * alone, and only if it doesn't look like a word itself.
 */
const SHORTEST_SECRET = 12
const SHORTEST_KEY = 4

/**
 * Removes the signing link from an error, in whole and in any part that would let someone sign: anyone who has the link
 * can sign.
 */
export function errorWithoutLink(error: AppError, link: string): AppError {
  const { message, next, serviceMessage, path, fields } = error
  return {
    ...error,
    message: withoutLink(message, link),
    ...(next !== undefined && { next: withoutLink(next, link) }),
    ...(serviceMessage !== undefined && { serviceMessage: withoutLink(serviceMessage, link) }),
    ...(path !== undefined && { path: withoutLink(path, link) }),
    ...(fields && {
      fields: fields.map((one) => ({ field: withoutLink(one.field, link), message: withoutLink(one.message, link) }))
    })
  }
}

function withoutLink(text: string, link: string): string {
  let hidden = text
  for (const secret of secretsOf(link)) hidden = hidden.replaceAll(isLong(secret) ? secret : alone(secret), HIDDEN)
  return hidden
}

const isLong = (part: string) => part.length >= SHORTEST_SECRET
/** Contains a digit or a capital after a lower-case letter, so it isn't an ordinary word. */
const isShortKey = (part: string) => part.length >= SHORTEST_KEY && /\d|[a-z][A-Z]/.test(part)

function alone(part: string): RegExp {
  const written = part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}])${written}(?![\\p{L}\\p{N}])`, 'gu')
}

/** Longest first, so that nothing of a longer part remains. */
function secretsOf(link: string): string[] {
  const parts = [link.trim()]
  if (URL.canParse(link)) {
    const url = new URL(link)
    parts.push(url.href, url.href.slice(url.origin.length), url.search.slice(1), url.hash.slice(1))
    parts.push(...url.pathname.split('/'), ...url.searchParams.values())
  }
  const secrets = [...new Set(parts)].filter((part) => isLong(part) || isShortKey(part))
  return secrets.sort((one, other) => other.length - one.length)
}
