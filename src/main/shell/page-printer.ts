/**
 * Prints a page that we generate, or makes a PDF of it. Chromium renders it out of sight, with fonts for every language
 * that this computer has. The page has no scripts, no preload and no network; nothing of it is left afterwards.
 */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BrowserWindow, type Session, session } from 'electron'
import { inTurn } from '../core/lib/slices.ts'
import { APP_SCHEME } from '../core/policy/app-pages.ts'
import { FONTS } from '../core/receipts/receipt-page.ts'
import { CONTAINED, guard } from './session-policy.ts'
import { printPage } from './signing-contents.ts'

/** A host of its own: it isn't a page of the application, and may request nothing. */
const ORIGIN = `${APP_SCHEME}://paper`
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src 'self'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store'
}
const FOLDER = join(import.meta.dirname, '../../resources/practice')
const FILES: Readonly<Record<string, string>> = {
  [`/${FONTS.regular}`]: 'public-sans-regular.ttf',
  [`/${FONTS.semibold}`]: 'public-sans-semibold.ttf'
}

export class PagePrinter {
  #session: Session | undefined
  readonly #pages = new Map<string, string>()

  pdf(page: string): Promise<Uint8Array> {
    return this.#render(page, (window) =>
      window.webContents.printToPDF({ printBackground: true, preferCSSPageSize: true })
    )
  }

  /** Prints on the default printer, without a dialog. @throws AppFailure with a message for staff. */
  print(page: string): Promise<void> {
    return this.#render(page, (window) => printPage(window.webContents))
  }

  /** One at a time, as each gets its own window. */
  #render<Answer>(page: string, use: (window: BrowserWindow) => Promise<Answer>): Promise<Answer> {
    return inTurn(this, async () => {
      const id = randomUUID()
      this.#pages.set(`/${id}`, page)
      const window = new BrowserWindow({
        show: false,
        width: 900,
        height: 1200,
        webPreferences: {
          ...CONTAINED,
          session: this.#openSession(),
          spellcheck: false,
          devTools: false,
          disableDialogs: true
        }
      })
      guard(window.webContents, { mayNavigate: () => false })
      try {
        await window.loadURL(`${ORIGIN}/${id}`)
        return await use(window)
      } finally {
        this.#pages.delete(`/${id}`)
        window.destroy()
      }
    })
  }

  /** Created with the first page; without "persist:" it lives in memory. */
  #openSession(): Session {
    if (this.#session) return this.#session
    const made = session.fromPartition('paper')
    made.setSpellCheckerEnabled(false)
    made.protocol.handle(APP_SCHEME, (request) => this.#answer(new URL(request.url).pathname))
    this.#session = made
    return made
  }

  async #answer(path: string): Promise<Response> {
    const page = this.#pages.get(path)
    if (page !== undefined)
      return new Response(page, { headers: { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' } })
    const font = FILES[path]
    if (font === undefined) return new Response(null, { status: 404, headers: HEADERS })
    return new Response(await readFile(join(FOLDER, font)), { headers: { ...HEADERS, 'Content-Type': 'font/ttf' } })
  }
}
