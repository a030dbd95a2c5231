// The scripts that Chromium runs in every document of a page before the document's own.
import { readFileSync } from 'node:fs'
import type { Protocol } from './cdp.ts'
import { makeCodec } from './codec.ts'
import { bridge, isolatedWorld, mainWorld, type PreloadProcess } from './context-bridge.ts'
import { watchPage } from './page-watch.ts'
import { permissionShim } from './permission-shim.ts'

type Script = Protocol.Page.addScriptToEvaluateOnNewDocumentParameters

/** The preload's world, named as in Electron, and the host's own. */
export const preloadWorld = 'Electron Isolated Context'
export const watchWorld = 'test host'

/**
 * The functions through which a page's worlds and the host reach each other; none of them stays on a page's own window.
 */
export const names = {
  post: '__hostPost',
  deliver: '__hostDeliver',
  ask: '__hostAsk',
  report: '__hostReport',
  go: '__hostGo'
}

// Chromium can't hold a WebSocket until a webRequest listener has decided. While one watches them, a page opens none:
// every attempt goes to an address that causes no network request. Only this is done in the page instead of the
// browser.
export const refuseSockets = `if (self.WebSocket) {
  const nowhere = (Native, [, ...rest], target) => Reflect.construct(Native, ['ws://0.0.0.0:1/', ...rest], target)
  self.WebSocket = new Proxy(WebSocket, { construct: nowhere })
  WebSocket.prototype.constructor = WebSocket
}`

/**
 * Returns the preload for its isolated world, preceded by the main world's end of the bridge.
 * @throws if the preload can't be read
 */
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
  const args = [JSON.stringify(token), JSON.stringify(names), bridge, `(${makeCodec})()`, JSON.stringify(info), preload]
  return [
    { source: `(${mainWorld})(${JSON.stringify(token)},${bridge})` },
    { worldName: preloadWorld, source: `(${isolatedWorld})(${args.join(',')})` }
  ]
}

/** Returns the scripts that every page has, with or without a preload. */
export function ownScripts(token: string): Script[] {
  return [
    { source: `(${permissionShim})(${JSON.stringify(token)},'${names.ask}')` },
    { worldName: watchWorld, source: `(${watchPage})('${names.report}','${names.go}')` }
  ]
}
