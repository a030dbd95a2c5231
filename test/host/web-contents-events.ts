// The events that a page can emit here, and those that are safe to listen for because they never happen here.
export const webContentsEvents = {
  emits: [
    'before-input-event',
    'before-mouse-event',
    'blur',
    'certificate-error',
    'console-message',
    'context-menu',
    'destroyed',
    'did-fail-load',
    'did-fail-provisional-load',
    'did-finish-load',
    'did-frame-finish-load',
    'did-frame-navigate',
    'did-navigate',
    'did-navigate-in-page',
    'did-redirect-navigation',
    'did-start-loading',
    'did-start-navigation',
    'did-stop-loading',
    'dom-ready',
    'enter-html-full-screen',
    'focus',
    'frame-created',
    'input-event',
    'ipc-message',
    'leave-html-full-screen',
    'page-title-updated',
    'preload-error',
    'render-process-gone',
    'will-frame-navigate',
    'will-navigate',
    'will-prevent-unload',
    'will-redirect'
  ],
  // Never emitted: <webview> is off, window.open is never allowed here, nobody turns a wheel with Ctrl held in a
  // headless page, and the host doesn't emulate developer tools, device lists or pages that hang.
  never: [
    'will-attach-webview',
    'did-attach-webview',
    'did-create-window',
    'zoom-changed',
    'unresponsive',
    'responsive',
    'devtools-opened',
    'devtools-closed',
    'select-bluetooth-device',
    'ipc-message-sync'
  ]
} as const
