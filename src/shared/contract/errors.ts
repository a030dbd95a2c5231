/** Errors as data. Programs decide by the code; the message is for people only. */

/** What can go wrong with requests to the signing service. */
export const serviceErrorCodes = [
  /** No network at all. */
  'offline',
  /** The service's name can't be resolved. */
  'dns',
  /** Nothing listens at the service's address, or a proxy doesn't let us through. */
  'refused',
  'timeout',
  /** The certificate or the handshake isn't acceptable. */
  'tls',
  'unauthorised',
  'payment-required',
  'forbidden',
  'not-found',
  'conflict',
  /** The request's content was rejected by the service, or by our own check before sending; see `fields`. */
  'invalid',
  /** The request is too large for the service, or its response exceeds the caller's limit. */
  'too-large',
  /** The plan doesn't have enough documents left. */
  'quota',
  'rate-limited',
  'server',
  /** A response that isn't readable JSON. */
  'not-json',
  /** JSON that doesn't match the reference; see `path`. */
  'unexpected-shape',
  /** The response ended, or was cut short, before it was complete. */
  'incomplete',
  /** The service accepted the request and answered with nothing. */
  'no-data',
  /** It reported success, but sent an error instead of the result. */
  'error-answer',
  'cancelled'
] as const
type ServiceErrorCode = (typeof serviceErrorCodes)[number]

/** What can go wrong on this machine. */
export const localErrorCodes = [
  /** A request's input doesn't match the contract: a bug of ours, or an attack. */
  'bad-input',
  /** The request came from a page that isn't allowed to make it. */
  'not-allowed',
  /** The id doesn't exist (any more). */
  'gone',
  'no-account',
  'keychain',
  'storage',
  'no-space',
  'not-writable',
  'not-a-pdf',
  /** A file that the person chose can't be used; the message says why, and what to do. */
  'bad-file',
  /** An address that we refuse to open: not https, or inside the office's own network. */
  'unsafe-address',
  /** It isn't this signer's turn, or they can't sign here. */
  'not-signable',
  /** Something of the same kind is already in progress. */
  'busy',
  /** Not a staff PIN; `retryAfterMs` if there is a delay before the next attempt. */
  'wrong-pin',
  /** No PIN is accepted yet, after wrong ones; see `retryAfterMs`. */
  'pin-wait',
  /** The PIN is correct, but a one-time PIN: its owner has to choose a new one. */
  'pin-once',
  /** No PIN is set yet: staff have to choose one first. */
  'no-pin',
  'internal'
] as const
type LocalErrorCode = (typeof localErrorCodes)[number]

export type ErrorCode = ServiceErrorCode | LocalErrorCode

export interface FieldMessage {
  /** The service's path of the field (`Forms[0].Signers[1].Email`), or our own path in an input. */
  field: string
  message: string
}

/** An error as it crosses the boundary. Contains no secret, no stack trace, no file path. */
export interface AppError {
  code: ErrorCode
  /** What happened, and what it means for the work if main knows: one or two plain sentences of ours, shown as is. */
  message: string
  /** What to do here and now: a sentence, if main knows more than the code says. */
  next?: string
  /** The name of what it is about: the file that can't be used, when another is still shown. */
  subject?: string
  /** The service's own text, shortened. Hostile: shown as plain text only. */
  serviceMessage?: string
  /** Whether the request may have reached the service; decides between "refused" and "uncertain". */
  mayHaveArrived?: boolean
  fields?: FieldMessage[]
  /** Path of the unreadable member in a response. */
  path?: string
  /** Milliseconds to wait before retrying, if the service or we ask for it. */
  retryAfterMs?: number
}

/** Joins an error's texts for people: for a report, an activity log, or a single line. */
export function errorText({ message, next }: Pick<AppError, 'message' | 'next'>): string {
  return next ? `${message} ${next}` : message
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; error: AppError }
