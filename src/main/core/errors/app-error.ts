/**
 * Converts whatever was thrown to the contract's error: our own failures unchanged; errors of the service, the
 * disk and the keychain in the user's words; everything else as "internal", without stack trace, path or secret.
 */
import { type AppError, localErrorCodes, serviceErrorCodes } from '../../../shared/contract/index.ts'
import { isServiceError, type ServiceError, type SignInTrouble } from '../service/errors.ts'
import { queryTroubleOf } from '../storage/database-fault.ts'
import { type FileErrorCode, fileErrorOf } from '../storage/file-error.ts'
import { KeychainError, type KeychainTrouble } from '../storage/keychain.ts'
import { fileMessage } from './file-words.ts'

const INTERNAL: AppError = {
  code: 'internal',
  message: 'Something went wrong in Countersign. Your saved work is safe.'
}

const codes: ReadonlySet<unknown> = new Set([...serviceErrorCodes, ...localErrorCodes])

/** Returns the error for the screens. Never throws. */
export function asAppError(thrown: unknown): AppError {
  if (typeof thrown !== 'object' || thrown === null) return INTERNAL
  if ('appError' in thrown && isAppError(thrown.appError)) return thrown.appError
  if (isServiceError(thrown)) return fromService(thrown)
  if (thrown instanceof KeychainError) return KEYCHAIN[thrown.code]
  const fileError = fileErrorOf(thrown)
  if (fileError) return FILE[fileError.code]
  const trouble = queryTroubleOf(thrown)
  return trouble ? DATABASE[trouble] : INTERNAL
}

/** Read-only operations: a lost request can't have had an effect. */
const READ_OPERATIONS =
  /^(Account\/Info|Document\/(GetActiveDocuments|Validation)|Download\/.+|FormDirect\/Employers|FormFiller\/GetTemplateList|Recipient\/.+)$/

function fromService(error: ServiceError): AppError {
  return {
    ...(fileMessage(error) ?? messageOf(error)),
    ...(!READ_OPERATIONS.test(error.operation) && { mayHaveArrived: error.mayHaveArrived }),
    ...(error.serviceMessage !== undefined && { serviceMessage: error.serviceMessage }),
    ...(error.fields !== undefined && { fields: [...error.fields] }),
    ...(error.path !== undefined && { path: error.path }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs })
  }
}

/** Clock difference that is mentioned, in milliseconds. Services accept signatures that are a few minutes old. */
const CLOCK_OFF = 2 * 60_000

/** With a wrong clock, even the right key isn’t accepted. Returns undefined unless the clock is wrong. */
export function clockMessage({
  clockAheadMs = 0
}: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> | undefined {
  if (Math.abs(clockAheadMs) < CLOCK_OFF) return undefined
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000)
  const by = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  return {
    code: 'unauthorised',
    message: `${SERVICE.unauthorised} This computer’s clock is ${by} ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service’s, which may be why.`,
    next: 'Set this computer’s date and time, then try again. If that doesn’t help, check the key or token.'
  }
}

/**
 * Describes what is wrong with a certificate, based on the network's error code, with its subject, issuer and dates if
 * known.
 */
function certificateMessage({ reason = '', certificate }: ServiceError): string | undefined {
  const { subject = '', issuer = '', validFrom, validTo } = certificate ?? {}
  if (/HAS_EXPIRED/.test(reason) && validTo !== undefined) return `its certificate expired on ${dayOf(validTo)}.`
  if (/NOT_YET_VALID/.test(reason) && validFrom !== undefined) {
    return `its certificate isn’t valid until ${dayOf(validFrom)}, by this computer’s date.`
  }
  if (/DATE_INVALID/.test(reason) && validFrom !== undefined && validTo !== undefined) {
    return `its certificate is valid from ${dayOf(validFrom)} to ${dayOf(validTo)}, but not today, by this computer’s date.`
  }
  if (/DATE_INVALID|HAS_EXPIRED|NOT_YET_VALID/.test(reason)) {
    return 'its certificate has expired or isn’t valid yet, by this computer’s date.'
  }
  if (/COMMON_NAME|ALTNAME|HOSTNAME_MISMATCH/.test(reason)) {
    return subject ? `its certificate is for “${subject}”.` : 'its certificate is for a different name.'
  }
  if (/REVOKED/.test(reason)) return 'its certificate has been revoked.'
  if (/AUTHORITY_INVALID|SELF_SIGNED|UNABLE_TO|INVALID_CA/.test(reason)) {
    if (issuer && issuer === subject)
      return `its certificate is self-signed by “${issuer}”, so nobody else vouches for it.`
    return issuer
      ? `its certificate is from “${issuer}”, which this computer doesn’t trust.`
      : 'its certificate is from an issuer that this computer doesn’t trust.'
  }
  return undefined
}

export function dayOf(at: number): string {
  return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
}

/** Describes a network proxy that blocks requests. */
function proxyMessage({ status, reason = '' }: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> | undefined {
  if (status === 407 || /^ERR_PROXY_AUTH/.test(reason)) {
    return {
      code: 'refused',
      message: 'Your network’s proxy needs you to sign in.',
      next: 'Open a browser to sign in, or ask your administrator.'
    }
  }
  if (!/^ERR_(PROXY|SOCKS|PAC|HTTPS_PROXY|TUNNEL|MANDATORY_PROXY)_/.test(reason)) return undefined
  return {
    code: 'refused',
    message: 'Your network’s proxy doesn’t let Countersign through.',
    next: 'Ask your administrator to allow the service’s address.'
  }
}

function messageOf(error: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> {
  const { code, movedTo } = error
  if (code === 'keychain') return { ...KEYCHAIN.failed, message: NOT_IN_KEYCHAIN }
  const known = proxyMessage(error) ?? (error.signIn && signInMessage(error))
  if (known) return known
  if (error.isTokenExpired)
    return {
      code: 'unauthorised',
      message: 'This account’s token has expired.',
      next: 'Ask your provider for a new one, then enter it in Settings.'
    }
  if (code === 'unauthorised') return clockMessage(error) ?? { code, message: SERVICE[code] }
  const certificate = code === 'tls' && certificateMessage(error)
  if (certificate) return { code, message: `The connection to the signing service isn’t secure: ${certificate}` }
  // The contract has no code for a broken connection; the user can do the same about it.
  if (code === 'interrupted') {
    return { code: 'timeout', message: 'The connection to the signing service was lost before it answered.' }
  }
  if (code !== 'redirected') return { code, message: SERVICE[code] }
  return {
    code: 'unsafe-address',
    message: movedTo
      ? `The signing service has moved to ${movedTo}. If that’s right, change the account’s address.`
      : 'The signing service keeps redirecting without answering.'
  }
}

/** Describes the sign-in service's error, or why it couldn't be reached. */
function signInMessage(error: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> {
  const { code, signIn = 'answer' } = error
  if (code === 'rate-limited') return { code, message: 'The sign-in service has asked us to slow down.' }
  // The contract has no code for a broken connection.
  if (code === 'interrupted') {
    return { code: 'timeout', message: 'The connection to the sign-in service was lost before it answered.' }
  }
  const certificate = code === 'tls' && certificateMessage(error)
  if (certificate) return { code, message: `The connection to the sign-in service isn’t secure: ${certificate}` }
  if (signIn === 'away' && isUnreachable(code)) {
    const next = 'Try again in a few minutes. If it continues, check its address or ask your provider.'
    return { code, message: SIGN_IN_UNREACHABLE[code], ...(code === 'refused' && { next }) }
  }
  return { code: code === 'redirected' ? 'unsafe-address' : code, ...SIGN_IN[signIn] }
}

function isUnreachable(code: ServiceError['code']): code is keyof typeof SIGN_IN_UNREACHABLE {
  return code in SIGN_IN_UNREACHABLE
}

const SIGN_IN: Record<SignInTrouble, Pick<AppError, 'message' | 'next'>> = {
  over: {
    message: 'This account’s sign-in is no longer valid.',
    next: 'Choose “Sign in again” at the account in Settings.'
  },
  denied: { message: 'The sign-in was declined.', next: 'Try again, or ask your provider for access.' },
  secret: {
    message: 'The sign-in service didn’t accept the client ID or the secret.',
    next: 'Check that both are exactly as your provider gave them.'
  },
  scope: {
    message: 'The sign-in service doesn’t allow the scope.',
    next: 'Check that it is exactly as your provider gave it, or leave it blank.'
  },
  client: {
    message: 'The sign-in service didn’t accept the client ID, the secret or the scope.',
    next: 'Check that they are exactly as your provider gave them.'
  },
  elsewhere: {
    message: 'The sign-in service leads to a different website, so nothing was sent there.',
    next: 'Check its address, or enter the addresses that your provider gave you.'
  },
  'not-found': {
    message: 'There’s no sign-in service at this address.',
    next: 'Check the address, or enter the addresses that your provider gave you.'
  },
  answer: {
    message: 'Countersign can’t read the sign-in service’s answer.',
    next: 'Try again. If that doesn’t help, ask your provider.'
  },
  away: { message: 'The sign-in service can’t be reached.' }
}

const SIGN_IN_UNREACHABLE: Record<'offline' | 'dns' | 'refused' | 'timeout' | 'tls', string> = {
  offline: 'This computer is offline.',
  dns: 'The sign-in service’s address can’t be found.',
  refused: 'The sign-in service can’t be reached.',
  timeout: 'The sign-in service took too long to respond.',
  tls: 'The connection to the sign-in service isn’t secure: its certificate can’t be trusted.'
}

/** What happened, in one or two plain sentences, with what it means for the work if that isn't obvious. */
const SERVICE: Record<Exclude<ServiceError['code'], 'interrupted' | 'redirected' | 'keychain'>, string> = {
  offline: 'This computer is offline.',
  dns: 'The signing service’s address can’t be found.',
  refused: 'The signing service can’t be reached.',
  timeout: 'The signing service took too long to respond.',
  tls: 'The connection to the signing service isn’t secure: its certificate can’t be trusted.',
  unauthorised: 'The signing service didn’t accept this account’s key or token.',
  'payment-required': 'The signing service has put this account on hold until a payment is made.',
  forbidden: 'This account doesn’t have permission to do that.',
  'not-found': 'The signing service couldn’t find this.',
  conflict: 'This has changed in the meantime, so nothing was done.',
  invalid: 'The signing service didn’t accept the details.',
  'too-large': 'This is too large to send or load.',
  quota: 'This account has no documents left in its plan.',
  'rate-limited': 'The signing service has asked us to slow down.',
  server: 'The signing service had a problem.',
  'not-json': 'Something other than the signing service answered.',
  'unexpected-shape': 'Countersign can’t read the signing service’s answer.',
  incomplete: 'The signing service’s answer was incomplete, so it wasn’t saved.',
  'no-data': 'The signing service’s answer was empty.',
  'error-answer': 'The signing service reported a problem instead of answering.',
  'not-a-pdf': 'The signing service didn’t send a PDF, so nothing was saved.',
  cancelled: 'This was cancelled.'
}

const NOT_IN_KEYCHAIN = 'This computer’s keychain couldn’t save the account’s new token.'
const KEYCHAIN: Record<KeychainTrouble, AppError> = {
  missing: {
    code: 'keychain',
    message: 'This computer has no keychain that Countersign can use.',
    next: 'Start the computer’s keychain, then restart Countersign.'
  },
  stopped: {
    code: 'keychain',
    message: 'This computer’s keychain stopped while Countersign was running.',
    next: 'If it doesn’t start again by itself, start it. Then restart Countersign.'
  },
  locked: { code: 'keychain', message: 'This computer’s keychain is locked.', next: 'Unlock it and try again.' },
  failed: {
    code: 'keychain',
    message: 'This computer’s keychain isn’t working properly.',
    next: 'Try again. If that doesn’t help, restart Countersign.'
  },
  'too-long': {
    code: 'keychain',
    message: 'The key or secret is too long for this computer’s keychain.'
  }
}

const NO_SPACE: AppError = {
  code: 'no-space',
  message: 'The disk is full, so this wasn’t saved.',
  next: 'Free some space and try again.'
}
const NOT_WRITTEN: AppError = { code: 'storage', message: 'The file couldn’t be saved.' }
const FILE: Record<FileErrorCode, AppError> = {
  'no-space': NO_SPACE,
  'not-writable': {
    code: 'not-writable',
    message: 'The folder is missing or read-only.',
    next: 'Choose another folder, or check that you can save to this one.'
  },
  away: {
    code: 'not-writable',
    message: 'The folder can’t be found.',
    next: 'If it’s on a USB drive or network share, connect that and try again. Otherwise choose another folder.'
  },
  'too-deep': {
    code: 'not-writable',
    message: 'The folder’s path is too long for Windows.',
    next: 'Choose one with a shorter path.'
  },
  outside: {
    code: 'not-writable',
    message: 'A link in this folder points outside it, so nothing was saved.',
    next: 'Remove the link, or choose another folder.'
  },
  'in-use': { code: 'storage', message: 'Another program has this file open.', next: 'Close it there and try again.' },
  exists: NOT_WRITTEN,
  other: NOT_WRITTEN
}

/** A failed query wrote nothing. */
const DATABASE: Record<NonNullable<ReturnType<typeof queryTroubleOf>>, AppError> = {
  'no-space': NO_SPACE,
  'not-writable': {
    code: 'not-writable',
    message: 'Countersign can’t write to its data folder, so this wasn’t saved.'
  },
  storage: {
    code: 'storage',
    message: 'Countersign’s database failed, so this wasn’t saved.',
    next: 'Try again, or restart Countersign.'
  }
}

function isAppError(value: unknown): value is AppError {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('message' in value)) return false
  return codes.has(value.code) && typeof value.message === 'string'
}
