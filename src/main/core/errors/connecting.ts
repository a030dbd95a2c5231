/** Words errors for someone who is connecting or checking an account, and has its form open. */
import type { AppError } from '../../../shared/contract/index.ts'
import type { AuthScheme } from '../../../shared/contract/views.ts'
import { AppFailure } from '../lib/failure.ts'
import { isServiceError } from '../service/errors.ts'
import { asAppError, clockMessage } from './app-error.ts'

/**
 * Rejects as the call does, worded for testing an account: other messages mention documents and packages in progress,
 * but nothing was sent here.
 * @param scheme the sign-in method, if typed: the message uses the form's terms.
 */
export async function withConnectingMessages<Answer>(call: Promise<Answer>, scheme?: AuthScheme): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    const { mayHaveArrived: _, ...described } = asAppError(error)
    const byScheme = described.code === 'unauthorised' && scheme && REFUSED_BY_SCHEME[scheme]
    const wording =
      isServiceError(error) &&
      !error.signIn &&
      (CONNECTING_BY_STATUS.get(error.status ?? 0) ?? (byScheme || CONNECTING_BY_CODE.get(error.code)))
    // The error's own advice is specific; the one here is shared by all errors of a code.
    throw new AppFailure({ ...described, ...wording, ...(described.next && { next: described.next }) })
  }
}

/** Rejects as the call does; if refused, names what the account signs in with. */
export async function withCheckingMessages<Answer>(call: Promise<Answer>, scheme: AuthScheme): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    if (!isServiceError(error) || error.code !== 'unauthorised' || error.signIn || error.isTokenExpired) throw error
    throw new AppFailure({ ...asAppError(error), ...REFUSED_BY_SCHEME[scheme], ...clockMessage(error) })
  }
}

type MessageParts = Partial<Pick<AppError, 'code' | 'message' | 'next'>>

const CONNECTING_BY_STATUS = new Map<number, MessageParts>([
  [
    503,
    {
      message: 'The service is temporarily unavailable.',
      next: 'Try again later. You can save the account now.'
    }
  ]
])

const NO_FOLDERS: MessageParts = {
  message: 'This address has no document folders. The path is probably wrong.',
  next: 'Check the part after the domain name. It’s often /web/v1.4.'
}

const REFUSED_BY_SCHEME: Record<AuthScheme, MessageParts> = {
  none: { message: 'The signing service asks for a key or token.', next: 'Choose another sign-in method.' },
  'api-key': {
    message: 'The signing service didn’t accept the API key, the secret or the access URL.',
    next: 'Check that all three are exactly as your provider gave them.'
  },
  bearer: {
    message: 'The signing service didn’t accept the token.',
    next: 'Check that you copied all of it, or ask your provider for a new one.'
  },
  basic: {
    message: 'The signing service didn’t accept the user name or the password.',
    next: 'Check both. A password is case-sensitive.'
  },
  headers: {
    message: 'The signing service didn’t accept the headers.',
    next: 'Check each name and value, or ask your provider.'
  },
  oauth: {
    message: 'The signing service didn’t accept the sign-in.',
    next: 'Ask your provider whether this account may use the service.'
  }
}

/** The form is open, so nothing refers to Settings. */
const CONNECTING_BY_CODE = new Map<string, MessageParts>([
  ['dns', { next: 'Check the address and your network connection.' }],
  ['refused', { next: 'Check the address. If it’s right, ask your provider whether the service is down.' }],
  ['unauthorised', { next: 'Check the key or token, or ask your provider for a new one.' }],
  ['not-found', NO_FOLDERS],
  // The input was valid, so it must be a different service.
  ['invalid', { ...NO_FOLDERS, code: 'not-found' }],
  [
    'not-json',
    {
      message: 'This address opens a web page, not a signing service.',
      next: 'Check the address. If the network needs you to sign in, open a browser first.'
    }
  ],
  [
    'unexpected-shape',
    {
      message: 'This address isn’t a signing service that Countersign supports.',
      next: 'Check the address.'
    }
  ],
  ['forbidden', { message: 'The service accepted the key or token but doesn’t let it read the folders.' }]
])
