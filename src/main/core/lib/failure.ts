/**
 * A failure that the person is told of: thrown inside the main process, and carried across the boundary as data. And what is
 * known of one that isn't ours.
 */
import type { AppError, ErrorCode } from '../../../shared/contract/errors.ts'

export class AppFailure extends Error {
  override readonly name = 'AppFailure'
  readonly appError: AppError

  constructor(appError: AppError) {
    super(appError.code)
    this.appError = appError
  }
}

/** Throws an AppFailure. `message` is one plain sentence in the user's words, without secrets or paths. */
export function fail(code: ErrorCode, message: string, more: Omit<AppError, 'code' | 'message'> = {}): never {
  throw new AppFailure({ code, message, ...more })
}

/** The code of an error of the system's or the database's, such as `ENOENT`; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
