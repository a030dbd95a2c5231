/**
 * Failures that are shown to the user: thrown in the main process, and passed to the screens as data. Also reads codes
 * from other errors.
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

/** Returns the code of a system or database error, such as `ENOENT`; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
