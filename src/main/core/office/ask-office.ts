/**
 * A question to the office's server, which may be away or unable to save: what the caller gets then, and what only the
 * administrator may see.
 */
import { AppFailure, codeOf, fail } from '../lib/failure.ts'

/** Fails because the office's server isn't available. @throws AppFailure `offline` */
export function failOfficeAway(): never {
  fail('offline', 'The office’s server isn’t available just now.', { next: 'Try again in a few minutes.' })
}

/** PostgreSQL's codes for being read-only, and for a full disk. */
const WRITE_ERRORS: ReadonlySet<string> = new Set(['25006', '53100'])

/** The office's server answers, but couldn't save. */
class Unwritable extends AppFailure {
  constructor() {
    super({
      code: 'offline',
      message: 'The office’s server can’t save this just now.',
      next: 'Try again in a few minutes. If it still can’t, tell your administrator.'
    })
  }
}

/** Recognises both the server's own error and the one `askOffice` makes of it. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof Unwritable || WRITE_ERRORS.has(codeOf(error))
}

/**
 * Queries the office's server, if it is available.
 * @param onError called with the original error, which is for the administrator: its message may contain data, its code
 * doesn't.
 * @throws AppFailure `offline`
 */
export async function askOffice<Office, Answer>(
  office: Office | undefined,
  question: (office: Office) => Promise<Answer>,
  onError: ((error: unknown) => void) | undefined
): Promise<Answer> {
  try {
    return await question(office ?? failOfficeAway())
  } catch (error) {
    if (office !== undefined) onError?.(error)
    if (isUnwritable(error)) throw new Unwritable()
    return failOfficeAway()
  }
}
