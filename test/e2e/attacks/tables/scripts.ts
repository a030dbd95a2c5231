/** Pieces that the scripts of many attacks are made of. */
import type { Attack } from '../attack.ts'

/** A page with one thing to click on, `id=go`, and the click. */
export const click = (html: string): Pick<Attack, 'page' | 'script'> => ({
  page: html,
  script: 'document.getElementById("go").click()'
})

/** Answers "granted" or "refused"; a question that is never answered grants nothing. */
export const refusedBy = (promise: string, waitMs = 2000) =>
  `return Promise.race([(async () => ${promise})().then(() => 'granted', () => 'refused'), new Promise((r) => setTimeout(r, ${waitMs}, 'refused'))])`

/** Puts an element into the page; answers whether what it names was loaded. `set` are its properties, as `e.src = …`. */
export const loads = (element: string, set: string, waitMs = 800) =>
  `return new Promise((r) => { const e = document.createElement("${element}"); e.onload = e.onloadeddata = () => r("granted"); e.onerror = () => r("refused"); ${set}; document.body.append(e); setTimeout(() => r("refused"), ${waitMs}) })`

/** Rows that put markup into the page, of which staff is told at once: `[what it tries, the markup]`. */
export const byMarkup = (told: string, rows: readonly (readonly [name: string, html: string])[]): Attack[] =>
  rows.map(([name, html]) => ({
    name,
    script: `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`,
    told
  }))

/** Rows that run a script, of which staff is told at once: `[what it tries, the script, the page if it needs one]`. */
export const byScript = (
  told: string,
  rows: readonly (readonly [name: string, script: string, page?: string])[]
): Attack[] => rows.map(([name, script, page]) => ({ name, script, told, ...(page !== undefined && { page }) }))

/** Waits, in a page, until this is so no more, which a busy machine does later; not for ever. */
export const waitWhile = (condition: string) =>
  `for (let i = 0; i < 1500 && (${condition}); i++) await new Promise((r) => setTimeout(r, 20))`

/** Puts markup into the page and gives it time. */
export const shows = (html: string, waitMs = 300) =>
  `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)}); await new Promise((r) => setTimeout(r, ${waitMs}))`

/** A page with a frame, `id=f`, that is sent somewhere. */
export const frame = (address: string, answer = ''): Pick<Attack, 'page' | 'script'> => ({
  page: '<iframe id=f></iframe>',
  script: `const f = document.getElementById("f"); f.src = ${JSON.stringify(address)}; await new Promise((r) => setTimeout(r, 300)); ${answer}`
})

/** What a frame shows that can be read, or nothing. */
export const textOfFrame = 'try { return f.contentDocument?.body?.textContent ?? "" } catch { return "" }'

/** A script that calls elsewhere by WebRTC, over lines and without: with no quotes in it, so that it fits into any attribute. */
export const CALL =
  '<script>try { const c = new RTCPeerConnection({ iceServers: [{ urls: [`turn:{elsewhere}?transport=tcp`, `turn:{elsewhere}`], username: `a`, credential: `b` }, { urls: `stun:{elsewhere}` }] }); c.createDataChannel(`x`); c.createOffer().then((o) => c.setLocalDescription(o)) } catch {}</script>'
