/** An account's credentials by sign-in method, for when they are missing, not accepted, or have yet to be entered. */
import type { AuthScheme } from '../../../shared/contract/views.ts'

/** For an account that came without them. */
export const needsSecret: Record<AuthScheme, string> = {
  none: 'This account needs nothing more on this computer.',
  'api-key': 'This account needs its API key on this computer.',
  bearer: 'This account needs its token on this computer.',
  basic: 'This account needs its user name and password on this computer.',
  headers: 'This account needs its headers on this computer.',
  oauth: 'Someone needs to sign in to this account on this computer.'
}

/** For an account that had them. */
export const lostSecret: Record<AuthScheme, string> = {
  none: 'This account needs nothing more on this computer.',
  'api-key': 'This account’s API key is no longer on this computer.',
  bearer: 'This account’s token is no longer on this computer.',
  basic: 'This account’s password is no longer on this computer.',
  headers: 'This account’s headers are no longer on this computer.',
  oauth: 'This account’s sign-in is no longer on this computer.'
}

/** For an account that its service doesn't accept: the button that leads to its sign-in. */
export const actIfNotAccepted: Record<AuthScheme, string> = {
  none: 'Edit account…',
  'api-key': 'Enter API key…',
  bearer: 'Enter token…',
  basic: 'Enter password…',
  headers: 'Enter headers…',
  oauth: 'Sign in again…'
}

/** What is needed to connect an account, if the organisation allows only one sign-in method. */
const NEEDED: Record<AuthScheme, string> = {
  none: 'You need the address of the signing service.',
  'api-key': 'You need the address of the signing service and an API key.',
  bearer: 'You need the address of the signing service and a token.',
  basic: 'You need the address of the signing service, a user name and a password.',
  headers: 'You need the address of the signing service and the headers of its gateway.',
  oauth: 'You need the address of the signing service. You then sign in with your browser.'
}

/**
 * Returns what is needed to connect an account. @param allowed sign-in methods the organisation allows; undefined for
 * all.
 */
export function neededToConnect(allowed: readonly AuthScheme[] | undefined): string {
  const [only, ...others] = allowed ?? []
  if (only !== undefined && others.length === 0) return NEEDED[only]
  return 'You need the address of the signing service and a key, token or password.'
}
