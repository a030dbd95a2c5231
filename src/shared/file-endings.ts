/**
 * The endings of saved files. They say what is in a file, so that nobody mails a person's identity data in place of the
 * document that they signed.
 */
import type { DownloadType } from './contract/downloads.ts'

export const FILE_ENDINGS: Readonly<Record<DownloadType, string>> = {
  pdf: '.identity.pdf',
  json: '.identity.json',
  signed: '.signed.pdf'
}

/** Returns ".identity.pdf" or another of {@link FILE_ENDINGS}, or else the extension with its dot; empty if none. */
export function endingOf(name: string): string {
  const isKnown = (ending: string) => name.length > ending.length && name.slice(-ending.length).toLowerCase() === ending
  const known = Object.values(FILE_ENDINGS).find(isKnown)
  if (known) return name.slice(-known.length)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}

/** Returns a pattern of names without an ending, which is added to every name anyway. */
export function withoutEnding(pattern: string): string {
  return pattern.replace(/\.(?:identity\.pdf|identity\.json|signed\.pdf|pdf|json|\{\s*type\s*\})$/i, '')
}
