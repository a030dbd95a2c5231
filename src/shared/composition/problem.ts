/** A single problem with a composition, and functions to create one. */

export interface Problem {
  severity: 'error' | 'warning'
  /**
   * The control it belongs to: keys and field names joined by dots (`ITEM.signers.SIGNER.Email`), or a field of the
   * package.
   */
  at: string
  message: string
}

/** Creates a problem that prevents sending. */
export function error(at: string, message: string): Problem {
  return { severity: 'error', at, message }
}

/** Creates a problem that is shown, but doesn't prevent sending. */
export function warning(at: string, message: string): Problem {
  return { severity: 'warning', at, message }
}

export function required(at: string, value: string, message: string): Problem[] {
  return value.trim() ? [] : [error(at, message)]
}
