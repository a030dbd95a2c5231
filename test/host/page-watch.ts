// Text that runs in a world of the host's own in every document: it reports what Chromium has no event for, and that Electron
// has: the title, full screen, where a person asked for a context menu, and what can't be held on the network.

/** What a document reports. */
export type Report =
  | { kind: 'title'; title: string }
  | { kind: 'fullscreen'; on: boolean }
  | { kind: 'context-menu'; details: ContextDetails }
  | { kind: 'navigate'; url: string }

export interface ContextDetails {
  readonly x: number
  readonly y: number
  readonly linkURL: string
  readonly linkText: string
  readonly srcURL: string
  readonly mediaType: 'none' | 'image' | 'audio' | 'video' | 'canvas'
  readonly selectionText: string
  readonly isEditable: boolean
}

/** Self-contained: its source is what runs in the page. */
export function watchPage(binding: string, go: string): void {
  const own = globalThis as unknown as Record<string, (text: string) => void>
  const post = own[binding]
  if (!post) return
  const tell = (report: Report) => post(JSON.stringify(report))
  addEventListener(
    'fullscreenchange',
    () => tell({ kind: 'fullscreen', on: document.fullscreenElement !== null }),
    true
  )
  addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return
    const element = event.composedPath()[0] as Element
    const link = element.closest?.('a[href]') as HTMLAnchorElement | null
    const media = element.closest?.('img,audio,video,canvas')
    const tag = media?.tagName.toLowerCase()
    const details: ContextDetails = {
      x: event.clientX,
      y: event.clientY,
      linkURL: link?.href ?? '',
      linkText: link?.textContent ?? '',
      srcURL: (media as HTMLImageElement | null)?.src ?? '',
      mediaType: tag === 'img' ? 'image' : ((tag ?? 'none') as 'none'),
      selectionText: String(getSelection() ?? ''),
      isEditable: (element as HTMLElement).isContentEditable || /^(input|textarea)$/i.test(element.tagName)
    }
    tell({ kind: 'context-menu', details })
  })
  // An address that makes no request can't be held on its way: it is stopped here, before it begins, and begun again by
  // `go` once the application has allowed it.
  let allowed: string | undefined
  Object.assign(own, {
    [go]: (url: string) => {
      allowed = url
      location.href = url
    }
  })
  navigation.addEventListener('navigate', (event) => {
    const { url } = event.destination
    if (!event.cancelable || event.downloadRequest !== null || url === allowed || !/^(blob|data|filesystem):/.test(url))
      return
    event.preventDefault()
    tell({ kind: 'navigate', url })
  })
  if (window.top !== window) return
  addEventListener('DOMContentLoaded', () => {
    let last: string | undefined
    const check = () => {
      if (document.title === last) return
      last = document.title
      tell({ kind: 'title', title: last })
    }
    check()
    const watched = document.head ?? document.documentElement
    new MutationObserver(check).observe(watched, { subtree: true, childList: true, characterData: true })
  })
}
