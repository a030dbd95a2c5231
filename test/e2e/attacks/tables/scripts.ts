/** Building blocks for the scripts of many attacks. */
import type { Attack } from '../attack.ts'

/** A page with one thing to click on, `id=go`, and the click. */
export const click = (html: string): Pick<Attack, 'page' | 'script'> => ({
  page: html,
  script: 'document.getElementById("go").click()'
})

/** Returns "granted" or "refused"; a question that is never answered grants nothing. */
export const refusedBy = (promise: string, waitMs = 2000) =>
  `return Promise.race([(async () => ${promise})().then(() => 'granted', () => 'refused'), new Promise((r) => setTimeout(r, ${waitMs}, 'refused'))])`

/**
 * Adds an element to the page and returns whether what it refers to was loaded. `set` assigns its properties, as in
 * `e.src = …`.
 */
export const loads = (element: string, set: string, waitMs = 800) =>
  `return new Promise((r) => { const e = document.createElement("${element}"); e.onload = e.onloadeddata = () => r("granted"); e.onerror = () => r("refused"); ${set}; document.body.append(e); setTimeout(() => r("refused"), ${waitMs}) })`

/** Rows that add markup to the page, which staff is told about at once: `[what it tries, the markup]`. */
export const byMarkup = (message: string, rows: readonly (readonly [name: string, html: string])[]): Attack[] =>
  rows.map(([name, html]) => ({
    name,
    script: `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`,
    message
  }))

/** Rows that run a script, which staff is told about at once: `[what it tries, the script, the page if it needs one]`. */
export const byScript = (
  message: string,
  rows: readonly (readonly [name: string, script: string, page?: string])[]
): Attack[] => rows.map(([name, script, page]) => ({ name, script, message, ...(page !== undefined && { page }) }))

/** Waits in a page until the condition no longer holds, which takes longer on a busy machine; gives up eventually. */
export const waitWhile = (condition: string) =>
  `for (let i = 0; i < 1500 && (${condition}); i++) await new Promise((r) => setTimeout(r, 20))`

/** Adds markup to the page and gives it time. */
export const shows = (html: string, waitMs = 300) =>
  `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)}); await new Promise((r) => setTimeout(r, ${waitMs}))`

/** A page with a frame, `id=f`, whose address is set. */
export const frame = (address: string, answer = ''): Pick<Attack, 'page' | 'script'> => ({
  page: '<iframe id=f></iframe>',
  script: `const f = document.getElementById("f"); f.src = ${JSON.stringify(address)}; await new Promise((r) => setTimeout(r, 300)); ${answer}`
})

/** The text that can be read of a frame, or nothing. */
export const textOfFrame = 'try { return f.contentDocument?.body?.textContent ?? "" } catch { return "" }'

/**
 * A script that calls elsewhere by WebRTC, over TCP and UDP. It contains no quotes, so that it fits into any attribute.
 */
export const CALL =
  '<script>try { const c = new RTCPeerConnection({ iceServers: [{ urls: [`turn:{elsewhere}?transport=tcp`, `turn:{elsewhere}`], username: `a`, credential: `b` }, { urls: `stun:{elsewhere}` }] }); c.createDataChannel(`x`); c.createOffer().then((o) => c.setLocalDescription(o)) } catch {}</script>'
