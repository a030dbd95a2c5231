/** Addresses of pages that people are sent to, or that the service calls (reference 2.2 and 2.9). */
import { z } from 'zod'
import { error, type Problem } from './problem.ts'

const webAddress = z.url({ protocol: /^https?$/ })

/** Nothing where none was typed. */
export function problemsOfWebAddress(at: string, address: string): Problem[] {
  const typed = address.trim()
  if (!typed || webAddress.safeParse(typed).success) return []
  return [error(at, 'Enter a web address that begins with https://.')]
}
