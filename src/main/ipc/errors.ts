/**
 * Makes the contract's error of whatever a handler threw: our own failures as they are, those of the service, the disk
 * and the keychain in the user's words, and everything else as "internal", without a stack trace, a path or a secret.
 */
import { type AppError, localErrorCodes, serviceErrorCodes } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import { isServiceError, type ServiceError } from '../core/service/errors.ts'
import { queryTroubleOf } from '../core/storage/database-fault.ts'
import { type FileErrorCode, fileErrorOf } from '../core/storage/file-error.ts'
import { KeychainError, type KeychainTrouble } from '../core/storage/keychain.ts'
import { fileWords } from './file-words.ts'

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
  if (thrown instanceof KeychainError) return KEYCHAIN[thrown.code]
  const fileError = fileErrorOf(thrown)
  if (fileError) return FILE[fileError.code]
  const trouble = queryTroubleOf(thrown)
  return trouble ? DATABASE[trouble] : INTERNAL
}

/** Operations that only read: of a question that was lost nothing can have become anything. */
const READS =
  /^(Account\/Info|Document\/(GetActiveDocuments|Validation)|Download\/.+|FormDirect\/Employers|FormFiller\/GetTemplateList|Recipient\/.+)$/

/** An error of the service's client as the screens show it. */
function fromService(error: ServiceError): AppError {
  return {
    ...(fileWords(error) ?? described(error)),
    ...(!READS.test(error.operation) && { mayHaveArrived: error.mayHaveArrived }),
    ...(error.serviceMessage !== undefined && { serviceMessage: error.serviceMessage }),
    ...(error.fields !== undefined && { fields: [...error.fields] }),
    ...(error.path !== undefined && { path: error.path }),
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs })
  }
}

/** Services let a signature be some minutes old; a clock that is this far off is worth a word, in milliseconds. */
const CLOCK_OFF = 2 * 60_000

/** A wrong clock makes a right key wrong. */
function clockWords({ clockAheadMs = 0 }: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> | undefined {
  if (Math.abs(clockAheadMs) < CLOCK_OFF) return undefined
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000)
  const by = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  return {
    code: 'unauthorised',
    message: `${SERVICE.unauthorised} This computer’s clock is ${by} ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the service’s, which may be why.`,
    next: 'Set this computer’s date and time, then try again. If that doesn’t help, check the key or token.'
  }
}

/** What is wrong with a certificate, by the network's own code. */
function certificateWords(reason = ''): string | undefined {
  if (/DATE_INVALID|HAS_EXPIRED|NOT_YET_VALID/.test(reason)) {
    return 'its certificate has expired or isn’t valid yet, by this computer’s date.'
  }
  if (/COMMON_NAME|ALTNAME|HOSTNAME_MISMATCH/.test(reason)) return 'its certificate is made out to another name.'
  if (/REVOKED/.test(reason)) return 'its issuer has withdrawn its certificate.'
  if (/AUTHORITY_INVALID|SELF_SIGNED|UNABLE_TO|INVALID_CA/.test(reason)) {
    return 'its certificate is from an issuer that this computer doesn’t trust.'
  }
  return undefined
}

function described(error: ServiceError): Pick<AppError, 'code' | 'message' | 'next'> {
  const { code, movedTo, reason } = error
  if (code === 'unauthorised') return clockWords(error) ?? { code, message: SERVICE[code] }
  const certificate = code === 'tls' && certificateWords(reason)
  if (certificate) return { code, message: `The connection to the signing service isn’t secure: ${certificate}` }
  // The contract has no code of its own for a broken line; what can be done about it is the same.
  if (code === 'interrupted') {
    return { code: 'timeout', message: 'The connection to the signing service broke before its answer arrived.' }
  }
  if (code !== 'redirected') return { code, message: SERVICE[code] }
  return {
    code: 'unsafe-address',
    message: movedTo
      ? `The signing service sends us on to ${movedTo}. If that is right, change the account’s address to it.`
      : 'The signing service sends us from one address to another without an answer.'
  }
}

/** What happened, in one plain sentence or two: what it means for the work, where that isn't plain. */
const SERVICE: Record<Exclude<ServiceError['code'], 'interrupted' | 'redirected'>, string> = {
  offline: 'This computer isn’t connected to a network.',
  dns: 'The signing service’s address can’t be found.',
  refused: 'Nothing answers at the signing service’s address just now.',
  timeout: 'The signing service took too long to answer.',
  tls: 'The connection to the signing service isn’t secure: its certificate can’t be trusted.',
  unauthorised: 'The signing service did not accept this account’s key or token.',
  'payment-required': 'The signing service has put this account on hold until a payment is made.',
  forbidden: 'The signing service doesn’t let this account do that.',
  'not-found': 'The signing service doesn’t have this, or has it no longer.',
  conflict: 'Something changed in the meantime, so nothing was done.',
  invalid: 'The signing service did not accept what was sent.',
  'too-large': 'This is larger than can be sent or read at once.',
  quota: 'This account has no documents left in its plan.',
  'rate-limited': 'The signing service asks us to wait a little before trying again.',
  server: 'The signing service could not do this because of a fault of its own.',
  'not-json': 'What came isn’t an answer of the signing service that Countersign can read.',
  'unexpected-shape': 'The signing service answered in a form that Countersign can’t read.',
  incomplete: 'What the signing service sent isn’t whole, so it wasn’t kept.',
  'no-data': 'The signing service answered with nothing in it.',
  'error-answer': 'The signing service sent word of a fault in place of what was asked for.',
  'not-a-pdf': 'What the signing service sent isn’t a PDF, so it wasn’t saved.',
  cancelled: 'This was cancelled.'
}

const KEYCHAIN: Record<KeychainTrouble, AppError> = {
  missing: {
    code: 'keychain',
    message: 'This computer has no keychain that Countersign can use.',
    next: 'Start the computer’s keychain, then start Countersign again.'
  },
  locked: { code: 'keychain', message: 'The keychain of this computer is locked.', next: 'Unlock it and try again.' },
  failed: {
    code: 'keychain',
    message: 'The keychain of this computer did not answer as it should.',
    next: 'Try again. If that doesn’t help, start Countersign again.'
  },
  'too-long': {
    code: 'keychain',
    message: 'The key or secret is longer than this computer’s keychain can hold.'
  }
}

const NOT_WRITTEN: AppError = { code: 'storage', message: 'The file could not be written.' }
const FILE: Record<FileErrorCode, AppError> = {
  'no-space': {
    code: 'no-space',
    message: 'The disk is full, so this wasn’t saved.',
    next: 'Free some space and try again.'
  },
  'not-writable': {
    code: 'not-writable',
    message: 'The folder isn’t there or can’t be written to.',
    next: 'Choose another, or see that this one is there and may be written to.'
  },
  away: {
    code: 'not-writable',
    message: 'The folder isn’t there.',
    next: 'If it is on a stick or a share, connect that and try again; else choose another.'
  },
  'too-deep': {
    code: 'not-writable',
    message: 'The folder lies so deep that its files could not be opened on Windows.',
    next: 'Choose one with a shorter path.'
  },
  outside: {
    code: 'not-writable',
    message: 'A link in the folder leads out of it, so nothing was saved there.',
    next: 'Remove the link, or choose another folder.'
  },
  'in-use': { code: 'storage', message: 'Another program has this file open.', next: 'Close it there and try again.' },
  exists: NOT_WRITTEN,
  other: NOT_WRITTEN
}

/** A query that failed wrote nothing. */
const DATABASE: Record<NonNullable<ReturnType<typeof queryTroubleOf>>, AppError> = {
  'no-space': {
    code: 'no-space',
    message: 'The disk is full, so this was not kept.',
    next: 'Free some space and try again.'
  },
  'not-writable': {
    code: 'not-writable',
    message: 'Countersign may not write to its own data folder, so this was not kept.'
  },
  storage: {
    code: 'storage',
    message: 'Countersign’s database failed, so this was not kept.',
    next: 'Try again, or start Countersign again.'
  }
}

function isAppError(value: unknown): value is AppError {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('message' in value)) return false
  return codes.has(value.code) && typeof value.message === 'string'
}

/**
 * Rejects as the call does, in the words of an account that is tried: those for other calls speak of documents, and of packages
 * under way, and here nothing was sent.
 */
export async function inConnectingWords<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    const { mayHaveArrived: _, ...described } = asAppError(error)
    const said = isServiceError(error) && (TRIED_BY_STATUS.get(error.status ?? 0) ?? TRIED_BY_CODE.get(error.code))
    // What the error itself says to do is about what happened; the words here are for all that share a code.
    throw new AppFailure({ ...described, ...said, ...(described.next && { next: described.next }) })
  }
}

type Said = Partial<Pick<AppError, 'code' | 'message' | 'next'>>

const TRIED_BY_STATUS = new Map<number, Said>([
  [
    407,
    {
      message: 'A proxy on the way to the service wants to know who asks.',
      next: 'Sign in to it, for example in a browser, or ask your administrator.'
    }
  ],
  [
    503,
    {
      message:
        'The service is there and is out of use for now: it says that it is being worked on, or has too much to do.',
      next: 'Try again later. You can save the account meanwhile.'
    }
  ]
])

const NO_FOLDERS: Said = {
  message: 'Something answers at this address, and it has no document folders: the path is probably another one.',
  next: 'Check what comes after the host’s name. It is often /web/v1.4.'
}

/** The form is open: nothing is to be looked for in Settings. */
const TRIED_BY_CODE = new Map<string, Said>([
  ['dns', { next: 'Check the address, and this computer’s network.' }],
  ['refused', { next: 'Check the address. If it is right, ask your provider whether the service is down.' }],
  ['unauthorised', { next: 'Check it, or ask your administrator for a new one.' }],
  ['not-found', NO_FOLDERS],
  // What was typed was fit to be asked with: the service is another one.
  ['invalid', { ...NO_FOLDERS, code: 'not-found' }],
  [
    'not-json',
    {
      message: 'A web page answers at this address, not the signing service.',
      next: 'Open a web page to sign in to the network, or check the address.'
    }
  ],
  [
    'unexpected-shape',
    {
      message: 'What answers at this address is not a signing service that Countersign knows.',
      next: 'Check the address.'
    }
  ],
  ['forbidden', { message: 'The service knows the key or token, and doesn’t let it read the folders.' }]
])
