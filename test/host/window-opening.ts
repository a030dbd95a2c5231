// The windows that a page wants to open: its handler is asked, and none ever opens. Chromium reports the request
// (windowOpen, or a click with a modifier key) and the window separately; the window is refused in any case before it
// runs (targets.ts).
import type * as Electron from 'electron'
import type { CdpSession, Protocol } from './cdp.ts'
import { toApp } from './schemes.ts'
import { NotEmulatedError, refuseLater } from './strict.ts'

type Handler = Parameters<Electron.WebContents['setWindowOpenHandler']>[0]
type OpenRequest = Pick<Electron.HandlerDetails, 'url' | 'frameName' | 'features' | 'disposition'>

export class WindowOpening {
  handler: Handler | undefined
  readonly #requests: Protocol.Page.windowOpenPayload[] = []
  readonly #address: () => string

  /** @param address returns the opener's address */
  constructor(address: () => string) {
    this.#address = address
  }

  follow(session: CdpSession): void {
    session.on('Page.windowOpen', (request) => this.#requests.push(request))
  }

  /** Asks the handler about a window that has arrived, which belongs to the oldest request. */
  arrived(): void {
    const request = this.#requests.shift()
    if (!request) return
    const features = request.windowFeatures.join(',')
    this.#ask({
      url: toApp(request.url),
      frameName: request.windowName === '_blank' ? '' : request.windowName,
      features,
      disposition: /(^|,)(width|height|left|top|popup)=/.test(features) ? 'new-window' : 'foreground-tab'
    })
  }

  /** Asks the handler about a click with Ctrl, Shift or the middle button, which Chromium would open elsewhere. */
  clicked(url: string, disposition: string): void {
    this.#ask({
      url,
      frameName: '',
      features: '',
      disposition: disposition === 'newWindow' ? 'new-window' : 'foreground-tab'
    })
  }

  #ask(request: OpenRequest): void {
    const referrer = { url: this.#address(), policy: 'strict-origin-when-cross-origin' as const }
    try {
      const answer = this.handler?.({ ...request, referrer }) ?? { action: 'allow' }
      if (answer.action !== 'deny') refuseLater('a window that a page opens and the window-open handler allows')
    } catch (error) {
      // As in Electron, a handler that throws hasn't allowed it.
      if (error instanceof NotEmulatedError) throw error
      console.error('test host: the window-open handler threw:', error)
    }
  }
}
