/** The page itself: how Electron makes it, puts it on paper and ends it. */
import { type Session, type WebContents, WebContentsView } from 'electron'
import { AppFailure } from '../core/lib/failure.ts'
import { notPrinted } from './signing-failure.ts'

const PREFERENCES: Electron.WebPreferences = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  nodeIntegrationInSubFrames: false,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  webviewTag: false,
  plugins: false,
  devTools: false,
  // A box of the system's own lies over our cover, stops our page, and doesn't say whose words it shows.
  disableDialogs: true,
  navigateOnDragDrop: false,
  spellcheck: false,
  // A page that moves on would take the keyboard each time, from the clerk's own window, too.
  focusOnNavigation: false,
  autoplayPolicy: 'document-user-activation-required'
}

/** A page without a document, out of sight and silent. */
export function makeSigningContents(session: Session): WebContentsView {
  const view = new WebContentsView({ webPreferences: { session, ...PREFERENCES } })
  const { webContents } = view
  webContents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  // The keys of our menu are the clerk's, not those of the person who sits here now.
  webContents.setIgnoreMenuShortcuts(true)
  webContents.setAudioMuted(true)
  // Of this page alone, wherever it goes; nothing of a signer before.
  webContents.setZoomMode('isolated')
  webContents.setZoomFactor(1)
  // It may not keep the person on it.
  webContents.on('will-prevent-unload', (event) => event.preventDefault())
  view.setVisible(false)
  return view
}

/** On the default printer and without a dialog, as it looks. Rejects in words for staff. */
export function printed(contents: WebContents): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  contents.print({ silent: true, printBackground: true }, (isPrinted) => {
    if (isPrinted) resolve()
    else reject(new AppFailure(notPrinted))
  })
  return promise
}

export function asPdf(contents: WebContents): Promise<Uint8Array> {
  return contents.printToPDF({ printBackground: true })
}

/** A page that ends by itself or is hung is waited for no longer than this, in milliseconds. */
const CLOSING_MS = 3000

/** Ends the page without asking it. Resolves when it has gone, or was made to go. */
export async function closed(contents: WebContents): Promise<void> {
  if (contents.isDestroyed()) return
  const gone = Promise.withResolvers<void>()
  contents.once('destroyed', () => gone.resolve())
  const late = setTimeout(() => {
    if (!contents.isDestroyed()) contents.forcefullyCrashRenderer()
    gone.resolve()
  }, CLOSING_MS)
  contents.stop()
  contents.close()
  await gone.promise
  clearTimeout(late)
}
