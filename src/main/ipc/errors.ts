/**
 * Makes the contract's error of whatever a handler threw: our own failures as they are, those of the service, the disk
 * and the keychain in the user's words, and everything else as "internal", without a stack trace, a path or a secret.
 */
import { type AppError, localErrorCodes, serviceErrorCodes } from '../../shared/contract/index.ts'
import { isServiceError, type ServiceError } from '../core/service/errors.ts'
import { queryTroubleOf } from '../core/storage/database-fault.ts'
import { type FileErrorCode, fileErrorOf } from '../core/storage/file-error.ts'
import { KeychainError, type KeychainTrouble } from '../core/storage/keychain.ts'
import { identityWords } from './identity-words.ts'

const INTERNAL: AppError = {
  code: 'internal',
  message: 'Something went wrong inside Countersign. What you saved is kept.'
}

const codes: ReadonlySet<unknown> = new Set([...serviceErrorCodes, ...localErrorCodes])

/** Never throws. */
export function asAppError(thrown: unknown): AppError {
  if (typeof thrown !== 'object' || thrown === null) return INTERNAL
  if ('appError' in thrown && isAppError(thrown.appError)) return thrown.appError
  if (isServiceError(thrown)) return fromService(thrown)
  if (thrown instanceof KeychainError) return fromKeychain(thrown.code)
  const fileError = fileErrorOf(thrown)
  if (fileError) return fromFile(fileError.code)
  const trouble = queryTroubleOf(thrown)
  return trouble ? fromDatabase(trouble) : INTERNAL
}

/** A query that failed wrote nothing. */
function fromDatabase(trouble: NonNullable<ReturnType<typeof queryTroubleOf>>): AppError {
  switch (trouble) {
    case 'no-space':
      return {
        code: trouble,
        message: 'The disk is full, so this was not kept.',
        next: 'Free some space and try again.'
      }
    case 'not-writable':
      return { code: trouble, message: 'Countersign may not write to its own data folder, so this was not kept.' }
    case 'storage':
      return {
        code: trouble,
        message: 'Countersign’s database failed, so this was not kept.',
        next: 'Try again, or start Countersign again.'
      }
  }
}

/** An error of the service's client as the screens show it. */
function fromService(error: ServiceError): AppError {
  return {
    ...(identityWords(error) ?? described(error)),
    mayHaveArrived: error.mayHaveArrived,
    ...(error.serviceMessage !== undefined && { serviceMessage: error.serviceMessage }),
    ...(error.fields !== undefined && { fields: [...error.fields] }),
    ...(error.path !== undefined && { path: error.path }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs })
  }
}

/** What happened, in one plain sentence or two: what it means for the work, where that isn't plain. */
function described(error: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> {
  const code = error.code
  switch (code) {
    case 'offline':
      return { code, message: 'This computer isn’t connected to a network.' }
    case 'dns':
      return {
        code,
        message: 'The signing service’s address can’t be found.'
      }
    case 'refused':
      return { code, message: 'Nothing answers at the signing service’s address just now.' }
    case 'interrupted':
      // The contract has no code of its own for a broken line; what can be done about it is the same.
      return { code: 'timeout', message: 'The connection to the signing service broke before its answer arrived.' }
    case 'timeout':
      return { code, message: 'The signing service took too long to answer.' }
    case 'tls':
      return { code, message: 'The connection to the signing service isn’t secure: its certificate can’t be trusted.' }
    case 'redirected':
      return {
        code: 'unsafe-address',
        message: error.movedTo
          ? `The signing service sends us on to ${error.movedTo}. If that is right, change the account’s address to it.`
          : 'The signing service sends us from one address to another without an answer.'
      }
    case 'unauthorised':
      return { code, message: 'The signing service did not accept this account’s key or token.' }
    case 'payment-required':
      return { code, message: 'The signing service has put this account on hold until a payment is made.' }
    case 'forbidden':
      return { code, message: 'The signing service doesn’t let this account do that.' }
    case 'not-found':
      return { code, message: 'The signing service doesn’t have this, or has it no longer.' }
    case 'conflict':
      return {
        code,
        message: 'Something changed in the meantime, so nothing was done.'
      }
    case 'invalid':
      return { code, message: 'The signing service did not accept what was sent.' }
    case 'too-large':
      return { code, message: 'This is larger than can be sent or read at once.' }
    case 'quota':
      return { code, message: 'This account has no documents left in its plan.' }
    case 'rate-limited':
      return { code, message: 'The signing service asks us to wait a little before trying again.' }
    case 'server':
      return { code, message: 'The signing service could not do this because of a fault of its own.' }
    case 'not-json':
      return { code, message: 'What came isn’t an answer of the signing service that Countersign can read.' }
    case 'unexpected-shape':
      return { code, message: 'The signing service answered in a form that Countersign can’t read.' }
    case 'incomplete':
      return { code, message: 'What the signing service sent isn’t whole, so it wasn’t kept.' }
    case 'no-data':
      return { code, message: 'The signing service answered with nothing in it.' }
    case 'error-answer':
      return { code, message: 'The signing service sent word of a fault in place of what was asked for.' }
    case 'not-a-pdf':
      return { code, message: 'What the signing service sent isn’t a PDF, so it wasn’t saved.' }
    case 'cancelled':
      return { code, message: 'This was cancelled.' }
    default:
      return unknownCode(code)
  }
}

function fromKeychain(trouble: KeychainTrouble): AppError {
  switch (trouble) {
    case 'missing':
      return { code: 'keychain', message: 'This computer has no keychain that Countersign can use.' }
    case 'locked':
      return { code: 'keychain', message: 'The keychain of this computer is locked.', next: 'Unlock it and try again.' }
    case 'failed':
      return { code: 'keychain', message: 'The keychain of this computer did not answer as it should.' }
    case 'too-long':
      return { code: 'keychain', message: 'The key or secret is longer than this computer’s keychain can hold.' }
    default:
      return unknownCode(trouble)
  }
}

function fromFile(code: FileErrorCode): AppError {
  switch (code) {
    case 'no-space':
      return {
        code: 'no-space',
        message: 'The disk is full, so this wasn’t saved.',
        next: 'Free some space and try again.'
      }
    case 'not-writable':
      return {
        code: 'not-writable',
        message: 'The folder isn’t there or can’t be written to.',
        next: 'Choose another, or see that this one is there and may be written to.'
      }
    case 'away':
      return {
        code: 'not-writable',
        message: 'The folder isn’t there.',
        next: 'If it is on a stick or a share, connect that and try again; else choose another.'
      }
    case 'too-deep':
      return {
        code: 'not-writable',
        message: 'The folder lies so deep that its files could not be opened on Windows.',
        next: 'Choose one with a shorter path.'
      }
    case 'outside':
      return {
        code: 'not-writable',
        message: 'A link in the folder leads out of it, so nothing was saved there.',
        next: 'Remove the link, or choose another folder.'
      }
    case 'in-use':
      return { code: 'storage', message: 'Another program has this file open.', next: 'Close it there and try again.' }
    case 'exists':
    case 'other':
      return { code: 'storage', message: 'The file could not be written.' }
    default:
      return unknownCode(code)
  }
}

function isAppError(value: unknown): value is AppError {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('message' in value)) return false
  return codes.has(value.code) && typeof value.message === 'string'
}

/** Refuses to compile when a code has no sentence. */
function unknownCode(_code: never): AppError {
  return INTERNAL
}
