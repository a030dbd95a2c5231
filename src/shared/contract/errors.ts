/** Errors as data. The code decides what a program does; the message is for people only. */

/** What can go wrong between us and the signing service. */
export const serviceErrorCodes = [
  /** No network at all. */
  'offline',
  /** The service's name can't be resolved. */
  'dns',
  /** Nobody listens at the service's address, or the proxy on the way won't let us through. */
  'refused',
  'timeout',
  /** The certificate or the handshake is not acceptable. */
  'tls',
  'unauthorised',
  'payment-required',
  'forbidden',
  'not-found',
  'conflict',
  /** The service, or our own check before sending, refuses what the request says; see `fields`. */
  'invalid',
  /** The request is too large for the service, or its answer too large for the caller's limit. */
  'too-large',
  /** The plan has not enough documents left. */
  'quota',
  'rate-limited',
  'server',
  /** An answer that isn't readable JSON. */
  'not-json',
  /** JSON that isn't what the reference says; see `path`. */
  'unexpected-shape',
  /** What came ended, or was ended, before it was whole. */
  'incomplete',
  /** The service took the question and answered with nothing. */
  'no-data',
  /** It said "well done" and sent an error in place of what was asked for. */
  'error-answer',
  'cancelled'
] as const
type ServiceErrorCode = (typeof serviceErrorCodes)[number]

/** What can go wrong on this machine. */
export const localErrorCodes = [
  /** The input of a request is not of the contract's shape: a defect of ours, or an attack. */
  'bad-input',
  /** The request came from a page that may not make it. */
  'not-allowed',
  /** What the id names isn't there (any more). */
  'gone',
  'no-account',
  'keychain',
  'storage',
  'no-space',
  'not-writable',
  'not-a-pdf',
  /** A file that the person chose can't be used; the message says why and what to do. */
  'bad-file',
  /** An address that we refuse to open: not https, or within the office's own network. */
  'unsafe-address',
  /** It isn't this signer's turn, or they can't sign here. */
  'not-signable',
  /** Something of that kind is under way already. */
  'busy',
  /** The PIN isn't the staff's; `retryAfterMs` where the next one is taken only later. */
  'wrong-pin',
  /** No PIN is taken yet, after wrong ones; see `retryAfterMs`. */
  'pin-wait',
  /** The PIN is right, and a one-time PIN: its owner chooses their own with it. */
  'pin-once',
  /** There is no PIN yet: staff chooses one first. */
  'no-pin',
  'internal'
] as const
type LocalErrorCode = (typeof localErrorCodes)[number]

export type ErrorCode = ServiceErrorCode | LocalErrorCode

export interface FieldMessage {
  /** The service's path of the field (`Forms[0].Signers[1].Email`), or ours of an input. */
  field: string
  message: string
}

/** An error as it crosses the boundary. Holds no secret, no stack trace, no path of a file. */
export interface AppError {
  code: ErrorCode
  /** What happened, and what it means for the work where main knows: a plain sentence or two of ours, shown as it is. */
  message: string
  /** What to do here and now: a sentence, where main knows it better than the code alone says. */
  next?: string
  /** What it is about, by its name: the file that can't be used, where another is still shown. */
  subject?: string
  /** What the service itself said, shortened. Hostile text: shown as text only. */
  serviceMessage?: string
  /** Whether the request may have reached the service; decides between "refused" and "uncertain". */
  mayHaveArrived?: boolean
  fields?: FieldMessage[]
  /** Where in an answer the unreadable member stands. */
  path?: string
  /** Milliseconds to wait before trying again, where the service said so, or we do. */
  retryAfterMs?: number
}

/** All that an error says to people, in one text: for a report, a log of what happened, or a line that has room for no more. */
export function saidBy({ message, next }: Pick<AppError, 'message' | 'next'>): string {
  return next ? `${message} ${next}` : message
}

/** What every request answers. */
export type Result<Value> = { ok: true; value: Value } | { ok: false; error: AppError }
