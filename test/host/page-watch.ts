// Source text that runs in every document, in the host's own world. It reports what Electron has events for and
// Chromium hasn't: the title, full screen, where a person asked for a context menu, their input, and navigations that
// can't be held on the network.

/** What a document reports. */
export type Report =
  | { kind: 'title'; title: string }
  | { kind: 'fullscreen'; on: boolean }
  | { kind: 'context-menu'; details: ContextDetails }
  | { kind: 'navigate'; url: string }
  | { kind: 'input'; type: InputType }

/** Electron's names for mouse, touch and keyboard input. */
type InputType =
  | 'mouseDown'
  | 'mouseUp'
  | 'mouseMove'
  | 'mouseWheel'
  | 'rawKeyDown'
  | 'keyUp'
  | 'touchStart'
  | 'touchEnd'

interface ContextDetails {
  readonly x: number
  readonly y: number
  readonly linkURL: string
  readonly linkText: string
  readonly srcURL: string
  readonly mediaType: 'none' | 'image' | 'audio' | 'video' | 'canvas'
  readonly selectionText: string
  /** Always empty: nothing checks spelling here. */
  readonly misspelledWord: ''
  readonly dictionarySuggestions: readonly never[]
  readonly menuSourceType: 'mouse' | 'keyboard'
  readonly isEditable: boolean
  readonly editFlags: {
    readonly canUndo: boolean
    readonly canRedo: boolean
    readonly canCut: boolean
    readonly canCopy: boolean
    readonly canPaste: boolean
    readonly canDelete: boolean
    readonly canSelectAll: boolean
    readonly canEditRichly: boolean
  }
}

/** Watches a document. Self-contained, because its source text is what runs in the page. */
export function watchPage(binding: string, go: string): void {
  const globals = globalThis as unknown as Record<string, (text: string) => void>
  const post = globals[binding]
  if (!post) return
  const send = (report: Report) => post(JSON.stringify(report))
  addEventListener(
    'fullscreenchange',
    () => send({ kind: 'fullscreen', on: document.fullscreenElement !== null }),
    true
  )
  addEventListener('contextmenu', (event) => {
    if (event.defaultPrevented) return
    const element = event.composedPath()[0] as Element
    const link = element.closest?.('a[href]') as HTMLAnchorElement | null
    const media = element.closest?.('img,audio,video,canvas')
    const tag = media?.tagName.toLowerCase()
    const isText = /^(input|textarea)$/i.test(element.tagName)
    const isRich = (element as HTMLElement).isContentEditable
    const selectionText = String(getSelection() ?? '')
    const isSelected = selectionText !== ''
    const can = (command: string) => document.queryCommandEnabled(command)
    const details: ContextDetails = {
      x: event.clientX,
      y: event.clientY,
      linkURL: link?.href ?? '',
      linkText: link?.textContent ?? '',
      srcURL: (media as HTMLImageElement | null)?.src ?? '',
      mediaType: tag === 'img' ? 'image' : ((tag ?? 'none') as 'none'),
      selectionText,
      misspelledWord: '',
      dictionarySuggestions: [],
      menuSourceType: event.button === 2 ? 'mouse' : 'keyboard',
      isEditable: isRich || isText,
      editFlags: {
        canUndo: can('undo'),
        canRedo: can('redo'),
        canCut: isSelected && (isRich || isText),
        canCopy: isSelected,
        canPaste: isRich || isText,
        canDelete: isSelected && (isRich || isText),
        canSelectAll: can('selectAll'),
        canEditRichly: isRich
      }
    }
    send({ kind: 'context-menu', details })
  })
  const inputs: Record<string, InputType> = {
    mousedown: 'mouseDown',
    mouseup: 'mouseUp',
    mousemove: 'mouseMove',
    wheel: 'mouseWheel',
    keydown: 'rawKeyDown',
    keyup: 'keyUp',
    touchstart: 'touchStart',
    touchend: 'touchEnd'
  }
  // Mouse moves and wheel turns come in dozens; one of each per 100 ms is enough.
  const lastReported = new Map<string, number>()
  for (const [name, type] of Object.entries(inputs)) {
    const interval = type === 'mouseMove' || type === 'mouseWheel' ? 100 : 0
    const onInput = ({ isTrusted, timeStamp }: Event) => {
      if (!isTrusted || timeStamp - (lastReported.get(name) ?? -1000) < interval) return
      lastReported.set(name, timeStamp)
      send({ kind: 'input', type })
    }
    addEventListener(name, onInput, { capture: true, passive: true })
  }
  // An address that makes no request can't be held on its way: it is stopped here before it begins, and started again
  // by `go` once the application has allowed it.
  let allowed: string | undefined
  Object.assign(globals, {
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
    send({ kind: 'navigate', url })
  })
  if (window.top !== window) return
  addEventListener('DOMContentLoaded', () => {
    let last: string | undefined
    const check = () => {
      if (document.title === last) return
      last = document.title
      send({ kind: 'title', title: last })
    }
    check()
    const watched = document.head ?? document.documentElement
    new MutationObserver(check).observe(watched, { subtree: true, childList: true, characterData: true })
  })
}
