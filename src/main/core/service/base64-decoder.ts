/** Decodes base64 piece by piece: both alphabets, any line breaks, with and without padding, and nothing else. */

export interface Base64Decoder {
  /** The bytes that are certain by now. */
  write(text: string): Uint8Array
  /** The last bytes; undefined if it breaks off in the middle of one. */
  end(): Uint8Array | undefined
}

const NOTHING = new Uint8Array()

/** @param broken called, and expected to throw, where a character has no place in base64. */
export function base64Decoder(broken: () => never): Base64Decoder {
  /** Up to three characters that make no whole bytes yet. */
  let held = ''
  let padding = ''
  return {
    write(text) {
      const dense = text.replace(/\s+/g, '')
      if (dense === '') return NOTHING
      const [, digits = '', padded = ''] = /^([A-Za-z0-9+/_-]*)(={0,2})$/.exec(dense) ?? broken()
      if (padding !== '' && digits !== '') broken()
      padding += padded
      if (padding.length > 2) broken()
      const all = held + digits
      const certain = all.length - (all.length % 4)
      held = all.slice(certain)
      return certain === 0 ? NOTHING : Buffer.from(all.slice(0, certain), 'base64')
    },
    end() {
      const isWhole = padding === '' ? held.length !== 1 : (held.length + padding.length) % 4 === 0
      return isWhole ? Buffer.from(held, 'base64') : undefined
    }
  }
}
