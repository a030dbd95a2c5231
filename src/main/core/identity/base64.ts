/**
 * Pictures come as base64 in a text: with or without a `data:` address before it, with line breaks, in the alphabet of
 * addresses, with or without its padding. Anything else is told apart; nothing is guessed.
 */

/** Base64 takes a third more than what it stands for, and line breaks a little. */
const ROOM = 1.4
const SHORT = 200

export type DecodedText =
  | { state: 'bytes'; bytes: Uint8Array<ArrayBuffer>; isCutOff: boolean }
  /** Text that says by itself what it is: markup, an address. */
  | { state: 'markup' | 'address' | 'words' }
  | { state: 'too-large' }

/** @param limit bytes that it may decode to. */
export function decodeBase64(text: string, limit: number): DecodedText {
  // Before anything else is made of it.
  if (text.length > limit * ROOM + SHORT) return { state: 'too-large' }
  const start = text.slice(0, SHORT).trimStart()
  if (start.startsWith('<')) return { state: 'markup' }
  if (/^(https?|ftp|file):/i.test(start)) return { state: 'address' }
  const address = /^\s*data:[^,]{0,100};base64,/i.exec(text.slice(0, SHORT))
  if (!address && /^data:/i.test(start))
    return { state: /^data:[^,;]*(svg|html|xml)/i.test(start) ? 'markup' : 'words' }
  const digits = text.slice(address?.[0].length ?? 0).replace(/\s+/g, '')
  const body = digits.replace(/={1,2}$/, '')
  if (body === '' || !/^[A-Za-z0-9+/_-]*$/.test(body)) return { state: 'words' }
  // A single digit left over stands for six bits, which is no byte: something was cut away behind it.
  const isCutOff = body.length % 4 === 1
  const decoded = Buffer.from(isCutOff ? body.slice(0, -1) : body, 'base64url')
  if (decoded.byteLength > limit) return { state: 'too-large' }
  // Small buffers lie in a pool that others share, and this one crosses to the page with all that lies around it.
  const bytes = new Uint8Array(decoded)
  decoded.fill(0)
  return { state: 'bytes', bytes, isCutOff }
}
