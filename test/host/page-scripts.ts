// The scripts that Chromium runs in every document of a page before the document's own.
import { readFileSync } from 'node:fs'
import type { Protocol } from './cdp.ts'
import { makeCodec } from './codec.ts'
import { bridge, isolatedWorld, mainWorld, type PreloadProcess } from './context-bridge.ts'
import { watchPage } from './page-watch.ts'
import { permissionShim } from './permission-shim.ts'

type Script = Protocol.Page.addScriptToEvaluateOnNewDocumentParameters

/** The world of the preload, named as Electron names it, and the host's own. */
export const preloadWorld = 'Electron Isolated Context'
export const watchWorld = 'test host'

/** The functions by which the worlds of a page and the host reach each other; none is left on a page's own window. */
export const names = {
  post: '__hostPost',
  deliver: '__hostDeliver',
  ask: '__hostAsk',
  report: '__hostReport',
  go: '__hostGo'
}

// Chromium can't hold a WebSocket until a listener of webRequest has decided. Where one watches them a page opens none: all
// its attempts go to an address that no network is asked for. This alone is done in the page, not in the browser.
export const refuseSockets = `if (self.WebSocket) {
  const nowhere = (Native, [, ...rest], target) => Reflect.construct(Native, ['ws://0.0.0.0:1/', ...rest], target)
  self.WebSocket = new Proxy(WebSocket, { construct: nowhere })
  WebSocket.prototype.constructor = WebSocket
}`

/** The preload in its isolated world, and before it the main world's end of the bridge. Throws where it can't be read. */
export function preloadScripts(path: string, token: string, additionalArguments: readonly string[]): Script[] {
  const info: PreloadProcess = {
    versions: {
      node: process.versions.node,
      electron: process.versions.electron ?? '',
      chrome: process.versions.chrome ?? ''
    },
    platform: process.platform,
    arch: process.arch,
    argv: ['electron', ...additionalArguments]
  }
  const preload = `function(require,process,module,exports){${readFileSync(path, 'utf8')}\n}`
  const given = [
    JSON.stringify(token),
    JSON.stringify(names),
    bridge,
    `(${makeCodec})()`,
    JSON.stringify(info),
    preload
  ]
  return [
    { source: `(${mainWorld})(${JSON.stringify(token)},${bridge})` },
    { worldName: preloadWorld, source: `(${isolatedWorld})(${given.join(',')})` }
  ]
}

/** What every page has, with a preload or without. */
export function ownScripts(token: string): Script[] {
  return [
    { source: `(${permissionShim})(${JSON.stringify(token)},'${names.ask}')` },
    { worldName: watchWorld, source: `(${watchPage})('${names.report}','${names.go}')` }
  ]
}
