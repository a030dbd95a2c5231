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
  const known = knownEndingOf(name)
  if (known && name.length > known.length) return name.slice(-known.length)
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot) : ''
}

/** Returns a pattern of names without an ending, which is added to every name anyway. */
export function withoutEnding(pattern: string): string {
  const known = knownEndingOf(pattern)
  return known ? pattern.slice(0, -known.length) : pattern.replace(/\.(?:pdf|json|\{\s*type\s*\})$/i, '')
}

const knownEndingOf = (name: string): string | undefined =>
  Object.values(FILE_ENDINGS).find((ending) => name.slice(-ending.length).toLowerCase() === ending)
