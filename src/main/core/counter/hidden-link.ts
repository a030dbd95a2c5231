/** Keeps a signing link out of what is shown and written down: whoever has it can sign. */
import type { AppError } from '../../../shared/contract/index.ts'

const HIDDEN = '…'
/** No shorter piece of an address is taken for a secret, in characters: it may be a word of a sentence. */
const SHORTEST = 12

/** The text without the link, in whole or in any part that would let somebody sign. */
export function withoutLink(text: string, link: string): string {
  let hidden = text
  for (const secret of secretsOf(link)) hidden = hidden.replaceAll(secret, HIDDEN)
  return hidden
}

export function errorWithoutLink(error: AppError, link: string): AppError {
  const { message, serviceMessage, path, fields } = error
  return {
    ...error,
    message: withoutLink(message, link),
    ...(serviceMessage !== undefined && { serviceMessage: withoutLink(serviceMessage, link) }),
    ...(path !== undefined && { path: withoutLink(path, link) }),
    ...(fields && {
      fields: fields.map((one) => ({ field: withoutLink(one.field, link), message: withoutLink(one.message, link) }))
    })
  }
}

/** Longest first, so that no part is left of a longer one. */
function secretsOf(link: string): string[] {
  const parts = [link.trim()]
  if (URL.canParse(link)) {
    const url = new URL(link)
    parts.push(url.href, url.href.slice(url.origin.length), url.search.slice(1), url.hash.slice(1))
    parts.push(...url.pathname.split('/'), ...url.searchParams.values())
  }
  return [...new Set(parts)].filter((part) => part.length >= SHORTEST).sort((one, other) => other.length - one.length)
}
