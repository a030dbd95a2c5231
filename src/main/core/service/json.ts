/** From the bytes of an answer to JSON. A parameter of the client, so that large answers can be parsed off the main thread. */

/**
 * Parses the bytes of an answer; throws what isn't JSON.
 * @param charset as the answer's Content-Type named it.
 */
export type ParseJson = (bytes: Uint8Array, charset: string | undefined) => unknown | Promise<unknown>

/** Reads UTF-8 (with or without byte order mark), or another charset where the answer names one that we know. */
export const parseJson: ParseJson = (bytes, charset) => JSON.parse(decoderFor(charset).decode(bytes))

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}

/** The charset of a Content-Type header, if it names one. */
export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]{1,40})"?/i.exec(contentType ?? '')?.[1]
}
